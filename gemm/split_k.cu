// See split_k.cuh. Memory-bound, from L2 as long as the parts fit: four bytes a lane, a part's
// elements by neighbouring lanes, eight parts in flight.
//
// A workspace belongs to a device and a stream, whose launches follow one another, and only grows.
#include "gemm/split_k.cuh"

#include <algorithm>
#include <map>
#include <mutex>
#include <utility>

#include "gemm/hand/operands.cuh"
#include "gpu/cuda/error.hpp"
#include "gpu/cuda/handles.hpp"

namespace rooftile::gemm {

namespace {

constexpr int threads = 256, parts_at_once = 8;

__global__ void __launch_bounds__(threads)
    add_parts_kernel(Arguments to, const float* __restrict__ partial, long long pitch,
                     long long stride, int parts) {
  const long long n = static_cast<long long>(blockIdx.x) * threads + threadIdx.x;
  if (n >= to.N) return;
  for (long long m = blockIdx.y; m < to.M; m += gridDim.y) {
    const float* from = partial + m * pitch + n;
    float sum = 0.0f;
#pragma unroll parts_at_once
    for (int part = 0; part < parts; ++part) sum += __ldcg(from + part * stride);
    float& c = to.c[m * to.ldc + n];
    c = to.beta == 0.0f ? to.alpha * sum : fmaf(to.beta, c, to.alpha * sum);
  }
}

float* workspace(std::size_t floats, cudaStream_t stream) {
  // Never destroyed: the runtime may be gone by then.
  static auto& all = *new std::map<std::pair<int, cudaStream_t>, DeviceBuffer<float>>;
  static std::mutex mutex;
  int device = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  const std::lock_guard lock(mutex);
  DeviceBuffer<float>& found = all[{device, stream}];
  if (found.size() < floats) {
    check(cudaStreamSynchronize(stream), "growing the workspace of split-K");
    found = DeviceBuffer<float>();  // both at a time might not fit
    found = DeviceBuffer<float>(floats);
  }
  return found.data();
}

}  // namespace

void scale_c(const Arguments& args, cudaStream_t stream) {
  hand::scale(args.c, args.ldc, args.beta, args.M, args.N, stream);
}

Arguments to_workspace(const Arguments& args, long long parts, cudaStream_t stream) {
  Arguments partial = args;
  partial.ldc = (args.N + 3) / 4 * 4;
  partial.stride_c = args.M * partial.ldc;
  partial.c = workspace(static_cast<std::size_t>(parts * partial.stride_c), stream);
  partial.alpha = 1;
  partial.beta = 0;
  return partial;
}

void add_parts(const Arguments& args, const Arguments& partial, long long parts,
               cudaStream_t stream) {
  const dim3 grid(static_cast<unsigned>((args.N + threads - 1) / threads),
                  static_cast<unsigned>(std::min<long long>(args.M, 65535)));
  add_parts_kernel<<<grid, threads, 0, stream>>>(args, partial.c, partial.ldc, partial.stride_c,
                                                 static_cast<int>(parts));
  check_launch("add_parts");
}

}  // namespace rooftile::gemm
