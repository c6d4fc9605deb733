// SASS of a compiled file by NVIDIA's cuobjdump, where it is installed.
#pragma once

#include <string>

namespace rooftile {

/// Path of cuobjdump, "" when there is none. Looked for in $ROOFTILE_CUOBJDUMP (a path, which is
/// then used or else reported as wrong by disassemble), $PATH, $CUDA_HOME/bin, $CUDA_PATH/bin,
/// /usr/local/cuda/bin, beside the binary, and in the layout of NVIDIA's Python wheels
/// (nvidia/cu13/bin) in the binary's folder or up to three above it, or in their folders
/// disassembler/ and cuda/.
std::string find_cuobjdump();

/// What to install, for messages.
std::string disassembler_advice();

/// "cuobjdump 13.0", "" when there is none.
std::string disassembler_version();

/// The text of `cuobjdump -sass -res-usage file` (resources, instructions with encodings) for a
/// cubin, object or binary.
/// Throws InputError when there is no cuobjdump, when `file` is missing or holds no SASS, or when
/// cuobjdump fails; the text names the file and what to do. Throws Interrupted where it failed
/// because a signal ended it, as a terminal's does.
std::string disassemble(const std::string& file);

}  // namespace rooftile
