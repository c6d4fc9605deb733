// FFMA throughput of outer products by tile and loop order: what the register ports leave of 128.
//
// ENTRY: outer_product.throughput | table | FMA/cycle/SM of TM x TN outer products in five loop orders
//
// A thread holds TM values of A, TN of B and TM x TN accumulators in registers and runs through the
// outer product again and again, nothing but FFMA in the loop. Every order does the same
// arithmetic; they differ in which operand two consecutive FFMA share:
//   i outer        rows in turn, columns ascending in each
//   j outer        columns in turn, rows ascending in each
//   serpentine j   i outer, every second row runs backwards
//   serpentine i   j outer, every second column runs backwards
//   2x2            blocks of 2x2, each walked in a U, so that only one operand changes at a time
// One block of 8 warps on every SM; FMA/cycle/SM = 32 x FFMA a warp x warps / cycles, the median SM
// of two lengths differenced.
//
// Expect on an H200, with 8 warps: 1.28 x the `ports` of the assertions below, less about 1 for the
// loop's end. So 113 for 8x8 i outer, 120 j outer, 126 serpentine or 2x2; 119-120 and 125-126 for
// 8x16; 112 for 16x8 i outer; 88 for 4x4 i outer. Prototypes with other register numbers gave
// 112.9, 119.5, 126.4 for 8x8, and 104.6 and 121.7 for 4x4 i outer and serpentine.
//
// Pitfalls: the compiler gives the register numbers, and they decide: with another bound on the
// registers the same 8x8 serpentine scored 94 instead of 99 %. `ports` is the rule of two banks and
// a window of one cycle (scripts/check_sass.py), applied to this SASS and one warp alone; the
// assertions keep it from falling under another compiler. A measured value far from it means that
// the rule is wrong. A 4x4 product repeats an accumulator after 16 FFMA, far above the latency.
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr int product_warps = 8;
constexpr int product_ffma = 512;  ///< a loop trip and thread: 8 KiB of code

enum ProductOrder { i_outer, j_outer, serpentine_j, serpentine_i, two_by_two };
constexpr int product_orders = 5;

struct Element {
  int row, column;
};

/// Element n of the walk through Rows x Columns.
template <int Rows, int Columns>
constexpr Element element(ProductOrder order, int n) {
  if (order == i_outer || order == serpentine_j) {
    const int i = n / Columns, j = n % Columns;
    return {i, order == serpentine_j && i % 2 == 1 ? Columns - 1 - j : j};
  }
  if (order == j_outer || order == serpentine_i) {
    const int j = n / Rows, i = n % Rows;
    return {order == serpentine_i && j % 2 == 1 ? Rows - 1 - i : i, j};
  }
  // 2x2: down, across, up; block rows alternate direction.
  const int block = n / 4, block_row = block / (Columns / 2), corner = n % 4;
  const int across = corner >= 2 ? 1 : 0;
  const int ahead = 2 * (block % (Columns / 2)) + across;
  return {2 * block_row + (corner == 1 || corner == 2 ? 1 : 0),
          block_row % 2 == 0 ? ahead : Columns - 1 - ahead};
}

