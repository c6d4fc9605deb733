// See compile_ahead.hpp. Which path of a kernel a problem takes is told by its description, as the
// launcher tells it for operands that are aligned, which those of a sweep are.
#include "gemm/compile_ahead.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <tuple>

#include "gemm/jit.hpp"
#include "gpu/interrupt.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

using Compiled = std::tuple<std::string, Tile, KernelPath>;

std::set<Compiled> compiled_at_run_time(const SweepPlan& plan) {
  std::set<Compiled> all;
  for (const SweepCell& cell : plan.cells) {
    if (!cell.compiled_at_run_time()) continue;
    const auto description = require_variant(cell.variant).describe(cell.tile, cell.problem);
    all.emplace(cell.variant, cell.tile, kernel_path(description, cell.problem));
  }
  return all;
}

std::string architecture_of(const std::string& compute_capability) {
  int major = 0, minor = 0, end = 0;
  const bool read = std::sscanf(compute_capability.c_str(), "%d.%d%n", &major, &minor, &end) == 2;
  if (!read || static_cast<std::size_t>(end) != compute_capability.size())
    throw InputError(fmt::format("\"{}\" is no compute capability; expected for example 9.0",
                                 compute_capability));
  return nvrtc_architecture(major, minor);
}

[[noreturn]] void throw_not_kept(const std::string& folder) {
  const int cause = access(folder.c_str(), W_OK) == 0 ? 0 : errno;
  throw_file_error(
      fmt::format("the folder {} does not keep compiled kernels: {}; set ROOFTILE_CACHE_DIR to one "
                  "that can be written",
                  folder, cause == 0 ? "is the disk full?" : std::strerror(cause)),
      cause);
}

}  // namespace

std::size_t compile_ahead(const SweepPlan& plan, const std::string& compute_capability,
                          bool quiet) {
  const std::string architecture = architecture_of(compute_capability);
  const std::string folder = cache_folder();
  if (folder.empty())
    throw InputError("no folder for compiled kernels: set ROOFTILE_CACHE_DIR to one");
  const std::set<Compiled> kernels = compiled_at_run_time(plan);
  if (kernels.empty())
    throw InputError(
        "nothing to compile: the variants' default tiles were compiled ahead of time and cublas is "
        "no kernel of rooftile; name other tiles by --tile or a suite");
  Progress progress("compile", static_cast<double>(kernels.size()), quiet);
  for (const auto& [variant, tile, path] : kernels) {
    throw_if_interrupted();
    progress.advance(0, variant + " " + tile_name(tile));
    if (!gemm::compile_kernel(variant, tile, path, architecture).kept) throw_not_kept(folder);
    progress.advance(1, variant + " " + tile_name(tile));
  }
  return kernels.size();
}

}  // namespace rooftile
