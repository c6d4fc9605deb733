#include "model/sass/main_loop.hpp"

#include <fmt/format.h>

#include <algorithm>
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

std::vector<Span> spans(const Kernel& kernel) {
  std::vector<double> sum(1, 0);
  for (const Instruction& i : kernel.instructions) sum.push_back(sum.back() + work(i));
  std::vector<Span> result;
  for (std::size_t at = 0; at < kernel.instructions.size(); ++at) {
    const auto& target = kernel.instructions[at].target;
    if (!target || *target >= kernel.instructions[at].address) continue;
    if (const auto first = position(kernel, *target)) {
      result.push_back({*first, at, sum[at + 1] - sum[*first]});
    }
  }
  return result;
}

/// No other loop inside holds half of its work.
bool innermost(const Span& span, const std::vector<Span>& all) {
  return std::none_of(all.begin(), all.end(), [&](const Span& other) {
    return other.length() < span.length() && other.inside(span) && 2 * other.work >= span.work;
  });
}

/// A forward branch over reads of global memory and no store: over the reading of C.
bool jumps_over_reads(const Kernel& kernel, std::size_t at, std::size_t target) {
  bool reads = false;
  for (std::size_t between = at + 1; between < target; ++between) {
    const std::string_view base = kernel.instructions[between].base();
    if (base.substr(0, 2) == "ST" || base.substr(0, 3) == "RED") return false;
    reads = reads || base == "LDG";
  }
  return reads;
}

/// Positions from `at` on in the order of execution, until `stop` or the end of the program. With
/// `beta_0` conditional branches over reads of C are taken.
std::vector<std::size_t> walk(const Kernel& kernel, std::size_t at, std::size_t stop, bool beta_0) {
  std::vector<std::size_t> path;
  std::vector<bool> seen(kernel.instructions.size());
  while (at < kernel.instructions.size() && at != stop && !seen[at]) {
    seen[at] = true;
    path.push_back(at);
    const Instruction& i = kernel.instructions[at];
    const bool always = i.predicate.always();
    if (always && (i.base() == "EXIT" || i.base() == "RET")) break;
    const auto next = i.target ? position(kernel, *i.target) : std::nullopt;
    if (i.target && !next && always) break;  // leaves the text
    const bool taken = next && (always || (beta_0 && jumps_over_reads(kernel, at, *next)));
    at = taken ? *next : at + 1;
  }
  return path;
}

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

MainLoop find_main_loop(const Kernel& kernel) {
  const std::vector<Span> all = spans(kernel);
  std::optional<Span> best;
  for (const Span& span : all) {
    if (span.work == 0 || !innermost(span, all)) continue;
    if (!best || span.work > best->work ||
        (span.work == best->work && span.length() < best->length())) {
      best = span;
    }
  }
  if (!best) {
    throw InputError(fmt::format("kernel {} has no loop with multiply-adds", kernel.name));
  }
  MainLoop loop;
  for (std::size_t at = best->first; at <= best->last; ++at) loop.body.push_back(at);
  loop.prologue = walk(kernel, 0, best->first, false);
  loop.epilogue = walk(kernel, best->last + 1, kernel.instructions.size(), true);
  return loop;
}

Census census(const Kernel& kernel, const MainLoop& loop) {
  Census result;
  for (const std::size_t at : loop.body) count(kernel.instructions[at], result);
  result.bytes_of_code = bytes_per_instruction * result.instructions;
  return result;
}

}  // namespace rooftile::sass
