// Many tiles of a variant: what `validate` is told of them, and the page that shows them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "data_fixture.hpp"
#include "gemm/variant.hpp"

namespace rooftile::cli {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// The fixture's runs, of kernels that were compiled to `registers` a thread.
std::string runs_of(int registers, const Scratch& scratch) {
  std::string text;
  for (RunRecord run : data_fixture().runs()) {
    run.resources = require_variant(run.variant).describe(run.tile, run.problem).resources;
    run.resources.registers_per_thread = registers;
    run.resources.compiled = true;
    text += run.to_json().dump() + "\n";
  }
  const std::string path = scratch.path("runs-" + std::to_string(registers) + ".jsonl");
  spill(path, text);
  return path;
}

double analytic_mape(const std::string& runs, const std::vector<std::string>& options) {
  std::vector<std::string> arguments{"validate", "--runs", runs, "--json", "-", "--quiet"};
  arguments.insert(arguments.end(), options.begin(), options.end());
  const ProcessResult result = data_fixture().run(arguments);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return json::parse(result.out).at("predictors").at("analytic").at("dev").at("mape");
}

TEST(Landscape, FromTilesTheRegistersAreNotKnown) {
  const Scratch scratch;
  const std::string few = runs_of(32, scratch), many = runs_of(255, scratch);
  EXPECT_NE(analytic_mape(few, {}), analytic_mape(many, {}));
  EXPECT_DOUBLE_EQ(analytic_mape(few, {"--from-tiles"}), analytic_mape(many, {"--from-tiles"}));
}

TEST(Landscape, ThePageShowsItWhereThereIsOne) {
  const Scratch scratch;
  const auto page = [&](const std::vector<std::string>& options) {
    const std::string folder = scratch.path("report");
    std::vector<std::string> arguments{"report", "--output", folder, "--quiet"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const ProcessResult result = data_fixture().run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return slurp(folder + "/report.md");
  };
  const std::string none = "Measured tiles beside their predictions: none were measured";
  EXPECT_THAT(page({}), HasSubstr(none));
  const std::string runs = runs_of(64, scratch);
  const std::string shown = page({"--landscape", runs});
  EXPECT_THAT(shown, Not(HasSubstr(none)));
  EXPECT_THAT(shown, HasSubstr("Measured tiles by shape"));
  EXPECT_THAT(shown, HasSubstr(runs)) << "among the sources";
  EXPECT_EQ(data_fixture().run({"report", "--landscape", "none.jsonl"}).exit_code, 2);
}

}  // namespace
}  // namespace rooftile::cli
