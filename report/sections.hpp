// The sections of the page, one function and one file each. Every one of them copes with missing
// data: it says what is missing and which command makes it.
#pragma once

#include "report/analysis.hpp"
#include "report/document.hpp"

namespace rooftile::report {

Section verdict_section(const ReportInput& input, const Analysis& analysis);
Section gpu_section(const ReportInput& input);
Section memory_section(const ReportInput& input);
Section shared_section(const ReportInput& input);
Section issue_section(const ReportInput& input);
Section curves_section(const ReportInput& input);
Section roofline_section(const ReportInput& input, const Analysis& analysis);
Section scatter_section(const ReportInput& input, const Analysis& analysis);
Section ladder_section(const ReportInput& input, const Analysis& analysis);
Section tiles_section(const ReportInput& input, const Analysis& analysis);
Section waves_section(const ReportInput& input, const Analysis& analysis);
Section error_section(const ReportInput& input);
Section parts_section(const ReportInput& input);
Section regret_section(const ReportInput& input, const Analysis& analysis);
Section claims_section(const ReportInput& input, const Analysis& analysis);
Section method_section(const ReportInput& input, const Analysis& analysis);

/// Measured tiles beside what a search says of them: the end of the section of tiles.
std::vector<Block> landscape_blocks(const ReportInput& input);

/// The curves of one group of the catalogue that no other section draws.
std::vector<Figure> curve_figures(const DeviceProfile& profile, const std::string& group);

/// The command that makes a curve, metric or table: "rooftile characterize --filter ffma".
std::string entry_command(const std::string& id);
/// The sentence and command for a curve, metric or table that the profile lacks (or holds as
/// skipped or failed, and then with its reason).
Paragraph missing_entry(const DeviceProfile& profile, const std::string& id);
/// The same for runs and predictions.
Paragraph missing_runs(const std::string& what);
Paragraph missing_predictions(const std::string& what);

/// Finite points of curve `id` (positive x where `positive_x`); nullptr-like empty vectors when
/// there are fewer than two or the curve failed.
struct Points {
  std::vector<double> x, y, lo, hi;  ///< lo and hi are empty or as long as x
  bool usable() const { return x.size() >= 2; }
};
Points points_of(const DeviceProfile& profile, const std::string& id, bool positive_x);

/// Values above a physical limit, in words: "" when the metric respects it.
std::string above_limit(const DeviceProfile& profile, const std::string& id);

/// At most ten lines for a terminal.
std::vector<std::string> summary_lines(const ReportInput& input, const Analysis& analysis);
/// Sentences of the verdict; shared by page and terminal.
std::string predictor_sentence(const std::string& predictor, const ErrorSummary& summary);
/// The best tile of each problem that was searched, and the fastest measured kernel beside it.
std::vector<std::string> choice_sentences(const ReportInput& input, const Analysis& analysis);

}  // namespace rooftile::report
