// rooftile claims: verdicts in every format, from the profile and runs that it was given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "data_fixture.hpp"
#include "tests/support/schema_errors.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json claims_json(const std::vector<std::string>& more) {
  std::vector<std::string> arguments{"claims", "--json", "-"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const ProcessResult result = data_fixture().run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out);
}

TEST(ClaimsCommand, WritesEveryFormat) {
  const json document = claims_json({});
  EXPECT_EQ(test::schema_errors("verdicts", Json::parse(document.dump())), "");
  EXPECT_EQ(document.at("claims").size(), 45u);
  const ProcessResult csv = data_fixture().run({"claims", "--csv", "-"});
  EXPECT_THAT(csv.out, HasSubstr("id,source,verdict,claim,evidence,missing"));
  const ProcessResult text = data_fixture().run({"claims", "--id", "2,27"});
  EXPECT_THAT(text.out, HasSubstr("claim 27:"));
  EXPECT_THAT(text.out, HasSubstr("metric(register.banks)"));
  EXPECT_THAT(data_fixture().run({"claims", "--md", "-"}).out, HasSubstr("| id | source |"));
}

TEST(ClaimsCommand, AFilterAndAnIdSelect) {
  EXPECT_EQ(claims_json({"--filter", "cuda::pipeline"}).at("claims").size(), 1u);
  EXPECT_EQ(claims_json({"--id", "3", "5"}).at("claims").size(), 2u);
  EXPECT_EQ(data_fixture().run({"claims", "--id", "99"}).exit_code, exit_usage);
  const ProcessResult one_of_two = data_fixture().run({"claims", "--id", "2,99"});
  EXPECT_EQ(one_of_two.exit_code, exit_usage);
  EXPECT_THAT(one_of_two.err, HasSubstr("no claim 99"));
  const ProcessResult neither =
      data_fixture().run({"claims", "--id", "3", "--filter", "cuda::pipeline"});
  EXPECT_EQ(neither.exit_code, exit_usage);
  EXPECT_THAT(neither.err, HasSubstr("both --id and --filter"));
  EXPECT_EQ(data_fixture().run({"claims", "--filter", "nonsense"}).exit_code, exit_usage);
}

/// Claim 27 says four banks: on the recorded data it follows the profile, whatever --set makes of
/// it.
TEST(ClaimsCommand, TheProfileDecides) {
  const Scratch empty;
  const auto four_banks = [&](const std::string& banks) {
    const ProcessResult result = rooftile_process(
        {"claims", "--id", "27", "--json", "-", "--set", "register.banks=" + banks},
        {{}, empty.folder(), 0, 0, ""});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out).at("claims").at(0).at("rules").at(0).at("holds");
  };
  EXPECT_EQ(four_banks("4"), true);
  EXPECT_EQ(four_banks("2"), false);
}

/// A name that is misspelt in a rule would leave its claim open for ever. Counters and the tiles
/// that a rule names are not in the record.
TEST(ClaimsCommand, OnTheRecordEveryTermOfARunHasAValue) {
  const Scratch empty;
  const ProcessResult result =
      rooftile_process({"claims", "--json", "-"}, {{}, empty.folder(), 0, 0, ""});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json verdicts = json::parse(result.out);
  int terms = 0;
  for (const json& claim : verdicts.at("claims"))
    for (const char* rules : {"given", "rules"})
      for (const json& rule : claim.at(rules))
        for (const json& evidence : rule.at("evidence")) {
          const std::string term = evidence.at("term");
          if (term.starts_with("counter(") || term.find("/8x8/") != std::string::npos) continue;
          EXPECT_FALSE(evidence.at("value").is_null()) << claim.at("id") << ": " << term;
          ++terms;
        }
  EXPECT_GT(terms, 60);
}

/// Claim 44 is about fewer blocks than SMs: a GPU of 40 SMs does not test it.
TEST(ClaimsCommand, APremiseThatDoesNotFitTheGpuLeavesTheClaimOpen) {
  const Scratch empty;
  const auto verdict = [&](const std::vector<std::string>& what_if) {
    std::vector<std::string> arguments{"claims", "--id", "44", "--json", "-"};
    arguments.insert(arguments.end(), what_if.begin(), what_if.end());
    const ProcessResult result = rooftile_process(arguments, {{}, empty.folder(), 0, 0, ""});
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return json::parse(result.out).at("claims").at(0).at("verdict").get<std::string>();
  };
  EXPECT_NE(verdict({}), "cannot be decided yet");
  EXPECT_EQ(verdict({"--set", "device.sm_count=40"}), "cannot be decided yet");
}

TEST(ClaimsCommand, WithoutTheFileItSaysSoAndTheReportGoesOn) {
  const Scratch folder;
  std::filesystem::copy(data_fixture().folder(), folder.path("data"),
                        std::filesystem::copy_options::recursive);
  std::filesystem::remove(folder.path("data/claims.json"));
  const std::vector<std::string> environment{"ROOFTILE_DATA_DIR=" + folder.path("data")};
  const ProcessResult claims =
      rooftile_process({"claims"}, {environment, folder.folder(), 0, 0, ""});
  EXPECT_EQ(claims.exit_code, exit_usage);
  EXPECT_THAT(claims.err, HasSubstr("claims.json"));
  EXPECT_EQ(rooftile_process({"report"}, {environment, folder.folder(), 0, 0, ""}).exit_code, 0);
}

}  // namespace
}  // namespace rooftile::cli
