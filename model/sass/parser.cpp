#include "model/sass/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

#include "model/error.hpp"
#include "model/sass/operands.hpp"

namespace rooftile::sass {

namespace {

constexpr std::string_view advice =
    "disassemble with `cuobjdump -sass FILE` or `nvdisasm -c -hex FILE`";

[[noreturn]] void fail(int line, std::string_view what) {
  throw InputError(fmt::format("SASS, line {}: {}; {}", line, what, advice));
}

/// Takes `prefix` off the front of `text`, if it is there.
bool skip(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Takes a hexadecimal number between "/*" and "*/" off the front; nullopt and untouched if it is
/// something else.
std::optional<std::uint64_t> skip_comment(std::string_view& text, std::string_view prefix) {
  std::string_view rest = text;
  if (!skip(rest, "/*")) return std::nullopt;
  rest = trimmed(rest);
  if (!skip(rest, prefix)) return std::nullopt;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, 16);
  if (error != std::errc()) return std::nullopt;
  rest = trimmed(rest.substr(static_cast<std::size_t>(end - rest.data())));
  if (!skip(rest, "*/")) return std::nullopt;
  text = trimmed(rest);
  return value;
}

/// The word after `marker` in `line`, up to a blank or a comma.
std::optional<std::string_view> word_after(std::string_view line, std::string_view marker) {
  const auto at = line.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(at + marker.size()));
  return rest.substr(0, rest.find_first_of(" \t,"));
}

/// "90" of "sm_90a".
int architecture_in(std::string_view line) {
  for (const std::string_view marker : {"arch = sm_", ".target\tsm_", ".target sm_"}) {
    const auto word = word_after(line, marker);
    int value = 0;
    if (word) std::from_chars(word->data(), word->data() + word->size(), value);
    if (value > 0) return value;
  }
  return 0;
}

Control decode_control(std::uint64_t upper) {
  const auto field = [&](int bit, unsigned mask) {
    return static_cast<unsigned>(upper >> (bit - 64)) & mask;
  };
  Control control;
  control.stall_cycles = static_cast<int>(field(105, 15));
  control.yield = field(109, 1) == 0;
  control.write_scoreboard = static_cast<int>(field(110, 7));
  control.read_scoreboard = static_cast<int>(field(113, 7));
  control.wait_mask = field(116, 63);
  control.reuse_mask = field(122, 15);
  return control;
}

/// Takes "@!UP0 " off the front.
Predicate skip_predicate(std::string_view& text, int line) {
  Predicate predicate;
  if (!skip(text, "@")) return predicate;
  predicate.negated = skip(text, "!");
  predicate.uniform = skip(text, "U");
  if (!skip(text, "P") || text.empty()) fail(line, "a predicate is expected after @");
  if (text.front() >= '0' && text.front() <= '6') {
    predicate.index = text.front() - '0';
  } else if (text.front() != 'T') {
    fail(line, "an unknown predicate");
  }
  text.remove_prefix(1);
  text = trimmed(text);
  return predicate;
}

class Parser {
 public:
  std::vector<Kernel> run(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      read_line(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    finish_kernel();
    if (kernels_.empty()) fail(line_, "no kernel in this text");
    return std::move(kernels_);
  }

 private:
  void read_line(std::string_view raw) {
    ++line_;
    if (const int found = architecture_in(raw)) architecture_ = found;
    if (starts_kernel(raw)) return;
    if (!open_) return;
    std::string_view text = trimmed(raw);
    if (text.substr(0, 3) == ".L_" && text.back() == ':') {
      labels_[std::string(text.substr(0, text.size() - 1))] = next_address();
    } else if (text.substr(0, 2) == "/*") {
      read_instruction_line(text);
    }
  }

  /// Heads of both tools; another section ends a kernel.
  bool starts_kernel(std::string_view raw) {
    if (const auto name = word_after(raw, "Function : ")) {
      open_kernel(*name);
      return true;
    }
    const std::string_view text = trimmed(raw);
    if (text.substr(0, 8) != ".section") return false;
    if (const auto name = word_after(text, ".text.")) {
      open_kernel(*name);
    } else {
      finish_kernel();
    }
    return true;
  }

  void open_kernel(std::string_view name) {
    finish_kernel();
    open_ = true;
    kernel_ = Kernel{std::string(name), architecture_, {}};
  }

  void read_instruction_line(std::string_view text) {
    if (const auto upper = skip_comment(text, "0x")) {
      if (!half_) fail(line_, "half of an encoding without an instruction");
      kernel_.instructions.back().control = decode_control(*upper);
      half_ = false;
      return;
    }
    const auto address = skip_comment(text, "");
    if (!address || *address > UINT32_MAX) fail(line_, "an address is expected between /* and */");
    if (half_) fail(line_ - 1, "an instruction lacks the second half of its encoding");
    if (*address < next_address()) fail(line_, "addresses do not ascend");
    read_instruction(static_cast<std::uint32_t>(*address), text);
    half_ = true;
  }

  void read_instruction(std::uint32_t address, std::string_view text) {
    const auto end = text.find(';');
    if (end == std::string_view::npos) fail(line_, "an instruction ends with ;");
    std::string_view code = trimmed(text.substr(end + 1));
    if (!skip_comment(code, "0x")) fail(line_, "an instruction without its encoding");
    text = trimmed(text.substr(0, end));
    skip(text, "{");
    text = trimmed(text);
    Instruction instruction;
    instruction.address = address;
    instruction.line = line_;
    instruction.predicate = skip_predicate(text, line_);
    const auto opcode = text.substr(0, text.find_first_of(" \t"));
    if (opcode.empty() || opcode.front() < 'A' || opcode.front() > 'Z') fail(line_, "no opcode");
    instruction.opcode = opcode;
    read_operands(trimmed(text.substr(opcode.size())), instruction);
    kernel_.instructions.push_back(std::move(instruction));
  }

  /// Where the next instruction lies at the least.
  std::uint64_t next_address() const {
    return kernel_.instructions.empty() ? 0 : kernel_.instructions.back().address + 16ULL;
  }

  void finish_kernel() {
    if (half_) fail(line_, "an instruction lacks the second half of its encoding");
    for (Instruction& instruction : kernel_.instructions) resolve(instruction);
    if (!kernel_.instructions.empty()) kernels_.push_back(std::move(kernel_));
    kernel_ = {};
    labels_.clear();
    open_ = false;
  }

  void resolve(Instruction& instruction) const {
    for (Operand& operand : instruction.operands) {
      if (operand.kind != OperandKind::label) continue;
      const auto found = labels_.find(operand.text);
      if (found == labels_.end()) {
        if (instruction.base() == "CALL") continue;  // another function of the program
        fail(instruction.line, "no label " + operand.text);
      }
      operand.value = static_cast<std::int64_t>(found->second);
    }
    if (instruction.base() != "BRA" || instruction.operands.empty()) return;
    const auto& goal = instruction.operands.back().value;
    if (goal && *goal >= 0 && *goal <= UINT32_MAX) {
      instruction.target = static_cast<std::uint32_t>(*goal);
    }
  }

  std::vector<Kernel> kernels_;
  Kernel kernel_;
  std::map<std::string, std::uint64_t, std::less<>> labels_;
  int line_ = 0, architecture_ = 0;
  bool open_ = false;  ///< inside a kernel
  bool half_ = false;  ///< the last instruction's second half is to come
};

}  // namespace

std::string_view Instruction::base() const {
  return std::string_view(opcode).substr(0, opcode.find('.'));
}

bool Instruction::has(std::string_view modifier) const {
  std::string_view rest = opcode;
  while (true) {
    const auto dot = rest.find('.');
    if (dot == std::string_view::npos) return false;
    rest.remove_prefix(dot + 1);
    if (rest.substr(0, rest.find('.')) == modifier) return true;
  }
}

int Instruction::width_bytes() const {
  if (base() == "LDSM") return has("4") ? 16 : has("2") ? 8 : 4;
  if (has("128")) return 16;
  if (has("64")) return 8;
  if (has("U8") || has("S8")) return 1;
  return has("U16") || has("S16") ? 2 : 4;
}

std::string Instruction::text() const {
  std::string result;
  if (!predicate.always()) {
    result = fmt::format("@{}{}P{} ", predicate.negated ? "!" : "", predicate.uniform ? "U" : "",
                         predicate.index == 7 ? "T" : std::to_string(predicate.index));
  }
  result += opcode;
  for (std::size_t i = 0; i < operands.size(); ++i) result += (i ? ", " : " ") + operands[i].text;
  return result;
}

std::vector<Kernel> parse(std::string_view text) { return Parser().run(text); }

}  // namespace rooftile::sass
