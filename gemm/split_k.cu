// See split_k.cuh.
#include "gemm/split_k.cuh"

#include "gemm/hand/operands.cuh"
#include "gemm/small/helpers.hpp"
#include "gpu/cuda/stream_spaces.hpp"

namespace rooftile::gemm {

void scale_c(const Arguments& args, cudaStream_t stream) {
  hand::scale(args.c, args.ldc, args.beta, args.M, args.N, stream);
}

void sum_parts(const Arguments& args, long long parts, cudaStream_t stream,
               const std::function<void(const Arguments&)>& run) {
  static auto& spaces = *new StreamSpaces<GrowingBuffer<float>>;
  const auto lease =
      spaces.lease(stream, "split_k_workspace", [] { return GrowingBuffer<float>(); });
  Arguments partial = args;
  partial.ldc = (args.N + 3) / 4 * 4;
  partial.stride_c = args.M * partial.ldc;
  partial.c = lease.space().room(static_cast<std::size_t>(parts * partial.stride_c), stream);
  partial.alpha = 1;
  partial.beta = 0;
  run(partial);
  small::add({.problem = args,
              .splits = static_cast<int>(parts),
              .partial = partial.c,
              .pitch = partial.ldc},
             false, stream);
}

}  // namespace rooftile::gemm
