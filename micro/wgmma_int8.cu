// wgmma in int8 with 32-bit integer accumulators: latency and rate over N, A from shared memory and
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
// Its unit is flop/s as for the others; an operation is an integer multiply or add.
//
// Only compute capability 9.0 has wgmma (PTX target sm_90a); 10.0 has tcgen05 instead, which is not
// measured.
//
// ENTRY: wgmma.int8.shared.latency | curve | cycle over count | int8 m64nNk32 with A from shared memory: issue to written accumulators over N
// ENTRY: wgmma.int8.shared.throughput | curve | fma/cycle/SM over count | int8 wgmma with A from shared memory, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.int8.shared.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.int8.registers.latency | curve | cycle over count | int8 m64nNk32 with A from registers: issue to written accumulators over N
// ENTRY: wgmma.int8.registers.throughput | curve | fma/cycle/SM over count | int8 wgmma with A from registers, 2 or 4 warpgroups an SM, over N
// ENTRY: wgmma.int8.registers.throughput.one_group | curve | fma/cycle/SM over count | the same by one warpgroup an SM
// ENTRY: wgmma.int8.rate | metric | flop/s | int8 wgmma m64n256 on random data, operations a second, two for a multiply-add
// ENTRY: wgmma.int8.rate.clock | metric | Hz | SM clock under that load
// ENTRY: wgmma.int8.rate.power | metric | W | board power under that load
#include "micro/wgmma_kernel.cuh"
#include "micro/wgmma_suite.cuh"

namespace rooftile::micro {
namespace {

void run(Context& context) { run_wgmma<Format::int8>(context, "int8", false); }

const Register registered{{"wgmma_int8", "int8 wgmma: latency and rate over N, power", 1.5, run}};

}  // namespace
}  // namespace rooftile::micro
