// Pairs runs with predictions, orders shapes and variants, multiplies roofs out of the profile.
#include "report/analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace rooftile::report {
namespace {

/// What identifies a kernel on a problem, for matching predictions and runs.
std::string pair_key(const std::string& variant, const Tile& tile, const GemmProblem& p) {
  return fmt::format("{}|{}|{}x{}x{}x{}|{}{}{}|{} {} {}|{} {}", variant, tile_name(tile), p.M, p.N,
                     p.K, p.batch, p.layout == Layout::row_major ? "r" : "c", p.trans_a ? "T" : "N",
                     p.trans_b ? "T" : "N", p.lda, p.ldb, p.ldc, p.alpha, p.beta);
}

/// A duration that a kernel can have: a nanosecond to thirty years. Files may hold anything.
bool plausible_time(double seconds) { return seconds >= 1e-9 && seconds <= 1e9; }

bool usable(const RunRecord& run) {
  return (run.state == State::ok || run.state == State::suspect) && run.time &&
         plausible_time(run.time->median) && (!run.correctness || run.correctness->passed);
}

bool valid(const Prediction& prediction) { return plausible_time(prediction.time_s); }

using PredictionIndex = std::map<std::string, std::map<std::string, const Prediction*>>;

PredictionIndex index_predictions(const ReportInput& input) {
  PredictionIndex index;
  for (const auto& p : input.predictions)
    if (valid(p)) index[pair_key(p.variant, p.tile, p.problem)][p.predictor] = &p;
  return index;
}

void collect_runs(const ReportInput& input, Analysis& analysis) {
  const PredictionIndex index = index_predictions(input);
  for (const auto& run : input.runs) {
    if (!usable(run)) {
      analysis.left_out.push_back(&run);
      continue;
    }
    if (run.cache == CacheState::cold) {
      ++analysis.cold;
      continue;
    }
    Measured measured;
    measured.run = &run;
    // A form of its own (transposed, batched, alpha, beta) is a problem of its own.
    measured.shape = problem_name(run.problem);
    measured.time_s = run.time->median;
    measured.flops = run.problem.flop() / measured.time_s;
    const auto found = index.find(pair_key(run.variant, run.tile, run.problem));
    if (found != index.end()) measured.predictions = found->second;
    analysis.runs.push_back(std::move(measured));
  }
}

std::vector<std::string> ordered_shapes(const std::vector<Measured>& runs) {
  std::set<std::pair<double, std::string>> ordered;
  for (const auto& m : runs) ordered.emplace(m.run->problem.flop(), m.shape);
  std::vector<std::string> shapes;
  for (const auto& entry : ordered) shapes.push_back(entry.second);
  return shapes;
}

std::vector<std::string> ordered_variants(const ReportInput& input,
                                          const std::vector<Measured>& runs) {
  std::set<std::string> present;
  for (const auto& m : runs) present.insert(m.run->variant);
  std::vector<std::string> libraries, order;
  for (const char* name : library_names)
    if (present.erase(name) > 0) libraries.emplace_back(name);
  for (const auto& text : input.variants)
    if (present.erase(text.name) > 0) order.push_back(text.name);
  order.insert(order.end(), present.begin(), present.end());
  order.insert(order.end(), libraries.begin(), libraries.end());
  return order;
}

Outlook plausible(Outlook outlook) {
  const auto wrong = [](const Prediction& p) { return !valid(p); };
  std::erase_if(outlook.choices, [&](const TileChoice& choice) { return wrong(choice.best); });
  for (auto* list : {&outlook.landscape, &outlook.over_m, &outlook.rasters})
    std::erase_if(*list, wrong);
  std::erase_if(outlook.rasters,
                [](const Prediction& p) { return !(p.l2_hit_rate >= 0 && p.l2_hit_rate <= 1); });
  return outlook;
}

void index_fastest(Analysis& analysis) {
  const auto offer = [&](const std::string& shape, const std::string& variant, std::size_t i) {
    const auto [entry, added] = analysis.fastest_index.try_emplace({shape, variant}, i);
    if (!added && analysis.runs[i].time_s < analysis.runs[entry->second].time_s) entry->second = i;
  };
  for (std::size_t i = 0; i < analysis.runs.size(); ++i) {
    const Measured& m = analysis.runs[i];
    offer(m.shape, m.run->variant, i);
    if (m.ours()) offer(m.shape, "", i);
  }
}

std::optional<double> product(std::initializer_list<std::optional<double>> factors) {
  double result = 1;
  for (const auto& factor : factors) {
    if (!factor) return std::nullopt;
    result *= *factor;
  }
  // A roof beyond 1e20 per second is a broken file, and would overflow the axes.
  return result > 0 && result < 1e20 ? std::optional(result) : std::nullopt;
}

Roofs roofs_of(const DeviceProfile& profile) {
  const auto ffma_clock = metric_value(profile, "clock.ffma");
  const auto light_clock = metric_value(profile, "clock.light");
  Roofs roofs;
  roofs.fma_flops = product({metric_value(profile, "ffma.throughput"),
                             metric_value(profile, "device.sm_count"), 2.0, ffma_clock});
  roofs.l2_bytes_s =
      product({metric_value(profile, "l2.bandwidth.read"), light_clock ? light_clock : ffma_clock});
  roofs.dram_bytes_s = product({metric_value(profile, "dram.bandwidth.read")});
  return roofs;
}

}  // namespace

