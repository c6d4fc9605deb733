// Latency and throughput of the instructions around the FFMA of a GEMM: addresses, predicates,
// conversions, shuffles, the functions of a fused epilogue.
//
// ENTRY: instruction.fadd.latency | metric | cycle | dependent FADD
// ENTRY: instruction.fadd.throughput | metric | inst/cycle/SM | warp instructions: FADD
// ENTRY: instruction.fmul.latency | metric | cycle | dependent FMUL
// ENTRY: instruction.fmul.throughput | metric | inst/cycle/SM | warp instructions: FMUL
// ENTRY: instruction.hfma2.latency | metric | cycle | dependent HFMA2, two half-precision FMA a lane
// ENTRY: instruction.hfma2.throughput | metric | inst/cycle/SM | warp instructions: HFMA2, two half-precision FMA a lane
// ENTRY: instruction.dfma.latency | metric | cycle | dependent DFMA, double precision
// ENTRY: instruction.dfma.throughput | metric | inst/cycle/SM | warp instructions: DFMA, double precision
// ENTRY: instruction.imad.latency | metric | cycle | dependent IMAD, 32 bit
// ENTRY: instruction.imad.throughput | metric | inst/cycle/SM | warp instructions: IMAD, 32 bit
// ENTRY: instruction.iadd3.latency | metric | cycle | dependent IADD3
// ENTRY: instruction.iadd3.throughput | metric | inst/cycle/SM | warp instructions: IADD3
// ENTRY: instruction.lop3.latency | metric | cycle | dependent LOP3
// ENTRY: instruction.lop3.throughput | metric | inst/cycle/SM | warp instructions: LOP3
// ENTRY: instruction.prmt.latency | metric | cycle | dependent PRMT
// ENTRY: instruction.prmt.throughput | metric | inst/cycle/SM | warp instructions: PRMT
// ENTRY: instruction.sel.latency | metric | cycle | dependent SEL
// ENTRY: instruction.sel.throughput | metric | inst/cycle/SM | warp instructions: SEL
// ENTRY: instruction.isetp.latency | metric | cycle | dependent ISETP, through the predicate
// ENTRY: instruction.isetp.throughput | metric | inst/cycle/SM | warp instructions: ISETP, through the predicate
// ENTRY: instruction.shfl.latency | metric | cycle | dependent SHFL.BFLY
// ENTRY: instruction.shfl.throughput | metric | inst/cycle/SM | warp instructions: SHFL.BFLY
// ENTRY: instruction.mufu_ex2.latency | metric | cycle | dependent MUFU.EX2
// ENTRY: instruction.mufu_ex2.throughput | metric | inst/cycle/SM | warp instructions: MUFU.EX2
// ENTRY: instruction.mufu_rcp.latency | metric | cycle | dependent MUFU.RCP
// ENTRY: instruction.mufu_rcp.throughput | metric | inst/cycle/SM | warp instructions: MUFU.RCP
// ENTRY: instruction.i2f.latency | metric | cycle | dependent conversion s32 to f32
// ENTRY: instruction.i2f.throughput | metric | inst/cycle/SM | warp instructions: conversion s32 to f32
// ENTRY: instruction.f2i.latency | metric | cycle | dependent conversion f32 to s32
// ENTRY: instruction.f2i.throughput | metric | inst/cycle/SM | warp instructions: conversion f32 to s32
//
// Latency: one warp, a chain in which each instruction reads the result of the one before.
// Throughput: 16 warps of 8 chains each on every SM; warp instructions an SM and cycle, the median
// SM. Both timed at two lengths and differenced; 256 instructions a loop trip.
//
// Expect on an H200, from the programming guide's table of results a cycle and SM for compute
// capability 9.0, divided by 32 lanes: FADD, FMUL, HFMA2 4 (their SASS leaves 3.9); DFMA, IMAD,
// IADD3, LOP3, PRMT, SEL, ISETP, I2F 2; SHFL 1; MUFU, F2I 0.5. Measured on one: FADD and FMUL 3.63
// (why not 3.9 is not known), HFMA2 3.94, DFMA 1.78, the others as said. Latency there: 4 cycles,
// but 8 for HFMA2 and DFMA, 17 for MUFU and F2I, 24 for SHFL; no public values for this GPU.
//
// Pitfalls: the assembler folds (x ^ a ^ b ^ a ^ b is x, two additions are one IADD3), moves
// integer work to another pipe (IMAD.MOV, IMAD.IADD) and computes uniform values once for the warp
// in another register file: operands differ by lane and alternate, and the SASS is asserted. I2F
// is I2FP where the architecture has it. SHFL, MUFU and F2I have no fixed latency: the chain
// includes the wait on a scoreboard. Three operands and one bank conflict would halve a rate: two
// of them stay in the reuse cache.
#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int rate_unroll = 256;
constexpr int rate_chains = 8;  ///< a thread, throughput
constexpr int rate_warps = 16;

