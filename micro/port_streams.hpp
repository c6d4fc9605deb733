// Streams of FFMA whose source registers lie in chosen register banks, and the rule that says how
// long a stream takes: for deciding how many banks a register file has.
//
// Rule: `banks` banks (register number mod banks), each reads one register a cycle for the whole
// warp. An operand whose register the instruction before held in the same slot under `.reuse`
// needs no read; with `merged`, a register named twice by one instruction is read once. Issue
// takes `interval` cycles; it stalls where a bank would lag it by more than `window` cycles.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

namespace rooftile::micro {

/// One source operand: register R255 is RZ, which is not read.
struct PortOperand {
  int reg = 255;
  bool reuse = false;
};

struct PortInstruction {
  int destination = 255;
  std::array<PortOperand, 3> sources;
};

/// A stream in words: instructions divided by '|', each three operands. A digit is a register of
/// this bank of four, another one each time; followed by 'h' it is always the same register, by 'r'
/// the same register under .reuse; 'x' is the register of the operand before; 'z' is RZ.
struct PortCase {
  std::string name;
  std::string stream;
};

/// The cases of the experiment; the first reads no register at all and tells the cost of the loop.
std::span<const PortCase> port_cases();

/// Registers by number mod 4.
using BankedRegisters = std::array<std::vector<int>, 4>;

/// The stream repeated to `length` instructions. Sources are never destinations, so that nothing
/// depends on anything; destinations go round all of theirs. std::logic_error for a bad stream.
std::vector<PortInstruction> port_stream(const PortCase& port_case, std::size_t length,
                                         const BankedRegisters& sources,
                                         const std::vector<int>& destinations);

struct PortRule {
  int banks = 2;
  int window = 1;
  bool merged = true;
};

/// Cycles an instruction of the stream in steady state.
double port_cycles(std::span<const PortInstruction> stream, const PortRule& rule, int interval);

/// The rule of this number of banks (other members free) whose largest relative error is smallest.
struct PortFit {
  PortRule rule;
  double worst = 0;            ///< relative error
  std::vector<double> cycles;  ///< its value of each stream
};
PortFit fit_port_rule(std::span<const std::vector<PortInstruction>> streams,
                      std::span<const double> measured, int banks, int interval);

}  // namespace rooftile::micro
