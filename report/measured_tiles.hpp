// The tiles of a measured landscape, shape by shape, and their pictures.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/document.hpp"
#include "report/report.hpp"

namespace rooftile::report {

/// The predictor that `tune` follows, and the command that makes a landscape.
inline constexpr const char* searching = "analytic";
inline constexpr const char* remade =
    "rooftile measure --suite landscape.json --output landscape.jsonl";

using TileCases = std::vector<const ErrorCase*>;

/// Of the searching predictor on the dev split, by shape; times that are none are left out.
std::map<std::string, TileCases> cases_by_shape(const ValidationReport& validation);
/// The first of those with the least time of that kind; `cases` is not empty.
const ErrorCase& fastest_by(const TileCases& cases, double ErrorCase::*time);
double flop_of(const ErrorCase& c);
/// "variant tile", the variant by its title.
std::string kernel_text(const ReportInput& input, const ErrorCase& c);

/// Speed of every kernel, measured and predicted, in the order of the measured ones.
Figure ranking_figure(const ReportInput& input, const TileCases& cases, const std::string& shape);
/// The fastest measured kernel of each BM x BN, with what was predicted of the choice among them.
Figure measured_figure(const ReportInput& input, const TileCases& cases, const std::string& shape);

}  // namespace rooftile::report
