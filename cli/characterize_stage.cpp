// Which microbenchmarks are left to run, and the loop that runs them and saves after each.
#include "cli/characterize_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "cli/filter.hpp"
#include "cli/output.hpp"
#include "gpu/interrupt.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile::cli {
namespace {

bool is_settled(State state) { return state == State::ok || state == State::skipped; }

/// The id of an entry of this microbenchmark that is neither ok nor skipped, or "".
std::string unsettled_entry(const DeviceProfile& profile, const std::string& microbenchmark) {
  for (const CatalogEntry& entry : metric_catalog()) {
    if (entry.supplier != microbenchmark) continue;
    const auto metric = profile.metrics.find(entry.id);
    const auto curve = profile.curves.find(entry.id);
    const bool unsettled =
        (entry.kind == EntryKind::metric &&
         (metric == profile.metrics.end() || !is_settled(metric->second.state))) ||
        (entry.kind == EntryKind::curve &&
         (curve == profile.curves.end() || !is_settled(curve->second.state)));
    if (unsettled) return std::string(entry.id);
  }
  return "";
}

/// Why what was measured by `earlier` cannot be kept, or "".
std::string why_other(const Completion& earlier, bool quick) {
  if (earlier.git_revision != this_build().git_revision)
    return fmt::format("by revision {}", earlier.git_revision);
  if (earlier.quick != quick) return earlier.quick ? "with --quick" : "without --quick";
  return "";
}

/// Why an earlier run's microbenchmark must run, or "" where it may be kept. Rounds that cannot be
/// gone on from are dropped.
std::string why_again(DeviceProfile& profile, const std::string& name, bool quick) {
  if (const auto begun = profile.unfinished.find(name); begun != profile.unfinished.end()) {
    if (why_other(begun->second.by, quick).empty() && begun->second.rounds < characterize_rounds)
      return fmt::format("from round {} on", begun->second.rounds + 1);
    profile.unfinished.erase(begun);
  }
  const auto found = profile.completed.find(name);
  if (found == profile.completed.end()) return "not finished";
  if (std::string why = why_other(found->second, quick); !why.empty()) return why;
  return unsettled_entry(profile, name).empty() ? "" : "with failed, suspect or new entries";
}

/// "3 not finished, 1 with --quick" after "keeps 12 of 16 microbenchmarks".
void say_kept(const CharacterizePlan& plan, const std::map<std::string, int>& again) {
  std::string text = fmt::format("{}: keeps {} of {} microbenchmarks", plan.path, plan.kept.size(),
                                 plan.kept.size() + plan.todo.size());
  if (!plan.kept.empty()) text += fmt::format(" ({})", fmt::join(plan.kept, ", "));
  std::string separator = "; runs the others: ";
  for (const auto& [reason, count] : again) {
    text += fmt::format("{}{} {}", separator, count, reason);
    separator = ", ";
  }
  print_note(text);
}

DeviceProfile earlier_profile(const std::string& path, const Environment& here) {
  DeviceProfile profile = DeviceProfile::load(path);
  if (profile.environment.gpu_uuid != here.gpu_uuid)
    throw InputError(fmt::format(
        "{}: environment.gpu_uuid is '{}' but this GPU is '{}' ({}); use another --output, or "
        "--force to start anew",
        path, profile.environment.gpu_uuid, here.gpu_uuid, here.gpu_name));
  return profile;
}

double total_weight(const std::vector<MicrobenchmarkInfo>& todo) {
  double total = 0;
  for (const MicrobenchmarkInfo& info : todo) total += info.estimated_s;
  return total;
}

/// Rounds of `name` that are through.
int rounds_through(const DeviceProfile& profile, const std::string& name) {
  const auto found = profile.unfinished.find(name);
  return found == profile.unfinished.end() ? 0 : found->second.rounds;
}

int rounds_left(const DeviceProfile& profile, const MicrobenchmarkInfo& info, bool quick) {
  return info.once || quick ? 1 : characterize_rounds - rounds_through(profile, info.name);
}

/// Notes that a round of `name` is through; the last one settles it.
void end_round(DeviceProfile& profile, const std::string& name, bool last, bool quick) {
  const Completion by{this_build().git_revision, quick};
  if (last) {
    profile.unfinished.erase(name);
    profile.completed[name] = by;
  } else {
    Unfinished& unfinished = profile.unfinished[name];
    ++unfinished.rounds;
    unfinished.by = by;
  }
}

}  // namespace

CharacterizePlan plan_characterize(MicroRunner& runner, CharacterizePlan options,
                                   const std::string& filter) {
  const Environment here = runner.environment();
  const bool earlier = options.resume && std::filesystem::exists(options.path);
  if (earlier)
    options.profile = earlier_profile(options.path, here);
  else
    options.profile.environment = here;
  options.profile.created_by = this_build();
  const std::vector<MicrobenchmarkInfo> all = runner.list();
  std::vector<std::string> names;
  for (const MicrobenchmarkInfo& info : all) names.push_back(info.name);
  const std::vector<std::string> wanted = filter_names(names, filter, "--only");
  std::map<std::string, int> again;
  for (const MicrobenchmarkInfo& info : all) {
    if (std::find(wanted.begin(), wanted.end(), info.name) == wanted.end()) continue;
    const std::string why = why_again(options.profile, info.name, options.quick);
    if (why.empty()) {
      options.kept.push_back(info.name);
    } else {
      options.todo.push_back(info);
      if (!info.once)
        options.todo.back().estimated_s *=
            rounds_left(options.profile, info, options.quick) / double{characterize_rounds};
      ++again[why];
    }
  }
  if (earlier) say_kept(options, again);
  return options;
}

DeviceProfile characterize(MicroRunner& runner, CharacterizePlan plan) {
  const int rounds = plan.quick ? 1 : characterize_rounds;
  Progress progress("characterize", total_weight(plan.todo), plan.quiet);
  std::map<std::string, double> seconds_a_round;
  for (const MicrobenchmarkInfo& info : plan.todo)
    seconds_a_round[info.name] = info.estimated_s / rounds_left(plan.profile, info, plan.quick);
  for (int round = 1; round <= rounds; ++round) {
    for (const MicrobenchmarkInfo& info : plan.todo) {
      if (info.once ? round < rounds : round <= rounds_through(plan.profile, info.name)) continue;
      throw_if_interrupted();
      plan.profile.completed.erase(info.name);
      progress.advance(0, fmt::format("round {} of {}: {}", round, rounds, info.name));
      runner.run(info.name, plan.quick, plan.profile);
      end_round(plan.profile, info.name, round == rounds, plan.quick);
      plan.profile.environment.end = runner.environment().start;
      plan.profile.save(plan.path);
      progress.advance(seconds_a_round[info.name], info.name);
    }
  }
  return plan.profile;
}

std::vector<std::string> entries_in_state(const DeviceProfile& profile, State state) {
  std::vector<std::string> entries;
  for (const auto& [id, metric] : profile.metrics)
    if (metric.state == state) entries.push_back(fmt::format("{}: {}", id, metric.reason));
  for (const auto& [id, curve] : profile.curves)
    if (curve.state == state) entries.push_back(fmt::format("{}: {}", id, curve.reason));
  return entries;
}

}  // namespace rooftile::cli
