// Finds programs and runs them with their output captured.
#pragma once

#include <string>
#include <vector>

namespace rooftile {

/// The executable file `name` in the folders of $PATH (or of `path`), "" when there is none.
std::string find_program(const std::string& name);
std::string find_program(const std::string& name, const std::string& path);

/// The folder of the running binary, without a trailing slash.
std::string executable_folder();

struct ProgramResult {
  int exit_code = 0;   ///< 128 + signal when a signal ended it, 127 when it could not be started
  std::string output;  ///< stdout
  std::string errors;  ///< stderr
};

/// Runs `arguments[0]` (no shell) and waits for it. Throws std::runtime_error when the system has
/// no pipes or processes left.
ProgramResult run_program(const std::vector<std::string>& arguments);

}  // namespace rooftile
