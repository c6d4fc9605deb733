// Curves of the profile that are drawn by one rule: one figure for those of a microbenchmark that
// have one y unit and run over one quantity, by group; and the section of what no other one shows.
// Scales, ticks and names follow from rules (curve_shape.hpp, curve_names.hpp).
#include <fmt/format.h>

#include <algorithm>

#include "report/curve_panel.hpp"
#include "report/entry_groups.hpp"
#include "report/format.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

/// What the picture shows beside the ids and their meanings.
std::string remarks(const CurvePanel& panel) {
  std::string text;
  if (lines_of(panel).size() < panel.curves.size())
    text += " Lines that cannot be told apart (1 %) are drawn as one.";
  if (panel.without_first)
    for (const NamedCurve& curve : panel.curves)
      text += fmt::format(" Off the picture: {} at {}.",
                          show_value(curve.points.y.front(), panel.y_unit),
                          significant(curve.points.x.front(), 1));
  return text;
}

/// "cluster: latency over blocks of the cluster". A line without a key is named by the first word
/// of its id where the microbenchmark does not say it: "loaded_latency, l2: ...".
std::string title_of(const CurvePanel& panel) {
  std::string title = panel.supplier;
  const std::string id(panel.curves.front().entry->id);
  const std::string word = id.substr(0, id.find('.'));
  if (panel.curves.size() == 1 && title.find(word) == std::string::npos) title += ", " + word;
  return fmt::format("{}: {} over {}", title, y_title(panel), panel.x.label);
}

Figure figure_of(const DeviceProfile& profile, const CurvePanel& panel) {
  Figure figure;
  figure.title = title_of(panel);
  for (const NamedCurve& curve : panel.curves) {
    const std::string id(curve.entry->id);
    const auto [lo, hi] = std::minmax_element(curve.points.y.begin(), curve.points.y.end());
    const Curve& recorded = profile.curves.at(id);
    figure.caption +=
        fmt::format("{}{}: {}", figure.caption.empty() ? "" : " ", id, curve.entry->meaning);
    figure.caption +=
        recorded.state == State::suspect ? " (suspect: " + recorded.reason + ")." : ".";
    figure.alternative += fmt::format(
        "{}{} from {} to {} over {} points", figure.alternative.empty() ? "" : "; ", id,
        show_value(*lo, panel.y_unit), show_value(*hi, panel.y_unit), curve.points.x.size());
  }
  figure.caption += remarks(panel);
  figure.plot = plot_of(panel);
  figure.command = entry_command(std::string(panel.curves.front().entry->id));
  figure.wide = figure.plot.width > Plot().width;
  return figure;
}

}  // namespace

std::vector<Figure> curve_figures(const DeviceProfile& profile, const std::string& group) {
  std::vector<Figure> figures;
  for (const CurvePanel& panel : curve_panels(profile))
    if (panel.group == group) figures.push_back(figure_of(profile, panel));
  return figures;
}

Section curves_section(const ReportInput& input) {
  Section section{"curves", "Every other curve", {}};
  for (const std::string& title : entry_group_titles()) {
    if (title == entry_group("ffma")) continue;  // stands with the register ports
    std::vector<Figure> figures = curve_figures(input.profile, title);
    if (figures.empty()) continue;
    section.blocks.emplace_back(Heading{title});
    for (Figure& figure : figures) section.blocks.emplace_back(std::move(figure));
  }
  if (section.blocks.empty())
    section.blocks.push_back(
        Paragraph{"The profile holds no other curve.", Tone::missing, "rooftile characterize"});
  return section;
}

}  // namespace rooftile::report
