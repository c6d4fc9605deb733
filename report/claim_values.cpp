// One function a kind of number. What is missing is said with the command that makes it.
#include "report/claim_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <tuple>

#include "model/error.hpp"
#include "model/predict/predictor.hpp"
#include "model/profile/metric_catalog.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

/// "4096" is the cube 4096x4096x4096; an empty one, of a rule read without shapes, stays empty.
std::string whole_shape(const std::string& shape) {
  return shape.empty() ? shape : shape_name(parse_shape(shape));
}

std::string said(const Paragraph& paragraph) {
  return fmt::format("{} `{}` makes it.", paragraph.text, paragraph.command);
}

constexpr const char* best = "best";

std::string no_run(const std::string& variant, const std::string& shape, const std::string& tile) {
  if (variant == best)
    return fmt::format("no run of ours on {}; `rooftile measure --shape {}` makes it.", shape,
                       shape);
  return fmt::format("no run of {}{} on {}; `rooftile measure --variant {} --shape {}{}` makes it.",
                     variant, tile.empty() ? "" : " " + tile, shape, variant, shape,
                     tile.empty() ? "" : " --tile " + tile);
}

std::string no_variant(const std::string& variant) {
  return fmt::format("there is no variant {}; `rooftile list variants` has them.", variant);
}

/// Throws InputError for an id that no profile has.
void require_entry(const std::string& id, EntryKind kind, const std::string& term) {
  if (find_catalog_entry(id, kind) == nullptr)
    throw InputError(
        fmt::format("{}: a profile has no '{}'; near it: {}", term, id, nearest_ids(id)));
}

/// Throws InputError for a name that is not on the list.
void require_name(const std::string& name, const std::vector<std::string>& names,
                  const std::string& term) {
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw InputError(fmt::format("{}: '{}' is none of {}", term, name, fmt::join(names, ", ")));
}

double number(const std::string& text, const std::string& term) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0')
    throw InputError(fmt::format("{}: '{}' is not a number", term, text));
  return value;
}

/// What a rule may ask of a prediction.
const std::map<std::string, std::pair<double Prediction::*, const char*>>& prediction_fields() {
  static const std::map<std::string, std::pair<double Prediction::*, const char*>> fields{
      {"time", {&Prediction::time_s, "s"}},
      {"occupancy", {&Prediction::occupancy, "1"}},
      {"waves", {&Prediction::waves, "1"}},
      {"l2_hit_rate", {&Prediction::l2_hit_rate, "1"}},
      {"wavefronts", {&Prediction::shared_wavefronts, "count"}}};
  return fields;
}

/// What a rule may ask of a validation.
const std::map<std::string, std::optional<double> ErrorSummary::*>& accuracy_figures() {
  static const std::map<std::string, std::optional<double> ErrorSummary::*> figures{
      {"kendall_tau_b", &ErrorSummary::kendall_tau_b},
      {"regret_top1", &ErrorSummary::regret_top1},
      {"regret_top5", &ErrorSummary::regret_top5},
      {"regret_top8", &ErrorSummary::regret_top8}};
  return figures;
}

}  // namespace

struct ClaimValues::Function {
  std::size_t fewest, most;
  void (ClaimValues::*take)(const Arguments&, Evidence&) const;
};

Evidence ClaimValues::value(const std::string& function, const Arguments& arguments) const {
  using C = ClaimValues;
  static const std::map<std::string, Function> functions{
      {"metric", {1, 1, &C::metric}},       {"curve", {2, 2, &C::curve}},
      {"cell", {3, 3, &C::cell}},           {"roof", {1, 1, &C::roof}},
      {"time", {2, 3, &C::time}},           {"speed", {2, 3, &C::speed}},
      {"share", {2, 3, &C::share}},         {"registers", {2, 3, &C::registers}},
      {"spill", {2, 3, &C::spill}},         {"counter", {3, 3, &C::counter}},
      {"predicted", {3, 3, &C::predicted}}, {"accuracy", {3, 3, &C::accuracy}}};
  Evidence evidence{fmt::format("{}({})", function, fmt::join(arguments, ", ")), {}, "1", ""};
  const auto found = functions.find(function);
  if (found == functions.end())
    throw InputError(fmt::format("{}: there is no function '{}'", evidence.term, function));
  if (arguments.size() < found->second.fewest || arguments.size() > found->second.most)
    throw InputError(fmt::format("{}: wrong number of arguments", evidence.term));
  (this->*found->second.take)(arguments, evidence);
  if (evidence.value && !std::isfinite(*evidence.value)) evidence.value.reset();
  if (!evidence.value && evidence.missing.empty()) evidence.missing = "the value is not finite.";
  return evidence;
}

