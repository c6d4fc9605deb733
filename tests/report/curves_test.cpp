// The pictures of "Every other curve": each rule for names, scales, ticks and lines, and whole
// plots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <set>

#include "report/curve_names.hpp"
#include "report/curve_panel.hpp"
#include "report/curve_shape.hpp"

namespace rooftile::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

const CatalogEntry& entry_of(const char* id) {
  const CatalogEntry* entry = find_catalog_entry(id, EntryKind::curve);
  if (!entry) throw std::logic_error(std::string("not in the catalogue: ") + id);
  return *entry;
}

CatalogEntry made_up(const char* id, const char* meaning) {
  return {id, EntryKind::curve, "cycle", "count", "made_up", meaning};
}

std::vector<std::string> labels(const std::vector<Tick>& ticks) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks) result.push_back(tick.label);
  return result;
}

/// The only panel of a profile with these curves.
CurvePanel panel_of(const std::vector<std::pair<const char*, Line>>& curves) {
  DeviceProfile profile;
  for (const auto& [id, line] : curves) {
    Curve& curve = profile.curves[id];
    curve.x_unit = entry_of(id).x_unit;
    curve.y_unit = entry_of(id).unit;
    curve.x = line.x;
    curve.y = line.y;
  }
  std::vector<CurvePanel> panels = curve_panels(profile);
  if (panels.size() != 1) throw std::logic_error("not one panel");
  return panels.front();
}

TEST(CurveNames, TheAxisHasTheWordsOfTheMeaning) {
  EXPECT_EQ(x_quantity(made_up("a.over_warps", "bar.sync over the warps of the block")),
            (Quantity{"warps", "warps of the block"}));
  EXPECT_EQ(x_quantity(made_up("a.over_warps", "x over lines, over the warps of a block: y")),
            (Quantity{"warps", "warps of a block"}));
  EXPECT_EQ(x_quantity(made_up("a.over_open_rows", "cycles, moreover spread")),
            (Quantity{"open_rows", "open rows"}));
  EXPECT_EQ(x_quantity(made_up("a.hit", "share over bytes of all panels")),
            (Quantity{"bytes_of_all_panels", "bytes of all panels"}));
  EXPECT_EQ(x_quantity(made_up("a.b", "nothing said")), (Quantity{"count", "count"}));
}

TEST(CurveNames, EveryCurveOfTheCatalogueNamesItsQuantity) {
  const std::set<std::string> bare = {"", "count", "byte", "bytes", "fraction"};
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.kind != EntryKind::curve) continue;
    const Quantity x = x_quantity(entry);
    EXPECT_FALSE(bare.contains(x.label)) << entry.id;
    EXPECT_LT(x.label.size(), 48u) << entry.id;
    EXPECT_FALSE(entry.unit == "1" && y_quantity(entry).empty()) << entry.id;
  }
}

TEST(CurveNames, AreWhatTellsOneFromAnother) {
  EXPECT_THAT(short_names({&entry_of("mma.f16.throughput.over_warps"),
                           &entry_of("mma.int8_m8.throughput.over_warps")}),
              ElementsAre("f16", "int8_m8"));
  EXPECT_THAT(short_names({&entry_of("bulk_copy.bandwidth.over_bytes_in_flight"),
                           &entry_of("bulk_copy.one_sm.bandwidth.over_bytes_in_flight")}),
              ElementsAre("all SMs", "one_sm"));
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"a", "b", "c"}), "a, b and c");
}

