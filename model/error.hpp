// Errors that every floor can throw. Each maps to one exit code of the command line (see
// docs/cli.md).
#pragma once

#include <cerrno>
#include <stdexcept>
#include <string>

namespace rooftile {

/// A file, option or value given by the user is invalid (exit code 2). The text names the field,
/// the value and what to do.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A metric that a predictor needs is absent from the profile (exit code 2). Names the id and the
/// microbenchmark that supplies it.
class MissingMetric : public InputError {
 public:
  using InputError::InputError;
};

/// The compiled code of a kernel is not at hand (exit code 2): the sass predictor has nothing to
/// say.
class NoSass : public InputError {
 public:
  using InputError::InputError;
};

/// No usable GPU, or the GPU lacks a feature (exit code 3).
class NoDeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The operating system or driver refuses access (exit code 4).
class PermissionError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// For a failed call on a file: PermissionError where the system refuses it, else InputError.
[[noreturn]] inline void throw_file_error(const std::string& message, int code) {
  if (code == EACCES || code == EPERM || code == EROFS) throw PermissionError(message);
  throw InputError(message);
}

/// The user interrupted the run with a signal (exit code 128 + signal); partial results are saved.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal) : std::runtime_error("interrupted"), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

}  // namespace rooftile
