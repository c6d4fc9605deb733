// From the results of the rules to a verdict.
#include "report/claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/format.hpp"

namespace rooftile::report {
namespace {

ClaimVerdict verdict_of(const std::vector<RuleResult>& rules) {
  const auto is = [&](std::optional<bool> holds) {
    return std::any_of(rules.begin(), rules.end(),
                       [&](const RuleResult& result) { return result.holds == holds; });
  };
  if (is(false)) return ClaimVerdict::does_not_hold;
  return rules.empty() || is(std::nullopt) ? ClaimVerdict::undecided : ClaimVerdict::holds;
}

Json to_json(const std::vector<RuleResult>& results) {
  Json json = Json::array();
  for (const RuleResult& result : results) {
    Json evidence = Json::array();
    for (const Evidence& e : result.evidence)
      evidence.push_back({{"term", e.term},
                          {"value", number_or_null(e.value)},
                          {"unit", e.unit},
                          {"reason", e.missing}});
    json.push_back({{"rule", result.rule},
                    {"holds", result.holds ? Json(*result.holds) : Json()},
                    {"with_numbers", result.with_numbers},
                    {"evidence", std::move(evidence)}});
  }
  return json;
}

}  // namespace

std::string_view to_string(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::holds:
      return "holds";
    case ClaimVerdict::does_not_hold:
      return "does not hold";
    case ClaimVerdict::undecided:
      break;
  }
  return "cannot be decided yet";
}

std::vector<Evidence> JudgedClaim::evidence() const {
  std::vector<Evidence> all;
  for (const auto* results : {&given, &rules})
    for (const RuleResult& result : *results)
      for (const Evidence& e : result.evidence)
        if (std::none_of(all.begin(), all.end(), [&](const auto& a) { return a.term == e.term; }))
          all.push_back(e);
  return all;
}

std::vector<std::string> JudgedClaim::missing() const {
  std::vector<std::string> all;
  for (const Evidence& e : evidence())
    if (!e.value && std::find(all.begin(), all.end(), e.missing) == all.end())
      all.push_back(e.missing);
  for (const RuleResult& premise : given)
    if (premise.holds == false)
      all.push_back(fmt::format("not tested here: it is given that {}, which is {}.", premise.rule,
                                premise.with_numbers));
  if (!claim.not_judged.empty()) all.push_back(claim.not_judged);
  return all;
}

JudgedClaim judge_claim(const Claim& claim, const ClaimValues& values) {
  JudgedClaim judged{claim, ClaimVerdict::undecided, {}, {}};
  for (const std::string& rule : claim.given) judged.given.push_back(judge_rule(rule, values));
  for (const std::string& rule : claim.rules) judged.rules.push_back(judge_rule(rule, values));
  const bool tested = std::all_of(judged.given.begin(), judged.given.end(),
                                  [](const RuleResult& premise) { return premise.holds == true; });
  if (tested) judged.verdict = verdict_of(judged.rules);
  return judged;
}

std::vector<JudgedClaim> judge_claims(const ReportInput& input, const Analysis& analysis) {
  const ClaimValues values(input, analysis);
  std::vector<JudgedClaim> judged;
  for (const Claim& claim : input.claims.claims) judged.push_back(judge_claim(claim, values));
  return judged;
}

std::string evidence_text(const Evidence& evidence) {
  return fmt::format("{} = {}", evidence.term,
                     evidence.value ? show_value(*evidence.value, evidence.unit, 4) : "?");
}

std::string evidence_text(const RuleResult& result) {
  std::vector<std::string> numbers;
  for (const Evidence& evidence : result.evidence) numbers.push_back(evidence_text(evidence));
  return fmt::format("{} is {}: {}", result.rule, result.with_numbers, fmt::join(numbers, ", "));
}

std::vector<std::string> evidence_texts(const JudgedClaim& judged) {
  std::vector<std::string> texts;
  for (const RuleResult& premise : judged.given) texts.push_back("given " + evidence_text(premise));
  for (const RuleResult& rule : judged.rules) texts.push_back(evidence_text(rule));
  return texts;
}

Json to_json(const JudgedClaim& judged) {
  return {{"id", judged.claim.id},
          {"source", judged.claim.source},
          {"claim", judged.claim.text},
          {"reading", judged.claim.reading},
          {"verdict", to_string(judged.verdict)},
          {"given", to_json(judged.given)},
          {"rules", to_json(judged.rules)},
          {"missing", judged.missing()}};
}

}  // namespace rooftile::report