void ClaimValues::metric(const Arguments& arguments, Evidence& evidence) const {
  require_entry(arguments[0], EntryKind::metric, evidence.term);
  evidence.value = metric_value(input_.profile, arguments[0]);
  if (evidence.value)
    evidence.unit = input_.profile.metrics.at(arguments[0]).unit;
  else
    evidence.missing = said(missing_entry(input_.profile, arguments[0]));
}

void ClaimValues::curve(const Arguments& arguments, Evidence& evidence) const {
  require_entry(arguments[0], EntryKind::curve, evidence.term);
  const double x = number(arguments[1], evidence.term);
  const Points points = points_of(input_.profile, arguments[0], false);
  for (std::size_t i = 0; i < points.x.size(); ++i)
    if (std::fabs(points.x[i] - x) <= 1e-9 * std::fabs(x)) evidence.value = points.y[i];
  if (evidence.value)
    evidence.unit = input_.profile.curves.at(arguments[0]).y_unit;
  else if (points.usable())
    evidence.missing = fmt::format("the curve {} has no point at {}.", arguments[0], arguments[1]);
  else
    evidence.missing = said(missing_entry(input_.profile, arguments[0]));
}

void ClaimValues::cell(const Arguments& arguments, Evidence& evidence) const {
  require_entry(arguments[0], EntryKind::table, evidence.term);
  const auto table = input_.profile.tables.find(arguments[0]);
  if (table == input_.profile.tables.end()) {
    evidence.missing = said(missing_entry(input_.profile, arguments[0]));
    return;
  }
  const auto& columns = table->second.columns;
  const auto column = std::find(columns.begin(), columns.end(), arguments[2]);
  // The first column is the row's name and has no value.
  const auto place = static_cast<std::size_t>(column - columns.begin()) - 1;
  for (const auto& row : table->second.rows)
    if (row.name == arguments[1] && column != columns.end() && place < row.values.size()) {
      evidence.value = row.values[place];
      evidence.unit = table->second.units[place + 1];
    }
  if (!evidence.value)
    evidence.missing =
        fmt::format("the table {} has no {} of '{}'.", arguments[0], arguments[2], arguments[1]);
}

void ClaimValues::roof(const Arguments& arguments, Evidence& evidence) const {
  const std::map<std::string, std::pair<std::optional<double>, const char*>> roofs{
      {"fma", {analysis_.roofs.fma_flops, "flop/s"}},
      {"l2", {analysis_.roofs.l2_bytes_s, "byte/s"}},
      {"dram", {analysis_.roofs.dram_bytes_s, "byte/s"}}};
  const auto found = roofs.find(arguments[0]);
  if (found == roofs.end())
    throw InputError(fmt::format("{}: the roofs are fma, l2 and dram", evidence.term));
  std::tie(evidence.value, evidence.unit) = found->second;
  if (!evidence.value)
    evidence.missing = "the profile lacks what this roof is made of; `rooftile characterize`.";
}

std::vector<std::string> ClaimValues::shapes() const {
  std::vector<std::string> plain;
  for (const std::string& shape : analysis_.shapes)
    if (shape.find(' ') == std::string::npos) plain.push_back(shape);
  return plain;
}

std::string ClaimValues::default_tile(const std::string& variant) const {
  for (const VariantText& text : input_.variants)
    if (text.name == variant && text.default_tile) return tile_name(*text.default_tile);
  return "";
}

bool ClaimValues::known(const std::string& variant) const {
  const auto& names = input_.variants;
  return names.empty() || variant == best || is_library(variant) ||
         std::any_of(names.begin(), names.end(), [&](const auto& v) { return v.name == variant; });
}

