// The parts of the report: numbers as text, plot texts, gnuplot as a process, pictures for the
// page.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <fstream>
#include <limits>

#include "fixture.hpp"
#include "report/format.hpp"
#include "report/gnuplot.hpp"
#include "report/palette.hpp"
#include "report/plot.hpp"
#include "report/svg.hpp"

namespace rooftile::report {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* nbsp = "\u00a0";

TEST(Format, TimesChooseTheirUnit) {
  EXPECT_EQ(format_time(2.314e-6), std::string("2.314") + nbsp + "µs");
  EXPECT_EQ(format_time(0.0026741), std::string("2.674") + nbsp + "ms");
  EXPECT_EQ(format_time(12.3456), std::string("12.35") + nbsp + "s");
  EXPECT_EQ(format_time(9.9996e-4), std::string("1000") + nbsp + "µs");
  EXPECT_EQ(format_time(std::nan("")), no_value);
}

TEST(Format, SignificantDigitsSurviveRoundingUp) {
  EXPECT_EQ(significant(9.996, 3), "10.0");
  EXPECT_EQ(significant(0.0123456, 3), "0.0123");
  EXPECT_EQ(significant(1978.4, 3), "1978");
  EXPECT_EQ(significant(0, 3), "0.00");
  EXPECT_EQ(significant(-2.5, 2), "\u22122.5");
  EXPECT_EQ(significant(std::numeric_limits<double>::infinity(), 3), no_value);
}

TEST(Format, SpeedsHaveOneDecimalAndSmallOnesTwo) {
  EXPECT_EQ(tflops(65.34e12), "65.3");
  EXPECT_EQ(tflops(0.4912e12), "0.49");
  EXPECT_EQ(tflops(0.997e12), "1.0");
}

TEST(Format, DigitsEndWhereTheUncertaintyBegins) {
  Metric metric;
  metric.value = 4.6213e12;
  metric.unit = "byte/s";
  metric.ci95 = Interval{4.6163e12, 4.6263e12};
  const Shown shown = show(metric);
  EXPECT_EQ(shown.value, "4.6213");
  EXPECT_EQ(shown.plus_minus, "0.0050");
  EXPECT_EQ(shown.unit, "TB/s");
  metric.ci95 = Interval{4.3e12, 4.9e12};
  EXPECT_EQ(show(metric).value, "4.62");
  metric.ci95.reset();
  EXPECT_EQ(show(metric).value, "4.621");
  metric.value.reset();
  EXPECT_EQ(show(metric).value, no_value);
}

TEST(Format, AnyNumberGivesAShortFiniteText) {
  EXPECT_TRUE(rc::check("significant", [](double x) {
    const std::string text = significant(x, 4);
    RC_ASSERT(!text.empty());
    RC_ASSERT(text.find("nan") == std::string::npos && text.find("inf") == std::string::npos);
    if (!std::isfinite(x) || std::abs(x) > 1e12 || std::abs(x) < 1e-6) return;
    const std::string ascii = text.starts_with("\u2212") ? "-" + text.substr(3) : text;
    RC_ASSERT(std::abs(std::stod(ascii) - x) <= 0.5001e-3 * std::abs(x));
  }));
}

TEST(PlotText, KeepsNothingThatGnuplotOrAPageWouldRead) {
  EXPECT_TRUE(rc::check("plot_text", [](const std::string& text) {
    const std::string safe = plot_text(text);
    for (const char c : {'<', '>', '&', '"', '\'', '`', '\\', '\n', '\r', '\0'})
      RC_ASSERT(safe.find(c) == std::string::npos);
  }));
  EXPECT_EQ(file_stem("../a b"), "___a_b");
}

TEST(PlotText, RowsThatAreNotFiniteStayOutOfTheData) {
  Plot plot;
  plot.name = "p";
  plot.series = {{"s", {"x", "y"}, {{1, 2}, {2, std::nan("")}, {3, 4}}}};
  EXPECT_EQ(dat_text(plot), "# s\n# \"x\" \"y\"\n1 2 \n3 4 \n");
}

TEST(PlotText, WholeNumbersKeepAllTheirDigits) {
  Plot plot;
  plot.name = "p";
  plot.series = {{"s", {"x", "y"}, {{536870912, 1.0 / 3}, {68719476736, 1e300}}}};
  EXPECT_EQ(dat_text(plot), "# s\n# \"x\" \"y\"\n536870912 0.33333333 \n68719476736 1e+300 \n");
}

TEST(PlotText, PointsTellTheirNumbersInTheUnitsOfTheColumns) {
  const Series series{"id", {"footprint, byte", "hits, % of all"}, {{1, 2}}};
  EXPECT_EQ(points_that_tell("'p.dat' index 0", series, "90 % 'x'", "pt 7"),
            "'p.dat' index 0 using 1:2:(sprintf('90 %% \u2019x\u2019: footprint %s, hits %.6g %% "
            "of all', "
            "bytes($1), $2)) with labels hypertext point pt 7 notitle");
}

TEST(Ticks, BytesAndTimes) {
  const auto bytes = byte_ticks(16384, 1024.0 * 1024 * 1024);
  EXPECT_EQ(bytes.front().label, "16 KiB");
  EXPECT_LE(bytes.size(), 9u);
  const auto times = time_ticks(2e-6, 0.3);
  ASSERT_EQ(times.size(), 5u);
  EXPECT_EQ(times.front().label, "10 µs");
  EXPECT_EQ(times.back().label, "100 ms");
}

/// An executable file with the given shell text, standing in for gnuplot.
std::string fake_gnuplot(const std::string& folder, const std::string& text) {
  const std::string path = folder + "/gnuplot";
  std::ofstream(path) << "#!/bin/sh\n" << text;
  chmod(path.c_str(), 0755);
  return path;
}

TEST(Gnuplot, ErrorsAreCaught) {
  test::TemporaryFolder folder;
  const std::string script[] = {"a.gp"};
  const auto result =
      run_gnuplot(fake_gnuplot(folder.path(), "echo \"line 3: $* is bad\" >&2; exit 1\n"),
                  folder.path(), script, 10);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.errors, HasSubstr("line 3: --default-settings a.gp is bad"));
}

