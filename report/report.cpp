// Puts the page together: analyse, build the sections, draw the plots in one gnuplot process,
// render.
#include "report/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/error.hpp"
#include "report/analysis.hpp"
#include "report/document.hpp"
#include "report/gnuplot.hpp"
#include "report/render.hpp"
#include "report/sections.hpp"
#include "report/svg.hpp"

namespace rooftile {
namespace report {
namespace {

namespace fs = std::filesystem;

constexpr double gnuplot_timeout_s = 60;

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw_file_error(fmt::format("report folder {}: {}; choose a folder that can be written",
                                 folder, error.message()),
                     error.value());
}

std::string banner_of(const ReportInput& input) {
  if (!input.recorded) return {};
  const std::string& name = input.profile.environment.gpu_name;
  return fmt::format("Recorded {}, not this machine.", name.empty() ? "GPU" : name);
}

std::string subtitle_of(const ReportInput& input) {
  const Environment& e = input.profile.environment;
  std::string text =
      "What this GPU can do, what the model predicts of each GEMM variant, what was measured.";
  if (!e.utc_time.empty()) text += " Profile of " + e.utc_time + ".";
  if (!e.driver_version.empty()) text += " Driver " + e.driver_version + ".";
  return text;
}

Document build_document(const ReportInput& input, const Analysis& analysis) {
  const std::string& gpu = input.profile.environment.gpu_name;
  const CreatedBy by = this_build();
  Document document;
  document.title = "rooftile: " + (gpu.empty() ? "GEMM report" : gpu);
  document.subtitle = subtitle_of(input);
  document.banner = banner_of(input);
  document.footer = fmt::format("Written by rooftile {} ({}).", by.version, by.git_revision);
  document.sections = {verdict_section(input, analysis),
                       gpu_section(input),
                       memory_section(input),
                       shared_section(input),
                       issue_section(input),
                       roofline_section(input, analysis),
                       ladder_section(input, analysis),
                       tiles_section(input, analysis),
                       waves_section(input, analysis),
                       scatter_section(input, analysis),
                       error_section(input),
                       regret_section(input, analysis),
                       parts_section(input),
                       claims_section(input, analysis),
                       curves_section(input),
                       method_section(input, analysis)};
  return document;
}

std::vector<Figure*> figures_of(Document& document) {
  std::vector<Figure*> figures;
  for (auto& section : document.sections)
    for (auto& block : section.blocks)
      if (auto* figure = std::get_if<Figure>(&block)) figures.push_back(figure);
  return figures;
}

void write_scripts(const std::vector<Figure*>& figures, const std::string& folder) {
  for (const Figure* figure : figures) {
    const std::string stem = folder + "/" + figure->plot.name;
    write_text_file(stem + ".dat", dat_text(figure->plot));
    write_text_file(stem + ".gp", gp_text(figure->plot, figure->title));
    std::error_code ignored;
    fs::remove(stem + ".svg", ignored);  // an older picture must not pass for this one
  }
}

/// True when the picture is there and whole.
bool take_picture(Figure& figure, const std::string& folder) {
  std::ifstream file(folder + "/" + figure.plot.name + ".svg", std::ios::binary);
  if (!file) return false;
  std::ostringstream text;
  text << file.rdbuf();
  figure.svg = inline_svg(text.str(), figure.plot.name, figure.alternative);
  return !figure.svg.empty();
}

std::string first_line(const std::string& text) {
  const auto begin = text.find_first_not_of("\n ");
  if (begin == std::string::npos) return "no message";
  std::string line;  // gnuplot points at the error with a caret; the words follow it
  std::istringstream lines(text);
  for (std::string next; std::getline(lines, next);)
    if (next.find("line ") != std::string::npos && next.find(':') != std::string::npos) line = next;
  return line.empty() ? text.substr(begin, text.find('\n', begin) - begin)
                      : line.substr(line.find_first_not_of(' '));
}

/// All scripts in one process; where one fails, the rest are drawn one by one.
bool draw(const std::vector<Figure*>& figures, const std::string& folder) {
  const auto gnuplot = find_gnuplot();
  if (!gnuplot) {
    for (Figure* figure : figures)
      figure->reason = "gnuplot is not installed (package gnuplot-nox)";
    return false;
  }
  std::vector<std::string> scripts;
  for (const Figure* figure : figures) scripts.push_back(figure->plot.name + ".gp");
  const bool all = scripts.empty() || run_gnuplot(*gnuplot, folder, scripts, gnuplot_timeout_s).ok;
  bool drawn = true;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (all && take_picture(*figures[i], folder)) continue;
    const auto result =
        run_gnuplot(*gnuplot, folder, std::span(&scripts[i], 1), gnuplot_timeout_s / 10);
    if (result.ok && take_picture(*figures[i], folder)) continue;
    figures[i]->reason = "gnuplot failed: " + first_line(result.errors);
    drawn = false;
  }
  return drawn;
}

void say_tables_instead(Document& document) {
  document.sections.front().blocks.emplace_back(
      Paragraph{"gnuplot could not draw all plots, so a table stands in place of each missing one. "
                "The scripts and "
                "data are in plots/; with gnuplot installed the same command draws them.",
                Tone::note});
}

}  // namespace
}  // namespace report

ReportOutput write_report(const ReportInput& input, const std::string& folder) {
  using namespace report;
  const std::string plots = folder + "/plots";
  make_folder(plots);
  const Analysis analysis = analyse(input);
  Document document = build_document(input, analysis);
  const auto figures = figures_of(document);
  write_scripts(figures, plots);
  ReportOutput output;
  output.plots_drawn = draw(figures, plots);
  if (!output.plots_drawn) say_tables_instead(document);
  output.html_path = folder + "/index.html";
  output.markdown_path = folder + "/report.md";
  write_text_file(output.html_path, render_html(document));
  write_text_file(output.markdown_path, render_markdown(document));
  output.summary = summary_lines(input, analysis);
  output.summary.push_back("Report: " + output.html_path);
  output.summary.push_back("Markdown: " + output.markdown_path);
  return output;
}

}  // namespace rooftile
