// Pitfalls: the text does not say which operands are results (leading_results knows), and a pair of
// registers is named by its first one (widths by opcode). Widths of tensor instructions other than
// HMMA and IMMA of warps are not known and count as one register.
#include "model/sass/operands.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <limits>

namespace rooftile::sass {

namespace {

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 31> no_result{
    "ST",    "STG",      "STS",    "STL",    "STAS",   "RED",     "REDG",      "REDS",
    "BAR",   "BRA",      "EXIT",   "RET",    "CALL",   "BSSY",    "BSYNC",     "NOP",
    "JMP",   "WARPSYNC", "MEMBAR", "DEPBAR", "LDGSTS", "UTMALDG", "UBLKCP",    "UTMASTG",
    "BREAK", "CCTL",     "UTMAPF", "BRX",    "ERRBAR", "FENCE",   "USETMAXREG"};
/// A predicate comes first, then the register that is written too.
constexpr std::array<std::string_view, 9> predicate_then_register{
    "LOP3", "ULOP3", "SHFL", "ATOM", "ATOMG", "ATOMS", "R2UR", "ELECT", "MATCH"};
constexpr std::array<std::string_view, 13> memory_opcodes{
    "LD", "LDG", "LDS", "LDL", "LDC", "ULDC", "LDSM", "ST", "STG", "STS", "STL", "RED", "REDG"};

/// A register by name at the front of `text` ("R12", "UP0", "URZ"); `length` of the name. The zero
/// registers and the true predicates have count 0. nullopt where there is none.
std::optional<Registers> named_register(std::string_view text, std::size_t& length) {
  Registers found;
  std::size_t at = 0;
  const bool uniform = text.substr(0, 1) == "U";
  at += uniform ? 1 : 0;
  if (at >= text.size() || (text[at] != 'R' && text[at] != 'P')) return std::nullopt;
  const bool predicate = text[at] == 'P';
  found.file = predicate ? (uniform ? RegisterFile::uniform_predicate : RegisterFile::predicate)
                         : (uniform ? RegisterFile::uniform : RegisterFile::general);
  ++at;
  if (at < text.size() && text[at] == (predicate ? 'T' : 'Z')) {
    found.count = 0;
    length = at + 1;
  } else {
    const char* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), found.first);
    if (error != std::errc() || found.first < 0 || found.first > 255) return std::nullopt;
    length = at + static_cast<std::size_t>(end - begin);
  }
  // "PR" and "R_X" are other words.
  if (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) != 0)) {
    return std::nullopt;
  }
  return found;
}

std::optional<std::int64_t> integer(std::string_view text) {
  const bool negative = text.substr(0, 1) == "-";
  if (negative) text.remove_prefix(1);
  const bool hexadecimal = text.substr(0, 2) == "0x";
  if (hexadecimal) text.remove_prefix(2);
  std::uint64_t magnitude = 0;  // from_chars takes no second sign here
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), magnitude, hexadecimal ? 16 : 10);
  constexpr std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || end != text.data() + text.size() || magnitude > most)
    return std::nullopt;
  const auto value = static_cast<std::int64_t>(magnitude);
  return negative ? -value : value;
}

/// Registers inside brackets; ".64" behind one, and a descriptor, mean a pair.
void read_address(std::string_view text, std::vector<Registers>& reads) {
  const bool descriptor = text.substr(0, 5) == "desc[";
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = at == 0 || !std::isalnum(static_cast<unsigned char>(text[at - 1]));
    std::size_t length = 1;
    auto found = starts ? named_register(text.substr(at), length) : std::nullopt;
    if (found && found->count > 0) {
      const bool pair = text.substr(at + length, 3) == ".64" ||
                        (descriptor && found->file == RegisterFile::uniform && text.find(']') > at);
      found->count = pair ? 2 : 1;
      reads.push_back(*found);
    }
    at += found ? length : 1;
  }
}

