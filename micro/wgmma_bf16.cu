// wgmma in BF16 with FP32 accumulators: latency and rate over N, A from shared memory and from
// registers, and the sustained rate of m64n256k16 with its clock and power (wgmma_suite.cuh,
// wgmma_kernel.cuh).
//
// Latency: one warpgroup, each instruction waited for. Rate: FMA = 64 x N x 16 an instruction,
// cycles of the slowest SM at two loop lengths differenced. Sustained: work over nanoseconds of the
// slowest block, launches without gaps.
//
// Expect on an H200: 2048 FMA/cycle/SM from N = 64 on with A from shared memory (below, A's 2 KiB
// an instruction at 128 byte/cycle are the limit) and N / 2 cycles an instruction; latency 128
// cycles and a little at N = 256 (Luo et al., Dissecting the NVIDIA Hopper Architecture through
// Microbenchmarking, arXiv 2501.12084); sustained 914 TFLOP/s on random data and 967 on zeros.
//
// The rate on zeros is there to show what power does: the same instructions, the same cycles,
// another clock.
//
// Only compute capability 9.0 has wgmma (PTX target sm_90a); 10.0 has tcgen05 instead, which is not
// measured.
//
// ENTRY: wgmma.bf16.shared.latency | curve | cycle over count | BF16 m64nNk16 with A from shared memory: issue to written accumulators over N
// ENTRY: wgmma.bf16.shared.throughput | curve | fma/cycle/SM over count | BF16 wgmma with A from shared memory, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.bf16.shared.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.bf16.registers.latency | curve | cycle over count | BF16 m64nNk16 with A from registers: issue to written accumulators over N
// ENTRY: wgmma.bf16.registers.throughput | curve | fma/cycle/SM over count | BF16 wgmma with A from registers, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.bf16.registers.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.bf16.rate | metric | flop/s | BF16 wgmma m64n256 on random data, sustained by the whole GPU
// ENTRY: wgmma.bf16.rate.clock | metric | Hz | SM clock under that load
// ENTRY: wgmma.bf16.rate.power | metric | W | board power under that load
// ENTRY: wgmma.bf16.rate.zeros | metric | flop/s | the same load on zeros, which draw less power: not for predictions
// ENTRY: wgmma.bf16.rate.zeros.clock | metric | Hz | SM clock under the load on zeros
// ENTRY: wgmma.bf16.rate.zeros.power | metric | W | board power under the load on zeros
#include "micro/wgmma_kernel.cuh"
#include "micro/wgmma_suite.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) { run_wgmma<Format::bf16>(context, "bf16", true); }

const Register registered{{"wgmma_bf16", "BF16 wgmma: latency and rate over N, power", 2.7, run}};

}  // namespace
}  // namespace rooftile::micro
