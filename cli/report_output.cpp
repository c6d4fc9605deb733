// Checks of the folder of the page, and what is printed when it is written.
#include "cli/report_output.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <filesystem>

#include "model/error.hpp"

namespace rooftile::cli {

void check_report_folder(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) return;
  if (!fs::is_directory(folder, ignored))
    throw InputError(fmt::format("--output: {} exists and is not a folder; name another", folder));
  if (access(folder.c_str(), W_OK) != 0)
    throw PermissionError(fmt::format("--output: the folder {} cannot be written", folder));
}

Results report_results(const ReportOutput& page, const std::string& notice) {
  Results results{Json::object(), {}, notice};
  results.json["html"] = page.html_path;
  results.json["markdown"] = page.markdown_path;
  results.json["plots_drawn"] = page.plots_drawn;
  results.json["summary"] = page.summary;
  ResultTable table{"report", {{"file", "file", ""}}, {}, page.summary};
  if (!page.plots_drawn)
    table.notes.push_back(
        "gnuplot is missing or failed: tables stand in place of the plots it did not draw");
  results.tables.push_back(std::move(table));
  return results;
}

}  // namespace rooftile::cli
