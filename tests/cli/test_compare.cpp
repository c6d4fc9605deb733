// rooftile compare as a user meets it: kinds of files, tables, formats, gates, exit codes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/compare_inputs.hpp"
#include "data_fixture.hpp"
#include "model/error.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string recorded_profile_path() { return data_fixture().gpu_folder() + "/profile.json"; }
std::string recorded_runs_path() { return data_fixture().gpu_folder() + "/runs-synthetic.jsonl"; }

/// The recorded profile, edited by `edit`, at `path`.
template <class Edit>
std::string edited_profile(const Scratch& folder, const std::string& name, Edit edit) {
  json profile = json::parse(slurp(recorded_profile_path()));
  edit(profile);
  spill(folder.path(name), profile.dump(1));
  return folder.path(name);
}

/// FFMA latency doubled, L2 latency gone, another driver.
std::string changed_profile(const Scratch& folder) {
  return edited_profile(folder, "changed.json", [](json& profile) {
    json& metric = profile["metrics"]["ffma.latency"];
    metric["value"] = 2 * metric["value"].get<double>();
    metric["ci95"] = metric["repeat95"] = nullptr;
    profile["metrics"].erase("l2.latency");
    profile["environment"]["driver_version"] = "999.1";
  });
}

ProcessResult compare(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "compare");
  return data_fixture().run(arguments);
}

TEST(Compare, EqualProfilesSaySo) {
  const ProcessResult result = compare({recorded_profile_path(), recorded_profile_path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("same GPU (NVIDIA H200)"), HasSubstr(" same, 0 differ"),
                                Not(HasSubstr("ffma.latency"))));
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(compare({recorded_profile_path(), recorded_profile_path(), "--all"}).out,
              HasSubstr("ffma.latency"));
}

TEST(Compare, WhatDiffersIsShownAfterTheHeads) {
  const Scratch folder;
  const ProcessResult result = compare({recorded_profile_path(), changed_profile(folder)});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("999.1"), HasSubstr("+100.00 %"), HasSubstr("only in A"),
                                HasSubstr("1 differ, 1 missing"), Not(HasSubstr("l1.latency"))));
  EXPECT_LT(result.out.find("999.1"), result.out.find("ffma.latency"));
}

TEST(Compare, GatesFailOnDifferencesAndOnWhatCannotBeJudged) {
  const Scratch folder;
  const std::string a = recorded_profile_path(), b = changed_profile(folder);
  const auto gate = [&](const std::string& pattern) {
    return compare({a, b, "--fail-on", pattern});
  };
  EXPECT_EQ(gate("^dram\\.").exit_code, 0);
  EXPECT_EQ(gate("^ffma\\.latency$").exit_code, 1);
  EXPECT_THAT(gate("^ffma\\.latency$").err, AllOf(HasSubstr("ffma.latency"), HasSubstr("+100.00")));
  EXPECT_EQ(gate("^l2\\.latency$").exit_code, 1);
  EXPECT_THAT(gate("^l2\\.latency$").err, HasSubstr("only in A"));
  EXPECT_EQ(gate("ffma.latenzy").exit_code, 2);
  EXPECT_THAT(gate("ffma.latenzy").err, HasSubstr("ffma.latency"));
  EXPECT_EQ(gate("(").exit_code, 2);
}

TEST(Compare, TheToleranceIsOnTopOfTheUncertainty) {
  const Scratch folder;
  const std::string b = edited_profile(folder, "b.json", [](json& profile) {
    json& metric = profile["metrics"]["ffma.latency"];
    metric["value"] = 1.03 * metric["value"].get<double>();
    metric["ci95"] = metric["repeat95"] = nullptr;
  });
  const auto with = [&](const char* tolerance) {
    return compare({recorded_profile_path(), b, "--fail-on", "^ffma.latency$", "--tolerance",
                    tolerance})
        .exit_code;
  };
  EXPECT_EQ(with("5%"), 0);
  EXPECT_EQ(with("0.05"), 0);
  EXPECT_EQ(with("0%"), 1);
  for (const char* bad : {"5", "100%", "-1%", "x", "%", "nan%"}) EXPECT_EQ(with(bad), 2) << bad;
  EXPECT_DOUBLE_EQ(parse_tolerance("1%"), 0.01);
}

TEST(Compare, FormatsCarryTheComparison) {
  const Scratch folder;
  const std::string a = recorded_profile_path(), b = changed_profile(folder);
  const ProcessResult as_json = compare({a, b, "--json", "-"});
  const json document = json::parse(as_json.out);
  EXPECT_EQ(test::schema_errors("comparison", Json::parse(as_json.out)), "");
  EXPECT_EQ(document.at("comparisons").at(0).at("differ"), 1);
  EXPECT_GT(document.at("comparisons").at(0).at("entries").size(), 20U) << "the same ones too";
  const std::string csv = compare({a, b, "--csv", "-"}).out;
  EXPECT_EQ(csv.substr(0, csv.find('\n')),
            "file,kind,id,unit_name,reference,other,difference,uncertainty,compared,differing,"
            "verdict,note");
  EXPECT_THAT(csv, AllOf(HasSubstr("B,metric,ffma.latency,cycle,"), HasSubstr(",differs,"),
                         HasSubstr("only_in_reference")));
  EXPECT_THAT(compare({a, b, "--md", "-"}).out, HasSubstr("| ffma.latency |"));
}

