// Tables of a comparison: one of each kind for two files, a column a file for more.
#include "cli/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/filter.hpp"
#include "cli/quantity.hpp"

namespace rooftile::cli {
namespace {

constexpr std::size_t shown_changes = 12;  // of one table, without --all

std::string verdict_text(const EntryComparison& entry, const std::string& reference,
                         const std::string& other) {
  switch (entry.verdict) {
    case Verdict::only_in_reference:
      return "only in " + reference;
    case Verdict::only_in_other:
      return "only in " + other;
    case Verdict::not_comparable:
      return "not comparable";
    default:
      return std::string(to_string(entry.verdict));
  }
}

/// A fraction as "+1.25 %"; nothing where the reference is 0.
Cell signed_percent(const std::optional<double>& fraction) {
  if (!fraction) return {};
  return fmt::format("{:+.2f} %", 100 * *fraction);
}

Cell plus_minus_percent(const std::optional<double>& fraction) {
  if (!fraction) return {};
  return fmt::format("{:.2f} %", 100 * *fraction);
}

Cell quantity_cell(const std::optional<double>& value, const std::string& unit) {
  if (!value) return {};
  return format_quantity(*value, unit);
}

Cell interval_cell(const std::optional<Interval>& interval, const std::string& unit) {
  if (!interval) return {};
  return fmt::format("{} to {}", format_quantity(interval->lo, unit),
                     format_quantity(interval->hi, unit));
}

Cell exact_cell(const std::optional<double>& value) { return value ? Cell(*value) : Cell(); }

bool is_shown(const EntryComparison& entry, bool all) {
  return all || (entry.verdict != Verdict::same && !entry.both_absent);
}

/// The files and what their heads say differently.
ResultTable heads_table(const CompareInputs& inputs) {
  ResultTable table{"files", {{"", "member", ""}}, {}, {}};
  std::vector<Cell> paths{std::string("file")}, times{std::string("recorded")};
  for (const ComparedFile& file : inputs.files) {
    table.columns.push_back({file.name, file.name, ""});
    paths.emplace_back(file.path);
    times.emplace_back(file.environment.utc_time);
  }
  table.rows = {paths, times};
  const auto differences = head_differences(inputs.files);
  for (const HeadDifference& difference : differences) {
    std::vector<Cell> row{difference.member};
    for (const std::string& value : difference.values)
      row.push_back(value.empty() ? Cell() : Cell(value));
    table.rows.push_back(std::move(row));
  }
  if (differences.empty())
    table.notes.push_back(fmt::format("same GPU ({}), driver, clocks and program",
                                      inputs.files.front().environment.gpu_name));
  return table;
}

/// Everything that the tables of two files need.
struct Pair {
  const Comparison& comparison;
  std::string a, b;
  bool all;
};

/// The rows of `kind` that are shown.
template <class MakeRow>
void add_rows(const Pair& pair, ComparedKind kind, ResultTable& table, MakeRow make_row) {
  for (const EntryComparison& entry : pair.comparison.entries)
    if (entry.kind == kind && is_shown(entry, pair.all)) table.rows.push_back(make_row(entry));
}

ResultTable metrics_table(const Pair& pair) {
  ResultTable table{"metrics",
                    {{"metric", "metric", ""},
                     {pair.a, pair.a, ""},
                     {pair.b, pair.b, ""},
                     {"unit", "unit_name", ""},
                     {"difference", "difference", ""},
                     {"uncertainty", "uncertainty", ""},
                     {"verdict", "verdict", ""},
                     {"note", "note", ""}},
                    {},
                    {"uncertainty: both repeat95, added as squares; about 5 % of what did not "
                     "change differs, or less"}};
  add_rows(pair, ComparedKind::metric, table, [&](const EntryComparison& e) {
    return std::vector<Cell>{e.id,
                             quantity_cell(e.reference, e.unit),
                             quantity_cell(e.other, e.unit),
                             e.unit,
                             signed_percent(e.difference),
                             plus_minus_percent(e.uncertainty),
                             verdict_text(e, pair.a, pair.b),
                             e.note};
  });
  return table;
}

ResultTable curves_table(const Pair& pair) {
  ResultTable table{
      "curves",
      {{"curve", "curve", ""},
       {"points", "points", "count"},
       {"differ", "differ", "count"},
       {"largest", "difference", ""},
       {"uncertainty", "uncertainty", ""},
       {"at", "at", ""},
       {pair.a, pair.a, ""},
       {pair.b, pair.b, ""},
       {"verdict", "verdict", ""},
       {"note", "note", ""}},
      {},
      {"uncertainty: both ci95, added as squares and widened for all points together; "
       "changes between runs come on top"}};
  add_rows(pair, ComparedKind::curve, table, [&](const EntryComparison& e) {
    const ComparedPoint largest = e.largest.value_or(ComparedPoint{});
    return std::vector<Cell>{e.id,
                             static_cast<double>(e.compared),
                             static_cast<double>(e.differing),
                             signed_percent(e.difference),
                             plus_minus_percent(e.uncertainty),
                             quantity_cell(largest.x, e.x_unit),
                             quantity_cell(largest.reference, e.unit),
                             quantity_cell(largest.other, e.unit),
                             verdict_text(e, pair.a, pair.b),
                             e.note};
  });
  return table;
}

ResultTable tables_table(const Pair& pair) {
  ResultTable table{"tables",
                    {{"table", "table", ""},
                     {"cells", "cells", "count"},
                     {"differ", "differ", "count"},
                     {"verdict", "verdict", ""},
                     {"note", "note", ""}},
                    {},
                    {}};
  add_rows(pair, ComparedKind::table, table, [&](const EntryComparison& e) {
    return std::vector<Cell>{e.id, static_cast<double>(e.compared),
                             static_cast<double>(e.differing), verdict_text(e, pair.a, pair.b),
                             e.note};
  });
  return table;
}

std::vector<Cell> change_row(const EntryComparison& entry, const ComparedPoint& point) {
  if (point.x)
    return {entry.id,
            format_quantity(*point.x, entry.x_unit),
            entry.unit,
            exact_cell(point.reference),
            exact_cell(point.other),
            signed_percent(point.difference)};
  return {entry.id,
          point.row,
          point.column,
          exact_cell(point.reference),
          exact_cell(point.other),
          signed_percent(point.difference)};
}

/// The cells of tables that changed, the first of each unless all are wanted; and then the points
/// of curves too.
ResultTable changes_table(const Pair& pair) {
  ResultTable table{"what changed in them",
                    {{"id", "id", ""},
                     {"row or x", "row", ""},
                     {"column or unit", "column", ""},
                     {pair.a, pair.a, "1"},
                     {pair.b, pair.b, "1"},
                     {"difference", "difference", ""}},
                    {},
                    {}};
  for (const EntryComparison& entry : pair.comparison.entries) {
    if (entry.kind != ComparedKind::table && !pair.all) continue;
    const std::size_t count =
        pair.all ? entry.changes.size() : std::min(entry.changes.size(), shown_changes);
    for (const ComparedPoint& point : std::span(entry.changes).first(count))
      table.rows.push_back(change_row(entry, point));
    if (count < entry.changes.size())
      table.notes.push_back(fmt::format("and {} more of {}; --all shows them",
                                        entry.changes.size() - count, entry.id));
  }
  return table;
}

/// Times side by side: of runs or of predictions.
ResultTable cells_table(const Pair& pair, ComparedKind kind) {
  const std::string ratio = fmt::format("{}/{}", pair.b, pair.a);
  const bool runs = kind == ComparedKind::run;
  ResultTable table{
      runs ? "runs: variant, tile, shape, cache" : "predictions: predictor, variant, tile, shape",
      {{"cell", "cell", ""},
       {pair.a, pair.a, ""},
       {pair.a + (runs ? ", 95 %" : ", interval"), "interval_" + pair.a, ""},
       {pair.b, pair.b, ""},
       {pair.b + (runs ? ", 95 %" : ", interval"), "interval_" + pair.b, ""},
       {ratio, "ratio", "1"},
       {"+-", "uncertainty", ""},
       {"verdict", "verdict", ""},
       {"note", "note", ""}},
      {},
      {runs ? "+-: both ci95, added as squares; changes between runs come on top"
            : "+-: what the uncertainty of both profiles gives, added as squares"}};
  add_rows(pair, kind, table, [&](const EntryComparison& e) {
    return std::vector<Cell>{e.id,
                             quantity_cell(e.reference, e.unit),
                             interval_cell(e.reference_interval, e.unit),
                             quantity_cell(e.other, e.unit),
                             interval_cell(e.other_interval, e.unit),
                             e.difference ? Cell(1 + *e.difference) : Cell(),
                             plus_minus_percent(e.uncertainty),
                             verdict_text(e, pair.a, pair.b),
                             e.note};
  });
  return table;
}

/// What one column says of an entry where there are several files.
std::string column_text(const EntryComparison& e) {
  if (e.verdict == Verdict::only_in_reference) return "missing";
  const bool judged = e.compared > 0;
  if (!judged && e.verdict == Verdict::not_comparable) return "not comparable: " + e.note;
  const bool one_value = e.kind != ComparedKind::curve && e.kind != ComparedKind::table;
  std::string text = one_value && e.other ? format_quantity(*e.other, e.unit) : "";
  if (!judged) return text.empty() ? "there" : text;
  if (!one_value) text = fmt::format("{} of {} differ", e.differing, e.compared);
  if (e.difference) text += fmt::format(" ({:+.2f} %)", 100 * *e.difference);
  if (e.verdict != Verdict::same && one_value)
    text += e.verdict == Verdict::differs ? " differs" : " not comparable";
  return text;
}

using EntryKey = std::pair<ComparedKind, std::string>;
using Lines = std::map<EntryKey, std::vector<const EntryComparison*>>;

/// Entries of all comparisons side by side; null where neither the reference nor the file has it.
Lines side_by_side(const CompareInputs& inputs) {
  Lines lines;
  for (std::size_t i = 0; i < inputs.comparisons.size(); ++i)
    for (const EntryComparison& entry : inputs.comparisons[i].entries) {
      auto& line = lines[{entry.kind, entry.id}];
      line.resize(inputs.comparisons.size(), nullptr);
      line[i] = &entry;
    }
  return lines;
}

ResultTable wide_table(const CompareInputs& inputs, bool all) {
  ResultTable table{"against " + inputs.files.front().name,
                    {{"id", "id", ""}, {"unit", "unit_name", ""}},
                    {},
                    {}};
  for (const ComparedFile& file : inputs.files) table.columns.push_back({file.name, file.name, ""});
  for (const auto& [key, line] : side_by_side(inputs)) {
    const auto shown = [&](const EntryComparison* e) { return e != nullptr && is_shown(*e, all); };
    if (std::none_of(line.begin(), line.end(), shown)) continue;
    std::vector<Cell> row{key.second, Cell(), Cell()};
    for (const EntryComparison* entry : line) {
      if (entry != nullptr) row[1] = entry->unit;
      if (entry != nullptr && entry->reference)
        row[2] = quantity_cell(entry->reference, entry->unit);
      row.push_back(entry == nullptr ? Cell(std::string("missing")) : Cell(column_text(*entry)));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// One line an entry and file, full precision: what CSV gets.
ResultTable flat_table(const CompareInputs& inputs, bool all) {
  ResultTable table{"",
                    {{"file", "file", ""},
                     {"kind", "kind", ""},
                     {"id", "id", ""},
                     {"unit", "unit_name", ""},
                     {"reference", "reference", "1"},
                     {"other", "other", "1"},
                     {"difference", "difference", "1"},
                     {"uncertainty", "uncertainty", "1"},
                     {"compared", "compared", "count"},
                     {"differing", "differing", "count"},
                     {"verdict", "verdict", ""},
                     {"note", "note", ""}},
                    {},
                    {}};
  for (std::size_t i = 0; i < inputs.comparisons.size(); ++i)
    for (const EntryComparison& e : inputs.comparisons[i].entries)
      if (is_shown(e, all))
        table.rows.push_back({inputs.files[i + 1].name, std::string(to_string(e.kind)), e.id,
                              e.unit, exact_cell(e.reference), exact_cell(e.other),
                              exact_cell(e.difference), exact_cell(e.uncertainty),
                              static_cast<double>(e.compared), static_cast<double>(e.differing),
                              std::string(to_string(e.verdict)), e.note});
  return table;
}

void add_summary(const std::string& a, const ComparedFile& file, const Comparison& c,
                 ResultTable& table) {
  std::string line = fmt::format("{} against {}: {} same, {} differ, {} missing", file.name, a,
                                 c.count(Verdict::same), c.count(Verdict::differs), c.missing());
  if (const int rest = c.count(Verdict::not_comparable); rest > 0)
    line += fmt::format(", {} not comparable", rest);
  table.notes.push_back(line);
  if (const auto coverage = c.coverage())
    table.notes.push_back(fmt::format(
        "coverage: repeat95 of {} holds the value of {} for {} of {} metrics ({:.1f} %)", a,
        file.name, c.covered, c.coverable, 100 * *coverage));
  if (const auto ratio = c.mean_ratio())
    table.notes.push_back(
        fmt::format("times of {} over {}: geometric mean {:.4f}", file.name, a, *ratio));
}

ResultTable summary_table(const CompareInputs& inputs, double tolerance) {
  ResultTable table{"summary", {}, {}, {}};
  if (tolerance > 0)
    table.title += fmt::format(" (tolerance {:g} % on top of the uncertainty)", 100 * tolerance);
  for (std::size_t i = 0; i < inputs.comparisons.size(); ++i)
    add_summary(inputs.files.front().name, inputs.files[i + 1], inputs.comparisons[i], table);
  return table;
}

std::vector<ResultTable> tables_of_two(const CompareInputs& inputs, bool all) {
  const Pair pair{inputs.comparisons.front(), inputs.files[0].name, inputs.files[1].name, all};
  if (inputs.kind == FileKind::runs) return {cells_table(pair, ComparedKind::run)};
  if (inputs.kind == FileKind::predictions) return {cells_table(pair, ComparedKind::prediction)};
  return {metrics_table(pair), curves_table(pair), tables_table(pair), changes_table(pair)};
}

}  // namespace

Results compare_results(const CompareInputs& inputs, double tolerance, bool all) {
  Results results{comparison_json(inputs.files, inputs.comparisons, tolerance), {}, ""};
  results.tables.push_back(heads_table(inputs));
  const auto tables =
      inputs.files.size() == 2 ? tables_of_two(inputs, all) : std::vector{wide_table(inputs, all)};
  for (const ResultTable& table : tables)
    if (!table.rows.empty()) results.tables.push_back(table);
  results.tables.push_back(summary_table(inputs, tolerance));
  results.csv = flat_table(inputs, all);
  return results;
}

std::vector<std::string> gate_failures(const CompareInputs& inputs, const std::string& pattern) {
  std::set<std::string> ids;
  for (const Comparison& comparison : inputs.comparisons)
    for (const EntryComparison& entry : comparison.entries) ids.insert(entry.id);
  const auto list = filter_names({ids.begin(), ids.end()}, pattern, "--fail-on");
  const std::set<std::string> gated(list.begin(), list.end());
  std::vector<std::string> failures;
  for (std::size_t i = 0; i < inputs.comparisons.size(); ++i)
    for (const EntryComparison& e : inputs.comparisons[i].entries) {
      if (e.verdict == Verdict::same || e.both_absent || gated.count(e.id) == 0) continue;
      const std::string &a = inputs.files[0].name, &b = inputs.files[i + 1].name;
      std::string text = fmt::format("{}: {}", e.id, verdict_text(e, a, b));
      if (e.difference)
        text += fmt::format(" ({} is {:+.2f} % from {})", b, 100 * *e.difference, a);
      failures.push_back(text);
    }
  return failures;
}

}  // namespace rooftile::cli
