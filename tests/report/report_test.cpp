// The report as a whole: structure, escaping, independence of the network, missing data, and life
// without gnuplot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "fixture.hpp"
#include "model/error.hpp"
#include "page_checker.hpp"
#include "report/format.hpp"
#include "report/gnuplot.hpp"
#include "report/report.hpp"
#include "written.hpp"

namespace rooftile::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

/// PATH as `path` until the end of scope.
class PathGuard {
 public:
  explicit PathGuard(const std::string& path) : before_(getenv("PATH") ? getenv("PATH") : "") {
    setenv("PATH", path.c_str(), 1);
  }
  ~PathGuard() { setenv("PATH", before_.c_str(), 1); }

 private:
  std::string before_;
};

int count_of(const std::string& text, const std::string& word) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size())
    ++count;
  return count;
}

void expect_self_contained(const Written& w) {
  for (const auto& [name, value] : w.page.links) {
    if (value.starts_with("#")) {
      EXPECT_TRUE(w.page.has_id(value.substr(1))) << value;
    } else if (value != "data:,") {
      EXPECT_TRUE(value.starts_with("plots/")) << name << " " << value;
      EXPECT_TRUE(fs::exists(w.folder.path() + "/report/" + value)) << value;
    }
  }
  EXPECT_THAT(w.html, Not(HasSubstr("http:")));
  EXPECT_THAT(w.html, Not(HasSubstr("https:")));
  EXPECT_THAT(w.html, Not(HasSubstr("url(")));
  EXPECT_THAT(w.html, Not(HasSubstr("@import")));
}

TEST(Report, FullDataGiveEverySectionAndPlot) {
  Written w;
  write(plausible_input(), w);
  expect_sound(w);
  expect_self_contained(w);
  EXPECT_THAT(w.page.text, Not(HasSubstr("Make it with")));
  EXPECT_THAT(w.page.text, HasSubstr("Sealed: not opened"));
  EXPECT_THAT(w.page.text, HasSubstr("Fitted parameters: 0."));
  EXPECT_THAT(w.page.text, Not(HasSubstr("not this machine")));
  EXPECT_THAT(w.page.text, HasSubstr("Data: rooftile characterize --filter memory_latency."));
  EXPECT_THAT(w.page.text, HasSubstr("Data: rooftile measure --shape 8192."));
  EXPECT_EQ(count_of(w.html, " Data: <code>"), w.page.tags["figure"]) << "each figure has one";
  for (const char* plot : {"latency",
                           "bandwidth",
                           "l2_active_sms",
                           "dram_active_sms",
                           "bank_conflicts",
                           "roofline",
                           "curves_ffma_fma_cycle_SM_warps",
                           "scatter_roofline",
                           "error_roofline",
                           "scatter_analytic",
                           "ladder_1024",
                           "ladder_8192",
                           "bank_patterns",
                           "register_ports",
                           "outer_products",
                           "landscape_4096x4096x4096",
                           "ranking_4096x4096x4096",
                           "measured_4096x4096x4096",
                           "wave_sawtooth",
                           "l2_by_raster",
                           "regret_by_shape",
                           "ablation"}) {
    EXPECT_TRUE(w.page.has_id(std::string("plot-") + plot)) << plot;
    EXPECT_GT(fs::file_size(w.folder.path() + "/report/plots/" + plot + ".dat"), 20u) << plot;
  }
}

