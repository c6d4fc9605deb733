// Published claims about GEMM on GPUs, as data/claims.json holds them: each in our words, with its
// source and the rules by which measured numbers decide it. Nothing of a verdict is written there.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rooftile {

struct Claim {
  int id = 0;
  std::string source;  ///< letters of Claims::sources, "A, B"
  std::string text;
  std::string reading;             ///< how the rules read the claim; may be empty
  std::vector<std::string> given;  ///< premises, read as rules: without them it is not tested
  std::vector<std::string> rules;  ///< see report/claim_rule.hpp; all must hold
  std::string not_judged;          ///< what the rules leave out, or why there are none
};

struct Claims {
  static constexpr std::string_view schema = "rooftile.claims";
  static constexpr int schema_version = 1;

  std::vector<std::pair<std::string, std::string>> sources;  ///< letter -> what it is
  std::vector<Claim> claims;

  /// Throws InputError that names file and field: also for an id or a source that is not there
  /// once, and for a claim with neither rules nor a reason.
  static Claims load(const std::string& path);
};

}  // namespace rooftile