// SASS: kernel=outer_product_kernel FFMA=512 other<=4 bytes<=16384 spill=0
// By tile, and by order 0 to 4 as in ProductOrder.
// SASS: kernel=outer_product_kernelILi4ELi4E.*OrderE0E ports>=69 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi4E.*OrderE1E ports>=76 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi4E.*OrderE2E ports>=84 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi4E.*OrderE3E ports>=89 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi4E.*OrderE4E ports>=94 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi4E.*OrderE0E ports>=80 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi4E.*OrderE1E ports>=94 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi4E.*OrderE2E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi4E.*OrderE3E ports>=98 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi4E.*OrderE4E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi8E.*OrderE0E ports>=89 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi8E.*OrderE1E ports>=89 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi8E.*OrderE2E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi8E.*OrderE3E ports>=98 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi4ELi8E.*OrderE4E ports>=96 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi8E.*OrderE0E ports>=89 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi8E.*OrderE1E ports>=94 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi8E.*OrderE2E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi8E.*OrderE3E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi8E.*OrderE4E ports>=98 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi4E.*OrderE0E ports>=80 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi4E.*OrderE1E ports>=97 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi4E.*OrderE2E ports>=97 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi4E.*OrderE3E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi4E.*OrderE4E ports>=93 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi8E.*OrderE0E ports>=88 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi8E.*OrderE1E ports>=96 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi8E.*OrderE2E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi8E.*OrderE3E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi16ELi8E.*OrderE4E ports>=97 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi16E.*OrderE0E ports>=94 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi16E.*OrderE1E ports>=94 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi16E.*OrderE2E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi16E.*OrderE3E ports>=99 FFMA=512 sm=90
// SASS: kernel=outer_product_kernelILi8ELi16E.*OrderE4E ports>=98 FFMA=512 sm=90
template <int Rows, int Columns, ProductOrder Order>
__global__ void __launch_bounds__(Rows* Columns > 64 ? 384 : 512)
    outer_product_kernel(long long* cycles, float* sink, unsigned seed, int trips) {
  // Operands from shared memory: see OuterProduct in ffma_kernel.cuh.
  __shared__ float pool[32 * (product_warps + Rows + Columns)];
  for (unsigned i = threadIdx.x; i < sizeof(pool) / sizeof(float); i += blockDim.x)
    pool[i] = unit_float(seed + i);
  __syncthreads();
  float accumulator[Rows][Columns] = {}, a[Rows], b[Columns];
#pragma unroll
  for (int i = 0; i < Rows; ++i) a[i] = pool[threadIdx.x + 32 * i];
#pragma unroll
  for (int j = 0; j < Columns; ++j) b[j] = pool[threadIdx.x + 32 * (Rows + j)];
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int n = 0; n < product_ffma; ++n) {
      const Element e = element<Rows, Columns>(Order, n % (Rows * Columns));
      accumulator[e.row][e.column] = fmaf(a[e.row], b[e.column], accumulator[e.row][e.column]);
    }
  }
  __syncthreads();
  const long long stop = cycle_counter();
  float sum = 0;
#pragma unroll
  for (int n = 0; n < Rows * Columns; ++n) sum += accumulator[n / Columns][n % Columns];
  if (sum == 1.2345678e30f) *sink = sum;  // never, but the compiler cannot know
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

class ProductTimer {
 public:
  explicit ProductTimer(Context& context)
      : context_(context), cycles_(context.sm_count()), sink_(1) {}

  template <int Rows, int Columns>
  Table::Row row() {
    return {text("{}x{}", Rows, Columns),
            {rate<Rows, Columns, i_outer>(), rate<Rows, Columns, j_outer>(),
             rate<Rows, Columns, serpentine_j>(), rate<Rows, Columns, serpentine_i>(),
             rate<Rows, Columns, two_by_two>()}};
  }

 private:
  template <int Rows, int Columns, ProductOrder Order>
  double rate() {
    const auto launch = [&](int trips) {
      outer_product_kernel<Rows, Columns, Order>
          <<<context_.sm_count(), 32 * product_warps, 0, context_.stream()>>>(
              cycles_.data(), sink_.data(), 1u, trips);
      check_launch("outer_product_kernel");
    };
    const double ffma_per_trip = 32.0 * product_warps * product_ffma;
    return median(context_
                      .repeat([&] {
                        return ffma_per_trip /
                               differenced(cycles_, context_.stream(), launch, 16, 144);
                      })
                      .values);
  }

  Context& context_;
  BlockCycles cycles_;
  DeviceBuffer<float> sink_;
};

void run(Context& context) {
  ProductTimer timer(context);
  Table table{
      {"name", "i outer", "j outer", "serpentine j", "serpentine i", "2x2"},
      {""},
      {},
      text("TM x TN outer products, {} warps on every SM, {} FFMA a loop trip, median of {} "
           "differences of the median SM",
           product_warps, product_ffma, context.repetitions())};
  table.units.resize(1 + product_orders, "fma/cycle/SM");
  table.rows = {timer.row<4, 4>(),  timer.row<8, 4>(),  timer.row<4, 8>(), timer.row<8, 8>(),
                timer.row<16, 4>(), timer.row<16, 8>(), timer.row<8, 16>()};
  context.table("outer_product.throughput", table);
}

const Register registered{
    {"outer_product", "FFMA throughput of outer products by tile and loop order", 0.6, run}};

}  // namespace
}  // namespace rooftile::micro
