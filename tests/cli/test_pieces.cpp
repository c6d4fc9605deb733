// Parts of the command line that need no process: names, numbers, tables, thresholds, what-if.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>

#include "cli/filter.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "cli/suggest.hpp"
#include "cli/threshold.hpp"
#include "cli/what_if.hpp"
#include "model/edit_distance.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

using testing::AllOf;
using testing::AnyOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Suggest, DistanceIsLevenshtein) {
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("measure", "measure"), 0u);
}

TEST(Suggest, ContainmentComesFirst) {
  const std::vector<std::string> names{"drum", "dram.bandwidth.read", "dram.latency", "x"};
  EXPECT_THAT(nearest("dram", names, 2), ElementsAre("dram.latency", "dram.bandwidth.read"));
  const std::vector<std::string> twice{"naive", "naive", "vectorized"};
  EXPECT_THAT(nearest("naiv", twice, 2), ElementsAre("naive", "vectorized"));
  EXPECT_EQ(did_you_mean("measrue", std::vector<std::string>{"measure"}), "did you mean measure?");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(Filter, KeepsOrderAndNamesTheNearest) {
  const std::vector<std::string> names{"naive", "smem_tile", "thread_tile"};
  EXPECT_THAT(filter_names(names, "tile$", "--filter"), ElementsAre("smem_tile", "thread_tile"));
  EXPECT_THAT(message_of([&] { filter_names(names, "nave", "--filter"); }),
              AllOf(HasSubstr("--filter"), HasSubstr("'nave'"), HasSubstr("naive")));
  EXPECT_THAT(message_of([&] { filter_names(names, "(", "--filter"); }),
              HasSubstr("no regular expression"));
  EXPECT_THAT(message_of([&] { require_names(names, {"smem_tiel"}, "--variant"); }),
              AllOf(HasSubstr("'smem_tiel'"), HasSubstr("did you mean smem_tile")));
}

TEST(Quantity, PrefixesAndDigits) {
  EXPECT_EQ(format_quantity(1.2341e-6, "s"), "1.234 us");
  EXPECT_EQ(format_quantity(999.96e-6, "s"), "1.000 ms");
  EXPECT_EQ(format_quantity(3e-10, "s"), "0.300 ns");
  EXPECT_EQ(format_quantity(51.44e12, "flop/s"), "51.44 TFLOP/s");
  EXPECT_EQ(format_quantity(4.8e12, "byte/s"), "4.800 TB/s");
  EXPECT_EQ(format_quantity(0, "byte"), "0 B");
  EXPECT_EQ(format_quantity(0.1234, "percent"), "12.3 %");
  EXPECT_EQ(format_quantity(132, "count"), "132");
  EXPECT_EQ(format_quantity(23.456, "cycle"), "23.46");
}

TEST(Quantity, NumbersAreReadWhole) {
  EXPECT_EQ(parse_number("0.25", "--x"), 0.25);
  for (const char* text : {"", "12abc", "nan", "inf", "1e999", " 1", "0x10"})
    EXPECT_THAT(message_of([&] { parse_number(text, "--x"); }), HasSubstr("--x")) << text;
}

TEST(Clock, UnitsAndRange) {
  EXPECT_DOUBLE_EQ(parse_clock_hz("1.83GHz"), 1.83e9);
  EXPECT_DOUBLE_EQ(parse_clock_hz("1830MHz"), 1.83e9);
  EXPECT_DOUBLE_EQ(parse_clock_hz("1980000000"), 1.98e9);
  EXPECT_THAT(message_of([] { parse_clock_hz("1830"); }), HasSubstr("between 10MHz and 10GHz"));
  EXPECT_THAT(message_of([] { parse_clock_hz("fast"); }), HasSubstr("'fast'"));
}

ResultTable sample_table() {
  return {"title",
          {{"name", "name", ""}, {"time", "time", "s"}, {"rate", "rate", "byte/s"}},
          {{std::string("a|b"), 1e-3, 2e9}, {std::string("say \"x\", y"), Cell(), 0.0}},
          {"a note"}};
}

TEST(Tables, Text) {
  EXPECT_EQ(text_table(sample_table()),
            "title\n"
            "  name            time        rate\n"
            "  a|b         1.000 ms  2.000 GB/s\n"
            "  say \"x\", y         -       0 B/s\n"
            "  a note\n");
}

TEST(Tables, TextsOfFilesStayOnTheirLine) {
  ResultTable table = sample_table();
  table.title += "\x1b[31m\n\u202e";
  table.rows.front().front() = std::string("a\x1b[31m\nb\u202e");
  table.notes = {"note\x1b[2J\nof a file\u202e"};
  const auto lines = [](const std::string& text) {
    return std::count(text.begin(), text.end(), '\n');
  };
  ResultTable plain = sample_table();
  plain.notes = {"note"};
  for (const auto& text_of : {text_table, markdown_table}) {
    EXPECT_THAT(text_of(table), Not(AnyOf(HasSubstr("\x1b"), HasSubstr("\u202e"))));
    EXPECT_EQ(lines(text_of(table)), lines(text_of(plain)));
  }
}

TEST(Tables, CsvKeepsPrecisionAndQuotes) {
  EXPECT_EQ(csv_table(sample_table(), ""),
            "name,time_s,rate_byte_per_s\na|b,0.001,2000000000\n\"say \"\"x\"\", y\",,0\n");
  EXPECT_THAT(csv_table(sample_table(), "recorded"), HasSubstr("a|b,0.001,2000000000,recorded\n"));
}

TEST(Tables, MarkdownEscapesPipes) {
  EXPECT_THAT(markdown_table(sample_table()),
              AllOf(HasSubstr("| a\\|b | 1.000 ms |"), HasSubstr("|---|---:|---:|")));
}

ValidationReport sample_report() {
  ValidationReport report;
  ErrorSummary summary;
  summary.n = 10;
  summary.mape = 0.15;
  summary.bias = -0.12;
  summary.kendall_tau_b = 0.7;
  report.predictors["analytic"]["dev"] = summary;
  return report;
}

TEST(Thresholds, CrossedNamesFigureValueAndLimit) {
  auto check = [](const char* text, bool above) {
    return crossed(sample_report(), {parse_threshold(text, "--fail", above)});
  };
  EXPECT_THAT(check("analytic.dev.mape=0.1", true),
              ElementsAre("analytic.dev.mape is 0.15, above the limit 0.1"));
  EXPECT_TRUE(check("analytic.dev.mape=0.15", true).empty());
  EXPECT_EQ(check("analytic.dev.bias=0.1", true).size(), 1u) << "bias counts by magnitude";
  EXPECT_EQ(check("analytic.dev.kendall_tau_b=0.8", false).size(), 1u);
  EXPECT_TRUE(check("analytic.dev.kendall_tau_b=0.6", false).empty());
}

TEST(Thresholds, AGateThatChecksNothingIsAnError) {
  for (const char* text :
       {"analytic.dev.mpae=0.1", "sass.dev.mape=0.1", "analytic.dev.regret_top1=0.1"})
    EXPECT_THAT(message_of([&] {
                  crossed(sample_report(), {parse_threshold(text, "--fail-above", true)});
                }),
                HasSubstr("no figure"))
        << text;
  for (const char* text : {"", "x", "=1", "x=", "x=abc", "x=nan"})
    EXPECT_NE(message_of([&] { parse_threshold(text, "--fail-above", true); }), "no error") << text;
}

DeviceProfile sample_profile() {
  DeviceProfile profile;
  Metric metric;
  metric.value = 100;
  metric.unit = "fma/cycle/SM";
  metric.ci95 = Interval{90, 110};
  profile.metrics["ffma.throughput"] = metric;
  metric.value.reset();
  metric.reason = "no permission";
  profile.metrics["clock.ffma.power"] = metric;
  Curve curve;
  curve.x = {1, 2};
  curve.y = {10, 20};
  profile.curves["l1.stride"] = curve;
  return profile;
}

TEST(WhatIf, ScalesAndReplaces) {
  DeviceProfile profile = sample_profile();
  apply_what_if(profile, {"ffma.throughput=2x", "l1.stride=0.5x"});
  EXPECT_EQ(*profile.metrics["ffma.throughput"].value, 200);
  EXPECT_EQ(profile.metrics["ffma.throughput"].ci95->hi, 220);
  EXPECT_THAT(profile.curves["l1.stride"].y, ElementsAre(5, 10));
  apply_what_if(profile, {"ffma.throughput=64", "clock.ffma.power=500"});
  EXPECT_EQ(*profile.metrics["ffma.throughput"].value, 64);
  EXPECT_FALSE(profile.metrics["ffma.throughput"].ci95);
  EXPECT_EQ(*profile.metrics["clock.ffma.power"].value, 500);
}

TEST(WhatIf, RefusesWhatItCannotDo) {
  auto error = [](const char* text) {
    DeviceProfile profile = sample_profile();
    return message_of([&] { apply_what_if(profile, {text}); });
  };
  EXPECT_THAT(error("ffma.thruput=2x"),
              AllOf(HasSubstr("ffma.thruput"), HasSubstr("ffma.throughput")));
  EXPECT_THAT(error("l1.stride=4"), HasSubstr("only be scaled"));
  EXPECT_THAT(error("clock.ffma.power=2x"), HasSubstr("no permission"));
  for (const char* text : {"ffma.throughput", "ffma.throughput=", "=2x", "ffma.throughput=-1",
                           "ffma.throughput=0x", "ffma.throughput=x", "ffma.throughput=2xx"})
    EXPECT_NE(error(text), "no error") << text;
}

TEST(Output, OnlyOneFormatOnStdout) {
  OutputOptions options;
  options.json = options.csv = "-";
  EXPECT_THAT(message_of([&] { options.check(); }), HasSubstr("only one"));
}

/// Parses `arguments` (in reverse, as CLI11 takes them) for a command that may have a --resume.
OutputOptions parsed(bool own_flags, std::vector<std::string> arguments, CLI::App& app) {
  OutputOptions options;
  if (own_flags) {
    app.add_flag("--force");
    app.add_flag("--resume");
  }
  options.define(app);
  app.parse(std::move(arguments));
  return options;
}

TEST(Output, ExistingFilesAreReplacedOnlyWhenToldSo) {
  const auto message = [](bool own_flags, const std::vector<std::string>& arguments) {
    CLI::App app;
    const OutputOptions options = parsed(own_flags, arguments, app);
    return message_of([&] { options.check(); });
  };
  for (const char* format : {"--json", "--csv", "--md"}) {
    const std::vector<std::string> there{ROOFTILE_BINARY, format};
    EXPECT_THAT(message(false, there), testing::HasSubstr("--force"));
    EXPECT_THAT(message(true, there), testing::HasSubstr("--force"));
    EXPECT_EQ(message(false, {"--force", ROOFTILE_BINARY, format}), "no error");
    EXPECT_EQ(message(true, {"--force", ROOFTILE_BINARY, format}), "no error");
    EXPECT_EQ(message(true, {"--resume", ROOFTILE_BINARY, format}), "no error");
    EXPECT_EQ(message(false, {"/dev/null", format}), "no error");
    EXPECT_EQ(message(false, {"-", format}), "no error");
  }
}

TEST(Output, PathsAreCheckedBeforeTheWork) {
  EXPECT_THAT(message_of([] { check_output_path("/dev/null", true, "--output"); }),
              HasSubstr("not a regular file"));
  EXPECT_THAT(message_of([] { check_output_path("/no/such/folder/x", true, "--output"); }),
              HasSubstr("does not exist"));
  EXPECT_THAT(message_of([] { check_output_path("/proc/self/status", false, "--output"); }),
              HasSubstr("--force"));
}

}  // namespace
}  // namespace rooftile::cli
