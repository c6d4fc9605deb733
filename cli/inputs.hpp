// Where commands that need no GPU find their profile and runs.
//
// Order: the option; ROOFTILE_PROFILE (profiles) ; ./profile.json or ./runs.jsonl; the recorded
// data of the GPU present; the recorded NVIDIA H200. Recorded data are those of data_directory(),
// which ROOFTILE_DATA_DIR replaces.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gemm/sweep.hpp"
#include "model/predict/predictor.hpp"
#include "model/profile/device_profile.hpp"
#include "model/record/run.hpp"

namespace rooftile::cli {

/// Where an input came from.
struct Origin {
  std::vector<std::string> files;
  bool recorded = false;  ///< shipped with rooftile, not given or made by the user
  std::string notice;     ///< "using recorded NVIDIA H200, not this machine"; empty otherwise
};

struct ProfileInput {
  DeviceProfile profile;
  Origin origin;
  Kernels kernels = nullptr;  ///< compiled kernels of this GPU; null where none are at hand
};

struct RunsInput {
  std::vector<RunRecord> runs;
  Origin origin;
  /// Beside recorded runs, of the opened sealed split: to judge by.
  std::vector<RunRecord> sealed{};
};

/// `option` and `kernels` are the values of --profile and --kernels, empty when not given. With the
/// kernels of find_kernels(), which are opened once. Throws InputError that names the file and
/// field. Says the notice, if any, on stderr.
ProfileInput find_profile(const std::string& option, const std::string& kernels = "");

/// Compiled kernels: `option` is the value of --kernels, empty when not given; then ./kernels
/// (of the working directory) with a profile of the user's, then the recorded ones of the profile's
/// GPU, else null. Throws InputError.
Kernels find_kernels(const std::string& option, const ProfileInput& profile);

/// Runs of the same GPU as `profile`. `options` are files of --runs, empty when not given. Throws
/// InputError when a file is bad, holds no runs, or is of another GPU model.
RunsInput find_runs(const std::vector<std::string>& options, const ProfileInput& profile);

/// The same without the option; nullopt where there are none. Says no notice.
std::optional<RunsInput> find_runs_if_any(const ProfileInput& profile);

/// Runs of many tiles, for the page: of the file `option`, or of ./landscape.jsonl, else
/// ./landscape.jsonl.gz, beside runs of the user's, or those recorded beside recorded `runs`;
/// nullopt when there are none. Throws as find_runs.
std::optional<RunsInput> find_landscape(const std::string& option, const ProfileInput& profile,
                                        const RunsInput& runs);

/// The suite `name`: a file, or else one of that name among the recorded data; empty stands for
/// their suite.json. Throws InputError.
Suite find_suite(const std::string& name);
/// Throws InputError where options contradict the suite: kernels named twice, or the shapes of one
/// that names nothing else.
void check_suite_serves(const Suite& suite, bool shapes_given, bool kernels_given);

/// The runs of all `files`; says on stderr where the last line was cut short. Throws InputError
/// when there are none.
std::vector<RunRecord> load_run_files(const std::vector<std::string>& files);

/// Folder below the data directory of the recorded GPU named `gpu_name`, or "".
std::string recorded_folder_of(const std::string& gpu_name);

/// Model name of the first NVIDIA GPU that the kernel module lists, or "". Touches no GPU.
std::string gpu_present(const std::string& proc = "/proc/driver/nvidia");

}  // namespace rooftile::cli