std::optional<double> metric_value(const DeviceProfile& profile, const std::string& id) {
  const auto found = profile.metrics.find(id);
  if (found == profile.metrics.end() || !found->second.value) return std::nullopt;
  if (found->second.state == State::failed || found->second.state == State::skipped)
    return std::nullopt;
  return std::isfinite(*found->second.value) ? found->second.value : std::nullopt;
}

std::vector<std::string> by_detail(std::vector<std::string> predictors) {
  const auto rank = [](const std::string& name) {
    return name == "roofline" ? 0 : name == "analytic" ? 1 : name == "sass" ? 2 : 3;
  };
  std::stable_sort(predictors.begin(), predictors.end(), [&](const auto& a, const auto& b) {
    return std::pair(rank(a), a) < std::pair(rank(b), b);
  });
  return predictors;
}

std::string variant_title(const ReportInput& input, const std::string& name) {
  for (const auto& text : input.variants)
    if (text.name == name && !text.title.empty()) return text.title;
  if (name == cublas_name) return "cuBLAS";
  return name == cublaslt_name ? "cuBLASLt" : name;
}

Analysis analyse(const ReportInput& input) {
  Analysis analysis;
  collect_runs(input, analysis);
  index_fastest(analysis);
  analysis.shapes = ordered_shapes(analysis.runs);
  analysis.variants = ordered_variants(input, analysis.runs);
  std::set<std::string> predictors;
  for (const auto& m : analysis.runs)
    for (const auto& entry : m.predictions) predictors.insert(entry.first);
  analysis.predictors = by_detail({predictors.begin(), predictors.end()});
  if (!analysis.predictors.empty()) analysis.finest = analysis.predictors.back();
  analysis.roofs = roofs_of(input.profile);
  analysis.outlook = plausible(input.outlook);
  return analysis;
}

const Measured* Analysis::fastest(const std::string& shape, const std::string& variant) const {
  const auto found = fastest_index.find({shape, variant});
  return found == fastest_index.end() ? nullptr : &runs[found->second];
}

const Measured* Analysis::fastest_of_ours(const std::string& shape) const {
  return fastest(shape, "");
}

std::optional<double> Analysis::share_of_baseline(const Measured& measured) const {
  const Measured* reference = fastest(measured.shape, baseline_name);
  if (!reference) return std::nullopt;
  return reference->time_s / measured.time_s;
}

std::size_t Analysis::color_index(const std::string& variant) const {
  return static_cast<std::size_t>(std::find(variants.begin(), variants.end(), variant) -
                                  variants.begin());
}

}  // namespace rooftile::report
