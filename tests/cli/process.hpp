// Starts the binary and catches what it says; a scratch folder that cleans up after itself.
#pragma once

#include <string>
#include <vector>

namespace rooftile::cli {

struct ProcessResult {
  int exit_code = 0;  ///< 128 + signal when a signal ended it
  std::string out, err;
};

struct ProcessOptions {
  std::vector<std::string> environment;  ///< NAME=VALUE, added to ours
  std::string folder;                    ///< working directory; empty: ours
  int signal = 0;                        ///< sent after `signal_after_s`
  double signal_after_s = 0;
  std::string stdout_path;  ///< stdout goes here instead of being caught
};

/// Runs `rooftile <arguments>` and waits for it.
ProcessResult rooftile_process(const std::vector<std::string>& arguments,
                               const ProcessOptions& options = {});

/// A folder below the system's temporary one, removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

std::string slurp(const std::string& path);
void spill(const std::string& path, const std::string& text);

}  // namespace rooftile::cli