TEST(Report, PicturesAreDrawnWhereGnuplotIs) {
  if (!report::find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Written w;
  write(plausible_input(), w);
  EXPECT_TRUE(w.output.plots_drawn);
  EXPECT_EQ(w.page.tags["svg"], w.page.tags["figure"]);
  EXPECT_GE(w.page.tags["svg"], 12);
  EXPECT_THAT(w.html, Not(HasSubstr("\"black\"")));
  EXPECT_THAT(w.html, HasSubstr("var(--series-1)"));
  EXPECT_THAT(w.html, HasSubstr("<title>dependent loads: footprint 16 KiB, latency "));
  EXPECT_THAT(w.markdown, HasSubstr("](plots/roofline.svg)"));
}

TEST(Report, WithoutGnuplotTablesStandInForPlots) {
  Written w;
  {
    const PathGuard nothing("/nonexistent");
    write(plausible_input(), w);
  }
  expect_sound(w);
  expect_self_contained(w);
  EXPECT_FALSE(w.output.plots_drawn);
  EXPECT_EQ(w.page.tags["svg"], 0);
  EXPECT_THAT(w.page.text, HasSubstr("gnuplot is not installed"));
  EXPECT_THAT(w.page.text, HasSubstr("gnuplot could not draw all plots"));
  EXPECT_TRUE(fs::exists(w.folder.path() + "/report/plots/latency.gp"));
  EXPECT_FALSE(fs::exists(w.folder.path() + "/report/plots/latency.svg"));
}

TEST(Report, AnOldPictureDoesNotPassForANewOne) {
  TemporaryFolder folder;
  fs::create_directories(folder.path() + "/plots");
  fs::copy_file(ROOFTILE_SOURCE_DIR "/LICENSE", folder.path() + "/plots/latency.svg");
  const PathGuard nothing("/nonexistent");
  write_report(plausible_input(), folder.path());
  EXPECT_FALSE(fs::exists(folder.path() + "/plots/latency.svg"));
}

TEST(Report, AnEmptyInputNamesTheCommands) {
  Written w;
  write(ReportInput{}, w);
  expect_sound(w);
  expect_self_contained(w);
  EXPECT_TRUE(w.page.tags["svg"] == 0);
  for (const char* command : {"rooftile characterize", "rooftile measure", "rooftile validate"})
    EXPECT_THAT(w.page.text, HasSubstr(command));
}

TEST(Report, MissingPartsAreNamed) {
  ReportInput input = plausible_input();
  input.profile.curves.erase("memory.latency.over_footprint");
  input.profile.metrics["dram.bandwidth.read"].value.reset();
  input.profile.metrics["dram.bandwidth.read"].state = State::skipped;
  input.profile.metrics["dram.bandwidth.read"].reason = "needs more memory";
  std::erase_if(input.runs, [](const RunRecord& r) { return r.variant == "cublas"; });
  Written w;
  write(input, w);
  expect_sound(w);
  EXPECT_THAT(w.page.text, HasSubstr("rooftile characterize --filter memory_latency"));
  EXPECT_THAT(w.page.text, HasSubstr("needs more memory"));
  EXPECT_THAT(w.page.text, HasSubstr("rooftile measure --filter cublas"));
  EXPECT_FALSE(w.page.has_id("plot-latency"));
}

TEST(Report, RecordedDataCarryABanner) {
  ReportInput input = plausible_input();
  input.recorded = true;
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("Recorded NVIDIA Example 132, not this machine."));
  EXPECT_THAT(w.markdown, HasSubstr("Recorded NVIDIA Example 132, not this machine."));
  EXPECT_THAT(w.output.summary.front(), HasSubstr("recorded, not this machine"));
}

TEST(Report, ImpossibleValuesAreFlagged) {
  ReportInput input = plausible_input();
  input.profile.metrics["ffma.throughput"].value = 140;
  input.profile.metrics["ffma.throughput"].ci95 = Interval{139, 141};
  input.profile.metrics["dram.bandwidth.read"].value = 4.82e12;
  input.profile.metrics["dram.bandwidth.read"].ci95 = Interval{4.80e12, 4.84e12};
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("Not believable: ffma.throughput is above the limit"));
  EXPECT_THAT(w.page.text, HasSubstr("at the limit within its uncertainty"));
  EXPECT_THAT(w.page.text, Not(HasSubstr("dram.bandwidth.read is above")));
}

TEST(Report, AWrongResultPublishesNoSpeed) {
  ReportInput input = plausible_input();
  for (auto& run : input.runs)
    if (run.variant == "double_buffer") run.correctness->passed = false;
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("the result is wrong"));
  EXPECT_THAT(w.page.text, HasSubstr("Best variant: warp tile"));
}

