// rooftile claims: what tutorials say of GEMM on GPUs, and whether it holds on this one.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/filter.hpp"
#include "cli/model_options.hpp"
#include "cli/output.hpp"
#include "cli/validate_stage.hpp"
#include "model/error.hpp"
#include "model/record/data_path.hpp"
#include "report/claims.hpp"

namespace rooftile::cli {
namespace {

using report::ClaimVerdict;
using report::JudgedClaim;

std::string evidence_of(const JudgedClaim& judged) {
  return fmt::format("{}", fmt::join(report::evidence_texts(judged), "; "));
}

/// With `full` the evidence too: for files, where a line may be long.
ResultTable claims_table(const std::vector<JudgedClaim>& judged, bool full) {
  ResultTable table{"published claims on this GPU",
                    {{"id", "id", "count"},
                     {"source", "source", ""},
                     {"verdict", "verdict", ""},
                     {"claim", "claim", ""}},
                    {},
                    {}};
  if (full) {
    table.columns.push_back({"evidence", "evidence", ""});
    table.columns.push_back({"missing or not judged", "missing", ""});
  }
  for (const JudgedClaim& j : judged) {
    table.rows.push_back({static_cast<double>(j.claim.id), j.claim.source,
                          std::string(to_string(j.verdict)), j.claim.text});
    if (!full) continue;
    table.rows.back().emplace_back(evidence_of(j));
    table.rows.back().emplace_back(fmt::format("{}", fmt::join(j.missing(), " ")));
  }
  return table;
}

std::vector<Cell> rule_row(const std::string& title, const report::RuleResult& result) {
  const char* holds = !result.holds ? "open" : *result.holds ? "yes" : "no";
  return {title, result.with_numbers, std::string(holds)};
}

ResultTable explained_claim(const JudgedClaim& judged) {
  ResultTable table{
      fmt::format("claim {}: {}", judged.claim.id, to_string(judged.verdict)),
      {{"rule", "rule", ""}, {"with its numbers", "numbers", ""}, {"holds", "holds", ""}},
      {},
      {}};
  table.notes.push_back(judged.claim.text);
  if (!judged.claim.reading.empty()) table.notes.push_back("read as: " + judged.claim.reading);
  for (const report::RuleResult& premise : judged.given)
    table.rows.push_back(rule_row("given " + premise.rule, premise));
  for (const report::RuleResult& rule : judged.rules)
    table.rows.push_back(rule_row(rule.rule, rule));
  for (const report::Evidence& evidence : judged.evidence())
    if (evidence.value) table.notes.push_back(report::evidence_text(evidence));
  for (const std::string& missing : judged.missing())
    table.notes.push_back("missing or not judged: " + missing);
  return table;
}

class ClaimsCommand : public Command {
 public:
  void define(CLI::App& app) override {
    inputs_.define(app);
    app.add_option("--id", ids_, "Only the claims of these numbers, explained")
        ->delimiter(',')
        ->type_name("N...");
    app.add_option("--filter", filter_, "Only claims whose text or verdict matches")
        ->type_name("REGEX");
    app.add_flag("--explain", explain_, "Rules, numbers and what is missing of each claim");
    output_.define(app);
  }

  int run() override {
    output_.check();
    data_path("claims.json");  // said before the work when it is not there
    const auto [profile, runs] = inputs_.load();
    const ReportInput input =
        report_input(profile, available_predictors(profile), runs, validate_inputs(profile, runs));
    const std::vector<JudgedClaim> judged =
        selected(report::judge_claims(input, report::analyse(input)));
    emit(results(judged, input, joint_notice(profile, runs)), output_);
    return exit_ok;
  }

 private:
  std::vector<JudgedClaim> selected(const std::vector<JudgedClaim>& all) const {
    if (all.empty()) throw InputError("claims.json: has no claims");
    for (int id : ids_)
      if (std::none_of(all.begin(), all.end(), [&](const auto& j) { return j.claim.id == id; }))
        throw InputError(fmt::format("--id: no claim {}; there are {}", id, all.size()));
    std::vector<std::string> names;
    for (const JudgedClaim& j : all)
      names.push_back(fmt::format("{}: {}", to_string(j.verdict), j.claim.text));
    const std::vector<std::string> kept = filter_names(names, filter_, "--filter");
    std::vector<JudgedClaim> judged;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (wanted(all[i].claim.id) && std::find(kept.begin(), kept.end(), names[i]) != kept.end())
        judged.push_back(all[i]);
    if (judged.empty())
      throw InputError("no claim matches both --id and --filter; leave one of them out");
    return judged;
  }

  bool wanted(int id) const {
    return ids_.empty() || std::find(ids_.begin(), ids_.end(), id) != ids_.end();
  }

  Results results(const std::vector<JudgedClaim>& judged, const ReportInput& input,
                  const std::string& notice) const {
    Results results{
        file_head("rooftile.verdicts", 1, this_build(), input.profile.environment), {}, notice};
    results.json["sources"] = Json::object();
    results.json["claims"] = Json::array();
    ResultTable table = claims_table(judged, false);
    for (const auto& [letter, text] : input.claims.sources) {
      results.json["sources"][letter] = text;
      table.notes.push_back(fmt::format("{}: {}", letter, text));
    }
    table.notes.push_back(counts(judged));
    results.tables.push_back(std::move(table));
    results.csv = claims_table(judged, true);
    for (const JudgedClaim& j : judged) {
      results.json["claims"].push_back(to_json(j));
      if (explain_ || !ids_.empty()) results.tables.push_back(explained_claim(j));
    }
    return results;
  }

  static std::string counts(const std::vector<JudgedClaim>& judged) {
    std::string text;
    for (ClaimVerdict verdict :
         {ClaimVerdict::holds, ClaimVerdict::does_not_hold, ClaimVerdict::undecided})
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", to_string(verdict),
                          std::count_if(judged.begin(), judged.end(), [&](const JudgedClaim& j) {
                            return j.verdict == verdict;
                          }));
    return text;
  }

  std::vector<int> ids_;
  std::string filter_;
  bool explain_ = false;
  MeasuredOptions inputs_;
  OutputOptions output_;
};

}  // namespace

const CommandEntry claims_command{
    "claims",
    "judge published claims about GEMM by this GPU's numbers",
    "Judges what two tutorials say of GEMM on GPUs by rules over the profile and the runs: holds, "
    "does not hold, or cannot be decided yet and what is missing. Needs no GPU.",
    {"rooftile claims", "rooftile claims --id 2,27",
     "rooftile claims --filter '^does not hold' --md -",
     "rooftile claims --profile profile.json --runs runs.jsonl --csv claims.csv"},
    make_command<ClaimsCommand>};

}  // namespace rooftile::cli
