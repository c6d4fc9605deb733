// Where results and messages go, and the checks of a path before any work is done.
#include "cli/output.hpp"

#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "cli/quantity.hpp"
#include "model/error.hpp"
#include "model/record/control_text.hpp"

namespace rooftile::cli {
namespace {

/// Colour only where a person looks and has not said no (https://no-color.org).
bool stderr_has_colour() {
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return isatty(STDERR_FILENO) != 0 && (no_colour == nullptr || *no_colour == '\0') &&
         (terminal == nullptr || std::strcmp(terminal, "dumb") != 0);
}

/// Text from a file or an argument cannot steer the terminal, nor fill it.
std::string harmless(std::string message) {
  constexpr std::size_t longest = 4000;
  if (message.size() > longest) message = message.substr(0, longest) + "...";
  return without_steering(message, "?", "\n\t");
}

/// Is `file` inside `folder`, which may not exist yet?
bool inside(const std::string& file, const std::string& folder) {
  namespace fs = std::filesystem;
  if (folder.empty()) return false;
  std::error_code ignored;
  const fs::path parent = fs::weakly_canonical(fs::absolute(file, ignored), ignored).parent_path();
  return parent == fs::weakly_canonical(fs::absolute(folder, ignored), ignored);
}

void check_result_file(const std::string& path, const std::string& option, bool replace,
                       const std::string& created) {
  namespace fs = std::filesystem;
  if (path.empty() || path == "-") return;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (!fs::exists(status) && inside(path, created)) return;
  const bool device = fs::exists(status) && !fs::is_regular_file(status);
  if (fs::is_directory(status))
    throw InputError(fmt::format("{}: {} is a folder; name a file", option, path));
  if (!device) check_output_path(path, replace, option);
}

void print_message(const char* word, const char* colour, const std::string& message) {
  const bool coloured = stderr_has_colour() && *word != '\0';
  std::fprintf(stderr, "rooftile: %s%s%s%s\n", coloured ? colour : "", word,
               coloured ? "\x1b[0m" : "", harmless(message).c_str());
  std::fflush(stderr);
}

}  // namespace

void OutputOptions::define(CLI::App& app) {
  app.add_option("--json", json, "Write the result as JSON to FILE, or alone to stdout with -")
      ->type_name("FILE|-")
      ->group("Output");
  app.add_option("--csv", csv, "Write the main table as CSV")->type_name("FILE|-")->group("Output");
  app.add_option("--md", md, "Write the tables as Markdown")->type_name("FILE|-")->group("Output");
  if (app.get_option_no_throw("--force") == nullptr)
    app.add_flag("--force", force_, "Replace result files that exist")->group("Output");
  app.add_flag("-q,--quiet", quiet, "No progress on stderr")->group("Output");
  app_ = &app;
}

void OutputOptions::define(CLI::App& app, std::string& path, const std::string& what,
                           const std::string& type) {
  app.add_option("--output", path, what)->capture_default_str()->type_name(type)->group("Output");
  define(app);
}

bool OutputOptions::replace() const {
  auto given = [this](const char* name) {
    const CLI::Option* option = app_ == nullptr ? nullptr : app_->get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  return given("--force") || given("--resume");
}

void OutputOptions::check(const std::string& created) const {
  if ((json == "-") + (csv == "-") + (md == "-") > 1)
    throw InputError(
        "--json, --csv, --md: only one of them can go to stdout; give the others a file");
  check_result_file(json, "--json", replace(), created);
  check_result_file(csv, "--csv", replace(), created);
  check_result_file(md, "--md", replace(), created);
}

void DocumentOptions::define(CLI::App& app, const std::string& example) {
  app.add_option("--output", file, "Also write the JSON here, e.g. " + example)
      ->type_name("FILE")
      ->group("Output");
}

void DocumentOptions::check(bool replace) const {
  if (!file.empty()) check_output_path(file, replace, "--output");
}

void DocumentOptions::save(const Results& results) const {
  if (!file.empty()) save_document(results, file);
}

void emit(const Results& results, const OutputOptions& options) {
  std::string text, markdown;
  if (!results.notice.empty()) text = markdown = without_steering(results.notice, " ") + "\n\n";
  for (const ResultTable& table : results.tables) {
    text += text_table(table) + "\n";
    markdown += markdown_table(table) + "\n";
  }
  if (!text.empty()) text.pop_back();
  Json json = results.json;
  if (!results.notice.empty()) json["notice"] = results.notice;
  auto deliver = [](const std::string& target, const std::string& content) {
    if (target == "-")
      write_stdout(content);
    else if (!target.empty())
      write_text_file(target, content);
  };
  deliver(options.json, dump_json(json));
  const ResultTable* main = results.csv ? &*results.csv : results.tables.data();
  if (!results.tables.empty()) deliver(options.csv, csv_table(*main, results.notice));
  deliver(options.md, markdown);
  if (!options.stdout_taken()) write_stdout(text);
}

void write_stdout(const std::string& text) {
  errno = 0;
  const bool complete = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!complete || std::fflush(stdout) != 0)
    throw std::runtime_error(fmt::format("cannot write to stdout: {}", std::strerror(errno)));
}

void check_output_path(const std::string& path, bool replace, const std::string& option,
                       const std::string& advice) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::exists(status) && !fs::is_regular_file(status))
    throw InputError(fmt::format("{}: {} is not a regular file; name one", option, path));
  if (fs::exists(status) && !replace)
    throw InputError(fmt::format("{}: {} exists; use {}, or another name", option, path, advice));
  const fs::path parent = fs::absolute(path).parent_path();
  if (!fs::is_directory(parent, ignored))
    throw InputError(fmt::format("{}: the folder {} does not exist", option, parent.string()));
  if (access(parent.c_str(), W_OK) != 0)
    throw PermissionError(
        fmt::format("{}: the folder {} cannot be written: {}; choose another place", option,
                    parent.string(), std::strerror(errno)));
}

void save_document(const Results& results, const std::string& path) {
  Json json = results.json;
  if (!results.notice.empty()) json["notice"] = results.notice;
  write_text_file(path, dump_json(json));
  print_note(fmt::format("wrote {}", path));
}

void print_error(const std::string& message) { print_message("error: ", "\x1b[1;31m", message); }
void print_warning(const std::string& message) {
  print_message("warning: ", "\x1b[1;33m", message);
}
void print_note(const std::string& message) { print_message("", "", message); }

}  // namespace rooftile::cli
