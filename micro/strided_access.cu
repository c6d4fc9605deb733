// Wasted sectors: reads and copies of every s-th word, and of warps that do not start on a line.
//
// Lane i of warp w accesses word (32 w + i) x stride, 4 bytes, L1 bypassed (ld.cg), so that each
// request asks L2 for its sectors anew. 2048 threads an SM have 8 accesses in flight at stride 1, 4
// from 2 on, 2 from 4, 1 from 8: always 64 KiB of sectors. Only the words asked for count as bytes
// moved.
//   dram.copy.over_stride: words of one buffer into the same places of another, both many times L2,
//     strides 1 to 32; read plus written useful bytes.
//   l2.read.over_stride: reads inside a third of L2, any stride spread over all of it.
//   l2.read.over_offset, dram.read.over_offset: stride 1, but each warp's 128 bytes begin `offset`
//     bytes after a line: up to 5 sectors for 128 bytes, and two lines.
//
// Expect: a useful rate of full / stride while a sector of 32 bytes holds more than one word asked
// for, so half at stride 2 (the claim behind this), an eighth at stride 8, and no less from there
// on where sectors are fetched alone. Where DRAM is read by 64 bytes, it falls on to a sixteenth at
// stride 16: for an H200 about 4.1, 2.1, 1.0, 0.5 TB/s at strides 1, 2, 4, 8 (no public value), and
// less than that where the partial sectors that a copy writes have to be filled from DRAM first.
// Misaligned: 4/5 of the aligned rate where the sectors are the limit. From DRAM nothing should be
// lost, because the next warp's sector was just fetched; 13 % at 4 B and 23 % at 64 B are, on each
// card, which is not explained.
//
// Pitfalls: a copy with a stride writes parts of sectors: L2 keeps byte masks and DRAM has to read
// or mask them, which a strided read does not show; 4-byte loads reach the port of L2 by their
// number of requests before its bytes, so that l2.read.over_stride at stride 1 is less than
// l2.bandwidth.read; strides with a common factor with the number of channels could meet few of
// them, which hashing prevents: the powers of two show no notch beyond the sectors' if it does; at
// stride 32 a third of L2 holds fewer words than are in flight, so that some lines are asked for
// twice at a time.
//
// ENTRY: dram.copy.over_stride | curve | byte/s over count | useful bytes of a copy of every n-th word, far larger than L2
// ENTRY: l2.read.over_stride | curve | byte/s over count | useful bytes of reads of every n-th word that hit L2
// ENTRY: l2.read.over_offset | curve | byte/s over byte | L2 reads of warps that begin so many bytes after a line
// ENTRY: dram.read.over_offset | curve | byte/s over byte | DRAM reads of warps that begin so many bytes after a line
#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/global_access.cuh"
#include "micro/microbenchmark.hpp"
#include "micro/window_read.cuh"

