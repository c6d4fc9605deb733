// What a sweep measures: the suite, the variants' tiles, the sealed split, and a guess of the time.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <utility>

#include "gemm/sweep.hpp"
#include "model/error.hpp"
#include "model/record/json_checks.hpp"
#include "model/record/libraries.hpp"
#include "model/record/provenance.hpp"

namespace rooftile {

namespace {

constexpr std::string_view suite_schema = "rooftile.suite";

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

/// Overhead of a cell (check, warm-up, clock reads) and about ten launches; of each of cublasLt's
/// eight heuristics seven more, to choose among them.
double estimate_s(const SweepCell& cell) {
  constexpr double overhead_s = 0.02, sampled = 10, tried = 56;
  const double launches = cell.variant == cublaslt_name ? sampled + tried : sampled;
  return overhead_s + launches * cell.problem.flop() / rough_rate(cell.variant);
}

std::vector<std::string> chosen_variants(const SweepRequest& request) {
  std::vector<std::string> names = request.variants;
  if (names.empty()) {
    for (const Variant& variant : variants()) names.emplace_back(variant.name);
    names.emplace_back(cublas_name);
  }
  return names;
}

std::vector<SweepKernel> chosen_kernels(const SweepRequest& request) {
  if (!request.kernels.empty()) return request.kernels;
  std::vector<SweepKernel> kernels;
  for (const std::string& name : chosen_variants(request)) {
    if (is_library(name))
      kernels.push_back({name, Tile{}});
    else if (const Variant& variant = require_variant(name); request.tiles.empty())
      kernels.push_back({name, variant.default_tile});
    else
      for (const Tile& tile : request.tiles) kernels.push_back({name, tile});
  }
  return kernels;
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
    const auto kernels = chosen_kernels(request_);
    for (const GemmProblem& problem : by_work(request_.problems))
      for (const SweepKernel& kernel : kernels) add(kernel, problem);
    return std::move(plan_);
  }

 private:
  void add(const SweepKernel& kernel, const GemmProblem& problem) {
    const Variant* variant = find_variant(kernel.variant);
    const std::string family(variant == nullptr ? kernel.variant : variant->family);
    if (!request_.include_sealed && splits_.is_sealed(problem, family)) {
      ++plan_.sealed_left_out;
      return;
    }
    if (variant != nullptr) {
      auto reason = not_applicable(problem);
      if (!reason) reason = variant->illegal(kernel.tile);
      if (reason) return leave_out(kernel, problem, *reason);
    }
    add_cell({.variant = kernel.variant,
              .tile = kernel.tile,
              .problem = problem,
              .cache = request_.cache});
  }

  /// A kernel is compiled, where nothing is cached, for its first cell.
  void add_cell(SweepCell cell) {
    constexpr double compiling_s = 1;
    cell.estimated_s = estimate_s(cell);
    if (cell.compiled_at_run_time() && compiled_.emplace(cell.variant, cell.tile).second)
      cell.estimated_s += compiling_s;
    plan_.cells.push_back(std::move(cell));
  }

  void leave_out(const SweepKernel& kernel, const GemmProblem& problem, const std::string& reason) {
    plan_.left_out.push_back(kernel.variant + ", " + tile_name(kernel.tile) + ", " +
                             shape_name(problem) + ": " + reason);
  }

  const SweepRequest& request_;
  const Splits& splits_;
  SweepPlan plan_;
  std::set<std::pair<std::string, Tile>> compiled_;
};

/// Without a tile it is the variant's default one.
SweepKernel kernel_from(const JsonReader& json) {
  for (const std::string& key : json.keys())
    if (key != "variant" && key != "tile")
      throw InputError(json.where() + ": unknown member \"" + key +
                       "\"; a kernel has \"variant\" and \"tile\"");
  const std::string name = json.at("variant").text();
  if (is_library(name)) {
    if (json.has("tile")) json.at("tile").fail("no tile, since " + name + " chooses its own");
    return {name, Tile{}};
  }
  const Tile default_tile = parsed_text(
      json.at("variant"), [](const auto& text) { return require_variant(text).default_tile; });
  if (!json.has("tile")) return {name, default_tile};
  return {name,
          parsed_text(json.at("tile"), [](const auto& text) { return parse_tile(text, Tile{}); })};
}

void add_kernels(const JsonReader& json, std::vector<SweepKernel>& kernels) {
  for (std::size_t i = 0; i < json.size(); ++i) {
    SweepKernel kernel = kernel_from(json.at(i));
    const auto same = [&kernel](const SweepKernel& other) {
      return other.variant == kernel.variant && other.tile == kernel.tile;
    };
    if (std::any_of(kernels.begin(), kernels.end(), same)) json.at(i).fail("each kernel once");
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty()) json.fail("at least one kernel");
}

}  // namespace

bool SweepCell::compiled_at_run_time() const {
  const Variant* found = find_variant(variant);
  return found != nullptr && !same_code(tile, found->default_tile);
}

double SweepPlan::estimated_s() const {
  return std::accumulate(cells.begin(), cells.end(), 0.0,
                         [](double sum, const SweepCell& cell) { return sum + cell.estimated_s; });
}

Suite load_suite(const std::string& path) {
  const Json json = parse_json(read_text_file(path), path);
  const JsonReader reader(json, path);
  check_schema(reader, suite_schema, 1);
  const JsonReader shapes = reader.at("shapes");
  Suite suite;
  suite.path = path;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const GemmProblem problem = shape_from(shapes.at(i));
    if (std::find(suite.problems.begin(), suite.problems.end(), problem) != suite.problems.end())
      shapes.at(i).fail("each shape once");
    suite.problems.push_back(problem);
  }
  if (suite.problems.empty()) shapes.fail("at least one shape");
  if (reader.has("kernels")) add_kernels(reader.at("kernels"), suite.kernels);
  return suite;
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
