// CUPTI, opened when it is needed and never linked: a machine without it loses the counters alone.
#pragma once

#include <string>
#include <vector>

#include "gpu/cuda/error.hpp"

namespace rooftile {

/// A call of CUPTI that failed; `code` is its CUptiResult.
class CuptiError : public GpuError {
 public:
  using GpuError::GpuError;
};

class CuptiLibrary {
 public:
  /// Tries libcupti.so.<major of this build's runtime>, .so.13, .so.12 and plain .so by the loader,
  /// then in $CUDA_HOME, $CUDA_PATH and /usr/local/cuda (extras/CUPTI/lib64, lib64, lib), then in
  /// the wheels of the build folder. available() tells whether one was found.
  CuptiLibrary();
  ~CuptiLibrary();
  CuptiLibrary(const CuptiLibrary&) = delete;
  CuptiLibrary& operator=(const CuptiLibrary&) = delete;

  bool available() const { return handle_ != nullptr; }
  const std::string& path() const { return path_; }      ///< "" when not available
  const std::string& reason() const { return reason_; }  ///< what to do; "" when available

  /// Calls the function `name` of type `int (*)(Params*)`; throws CuptiError when it is absent or
  /// does not answer success.
  template <class Function, class Params>
  void call(const char* name, Params& params) const {
    require(name, reinterpret_cast<Function>(symbol(name))(&params));
  }
  /// The same without the throw: true on success, false also when the function is absent.
  template <class Function, class Params>
  bool try_call(const char* name, Params& params) const noexcept {
    void* found = find_symbol(name);
    return found && reinterpret_cast<Function>(found)(&params) == 0;
  }

 private:
  void* find_symbol(const char* name) const noexcept;
  void* symbol(const char* name) const;
  void require(const char* name, int result) const;

  void* handle_ = nullptr;
  std::string path_, reason_;
};

}  // namespace rooftile
