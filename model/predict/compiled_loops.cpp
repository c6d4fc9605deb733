#include "model/predict/compiled_loops.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "model/error.hpp"

namespace rooftile {
namespace {

/// Times that are kept: 50 MB of them.
constexpr std::size_t most_times = 100'000;

/// All of a load that the time of a path depends on: where it reads no global memory, the
/// problem's latency and bandwidth do not matter, and another problem finds the same time.
std::vector<double> key_of(const sass::Program& path, const sass::Load& load) {
  std::vector<double> key = {static_cast<double>(load.warps_per_block),
                             static_cast<double>(load.blocks_per_sm)};
  if (sass::reads_global(path))
    key.insert(key.end(), {load.global_latency_cycles, load.global_bytes_per_cycle});
  if (sass::reads_local(path)) key.push_back(load.l1_bytes_per_block);
  for (const sass::ByWidth* widths :
       {&load.lds_wavefronts, &load.sts_wavefronts, &load.global_wavefronts})
    key.insert(key.end(), widths->begin(), widths->end());
  return key;
}

}  // namespace

void CompiledLoops::identify(KernelDescription& kernel, const GemmProblem& problem) const {
  if (!kernel.kernel_id.empty()) return;
  const KernelName name = kernel_name(kernel, problem);
  const KernelRecord* record =
      kernels_ ? kernels_->find(name.variant, name.tile, name.path) : nullptr;
  if (record == nullptr)
    throw NoSass(fmt::format("no SASS of {}: it is not among the listed kernels", to_string(name)));
  const KernelResources &is = kernel.resources, &listed = record->resources;
  const bool same = is.registers_per_thread == listed.registers_per_thread &&
                    is.static_shared_bytes == listed.static_shared_bytes;
  if (is.compiled && !same)
    throw NoSass(
        fmt::format("no SASS of {}: the measured kernel has {} registers and {} bytes of "
                    "shared memory, the "
                    "listed one {} and {}",
                    to_string(name), is.registers_per_thread, is.static_shared_bytes,
                    listed.registers_per_thread, listed.static_shared_bytes));
  if (!is.compiled) kernel.resources = listed;
  kernel.kernel_id = record->kernel_id;
}

const CompiledLoop& CompiledLoops::loop(const KernelDescription& kernel,
                                        sass::Slices slices) const {
  const std::lock_guard lock(mutex_);
  const std::string& id = kernel.kernel_id;
  const std::pair key(id, slices);
  if (const auto known = loops_.find(key); known != loops_.end()) return known->second;
  const auto listing = kernels_ ? kernels_->listing(id) : std::nullopt;
  if (!listing)
    throw NoSass(fmt::format("no SASS of {}: kernel {} is not listed", kernel.variant, id));
  CompiledLoop found;
  found.kernel_id = id;
  found.kernel = sass::parse(*listing).front();
  found.loop = sass::find_main_loop(found.kernel, slices);
  found.census = sass::census(found.kernel, found.loop);
  found.ffma_outside = sass::ffma_outside(found.kernel, found.loop);
  found.paths = sass::Paths(found.kernel, found.loop, machine_);
  if (found.census.ffma == 0)
    throw InputError(fmt::format("kernel {} of {}: its main loop has no FFMA", id, kernel.variant));
  return loops_.emplace(key, std::move(found)).first->second;
}

CompiledLoops::PathTime CompiledLoops::path_time(const sass::Program& path,
                                                 const sass::Load& load) const {
  PathKey key{&path, key_of(path, load)};
  {
    const std::lock_guard lock(mutex_);
    if (const auto known = times_.find(key); known != times_.end()) return known->second;
  }
  PathTime time;
  if (path.cyclic) {
    const sass::Steady steady = sass::steady_state(path, machine_, load);
    time = {steady.cycles(), steady.slots()};
  } else {
    time.cycles = sass::once(path, machine_, load);
  }
  const std::lock_guard lock(mutex_);
  if (times_.size() >= most_times) times_.clear();
  return times_.emplace(std::move(key), time).first->second;
}

LoopTiming CompiledLoops::timing(const CompiledLoop& loop, const sass::Load& load) const {
  const auto of = [&](sass::Path path) { return path_time(loop.paths[path], load); };
  const PathTime body = of(sass::Path::body);
  const double to_first_store = of(sass::Path::to_first_store).cycles;
  return {.trip = body.cycles,
          .prologue = of(sass::Path::prologue).cycles,
          .epilogue = to_first_store,
          .stores = std::max(0.0, of(sass::Path::epilogue).cycles - to_first_store),
          .slots = body.slots};
}

}  // namespace rooftile
