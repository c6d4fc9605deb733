// mma.sync, the warp-level tensor instruction: latency, rate over warps, and the sustained rate
// with its clock and power, for each format in its usual shape and the shapes that Turing has.
//
// Latency: one warp, a chain through the accumulators. Rate: warp instructions over cycles of the
// slowest SM, two loop lengths differenced. Sustained: 2 m n k x instructions over nanoseconds of
// the slowest block, launches without gaps; its clock and power are entries beside it. Operands are
// random and stay in registers (mma_sync_kernel.cuh). Each kind's numbers are checked against sums
// in double first; a wrong one fails its entries.
//
// Expect on an H200: m16n8k16 f16 and bf16: 24 to 33 cycles, 649 TFLOP/s, that is 0.60 to 0.63 of
// the 1 instruction of 2048 FMA an SM and cycle that the tensor cores could do: mma.sync does not
// reach Hopper's peak, wgmma does. tf32 the half, int8 about twice. On GPUs before Hopper mma.sync
// reaches the peak.
//
// Pitfalls: Hopper and the data-center Blackwell have no FP8 mma.sync: the compiler converts e4m3
// to f16, multiplies twice and adds, so that `mma.fp8` is the rate of that sequence there, counted
// in PTX instructions. m8n8k16 is one PTX instruction too, on Blackwell half of a larger one.
// Power: see clock_load.cuh.
//
// ENTRY: mma.f16.latency | metric | cycle | mma.sync m16n8k16 f16 with FP32 accumulators: accumulator to accumulator
// ENTRY: mma.f16.throughput | metric | inst/cycle/SM | mma.sync m16n8k16 f16 with FP32 accumulators: warp instructions
// ENTRY: mma.f16.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.f16.rate | metric | flop/s | mma.sync m16n8k16 f16 with FP32 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.f16.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.f16.rate.power | metric | W | board power under that load
// ENTRY: mma.f16_acc16.latency | metric | cycle | mma.sync m16n8k16 f16 with FP16 accumulators: accumulator to accumulator
// ENTRY: mma.f16_acc16.throughput | metric | inst/cycle/SM | mma.sync m16n8k16 f16 with FP16 accumulators: warp instructions
// ENTRY: mma.f16_acc16.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.f16_acc16.rate | metric | flop/s | mma.sync m16n8k16 f16 with FP16 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.f16_acc16.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.f16_acc16.rate.power | metric | W | board power under that load
// ENTRY: mma.f16_k8.latency | metric | cycle | mma.sync m16n8k8 f16 with FP32 accumulators: accumulator to accumulator
// ENTRY: mma.f16_k8.throughput | metric | inst/cycle/SM | mma.sync m16n8k8 f16 with FP32 accumulators: warp instructions
// ENTRY: mma.f16_k8.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.f16_k8.rate | metric | flop/s | mma.sync m16n8k8 f16 with FP32 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.f16_k8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.f16_k8.rate.power | metric | W | board power under that load
// ENTRY: mma.bf16.latency | metric | cycle | mma.sync m16n8k16 bf16 with FP32 accumulators: accumulator to accumulator
// ENTRY: mma.bf16.throughput | metric | inst/cycle/SM | mma.sync m16n8k16 bf16 with FP32 accumulators: warp instructions
// ENTRY: mma.bf16.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.bf16.rate | metric | flop/s | mma.sync m16n8k16 bf16 with FP32 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.bf16.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.bf16.rate.power | metric | W | board power under that load
// ENTRY: mma.tf32.latency | metric | cycle | mma.sync m16n8k8 tf32 with FP32 accumulators: accumulator to accumulator
// ENTRY: mma.tf32.throughput | metric | inst/cycle/SM | mma.sync m16n8k8 tf32 with FP32 accumulators: warp instructions
// ENTRY: mma.tf32.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.tf32.rate | metric | flop/s | mma.sync m16n8k8 tf32 with FP32 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.tf32.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.tf32.rate.power | metric | W | board power under that load
// ENTRY: mma.int8.latency | metric | cycle | mma.sync m16n8k32 s8 with 32-bit accumulators: accumulator to accumulator
// ENTRY: mma.int8.throughput | metric | inst/cycle/SM | mma.sync m16n8k32 s8 with 32-bit accumulators: warp instructions
// ENTRY: mma.int8.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.int8.rate | metric | flop/s | mma.sync m16n8k32 s8 with 32-bit accumulators on random data, operations a second
// ENTRY: mma.int8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.int8.rate.power | metric | W | board power under that load
// ENTRY: mma.int8_m8.latency | metric | cycle | mma.sync m8n8k16 s8 with 32-bit accumulators: accumulator to accumulator
// ENTRY: mma.int8_m8.throughput | metric | inst/cycle/SM | mma.sync m8n8k16 s8 with 32-bit accumulators: warp instructions
// ENTRY: mma.int8_m8.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.int8_m8.rate | metric | flop/s | mma.sync m8n8k16 s8 with 32-bit accumulators on random data, operations a second
// ENTRY: mma.int8_m8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.int8_m8.rate.power | metric | W | board power under that load
// ENTRY: mma.fp8.latency | metric | cycle | mma.sync m16n8k32 e4m3 with FP32 accumulators: accumulator to accumulator
// ENTRY: mma.fp8.throughput | metric | inst/cycle/SM | mma.sync m16n8k32 e4m3 with FP32 accumulators: warp instructions
// ENTRY: mma.fp8.throughput.over_warps | curve | inst/cycle/SM over count | the same over the warps of the one block an SM
// ENTRY: mma.fp8.rate | metric | flop/s | mma.sync m16n8k32 e4m3 with FP32 accumulators on random data, sustained by the whole GPU
// ENTRY: mma.fp8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: mma.fp8.rate.power | metric | W | board power under that load
#include "micro/microbenchmark.hpp"
#include "micro/mma_sync_kernel.cuh"
#include "micro/mma_sync_suite.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) {
  MmaSuite<MmaKind::f16>(context).run();
  MmaSuite<MmaKind::f16_acc16>(context).run();
  MmaSuite<MmaKind::f16_k8>(context).run();
  MmaSuite<MmaKind::bf16>(context).run();
  MmaSuite<MmaKind::tf32>(context).run();
  MmaSuite<MmaKind::int8>(context).run();
  MmaSuite<MmaKind::int8_m8>(context).run();
  MmaSuite<MmaKind::fp8>(context).run();
}

const Register registered{{"mma_sync", "mma.sync: latency, rate and power by format", 9, run}};

}  // namespace
}  // namespace rooftile::micro
