// Starts the binary and catches what it says; a scratch folder that cleans up after itself.
#pragma once

#include <string>
#include <vector>

#include "tests/support/temporary_folder.hpp"

namespace rooftile::cli {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string out, err;
};

struct ProcessOptions {
  std::vector<std::string> environment{};  ///< NAME=VALUE, added to ours
  std::string folder{};                    ///< working directory; empty: ours
  int signal = 0;                          ///< sent after `signal_after_s`
  double signal_after_s = 0;
  std::string stdout_path{};  ///< stdout goes here instead of being caught
};

/// Runs `rooftile <arguments>` and waits for it.
ProcessResult rooftile_process(const std::vector<std::string>& arguments,
                               const ProcessOptions& options = {});

/// Runs `script` by `shell` (bash, zsh, fish, sh) and waits for it; stderr goes where ours goes.
ProcessResult shell_process(const std::string& shell, const std::string& script);
/// Is there a program of this name on the PATH?
bool has_program(const std::string& name);

/// A folder for the files of one test.
class Scratch {
 public:
  std::string path(const std::string& name) const { return folder_ / name; }
  const std::string& folder() const { return folder_.path(); }

 private:
  test::TemporaryFolder folder_;
};

std::string slurp(const std::string& path);
void spill(const std::string& path, const std::string& text);

}  // namespace rooftile::cli
