// See compile_ahead.hpp. Which path of a kernel a problem takes is told by its description, as the
// launcher tells it for operands that are aligned, which those of a sweep are.
#include "gemm/compile_ahead.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <set>
#include <vector>

#include "gemm/jit.hpp"
#include "gemm/kernel_listing.hpp"
#include "gpu/disassembler.hpp"
#include "gpu/every_core.hpp"
#include "gpu/progress.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

std::set<KernelName> compiled_at_run_time(const SweepPlan& plan) {
  std::set<KernelName> all;
  for (const SweepCell& cell : plan.cells)
    if (cell.compiled_at_run_time())
      all.insert(kernel_name(require_variant(cell.variant).describe(cell.tile, cell.problem),
                             cell.problem));
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

/// Compiles each and hands it to `use` with its place, on every core; between two of them an
/// interrupt is heard.
template <class Use>
void compile_each(const std::set<KernelName>& kernels, const std::string& architecture, bool quiet,
                  const Use& use) {
  const std::vector<KernelName> all(kernels.begin(), kernels.end());
  Progress progress("compile", static_cast<double>(all.size()), quiet);
  std::mutex mutex;
  on_every_core(all.size(), [&](std::size_t i) {
    const auto& [variant, tile, path] = all[i];
    use(i, gemm::compile_kernel(variant, tile, path, architecture));
    const std::lock_guard lock(mutex);
    progress.advance(1, fmt::format("{} {}", variant, tile_name(tile)));
  });
}

/// The one kernel of a program.
ListedKernel listed(const CompiledProgram& program) {
  std::vector<ListedKernel> all = gemm::listed_kernels(disassembly(program));
  if (all.size() != 1)
    throw InputError(fmt::format("the disassembly of {} lists {} kernels instead of one",
                                 program.symbol, all.size()));
  return std::move(all.front());
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
  const std::set<KernelName> kernels = compiled_at_run_time(plan);
  if (kernels.empty())
    throw InputError(
        "nothing to compile: the variants' default tiles were compiled ahead of time and libraries "
        "are no kernels of rooftile; name other tiles by --tile or a suite");
  compile_each(kernels, architecture, quiet, [&](std::size_t, const CompiledProgram& program) {
    if (!program.kept) throw_not_kept(folder);
  });
  return kernels.size();
}

std::vector<ListedKernel> compile_listed(const std::set<KernelName>& kernels,
                                         const std::string& compute_capability, bool quiet) {
  const std::string architecture = architecture_of(compute_capability);
  if (find_cuobjdump().empty())
    throw InputError("compiled kernels cannot be read: " + disassembler_advice());
  std::vector<ListedKernel> all(kernels.size());
  compile_each(kernels, architecture, quiet,
               [&](std::size_t i, const CompiledProgram& program) { all[i] = listed(program); });
  return all;
}

}  // namespace rooftile
