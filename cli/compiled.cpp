#include "cli/compiled.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gemm/compile_ahead.hpp"
#include "gpu/interrupt.hpp"
#include "model/error.hpp"

namespace rooftile::cli {
namespace {

bool listed(const Kernels& kernels, const KernelName& name) {
  const KernelRecord* record =
      kernels ? kernels->find(name.variant, name.tile, name.path) : nullptr;
  return record != nullptr && kernels->listing(record->kernel_id);
}

}  // namespace

void compile_lacking(ProfileInput& profile, const std::set<KernelName>& kernels, bool quiet) {
  std::set<KernelName> lacking;
  for (const KernelName& kernel : kernels)
    if (!listed(profile.kernels, kernel)) lacking.insert(kernel);
  if (lacking.empty()) return;
  install_interrupt_handlers();
  const Environment& gpu = profile.profile.environment;
  const std::string capability =
      fmt::format("{}.{}", gpu.compute_capability_major, gpu.compute_capability_minor);
  profile.kernels = kernels_beside(profile.kernels, compile_listed(lacking, capability, quiet));
  throw_if_interrupted();
  remove_interrupt_handlers();  // predictions look for no signal
}

void check_compile_serves(const std::vector<std::string>& predictors) {
  const bool reads_code =
      std::any_of(predictors.begin(), predictors.end(),
                  [](const std::string& name) { return name == "sass" || name == "all"; });
  if (!reads_code)
    throw InputError("--compile: only sass reads compiled kernels; add --predictor sass");
}

}  // namespace rooftile::cli
