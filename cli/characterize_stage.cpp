// Which microbenchmarks are left to run, and the loop that runs them and saves after each.
#include "cli/characterize_stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/filter.hpp"
#include "gpu/interrupt.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"
#include "model/profile/metric_catalog.hpp"

namespace rooftile::cli {
namespace {

bool has_entry(const DeviceProfile& profile, const CatalogEntry& entry) {
  const std::string id(entry.id);
  auto finished = [](const auto& found) { return found.state != State::failed; };
  if (entry.kind == EntryKind::metric) {
    const auto found = profile.metrics.find(id);
    return found != profile.metrics.end() && finished(found->second);
  }
  if (entry.kind == EntryKind::curve) {
    const auto found = profile.curves.find(id);
    return found != profile.curves.end() && finished(found->second);
  }
  return profile.tables.count(id) != 0;
}

/// Everything that the catalog expects of this microbenchmark is there and has not failed.
bool is_done(const DeviceProfile& profile, const std::string& microbenchmark) {
  const auto catalog = metric_catalog();
  return std::all_of(catalog.begin(), catalog.end(), [&](const CatalogEntry& entry) {
    return entry.supplier != microbenchmark || has_entry(profile, entry);
  });
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

}  // namespace

CharacterizePlan plan_characterize(MicroRunner& runner, CharacterizePlan options,
                                   const std::string& filter) {
  const Environment here = runner.environment();
  if (options.resume && std::filesystem::exists(options.path)) {
    options.profile = earlier_profile(options.path, here);
  } else {
    options.profile.environment = here;
    options.profile.created_by = this_build();
  }
  const std::vector<MicrobenchmarkInfo> all = runner.list();
  std::vector<std::string> names;
  for (const MicrobenchmarkInfo& info : all) names.push_back(info.name);
  const std::vector<std::string> wanted = filter_names(names, filter, "--only");
  for (const MicrobenchmarkInfo& info : all)
    if (std::find(wanted.begin(), wanted.end(), info.name) != wanted.end() &&
        !is_done(options.profile, info.name))
      options.todo.push_back(info);
  return options;
}

DeviceProfile characterize(MicroRunner& runner, CharacterizePlan plan) {
  const int rounds = plan.quick ? 1 : characterize_rounds;
  Progress progress("characterize", total_weight(plan.todo), plan.quiet);
  for (int round = 1; round <= rounds; ++round) {
    for (const MicrobenchmarkInfo& info : plan.todo) {
      throw_if_interrupted();
      progress.advance(0, fmt::format("round {} of {}: {}", round, rounds, info.name));
      runner.run(info.name, plan.quick, plan.profile);
      plan.profile.environment.end = runner.environment().start;
      plan.profile.save(plan.path);
      progress.advance(info.estimated_s / rounds, info.name);
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