TEST(Compare, MoreThanTwoFilesGetAColumnEach) {
  const Scratch folder;
  const std::string a = recorded_profile_path(), b = changed_profile(folder);
  const ProcessResult result = compare({a, b, a, "--fail-on", "^ffma.latency$"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("against A"), HasSubstr("(+100.00 %) differs"), HasSubstr("missing"),
                    HasSubstr("B against A:"), HasSubstr("C against A:")));
  EXPECT_THAT(result.out, testing::ContainsRegex("ffma.latency +cycle +4"));
}

/// The recorded runs with every time of `variant` multiplied.
std::string changed_runs(const Scratch& folder, const std::string& variant, double factor) {
  std::string lines;
  for (RunRecord run : data_fixture().runs()) {
    if (run.variant == variant) {
      run.time->median *= factor;
      run.time->ci95 = {run.time->ci95.lo * factor, run.time->ci95.hi * factor};
    }
    lines += run.to_json().dump() + "\n";
  }
  spill(folder.path("runs.jsonl"), lines);
  return folder.path("runs.jsonl");
}

TEST(Compare, RunsAreComparedCellByCell) {
  const Scratch folder;
  const std::string b = changed_runs(folder, "warp_tile", 1.2);
  const ProcessResult result = compare({recorded_runs_path(), b});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("warp_tile"), HasSubstr("1.200"), HasSubstr("3 differ"),
                                HasSubstr("geometric mean"), Not(HasSubstr("naive"))));
  EXPECT_EQ(compare({recorded_runs_path(), b, "--fail-on", "^naive"}).exit_code, 0);
  EXPECT_EQ(compare({recorded_runs_path(), b, "--fail-on", "^warp_tile .* hot$"}).exit_code, 1);
  EXPECT_EQ(compare({recorded_runs_path(), b, "--tolerance", "25%"}).out.find("warp_tile"),
            std::string::npos);
}

TEST(Compare, BadInputExits2AndNamesTheFile) {
  const Scratch folder;
  const std::string a = recorded_profile_path();
  const auto error = [&](const std::string& path) {
    const ProcessResult result = compare({a, path});
    EXPECT_EQ(result.exit_code, 2) << path;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(path));
    return result.err;
  };
  EXPECT_THAT(error(recorded_runs_path()), HasSubstr("one kind"));
  EXPECT_THAT(error(data_fixture().path("splits.json")), HasSubstr("rooftile.splits"));
  error("/no/such/file");
  for (const char* text : {"", "{", "[1]", "{}", "{\"schema\": 3}", "\n\n"}) {
    spill(folder.path("bad"), text);
    error(folder.path("bad"));
  }
  spill(folder.path("half"), slurp(recorded_runs_path()).substr(0, 40));
  EXPECT_EQ(compare({recorded_runs_path(), folder.path("half")}).exit_code, 2);
  EXPECT_EQ(compare({a}).exit_code, 2);
  EXPECT_EQ(compare({a, a, "--json", a, "--force"}).exit_code, 2) << "an input is not replaced";
}

TEST(Compare, CompactProfilesAndSingleRunsAreRecognised) {
  const Scratch folder;
  spill(folder.path("compact.json"), json::parse(slurp(recorded_profile_path())).dump());
  EXPECT_EQ(compare({recorded_profile_path(), folder.path("compact.json")}).exit_code, 0);
  spill(folder.path("one.jsonl"), data_fixture().runs().front().to_json().dump());
  const ProcessResult result = compare({folder.path("one.jsonl"), recorded_runs_path()});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("only in B"));
}

TEST(Compare, PredictionsAreComparedToo) {
  const Scratch folder;
  const auto predicted = [&](const std::string& name, const std::vector<std::string>& what_if) {
    std::vector<std::string> arguments = {
        "predict", "--shape", "512", "--variant", "naive,warp_tile", "--output", folder.path(name)};
    arguments.insert(arguments.end(), what_if.begin(), what_if.end());
    EXPECT_EQ(data_fixture().run(arguments).exit_code, 0) << name;
    return folder.path(name);
  };
  const std::string a = predicted("a.json", {}), b = predicted("b.json", {"--clock", "1GHz"});
  EXPECT_THAT(compare({a, a}).out, HasSubstr("2 same, 0 differ"));
  const ProcessResult result = compare({a, b, "--fail-on", "warp_tile"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.out, AllOf(HasSubstr("predictions: predictor, variant, tile, shape"),
                                HasSubstr("analytic warp_tile"), HasSubstr("geometric mean"),
                                HasSubstr("what if clock.ffma"), Not(HasSubstr("same GPU"))));
  EXPECT_EQ(test::schema_errors("comparison", Json::parse(compare({a, b, "--json", "-"}).out)), "");
  EXPECT_EQ(compare({a, recorded_profile_path()}).exit_code, 2);
  json none = json::parse(slurp(a));
  none["predictions"] = json::array();
  spill(folder.path("none.json"), none.dump());
  EXPECT_EQ(compare({a, folder.path("none.json")}).exit_code, 2) << "nothing to judge";
}

/// Paths of the recorded profile as that of `n` cards, the last with another FFMA latency.
std::vector<std::string> fleet(const Scratch& folder, std::size_t n, double factor) {
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < n; ++i)
    paths.push_back(
        edited_profile(folder, "card" + std::to_string(i) + ".json", [&](json& profile) {
          profile["environment"]["gpu_uuid"] = "GPU-" + std::to_string(i);
          json& metric = profile["metrics"]["ffma.latency"];
          if (i + 1 == n) metric["value"] = factor * metric["value"].get<double>();
        }));
  return paths;
}