TEST(Report, HostileTextsStayTexts) {
  const std::string bad =
      "<script>alert('x')</script>\"><img src=x>|`rm -rf`\n{{document_title}} ' $(id) \x1b[31m\x7f "
      "\u202e\u2066\xc2\x9b\\";
  ReportInput input = plausible_input();
  input.recorded = true;
  input.profile.environment.gpu_name = bad;
  input.profile.environment.command_line = bad;
  input.profile.metrics["ffma.latency"].reason = bad;
  input.profile.metrics["ffma.latency"].method = bad;
  input.profile.metrics[bad] = input.profile.metrics["ffma.latency"];
  input.profile.curves["memory.latency.over_footprint"].method = bad;
  input.profile.tables["smem.patterns"].rows[0].name = bad;
  input.variants[2].title = bad;
  input.sources.emplace_back(bad, bad);
  input.runs[0].state = State::failed;
  input.runs[0].reason = bad;
  for (std::size_t i = 1; i < input.runs.size(); i += 9) input.runs[i].variant = bad;
  for (auto& p : input.predictions)
    if (p.variant == "naive_coalesced") p.variant = bad;
  for (std::size_t i = 0; i < input.predictions.size(); i += 7)
    input.predictions[i].predictor = "../" + bad;
  input.validation.predictors[bad] = input.validation.predictors["analytic"];
  input.validation.worst[0].variant = bad;
  input.validation.skipped.push_back(bad);
  const auto clean = [] {
    Written w;
    write(plausible_input(), w);
    return w.page.tags;
  }();
  Written w;
  write(input, w);
  expect_sound(w);
  expect_self_contained(w);
  EXPECT_EQ(w.page.tags["script"], clean.at("script"));
  EXPECT_FALSE(w.page.tags.contains("img"));
  EXPECT_THAT(w.html, HasSubstr("&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;"));
  EXPECT_THAT(w.html, HasSubstr("{{document_title}}"));
  for (const std::string& page : {w.html, w.markdown})
    for (const char* steering : {"\x1b", "\x7f", "\u202e", "\u2066", "\xc2\x9b"})
      EXPECT_THAT(page, Not(HasSubstr(steering))) << "a character that steers";
  EXPECT_THAT(w.markdown, Not(HasSubstr("<script")));
  EXPECT_THAT(w.markdown, Not(HasSubstr("<img")));
  EXPECT_EQ(w.output.plots_drawn, report::find_gnuplot().has_value());
  for (const auto& entry : fs::recursive_directory_iterator(w.folder.path() + "/report/plots"))
    EXPECT_THAT(read_text_file(entry.path()), Not(HasSubstr("<script"))) << entry.path();
}

TEST(Report, ABaselineThatOnlyChoosesHasNoErrors) {
  ReportInput input = plausible_input();
  ErrorSummary chooser;
  chooser.n = 11;
  chooser.regret_top1 = 1.5;
  input.validation.baselines["random"] = chooser;
  Written w;
  write(input, w);
  const std::string row = line_of(w.markdown, "| random |");
  EXPECT_THAT(row, testing::AllOf(HasSubstr("150"), HasSubstr(report::no_value)));
  EXPECT_THAT(row, Not(HasSubstr("| 0.0")));
  EXPECT_THAT(w.page.text, HasSubstr("predict no time; their n counts shapes"));
}

TEST(Report, TheBestOfOursIsNotSaidToBeTheBestOfAll) {
  ReportInput input = plausible_input();
  for (auto& run : input.runs)
    if (run.variant == "cublas" && run.problem.M == 8192) run.time->median *= 2;
  Written w;
  write(input, w);
  const auto verdict = HasSubstr(
      "double buffer was the fastest of ours at 8 of 11 measured shapes, and faster than cuBLAS at "
      "2.");
  EXPECT_THAT(w.page.text, verdict);
  EXPECT_THAT(w.output.summary, testing::Contains(verdict));
  std::erase_if(input.runs, [](const RunRecord& r) { return r.variant == "cublas"; });
  Written alone;
  write(input, alone);
  EXPECT_THAT(alone.page.text, HasSubstr("fastest of ours at 8 of 11 measured shapes."));
}

