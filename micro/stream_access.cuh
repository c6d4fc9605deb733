// Streams through a buffer, chunk after chunk, in the order in which the hardware starts blocks:
// the kernels behind the DRAM bandwidths and the bandwidth over the footprint.
//
// Block b moves chunk (first + b) mod chunks of 32 KiB, 4 x 16 B a thread, and ends. Blocks start
// in ascending order as slots come free, so that the GPU as a whole goes round the footprint like
// one reader, and between two uses of a line all others are used once: its reuse distance is the
// footprint, whichever SM comes round. Nothing drifts, because no block lives longer than its
// chunk.
//
// Cache path: ld.cg, so L1 never answers. Stores are plain st of whole 128-byte lines.
//
// Pitfalls: persistent warps that walk the same ring drift apart within microseconds; then one that
// misses is caught up by those behind it, which hit: reuse distances scatter and the capacity of L2
// looks larger and softer than it is. Blocks in flight cover 128 KiB an SM: in a smaller footprint
// a line is asked for by several SMs at once.
#pragma once

#include "gpu/cuda/error.hpp"
#include "micro/global_access.cuh"
#include "micro/timing.cuh"

namespace rooftile::micro {

constexpr int stream_threads = 512;
constexpr int stream_unroll = 4;
constexpr std::size_t chunk_bytes = std::size_t{16} * stream_threads * stream_unroll;

/// Address of this thread's first 16 bytes; the next are stream_threads x 16 B apart.
__device__ __forceinline__ unsigned long long stream_address(const unsigned char* buffer,
                                                             unsigned first, unsigned chunks) {
  return reinterpret_cast<unsigned long long>(buffer) +
         ((blockIdx.x + first) % chunks) * chunk_bytes + 16 * threadIdx.x;
}

/// `first` + blocks must stay below 2^32.
// SASS: kernel=stream_read_kernel spill=0
static __global__ void __launch_bounds__(stream_threads, 2)
    stream_read_kernel(const unsigned char* from, unsigned first, unsigned chunks, unsigned* sink) {
  const unsigned long long address = stream_address(from, first, chunks);
  unsigned words[stream_unroll][4];
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i)
    load_global<16, LoadPath::l2>(words[i], address + 16 * stream_threads * i);
  unsigned sum = 0;
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i)
    sum ^= words[i][0] ^ words[i][1] ^ words[i][2] ^ words[i][3];
  if (sum == 0x9e3779b9u) *sink = sum;
}

// SASS: kernel=stream_write_kernel spill=0
static __global__ void __launch_bounds__(stream_threads, 2)
    stream_write_kernel(unsigned char* to, unsigned chunks, unsigned seed) {
  const unsigned long long address = stream_address(to, 0, chunks);
  const unsigned value = hash32(seed + blockIdx.x * stream_threads + threadIdx.x);
  const unsigned words[4] = {value, value * 3u, value * 5u, value * 7u};
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i) store_global(address + 16 * stream_threads * i, words);
}

// SASS: kernel=stream_copy_kernel spill=0
static __global__ void __launch_bounds__(stream_threads, 2)
    stream_copy_kernel(const unsigned char* from, unsigned char* to, unsigned chunks) {
  const unsigned long long source = stream_address(from, 0, chunks);
  const unsigned long long target = stream_address(to, 0, chunks);
  unsigned words[stream_unroll][4];
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i)
    load_global<16, LoadPath::l2>(words[i], source + 16 * stream_threads * i);
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i) store_global(target + 16 * stream_threads * i, words[i]);
}

/// What a stream writes: a copy of the first source, 1.2 times it, or the first plus 1.2 times the
/// second (STREAM's copy, scale and triad; McCalpin, 1995), as floats.
enum class StreamOp { copy, scale, triad };

template <StreamOp Op>
__device__ __forceinline__ void stream_apply(unsigned (&words)[4], const unsigned (&other)[4]) {
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    const float value = __uint_as_float(words[j]);
    if constexpr (Op == StreamOp::scale) words[j] = __float_as_uint(1.2f * value);
    if constexpr (Op == StreamOp::triad)
      words[j] = __float_as_uint(fmaf(1.2f, __uint_as_float(other[j]), value));
  }
}

/// Block b handles the b-th `Unroll` x 16 B x blockDim.x of the buffers, round and round. `second`
/// is read by triad only.
// SASS: kernel=stream_op_kernel spill=0
template <StreamOp Op, int Unroll>
__global__ void __launch_bounds__(stream_threads, 2)
    stream_op_kernel(const unsigned char* first, const unsigned char* second, unsigned char* to,
                     unsigned blocks_a_round) {
  const unsigned step = 16 * blockDim.x;
  const unsigned long long offset =
      static_cast<unsigned long long>(blockIdx.x % blocks_a_round) * Unroll * step +
      16 * threadIdx.x;
  unsigned words[Unroll][4], other[Unroll][4];
#pragma unroll
  for (int i = 0; i < Unroll; ++i) {
    load_global<16, LoadPath::l2>(words[i],
                                  reinterpret_cast<unsigned long long>(first) + offset + i * step);
    if constexpr (Op == StreamOp::triad)
      load_global<16, LoadPath::l2>(
          other[i], reinterpret_cast<unsigned long long>(second) + offset + i * step);
  }
#pragma unroll
  for (int i = 0; i < Unroll; ++i) {
    stream_apply<Op>(words[i], other[i]);
    store_global(reinterpret_cast<unsigned long long>(to) + offset + i * step, words[i]);
  }
}

}  // namespace rooftile::micro
