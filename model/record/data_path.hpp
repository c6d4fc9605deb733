// Where the recorded data (data/ of the source tree) lie, from any working directory.
#pragma once

#include <string>
#include <vector>

namespace rooftile {

/// Folders tried, in order: ROOFTILE_DATA_DIR (alone, where set), <exe>/../share/rooftile/data, the
/// source tree this binary was built from.
std::vector<std::string> data_directory_candidates();

/// The first candidate that is a folder. Throws InputError that lists what was tried.
std::string data_directory();

/// A file or folder below data_directory(), e.g. "h200/profile.json". Throws InputError when
/// absent.
std::string data_path(const std::string& relative);

/// Names of the folders of data_directory() that hold a profile.json, sorted: the recorded GPUs.
std::vector<std::string> recorded_gpus();

}  // namespace rooftile
