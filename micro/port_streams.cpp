#include "micro/port_streams.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace rooftile::micro {
namespace {

/// n instructions of stream `one`, then n of `two`.
std::string burst(int n, const std::string& one, const std::string& two) {
  std::string text;
  for (int i = 0; i < 2 * n; ++i) text += (i == 0 ? "" : " | ") + (i < n ? one : two);
  return text;
}

std::vector<PortCase> make_port_cases() {
  std::vector<PortCase> cases = {
      {"no register read", "z z z"},
      {"three in one bank of four", "0 0 0"},
      {"three in one bank of two", "0 2 0"},
      {"two in one bank of two, one elsewhere", "0 2 1"},
      {"two in one bank of four, one elsewhere", "0 0 1"},
      {"alternating halves of two banks", "0 2 1 | 1 3 0"},
      {"alternating halves of two banks, same of four", "0 0 1 | 1 1 0"},
      {"three different of four in turn", "0 1 2 | 1 2 3 | 2 3 0 | 3 0 1"},
      {"one register twice, one elsewhere", "0 x 1"},
      {"one register twice, one in its bank of two", "0 x 2"},
      {"one register twice, one in its bank of four", "0 x 0"},
      {"one register three times", "0 x x"},
      {"two held under reuse, one even", "0r 1r 0"},
      {"two held under reuse, one odd", "0r 1r 1"},
      {"two held without reuse, one even", "0h 1h 0"},
      {"one held under reuse, two banks", "0r 0 1"},
      {"one held under reuse, one bank of two", "0r 0 2"},
      {"one held under reuse, one bank of four", "0r 0 0"},
      {"reuse in slot b", "0 1r 1"},
      {"reuse in slot c", "0 1 0r"},
  };
  for (const int n : {1, 2, 3, 4, 8})
    cases.push_back(
        {fmt::format("bursts of {}, one bank of two", n), burst(n, "0r 0 2", "0r 1 3")});
  for (const int n : {1, 2, 4, 8})
    cases.push_back(
        {fmt::format("bursts of {}, one bank of four", n), burst(n, "0r 0 0", "0r 1 1")});
  return cases;
}

std::vector<std::array<std::string, 3>> words_of(const PortCase& port_case) {
  std::vector<std::array<std::string, 3>> instructions;
  std::istringstream text(port_case.stream);
  std::array<std::string, 3> words;
  std::string bar;
  while (text >> words[0] >> words[1] >> words[2]) {
    instructions.push_back(words);
    if (text >> bar && bar != "|") break;
  }
  if (instructions.empty() || !text.eof())
    throw std::logic_error("not a port stream: " + port_case.stream);
  return instructions;
}

/// Turns words into registers; remembers how far each bank's list was used.
class OperandChooser {
 public:
  explicit OperandChooser(const BankedRegisters& sources) : sources_(sources) {}

  PortOperand choose(const std::string& word, int slot, int before) {
    if (word == "z") return {};
    if (word == "x") return {before, false};
    const auto bank = static_cast<std::size_t>(word[0] - '0');
    if (bank > 3 || sources_[bank].size() < 7)
      throw std::logic_error("no registers for the operand " + word);
    const std::vector<int>& registers = sources_[bank];
    // The first three of a list are for held operands, one a slot.
    if (word.size() == 2) return {registers[static_cast<std::size_t>(slot)], word[1] == 'r'};
    return {registers[3 + next_[bank]++ % (registers.size() - 3)], false};
  }

 private:
  const BankedRegisters& sources_;
  std::array<std::size_t, 4> next_{};
};

/// Reads of one instruction by bank; updates what .reuse holds.
std::array<int, 4> reads_of(const PortInstruction& instruction, const PortRule& rule,
                            std::array<int, 3>& held) {
  std::array<int, 4> reads{};
  std::array<int, 3> next{-1, -1, -1};
  for (std::size_t slot = 0; slot < 3; ++slot) {
    const PortOperand& operand = instruction.sources[slot];
    if (operand.reg == 255) continue;
    bool first = true;
    for (std::size_t earlier = 0; earlier < slot; ++earlier)
      first = first && instruction.sources[earlier].reg != operand.reg;
    if (held[slot] != operand.reg && (first || !rule.merged))
      ++reads[static_cast<std::size_t>(operand.reg % rule.banks)];
    if (operand.reuse) next[slot] = operand.reg;
  }
  held = next;
  return reads;
}

}  // namespace

std::span<const PortCase> port_cases() {
  static const std::vector<PortCase> cases = make_port_cases();
  return cases;
}

std::vector<PortInstruction> port_stream(const PortCase& port_case, std::size_t length,
                                         const BankedRegisters& sources,
                                         const std::vector<int>& destinations) {
  const auto words = words_of(port_case);
  OperandChooser chooser(sources);
  std::vector<PortInstruction> stream(length);
  for (std::size_t i = 0; i < length; ++i) {
    stream[i].destination = destinations[i % destinations.size()];
    int before = 255;
    for (std::size_t slot = 0; slot < 3; ++slot) {
      stream[i].sources[slot] =
          chooser.choose(words[i % words.size()][slot], static_cast<int>(slot), before);
      before = stream[i].sources[slot].reg;
    }
  }
  return stream;
}

double port_cycles(std::span<const PortInstruction> stream, const PortRule& rule, int interval) {
  long issue = 0, half = 0;
  std::array<long, 4> bank_free{};
  std::array<int, 3> held{-1, -1, -1};
  for (int round = 0; round < 2; ++round) {
    half = issue;
    for (const PortInstruction& instruction : stream) {
      const std::array<int, 4> reads = reads_of(instruction, rule, held);
      long stall = 0;
      for (std::size_t bank = 0; bank < 4; ++bank) {
        bank_free[bank] = std::max(bank_free[bank], issue) + reads[bank];
        stall = std::max(stall, bank_free[bank] - (issue + interval) - rule.window);
      }
      issue += interval + stall;
    }
  }
  return static_cast<double>(issue - half) / static_cast<double>(stream.size());
}

PortFit fit_port_rule(std::span<const std::vector<PortInstruction>> streams,
                      std::span<const double> measured, int banks, int interval) {
  PortFit best;
  best.worst = std::numeric_limits<double>::infinity();
  for (const bool merged : {true, false}) {
    for (int window = 0; window <= 8; ++window) {
      PortFit fit{{banks, window, merged}, 0, {}};
      for (std::size_t i = 0; i < streams.size(); ++i) {
        fit.cycles.push_back(port_cycles(streams[i], fit.rule, interval));
        fit.worst = std::max(fit.worst, std::abs(fit.cycles.back() / measured[i] - 1));
      }
      if (fit.worst < best.worst) best = fit;
    }
  }
  return best;
}

}  // namespace rooftile::micro
