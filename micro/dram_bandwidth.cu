// DRAM bandwidth of streaming reads, writes and copies far larger than L2.
//
// stream_access.cuh over buffers of up to 4 GiB of random data, each launch four times round the
// buffer; event-timed through the sampler. Copy counts bytes read plus bytes written.
//
// Expect on an H200 (4.81 TB/s peak): read 4.62, write 4.6-4.7, copy 4.0-4.1 TB/s. Public stream
// tools report about 3.1 for writes, why is not known; the counters confirm that every byte of this
// one reaches the DRAM (docs/microbenchmarks.md).
//
// Pitfalls: a buffer of a few L2 sizes is partly cached and sold as DRAM (here at least 16 x L2,
// else skipped); what a launch leaves dirty in L2 is written back after its end, at most L2 size
// over bytes moved = 0.4 % here, and as much is left by the launch before it; a launch writes other
// values than the one before; zeros draw less power and, on GPUs with compression, less traffic; a
// write of whole sectors needs no read (a device test compares all three with the DRAM's byte
// counters).
//
// ENTRY: dram.bandwidth.read | metric | byte/s | streaming reads far larger than L2
// ENTRY: dram.bandwidth.write | metric | byte/s | streaming writes far larger than L2
// ENTRY: dram.bandwidth.copy | metric | byte/s | bytes read plus bytes written
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/stream_access.cuh"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr unsigned rounds = 4;  ///< times round the buffer in one launch

void skip_all(Context& context, const std::string& reason) {
  for (const char* id : {"dram.bandwidth.read", "dram.bandwidth.write", "dram.bandwidth.copy"})
    context.skip(id, reason);
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t bytes =
      std::min(std::size_t{4} << 30, context.free_bytes() / 4) / chunk_bytes * chunk_bytes;
  if (bytes < 16 * l2_bytes) {
    skip_all(context, text("needs two buffers of {} B, 16 times L2; {} B are free", 16 * l2_bytes,
                           context.free_bytes()));
    return;
  }
  DeviceBuffer<unsigned char> first(bytes), second(bytes);
  DeviceBuffer<unsigned> sink(1);
  fill_random(context, first);
  fill_random(context, second);
  const auto chunks = static_cast<unsigned>(bytes / chunk_bytes);
  const double moved = static_cast<double>(bytes) * rounds;
  const auto read = [&](cudaStream_t stream) {
    stream_read_kernel<<<rounds * chunks, stream_threads, 0, stream>>>(first.data(), 0u, chunks,
                                                                       sink.data());
    check_launch("stream_read_kernel");
  };
  unsigned seed = 0;
  const auto write = [&](cudaStream_t stream) {
    stream_write_kernel<<<rounds * chunks, stream_threads, 0, stream>>>(second.data(), chunks,
                                                                        ++seed);
    check_launch("stream_write_kernel");
  };
  const auto copy = [&](cudaStream_t stream) {
    stream_copy_kernel<<<rounds * chunks, stream_threads, 0, stream>>>(first.data(), second.data(),
                                                                       chunks);
    check_launch("stream_copy_kernel");
  };
  const std::string how = text("{} B, {} times a launch, 16 B an access, {} accesses a thread",
                               bytes, rounds, stream_unroll);
  context.metric("dram.bandwidth.read", context.rates(moved, read, 1), "median", "reads of " + how);
  context.metric("dram.bandwidth.write", context.rates(moved, write, 1), "median",
                 "writes of whole lines, " + how);
  context.metric("dram.bandwidth.copy", context.rates(2 * moved, copy, 1), "median",
                 "read plus written bytes of a copy of " + how);
}

const Register registered{{"dram_bandwidth", "DRAM read, write and copy", 1, run}};

}  // namespace
}  // namespace rooftile::micro