TEST(Gnuplot, IsStoppedWhenItHangs) {
  test::TemporaryFolder folder;
  const std::string script[] = {"a.gp"};
  const auto start = std::chrono::steady_clock::now();
  const auto result =
      run_gnuplot(fake_gnuplot(folder.path(), "exec sleep 60\n"), folder.path(), script, 0.3);
  EXPECT_FALSE(result.ok);
  EXPECT_THAT(result.errors, HasSubstr("longer than 0.3 s"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(Gnuplot, RunsInItsFolderWithoutAShell) {
  test::TemporaryFolder folder;
  const std::string script[] = {"$(touch made); touch made"};
  const auto result =
      run_gnuplot(fake_gnuplot(folder.path(), "pwd > where\n"), folder.path(), script, 10);
  EXPECT_TRUE(result.ok) << result.errors;
  EXPECT_THAT(read_text_file(folder.path() + "/where"), HasSubstr(folder.path()));
  EXPECT_FALSE(std::ifstream(folder.path() + "/made").good());
}

TEST(Gnuplot, AMissingExecutableIsAResultNotACrash) {
  const std::string script[] = {"a.gp"};
  EXPECT_FALSE(run_gnuplot("/nonexistent/gnuplot", "/tmp", script, 5).ok);
}

TEST(Svg, IsMadeFitForThePage) {
  const std::string svg =
      "<?xml version=\"1.0\"?><svg viewBox=\"0 0 5 4\" xmlns=\"http://www.w3.org/2000/svg\">"
      "<title>p</title><desc>Produced</desc><filter id='textbox'></filter>"
      "<g fill=\"none\" color=\"black\" stroke=\"currentColor\">\n</g>"
      "<g id=\"p_plot_1\" ><title>p_plot_1</title><path stroke='rgb(  0, 103, 165)'/></g>"
      "<g onmousemove=\"gnuplot_svg.showHypertext(evt,'a &lt;b>')\" "
      "onmouseout=\"gnuplot_svg.hideHypertext()\">"
      "<title> </title><use xlink:href='#gpPt6'/></g></svg>";
  const std::string page = inline_svg(svg, "p", "a \"label\"");
  EXPECT_EQ(page,
            "<svg viewBox=\"0 0 5 4\" role=\"img\" aria-label=\"a &quot;label&quot;\">"
            "<g id=\"p-p_plot_1\" ><path stroke='var(--series-1)'/></g>"
            "<g class=\"mark\"><title>a &lt;b></title><use href='#p-gpPt6'/></g></svg>");
  EXPECT_EQ(inline_svg("", "p", "l"), "");
  EXPECT_EQ(inline_svg(svg.substr(0, svg.size() - 6), "p", "l"), "");
}

TEST(Svg, PointsOfOneStyleShareAGroup) {
  const std::string style = "<g fill=\"none\" color=\"gray\">", other = "<g fill=\"none\" id='x'>";
  const std::string point = "<g transform='t'><use/></g>";
  const std::string svg = "<svg viewBox=\"0 0 5 4\"><g id='a'>" + style + point + "</g>\n" + style +
                          point + "</g>\n" + other + point + "</g>\n</g>\n" + other + point +
                          "</g>\n</svg>";
  EXPECT_EQ(inline_svg(svg, "p", "l"),
            "<svg viewBox=\"0 0 5 4\" role=\"img\" aria-label=\"l\"><g id='p-a'>" + style + point +
                point + "</g>\n<g fill=\"none\" id='p-x'>" + point +
                "</g>\n</g>\n<g fill=\"none\" id='p-x'>" + point + "</g>\n</svg>");
}

double luminance(std::string_view hex) {
  double sum = 0;
  constexpr double weight[] = {0.2126, 0.7152, 0.0722};
  for (std::size_t i = 0; i < 3; ++i) {
    const double c =
        static_cast<double>(std::stoi(std::string(hex.substr(1 + 2 * i, 2)), nullptr, 16)) / 255;
    sum += weight[i] * (c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
  }
  return sum;
}

double contrast(std::string_view a, std::string_view b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

TEST(Palette, EverySeriesStandsOutInLightAndDark) {  // WCAG 2.1, 1.4.11: graphical objects, 3:1
  for (const auto& c : series_colors()) {
    EXPECT_GE(contrast(c.light, "#ffffff"), 3.0) << c.light;
    EXPECT_GE(contrast(c.dark, "#14181c"), 3.0) << c.dark;
  }
}

TEST(Palette, TextIsLegibleOnEveryHeatStep) {  // WCAG 2.1, 1.4.3: text, 4.5:1
  for (const auto& c : heat_colors()) {
    EXPECT_GE(contrast(c.light, "#1b2126"), 4.5) << c.light;
    EXPECT_GE(contrast(c.dark, "#e3e8ec"), 4.5) << c.dark;
  }
}

}  // namespace
}  // namespace rooftile::report