/// Operands that no thread shares with its neighbours and that the compiler cannot know: neither
/// immediate nor constant bank nor uniform register.
template <class T>
struct Operands {
  T a, b, c, d;
};

// Each instruction: next(x, o) is one step of a chain, x <- x op operands. `odd` alternates the
// operands where two equal steps in a row could be folded into one.
#define ROOFTILE_STEP(Name, Type, constraint, id, code)                                       \
  struct Name {                                                                               \
    using Value = Type;                                                                       \
    static constexpr const char* latency_id = "instruction." id ".latency";                   \
    static constexpr const char* throughput_id = "instruction." id ".throughput";             \
    __device__ __forceinline__ static void next(Type& x, const Operands<Type>& o, bool odd) { \
      asm volatile(code                                                                       \
                   : "+" constraint(x)                                                        \
                   : constraint(odd ? o.c : o.a), constraint(odd ? o.d : o.b));               \
    }                                                                                         \
  };

ROOFTILE_STEP(Fadd, float, "f", "fadd", "add.rn.f32 %0, %0, %1;")
ROOFTILE_STEP(Fmul, float, "f", "fmul", "mul.rn.f32 %0, %0, %1;")
ROOFTILE_STEP(Hfma2, unsigned, "r", "hfma2", "fma.rn.f16x2 %0, %0, %1, %2;")
ROOFTILE_STEP(Dfma, double, "d", "dfma", "fma.rn.f64 %0, %0, %1, %2;")
ROOFTILE_STEP(Imad, unsigned, "r", "imad", "mad.lo.u32 %0, %0, %1, %2;")
ROOFTILE_STEP(Iadd3, unsigned, "r", "iadd3", "{.reg .u32 t; add.u32 t, %0, %1; add.u32 %0, t, %2;}")
ROOFTILE_STEP(Lop3, unsigned, "r", "lop3", "lop3.b32 %0, %0, %1, %2, 0x6a;")
ROOFTILE_STEP(Prmt, unsigned, "r", "prmt", "prmt.b32 %0, %0, %1, %2;")
ROOFTILE_STEP(Sel, unsigned, "r", "sel",
              "{.reg .pred p; setp.ne.u32 p, %2, 0; selp.b32 %0, %0, %1, p;}")
