// Rules of claims: comparisons of measured numbers, such as
//
//   0.9 <= time(cublas, 4096) / time(double_buffer, 4096) <= 0.97
//   over_shapes_min(time(split_k_cluster, *) / time(double_buffer, *)) < 0.9
//
// Grammar:  rule    = sum (("<" | "<=" | ">" | ">=") sum)+
//           sum     = product (("+" | "-") product)*
//           product = factor (("*" | "/") factor)*
//           factor  = number | "(" sum ")" | "-" factor | name "(" arguments ")"
//
// min(a, b, ...) and max(a, b, ...) take sums; over_shapes_min, over_shapes_max and
// over_shapes_mean (geometric) evaluate one sum for every measured shape, which `*` stands for
// inside and nowhere else; all other names are those of ClaimValues, whose arguments are text, in
// single quotes where they hold a comma or a parenthesis.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/claim_values.hpp"

namespace rooftile::report {

struct RuleResult {
  std::string rule;
  std::optional<bool> holds;       ///< absent when a number is missing
  std::string with_numbers;        ///< "0.9 <= 0.971 <= 0.97"; "?" for what is missing
  std::vector<Evidence> evidence;  ///< each term once, in the order of the rule
};

/// Throws InputError that quotes the rule and the place for what the grammar does not allow.
RuleResult judge_rule(const std::string& rule, const ClaimValues& values);

}  // namespace rooftile::report
