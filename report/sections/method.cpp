// How each number was made: the commands behind the files, the machine and its state, the versions,
// and the meaning of the error measures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

std::string or_dash(const std::string& text) { return text.empty() ? no_value : text; }

std::string condition_text(const DeviceCondition& c) {
  if (!c.available) return "not available";
  std::string throttle;
  for (const auto& reason : c.throttle_reasons) throttle += (throttle.empty() ? "" : ", ") + reason;
  return fmt::format("SM {}, memory {}, {}, {}; throttle: {}", show_value(c.sm_clock_hz, "Hz", 4),
                     show_value(c.memory_clock_hz, "Hz", 4), show_value(c.power_w, "W", 3),
                     show_value(c.temperature_c, "degC", 2), throttle.empty() ? "none" : throttle);
}

struct Origin {
  std::string what;
  const Environment* environment;
  const CreatedBy* created_by;
};

std::vector<Origin> origins(const ReportInput& input) {
  std::vector<Origin> list = {{"profile", &input.profile.environment, &input.profile.created_by}};
  if (!input.runs.empty()) {
    list.push_back(
        {"runs, first", &input.runs.front().environment, &input.runs.front().created_by});
    if (input.runs.size() > 1)
      list.push_back({"runs, last", &input.runs.back().environment, &input.runs.back().created_by});
  }
  if (!input.validation.predictors.empty())
    list.push_back({"validation", &input.validation.environment, &input.validation.created_by});
  return list;
}

TableBlock environment_table(const ReportInput& input) {
  const auto list = origins(input);
  TableBlock table{"Machine and versions", {{"", false}}, {}};
  for (const auto& origin : list) table.columns.push_back({origin.what, false});
  const auto add = [&](const std::string& name, auto text) {
    std::vector<Cell> row = {{name}};
    for (const auto& origin : list)
      row.push_back({or_dash(text(*origin.environment, *origin.created_by))});
    table.rows.push_back(std::move(row));
  };
  using E = const Environment&;
  using C = const CreatedBy&;
  add("GPU", [](E e, C) { return e.gpu_name; });
  add("UUID", [](E e, C) { return e.gpu_uuid; });
  add("PCI bus id", [](E e, C) { return e.pci_bus_id; });
  add("compute capability", [](E e, C) {
    return e.compute_capability_major == 0
               ? std::string()
               : fmt::format("{}.{}", e.compute_capability_major, e.compute_capability_minor);
  });
  add("SMs", [](E e, C) { return e.sm_count > 0 ? std::to_string(e.sm_count) : std::string(); });
  add("driver", [](E e, C) { return e.driver_version; });
  add("CUDA runtime", [](E e, C) { return e.cuda_runtime_version; });
  add("cuBLAS", [](E e, C) { return e.cublas_version; });
  add("host; CPU", [](E e, C) { return e.host + (e.cpu.empty() ? "" : "; " + e.cpu); });
  add("power limit", [](E e, C) {
    return e.power_limit_w > 0 ? show_value(e.power_limit_w, "W", 4) : std::string();
  });
  add("ECC; MIG", [](E e, C) { return or_dash(e.ecc) + "; " + or_dash(e.mig); });
  add("at the start", [](E e, C) { return condition_text(e.start); });
  add("at the end", [](E e, C) { return condition_text(e.end); });
  add("time (UTC)", [](E e, C) { return e.utc_time; });
  add("command", [](E e, C) { return e.command_line; });
  add("rooftile", [](E, C c) {
    return c.version.empty() ? std::string()
                             : fmt::format("{} ({}, {})", c.version, or_dash(c.git_revision),
                                           or_dash(c.build_type));
  });
  return table;
}

TableBlock source_table(const ReportInput& input) {
  TableBlock table{
      "Files and the commands that made them", {{"file", false}, {"command", false}}, {}};
  for (const auto& [file, command] : input.sources)
    table.rows.push_back({{file}, {or_dash(command)}});
  return table;
}

TableBlock curve_table(const DeviceProfile& profile) {
  TableBlock table{"Curves and tables of the profile",
                   {{"id", false}, {"points"}, {"state", false}, {"method", false}},
                   {}};
  for (const auto& [id, curve] : profile.curves)
    table.rows.push_back(
        {{id},
         {std::to_string(curve.x.size()), "", static_cast<double>(curve.x.size())},
         {std::string(to_string(curve.state)) + (curve.reason.empty() ? "" : ": " + curve.reason)},
         {or_dash(curve.method)}});
  for (const auto& [id, rows] : profile.tables)
    table.rows.push_back(
        {{id},
         {std::to_string(rows.rows.size()), "", static_cast<double>(rows.rows.size())},
         {"ok"},
         {or_dash(rows.method)}});
  return table;
}

std::string runs_sentence(const ReportInput& input, const Analysis& analysis) {
  std::size_t converged = 0, suspect = 0, samples = 0, checked = 0;
  for (const auto& m : analysis.runs) {
    converged += m.run->time->converged ? 1 : 0;
    suspect += m.run->state == State::suspect ? 1 : 0;
    samples += static_cast<std::size_t>(std::max(m.run->time->n, 0));
    checked += m.run->correctness ? 1 : 0;
  }
  return fmt::format(
      "{} were recorded; {} have a speed ({} samples together), {} of these reached the target "
      "interval of the "
      "median, {} were checked against an FP64 reference, {} are suspect (throttled or noisy).",
      plural(input.runs.size(), "run", "runs"), analysis.runs.size(), samples, converged, checked,
      suspect);
}

}  // namespace

Section method_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"method", "How each number was made", {}};
  if (input.sources.empty())
    section.blocks.emplace_back(Paragraph{"The sources of this page were not named.", Tone::note});
  else
    section.blocks.emplace_back(source_table(input));
  section.blocks.emplace_back(environment_table(input));
  if (!input.runs.empty()) section.blocks.emplace_back(Paragraph{runs_sentence(input, analysis)});
  if (!input.profile.curves.empty() || !input.profile.tables.empty())
    section.blocks.emplace_back(curve_table(input.profile));
  section.blocks.emplace_back(Heading{"What the words mean"});
  section.blocks.emplace_back(ListBlock{
      {"TFLOP/s: 2 M N K over the median time of the kernel, in 10^12 per second.",
       "FMA peak: measured FFMA rate x 2 x SMs x the clock measured under FFMA load.",
       "L2 roof: measured L2 read rate per cycle x the clock measured under light load.",
       ("MAPE: mean of |predicted - measured| / measured. Bias: the same without the bars; "
        "positive "
        "means predicted too slow."),
       ("tau-b: Kendall's rank correlation between predicted and measured order of the variants of "
        "a shape, mean over shapes; 1 is the same order."),
       "Regret: t of the model's pick over t of the best, less 1; geometric mean over shapes.",
       ("ok, suspect (noisy or throttled), skipped, failed: the state of a value; all but ok carry "
        "a reason."),
       "Every plot has its script and data in plots/; `gnuplot <name>.gp` there draws it again."}});
  return section;
}

}  // namespace rooftile::report