ROOFTILE_STEP(Shfl, unsigned, "r", "shfl", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")
ROOFTILE_STEP(MufuEx2, float, "f", "mufu_ex2", "ex2.approx.ftz.f32 %0, %0;")
// Of the absolute value: 1 / (1 / x) would be folded.
ROOFTILE_STEP(MufuRcp, float, "f", "mufu_rcp",
              "{.reg .f32 t; abs.f32 t, %0; rcp.approx.ftz.f32 %0, t;}")
ROOFTILE_STEP(I2f, unsigned, "r", "i2f", "{.reg .f32 f; cvt.rn.f32.s32 f, %0; mov.b32 %0, f;}")
ROOFTILE_STEP(F2i, unsigned, "r", "f2i", "{.reg .f32 f; mov.b32 f, %0; cvt.rzi.s32.f32 %0, f;}")

// ISETP p, a, b, p: a chain through a predicate, which C++ cannot carry from one asm to the next.
// So 128 steps are one asm with their loop, over one or four predicates.
struct Isetp {
  static constexpr const char* latency_id = "instruction.isetp.latency";
  static constexpr const char* throughput_id = "instruction.isetp.throughput";
};
#define ROOFTILE_SETP(p, q) \
  "setp.lt.xor.s32 " #p ", %2, %3, " #p ";\n setp.gt.xor.s32 " #q ", %4, %5, " #q ";\n"
#define ROOFTILE_SETP_8(p, q, r, s) \
  ROOFTILE_SETP(p, q) ROOFTILE_SETP(r, s) ROOFTILE_SETP(p, q) ROOFTILE_SETP(r, s)
#define ROOFTILE_SETP_32(p, q, r, s) \
  ROOFTILE_SETP_8(p, q, r, s)        \
  ROOFTILE_SETP_8(q, p, s, r) ROOFTILE_SETP_8(p, q, r, s) ROOFTILE_SETP_8(q, p, s, r)
#define ROOFTILE_SETP_128(p, q, r, s) \
  ROOFTILE_SETP_32(p, q, r, s)        \
  ROOFTILE_SETP_32(p, q, r, s) ROOFTILE_SETP_32(p, q, r, s) ROOFTILE_SETP_32(p, q, r, s)
#define ROOFTILE_SETP_LOOP(p, q, r, s) \
  asm volatile(                                                                                \
      "{\n.reg .pred p, q, r, s, more;\n.reg .u32 t;\n"                                         \
      "setp.ne.u32 p, %0, 1;\nsetp.ne.u32 q, %0, 2;\n"                                         \
      "setp.ne.u32 r, %0, 3;\nsetp.ne.u32 s, %0, 4;\n"                                         \
      "trip:\n" ROOFTILE_SETP_128(p, q, r, s) ROOFTILE_SETP_128(p, q, r, s)                                                  \
      "sub.s32 %1, %1, 1;\nsetp.gt.s32 more, %1, 0;\n@more bra trip;\n"                        \
      "selp.u32 t, 1, 0, p;\nadd.u32 %0, %0, t;\nselp.u32 t, 2, 0, q;\nadd.u32 %0, %0, t;\n"   \
      "selp.u32 t, 4, 0, r;\nadd.u32 %0, %0, t;\nselp.u32 t, 8, 0, s;\nadd.u32 %0, %0, t;\n}"  \
      : "+r"(x), "+r"(trips)                                                                   \
      : "r"(o.a), "r"(o.b), "r"(o.c), "r"(o.d))

template <int Chains>
__device__ __forceinline__ void isetp_loop(long long* cycles, unsigned* sink, unsigned seed,
                                           int trips) {
  const unsigned word = hash32(seed + threadIdx.x);
  const Operands<unsigned> o{word, hash32(word), hash32(word + 1), hash32(word + 2)};
  unsigned x = word >> 8;
  __syncthreads();
  const long long start = cycle_counter();
  if constexpr (Chains == 1)
    ROOFTILE_SETP_LOOP(p, p, p, p);
  else
    ROOFTILE_SETP_LOOP(p, q, r, s);
  __syncthreads();
  const long long stop = cycle_counter();
  if (x == 0x9e3779b9u) *sink = x;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// SASS: kernel=instruction_kernel.*[0-9]FaddELi FADD=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]FmulELi FMUL=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]Hfma2ELi HFMA2=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]DfmaELi DFMA=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]ImadELi IMAD=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]Iadd3ELi IADD3>=256 IADD3<=258 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]Lop3ELi LOP3=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]PrmtELi PRMT=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]SelELi SEL=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]ShflELi SHFL.BFLY=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]MufuEx2ELi MUFU.EX2=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]MufuRcpELi MUFU.RCP=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]I2fELi I2F|I2FP=256 other<=8 bytes<=32768 spill=0
// SASS: kernel=instruction_kernel.*[0-9]F2iELi F2I=256 other<=8 bytes<=32768 spill=0
template <class Op, int Chains>
__global__ void __launch_bounds__(32 * rate_warps)
    instruction_kernel(long long* cycles, unsigned* sink, unsigned seed, int trips) {
  using Value = typename Op::Value;
  const auto operand = [&](unsigned n) {
    const unsigned word = hash32(seed + 1024 * n + threadIdx.x);
    if constexpr (sizeof(Value) == 8)
      return static_cast<Value>(unit_float(word));
    else if constexpr (std::is_same_v<Value, float>)
      return unit_float(word);
    else
      return word;
  };
  const Operands<Value> operands{operand(0), operand(1), operand(2), operand(3)};
  Value x[Chains];
#pragma unroll
  for (int i = 0; i < Chains; ++i) x[i] = operand(4 + i);
  __syncthreads();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < rate_unroll; ++i) Op::next(x[i % Chains], operands, i / Chains % 2 == 1);
  }
  __syncthreads();
  const long long stop = cycle_counter();
  bool never = true;
#pragma unroll
  for (int i = 0; i < Chains; ++i) never = never && x[i] == operand(99 + i);
  if (never) *sink = 1;
  if (threadIdx.x == 0) cycles[blockIdx.x] = stop - start;
}

