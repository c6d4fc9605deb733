// Validation end to end on synthetic runs whose true times are known.
#include "model/predict/validate.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "model/predict/ablate.hpp"
#include "model/predict/predictor.hpp"
#include "tests/model/h200_fixture.hpp"

namespace rooftile {
namespace {

const Tile big{.BM = 128, .BN = 128, .BK = 8, .TM = 8, .TN = 8};
const Tile small{.BM = 64, .BN = 64, .BK = 8, .TM = 4, .TN = 8};

RunRecord run(const std::string& variant, const Tile& tile, std::int64_t size, double time_s) {
  RunRecord r;
  r.variant = variant;
  r.tile = tile;
  r.problem = make_problem(size, size, size);
  r.time = TimeSummary{};
  r.time->median = time_s;
  return r;
}

std::optional<DescribedRun> describe(const RunRecord& r) {
  if (r.variant == "unknown") return std::nullopt;
  return DescribedRun{test::tiled_kernel(r.tile, r.problem, r.variant == "double"), r.variant};
}

/// Measured = what analytic says times `factor`.
std::vector<RunRecord> synthetic(double factor) {
  const auto analytic = make_predictor("analytic", test::h200());
  std::vector<RunRecord> runs;
  for (const std::int64_t size : {256, 512, 768, 1024, 1536, 2048, 3072, 4096})
    for (const auto& [variant, tile] :
         {std::pair{"single", big}, std::pair{"double", big}, std::pair{"double", small}}) {
      RunRecord r = run(variant, tile, size, 1);
      r.time->median = factor * analytic->time_s(describe(r)->kernel, r.problem);
      runs.push_back(r);
    }
  return runs;
}

TEST(Validate, PerfectAndBiasedPredictions) {
  const ValidationReport exact = validate(test::h200(), synthetic(1), Splits{}, describe);
  const ErrorSummary& dev = exact.predictors.at("analytic").at("dev");
  EXPECT_EQ(dev.n, 24);
  EXPECT_NEAR(dev.mape, 0, 1e-12);
  EXPECT_DOUBLE_EQ(*dev.kendall_tau_b, 1);
  EXPECT_NEAR(*dev.regret_top1, 0, 1e-12);
  EXPECT_EQ(exact.fitted_parameters, 0);
  const ValidationReport slow = validate(test::h200(), synthetic(1.25), Splits{}, describe);
  const ErrorSummary& biased = slow.predictors.at("analytic").at("dev");
  EXPECT_NEAR(biased.mape, 0.2, 1e-9);
  EXPECT_NEAR(biased.bias, -0.2, 1e-9);
  EXPECT_NEAR(biased.p95, 0.2, 1e-9);
  EXPECT_NEAR(biased.max, 0.2, 1e-9);
  EXPECT_DOUBLE_EQ(*biased.interval_coverage, 1);
  EXPECT_EQ(slow.by_variant.at("analytic").at("single").n, 8);
  EXPECT_EQ(slow.by_shape.at("analytic").at("512x512x512").n, 3);
  EXPECT_EQ(slow.worst.size(), 20u);
  EXPECT_EQ(slow.worst.front().predictor, "analytic");
}

TEST(Validate, SplitsAndSkipped) {
  auto runs = synthetic(1);
  runs.push_back(run("unknown", big, 512, 1e-3));
  runs.push_back(run("single", small, 512, 1e-3));
  runs.back().state = State::suspect;
  runs.push_back(run("cublas", {}, 512, 1e-5));
  Splits splits;
  splits.shapes = {{"1024x1024x1024", "square", true}};
  splits.sealed_families = {{"double", false}};
  const ValidationReport report = validate(test::h200(), runs, splits, describe);
  EXPECT_EQ(report.predictors.at("analytic").at("sealed").n, 3);
  EXPECT_EQ(report.predictors.at("analytic").at("dev").n, 21);
  EXPECT_EQ(report.by_shape.at("analytic").count("1024x1024x1024"), 0u);
  EXPECT_EQ(report.skipped.size(), 3u) << "two runs, and sass for want of metrics";
  EXPECT_EQ(report.baselines.at("cublas").n, 1);
}

/// However fast, and though this `describe` would describe it.
TEST(Validate, AnotherLibraryIsNeitherPredictedNorABaseline) {
  auto runs = synthetic(1);
  runs.push_back(run("cublas", {}, 512, 1e-5));
  const ValidationReport without = validate(test::h200(), runs, Splits{}, describe);
  runs.push_back(run("cublaslt", {}, 512, 1e-9));
  ValidationReport with = validate(test::h200(), runs, Splits{}, describe);
  const auto said =
      std::find_if(with.skipped.begin(), with.skipped.end(),
                   [](const std::string& text) { return text.starts_with("cublaslt "); });
  ASSERT_NE(said, with.skipped.end());
  EXPECT_TRUE(said->ends_with(": of a library, which is not predicted")) << *said;
  with.skipped.erase(said);
  EXPECT_EQ(with.to_json(), without.to_json());
}

TEST(Validate, BaselinesFromKnownTimes) {
  std::vector<RunRecord> runs = {run("single", big, 512, 2e-5), run("single", small, 512, 1e-5),
                                 run("cublas", {}, 512, 5e-6)};
  const ValidationReport report = validate(test::h200(), runs, Splits{}, describe);
  EXPECT_NEAR(*report.baselines.at("always 128x128x8").regret_top1, 1, 1e-9);
  EXPECT_NEAR(*report.baselines.at("cublas").regret_top1, -0.5, 1e-9);
  EXPECT_NEAR(*report.baselines.at("random").regret_top1, std::sqrt(2) - 1, 1e-9);
  EXPECT_EQ(report.baselines.at("max_rule").n, 2);
  EXPECT_EQ(report.baselines.at("plain_roofline").n, 2);
}

TEST(Validate, CompiledResourcesWin) {
  RunRecord r = run("single", big, 4096, 1e-2);
  const auto time = [&](int registers) {
    r.resources.compiled = registers > 0;
    r.resources.registers_per_thread = registers;
    r.resources.static_shared_bytes = 8192;
    for (const ErrorCase& c : validate(test::h200(), std::vector{r}, Splits{}, describe).cases)
      if (c.predictor == "analytic") return c.predicted_s;
    return 0.0;
  };
  EXPECT_GT(time(255), time(128));  // one block an SM instead of two
  EXPECT_DOUBLE_EQ(time(0), time(128));
}

/// Of analytic, by what is taken out.
std::map<std::string, AblationCase> ablated(const std::vector<RunRecord>& runs) {
  std::map<std::string, AblationCase> cases;
  for (const AblationCase& c : ablate(test::h200(), runs, Splits{}, describe))
    if (c.predictor == "analytic") cases[c.without] = c;
  return cases;
}

TEST(Ablation, EachPartIsMissedByWhatItPredicted) {
  const auto cases = ablated(synthetic(1));
  EXPECT_NEAR(cases.at("nothing").summary.mape, 0, 1e-12);
  for (const PartInfo& part : model_parts()) {
    const auto found = cases.find(std::string(part.name));
    ASSERT_EQ(found != cases.end(), part.in_closed_forms) << part.name;
    if (!part.in_closed_forms) continue;
    const AblationCase& c = found->second;
    EXPECT_EQ(c.summary.n, 24) << part.name;
    EXPECT_THAT(c.worse, ::testing::Contains("mape")) << part.name;
    const bool saves_time = part.part == Part::l2_hits || part.part == Part::lane_addresses;
    EXPECT_EQ(c.summary.bias > 0, saves_time) << part.name;
  }
}

TEST(Ablation, ALossThatChangesNothingIsNotCalledWorse) {
  DeviceProfile profile = test::h200();
  test::set(profile, "launch.overhead", 1e-12);
  int seen = 0;
  for (const AblationCase& c : ablate(profile, synthetic(1.25), Splits{}, describe)) {
    if (c.predictor != "analytic" || c.without != "launch") continue;
    EXPECT_TRUE(c.worse.empty());
    ++seen;
  }
  EXPECT_EQ(seen, 1);
}

TEST(Ablation, SealedRunsAreLeftOut) {
  Splits splits;
  splits.shapes = {{"1024x1024x1024", "square", true}};
  for (const AblationCase& c : ablate(test::h200(), synthetic(1), splits, describe))
    EXPECT_EQ(c.summary.n, 21) << c.without;
}

TEST(Validate, StatedPredictionsAreJudgedAsThoseMadeNow) {
  const auto runs = synthetic(1.25);
  const auto analytic = make_predictor("analytic", test::h200());
  std::vector<Prediction> stated;
  for (const RunRecord& r : runs)
    stated.push_back(analytic->explain(describe(r)->kernel, r.problem));
  const auto judge = [&](const std::vector<Prediction>& predictions) {
    return validate_stated(predictions, test::h200(), runs, Splits{}, describe);
  };
  const ValidationReport now = validate(test::h200(), runs, Splits{}, describe);
  const ValidationReport before = judge(stated);
  EXPECT_EQ(before.predictors.size(), 1U) << "only analytic stated any";
  const ErrorSummary &a = now.predictors.at("analytic").at("dev"),
                     &b = before.predictors.at("analytic").at("dev");
  EXPECT_EQ(a.n, b.n);
  EXPECT_DOUBLE_EQ(a.mape, b.mape);
  EXPECT_EQ(a.kendall_tau_b, b.kendall_tau_b);
  EXPECT_EQ(now.by_bound.at("analytic").size(), before.by_bound.at("analytic").size());

  // Another time was stated later, and one kernel not at all.
  stated.push_back(stated.back());
  stated.back().time_s = runs.back().time->median;
  stated.erase(stated.begin());
  const ValidationReport other = judge(stated);
  EXPECT_EQ(other.predictors.at("analytic").at("dev").n, 23);
  EXPECT_NEAR(other.predictors.at("analytic").at("dev").mape, 0.2 * 22 / 23, 1e-9);
  EXPECT_THAT(other.skipped,
              ::testing::Contains(::testing::HasSubstr("not among the predictions")));
}

TEST(Validate, LaterRunsReplaceEarlierOnes) {
  const std::vector<RunRecord> runs = {run("single", big, 512, 9), run("single", big, 512, 1e-5)};
  const ValidationReport report = validate(test::h200(), runs, Splits{}, describe);
  EXPECT_EQ(report.predictors.at("roofline").at("dev").n, 1);
  EXPECT_DOUBLE_EQ(report.cases.front().measured_s, 1e-5);
}

}  // namespace
}  // namespace rooftile
