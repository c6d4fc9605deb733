// Reads the text of `cuobjdump -sass -res-usage`: per architecture a section of resources, then the
// code.
#include "gemm/kernel_listing.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <map>

#include "model/error.hpp"

namespace rooftile::gemm {
namespace {

/// Takes pieces off the front of a mangled name.
class Mangled {
 public:
  explicit Mangled(std::string_view text) : text_(text) {}

  bool skip(std::string_view piece) {
    if (!text_.starts_with(piece)) return false;
    text_.remove_prefix(piece.size());
    return true;
  }

  std::optional<int> number() {
    int value = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
    return value;
  }

  /// A template argument: "Li128E", "Lb1E".
  std::optional<int> argument(std::string_view type) {
    if (!skip(type)) return std::nullopt;
    const auto value = number();
    return value && skip("E") ? value : std::nullopt;
  }

  /// A name with its length in front: "9vectorized".
  std::optional<std::string_view> name() {
    const auto length = number();
    if (!length || static_cast<std::size_t>(*length) > text_.size()) return std::nullopt;
    const std::string_view found = text_.substr(0, static_cast<std::size_t>(*length));
    text_.remove_prefix(found.size());
    return found;
  }

 private:
  std::string_view text_;
};

std::string_view word_after(std::string_view line, std::string_view mark) {
  const auto at = line.find(mark);
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + mark.size());
  return line.substr(0, line.find_first_of(" \t\r:"));
}

int count_after(std::string_view line, std::string_view mark) {
  int value = 0;
  const std::string_view digits = word_after(line, mark);
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

/// From compute capability 9.0 on the tool counts the KiB that the driver keeps too.
KernelResources resources_of(std::string_view line, std::string_view architecture) {
  constexpr int of_the_driver = 1024;
  const int shared = count_after(line, "SHARED:");
  const bool counted = binary_version(architecture) >= 90 && shared >= of_the_driver;
  return {.registers_per_thread = count_after(line, "REG:"),
          .static_shared_bytes = counted ? shared - of_the_driver : shared,
          .spill_bytes = count_after(line, "LOCAL:"),
          .compiled = true};
}

class Reader {
 public:
  void line(std::string_view line) {
    if (const auto name = word_after(line, "\tcode for "); !name.empty()) architecture_ = name;
    if (line.find("Function :") != std::string_view::npos)
      begin(word_after(line, "Function : "));
    else if (line.starts_with(" Function "))
      resources_for_ = word_after(line, " Function ");
    else if (line.find("REG:") != std::string_view::npos)
      resources_[std::string(resources_for_)] = line;
    else if (current_ && line.find("/*") != std::string_view::npos)
      current_->listing += fmt::format("{}\n", line);
  }

  std::vector<ListedKernel> finish() {
    end();
    return std::move(kernels_);
  }

 private:
  /// Resources stand before the code of their architecture, and are replaced by the next one's.
  void begin(std::string_view symbol) {
    end();
    auto record = record_of_symbol(symbol);
    if (!record) return;
    const auto resources = resources_.find(std::string(symbol));
    if (resources == resources_.end())
      throw InputError(fmt::format("{}: the disassembly has no resources", symbol));
    record->architecture = architecture_;
    record->resources = resources_of(resources->second, architecture_);
    current_ = {std::move(*record), std::string(symbol),
                fmt::format("\t\tFunction : {}\n", symbol)};
  }

  void end() {
    if (!current_) return;
    current_->record.kernel_id = kernel_id_of(current_->listing);
    kernels_.push_back(std::move(*current_));
    current_.reset();
  }

  std::string architecture_;
  std::string_view resources_for_;
  std::map<std::string, std::string_view> resources_;  ///< lines, of the last architecture
  std::optional<ListedKernel> current_;
  std::vector<ListedKernel> kernels_;
};

}  // namespace

std::optional<KernelRecord> record_of_symbol(std::string_view symbol) {
  Mangled mangled(symbol);
  KernelRecord record;
  if (!mangled.skip("_ZN8rooftile4gemm")) return std::nullopt;
  const auto variant = mangled.name();
  if (!variant || !mangled.skip("6kernelI")) return std::nullopt;
  record.variant = *variant;
  Tile& t = record.tile;
  for (int* member : {&t.BM, &t.BN, &t.BK, &t.TM, &t.TN, &t.WM, &t.WN, &t.stages}) {
    const auto value = mangled.argument("Li");
    if (!value) return std::nullopt;
    *member = *value;
  }
  const auto guarded = mangled.argument("Lb"), transposed = mangled.argument("Li");
  if (!guarded || !transposed) return std::nullopt;
  record.path = {.guarded = *guarded != 0,
                 .trans_a = (*transposed & 1) != 0,
                 .trans_b = (*transposed & 2) != 0};
  return record;
}

int binary_version(std::string_view architecture) { return count_after(architecture, "sm_"); }

std::vector<ListedKernel> listed_kernels(std::string_view disassembly) {
  Reader reader;
  while (!disassembly.empty()) {
    const auto end = disassembly.find('\n');
    reader.line(disassembly.substr(0, end));
    disassembly.remove_prefix(end == std::string_view::npos ? disassembly.size() : end + 1);
  }
  return reader.finish();
}

}  // namespace rooftile::gemm
