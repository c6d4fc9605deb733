// One row an option, for completion and for `man`; the other commands check their values
// themselves.
#include "cli/option_values.hpp"

#include <map>
#include <set>

#include "cli/command.hpp"
#include "cli/prediction.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/record/libraries.hpp"

namespace rooftile::cli {
namespace {

using Values = std::vector<std::string>;

/// `measure` and `run` also time the vendor's libraries; those that predict cannot.
Values variants_for(const std::string& command) {
  Values names = variant_names();
  if (command == "measure" || command == "run")
    names.insert(names.end(), library_names.begin(), library_names.end());
  return names;
}

/// A search follows one predictor, so `tune` does not take "all".
Values predictors_for(const std::string& command) {
  Values names = predictor_names();
  if (command != "tune") names.emplace_back("all");
  return names;
}

Values microbenchmarks(const std::string&) {
  std::set<std::string> names;
  for (const CatalogEntry& entry : metric_catalog()) names.emplace(entry.supplier);
  return {names.begin(), names.end()};
}

Values metric_edits(const std::string&) {
  Values ids;
  for (const CatalogEntry& entry : metric_catalog())
    if (entry.kind != EntryKind::table) ids.push_back(std::string(entry.id) + "=");
  return ids;
}

Values commands(const std::string&) {
  Values names;
  for (const CommandEntry* entry : command_table()) names.emplace_back(entry->name);
  return names;
}

Values kinds_of_list(const std::string&) { return list_kinds(); }

}  // namespace

std::vector<std::string> option_values(const std::string& command, const std::string& option) {
  static const std::map<std::string, Values (*)(const std::string&)> lists{
      {"variant", variants_for}, {"predictor", predictors_for}, {"only", microbenchmarks},
      {"set", metric_edits},     {"what", kinds_of_list},       {"command", commands}};
  const auto found = lists.find(option);
  return found == lists.end() ? Values{} : found->second(command);
}

}  // namespace rooftile::cli