const Measured* ClaimValues::run(const Arguments& arguments, bool tile_follows,
                                 Evidence& evidence) const {
  const std::string &variant = arguments[0], shape = whole_shape(arguments[1]);
  const std::string asked = tile_follows && arguments.size() > 2 ? arguments[2] : "";
  if (variant == best && !asked.empty())
    throw InputError(fmt::format("{}: `{}` is the fastest of all tiles", evidence.term, best));
  const std::string tile = asked.empty() ? default_tile(variant) : asked;
  const Measured* found = nullptr;
  if (tile.empty())
    found = analysis_.fastest(shape, variant == best ? "" : variant);
  else
    for (const Measured& measured : analysis_.runs)
      if (measured.run->variant == variant && measured.shape == shape &&
          tile_name(measured.run->tile) == tile &&
          (found == nullptr || measured.time_s < found->time_s))
        found = &measured;
  if (found == nullptr)
    evidence.missing = known(variant) ? no_run(variant, shape, asked) : no_variant(variant);
  return found;
}

void ClaimValues::time(const Arguments& arguments, Evidence& evidence) const {
  evidence.unit = "s";
  if (const Measured* found = run(arguments, true, evidence)) evidence.value = found->time_s;
}

void ClaimValues::speed(const Arguments& arguments, Evidence& evidence) const {
  evidence.unit = "flop/s";
  if (const Measured* found = run(arguments, true, evidence)) evidence.value = found->flops;
}

void ClaimValues::share(const Arguments& arguments, Evidence& evidence) const {
  const Measured* found = run(arguments, true, evidence);
  if (found == nullptr) return;
  evidence.value = analysis_.share_of_baseline(*found);
  if (!evidence.value) evidence.missing = no_run(baseline_name, found->shape, "");
}

void ClaimValues::registers(const Arguments& arguments, Evidence& evidence) const {
  evidence.unit = "count";
  const Measured* found = run(arguments, true, evidence);
  if (found == nullptr) return;
  if (found->run->resources.compiled)
    evidence.value = found->run->resources.registers_per_thread;
  else
    evidence.missing = "the run does not say which registers the compiled kernel has.";
}

void ClaimValues::spill(const Arguments& arguments, Evidence& evidence) const {
  evidence.unit = "byte";
  const Measured* found = run(arguments, true, evidence);
  if (found == nullptr) return;
  if (found->run->resources.compiled)
    evidence.value = static_cast<double>(found->run->resources.spill_bytes);
  else
    evidence.missing = "the run does not say what the compiled kernel spills.";
}

void ClaimValues::counter(const Arguments& arguments, Evidence& evidence) const {
  evidence.unit = "";
  const Measured* found = run(arguments, false, evidence);
  if (found == nullptr) return;
  for (const auto& [name, value] : found->run->counters.values)
    if (name == arguments[2]) evidence.value = value;
  if (!evidence.value)
    evidence.missing = fmt::format(
        "the run of {} on {} has no counter {} ({}); `rooftile measure --counters` where "
        "permitted.",
        arguments[0], found->shape, arguments[2],
        found->run->counters.reason.empty() ? "not collected" : found->run->counters.reason);
}

void ClaimValues::predicted(const Arguments& arguments, Evidence& evidence) const {
  const auto field = prediction_fields().find(arguments[2]);
  if (field == prediction_fields().end())
    throw InputError(fmt::format("{}: a prediction has no '{}'", evidence.term, arguments[2]));
  evidence.unit = field->second.second;
  const Measured* found = run(arguments, false, evidence);
  if (found == nullptr) return;
  // Sorted by detail: the finest that has this run, since not each predicts every kernel.
  for (const std::string& predictor : analysis_.predictors)
    if (const auto p = found->predictions.find(predictor); p != found->predictions.end())
      evidence.value = p->second->*field->second.first;
  if (!evidence.value)
    evidence.missing =
        said(missing_predictions(fmt::format("{} of {}", arguments[2], arguments[0])));
}

void ClaimValues::accuracy(const Arguments& arguments, Evidence& evidence) const {
  require_name(arguments[0], predictor_names(), evidence.term);
  require_name(arguments[1], {"dev", "sealed"}, evidence.term);
  const auto figure = accuracy_figures().find(arguments[2]);
  if (figure == accuracy_figures().end())
    throw InputError(fmt::format("{}: a rule cannot ask for '{}'", evidence.term, arguments[2]));
  const auto& predictors = input_.validation.predictors;
  const auto splits = predictors.find(arguments[0]);
  if (splits != predictors.end())
    if (const auto summary = splits->second.find(arguments[1]); summary != splits->second.end())
      evidence.value = summary->second.*figure->second;
  if (!evidence.value)
    evidence.missing =
        fmt::format("the validation has no {}.{}.{}; `rooftile validate` on more runs.",
                    arguments[0], arguments[1], arguments[2]);
}

}  // namespace rooftile::report
