// Finds programs and runs them with their output captured.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rooftile {

/// The executable file `name` in the folders of $PATH (or of `path`), "" when there is none.
std::string find_program(const std::string& name);
std::string find_program(const std::string& name, const std::string& path);

/// The folder of the running binary, without a trailing slash.
std::string executable_folder();

struct ProgramOptions {
  std::string folder{};                        ///< its working directory; "" = ours
  std::optional<double> timeout_s{};           ///< then it is killed; nullopt = never
  std::size_t most_bytes = std::string::npos;  ///< kept of each stream; the rest is dropped
};

struct ProgramResult {
  int exit_code = 0;   ///< 128 + signal when a signal ended it, 127 when it could not be started
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
  bool timed_out = false;  ///< it was killed
};

/// Runs `arguments[0]` (no shell) without input and waits for it. Throws std::runtime_error when
/// the system has no pipes left.
ProgramResult run_program(const std::vector<std::string>& arguments,
                          const ProgramOptions& options = {});

}  // namespace rooftile
