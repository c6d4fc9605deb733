// Which questions the page answers without a measurement. Every answer is what `tune` and `predict`
// say of the same question.
#include "cli/outlook.hpp"

#include <fmt/format.h>

#include "cli/prediction.hpp"
#include "cli/tile_search.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

/// Ranks every tile; sass knows compiled ones alone.
constexpr const char* searching = "analytic";

std::vector<GemmProblem> common_problems() {
  std::vector<GemmProblem> problems;
  for (const std::int64_t size : {512, 1024, 2048, 4096, 8192})
    problems.push_back(make_problem(size, size, size));
  problems.push_back(make_problem(8192, 1024, 4096));
  problems.push_back(make_problem(1024, 1024, 16384));
  return problems;
}

/// Whole waves of whole tiles, and a problem that no tile divides.
std::vector<GemmProblem> landscape_problems() {
  return {make_problem(4096, 4096, 4096), make_problem(1021, 1031, 1033)};
}

const Predictor* find(const Predictors& predictors, std::string_view name) {
  for (const auto& predictor : predictors)
    if (predictor->name() == name) return predictor.get();
  return nullptr;
}

/// What is missing for one problem is no reason to leave the others out.
template <typename Add>
void for_each_problem(const std::vector<GemmProblem>& problems, Add add) {
  for (const GemmProblem& problem : problems) {
    try {
      add(problem);
    } catch (const InputError& error) {
      print_warning(
          fmt::format("the page has no best tile for {}: {}", problem_name(problem), error.what()));
    }
  }
}

void add_choices(const Predictor& roofline, const Predictor& evaluator, Outlook& outlook) {
  const auto selected = select_variants({}, "");
  for_each_problem(common_problems(), [&](const GemmProblem& problem) {
    const TileSearch found = search_tiles(problem, selected, roofline, evaluator, 1);
    outlook.choices.push_back({found.top.front(), found.search.considered, found.ties});
  });
}

void add_landscapes(const Predictor& evaluator, Outlook& outlook) {
  for_each_problem(landscape_problems(), [&](const GemmProblem& problem) {
    const auto kernels = candidates(select_variants({}, ""), problem);
    for (Prediction& p : fastest_by_block_tile(kernels, problem, evaluator))
      outlook.landscape.push_back(std::move(p));
  });
}

void add_prediction(const Predictor& predictor, const Variant& variant, const GemmProblem& problem,
                    std::vector<Prediction>& predictions) {
  try {
    predictions.push_back(
        predictor.explain(variant.describe(variant.default_tile, problem), problem));
  } catch (const InputError&) {
    return;  // does not fit on an SM, or sass has nothing to read for this path of the kernel
  }
}

/// In quarters of a tile, for ragged edges show as teeth of their own; sass, which simulates each,
/// in whole tiles.
void add_over_m(const Predictor& predictor, const Variant& variant, Outlook& outlook) {
  constexpr std::int64_t most = 6144, fixed = 4096;
  const std::int64_t tile = variant.default_tile.BM,
                     step = predictor.name() == "sass" ? tile : tile / 4;
  for (std::int64_t m = step; m <= most; m += step)
    add_prediction(predictor, variant, make_problem(m, fixed, fixed), outlook.over_m);
}

void add_rasters(const Predictor& predictor, Outlook& outlook) {
  for (const char* name : {"double_buffer", "raster_column", "raster_zigzag", "raster_swizzle"})
    for (std::int64_t size = 1024; size <= 16384; size += 512)
      add_prediction(predictor, require_variant(name), make_problem(size, size, size),
                     outlook.rasters);
}

}  // namespace

Outlook outlook_of(const Predictors& predictors) {
  Outlook outlook;
  for (const auto& predictor : predictors)
    add_over_m(*predictor, require_variant("double_buffer"), outlook);
  const Predictor *roofline = find(predictors, "roofline"),
                  *evaluator = find(predictors, searching);
  if (evaluator == nullptr) return outlook;
  add_rasters(*evaluator, outlook);
  if (roofline != nullptr) add_choices(*roofline, *evaluator, outlook);
  add_landscapes(*evaluator, outlook);
  return outlook;
}

}  // namespace rooftile::cli
