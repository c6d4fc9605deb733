// The characterize stage: runs microbenchmarks one after the other and saves the profile after
// each, so that a kill leaves a valid file with all values found so far.
//
// A later run may keep a microbenchmark that went through all its rounds, by the same revision of
// the program and in the same mode, and whose entries are ok (or skipped: this GPU cannot have
// them). One with rounds to go goes on after its last whole round.
#pragma once

#include <string>
#include <vector>

#include "gpu/runner.hpp"
#include "model/profile/device_profile.hpp"

namespace rooftile::cli {

struct CharacterizePlan {
  std::string path;     ///< profile.json
  bool quick = false;   ///< fewer repetitions and points
  bool resume = false;  ///< keep what an earlier run finished
  bool quiet = false;
  std::vector<MicrobenchmarkInfo> todo;  ///< in order
  std::vector<std::string> kept;         ///< of an earlier run, among the selected ones
  DeviceProfile profile;                 ///< what is there already
};

/// Selects by `filter` and leaves out what `resume` finds done in `path`; says on stderr what it
/// keeps and why the rest runs again. Throws InputError for a filter that matches nothing and for a
/// profile of another GPU.
CharacterizePlan plan_characterize(MicroRunner& runner, CharacterizePlan options,
                                   const std::string& filter);

/// Runs the plan. Throws Interrupted between microbenchmarks; what was finished is then saved.
DeviceProfile characterize(MicroRunner& runner, CharacterizePlan plan);

/// "id: reason" of every entry in this state.
std::vector<std::string> entries_in_state(const DeviceProfile& profile, State state);

}  // namespace rooftile::cli
