#include "model/sass/main_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "model/error.hpp"

namespace rooftile::sass {

namespace {

bool is_tensor(const Instruction& i) {
  const std::string_view base = i.base();
  return base.size() >= 4 && base.substr(base.size() - 3) == "MMA";
}

bool is_copy_to_shared(const Instruction& i) {
  const std::string_view base = i.base();
  return base.substr(0, 7) == "UTMALDG" || base == "UBLKCP";
}

/// Multiply-adds of a lane: what makes a loop the main one.
double work(const Instruction& i) {
  const std::string_view base = i.base();
  if (base == "FFMA" || base == "FMUL" || base == "FADD") return 1;
  return is_tensor(i) ? 64 : 0;  // 16 x 8 x 16 products over 32 lanes; any large number does
}

bool is_store_to_global(const Instruction& i) {
  const std::string_view base = i.base();
  return base == "STG" || base == "ST" || base.substr(0, 3) == "RED";
}

/// Positions of the loop's first and last instruction.
struct Span {
  std::size_t first = 0, last = 0;
  double work = 0;
  bool inside(const Span& other) const { return other.first <= first && last <= other.last; }
  std::size_t length() const { return last - first + 1; }
};

std::optional<std::size_t> position(const Kernel& kernel, std::uint32_t address) {
  const auto found =
      std::lower_bound(kernel.instructions.begin(), kernel.instructions.end(), address,
                       [](const Instruction& i, std::uint32_t a) { return i.address < a; });
  if (found == kernel.instructions.end() || found->address != address) return std::nullopt;
  return static_cast<std::size_t>(found - kernel.instructions.begin());
}

/// Loops with multiply-adds.
std::vector<Span> spans(const Kernel& kernel) {
  std::vector<double> sum(1, 0);
  for (const Instruction& i : kernel.instructions) sum.push_back(sum.back() + work(i));
  std::vector<Span> result;
  for (std::size_t at = 0; at < kernel.instructions.size(); ++at) {
    const auto& target = kernel.instructions[at].target;
    if (!target || *target >= kernel.instructions[at].address) continue;
    const auto first = position(kernel, *target);
    if (first && sum[at + 1] > sum[*first])
      result.push_back({*first, at, sum[at + 1] - sum[*first]});
  }
  return result;
}

bool stores_to_global(const Kernel& kernel, const Span& span) {
  const auto at = [&](std::size_t position) {
    return kernel.instructions.begin() + static_cast<std::ptrdiff_t>(position);
  };
  return std::any_of(at(span.first), at(span.last + 1), is_store_to_global);
}

/// No other loop inside holds half of its work. A loop over tiles may do more than half of it
/// outside the loop over K, where slices are peeled: it is known by its stores of C.
bool innermost(const Kernel& kernel, const Span& span, const std::vector<Span>& all) {
  const bool over_tiles = stores_to_global(kernel, span);
  return std::none_of(all.begin(), all.end(), [&](const Span& other) {
    return other.length() < span.length() && other.inside(span) &&
           (over_tiles || 2 * other.work >= span.work);
  });
}

/// For each position the next one, itself among them, at which something stands; the size where
/// nothing follows.
class Next {
 public:
  template <typename Is>
  Next(const Kernel& kernel, const Is& is)
      : at_(kernel.instructions.size() + 1, kernel.instructions.size()) {
    for (std::size_t at = kernel.instructions.size(); at-- > 0;)
      at_[at] = is(kernel.instructions[at]) ? at : at_[at + 1];
  }
  std::size_t operator[](std::size_t at) const { return at_[at]; }

 private:
  std::vector<std::size_t> at_;
};

/// The predicates that say whether beta is zero, which here it is: it is what a kernel compares, as
/// a float, with zero.
class BetaIsZero {
 public:
  void after(const Instruction& i) {
    for (const Registers& w : i.writes)
      if (w.file == RegisterFile::predicate || w.file == RegisterFile::uniform_predicate)
        at(w.file == RegisterFile::uniform_predicate, w.first) = answer(i);
  }
  /// nullopt where the predicate says something else.
  std::optional<bool> holds(const Predicate& p) const {
    if (p.index == 7) return !p.negated;
    const std::optional<bool> value = known_.at(place(p.uniform, p.index));
    return value ? std::optional(*value != p.negated) : std::nullopt;
  }

 private:
  static std::optional<bool> answer(const Instruction& i) {
    const auto is = [](const char* text) {
      return [text](const Operand& o) { return o.text == text; };
    };
    const bool with_zero = std::any_of(i.operands.begin(), i.operands.end(), is("RZ"));
    if (i.base() != "FSETP" || !with_zero || i.operands.back().text != "PT") return std::nullopt;
    if (i.has("EQ") || i.has("EQU")) return true;
    if (i.has("NE") || i.has("NEU")) return false;
    return std::nullopt;
  }
  static std::size_t place(bool uniform, int index) {
    return (uniform ? 8U : 0U) + static_cast<std::size_t>(index & 7);
  }
  std::optional<bool>& at(bool uniform, int index) { return known_.at(place(uniform, index)); }
  std::array<std::optional<bool>, 16> known_{};
};

/// A part of a kernel in the order of execution.
class Walk {
 public:
  Walk(const Kernel& kernel, Slices slices)
      : kernel_(kernel),
        slices_(slices),
        reads_(kernel, [](const Instruction& i) { return i.base() == "LDG"; }),
        stores_(kernel, is_store_to_global),
        work_(kernel, [](const Instruction& i) { return work(i) > 0; }),
        barriers_(kernel, [](const Instruction& i) { return i.base() == "BAR"; }) {}

