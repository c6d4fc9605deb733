#include "micro/port_cubin.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>

namespace rooftile::micro {
namespace {

/// 128-bit instruction word.
struct InstructionWord {
  std::uint64_t low = 0, high = 0;

  static InstructionWord at(const std::string& cubin, std::size_t offset) {
    InstructionWord word;
    std::memcpy(&word.low, cubin.data() + offset, 8);
    std::memcpy(&word.high, cubin.data() + offset + 8, 8);
    return word;
  }
  void store(std::string& cubin, std::size_t offset) const {
    std::memcpy(cubin.data() + offset, &low, 8);
    std::memcpy(cubin.data() + offset + 8, &high, 8);
  }
  unsigned get(int bit, int count) const {
    const std::uint64_t half = bit < 64 ? low : high;
    return static_cast<unsigned>(half >> (bit % 64) & ((std::uint64_t{1} << count) - 1));
  }
  void set(int bit, int count, unsigned value) {
    std::uint64_t& half = bit < 64 ? low : high;
    const std::uint64_t mask = ((std::uint64_t{1} << count) - 1) << (bit % 64);
    half = (half & ~mask) | (std::uint64_t{value} << (bit % 64) & mask);
  }
  bool is_ffma() const { return get(0, 12) == 0x223; }
  bool is_store32() const { return (get(0, 12) & 0x1ff) == 0x186 && get(73, 3) == 4; }
  int byte_offset() const {  ///< of a store, signed 24 bits
    const int value = static_cast<int>(get(40, 24));
    return value >= 1 << 23 ? value - (1 << 24) : value;
  }
};

template <class T>
T read_at(const std::string& file, std::size_t offset) {
  T value{};
  if (offset + sizeof(T) > file.size()) throw std::runtime_error("the cubin ends early");
  std::memcpy(&value, file.data() + offset, sizeof(T));
  return value;
}

struct CodeRange {
  std::size_t begin = 0, end = 0;
};

/// The section .text.port_probe of a 64-bit ELF file.
CodeRange probe_code(const std::string& cubin) {
  if (cubin.size() < 64 || cubin.compare(0, 5,
                                         "\x7f"
                                         "ELF\x02") != 0)
    throw std::runtime_error("the driver's assembler gave no 64-bit ELF file");
  const auto table = read_at<std::uint64_t>(cubin, 40);
  const auto entry = read_at<std::uint16_t>(cubin, 58);
  const auto count = read_at<std::uint16_t>(cubin, 60);
  const auto names = read_at<std::uint16_t>(cubin, 62);
  const auto names_at = read_at<std::uint64_t>(cubin, table + names * std::size_t{entry} + 24);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t header = table + i * entry;
    const std::size_t name = names_at + read_at<std::uint32_t>(cubin, header);
    if (name >= cubin.size() || std::strcmp(cubin.c_str() + name, ".text.port_probe") != 0)
      continue;
    const auto begin = read_at<std::uint64_t>(cubin, header + 24);
    const auto size = read_at<std::uint64_t>(cubin, header + 32);
    if (begin + size > cubin.size() || size % 16 != 0) break;
    return {begin, begin + size};
  }
  throw std::runtime_error("the cubin has no section .text.port_probe");
}

/// Splits the loop's registers, each bank's in ascending order.
void share_out(ProbeCubin& probe) {
  BankedRegisters banks;
  for (const auto& [reg, value] : probe.value_of)
    banks[static_cast<std::size_t>(reg % 4)].push_back(reg);
  constexpr std::size_t written = 8;
  for (std::size_t bank = 0; bank < 4; ++bank) {
    if (banks[bank].size() < written + 7)
      throw std::runtime_error(fmt::format("only {} of the loop's registers have number {} mod 4",
                                           banks[bank].size(), bank));
    probe.sources[bank].assign(banks[bank].begin() + written, banks[bank].end());
  }
  for (std::size_t i = 0; i < written; ++i) {
    for (std::size_t bank = 0; bank < 4; ++bank) probe.destinations.push_back(banks[bank][i]);
  }
}

}  // namespace