/// Consecutive registers of source `index`, or of the result (-1).
int register_count(const Instruction& i, int index) {
  const std::string_view base = i.base();
  if (is_one_of(base, memory_opcodes)) return std::max(1, i.width_bytes() / 4);
  if (i.has("WIDE")) return index == -1 || index == 2 ? 2 : 1;
  if (base == "CS2R") return i.has("32") ? 1 : 2;
  if (base == "DFMA" || base == "DADD" || base == "DMUL" || base == "DSETP" || i.has("64"))
    return 2;
  if (base == "HMMA" || base == "IMMA") {
    const bool long_k = i.has("16816") || i.has("16832") || i.has("16864");
    if (index == 0) return long_k && !(base == "IMMA" && i.has("16816")) ? 4 : 2;
    if (index == 1) return long_k && !(base == "IMMA" && i.has("16816")) ? 2 : 1;
    return base == "HMMA" && i.has("F16") ? 2 : 4;
  }
  return 1;
}

/// One operand with the register that it names, if it names one.
struct Read {
  std::optional<Registers> registers;
  bool is_predicate = false;
};

Read read_operand(std::string_view text, Instruction& instruction) {
  Operand operand;
  operand.text = text;
  Read read;
  std::string_view bare = text;
  while (!bare.empty() && std::string_view("-~!|").find(bare.front()) != std::string_view::npos) {
    bare.remove_prefix(1);
  }
  std::size_t length = 0;
  if (text.substr(0, 2) == "`(" && text.back() == ')') {
    operand.kind = OperandKind::label;
    operand.text = text.substr(2, text.size() - 3);
  } else if (bare.find('[') != std::string_view::npos) {
    operand.kind = bare.front() == 'c' ? OperandKind::constant : OperandKind::memory;
    read_address(bare, instruction.reads);
  } else if (auto found = named_register(bare, length)) {
    operand.kind = OperandKind::registers;
    found->reuse = bare.find(".reuse") != std::string_view::npos;
    read.is_predicate =
        found->file == RegisterFile::predicate || found->file == RegisterFile::uniform_predicate;
    read.registers = found;
  } else if ((operand.value = integer(text))) {
    operand.kind = OperandKind::immediate;
  }
  instruction.operands.push_back(std::move(operand));
  return read;
}

/// How many of the first operands are results.
std::size_t leading_results(const Instruction& i, const std::vector<Read>& reads) {
  const std::string_view base = i.base();
  if (reads.empty() || !reads[0].registers || is_one_of(base, no_result)) return 0;
  const auto predicate = [&](std::size_t at) {
    return at < reads.size() && reads[at].is_predicate;
  };
  if (reads[0].is_predicate) {
    const bool second = predicate(1) || is_one_of(base, predicate_then_register);
    return second ? std::min<std::size_t>(2, reads.size()) : 1;
  }
  std::size_t count = 1;
  const std::size_t most = base == "VOTE" || base == "VOTEU" ? 2 : 3;
  while (count < most && predicate(count)) ++count;
  return count;
}

/// Reads through the operand ports: arithmetic of the vector units.
bool uses_ports(const Instruction& i) {
  const std::string_view base = i.base();
  return !is_one_of(base, memory_opcodes) && !is_one_of(base, no_result) &&
         base.substr(0, 4) != "ATOM" && base != "SYNCS" && base != "SHFL" && base != "R2UR";
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

void read_operands(std::string_view text, Instruction& instruction) {
  std::vector<Read> reads;
  while (!text.empty()) {
    const auto comma = text.find(',');
    const std::string_view operand = trimmed(text.substr(0, comma));
    if (!operand.empty()) reads.push_back(read_operand(operand, instruction));
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  }
  const std::size_t results = leading_results(instruction, reads);
  const bool ports = uses_ports(instruction);
  int source = instruction.base() == "MOV" ? 1 : 0;  // MOV reads through the second port
  for (std::size_t at = 0; at < reads.size(); ++at) {
    const bool result = at < results;
    if (auto& found = reads[at].registers) {
      if (!reads[at].is_predicate && found->count > 0) {
        found->count = register_count(instruction, result ? -1 : source);
      }
      if (!result && ports && source < 3 && found->file == RegisterFile::general) {
        found->slot = source;
      }
      if (found->count > 0) (result ? instruction.writes : instruction.reads).push_back(*found);
    }
    if (!result && !reads[at].is_predicate) ++source;
  }
}

}  // namespace rooftile::sass
