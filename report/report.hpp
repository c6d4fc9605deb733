// The report: one self-contained HTML page and the same as Markdown, from a profile, runs,
// predictions and a validation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/profile/device_profile.hpp"
#include "model/record/claims.hpp"
#include "model/record/prediction.hpp"
#include "model/record/run.hpp"
#include "model/record/validation.hpp"
#include "report/landscape.hpp"
#include "report/outlook.hpp"

namespace rooftile {

/// What the page says of a variant; the report knows nothing else about GEMM kernels.
struct VariantText {
  std::string name, title, idea;
  int rung = 0;
  std::optional<Tile> default_tile;  ///< the tile of a rule that names none
};

struct ReportInput {
  DeviceProfile profile;
  std::vector<RunRecord> runs;
  std::vector<Prediction> predictions;  ///< of every predictor for every predicted run
  ValidationReport validation;
  Outlook outlook;                                           ///< may be empty
  std::optional<Landscape> landscape;                        ///< absent: none was measured
  Claims claims;                                             ///< to be judged; may be empty
  std::vector<VariantText> variants;                         ///< in ladder order
  std::vector<std::pair<std::string, std::string>> sources;  ///< file -> the command that made it
  bool recorded = false;  ///< data are recorded, not of this machine
};

struct ReportOutput {
  std::string html_path, markdown_path;
  bool plots_drawn = false;          ///< false: gnuplot is missing or failed; tables stand in
  std::vector<std::string> summary;  ///< at most ten lines, for the terminal
};

/// Writes index.html, report.md and plots/ (each plot a .gp script, a .dat file and an .svg) into
/// `folder`.
ReportOutput write_report(const ReportInput& input, const std::string& folder);

}  // namespace rooftile