std::string probe_ptx() {
  std::string ptx = fmt::format(
      ".version 6.3\n.target sm_75\n.address_size 64\n"
      ".visible .entry port_probe(.param .u64 cycles, .param .u64 values, .param .u32 trips)\n"
      ".maxntid {}, 1, 1\n{{\n.reg .f32 v<{}>;\n.reg .b64 c, a, start, stop;\n"
      ".reg .b32 n, t;\n.reg .pred p;\n"
      "ld.param.u64 c, [cycles];\nld.param.u64 a, [values];\nld.param.u32 n, [trips];\n"
      "cvta.to.global.u64 c, c;\ncvta.to.global.u64 a, a;\n"
      "mov.u32 t, %tid.x;\nmad.wide.u32 a, t, 4, a;\n",
      probe_threads, probe_values);
  constexpr int stride = 4 * probe_threads;
  for (int i = 0; i < probe_values; ++i)
    ptx += fmt::format("ld.global.f32 v{}, [a+{}];\n", i, i * stride);
  ptx += "bar.sync 0;\nmov.u64 start, %clock64;\nloop:\n";
  for (int i = 0; i < probe_ffma; ++i)
    ptx += fmt::format("fma.rn.f32 v{0}, v{1}, v{2}, v{0};\n", i % probe_values,
                       (i + 1) % probe_values, (i + 2) % probe_values);
  ptx +=
      "sub.u32 n, n, 1;\nsetp.ne.u32 p, n, 0;\n@p bra loop;\n"
      "bar.sync 0;\nmov.u64 stop, %clock64;\nsub.u64 stop, stop, start;\n";
  for (int i = 0; i < probe_values; ++i)
    ptx += fmt::format("st.global.f32 [a+{}], v{};\n", i * stride, i);
  ptx += "setp.eq.u32 p, t, 0;\n@p st.global.u64 [c], stop;\nret;\n}\n";
  return ptx;
}

ProbeCubin read_probe(std::string cubin) {
  ProbeCubin probe;
  probe.cubin = std::move(cubin);
  const CodeRange code = probe_code(probe.cubin);
  std::set<int> looped;
  std::map<int, int> stored_at;
  int first = 0;
  for (std::size_t at = code.begin; at < code.end; at += 16) {
    const InstructionWord word = InstructionWord::at(probe.cubin, at);
    if (word.is_ffma()) {
      probe.ffma.push_back(at);
      looped.insert(static_cast<int>(word.get(16, 8)));
    } else if (word.is_store32()) {
      stored_at[static_cast<int>(word.get(32, 8))] = word.byte_offset();
      first = std::min(first, word.byte_offset());
    }
  }
  // The assembler may move a value through more registers than there are values.
  if (probe.ffma.size() != probe_ffma || looped.size() < probe_values)
    throw std::runtime_error(
        fmt::format("the assembled loop has {} FFMA on {} registers, not {} on at least {}",
                    probe.ffma.size(), looped.size(), probe_ffma, probe_values));
  std::set<int> seen;
  for (const auto& [reg, offset] : stored_at) {
    const int value = (offset - first) / (4 * probe_threads);
    if (looped.count(reg) == 0 || (offset - first) % (4 * probe_threads) != 0 ||
        value >= probe_values || !seen.insert(value).second)
      throw std::runtime_error("the assembled stores are not those of the loop's registers");
    probe.value_of[reg] = value;
  }
  if (probe.value_of.size() != probe_values)
    throw std::runtime_error(
        fmt::format("{} of {} stores were found", probe.value_of.size(), probe_values));
  share_out(probe);
  return probe;
}

std::string with_stream(const ProbeCubin& probe, std::span<const PortInstruction> stream) {
  if (stream.size() != probe.ffma.size()) throw std::logic_error("with_stream: wrong length");
  std::string cubin = probe.cubin;
  for (std::size_t i = 0; i < stream.size(); ++i) {
    InstructionWord word = InstructionWord::at(cubin, probe.ffma[i]);
    const auto& sources = stream[i].sources;
    word.set(16, 8, static_cast<unsigned>(stream[i].destination));
    word.set(24, 8, static_cast<unsigned>(sources[0].reg));
    word.set(32, 8, static_cast<unsigned>(sources[1].reg));
    word.set(64, 8, static_cast<unsigned>(sources[2].reg));
    word.set(105, 4, 1);  // stall one cycle
    word.set(109, 1, 1);  // as compilers set it beside a stall of one
    // The first waits for the loads that other instructions waited for before.
    if (i == 0) word.set(116, 6, 0x3f);
    for (int slot = 0; slot < 3; ++slot)
      word.set(122 + slot, 1, sources[static_cast<std::size_t>(slot)].reuse ? 1 : 0);
    word.store(cubin, probe.ffma[i]);
  }
  return cubin;
}

std::vector<float> after_stream(const ProbeCubin& probe, std::span<const PortInstruction> stream,
                                std::vector<float> initial) {
  std::array<float, 256> registers{};  // R255 reads as 0
  for (const auto& [reg, value] : probe.value_of)
    registers[static_cast<std::size_t>(reg)] = initial[static_cast<std::size_t>(value)];
  const auto at = [&](int reg) -> float& { return registers[static_cast<std::size_t>(reg)]; };
  for (const PortInstruction& instruction : stream) {
    const auto& s = instruction.sources;
    at(instruction.destination) = std::fma(at(s[0].reg), at(s[1].reg), at(s[2].reg));
  }
  for (const auto& [reg, value] : probe.value_of)
    initial[static_cast<std::size_t>(value)] = at(reg);
  return initial;
}

}  // namespace rooftile::micro
