// A kernel whose loop is nothing but FFMA, and exact control over the registers and reuse flags of
// each: PTX for the driver's assembler, then the FFMA of the assembled kernel rewritten in place.
// No compiler can be made to use chosen register numbers, and none sets .reuse on request.
//
// Instruction words are 128 bits (compute capability 7.0 to 12.x). Of an FFMA with three registers:
// opcode 0x223 in bits 0-11 (with the register form; 12-15 the predicate), destination 16-23,
// sources 24-31, 32-39, 64-71; control from bit 105: stall cycles (4), yield (1), write and read
// barrier (3 each, 7 = none), barriers waited for (6), reuse of the three slots (122, 123, 124).
// Published in the documentation of CuAssembler and in Jia et al., Dissecting the NVIDIA Volta GPU
// Architecture via Microbenchmarking, 2018, and read again from the disassembler for each
// architecture. A rewritten kernel proves itself: it stores all its registers, and they must hold
// what the stream computes.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "micro/port_streams.hpp"

namespace rooftile::micro {

constexpr int probe_values = 72;    ///< registers of the loop
constexpr int probe_ffma = 1536;    ///< in the loop: 24 KiB
constexpr int probe_threads = 256;  ///< at most; the distance of two values in memory

/// PTX of `port_probe(u64 cycles, u64 values, u32 trips)`, trips >= 1: loads value i of thread t
/// from values[256 i + t], runs the loop, stores them there again, and the cycles of warp 0.
std::string probe_ptx();

/// What the assembler made of it.
struct ProbeCubin {
  std::string cubin;
  std::vector<std::size_t> ffma;  ///< byte offset of each FFMA of the loop, in order
  std::map<int, int> value_of;    ///< register -> value that it holds
  /// The registers of the loop, half of each bank for sources, half as destinations.
  BankedRegisters sources;
  std::vector<int> destinations;  ///< banks in turn
};

/// Finds the loop. Throws std::runtime_error that says what is not as expected.
ProbeCubin read_probe(std::string cubin);

/// The cubin with its FFMA replaced by the stream (probe_ffma instructions).
std::string with_stream(const ProbeCubin& probe, std::span<const PortInstruction> stream);

/// Values after the stream, one lane: registers -> values as stored, from `initial` values.
std::vector<float> after_stream(const ProbeCubin& probe, std::span<const PortInstruction> stream,
                                std::vector<float> initial);

}  // namespace rooftile::micro
