// Results to stdout and files, messages to stderr.
//
// A command builds one Results; emit() shows it as text tables on stdout and as JSON, CSV and
// Markdown where asked. Where one of these goes to `-`, it is alone on stdout.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "model/record/json_reader.hpp"

namespace CLI {
class App;
}

namespace rooftile::cli {

/// Nothing, text, or a number in the column's unit.
using Cell = std::variant<std::monostate, std::string, double>;

struct Column {
  std::string header;  ///< for people
  std::string key;     ///< in CSV; the unit is appended there: time -> time_s
  std::string unit;    ///< see quantity.hpp; "" for text
};

struct ResultTable {
  std::string title;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
  std::vector<std::string> notes;  ///< lines under the table
};

struct Results {
  Json json;                         ///< without `notice`, which emit() adds
  std::vector<ResultTable> tables;   ///< the first is the one that CSV gets
  std::string notice;                ///< "using recorded NVIDIA H200, not this machine", or empty
  std::optional<ResultTable> csv{};  ///< what CSV gets instead of the first table
};

struct OutputOptions {
  std::string json, csv, md;  ///< file, "-" for stdout, or empty
  bool quiet = false;
  /// Adds the options, and --force unless the command has defined its own before.
  void define(CLI::App& app);
  /// The same after an --output that names what the command always writes; `path` has the default.
  void define(CLI::App& app, std::string& path, const std::string& what,
              const std::string& type = "FILE");
  /// Existing results may be replaced: --force or --resume was given.
  bool replace() const;
  /// Before the work. InputError when two of them want stdout, PermissionError or InputError when
  /// a file cannot be written or is there already without replace(). `created` is a folder that the
  /// command makes.
  void check(const std::string& created = "") const;
  bool stdout_taken() const { return json == "-" || csv == "-" || md == "-"; }

 private:
  const CLI::App* app_ = nullptr;
  bool force_ = false;  // where the command has none of its own
};

/// --output of the commands that also keep their JSON in a file for later commands.
struct DocumentOptions {
  std::string file;
  void define(CLI::App& app, const std::string& example);
  void check(bool replace) const;  ///< before the work, as check_output_path()
  void save(const Results& results) const;
};

void emit(const Results& results, const OutputOptions& options);

std::string text_table(const ResultTable& table);
std::string csv_table(const ResultTable& table, const std::string& notice);
std::string markdown_table(const ResultTable& table);

/// Writes and flushes; throws std::runtime_error when the text does not arrive (full disk, closed
/// pipe).
void write_stdout(const std::string& text);
/// Throws InputError unless a result may be written to `path`: it does not exist or `replace` is
/// true, it is a regular file, and its folder exists and can be written. `advice`
/// says what to use when it exists. Checked before the work.
void check_output_path(const std::string& path, bool replace, const std::string& option,
                       const std::string& advice = "--force to replace it");
/// The JSON of `results` into `path`, with the notice.
void save_document(const Results& results, const std::string& path);

void print_error(const std::string& message);    ///< "rooftile: error: ..." on stderr
void print_warning(const std::string& message);  ///< "rooftile: warning: ..." on stderr
void print_note(const std::string& message);     ///< "rooftile: ..." on stderr

}  // namespace rooftile::cli
