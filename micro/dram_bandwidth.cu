// DRAM bandwidth of streaming reads, writes and copies far larger than L2.
//
// Each block moves one contiguous stretch of 4 x 16 B a thread; buffers of up to 4 GiB of random
// data; event-timed through the sampler. Copy counts bytes read plus bytes written.
//
// Expect on an H200 (4.81 TB/s peak): read 4.62, write about 3.1, copy 3.98 TB/s.
//
// Pitfalls: a buffer of a few L2 sizes is partly cached and sold as DRAM (here at least 16 x L2,
// else skipped); zeros draw less power and, on GPUs with compression, less traffic; a write of
// whole sectors needs no read.
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr int stream_threads = 512;
constexpr int stream_unroll = 4;
constexpr std::size_t block_bytes = std::size_t{16} * stream_threads * stream_unroll;

/// Address of this thread's first 16 bytes; the next are stream_threads x 16 B apart.
__device__ __forceinline__ unsigned long long first_address(const unsigned char* buffer) {
  return reinterpret_cast<unsigned long long>(buffer) + blockIdx.x * block_bytes + 16 * threadIdx.x;
}

__global__ void __launch_bounds__(stream_threads)
    dram_read_kernel(const unsigned char* from, unsigned* sink) {
  const unsigned long long address = first_address(from);
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

__global__ void __launch_bounds__(stream_threads)
    dram_write_kernel(unsigned char* to, unsigned seed) {
  const unsigned long long address = first_address(to);
  const unsigned value = hash32(seed + blockIdx.x * stream_threads + threadIdx.x);
  const unsigned words[4] = {value, value * 3u, value * 5u, value * 7u};
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i) store_global(address + 16 * stream_threads * i, words);
}

__global__ void __launch_bounds__(stream_threads)
    dram_copy_kernel(const unsigned char* from, unsigned char* to) {
  const unsigned long long source = first_address(from), target = first_address(to);
  unsigned words[stream_unroll][4];
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i)
    load_global<16, LoadPath::l2>(words[i], source + 16 * stream_threads * i);
#pragma unroll
  for (int i = 0; i < stream_unroll; ++i) store_global(target + 16 * stream_threads * i, words[i]);
}

void skip_all(Context& context, const std::string& reason) {
  for (const char* id : {"dram.bandwidth.read", "dram.bandwidth.write", "dram.bandwidth.copy"})
    context.skip(id, reason);
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t bytes =
      std::min(std::size_t{4} << 30, context.free_bytes() / 4) / block_bytes * block_bytes;
  if (bytes < 16 * l2_bytes) {
    skip_all(context, text("needs two buffers of {} B, 16 times L2; {} B are free", 16 * l2_bytes,
                           context.free_bytes()));
    return;
  }
  DeviceBuffer<unsigned char> first(bytes), second(bytes);
  DeviceBuffer<unsigned> sink(1);
  fill_random(context, first);
  fill_random(context, second);
  const auto blocks = static_cast<unsigned>(bytes / block_bytes);
  const double moved = static_cast<double>(bytes);
  const auto read = [&](cudaStream_t stream) {
    dram_read_kernel<<<blocks, stream_threads, 0, stream>>>(first.data(), sink.data());
    check_launch("dram_read_kernel");
  };
  const auto write = [&](cudaStream_t stream) {
    dram_write_kernel<<<blocks, stream_threads, 0, stream>>>(second.data(), 11u);
    check_launch("dram_write_kernel");
  };
  const auto copy = [&](cudaStream_t stream) {
    dram_copy_kernel<<<blocks, stream_threads, 0, stream>>>(first.data(), second.data());
    check_launch("dram_copy_kernel");
  };
  const std::string how = text("{} B, 16 B an access, {} accesses a thread", bytes, stream_unroll);
  context.metric("dram.bandwidth.read", context.rates(moved, read, 1), "median", "reads of " + how);
  context.metric("dram.bandwidth.write", context.rates(moved, write, 1), "median",
                 "writes of " + how);
  context.metric("dram.bandwidth.copy", context.rates(2 * moved, copy, 1), "median",
                 "read plus written bytes of a copy of " + how);
}

const Register registered{{"dram_bandwidth", "DRAM read, write and copy", 3, run}};

}  // namespace
}  // namespace rooftile::micro
