// rooftile list: what there is to choose from.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/filter.hpp"
#include "cli/option_values.hpp"
#include "cli/output.hpp"
#include "gemm/variant.hpp"
#include "model/error.hpp"
#include "model/predict/predictor.hpp"
#include "model/profile/metric_catalog.hpp"
#include "model/record/data_path.hpp"
#include "model/record/splits.hpp"

namespace rooftile::cli {
namespace {

ResultTable variants_table() {
  ResultTable table{"variants",
                    {{"name", "name", ""},
                     {"rung", "rung", "count"},
                     {"family", "family", ""},
                     {"default tile", "default_tile", ""},
                     {"what it adds", "idea", ""}},
                    {},
                    {}};
  for (const Variant& v : variants())
    table.rows.push_back({std::string(v.name), static_cast<double>(v.rung), std::string(v.family),
                          tile_name(v.default_tile), std::string(v.idea)});
  return table;
}

/// Every legal tile of every variant, in the order in which `tune` looks at them.
ResultTable tiles_table() {
  ResultTable table{"tiles", {{"variant", "variant", ""}, {"tile", "tile", ""}}, {}, {}};
  for (const Variant& v : variants())
    for (const Tile& tile : v.tile_space())
      if (!v.illegal(tile)) table.rows.push_back({std::string(v.name), tile_name(tile)});
  return table;
}

/// Names come from the catalog of metrics, so that a build without CUDA lists them too.
ResultTable microbenchmarks_table() {
  std::map<std::string, std::vector<std::string>> supplied;
  for (const CatalogEntry& entry : metric_catalog())
    supplied[std::string(entry.supplier)].emplace_back(entry.id);
  ResultTable table{
      "microbenchmarks", {{"name", "name", ""}, {"supplies", "supplies", ""}}, {}, {}};
  for (const auto& [name, ids] : supplied)
    table.rows.push_back({name, fmt::format("{}", fmt::join(ids, " "))});
  return table;
}

ResultTable metrics_table() {
  ResultTable table{"metrics",
                    {{"id", "id", ""},
                     {"kind", "kind", ""},
                     {"unit", "unit_name", ""},
                     {"microbenchmark", "microbenchmark", ""},
                     {"meaning", "meaning", ""}},
                    {},
                    {}};
  for (const CatalogEntry& e : metric_catalog()) {
    const char* kind = e.kind == EntryKind::metric  ? "metric"
                       : e.kind == EntryKind::curve ? "curve"
                                                    : "table";
    table.rows.push_back({std::string(e.id), std::string(kind), std::string(e.unit),
                          std::string(e.supplier), std::string(e.meaning)});
  }
  return table;
}

ResultTable predictors_table() {
  ResultTable table{"predictors, in order of rising detail", {{"name", "name", ""}}, {}, {}};
  for (const std::string& name : predictor_names()) table.rows.push_back({name});
  return table;
}

ResultTable shapes_table() {
  ResultTable table{"shapes of the splits",
                    {{"shape", "shape", ""}, {"family", "family", ""}, {"split", "split", ""}},
                    {},
                    {}};
  for (const Splits::Shape& s : Splits::load(data_path("splits.json")).shapes)
    table.rows.push_back({s.shape, s.family, std::string(s.sealed ? "sealed" : "dev")});
  return table;
}

struct Kind {
  std::string name;
  ResultTable (*make)();
  bool unasked = true;  ///< also where nothing is named
};
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all{{"variants", variants_table},
                                     {"tiles", tiles_table, false},  // thousands
                                     {"microbenchmarks", microbenchmarks_table},
                                     {"metrics", metrics_table},
                                     {"predictors", predictors_table},
                                     {"shapes", shapes_table}};
  return all;
}

void keep_matching(std::vector<ResultTable>& tables, const std::string& pattern) {
  std::vector<std::string> names;
  for (const ResultTable& table : tables)
    for (const auto& row : table.rows) names.push_back(std::get<std::string>(row[0]));
  const std::vector<std::string> kept = filter_names(names, pattern, "--filter");
  for (ResultTable& table : tables) {
    auto gone = [&](const std::vector<Cell>& row) {
      return std::find(kept.begin(), kept.end(), std::get<std::string>(row[0])) == kept.end();
    };
    table.rows.erase(std::remove_if(table.rows.begin(), table.rows.end(), gone), table.rows.end());
  }
  tables.erase(std::remove_if(tables.begin(), tables.end(),
                              [](const ResultTable& table) { return table.rows.empty(); }),
               tables.end());
}

Json rows_json(const ResultTable& table) {
  Json rows = Json::array();
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (std::size_t i = 0; i < row.size(); ++i)
      std::visit(
          [&](const auto& value) {
            if constexpr (!std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
              object[table.columns[i].key] = value;
          },
          row[i]);
    rows.push_back(std::move(object));
  }
  return rows;
}

class List : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("what", what_,
                   "variants, tiles, microbenchmarks, metrics, predictors, shapes (default: all "
                   "but the tiles)")
        ->type_name("WHAT...");
    app.add_option("--filter", filter_, "Only names that match")->type_name("REGEX");
    output_.define(app);
  }

  int run() override {
    output_.check();
    const auto wanted = require_names(list_kinds(), what_, "list");
    Results results{Json::object(), {}, ""};
    for (const Kind& kind : kinds()) {
      const bool named = std::find(wanted.begin(), wanted.end(), kind.name) != wanted.end();
      if (!named && !(wanted.empty() && kind.unasked)) continue;
      results.tables.push_back(kind.make());
      results.tables.back().title = kind.name;
    }
    if (!filter_.empty()) keep_matching(results.tables, filter_);
    for (const ResultTable& table : results.tables) results.json[table.title] = rows_json(table);
    emit(results, output_);
    return exit_ok;
  }

 private:
  std::vector<std::string> what_;
  std::string filter_;
  OutputOptions output_;
};

}  // namespace

std::vector<std::string> list_kinds() {
  std::vector<std::string> names;
  for (const Kind& kind : kinds()) names.push_back(kind.name);
  return names;
}

const CommandEntry list_command{
    "list",
    "list variants, tiles, microbenchmarks, metrics, predictors, shapes",
    "Lists what there is to choose from.",
    {"rooftile list", "rooftile list variants", "rooftile list metrics --filter '^smem'",
     "rooftile list tiles --filter '^double_buffer$'", "rooftile list shapes --csv -"},
    make_command<List>};

}  // namespace rooftile::cli
