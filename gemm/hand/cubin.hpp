// The finished cubin of the hand-scheduled kernel, as the build embeds it: compressed by gzip.
#pragma once

#include <span>

namespace rooftile::gemm::hand {

std::span<const unsigned char> compressed_cubin();

}  // namespace rooftile::gemm::hand
