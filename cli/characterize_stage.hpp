// The characterize stage: runs microbenchmarks one after the other and saves the profile after
// each, so that a kill loses at most one of them.
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
  DeviceProfile profile;                 ///< what is there already
};

/// Selects by `filter` and leaves out what `resume` finds done in `path`. Throws InputError for a
/// filter that matches nothing and for a profile of another GPU.
CharacterizePlan plan_characterize(MicroRunner& runner, CharacterizePlan options,
                                   const std::string& filter);

/// Runs the plan. Throws Interrupted between microbenchmarks; what was finished is then saved.
DeviceProfile characterize(MicroRunner& runner, CharacterizePlan plan);

/// "id: reason" of every entry in this state.
std::vector<std::string> entries_in_state(const DeviceProfile& profile, State state);

}  // namespace rooftile::cli
