// Two sets of runs cell by cell: variant, tile, problem and cache state are the cell.
#include <fmt/core.h>

#include <cmath>

#include "model/record/compare.hpp"

namespace rooftile {
namespace {

/// Clocks of two runs that differ by more than the driver's step of 15 MHz are worth a word.
constexpr double clock_step_hz = 15e6;

std::map<std::string, const RunRecord*> runs_by_cell(std::span<const RunRecord> runs) {
  std::map<std::string, const RunRecord*> cells;
  for (const RunRecord& run : runs) {
    const RunRecord*& stands = cells[run_key(run)];
    if (stands == nullptr || run.time || !stands->time) stands = &run;
  }
  return cells;
}

void append_note(EntryComparison& entry, const std::string& text) {
  entry.note += (entry.note.empty() ? "" : "; ") + text;
}

void note_state(const RunRecord& run, const std::string& file, EntryComparison& entry) {
  if (run.state != State::ok)
    append_note(entry, fmt::format("{} in {}{}", to_string(run.state), file,
                                   run.reason.empty() ? "" : ": " + run.reason));
}

/// What may explain a difference.
void note_conditions(const RunRecord& a, const RunRecord& b, EntryComparison& entry) {
  if (a.sm_clock_hz > 0 && b.sm_clock_hz > 0 &&
      std::fabs(a.sm_clock_hz - b.sm_clock_hz) > clock_step_hz)
    append_note(entry, fmt::format("SM clock {:.0f} -> {:.0f} MHz", a.sm_clock_hz / 1e6,
                                   b.sm_clock_hz / 1e6));
  if (a.resources.compiled && b.resources.compiled &&
      a.resources.registers_per_thread != b.resources.registers_per_thread)
    append_note(entry, fmt::format("registers {} -> {}", a.resources.registers_per_thread,
                                   b.resources.registers_per_thread));
}

void take_time(const RunRecord& run, std::optional<double>& value,
               std::optional<Interval>& interval) {
  if (!run.time) return;
  value = run.time->median;
  interval = run.time->ci95;
}

void compare_cell(const RunRecord& a, const RunRecord& b, const CompareOptions& options,
                  EntryComparison& entry) {
  note_state(a, options.reference, entry);
  note_state(b, options.other, entry);
  if (!a.time || !b.time) {
    entry.verdict = Verdict::not_comparable;
    entry.both_absent = !a.time && !b.time && a.state == b.state;
    return;
  }
  const Gap gap = gap_between({a.time->median, a.time->ci95}, {b.time->median, b.time->ci95},
                              options.tolerance);
  entry.difference = gap.difference / a.time->median;
  entry.uncertainty = gap.uncertainty / a.time->median;
  entry.compared = 1;
  entry.differing = gap.beyond;
  const bool suspect = a.state == State::suspect || b.state == State::suspect;
  if (gap.beyond) entry.verdict = suspect ? Verdict::not_comparable : Verdict::differs;
  note_conditions(a, b, entry);
}

EntryComparison compared_cell(const std::string& cell, const RunRecord* a, const RunRecord* b,
                              const CompareOptions& options) {
  EntryComparison entry;
  entry.kind = ComparedKind::run;
  entry.id = cell;
  entry.unit = "s";
  if (a != nullptr) take_time(*a, entry.reference, entry.reference_interval);
  if (b != nullptr) take_time(*b, entry.other, entry.other_interval);
  if (b == nullptr)
    entry.verdict = Verdict::only_in_reference;
  else if (a == nullptr)
    entry.verdict = Verdict::only_in_other;
  else
    compare_cell(*a, *b, options, entry);
  return entry;
}

}  // namespace

Comparison compare_runs(std::span<const RunRecord> reference, std::span<const RunRecord> other,
                        const CompareOptions& options) {
  const auto a = runs_by_cell(reference), b = runs_by_cell(other);
  const auto in = [](const auto& cells, const std::string& cell) {
    const auto found = cells.find(cell);
    return found == cells.end() ? nullptr : found->second;
  };
  auto all = a;
  all.insert(b.begin(), b.end());
  Comparison comparison;
  for (const auto& [cell, unused] : all)
    comparison.entries.push_back(compared_cell(cell, in(a, cell), in(b, cell), options));
  return comparison;
}

}  // namespace rooftile
