// What a sweep measures: the suite, the variants' tiles, the sealed split, and a guess of the time.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "gemm/sweep.hpp"
#include "model/error.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

namespace {

constexpr std::string_view suite_schema = "rooftile.suite";
constexpr std::string_view baseline = "cublas";

/// FLOP/s by rung, of the order that a datacentre GPU of the 2020s reaches. Only for the estimate
/// of wall time before anything was measured; no prediction uses it.
double rough_rate(const std::string& variant) {
  const Variant* found = find_variant(variant);
  if (found == nullptr) return 40e12;
  constexpr double by_rung[] = {0.5e12, 0.5e12, 3e12,  6e12,  3e12,  12e12, 25e12,
                                30e12,  30e12,  25e12, 30e12, 35e12, 35e12, 40e12};
  const auto last = static_cast<int>(std::size(by_rung)) - 1;
  return by_rung[std::clamp(found->rung, 0, last)];
}

/// Overhead of a cell (check, warm-up, clock reads), compiling where nothing is cached, and at
/// least five launches.
double estimate_s(const SweepCell& cell) {
  constexpr double overhead_s = 0.2, compiling_s = 1;
  return overhead_s + (cell.compiled_at_run_time() ? compiling_s : 0) +
         5 * cell.problem.flop() / rough_rate(cell.variant);
}

std::vector<std::string> chosen_variants(const SweepRequest& request) {
  std::vector<std::string> names = request.variants;
  if (names.empty()) {
    for (const Variant& variant : variants()) names.emplace_back(variant.name);
    names.emplace_back(baseline);
  }
  for (const std::string& name : names)
    if (name != baseline) require_variant(name);
  return names;
}

/// Shapes in the order of their work, so that a short run sees many of them.
std::vector<GemmProblem> by_work(std::vector<GemmProblem> problems) {
  std::stable_sort(problems.begin(), problems.end(),
                   [](const auto& a, const auto& b) { return a.flop() < b.flop(); });
  return problems;
}

class Planner {
 public:
  Planner(const SweepRequest& request, const Splits& splits) : request_(request), splits_(splits) {}

  SweepPlan plan() {
    const auto names = chosen_variants(request_);
    for (const GemmProblem& problem : by_work(request_.problems))
      for (const std::string& name : names) add(name, problem);
    return std::move(plan_);
  }

 private:
  void add(const std::string& name, const GemmProblem& problem) {
    const Variant* variant = find_variant(name);
    const std::string family(variant == nullptr ? baseline : variant->family);
    if (!request_.include_sealed && splits_.is_sealed(problem, family)) {
      ++plan_.sealed_left_out;
      return;
    }
    if (variant == nullptr) return add_cell(name, Tile{}, problem);
    if (const auto reason = not_applicable(problem))
      return leave_out(name, variant->default_tile, problem, *reason);
    if (request_.tiles.empty()) return add_cell(name, variant->default_tile, problem);
    for (const Tile& tile : request_.tiles)
      if (const auto reason = variant->illegal(tile))
        leave_out(name, tile, problem, *reason);
      else
        add_cell(name, tile, problem);
  }

  void add_cell(const std::string& name, const Tile& tile, const GemmProblem& problem) {
    plan_.cells.push_back(
        {.variant = name, .tile = tile, .problem = problem, .cache = request_.cache});
    plan_.cells.back().estimated_s = estimate_s(plan_.cells.back());
  }

  void leave_out(const std::string& name, const Tile& tile, const GemmProblem& problem,
                 const std::string& reason) {
    plan_.left_out.push_back(name + ", " + tile_name(tile) + ", " + shape_name(problem) + ": " +
                             reason);
  }

  const SweepRequest& request_;
  const Splits& splits_;
  SweepPlan plan_;
};

}  // namespace

bool SweepCell::compiled_at_run_time() const {
  const Variant* found = find_variant(variant);
  return found != nullptr && !same_code(tile, found->default_tile);
}

double SweepPlan::estimated_s() const {
  return std::accumulate(cells.begin(), cells.end(), 0.0,
                         [](double sum, const SweepCell& cell) { return sum + cell.estimated_s; });
}

std::vector<GemmProblem> load_suite(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  check_schema(reader, suite_schema, 1);
  const JsonReader shapes = reader.at("shapes");
  std::vector<GemmProblem> problems;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const GemmProblem problem = shape_from(shapes.at(i));
    if (std::find(problems.begin(), problems.end(), problem) != problems.end())
      shapes.at(i).fail("each shape once");
    problems.push_back(problem);
  }
  if (problems.empty()) shapes.fail("at least one shape");
  return problems;
}

SweepPlan plan_sweep(const SweepRequest& request, const Splits& splits) {
  if (request.problems.empty()) throw InputError("nothing to measure: no shapes were given");
  SweepPlan plan = Planner(request, splits).plan();
  if (!plan.cells.empty()) return plan;
  if (plan.sealed_left_out > 0 && plan.left_out.empty())
    throw InputError("nothing to measure: every pair asked for is sealed (data/splits.json)");
  throw InputError("nothing to measure: " +
                   (plan.left_out.empty() ? "no variant was given" : plan.left_out.front()));
}

}  // namespace rooftile