namespace rooftile::micro {
namespace {

constexpr int strided_threads = 512;
constexpr int thread_words = 8;  ///< a thread moves so many, in trips of `unroll`
constexpr unsigned block_words = strided_threads * thread_words;
constexpr double wall_cap_s = 0.1;

struct StridedPlan {
  unsigned long long base;  ///< of the buffer read, plus the offset
  unsigned stride_bytes;
  unsigned unroll;  ///< accesses a thread in flight: 1, 2, 4 or 8
  unsigned groups;  ///< of block_words words each that lie in the footprint
};

/// Address of this thread's first word; the next are strided_threads words apart.
__device__ __forceinline__ unsigned long long strided_address(const StridedPlan& plan) {
  const unsigned long long word =
      static_cast<unsigned long long>(blockIdx.x % plan.groups) * block_words + threadIdx.x;
  return plan.base + word * plan.stride_bytes;
}

// SASS: kernel=strided_read_kernel.*ILi1E LDG.32=1 other<=8 spill=0
// SASS: kernel=strided_read_kernel.*ILi4E LDG.32=4 other<=14 spill=0
template <int Unroll>
__global__ void __launch_bounds__(strided_threads)
    strided_read_kernel(StridedPlan plan, unsigned* sink) {
  unsigned long long address = strided_address(plan);
  const unsigned long long step =
      static_cast<unsigned long long>(plan.stride_bytes) * strided_threads;
  unsigned sum = 0;
#pragma unroll 1
  for (int trip = 0; trip < thread_words / Unroll; ++trip) {
    unsigned words[Unroll][1];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) load_global<4, LoadPath::l2>(words[i], address + i * step);
#pragma unroll
    for (int i = 0; i < Unroll; ++i) sum ^= words[i][0];
    address += Unroll * step;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
}

// SASS: kernel=strided_copy_kernel.*ILi1E LDG.32=1 STG.32=1 other<=10 spill=0
// SASS: kernel=strided_copy_kernel.*ILi4E LDG.32=4 STG.32=4 other<=24 spill=0
template <int Unroll>
__global__ void __launch_bounds__(strided_threads)
    strided_copy_kernel(StridedPlan plan, unsigned long long to_minus_from) {
  unsigned long long address = strided_address(plan);
  const unsigned long long step =
      static_cast<unsigned long long>(plan.stride_bytes) * strided_threads;
#pragma unroll 1
  for (int trip = 0; trip < thread_words / Unroll; ++trip) {
    unsigned words[Unroll][1];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) load_global<4, LoadPath::l2>(words[i], address + i * step);
#pragma unroll
    for (int i = 0; i < Unroll; ++i) store_global(address + i * step + to_minus_from, words[i]);
    address += Unroll * step;
  }
}

auto read_kernel(unsigned unroll) {
  return unroll == 1   ? strided_read_kernel<1>
         : unroll == 2 ? strided_read_kernel<2>
         : unroll == 4 ? strided_read_kernel<4>
                       : strided_read_kernel<8>;
}
auto copy_kernel(unsigned unroll) {
  return unroll == 1   ? strided_copy_kernel<1>
         : unroll == 2 ? strided_copy_kernel<2>
         : unroll == 4 ? strided_copy_kernel<4>
                       : strided_copy_kernel<8>;
}

class StridedAccess {
 public:
  StridedAccess(Context& context, std::size_t bytes)
      : context_(context), from_(bytes), to_(bytes), sink_(1) {
    fill_random(context, from_);
    fill_random(context, to_);
  }

  /// Useful byte/s of reads inside `footprint_bytes`, `launch_bytes` useful bytes a launch.
  Repetitions read(std::size_t footprint_bytes, unsigned stride, unsigned offset,
                   double launch_bytes) {
    const StridedPlan plan = plan_of(footprint_bytes, stride, offset);
    const unsigned blocks = blocks_of(plan, launch_bytes);
    return context_.rates(
        4.0 * blocks * block_words,
        [&](cudaStream_t stream) {
          read_kernel(plan.unroll)<<<blocks, strided_threads, 0, stream>>>(plan, sink_.data());
          check_launch("strided_read_kernel");
        },
        wall_cap_s);
  }
  /// Useful byte/s, read and written, of a copy of the whole buffer.
  Repetitions copy(unsigned stride) {
    const StridedPlan plan = plan_of(from_.size(), stride, 0);
    const auto distance = reinterpret_cast<unsigned long long>(to_.data()) -
                          reinterpret_cast<unsigned long long>(from_.data());
    return context_.rates(
        8.0 * plan.groups * block_words,
        [&](cudaStream_t stream) {
          copy_kernel(plan.unroll)<<<plan.groups, strided_threads, 0, stream>>>(plan, distance);
          check_launch("strided_copy_kernel");
        },
        wall_cap_s);
  }
  std::size_t bytes() const { return from_.size(); }

