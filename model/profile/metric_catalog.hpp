// The closed list of profile ids: unit, meaning and the microbenchmark that supplies each. The
// microbenchmarks declare them (`// ENTRY:` lines in the heads of micro/*.cu); the build makes the
// list from those, so that it is there without CUDA too. One source for micro/ (what to write),
// model/ (what may be missing and who supplies it), docs and report.
#pragma once

#include <span>
#include <string_view>

namespace rooftile {

enum class EntryKind { metric, curve, table };

struct CatalogEntry {
  std::string_view id;
  EntryKind kind;
  std::string_view unit;      ///< y unit of a curve; "" for tables
  std::string_view x_unit;    ///< curves only
  std::string_view supplier;  ///< name of the microbenchmark (the stem of its file in micro/)
  std::string_view meaning;
};

std::span<const CatalogEntry> metric_catalog();
const CatalogEntry* find_catalog_entry(std::string_view id, EntryKind kind);

/// The closed list of units.
std::span<const std::string_view> known_units();

/// Ids nearest to `id` by edit distance, for error messages.
std::string nearest_ids(std::string_view id);

}  // namespace rooftile