  std::vector<std::size_t> prologue(const Span& loop) { return from(0, loop, false); }
  /// After the prologue. What beta = 0 predicates off (reads of C and their arithmetic) is left
  /// out, though it takes its issue slots.
  std::vector<std::size_t> epilogue(const Span& loop) {
    for (std::size_t at = loop.first; at <= loop.last; ++at) beta_.after(kernel_.instructions[at]);
    return from(loop.last + 1, loop, true);
  }

 private:
  std::vector<std::size_t> from(std::size_t at, const Span& loop, bool after) {
    std::vector<std::size_t> path;
    std::vector<bool> seen(kernel_.instructions.size());
    // A loop may be entered in its middle, at its test.
    while (at < seen.size() && !(loop.first <= at && at <= loop.last) && !seen[at]) {
      seen[at] = true;
      const Instruction& i = kernel_.instructions[at];
      const std::optional<bool> holds = beta_.holds(i.predicate);
      if (holds != false || i.target) path.push_back(at);
      beta_.after(i);
      if ((i.base() == "EXIT" || i.base() == "RET") && holds == true) break;
      const auto next = i.target ? position(kernel_, *i.target) : std::nullopt;
      if (i.target && !next && i.predicate.always()) break;  // leaves the text
      const bool over =
          next && (after ? over_reads(at, *next) : *next <= loop.first && over_slice(at, *next));
      const bool taken = next && holds.value_or(over);
      if (taken && after && *next < loop.first) break;  // to the next tile
      at = taken ? *next : at + 1;
    }
    return path;
  }
  /// A forward branch over reads of global memory and no store: over steps that are left of K.
  bool over_reads(std::size_t at, std::size_t target) const {
    return reads_[at + 1] < target && target <= stores_[at + 1];
  }
  /// A forward branch over a slice that is computed between barriers.
  bool over_slice(std::size_t at, std::size_t target) const {
    return slices_ == Slices::whole && std::max(work_[at + 1], barriers_[at + 1]) < target;
  }

  const Kernel& kernel_;
  Slices slices_;
  Next reads_, stores_, work_, barriers_;
  BetaIsZero beta_;
};

Moves& moves_of(Census& census, std::string_view base) {
  if (base == "LDS" || base == "LDSM") return census.lds;
  if (base == "STS") return census.sts;
  if (base == "LDGSTS") return census.ldgsts;
  return base == "LDG" || base == "LD" ? census.ldg : census.stg;
}

bool is_move(std::string_view base) {
  return base == "LDS" || base == "LDSM" || base == "STS" || base == "LDG" || base == "LD" ||
         base == "LDGSTS" || base == "STG" || base == "ST" || base == "RED" || base == "REDG";
}

void count(const Instruction& i, Census& census) {
  const std::string_view base = i.base();
  ++census.instructions;
  if (base == "FFMA") {
    ++census.ffma;
  } else if (is_tensor(i)) {
    ++census.tensor;
  } else if (is_move(base)) {
    Moves& moves = moves_of(census, base);
    const int width = i.width_bytes();
    ++(width == 16  ? moves.instructions_16
       : width == 8 ? moves.instructions_8
                    : moves.instructions_4);
  } else if (is_copy_to_shared(i)) {
    ++census.bulk_copies;
  } else if (base == "BAR") {
    ++census.barriers;
  } else if (base == "SYNCS") {
    ++census.mbarriers;
  } else if (base == "BRA") {
    ++census.branches;
  } else {
    ++census.others;
  }
}

}  // namespace

MainLoop find_main_loop(const Kernel& kernel, Slices slices) {
  std::vector<Span> all = spans(kernel);
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) {
    return a.work != b.work ? a.work > b.work : a.length() < b.length();
  });
  const auto best = std::find_if(all.begin(), all.end(),
                                 [&](const Span& span) { return innermost(kernel, span, all); });
  if (best == all.end()) {
    throw InputError(fmt::format("kernel {} has no loop with multiply-adds", kernel.name));
  }
  MainLoop loop;
  for (std::size_t at = best->first; at <= best->last; ++at) loop.body.push_back(at);
  Walk walk(kernel, slices);
  loop.prologue = walk.prologue(*best);
  loop.epilogue = walk.epilogue(*best);
  const auto store = std::find_if(loop.epilogue.begin(), loop.epilogue.end(), [&](std::size_t at) {
    return is_store_to_global(kernel.instructions[at]);
  });
  loop.stores_from = static_cast<std::size_t>(store - loop.epilogue.begin());
  return loop;
}

int ffma_outside(const Kernel& kernel, const MainLoop& loop) {
  const auto ffma = [&](std::size_t at) { return kernel.instructions[at].base() == "FFMA"; };
  return static_cast<int>(std::count_if(loop.prologue.begin(), loop.prologue.end(), ffma) +
                          std::count_if(loop.epilogue.begin(), loop.epilogue.end(), ffma));
}

Census census(const Kernel& kernel, const MainLoop& loop) {
  Census result;
  for (const std::size_t at : loop.body) count(kernel.instructions[at], result);
  result.bytes_of_code = bytes_per_instruction * result.instructions;
  return result;
}

}  // namespace rooftile::sass
