// ResultTable as aligned text, CSV (RFC 4180) and Markdown.
#include <fmt/format.h>

#include <algorithm>

#include "cli/output.hpp"
#include "cli/quantity.hpp"
#include "model/record/control_text.hpp"

namespace rooftile::cli {
namespace {

/// One line: text from a file may hold line breaks and terminal sequences.
std::string one_line(const std::string& text) { return without_steering(text, " "); }

std::string cell_text(const Cell& cell, const Column& column) {
  if (const auto* text = std::get_if<std::string>(&cell)) return one_line(*text);
  if (const auto* number = std::get_if<double>(&cell)) return format_quantity(*number, column.unit);
  return "-";
}

/// Code points of valid UTF-8, close enough to columns for our texts.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

bool right_aligned(const Column& column) { return !column.unit.empty(); }

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string space(columns - std::min(columns, width(text)), ' ');
  return right ? space + text : text + space;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

/// "time" in seconds -> time_s; units that are no suffix for a column name are spelt out.
std::string csv_header(const Column& column) {
  const bool bare = column.unit.empty() || column.unit == "1" || column.unit == "count" ||
                    column.unit == "percent";
  if (bare) return column.key;
  std::string unit = column.unit;
  if (const std::size_t slash = unit.find('/'); slash != std::string::npos)
    unit.replace(slash, 1, "_per_");
  return column.key + "_" + unit;
}

std::string csv_cell(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return csv_field(*text);
  if (const auto* number = std::get_if<double>(&cell)) return fmt::format("{}", *number);
  return {};
}

std::string escaped_markdown(const std::string& text) {
  std::string escaped;
  for (char c : text) escaped += c == '|' ? std::string("\\|") : std::string(1, c);
  return escaped;
}

std::vector<std::vector<std::string>> all_cells(const ResultTable& table) {
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(column.header);
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      lines.back().push_back(cell_text(row[i], table.columns[i]));
  }
  return lines;
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string text_table(const ResultTable& table) {
  const auto lines = all_cells(table);
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], width(line[i]));
  std::string text = table.title.empty() ? "" : one_line(table.title) + "\n";
  if (!table.rows.empty())
    for (const auto& line : lines) {
      std::string out = "  ";
      for (std::size_t i = 0; i < line.size(); ++i)
        out += padded(line[i], widths[i], right_aligned(table.columns[i])) + "  ";
      text += trimmed(out);
    }
  for (const std::string& note : table.notes) text += "  " + one_line(note) + "\n";
  return text;
}

std::string csv_table(const ResultTable& table, const std::string& notice) {
  std::string text;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    text += (i > 0 ? "," : "") + csv_field(csv_header(table.columns[i]));
  text += notice.empty() ? "\n" : ",notice\n";
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += (i > 0 ? "," : "") + csv_cell(row[i]);
    text += notice.empty() ? "\n" : "," + csv_field(notice) + "\n";
  }
  return text;
}

std::string markdown_table(const ResultTable& table) {
  std::string text = table.title.empty() ? "" : "### " + one_line(table.title) + "\n\n";
  const auto lines = all_cells(table);
  for (std::size_t n = 0; !table.rows.empty() && n < lines.size(); ++n) {
    for (const std::string& cell : lines[n]) text += "| " + escaped_markdown(cell) + " ";
    text += "|\n";
    if (n > 0) continue;
    for (const Column& column : table.columns) text += right_aligned(column) ? "|---:" : "|---";
    text += "|\n";
  }
  for (const std::string& note : table.notes) text += "\n" + one_line(note) + "\n";
  return text;
}

}  // namespace rooftile::cli