ProcessResult compare_fleet(std::vector<std::string> paths, std::vector<std::string> options = {}) {
  paths.insert(paths.begin(), "--fleet");
  paths.insert(paths.end(), options.begin(), options.end());
  return compare(paths);
}

TEST(Compare, TheCardOfAFleetThatStandsApartIsNamed) {
  const Scratch folder;
  const auto paths = fleet(folder, 5, 1.5);
  const ProcessResult result = compare_fleet(paths);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, AllOf(HasSubstr("ffma.latency"), HasSubstr("E +50.00 %"),
                                HasSubstr("stand apart: E (GPU-4) in 1"), Not(HasSubstr("l2."))));
  EXPECT_THAT(compare_fleet(paths, {"--all"}).out, HasSubstr("l2."));
  EXPECT_EQ(test::schema_errors("fleet", Json::parse(compare_fleet(paths, {"--json", "-"}).out)),
            "");
  EXPECT_THAT(compare_fleet(paths, {"--csv", "-"}).out, HasSubstr("E,GPU-4,ffma.latency,cycle,"));
  const ProcessResult alike = compare_fleet(fleet(folder, 5, 1));
  EXPECT_THAT(alike.out, AllOf(HasSubstr("no card stands apart"), Not(HasSubstr("not only"))));
  const std::string other_driver = edited_profile(folder, "other.json", [](json& profile) {
    profile["environment"]["driver_version"] = "999.1";
  });
  EXPECT_THAT(compare_fleet({paths[0], paths[1], paths[2], other_driver}).out,
              HasSubstr("not only the cards differ, but also: driver"));
}

TEST(Compare, GatesOfAFleetFailOnOutliersAndOnWhatCannotBeJudged) {
  const Scratch folder;
  auto paths = fleet(folder, 5, 1.5);
  const auto gate = [&](const std::string& pattern) {
    return compare_fleet(paths, {"--fail-on", pattern});
  };
  EXPECT_EQ(gate("^ffma.latency$").exit_code, 1);
  EXPECT_THAT(gate("^ffma.latency$").err, AllOf(HasSubstr("E +50.00 %"), HasSubstr("GPU-4")));
  EXPECT_EQ(gate("^l2.latency$").exit_code, 0);
  EXPECT_EQ(gate("no.such").exit_code, 2);
  paths[1] = edited_profile(folder, "without.json",
                            [](json& profile) { profile["metrics"].erase("l2.latency"); });
  EXPECT_EQ(gate("^l2.latency$").exit_code, 1);
  EXPECT_THAT(gate("^l2.latency$").err, HasSubstr("B cannot be judged: missing"));
  paths[1] = recorded_runs_path();
  EXPECT_EQ(compare_fleet(paths).exit_code, 2);
  EXPECT_THAT(compare_fleet(paths).err, HasSubstr(paths[1] + " is runs; --fleet takes profiles"));
  EXPECT_EQ(compare_fleet({paths[0], paths[2], paths[3]}).exit_code, 2) << "three are no fleet";
}

TEST(Compare, AMetricThatIsSuspectOnEveryCardFailsItsGate) {
  const Scratch folder;
  std::vector<std::string> paths;
  for (const char* name : {"a.json", "b.json", "c.json", "d.json"})
    paths.push_back(edited_profile(folder, name, [&](json& profile) {
      profile["environment"]["gpu_uuid"] = name;
      profile["metrics"]["l2.latency"]["state"] = "suspect";
      profile["metrics"]["l2.latency"]["reason"] = "the clock moved";
    }));
  const ProcessResult result = compare_fleet(paths, {"--fail-on", "^l2.latency$"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("l2.latency: 0 values are too few to judge"));
  EXPECT_THAT(result.out, HasSubstr("1 with fewer than 4 values not"));
}

TEST(Compare, OneCardDoesNotStandForTwo) {
  const Scratch folder;
  auto paths = fleet(folder, 4, 1);
  paths.push_back(paths.front());
  const ProcessResult result = compare_fleet(paths);
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("two profiles are of the card GPU-0"));
}

TEST(Compare, AFleetMayHaveMoreCardsThanLetters) {
  const Scratch folder;
  const ProcessResult result = compare_fleet(fleet(folder, 30, 1.5));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("stand apart: AD (GPU-29)"));
}

}  // namespace
}  // namespace rooftile::cli
