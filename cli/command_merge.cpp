// rooftile merge: several runs.jsonl into one.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/output.hpp"
#include "model/error.hpp"
#include "model/record/merge.hpp"

namespace rooftile::cli {
namespace {

std::string lines_of(const std::vector<RunRecord>& runs) {
  std::string lines;
  for (const RunRecord& run : runs) lines += run.to_json().dump() + "\n";
  return lines;
}

std::size_t gpus_of(const std::vector<RunRecord>& runs) {
  std::set<std::string> gpus;
  for (const RunRecord& run : runs) gpus.insert(card_of(run));
  return gpus.size();
}

ResultTable conflict_table(const MergedRuns& merged) {
  ResultTable table{"conflicts: the newer stands, the older differs beyond the uncertainty",
                    {{"cell", "cell", ""},
                     {"GPU", "gpu_uuid", ""},
                     {"kept", "kept", "s"},
                     {"taken", "kept_utc", ""},
                     {"dropped", "dropped", "s"},
                     {"taken", "dropped_utc", ""}},
                    {},
                    {}};
  for (const MergeConflict& c : merged.conflicts)
    table.rows.push_back({c.cell, c.gpu_uuid, c.kept_s, c.kept_utc, c.dropped_s, c.dropped_utc});
  return table;
}

Json conflicts_json(const MergedRuns& merged) {
  Json conflicts = Json::array();
  for (const MergeConflict& c : merged.conflicts)
    conflicts.push_back({{"cell", c.cell},
                         {"gpu_uuid", c.gpu_uuid},
                         {"kept_s", c.kept_s},
                         {"kept_utc", c.kept_utc},
                         {"dropped_s", c.dropped_s},
                         {"dropped_utc", c.dropped_utc}});
  return conflicts;
}

class Merge : public Command {
 public:
  void define(CLI::App& app) override {
    app.add_option("FILE", paths_, "Files of runs, plain or compressed")
        ->required()
        ->expected(1, -1)
        ->type_name("");
    app.add_flag("--strict", strict_, "Exit 5 when there is a conflict");
    output_.define(app, file_, "The merged runs");
  }

  int run() override {
    output_.check();
    check_output_path(file_, output_.replace(), "--output");
    if (file_.ends_with(".gz"))
      throw InputError("--output: merge writes plain text; leave .gz out and compress the file");
    const MergedRuns merged = merge_runs(load_run_files(paths_));
    write_text_file(file_, lines_of(merged.runs));
    emit(results(merged), output_);
    if (!merged.conflicts.empty())
      print_warning(fmt::format("{} of the replaced runs differ from those that stand",
                                merged.conflicts.size()));
    return strict_ && !merged.conflicts.empty() ? exit_suspect : exit_ok;
  }

 private:
  Results results(const MergedRuns& merged) const {
    const std::size_t gpus = gpus_of(merged.runs);
    Results results{{{"output", file_},
                     {"runs", merged.runs.size()},
                     {"replaced", merged.replaced},
                     {"gpus", gpus},
                     {"conflicts", conflicts_json(merged)}},
                    {},
                    ""};
    ResultTable table{"merged",
                      {{"file", "file", ""},
                       {"runs", "runs", "count"},
                       {"replaced by newer ones", "replaced", "count"},
                       {"conflicts", "conflicts", "count"},
                       {"GPUs", "gpus", "count"}},
                      {},
                      {}};
    table.rows.push_back({file_, static_cast<double>(merged.runs.size()),
                          static_cast<double>(merged.replaced),
                          static_cast<double>(merged.conflicts.size()), static_cast<double>(gpus)});
    results.tables.push_back(std::move(table));
    if (!merged.conflicts.empty()) results.tables.push_back(conflict_table(merged));
    return results;
  }

  std::vector<std::string> paths_;
  std::string file_ = "merged.jsonl";
  bool strict_ = false;
  OutputOptions output_;
};

}  // namespace

const CommandEntry merge_command{
    "merge",
    "make one file of several files of runs",
    "Joins files of runs, those of a job array for instance. Of several runs of one cell on one "
    "GPU the newest stands; where an older one differs beyond the uncertainty, that is said. "
    "Profiles are not merged. Needs no GPU.",
    {"rooftile merge monday.jsonl tuesday.jsonl --output runs.jsonl",
     "rooftile merge part-0.jsonl part-1.jsonl part-2.jsonl --strict --force"},
    make_command<Merge>};

}  // namespace rooftile::cli
