// The verdict on a published claim, from the numbers of a profile and runs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/record/claims.hpp"
#include "model/record/json_reader.hpp"
#include "report/claim_rule.hpp"

namespace rooftile::report {

enum class ClaimVerdict { holds, does_not_hold, undecided };
/// "holds", "does not hold", "cannot be decided yet".
std::string_view to_string(ClaimVerdict verdict);

struct JudgedClaim {
  Claim claim;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::vector<RuleResult> given, rules;

  /// The terms of premises and rules, each once.
  std::vector<Evidence> evidence() const;
  /// Why numbers are not there, each once, which premises do not hold, and what the rules leave out
  /// of the claim.
  std::vector<std::string> missing() const;
};

/// A premise that does not hold, or cannot be judged, leaves the claim open: it was not tested.
/// Then one rule that does not hold decides; without one, one that cannot be judged leaves it open.
/// Throws InputError for a rule that cannot be read.
JudgedClaim judge_claim(const Claim& claim, const ClaimValues& values);
std::vector<JudgedClaim> judge_claims(const ReportInput& input, const Analysis& analysis);

/// "speed(naive, 4096) = 0.5001 TFLOP/s"
std::string evidence_text(const Evidence& evidence);
/// A rule, the same with numbers in place of its terms, and each term: "RULE is 0.06 <= 0.0687 <=
/// 0.11: speed(naive, 4096) = ..., roof(fma) = ..."
std::string evidence_text(const RuleResult& result);
/// The same of each premise ("given RULE ...") and rule.
std::vector<std::string> evidence_texts(const JudgedClaim& judged);

/// An entry of `claims` in the schema rooftile.verdicts.
Json to_json(const JudgedClaim& judged);

}  // namespace rooftile::report
