// Claims: what a rule may say, that the numbers alone decide, and that every rule of
// data/claims.json can be read.
#include "report/claims.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "fixture.hpp"
#include "model/error.hpp"
#include "model/record/json_reader.hpp"
#include "report/sections.hpp"

namespace rooftile::test {
namespace {

using report::ClaimVerdict;
using report::RuleResult;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Claims published() { return Claims::load(std::string(ROOFTILE_SOURCE_DIR) + "/data/claims.json"); }

/// Judges by an input that stays alive as long as the verdict is made.
RuleResult judged(const std::string& rule, const ReportInput& input) {
  const report::Analysis analysis = report::analyse(input);
  return judge_rule(rule, report::ClaimValues(input, analysis));
}

RuleResult judged(const std::string& rule) { return judged(rule, plausible_input()); }

RunRecord run_of(const std::string& variant, std::int64_t size, double time_s) {
  RunRecord run;
  run.variant = variant;
  run.problem = make_problem(size, size, size);
  run.time = TimeSummary{time_s, 0, time_s, time_s, 9, {time_s, time_s}, true};
  run.resources.compiled = true;
  run.resources.registers_per_thread = 128;
  run.counters.values = {{"l2.hit_rate", 0.75}};
  return run;
}

/// naive takes 4 and 16 ms, tiled 2 and 4 ms, cuBLAS 1 and 4 ms, on 1024 and 2048.
ReportInput two_variants() {
  ReportInput input;
  input.runs = {run_of("naive", 1024, 4e-3),  run_of("naive", 2048, 16e-3),
                run_of("tiled", 1024, 2e-3),  run_of("tiled", 2048, 4e-3),
                run_of("cublas", 1024, 1e-3), run_of("cublas", 2048, 4e-3)};
  return input;
}

TEST(ClaimRule, ArithmeticBindsAsUsual) {
  for (const char* rule :
       {"1 + 2 * 3 <= 7", "7 <= 1 + 2 * 3", "(1 + 2) * 3 >= 9", "8 / 2 / 2 >= 2", "1 - 2 - 3 <= -4",
        "-2 * -3 > 5.9", "1 < 2 < 3", "max(1, 3, 2) >= 3", "min(2, 1 + 0, 3) <= 1", "1e3 > 999"})
    EXPECT_EQ(judged(rule).holds, true) << rule;
  for (const char* rule : {"1 + 2 * 3 > 7", "8 / (2 / 2) < 8", "1 < 3 < 2", "max(1, 2) < 2"})
    EXPECT_EQ(judged(rule).holds, false) << rule;
  EXPECT_EQ(judged("1 / 0 < 1").holds, std::nullopt);
}

TEST(ClaimRule, NamesRunsAndTheirQuotients) {
  const ReportInput input = two_variants();
  EXPECT_EQ(judged("0.499 < share(tiled, 1024) < 0.501", input).holds, true);
  EXPECT_EQ(judged("1 <= share(tiled, 2048) <= 1", input).holds, true);
  EXPECT_EQ(judged("time(best, 2048) < time(naive, 2048)", input).holds, true);
  EXPECT_EQ(judged("speed(naive, 1024) > speed(tiled, 1024x1024x1024)", input).holds, false);
  EXPECT_EQ(judged("128 <= registers(naive, 1024) <= 128", input).holds, true);
  EXPECT_EQ(judged("counter(naive, 1024, l2.hit_rate) > 0.74", input).holds, true);
  EXPECT_EQ(judged("time(tiled, 1024, '1x1x1/1x1') > 0", input).holds, true);
  EXPECT_EQ(judged("time(tiled, 1024, '2x2x2/1x1') > 0", input).holds, std::nullopt);
}

/// The fastest of all: not ours, and not what shares are of.
TEST(ClaimRule, AnotherLibraryIsNamedAndNothingElse) {
  ReportInput input = two_variants();
  input.variants = {{"naive", "", "", 1, {}}, {"tiled", "", "", 2, {}}};
  EXPECT_EQ(judged("time(cublaslt, 1024) > 0", input).holds, std::nullopt);
  input.runs.push_back(run_of("cublaslt", 1024, 0.5e-3));
  EXPECT_EQ(judged("0.4e-3 < time(cublaslt, 1024) < 0.6e-3", input).holds, true);
  EXPECT_EQ(judged("1.999 < share(cublaslt, 1024) < 2.001", input).holds, true);
  EXPECT_EQ(judged("0.499 < share(tiled, 1024) < 0.501", input).holds, true);
  EXPECT_EQ(judged("1.9e-3 < time(best, 1024) < 2.1e-3", input).holds, true);
}

/// A run of another form of the problem, faster than all others: none of them may be taken for it.
TEST(ClaimRule, RunsOfAnotherFormAreNotOfTheShape) {
  const auto with = [](const std::function<void(GemmProblem&)>& change) {
    ReportInput input = two_variants();
    for (const char* variant : {"naive", "cublas"}) {
      input.runs.push_back(run_of(variant, 1024, 1e-6));
      change(input.runs.back().problem);
    }
    return input;
  };
  const std::vector<std::function<void(GemmProblem&)>> forms{
      [](GemmProblem& p) { p.alpha = 0; },
      [](GemmProblem& p) { p.beta = 1; },
      [](GemmProblem& p) { p.trans_a = true; },
      [](GemmProblem& p) { p.trans_b = true; },
      [](GemmProblem& p) { p.lda += 8; },
      [](GemmProblem& p) { p.batch = 8; },
      [](GemmProblem& p) { p.layout = Layout::column_major; }};
  for (std::size_t i = 0; i < forms.size(); ++i)
    for (const char* rule :
         {"0.004 <= time(naive, 1024) <= 0.004", "0.002 <= time(best, 1024) <= 0.002",
          "0.25 <= share(naive, 1024) <= 0.25",
          "2 <= over_shapes_min(time(naive, *) / time(tiled, *)) <= 2"})
      EXPECT_EQ(judged(rule, with(forms[i])).holds, true) << i << ": " << rule;
}

TEST(ClaimRule, WithoutATileTheDefaultIsMeantHoweverFastAnotherIs) {
  ReportInput input = two_variants();
  input.variants = {{"naive", "", "", 0, Tile{}}, {"tiled", "", "", 1, Tile{}}};
  const auto rules = {"0.004 <= time(naive, 1024) <= 0.004", "0.25 <= share(naive, 1024) <= 0.25",
                      "128 <= registers(naive, 1024) <= 128",
                      "0.75 <= counter(naive, 1024, l2.hit_rate) <= 0.75"};
  for (const char* rule : rules) EXPECT_EQ(judged(rule, input).holds, true) << rule;
  RunRecord faster = run_of("naive", 1024, 1e-4);
  faster.tile.BM = 64;
  faster.resources.registers_per_thread = 40;
  faster.counters.values = {{"l2.hit_rate", 0.1}};
  input.runs.push_back(faster);
  for (const char* rule : rules) EXPECT_EQ(judged(rule, input).holds, true) << rule;
  EXPECT_EQ(judged("time(best, 1024) <= 1e-4", input).holds, true) << "of all tiles";
  input.runs.erase(input.runs.begin());
  EXPECT_EQ(judged(rules.begin()[0], input).holds, std::nullopt) << "another tile is no stand-in";
}

/// Not every predictor has every kernel: the finest that has this one answers.
TEST(ClaimRule, APredictionIsOfTheFinestPredictorThatHasTheRun) {
  ReportInput input = two_variants();
  const auto predict = [&](const char* predictor, std::size_t run, double waves) {
    Prediction p;
    p.predictor = predictor;
    p.variant = input.runs[run].variant;
    p.tile = input.runs[run].tile;
    p.problem = input.runs[run].problem;
    p.time_s = 1e-3;
    p.waves = waves;
    input.predictions.push_back(p);
  };
  predict("analytic", 0, 1);
  predict("analytic", 2, 2);
  predict("sass", 2, 3);
  EXPECT_EQ(judged("1 <= predicted(naive, 1024, waves) <= 1", input).holds, true);
  EXPECT_EQ(judged("3 <= predicted(tiled, 1024, waves) <= 3", input).holds, true);
  EXPECT_EQ(judged("predicted(naive, 2048, waves) > 0", input).holds, std::nullopt);
}

TEST(ClaimRule, OverShapesTakesEveryMeasuredShape) {
  const ReportInput input = two_variants();
  EXPECT_EQ(judged("2 <= over_shapes_min(time(naive, *) / time(tiled, *)) <= 2", input).holds,
            true);
  EXPECT_EQ(judged("4 <= over_shapes_max(time(naive, *) / time(tiled, *)) <= 4", input).holds,
            true);
  const RuleResult mean =
      judged("2.82 < over_shapes_mean(time(naive, *) / time(tiled, *)) < 2.83", input);
  EXPECT_EQ(mean.holds, true);
  ASSERT_EQ(mean.evidence.size(), 1u);
  EXPECT_THAT(mean.evidence[0].term, HasSubstr("over 2 shapes"));
  EXPECT_EQ(judged("over_shapes_min(time(absent, *)) > 0", input).holds, std::nullopt);
  EXPECT_EQ(judged("over_shapes_min(time(naive, *)) > 0", {}).holds, std::nullopt);
}

TEST(ClaimRule, NumbersThatAreNotFiniteAreMissing) {
  ReportInput input = two_variants();
  input.validation.predictors["analytic"]["dev"].regret_top5 =
      std::numeric_limits<double>::infinity();
  input.runs[0].counters.values = {{"l2.hit_rate", std::nan("")}};
  for (const char* rule :
       {"accuracy(analytic, dev, regret_top5) > 0", "counter(naive, 1024, l2.hit_rate) > 0"}) {
    const RuleResult result = judged(rule, input);
    EXPECT_EQ(result.holds, std::nullopt) << rule;
    EXPECT_THAT(result.evidence.at(0).missing, HasSubstr("not finite")) << rule;
  }
  for (const char* rule :
       {"over_shapes_mean(0 - time(naive, *)) > 0", "over_shapes_mean(0 * time(naive, *)) < 1",
        "over_shapes_mean(0 - time(naive, *)) <= 0"}) {
    const RuleResult result = judged(rule, two_variants());
    EXPECT_NE(result.holds, false) << rule;
    for (const report::Evidence& evidence : result.evidence)
      EXPECT_TRUE(!evidence.value || std::isfinite(*evidence.value)) << rule;
  }
  input.validation.predictors["analytic"]["dev"].regret_top5 = 0.01;
  EXPECT_EQ(judged("accuracy(analytic, dev, regret_top5) <= 0.02", input).holds, true);
}

TEST(ClaimRule, WhatIsMissingIsNamedWithTheCommandThatMakesIt) {
  const RuleResult result = judged("time(naive, 512) < time(tiled, 1024)", two_variants());
  EXPECT_EQ(result.holds, std::nullopt);
  EXPECT_THAT(result.with_numbers, testing::StartsWith("? < "));
  ASSERT_EQ(result.evidence.size(), 2u);
  EXPECT_THAT(result.evidence[0].missing,
              HasSubstr("rooftile measure --variant naive --shape 512"));
  EXPECT_EQ(result.evidence[1].missing, "");
  const RuleResult metric = judged("metric(smem.lds128.latency) > 0", ReportInput{});
  EXPECT_THAT(metric.evidence.at(0).missing, HasSubstr("rooftile characterize"));
}

TEST(ClaimRule, ALinkThatBreaksDecidesWhateverIsMissing) {
  EXPECT_EQ(judged("2 < 1 < time(naive, 512)", two_variants()).holds, false);
  EXPECT_EQ(judged("time(naive, 512) < 2 < 1", two_variants()).holds, false);
  EXPECT_EQ(judged("1 < 2 < time(naive, 512)", two_variants()).holds, std::nullopt);
}

TEST(ClaimRule, WhatIsNoRuleIsRefusedWithItsPlace) {
  for (const char* rule : {"",
                           "1",
                           "1 <",
                           "1 < 2 3",
                           "(1 < 2",
                           "time(naive, 1024",
                           "nonsense(1) < 2",
                           "time(naive) < 1",
                           "predicted(naive, 1024, colour) > 0",
                           "accuracy(analytic, dev, colour) > 0",
                           "roof(sky) > 1",
                           "curve(l1.stride, x) > 1",
                           "over_shapes_sum(1) > 0",
                           "1 == 1",
                           "time('naive, 1024) > 0",
                           "a < 1",
                           "1e999 > 1",
                           ". < 1",
                           "time(naive, *) > 0",
                           "over_shapes_min(time(naive, *)) < time(naive, *)",
                           "over_shapes_min(over_shapes_max(time(naive, *)) * time(naive, *)) > 0"})
    EXPECT_THROW(judged(rule, two_variants()), InputError) << rule;
  EXPECT_THROW(judged("over_shapes_sum(1) > 0", {}), InputError) << "without shapes too";
}

TEST(ClaimRule, DeepNestingIsRefusedAndNotACrash) {
  const std::size_t deep = 200000;
  const std::string call = "min(";
  std::string calls;
  for (std::size_t i = 0; i < deep; ++i) calls += call;
  for (const std::string& rule :
       {std::string(deep, '(') + "1" + std::string(deep, ')') + " < 2",
        std::string(deep, '-') + "1 < 2", calls + "1" + std::string(deep, ')') + " < 2"})
    EXPECT_THROW(judged(rule), InputError) << rule.substr(0, 8);
  EXPECT_EQ(judged(std::string(50, '(') + "1" + std::string(50, ')') + " < 2").holds, true);
  std::string wide = "1";  // many terms beside each other nest nothing
  for (int i = 0; i < 1000; ++i) wide += " + (1)";
  EXPECT_EQ(judged(wide + " > 1000").holds, true);
}

/// A misspelt name must not leave its claim open for ever.
TEST(ClaimRule, NamesThatCannotExistAreErrors) {
  for (const char* rule :
       {"metric(nonsense) > 0", "metric(l1.stride) > 0", "curve(nonsense, 1) > 0",
        "cell(nonsense, a, b) > 0", "accuracy(nonsense, dev, regret_top5) > 0",
        "accuracy(analytic, nonsense, regret_top5) > 0", "time(naive, abc) > 0",
        "time(naive, 12x13) > 0", "time(best, 1024, '1x1x1/1x1') > 0"})
    EXPECT_THROW(judged(rule, two_variants()), InputError) << rule;
  ReportInput input = two_variants();
  input.variants = {{"naive", "", "", 0, {}}, {"tiled", "", "", 1, {}}};
  const RuleResult unknown = judged("time(nonsense, 1024) > 0", input);
  EXPECT_EQ(unknown.holds, std::nullopt);
  EXPECT_THAT(unknown.evidence.at(0).missing, HasSubstr("no variant nonsense"));
  EXPECT_THAT(unknown.evidence.at(0).missing, Not(HasSubstr("rooftile measure")));
  const RuleResult best = judged("time(best, 512) > 0", input);
  EXPECT_THAT(best.evidence.at(0).missing, Not(HasSubstr("--variant")));
}

Claim claim_with(std::vector<std::string> rules) {
  return {1, "A", "text", "", {}, std::move(rules), ""};
}

TEST(Claims, OneBrokenRuleDecidesAndOneOpenRuleLeavesItOpen) {
  const ReportInput input = two_variants();
  const report::Analysis analysis = report::analyse(input);
  const report::ClaimValues values(input, analysis);
  const std::string open = "time(absent, 1024) > 0";
  const auto verdict = [&](std::vector<std::string> rules) {
    return judge_claim(claim_with(std::move(rules)), values).verdict;
  };
  EXPECT_EQ(verdict({"1 < 2", "2 < 3"}), ClaimVerdict::holds);
  EXPECT_EQ(verdict({"1 < 2", open}), ClaimVerdict::undecided);
  EXPECT_EQ(verdict({open, "2 < 1"}), ClaimVerdict::does_not_hold);
  EXPECT_EQ(verdict({}), ClaimVerdict::undecided);
  const report::JudgedClaim twice = judge_claim(claim_with({open, open}), values);
  EXPECT_THAT(twice.missing(), ElementsAre(HasSubstr("absent")));
  EXPECT_EQ(twice.evidence().size(), 1u);
}

/// What was not tested is neither refuted nor confirmed.
TEST(Claims, APremiseThatFailsLeavesTheClaimOpen) {
  const ReportInput input = two_variants();
  const report::Analysis analysis = report::analyse(input);
  const report::ClaimValues values(input, analysis);
  const auto with = [&](const std::string& given, const std::string& rule) {
    Claim claim = claim_with({rule});
    claim.given = {"1 < 2", given};
    return judge_claim(claim, values);
  };
  EXPECT_EQ(with("2 < 3", "1 < 2").verdict, ClaimVerdict::holds);
  EXPECT_EQ(with("2 < 3", "2 < 1").verdict, ClaimVerdict::does_not_hold);
  EXPECT_EQ(with("time(absent, 1024) > 0", "2 < 1").verdict, ClaimVerdict::undecided);
  for (const char* rule : {"1 < 2", "2 < 1"}) {
    const report::JudgedClaim open = with("registers(naive, 1024) < 100", rule);
    EXPECT_EQ(open.verdict, ClaimVerdict::undecided) << rule;
    EXPECT_THAT(open.missing(), ElementsAre(HasSubstr("registers(naive, 1024) < 100, which is 128"
                                                      " < 100")));
    EXPECT_EQ(open.evidence().size(), 1u);
    EXPECT_THAT(evidence_texts(open).at(1), testing::StartsWith("given registers"));
  }
}

TEST(Claims, AllFortyFiveArePublishedEachWithRulesOrAReason) {
  const Claims claims = published();
  std::set<int> ids;
  for (const Claim& claim : claims.claims) ids.insert(claim.id);
  EXPECT_EQ(ids.size(), 45u);
  EXPECT_EQ(*ids.begin(), 1);
  EXPECT_EQ(*ids.rbegin(), 45);
  EXPECT_EQ(claims.sources.size(), 2u);
}

/// Without data nothing is decided: no verdict is written down, and every rule can be read.
TEST(Claims, WithoutNumbersThereIsNoVerdict) {
  ReportInput input;
  input.claims = published();
  for (const auto& judged : judge_claims(input, report::analyse(input))) {
    EXPECT_EQ(judged.verdict, ClaimVerdict::undecided) << judged.claim.id;
    EXPECT_THAT(judged.missing(), Not(IsEmpty())) << judged.claim.id;
  }
}

/// Every function of a rule names what exists: on the recorded data no term is missing for a
/// metric, curve, table or cell.
TEST(Claims, TheRecordHasEveryEntryThatARuleNames) {
  ReportInput input;
  const std::string data = std::string(ROOFTILE_SOURCE_DIR) + "/data";
  input.profile = DeviceProfile::load(data + "/h200/profile.json");
  input.claims = published();
  for (const auto& judged : judge_claims(input, report::analyse(input)))
    for (const RuleResult& result : judged.rules)
      for (const report::Evidence& evidence : result.evidence)
        for (const char* function : {"metric(", "curve(", "cell(", "roof("})
          if (evidence.term.starts_with(function)) {
            EXPECT_TRUE(evidence.value) << judged.claim.id << ": " << evidence.missing;
          }
}

TEST(Claims, TheNumbersDecide) {
  ReportInput input = two_variants();
  const auto verdict = [&] {
    const report::Analysis analysis = report::analyse(input);
    return judge_claim(claim_with({"share(tiled, 1024) >= 0.9"}),
                       report::ClaimValues(input, analysis))
        .verdict;
  };
  EXPECT_EQ(verdict(), ClaimVerdict::does_not_hold);
  input.runs[2] = run_of("tiled", 1024, 1e-3);
  EXPECT_EQ(verdict(), ClaimVerdict::holds);
  input.runs.erase(input.runs.begin() + 4);
  EXPECT_EQ(verdict(), ClaimVerdict::undecided);
}

TEST(Claims, ThePageHoldsEveryClaimWithItsRule) {
  const ReportInput input = plausible_input();
  const report::Section section = claims_section(input, report::analyse(input));
  const auto* table = std::get_if<report::TableBlock>(&section.blocks.back());
  ASSERT_NE(table, nullptr);
  ASSERT_EQ(table->rows.size(), input.claims.claims.size());
  for (std::size_t i = 0; i < table->rows.size(); ++i) {
    const Claim& claim = input.claims.claims[i];
    for (const auto* rules : {&claim.given, &claim.rules})
      for (const std::string& rule : *rules)
        EXPECT_THAT(table->rows[i].at(4).text, HasSubstr(rule)) << claim.id;
  }
}

std::string refusal(const std::function<void(Json&)>& change) {
  const TemporaryFolder folder;
  Json json =
      parse_json(read_text_file(std::string(ROOFTILE_SOURCE_DIR) + "/data/claims.json"), "");
  change(json);
  write_text_file(folder / "claims.json", dump_json(json));
  try {
    Claims::load(folder / "claims.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Claims, TheReaderRefusesWhatNoRuleCanMean) {
  EXPECT_EQ(refusal([](Json&) {}), "");
  EXPECT_THAT(refusal([](Json& j) { j["claims"][1]["id"] = 1; }), HasSubstr("each id once"));
  EXPECT_THAT(refusal([](Json& j) { j["claims"][0]["source"] = "Q"; }), HasSubstr("sources"));
  EXPECT_THAT(refusal([](Json& j) { j["claims"][0]["source"] = ", ,"; }), HasSubstr("sources"));
  EXPECT_THAT(refusal([](Json& j) { j["claims"][18]["given"] = {"1 < 2"}; }), HasSubstr("given"));
  EXPECT_THAT(refusal([](Json& j) { j["claims"][1].erase("rules"); }), HasSubstr("not_judged"));
  EXPECT_THAT(refusal([](Json& j) { j["schema_version"] = 2; }), HasSubstr("newer"));
}

}  // namespace
}  // namespace rooftile::test
