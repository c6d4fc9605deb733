// The table of a profile and the exit code that its states ask for.
#include "cli/profile_results.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/quantity.hpp"

namespace rooftile::cli {
namespace {

std::string interval_text(const Metric& metric) {
  if (!metric.ci95) return "-";
  return fmt::format("{} to {}", format_quantity(metric.ci95->lo, metric.unit),
                     format_quantity(metric.ci95->hi, metric.unit));
}

std::vector<Cell> metric_row(const std::string& id, const Metric& metric) {
  return {id,
          metric.value ? Cell(format_quantity(*metric.value, metric.unit)) : Cell(),
          metric.unit,
          interval_text(metric),
          static_cast<double>(metric.n),
          std::string(to_string(metric.state)),
          metric.reason};
}

}  // namespace

Results profile_results(const DeviceProfile& profile, const std::string& path,
                        const std::string& notice) {
  ResultTable table{fmt::format("{}, written to {}", profile.environment.gpu_name, path),
                    {{"metric", "metric", ""},
                     {"value", "value", ""},
                     {"unit", "unit_name", ""},
                     {"95 % interval", "ci95", ""},
                     {"n", "n", "count"},
                     {"state", "state", ""},
                     {"reason", "reason", ""}},
                    {},
                    {}};
  for (const auto& [id, metric] : profile.metrics) table.rows.push_back(metric_row(id, metric));
  table.notes.push_back(
      fmt::format("and {} curves, {} tables", profile.curves.size(), profile.tables.size()));
  return {profile.to_json(), {table}, notice};
}

Results characterize_plan_results(const CharacterizePlan& plan, const std::string& notice) {
  ResultTable table{"would run",
                    {{"microbenchmark", "microbenchmark", ""},
                     {"estimated", "estimated", "s"},
                     {"what", "what", ""}},
                    {},
                    {}};
  Json list = Json::array();
  double total_s = 0;
  for (const MicrobenchmarkInfo& info : plan.todo) {
    table.rows.push_back({info.name, info.estimated_s, info.summary});
    list.push_back({{"name", info.name}, {"estimated_s", info.estimated_s}});
    total_s += info.estimated_s;
  }
  table.notes.push_back(
      fmt::format("about {} in all, into {}", format_duration(total_s), plan.path));
  if (!plan.kept.empty())
    table.notes.push_back(fmt::format("kept: {}", fmt::join(plan.kept, ", ")));
  return {Json{{"plan", list}, {"kept", plan.kept}, {"estimated_s", total_s}}, {table}, notice};
}

int profile_exit_code(const DeviceProfile& profile, bool strict) {
  const auto failed = entries_in_state(profile, State::failed);
  for (const std::string& entry : failed) print_error("failed: " + entry);
  if (!failed.empty()) return exit_failed;
  if (profile.metrics.empty()) {
    print_error("the profile has no metric");
    return exit_failed;
  }
  const auto suspect = entries_in_state(profile, State::suspect);
  for (const std::string& entry : suspect) print_warning("suspect: " + entry);
  return strict && !suspect.empty() ? exit_suspect : exit_ok;
}

}  // namespace rooftile::cli
