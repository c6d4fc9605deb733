// Which tile: the fastest of all legal ones at common shapes, and the landscape over BM x BN with
// what was measured of it. The predictions come with the input; here they are only laid out.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/format.hpp"
#include "report/heat_map.hpp"
#include "report/sections.hpp"

namespace rooftile::report {
namespace {

std::string ties_text(const TileChoice& choice) {
  return choice.ties > 1 ? fmt::format("; {} tiles tie", choice.ties) : "";
}

/// Title and tile. What the model does not describe may choose a tile at each launch: the one in
/// its runs is then a mere name.
std::string kernel_text(const ReportInput& input, const Measured& m) {
  const std::string title = variant_title(input, m.run->variant);
  return m.predictions.empty() ? title : title + " " + tile_name(m.run->tile);
}

std::string measured_text(const ReportInput& input, const Measured* m) {
  if (!m) return "not measured";
  return fmt::format("fastest measured: {}, {}", kernel_text(input, *m), format_tflops(m->flops));
}

TableBlock choice_table(const ReportInput& input, const Analysis& analysis) {
  TableBlock table{
      fmt::format("Best tiles by {}", analysis.outlook.choices.front().best.predictor),
      {{"M x N x K", false},
       {"variant", false},
       {"tile", false},
       {"predicted"},
       {"TFLOP/s"},
       {"bound", false},
       {"waves"},
       {"ties", true, "tiles within the interval that the profile's uncertainty gives the best"},
       {"legal tiles"},
       {"fastest measured", false},
       {"TFLOP/s, measured"}},
      {}};
  for (const TileChoice& choice : analysis.outlook.choices) {
    const Prediction& p = choice.best;
    const std::string shape = problem_name(p.problem);
    const Measured* m = analysis.fastest_of_ours(shape);
    table.rows.push_back(
        {{shape},
         {variant_title(input, p.variant)},
         {tile_name(p.tile)},
         {format_time(p.time_s), "", p.time_s},
         {tflops(p.flops()), "", p.flops()},
         {std::string(to_string(p.bound))},
         {significant(p.waves, 3), "", p.waves},
         {std::to_string(choice.ties), "", static_cast<double>(choice.ties)},
         {std::to_string(choice.considered), "", static_cast<double>(choice.considered)},
         m ? Cell{kernel_text(input, *m)} : Cell{no_value},
         m ? Cell{tflops(m->flops), "", m->flops} : Cell{no_value}});
  }
  return table;
}

/// Our fastest run on blocks of BM x BN, of the kernels that the model describes.
const Measured* fastest_with(const Analysis& analysis, const std::string& shape, int BM, int BN) {
  const Measured* fastest = nullptr;
  for (const Measured& m : analysis.runs)
    if (m.shape == shape && m.ours() && !m.predictions.empty() && m.run->tile.BM == BM &&
        m.run->tile.BN == BN && (!fastest || m.time_s < fastest->time_s))
      fastest = &m;
  return fastest;
}

HeatCell landscape_cell(const ReportInput& input, const Analysis& analysis, const Prediction& p,
                        const std::string& shape) {
  HeatCell cell;
  cell.value = p.flops() / 1e12;
  cell.hover = fmt::format("BM {}, BN {}: {} {}, predicted {} ({}), bound {}", p.tile.BM, p.tile.BN,
                           variant_title(input, p.variant), tile_name(p.tile),
                           format_time(p.time_s), format_tflops(p.flops()), to_string(p.bound));
  const Measured* m = fastest_with(analysis, shape, p.tile.BM, p.tile.BN);
  if (!m) return cell;
  cell.below = m->flops / 1e12;
  cell.hover += fmt::format("; measured: {}, {} ({})", kernel_text(input, *m),
                            format_time(m->time_s), format_tflops(m->flops));
  return cell;
}

const Prediction& best_of(const std::vector<const Prediction*>& tiles) {
  return **std::min_element(tiles.begin(), tiles.end(),
                            [](const auto* a, const auto* b) { return a->time_s < b->time_s; });
}

/// Sizes of blocks with which some tile reaches a quarter of the best speed.
std::set<int> worthwhile(const std::vector<const Prediction*>& tiles, int Tile::*size) {
  std::set<int> sizes;
  for (const Prediction* p : tiles)
    if (p->time_s <= 4 * best_of(tiles).time_s) sizes.insert(p->tile.*size);
  return sizes;
}

HeatMap landscape_map(const ReportInput& input, const Analysis& analysis,
                      const std::vector<const Prediction*>& tiles, const std::string& shape) {
  const auto rows = worthwhile(tiles, &Tile::BM), columns = worthwhile(tiles, &Tile::BN);
  HeatMap map = block_map(rows, columns);
  map.name = "landscape_" + file_stem(shape);
  map.value = "TFLOP/s, predicted";
  map.below = "TFLOP/s, measured";
  for (const Prediction* p : tiles) {
    if (!rows.contains(p->tile.BM) || !columns.contains(p->tile.BN)) continue;
    map.cells.push_back(landscape_cell(input, analysis, *p, shape));
    map.cells.back().row = place_of(p->tile.BM, rows);
    map.cells.back().column = place_of(p->tile.BN, columns);
  }
  return map;
}

Figure landscape_figure(const ReportInput& input, const Analysis& analysis,
                        const std::vector<const Prediction*>& tiles) {
  const std::string shape = problem_name(tiles.front()->problem);
  const Prediction& best = best_of(tiles);
  Figure figure;
  figure.plot = plot_of(landscape_map(input, analysis, tiles, shape));
  figure.title = "Tile landscape at " + shape;
  figure.command = "rooftile tune --shape " + shape;
  figure.alternative = fmt::format(
      "Predicted speed of the fastest kernel of each of {} block tiles; the best is {} of {} with "
      "{}.",
      tiles.size(), tile_name(best.tile), variant_title(input, best.variant),
      format_tflops(best.flops()));
  figure.caption = fmt::format(
      "TFLOP/s by {} of the fastest kernel of each BM x BN, whatever its BK, thread tile and "
      "variant; in brackets the fastest measured one of those that the model describes. Point at a "
      "cell for "
      "both kernels. Sizes that stay below a quarter of the best are left out. {}",
      best.predictor, figure.alternative);
  return figure;
}

std::vector<std::vector<const Prediction*>> by_problem(const std::vector<Prediction>& predictions) {
  std::vector<std::vector<const Prediction*>> groups;
  for (const Prediction& p : predictions) {
    if (groups.empty() || problem_name(groups.back().front()->problem) != problem_name(p.problem))
      groups.emplace_back();
    groups.back().push_back(&p);
  }
  return groups;
}

}  // namespace

std::vector<std::string> choice_sentences(const ReportInput& input, const Analysis& analysis) {
  std::vector<std::string> sentences;
  for (const TileChoice& choice : analysis.outlook.choices) {
    const Prediction& p = choice.best;
    const std::string shape = problem_name(p.problem);
    sentences.push_back(fmt::format("{}: {} of {}, predicted {} (bound {}{}); {}.", shape,
                                    tile_name(p.tile), variant_title(input, p.variant),
                                    format_tflops(p.flops()), to_string(p.bound), ties_text(choice),
                                    measured_text(input, analysis.fastest_of_ours(shape))));
  }
  return sentences;
}

Section tiles_section(const ReportInput& input, const Analysis& analysis) {
  Section section{"tiles", "Which tile", {}};
  const Outlook& outlook = analysis.outlook;
  if (outlook.choices.empty() && outlook.landscape.empty()) {
    section.blocks.emplace_back(
        Paragraph{"The best tiles: this profile does not hold what the search needs.",
                  Tone::missing, "rooftile characterize"});
    return section;
  }
  section.blocks.emplace_back(Paragraph{
      "Predictions over every legal tile of every predicted variant, most of which were never "
      "compiled: their registers are estimated. How far such predictions are off stands below, "
      "under the measured tiles. A tile is written BMxBNxBK of the block / TMxTN of a thread / "
      "WMxWN of a warp. For another shape: rooftile tune --shape MxNxK."});
  if (!outlook.choices.empty()) section.blocks.emplace_back(choice_table(input, analysis));
  for (const auto& tiles : by_problem(outlook.landscape))
    section.blocks.emplace_back(landscape_figure(input, analysis, tiles));
  for (Block& block : landscape_blocks(input)) section.blocks.push_back(std::move(block));
  return section;
}

}  // namespace rooftile::report
