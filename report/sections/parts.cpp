// What each part of the model is good for: the errors with one part taken out at a time. The
// figures come from the validation, where they were asked for.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/predict/parts.hpp"
#include "report/dot_rows.hpp"
#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

/// In the order in which they first occur.
template <class Name>
std::vector<std::string> names_of(const std::vector<AblationCase>& cases, const Name& name) {
  std::vector<std::string> names;
  for (const AblationCase& c : cases)
    if (std::find(names.begin(), names.end(), name(c)) == names.end()) names.push_back(name(c));
  return names;
}

bool plausible(const AblationCase& c) { return c.summary.n > 0 && std::isfinite(c.summary.mape); }

Figure parts_figure(const std::vector<AblationCase>& cases) {
  DotRows rows{"ablation", "MAPE on dev, %"};
  rows.rows = names_of(cases, [](const AblationCase& c) { return c.without; });
  for (const auto& predictor : names_of(cases, [](const auto& c) { return c.predictor; })) {
    DotKind kind{predictor, {}};
    for (const AblationCase& c : cases) {
      if (c.predictor != predictor || !plausible(c)) continue;
      const auto row = std::find(rows.rows.begin(), rows.rows.end(), c.without) - rows.rows.begin();
      kind.dots.push_back(
          {static_cast<std::size_t>(row), 100 * c.summary.mape,
           fmt::format("{} without {}: MAPE {}, bias {}", predictor, c.without,
                       format_percent(c.summary.mape), format_percent(c.summary.bias, true))});
    }
    rows.kinds.push_back(std::move(kind));
  }
  Figure figure;
  figure.wide = true;
  figure.plot = plot_of(rows);
  figure.command = "rooftile validate --ablate";
  figure.title = "Errors without one part of the model";
  figure.alternative = fmt::format("MAPE of each predictor with each of {} taken out alone.",
                                   plural(rows.rows.size() - 1, "part", "parts"));
  figure.caption =
      "The first row is the whole model. A smaller error without a part does not say that the part "
      "is wrong: the predictions are too short on the whole, and what lengthens them hides that.";
  return figure;
}

std::string assumed_without(const std::string& part) {
  for (const PartInfo& info : model_parts())
    if (info.name == part) return std::string(info.without);
  return no_value;
}

Cell percent_cell(const std::optional<double>& x, bool with_sign, bool worse) {
  if (!x || !std::isfinite(*x)) return {no_value};
  return {format_percent(*x, with_sign), "", *x, worse ? Mark::warn : Mark::none};
}

TableBlock parts_table(const std::vector<AblationCase>& cases) {
  TableBlock table{"Each part of the model taken out alone (dev; marked where visibly worse)",
                   {{"without", false},
                    {"predictor", false},
                    {"what is assumed instead", false},
                    {"n"},
                    {"MAPE"},
                    {"bias"},
                    {"tau-b"},
                    {"regret top-1"}},
                   {}};
  for (const AblationCase& c : cases) {
    const ErrorSummary& s = c.summary;
    const auto worse = [&](const char* figure) {
      return std::find(c.worse.begin(), c.worse.end(), figure) != c.worse.end();
    };
    const bool tau = s.kendall_tau_b && std::isfinite(*s.kendall_tau_b);
    table.rows.push_back({{c.without},
                          {c.predictor},
                          {c.without == whole_model ? no_value : assumed_without(c.without)},
                          {std::to_string(s.n), "", static_cast<double>(s.n)},
                          percent_cell(s.mape, false, worse("mape")),
                          percent_cell(s.bias, true, worse("bias")),
                          tau ? Cell{fixed(*s.kendall_tau_b, 2), "", s.kendall_tau_b,
                                     worse("kendall_tau_b") ? Mark::warn : Mark::none}
                              : Cell{no_value},
                          percent_cell(s.regret_top1, false, worse("regret_top1"))});
  }
  return table;
}

}  // namespace

Section parts_section(const ReportInput& input) {
  Section section{"parts", "What each part of the model is good for", {}};
  const std::vector<AblationCase>& cases = input.validation.ablation;
  if (cases.empty()) {
    section.blocks.emplace_back(
        Paragraph{"The errors with each part of the model taken out were not asked for: they take "
                  "several times "
                  "as long as the rest of the page.",
                  Tone::note, "rooftile report --ablate"});
    return section;
  }
  section.blocks.emplace_back(parts_figure(cases));
  section.blocks.emplace_back(parts_table(cases));
  return section;
}

}  // namespace rooftile::report
