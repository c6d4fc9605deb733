// wgmma in FP8 (e4m3) with FP32 accumulators: latency and rate over N, A from shared memory and
// from registers, and the sustained rate of m64n256k32 with its clock and power (wgmma_suite.cuh,
// wgmma_kernel.cuh).
//
// Latency: one warpgroup, each instruction waited for. Rate: FMA = 64 x N x 32 an instruction,
// cycles of the slowest SM at two loop lengths differenced. Sustained: work over nanoseconds of the
// slowest block, launches without gaps.
//
// Expect on an H200: 4096 FMA/cycle/SM from N = 64 on with A from shared memory (below, A's 2 KiB
// an instruction at 128 byte/cycle are the limit) and N / 2 cycles an instruction; latency 128
// cycles and a little at N = 256 (Luo et al., Dissecting the NVIDIA Hopper Architecture through
// Microbenchmarking, arXiv 2501.12084); sustained about twice BF16.
//
// Pitfall: the accumulator keeps fewer bits than FP32 for FP8 inputs, so that the check of the
// numbers is coarser here.
//
// Only compute capability 9.0 has wgmma (PTX target sm_90a); 10.0 has tcgen05 instead, which is not
// measured.
//
// ENTRY: wgmma.fp8.shared.latency | curve | cycle over count | FP8 (e4m3) m64nNk32 with A from shared memory: issue to written accumulators over N
// ENTRY: wgmma.fp8.shared.throughput | curve | fma/cycle/SM over count | FP8 (e4m3) wgmma with A from shared memory, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.fp8.shared.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.fp8.registers.latency | curve | cycle over count | FP8 (e4m3) m64nNk32 with A from registers: issue to written accumulators over N
// ENTRY: wgmma.fp8.registers.throughput | curve | fma/cycle/SM over count | FP8 (e4m3) wgmma with A from registers, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.fp8.registers.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.fp8.rate | metric | flop/s | FP8 (e4m3) wgmma m64n256 on random data, sustained by the whole GPU
// ENTRY: wgmma.fp8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: wgmma.fp8.rate.power | metric | W | board power under that load
#include "micro/wgmma_kernel.cuh"
#include "micro/wgmma_suite.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) { run_wgmma<Format::fp8>(context, "fp8", false); }

const Register registered{
    {"wgmma_fp8", "FP8 (e4m3) wgmma: latency and rate over N, power", 1.5, run}};

}  // namespace
}  // namespace rooftile::micro