/// Faster than cuBLAS at every shape, and in the way of nothing that is said of ours.
TEST(Report, AnotherLibraryStandsBesideAndIsNoBaseline) {
  ReportInput input = plausible_input();
  Written before;
  write(input, before);
  for (std::size_t i = 0, n = input.runs.size(); i < n; ++i)
    if (input.runs[i].variant == "cublas") {
      RunRecord run = input.runs[i];
      run.variant = "cublaslt";
      run.reason = "heuristic 2 of 8: algorithm 20, tile 18, stages 0, split-K 1";
      run.time->median *= 0.9;
      run.time->ci95 = {run.time->median, run.time->median};
      input.runs.push_back(std::move(run));
    }
  Written w;
  write(input, w);
  expect_sound(w);
  const auto said = [](const Written& written) {  // but for the names of the files
    auto lines = written.output.summary;
    std::erase_if(lines,
                  [](const std::string& line) { return line.find("/report/") != line.npos; });
    return lines;
  };
  EXPECT_EQ(said(w), said(before));
  EXPECT_THAT(said(w), testing::Contains(HasSubstr("fastest of ours")));
  EXPECT_EQ(line_of(w.markdown, "| random |"), line_of(before.markdown, "| random |"));
  const std::string best = "Fastest of our variants at each shape";
  const auto best_table = [&](const Written& written) {
    const auto at = written.markdown.find(best);
    return written.markdown.substr(at, written.markdown.find("Measured TFLOP/s", at) - at);
  };
  EXPECT_EQ(best_table(w), best_table(before));
  EXPECT_THAT(w.markdown, HasSubstr("| cuBLAS | cuBLASLt |"));
  std::erase_if(input.runs, [](const RunRecord& r) { return r.variant == "cublas"; });
  Written alone;
  write(input, alone);
  EXPECT_THAT(alone.page.text, HasSubstr("cuBLAS was not measured"));
}

TEST(Report, TheVerdictNamesTheBoundWhereTheOrderIsWorst) {
  ReportInput input = plausible_input();
  ErrorSummary& fma = input.validation.by_bound.at("analytic").at("fma");
  fma.kendall_tau_b = -0.19;
  fma.regret_top1 = 0.067;
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("analytic is weakest where it sees fma as the bound"));
  EXPECT_THAT(w.page.text, HasSubstr("first choice 6.7"));
  input.validation.by_bound.clear();
  Written without;
  write(input, without);
  EXPECT_THAT(without.page.text, Not(HasSubstr("is weakest where")));
}

TEST(Report, SealedErrorsShowOnlyWhenPresent) {
  ReportInput input = plausible_input();
  for (auto& entry : input.validation.predictors) entry.second["sealed"] = entry.second.at("dev");
  Written w;
  write(input, w);
  EXPECT_THAT(w.page.text, HasSubstr("The sealed split has been opened"));
  EXPECT_THAT(w.page.text, HasSubstr(" sealed\n"));  // beside the error in the verdict
  EXPECT_THAT(w.page.text, Not(HasSubstr("not opened")));
}

TEST(Report, AnUnwritableFolderIsAnInputError) {
  EXPECT_THROW(write_report(plausible_input(), "/proc/no/such/folder"), InputError);
}

/// Stands in for gnuplot where the picture does not matter: an empty one for each script.
std::string quick_gnuplot(const std::string& folder) {
  const std::string path = folder + "/gnuplot";
  std::ofstream(path) << "#!/bin/sh\nfor f in \"$@\"; do echo '<svg viewBox=\"0 0 1 1\"></svg>' > "
                         "\"${f%.gp}.svg\"; done\n";
  fs::permissions(path, fs::perms::owner_all);
  return folder;
}

TEST(Report, AnySubsetOfTheDataIsReported) {
  const TemporaryFolder tools;
  const std::string drawing = quick_gnuplot(tools.path());
  EXPECT_TRUE(
      rc::check("no hole in the data throws or leaks a non-number", [&](std::uint32_t seed) {
        // One case in eight as tables: those pages are long.
        const PathGuard path(seed % 8 == 0 ? "/nonexistent" : drawing);
        ReportInput input = plausible_input(seed, 2);
        damage(input, seed);
        Written w;
        write(input, w);
        RC_ASSERT(w.page.problems.empty());
        RC_ASSERT(!holds_not_a_number(w.page.text));
        RC_ASSERT(!holds_not_a_number(w.markdown));
        RC_ASSERT(w.output.summary.size() <= 10u);
      }));
}

TEST(Report, DamagedDataAreStillDrawn) {
  if (!report::find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  for (std::uint32_t seed = 1; seed <= 6; ++seed) {
    ReportInput input = plausible_input(seed, 5);
    damage(input, seed);
    Written w;
    write(input, w);
    expect_sound(w);
    EXPECT_TRUE(w.output.plots_drawn)
        << "seed " << seed << ": " << w.page.text.substr(w.page.text.find("Not drawn"), 300);
  }
}

}  // namespace
}  // namespace rooftile::test
