// See helpers.hpp.
#include "gemm/small/helpers.cuh"

#include <string>

#include "gemm/problem_arguments.hpp"
#include "gemm/small/helpers.hpp"
#include "gpu/cuda/error.hpp"
#include "model/error.hpp"

namespace rooftile::gemm::small {

void launch_kernel(const Launch& launch, void** parameters, cudaStream_t stream) {
  constexpr long long most_blocks = 2147483647;
  if (launch.blocks > most_blocks)
    throw InputError("M and N are too large: the grid would have " + std::to_string(launch.blocks) +
                     " blocks and may have 2^31 - 1");
  cudaLaunchAttribute attributes[2] = {};
  unsigned count = 0;
  if (launch.cluster > 1) {
    attributes[count].id = cudaLaunchAttributeClusterDimension;
    attributes[count++].val.clusterDim = {static_cast<unsigned>(launch.cluster), 1, 1};
  }
  if (launch.overlap) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(launch.blocks));
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  check(cudaLaunchKernelExC(&config, launch.function, parameters), "cudaLaunchKernelExC");
}

void pack(const Packing& a, const Packing& b, cudaStream_t stream) {
  Packing packings[] = {a, b};
  void* parameters[] = {&packings[0], &packings[1]};
  launch_kernel({.function = reinterpret_cast<const void*>(&pack_operands),
                 .blocks = pack_blocks(a) + pack_blocks(b),
                 .threads = pack_threads},
                parameters, stream);
}

void add(const SplitArguments& arguments, bool overlap, cudaStream_t stream) {
  const Arguments& g = arguments.problem;
  const bool quads = aligned16(g.c, g.ldc) && g.N % 4 == 0;
  const auto function = quads ? &add_partial<4> : &add_partial<1>;
  const long long lanes = g.M * (arguments.pitch / (quads ? 4 : 1));
  SplitArguments copy = arguments;
  void* parameters[] = {&copy};
  launch_kernel({.function = reinterpret_cast<const void*>(function),
                 .blocks = (lanes + add_threads - 1) / add_threads,
                 .threads = add_threads,
                 .overlap = overlap},
                parameters, stream);
}

}  // namespace rooftile::gemm::small
