// DRAM bandwidth of streaming kernels far larger than L2: read, write, copy, scale, triad.
//
// stream_access.cuh over buffers of up to 4 GiB of random floats in [-1, 1), each launch four times
// round the buffer; event-timed through the sampler. Copy and scale count bytes read plus bytes
// written, triad the two buffers read plus the one written; each the best of three shapes of block.
//
// Expect on an H200 (4.81 TB/s peak): read 4.62-4.7, write 4.6-4.7, copy and scale 4.1-4.3, triad
// 4.1-4.4 TB/s. Public stream tools report about 3.1 for writes, 3.98 for copy, 3.4-4.4 for triad.
// Their methods give as much here: 8-byte stores, one a thread, in blocks of 256 threads write 2.9
// to 3.4 TB/s, in blocks of 512 threads 4.7; copies of 8 B a thread 3.4 to 3.8, by a grid-stride
// loop 3.9, of 16 B a thread in blocks of 256 threads 4.27. The counters confirm that every byte of
// the write reaches the DRAM (docs/microbenchmarks.md).
//
// Pitfalls: a buffer of a few L2 sizes is partly cached and sold as DRAM (here at least 16 x L2,
// else skipped); what a launch leaves dirty in L2 is written back after its end, at most L2 size
// over bytes moved = 0.4 % here, and as much is left by the launch before it; a launch writes other
// values than the one before (not copy, scale and triad, whose target then holds the same values as
// after the launch before: hardware that drops such writes would show in the counters); zeros draw
// less power and, on GPUs with compression, less traffic; a write of whole sectors needs no read (a
// device test compares read, write and copy with the DRAM's byte counters); one element a thread is
// bound by the rate at which blocks start, not by DRAM.
//
// ENTRY: dram.bandwidth.read | metric | byte/s | streaming reads far larger than L2
// ENTRY: dram.bandwidth.write | metric | byte/s | streaming writes far larger than L2
// ENTRY: dram.bandwidth.copy | metric | byte/s | bytes read plus bytes written
// ENTRY: dram.bandwidth.scale | metric | byte/s | b = 1.2 a, bytes read plus bytes written
// ENTRY: dram.bandwidth.triad | metric | byte/s | c = a + 1.2 b, bytes read plus bytes written
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/stream_access.cuh"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr unsigned rounds = 4;  ///< times round the buffer in one launch

constexpr double wall_cap_s = 0.7;

void skip_all(Context& context, const std::string& reason) {
  for (const char* id : {"read", "write", "copy", "scale", "triad"})
    context.skip(text("dram.bandwidth.{}", id), reason);
}

/// Uniform in [-1, 1): also numbers after any of the kernels, never denormal, infinite or NaN.
__global__ void random_floats_kernel(float* values, unsigned long long count, unsigned seed) {
  const unsigned long long stride = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i =
           static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += stride)
    values[i] = unit_float(static_cast<unsigned>(i) + seed);
}

struct Streams {
  Streams(Context& context, std::size_t bytes)
      : chunks(static_cast<unsigned>(bytes / chunk_bytes)),
        first(bytes),
        second(bytes),
        third(bytes),
        sink(1) {
    unsigned seed = 1;
    for (const DeviceBuffer<unsigned char>* buffer : {&first, &second, &third}) {
      random_floats_kernel<<<8 * context.sm_count(), 512, 0, context.stream()>>>(
          reinterpret_cast<float*>(buffer->data()), bytes / sizeof(float), ++seed);
      check_launch("random_floats_kernel");
    }
  }
  unsigned blocks() const { return rounds * chunks; }

  unsigned chunks;
  DeviceBuffer<unsigned char> first, second, third;
  DeviceBuffer<unsigned> sink;
};

void one_way(Context& context, const Streams& s, double bytes, const std::string& how) {
  const auto read = [&](cudaStream_t stream) {
    stream_read_kernel<<<s.blocks(), stream_threads, 0, stream>>>(s.first.data(), 0u, s.chunks,
                                                                  s.sink.data());
    check_launch("stream_read_kernel");
  };
  unsigned seed = 0;
  const auto write = [&](cudaStream_t stream) {
    stream_write_kernel<<<s.blocks(), stream_threads, 0, stream>>>(s.third.data(), s.chunks,
                                                                   ++seed);
    check_launch("stream_write_kernel");
  };
  context.metric("dram.bandwidth.read", context.rates(bytes, read, wall_cap_s), "median",
                 "reads of " + how);
  context.metric("dram.bandwidth.write", context.rates(bytes, write, wall_cap_s), "median",
                 "writes of whole lines, " + how);
}

/// Threads of a block and 16-byte accesses of a thread. Reads and writes that alternate in small
/// pieces and in large ones cost DRAM differently; which is best is the GPU's to say.
struct Shape {
  int threads, unroll;
};
constexpr Shape shapes[] = {{512, 4}, {256, 2}, {256, 1}};

template <StreamOp Op>
Repetitions rate_of(Context& context, const Streams& s, const Shape& shape, double bytes) {
  const auto kernel = shape.unroll == 4   ? stream_op_kernel<Op, 4>
                      : shape.unroll == 2 ? stream_op_kernel<Op, 2>
                                          : stream_op_kernel<Op, 1>;
  const auto blocks = static_cast<unsigned>(
      s.first.size() / (16 * static_cast<std::size_t>(shape.threads * shape.unroll)));
  return context.rates(
      bytes,
      [&](cudaStream_t stream) {
        kernel<<<rounds * blocks, shape.threads, 0, stream>>>(s.first.data(), s.second.data(),
                                                              s.third.data(), blocks);
        check_launch("stream_op_kernel");
      },
      wall_cap_s / 2);
}

/// The best shape's rate.
template <StreamOp Op>
void both_ways(Context& context, const Streams& s, const char* id, double bytes,
               const std::string& how) {
  Repetitions best;
  std::string each;
  for (const Shape& shape : shapes) {
    const Repetitions found = rate_of<Op>(context, s, shape, bytes);
    each += text("{} {} x {}: {:.3f} TB/s", each.empty() ? "" : ",", shape.threads, shape.unroll,
                 median(found.values) * 1e-12);
    if (best.values.empty() || median(found.values) > median(best.values)) best = found;
  }
  context.metric(id, best, "median of the best shape",
                 text("read plus written bytes of {}; threads of a block x accesses of 16 B a "
                      "thread{}",
                      how, each));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t bytes =
      std::min(std::size_t{4} << 30, context.free_bytes() / 4) / chunk_bytes * chunk_bytes;
  if (bytes < 16 * l2_bytes) {
    skip_all(context, text("needs three buffers of {} B, 16 times L2; {} B are free", 16 * l2_bytes,
                           context.free_bytes()));
    return;
  }
  const Streams streams(context, bytes);
  const double moved = static_cast<double>(bytes) * rounds;
  const std::string how = text("{} B, {} times a launch", bytes, rounds);
  one_way(context, streams, moved,
          text("{}, 16 B an access, {} accesses a thread", how, stream_unroll));
  both_ways<StreamOp::copy>(context, streams, "dram.bandwidth.copy", 2 * moved, "a copy of " + how);
  both_ways<StreamOp::scale>(context, streams, "dram.bandwidth.scale", 2 * moved,
                             "b = 1.2 a of " + how);
  both_ways<StreamOp::triad>(context, streams, "dram.bandwidth.triad", 3 * moved,
                             "c = a + 1.2 b of " + how);
}

const Register registered{{"dram_bandwidth", "DRAM read, write, copy, scale and triad", 2, run}};

}  // namespace
}  // namespace rooftile::micro
