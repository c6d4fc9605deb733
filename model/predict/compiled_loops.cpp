#include "model/predict/compiled_loops.hpp"

#include <fmt/core.h>

#include "model/error.hpp"

namespace rooftile {
namespace {

std::string name_of(const KernelDescription& kernel, const KernelPath& path) {
  return fmt::format("{} {} ({})", kernel.variant, tile_name(compiled_tile(kernel.tile)),
                     path_name(path));
}

/// Everything that a timing depends on beside the code.
std::vector<double> key_of(const sass::Load& load) {
  std::vector<double> key = {static_cast<double>(load.warps_per_block),
                             static_cast<double>(load.blocks_per_sm), load.global_latency_cycles,
                             load.global_bytes_per_cycle};
  for (const sass::ByWidth* widths :
       {&load.lds_wavefronts, &load.sts_wavefronts, &load.global_wavefronts})
    key.insert(key.end(), widths->begin(), widths->end());
  return key;
}

}  // namespace

void CompiledLoops::identify(KernelDescription& kernel, const GemmProblem& problem) const {
  if (!kernel.kernel_id.empty()) return;
  const KernelPath path = kernel_path(kernel, problem);
  const KernelRecord* record =
      kernels_ ? kernels_->find(kernel.variant, kernel.tile, path) : nullptr;
  if (record == nullptr)
    throw NoSass(
        fmt::format("no SASS of {}: it is not among the listed kernels", name_of(kernel, path)));
  const KernelResources &is = kernel.resources, &listed = record->resources;
  const bool same = is.registers_per_thread == listed.registers_per_thread &&
                    is.static_shared_bytes == listed.static_shared_bytes;
  if (is.compiled && !same)
    throw NoSass(
        fmt::format("no SASS of {}: the measured kernel has {} registers and {} bytes of "
                    "shared memory, the "
                    "listed one {} and {}",
                    name_of(kernel, path), is.registers_per_thread, is.static_shared_bytes,
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
  if (found.census.ffma == 0)
    throw InputError(fmt::format("kernel {} of {}: its main loop has no FFMA", id, kernel.variant));
  return loops_.emplace(key, std::move(found)).first->second;
}

LoopTiming CompiledLoops::timing(const CompiledLoop& loop, const sass::Load& load) const {
  const std::vector<double> key = key_of(load);
  {
    const std::lock_guard lock(mutex_);
    const auto& known = timings_[key];
    if (const auto found = known.find(&loop); found != known.end()) return found->second;
  }
  const sass::Schedule s = sass::schedule(loop.kernel, loop.loop, machine_, load);
  const LoopTiming timing{.trip = s.cycles_per_iteration,
                          .prologue = s.prologue_cycles,
                          .epilogue = s.tail_cycles,
                          .stores = s.stores_cycles,
                          .slots = s.slot_cycles};
  const std::lock_guard lock(mutex_);
  return timings_[key].emplace(&loop, timing).first->second;
}

}  // namespace rooftile
