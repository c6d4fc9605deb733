// Tables of a fleet: a line a card, and a line a metric.
#include "cli/fleet_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/filter.hpp"
#include "cli/quantity.hpp"

namespace rooftile::cli {
namespace {

/// "E +5.10 % (z 34.2)"; the value itself where the median is 0.
std::string outlier_text(const ComparedFile& file, const FleetValue& card,
                         const FleetMetric& metric) {
  std::string text = file.name + " ";
  text += card.deviation ? fmt::format("{:+.2f} %", 100 * *card.deviation)
                         : format_quantity(*card.value, metric.unit);
  return card.z ? text + fmt::format(" (z {:.1f})", *card.z) : text;
}

/// One text a card for which `text_of` has one, in the order of the files.
template <class TextOf>
std::string card_list(const FleetInputs& inputs, const FleetMetric& metric, TextOf text_of) {
  std::string list;
  for (std::size_t i = 0; i < inputs.files.size(); ++i)
    if (const std::string text = text_of(inputs.files[i], metric.values[i]); !text.empty())
      list += (list.empty() ? "" : ", ") + text;
  return list;
}

std::string outliers_of(const FleetInputs& inputs, const FleetMetric& metric) {
  return card_list(inputs, metric, [&](const ComparedFile& file, const FleetValue& card) {
    return card.outlier ? outlier_text(file, card, metric) : "";
  });
}

/// Do these cards not have the metric at all? Values that are suspect or failed are another thing.
bool exists_nowhere(const FleetMetric& metric) {
  return std::all_of(metric.values.begin(), metric.values.end(), [](const FleetValue& card) {
    return card.absent == "missing" || card.absent.starts_with("skipped");
  });
}

/// "B missing, D suspect", without the reasons; "" where no card has a value.
std::string left_out_cards(const FleetInputs& inputs, const FleetMetric& metric) {
  if (exists_nowhere(metric)) return {};
  return card_list(inputs, metric, [](const ComparedFile& file, const FleetValue& card) {
    return card.absent.empty() ? ""
                               : file.name + " " + card.absent.substr(0, card.absent.find(':'));
  });
}

/// Ids in which card `i` stands apart.
std::vector<std::string> ids_apart(const FleetInputs& inputs, std::size_t i) {
  std::vector<std::string> ids;
  for (const FleetMetric& metric : inputs.metrics)
    if (metric.values[i].outlier) ids.push_back(metric.id);
  return ids;
}

ResultTable cards_table(const FleetInputs& inputs) {
  ResultTable table{"cards",
                    {{"", "file_name", ""},
                     {"file", "file", ""},
                     {"GPU", "gpu_uuid", ""},
                     {"host", "host", ""},
                     {"recorded", "recorded", ""},
                     {"stands apart in", "outliers", "count"}},
                    {},
                    {}};
  for (std::size_t i = 0; i < inputs.files.size(); ++i) {
    const ComparedFile& file = inputs.files[i];
    table.rows.push_back({file.name, file.path, file.environment.gpu_uuid, file.environment.host,
                          file.environment.utc_time,
                          static_cast<double>(ids_apart(inputs, i).size())});
  }
  return table;
}

ResultTable fleet_metrics_table(const FleetInputs& inputs, bool all) {
  ResultTable table{"metrics",
                    {{"metric", "metric", ""},
                     {"n", "n", "count"},
                     {"median", "median", ""},
                     {"MAD", "mad", ""},
                     {"stand apart", "outliers", ""},
                     {"left out", "left_out", ""}},
                    {},
                    {}};
  for (const FleetMetric& metric : inputs.metrics) {
    const std::string outliers = outliers_of(inputs, metric);
    if (!all && outliers.empty()) continue;
    const auto quantity = [&](const std::optional<double>& value) {
      return value ? Cell(format_quantity(*value, metric.unit)) : Cell();
    };
    table.rows.push_back({metric.id, static_cast<double>(metric.n), quantity(metric.median),
                          quantity(metric.mad), outliers, left_out_cards(inputs, metric)});
  }
  return table;
}

/// What the heads say differently beside the card and its host, which explains more than a card
/// can.
std::string other_differences(const FleetInputs& inputs) {
  std::string list;
  for (const HeadDifference& difference : head_differences(inputs.files))
    if (difference.member != "GPU UUID" && difference.member != "host")
      list += (list.empty() ? "" : ", ") + difference.member;
  return list;
}

ResultTable fleet_summary(const FleetInputs& inputs, double tolerance) {
  ResultTable table{"summary", {}, {}, {}};
  const auto count = [&](auto predicate) {
    return std::count_if(inputs.metrics.begin(), inputs.metrics.end(), predicate);
  };
  const auto judged = count([](const FleetMetric& metric) { return metric.judged(); });
  const auto unjudged =
      count([](const FleetMetric& metric) { return !metric.judged() && !exists_nowhere(metric); });
  table.notes.push_back(fmt::format(
      "{} cards of {}; {} metrics judged, {} with fewer than {} values not", inputs.files.size(),
      inputs.files.front().environment.gpu_name, judged, unjudged, fewest_cards));
  std::string apart;
  for (std::size_t i = 0; i < inputs.files.size(); ++i)
    if (const auto ids = ids_apart(inputs, i); !ids.empty())
      apart += fmt::format("{}{} ({}) in {}", apart.empty() ? "" : ", ", inputs.files[i].name,
                           inputs.files[i].environment.gpu_uuid, ids.size());
  table.notes.push_back(apart.empty() ? "no card stands apart" : "stand apart: " + apart);
  if (const std::string others = other_differences(inputs); !others.empty())
    table.notes.push_back("not only the cards differ, but also: " + others);
  table.notes.push_back(fmt::format(
      "apart: more than {:.1f} x 1.4826 MAD from the median where all cards have a value, and "
      "beyond the uncertainty (repeat95){}",
      outlier_threshold(inputs.files.size()),
      tolerance > 0 ? fmt::format(" and {:g} %", 100 * tolerance) : ""));
  return table;
}

/// One line a metric and card, full precision: what CSV gets.
ResultTable flat_fleet_table(const FleetInputs& inputs, bool all) {
  ResultTable table{"",
                    {{"file", "file", ""},
                     {"gpu_uuid", "gpu_uuid", ""},
                     {"id", "id", ""},
                     {"unit", "unit_name", ""},
                     {"value", "value", "1"},
                     {"median", "median", "1"},
                     {"mad", "mad", "1"},
                     {"deviation", "deviation", "1"},
                     {"z", "z", "1"},
                     {"outlier", "outlier", ""},
                     {"absent", "absent", ""}},
                    {},
                    {}};
  const auto number = [](const std::optional<double>& value) {
    return value ? Cell(*value) : Cell();
  };
  for (const FleetMetric& metric : inputs.metrics)
    for (std::size_t i = 0; i < inputs.files.size(); ++i) {
      const FleetValue& card = metric.values[i];
      if (!all && !card.outlier) continue;
      table.rows.push_back({inputs.files[i].name, inputs.files[i].environment.gpu_uuid, metric.id,
                            metric.unit, number(card.value), number(metric.median),
                            number(metric.mad), number(card.deviation), number(card.z),
                            std::string(card.outlier ? "yes" : "no"), card.absent});
    }
  return table;
}

/// What a gate on `metric` says of card `i`; "" where there is nothing to say.
std::string failure_of(const FleetInputs& inputs, const FleetMetric& metric, std::size_t i) {
  const ComparedFile& file = inputs.files[i];
  const FleetValue& card = metric.values[i];
  if (card.outlier)
    return fmt::format("{}: {} stands apart ({}, {})", metric.id, outlier_text(file, card, metric),
                       file.environment.gpu_uuid, file.path);
  if (!card.absent.empty())
    return fmt::format("{}: {} cannot be judged: {} ({})", metric.id, file.name, card.absent,
                       file.path);
  return {};
}

}  // namespace

Results fleet_results(const FleetInputs& inputs, double tolerance, bool all) {
  Results results{fleet_json(inputs.files, inputs.metrics, tolerance), {}, ""};
  results.tables.push_back(cards_table(inputs));
  if (ResultTable metrics = fleet_metrics_table(inputs, all); !metrics.rows.empty())
    results.tables.push_back(std::move(metrics));
  results.tables.push_back(fleet_summary(inputs, tolerance));
  results.csv = flat_fleet_table(inputs, all);
  return results;
}

std::vector<std::string> fleet_failures(const FleetInputs& inputs, const std::string& pattern) {
  std::vector<std::string> ids, failures;
  for (const FleetMetric& metric : inputs.metrics) ids.push_back(metric.id);
  const std::vector<std::string> gated = filter_names(ids, pattern, "--fail-on");
  for (const FleetMetric& metric : inputs.metrics) {
    if (exists_nowhere(metric) || std::find(gated.begin(), gated.end(), metric.id) == gated.end())
      continue;
    if (!metric.judged())
      failures.push_back(fmt::format("{}: {} values are too few to judge", metric.id, metric.n));
    for (std::size_t i = 0; i < inputs.files.size(); ++i)
      if (std::string text = failure_of(inputs, metric, i); !text.empty())
        failures.push_back(std::move(text));
  }
  return failures;
}

}  // namespace rooftile::cli
