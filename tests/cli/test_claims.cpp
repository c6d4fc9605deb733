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