// SASS: kernel=instruction_kernel.*[0-9]IsetpELi ISETP.XOR=256 other<=8 bytes<=32768 spill=0
template <>
__global__ void __launch_bounds__(32 * rate_warps)
    instruction_kernel<Isetp, 1>(long long* cycles, unsigned* sink, unsigned seed, int trips) {
  isetp_loop<1>(cycles, sink, seed, trips);
}
template <>
__global__ void __launch_bounds__(32 * rate_warps) instruction_kernel<Isetp, rate_chains>(
    long long* cycles, unsigned* sink, unsigned seed, int trips) {
  isetp_loop<rate_chains>(cycles, sink, seed, trips);
}

template <class Op, int Chains>
Repetitions cycles_per_instruction(Context& context, int blocks, int warps) {
  BlockCycles cycles(blocks);
  DeviceBuffer<unsigned> sink(1);
  const auto launch = [&](int trips) {
    instruction_kernel<Op, Chains>
        <<<blocks, 32 * warps, 0, context.stream()>>>(cycles.data(), sink.data(), 1u, trips);
    check_launch("instruction_kernel");
  };
  // An instruction takes at least a cycle of its sub-core, so that both lengths pass the onset.
  static_assert(200LL * rate_unroll * rate_warps / 4 > load_onset_cycles);
  return context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 200, 712) / rate_unroll; });
}

template <class Op>
void rates(Context& context) {
  context.metric(Op::latency_id, cycles_per_instruction<Op, 1>(context, 1, 1),
                 "median of differences",
                 text("one warp, chain of {} dependent instructions a loop trip", rate_unroll));
  Repetitions found =
      cycles_per_instruction<Op, rate_chains>(context, context.sm_count(), rate_warps);
  for (double& value : found.values) value = rate_warps / value;
  context.metric(Op::throughput_id, found, "median of differences",
                 text("{} warps of {} chains on every SM, median SM", rate_warps, rate_chains));
}

template <class... Ops>
void all_rates(Context& context) {
  (rates<Ops>(context), ...);
}

void run(Context& context) {
  all_rates<Fadd, Fmul, Hfma2, Dfma, Imad, Iadd3, Lop3, Prmt, Sel, Isetp, Shfl, MufuEx2, MufuRcp,
            I2f, F2i>(context);
}

const Register registered{
    {"instruction_rates", "latency and throughput of other instructions", 0.5, run}};

}  // namespace
}  // namespace rooftile::micro