 private:
  StridedPlan plan_of(std::size_t footprint_bytes, unsigned stride, unsigned offset) const {
    const unsigned unroll = stride == 1 ? 8 : stride < 4 ? 4 : stride < 8 ? 2 : 1;
    const auto groups =
        static_cast<unsigned>((footprint_bytes - offset) / (4 * stride) / block_words);
    return {reinterpret_cast<unsigned long long>(from_.data()) + offset, 4 * stride, unroll,
            groups};
  }
  /// Whole rounds over the footprint, about `launch_bytes` of useful bytes.
  static unsigned blocks_of(const StridedPlan& plan, double launch_bytes) {
    const double round = 4.0 * plan.groups * block_words;
    return plan.groups * static_cast<unsigned>(std::max(1.0, launch_bytes / round));
  }

  Context& context_;
  DeviceBuffer<unsigned char> from_, to_;
  DeviceBuffer<unsigned> sink_;
};

std::vector<unsigned> strides_of(bool quick) {
  if (quick) return {1, 2, 8, 32};
  return {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32};
}

std::vector<unsigned> offsets_of(bool quick) {
  if (quick) return {0, 4, 32};
  return {0, 4, 8, 16, 28, 32, 48, 64, 96, 100, 124};
}

void over_stride(Context& context, StridedAccess& access, std::size_t l2_footprint, bool dram) {
  std::vector<CurvePoint> l2, copy;
  for (const unsigned stride : strides_of(context.quick())) {
    throw_if_interrupted();
    l2.push_back({1.0 * stride, access.read(l2_footprint, stride, 0, 4e9 / stride)});
    if (dram) copy.push_back({1.0 * stride, access.copy(stride)});
  }
  const std::string how = text(
      "4 B words n apart, ld.cg, 8 a thread at stride 1 to 1 from stride 8 on, blocks of {} "
      "threads",
      strided_threads);
  context.curve("l2.read.over_stride", l2, text("{}, footprint {} B", how, l2_footprint));
  if (dram)
    context.curve("dram.copy.over_stride", copy,
                  text("{}, two buffers of {} B", how, access.bytes()));
}

void over_offset(Context& context, StridedAccess& access, std::size_t l2_footprint, bool dram) {
  std::vector<CurvePoint> l2, from_dram;
  for (const unsigned offset : offsets_of(context.quick())) {
    throw_if_interrupted();
    l2.push_back({1.0 * offset, access.read(l2_footprint, 1, offset, 4e9)});
    if (dram) from_dram.push_back({1.0 * offset, access.read(access.bytes(), 1, offset, 1)});
  }
  const std::string how =
      "each warp reads 128 B, 4 B a lane, ld.cg, 8 a thread, from so many bytes after a line on";
  context.curve("l2.read.over_offset", l2, text("{}, footprint {} B", how, l2_footprint));
  if (dram)
    context.curve("dram.read.over_offset", from_dram,
                  text("{}, footprint {} B", how, access.bytes()));
}

void run(Context& context) {
  const auto l2_bytes = static_cast<std::size_t>(context.device().properties().l2CacheSize);
  const std::size_t bytes = std::min(std::size_t{2} << 30, context.free_bytes() / 4) / 4096 * 4096;
  const bool dram = bytes >= 16 * l2_bytes;
  StridedAccess access(context, bytes);
  const std::size_t l2_footprint = std::max(l2_bytes / 3, std::size_t{1} << 20);
  over_stride(context, access, l2_footprint, dram);
  over_offset(context, access, l2_footprint, dram);
  if (dram) return;
  const std::string reason = text("needs two buffers of {} B, 16 times L2; {} B are free",
                                  16 * l2_bytes, context.free_bytes());
  context.skip("dram.copy.over_stride", reason);
  context.skip("dram.read.over_offset", reason);
}

const Register registered{{"strided_access", "strided and misaligned global accesses", 2, run}};

}  // namespace
}  // namespace rooftile::micro