TEST(CurveShape, AGeometricGridIsTheOneMoreEvenInItsLogarithm) {
  EXPECT_TRUE(geometric({1, 2, 4, 8, 12, 16}));
  EXPECT_TRUE(geometric({4, 8, 12, 16, 24, 32, 48, 64}));
  EXPECT_TRUE(geometric({16, 1, 4, 64, 4}));
  EXPECT_FALSE(geometric({1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_FALSE(geometric({1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32}));
  EXPECT_FALSE(geometric({0, 1, 2, 4, 8}));
  EXPECT_FALSE(geometric({1, 1024}));
}

TEST(CurveShape, TheYAxisFollowsTheRange) {
  EXPECT_EQ(y_axis_of({1, 21}), YAxis::logarithmic);
  EXPECT_EQ(y_axis_of({1, 20}), YAxis::from_zero);
  EXPECT_EQ(y_axis_of({0, 21}), YAxis::from_zero);
  EXPECT_EQ(y_axis_of({-1, 21}), YAxis::from_zero);
  EXPECT_EQ(y_axis_of({278, 291}), YAxis::near_data);
  EXPECT_EQ(y_axis_of({100, 100.5}), YAxis::from_zero) << "flat, and shown so";
  EXPECT_EQ(y_axis_of({70, 100}), YAxis::from_zero);
}

TEST(CurveShape, LinesThatCannotBeToldApartAreOne) {
  const Values x = {1, 2, 4};
  const std::vector<Line> lines = {{x, {1, 50, 100}}, {x, {1, 60, 100}}, {x, {1.5, 50.4, 99.2}}};
  using Groups = std::vector<std::vector<std::size_t>>;
  EXPECT_EQ(merged_lines(lines, YAxis::from_zero, {1, 100}), (Groups{{0, 2}, {1}}));
  EXPECT_EQ(merged_lines(lines, YAxis::logarithmic, {1, 100}), (Groups{{0}, {1}, {2}}));
  EXPECT_EQ(merged_lines({{x, {1, 2, 3}}, {{1, 2, 5}, {1, 2, 3}}}, YAxis::from_zero, {1, 3}),
            (Groups{{0}, {1}}))
      << "other grids are other lines";
  EXPECT_EQ(merged_lines({{x, {90, 91, 90}}, {x, {90, 91.5, 90}}}, YAxis::near_data, {90, 91.5}),
            (Groups{{0}, {1}}));
}

TEST(CurveShape, AFirstPointOfAnotherKindIsFound) {
  EXPECT_TRUE(first_point_apart({128, 15, 16, 15, 19}));
  EXPECT_TRUE(first_point_apart({26, 190, 200, 202}));
  EXPECT_FALSE(first_point_apart({50, 15, 16, 15}));
  EXPECT_FALSE(first_point_apart({128, 15, 16, 40}));
  EXPECT_FALSE(first_point_apart({128, 15, 16}));
}

TEST(CurveShape, PointsWithoutALineWhereItWouldInvent) {
  const Values strided = {1, 2, 1.1, 4, 2, 2, 2.2, 8, 3, 16, 32};
  EXPECT_TRUE(points_only({1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 32}, strided));
  EXPECT_FALSE(points_only({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, strided)) << "no gaps";
  EXPECT_FALSE(points_only({1, 2, 4, 8, 16, 32, 64, 128}, {100, 104, 99, 103, 100, 105, 99, 101}));
  EXPECT_FALSE(points_only({1, 2, 4, 8, 16, 32, 64, 128}, {1, 2, 4, 8, 8, 8, 8, 8}));
}

TEST(CurveTicks, CountsAndBytes) {
  EXPECT_THAT(labels(count_ticks({1, 16}, true, false)), ElementsAre("1", "2", "4", "8", "16"));
  EXPECT_THAT(labels(count_ticks({1, 1048576}, true, false)),
              ElementsAre("1", "8", "64", "512", "4 Ki", "32 Ki", "256 Ki"));
  EXPECT_THAT(labels(count_ticks({512, 4096}, true, true)),
              ElementsAre("512 B", "1 KiB", "2 KiB", "4 KiB"));
  EXPECT_THAT(labels(count_ticks({1, 32}, false, false)),
              ElementsAre("4", "8", "12", "16", "20", "24", "28", "32"));
  EXPECT_THAT(labels(count_ticks({0, 8388608}, false, true)), Contains("4 MiB"));
}

TEST(CurveTicks, Rates) {
  EXPECT_THAT(labels(rate_ticks({0.9, 36})), ElementsAre("1", "2", "4", "8", "16", "32"));
  EXPECT_THAT(labels(rate_ticks({0.03, 1.1})), ElementsAre("0.05", "0.1", "0.2", "0.5", "1"));
  EXPECT_THAT(labels(rate_ticks({0.5, 20000})), ElementsAre("1", "10", "100", "1000", "1e+04"));
}

TEST(CurveTicks, AreFewAndInsideTheRange) {
  EXPECT_TRUE(rc::check("count_ticks", [](bool logarithmic, bool bytes) {
    const double lo = *rc::gen::inRange(1, 1 << 30);
    const double hi = lo + *rc::gen::inRange(1, 1 << 30);
    const auto ticks = count_ticks({lo, hi}, logarithmic, bytes);
    RC_ASSERT(ticks.size() <= 10u);
    for (const Tick& tick : ticks)
      RC_ASSERT(tick.position >= lo * (1 - 1e-6) && tick.position <= hi * (1 + 1e-6));
  }));
}

TEST(CurvePanels, OneForAMicrobenchmarkAYUnitAndAnXQuantity) {
  DeviceProfile profile;
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.kind != EntryKind::curve) continue;
    Curve& curve = profile.curves[std::string(entry.id)];
    curve.x = {1, 2, 3};
    curve.y = {1, 2, 3};
  }
  std::set<std::string> names;
  std::size_t panels = 0;
  for (const CurvePanel& panel : curve_panels(profile)) {
    names.insert(plot_of(panel).name);
    ++panels;
    for (const NamedCurve& curve : panel.curves) {
      EXPECT_EQ(curve.entry->supplier, panel.supplier);
      EXPECT_EQ(curve.entry->unit, panel.y_unit);
      EXPECT_EQ(x_quantity(*curve.entry).key, panel.x.key);
    }
  }
  EXPECT_EQ(names.size(), panels);
  EXPECT_TRUE(names.contains("curves_ffma_fma_cycle_SM_warps"));
  EXPECT_TRUE(names.contains("curves_ffma_fma_cycle_SM_ilp"));
  EXPECT_TRUE(names.contains("curves_bulk_copy_byte_cycle_SM_size"));
  EXPECT_TRUE(names.contains("curves_bulk_copy_byte_cycle_SM_bytes_in_flight"));
}

TEST(CurvePlot, IsWrittenAsThis) {
  const Values x = {1, 2, 4, 8};
  const Plot plot =
      plot_of(panel_of({{"mma.f16.throughput.over_warps", {x, {0.25, 0.5, 1, 1}}},
                        {"mma.bf16.throughput.over_warps", {x, {0.25, 0.5, 1, 1}}},
                        {"mma.fp8.throughput.over_warps", {x, {0.02, 0.1, 0.2, 0.2}}}}));
  EXPECT_EQ(plot.name, "curves_mma_sync_inst_cycle_SM_warps");
  EXPECT_EQ(plot.height, 360 + 19);
  ASSERT_EQ(plot.series.size(), 3u) << "the data hold every curve, drawn or not";
  EXPECT_EQ(plot.series[1].name, "mma.bf16.throughput.over_warps");
  std::string text;
  for (const std::string& command : plot.commands) text += command + "\n";
  EXPECT_EQ(text, R"(set logscale x 2
set xrange [0.87:9.2]
set xtics ('1' 1, '2' 2, '4' 4, '8' 8)
set xlabel 'warps of the one block an SM'
set logscale y
set yrange [0.0166667:1.2]
set ytics ('0.02' 0.02, '0.05' 0.05, '0.1' 0.1, '0.2' 0.2, '0.5' 0.5, '1' 1)
set ylabel 'throughput, inst/cycle/SM'
set key tmargin left horizontal Left reverse samplen 1.5 spacing 1.1 width 1 maxcols 2
set rmargin 3
plot 'curves_mma_sync_inst_cycle_SM_warps.dat' index 0 using 1:2 with linespoints lc rgb '#0067a5' pt 7 ps 0.45 linewidth 1.4 title 'f16 and bf16', \
     'curves_mma_sync_inst_cycle_SM_warps.dat' index 0 using 1:2:(sprintf('f16 and bf16: warps of the one block an SM %.6g, throughput %.6g inst/cycle/SM', $1, $2)) with labels hypertext point lc rgb '#0067a5' pt 7 ps 0.45 notitle, \
     'curves_mma_sync_inst_cycle_SM_warps.dat' index 2 using 1:2 with linespoints lc rgb '#c2410c' pt 9 ps 0.45 linewidth 1.4 title 'fp8', \
     'curves_mma_sync_inst_cycle_SM_warps.dat' index 2 using 1:2:(sprintf('fp8: warps of the one block an SM %.6g, throughput %.6g inst/cycle/SM', $1, $2)) with labels hypertext point lc rgb '#c2410c' pt 9 ps 0.45 notitle
)");
}

TEST(CurvePlot, SaysWhenTheAxisDoesNotBeginAtZero) {
  const Plot plot = plot_of(panel_of({{"tlb.latency.over_footprint", {{1e6, 2e6}, {278, 291}}}}));
  EXPECT_THAT(plot.commands, Contains("set ylabel 'latency, cycles (not from 0)'"));
  EXPECT_THAT(plot.commands, Contains("set yrange [276.96:292.04]"));
  EXPECT_THAT(plot.commands, Contains("unset key")) << "one curve, named by the title";
}

TEST(CurvePlot, LeavesAFirstPointOfAnotherKindOutOfThePictureButNotOfTheData) {
  const Plot plot = plot_of(
      panel_of({{"cluster.dsmem.bandwidth.over_distance", {{0, 1, 2, 3}, {128, 15, 16, 15.5}}}}));
  EXPECT_THAT(plot.commands.back(), HasSubstr(" every ::1 using"));
  EXPECT_EQ(plot.series.front().rows.size(), 4u);
  EXPECT_THAT(plot.commands, Contains("set xrange [0.96:3.04]"));
}

TEST(CurvePlot, ShowsCyclesBeyondTheOnesThatMustBe) {
  const Plot plot =
      plot_of(panel_of({{"smem.ffma_mix.ffma_alone", {{4, 8, 16, 32}, {5, 9, 18, 36}}}}));
  EXPECT_EQ(plot.series.front().rows.back().at(1), 4);
  EXPECT_THAT(plot.commands, Contains("set ylabel 'cycles beyond n'"));
  EXPECT_THAT(plot.commands, Not(Contains("set logscale y")));
}

TEST(CurvePlot, AnyNumbersGiveAScriptWithoutNonsense) {
  EXPECT_TRUE(rc::check("plot_of", [](const Values& x, const Values& y) {
    const std::size_t n = std::min(x.size(), y.size());
    DeviceProfile profile;
    for (const char* id : {"l1.stride", "ffma.throughput.over_ilp", "tlb.latency.over_footprint"})
      for (std::size_t i = 0; i < n; ++i) {
        profile.curves[id].x.push_back(x[i]);
        profile.curves[id].y.push_back(y[i]);
      }
    for (const CurvePanel& panel : curve_panels(profile))
      for (const std::string& command : plot_of(panel).commands) {
        RC_ASSERT(command.find("nan") == std::string::npos);
        RC_ASSERT(command.find("inf") == std::string::npos);
        RC_ASSERT(command.size() < 2000u);
      }
  }));
}

}  // namespace
}  // namespace rooftile::report
