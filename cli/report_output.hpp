// What report and run print about a written page.
#pragma once

#include <string>

#include "cli/output.hpp"
#include "report/report.hpp"

namespace rooftile::cli {

/// Throws InputError when `folder` exists and is no folder, PermissionError when it is read-only.
void check_report_folder(const std::string& folder);

/// Paths and the summary lines.
Results report_results(const ReportOutput& page, const std::string& notice);

}  // namespace rooftile::cli
