// Which tiles a tiled kernel can be built for, and why not the others.
#include <algorithm>

#include "gemm/tiled_kernel.hpp"

namespace rooftile::gemm {

namespace {

constexpr int most_copied_stages = 5;

std::optional<std::string> no(const std::string& reason) { return reason; }
std::string number(int value) { return std::to_string(value); }

std::optional<std::string> illegal_launch(const TiledTraits& traits, const Tile& t) {
  const bool splits = traits.sums != PartialSums::none;
  if (!splits && t.split_k != 1) return no("split_k is not implemented by this variant");
  if (splits && t.split_k < 1) return no("split_k must be at least 1");
  if (t.raster != traits.raster)
    return no("only the " + std::string(to_string(traits.raster)) + " raster is implemented");
  if (traits.raster != Raster::swizzle && t.raster_group != 1)
    return no("raster_group must be 1: only the swizzle raster has groups");
  return std::nullopt;
}

std::optional<std::string> illegal_stages(const TiledTraits& traits, const Tile& t) {
  if (traits.copied) {
    if (t.stages >= 2 && t.stages <= most_copied_stages) return std::nullopt;
    return no("stages must be from 2 to " + number(most_copied_stages) + ": buffers in the ring");
  }
  const int buffers = traits.slices_ahead ? 2 : 1;
  if (t.stages == buffers) return std::nullopt;
  return no("stages must be " + number(buffers) + ": the number of buffers");
}

std::optional<std::string> illegal_levels(const TiledTraits& traits, const Tile& t) {
  if (std::min({t.BM, t.BN, t.BK, t.TM, t.TN}) < 1) return no("sizes must be at least 1");
  if (t.BM % t.TM != 0 || t.BN % t.TN != 0) return no("the thread tile must divide the block tile");
  if (std::max(t.TM, t.TN) > traits.max_thread_tile)
    return no("TM and TN must be at most " + number(traits.max_thread_tile));
  if (t.TM % traits.vector_width != 0 || t.TN % traits.vector_width != 0)
    return no("TM and TN must be multiples of " + number(traits.vector_width));
  if (traits.fragments_ahead && t.BK % 2 != 0) return no("BK must be even: fragments alternate");
  return std::nullopt;
}

std::optional<std::string> illegal_threads(const Tile& t) {
  if (t.threads() < 32 || t.threads() > 1024 || t.threads() % 32 != 0)
    return no(number(t.threads()) + " threads a block; must be a multiple of 32 up to 1024");
  return std::nullopt;
}

std::optional<std::string> illegal_warps(const TiledTraits& traits, const Tile& t) {
  if (traits.place != PlaceKind::z_order)
    return t.WM == 0 && t.WN == 0 ? std::nullopt : no("WM and WN must be 0: no warp tile here");
  if (t.WM < 1 || t.WN < 1) return no("WM and WN must be given");
  if (t.WM % t.TM != 0 || t.WN % t.TN != 0) return no("the thread tile must divide the warp tile");
  const int m = t.WM / t.TM, n = t.WN / t.TN;
  if (m * n != 32 || m < 2 || n < 2)
    return no("a warp tile holds " + number(m) + "x" + number(n) +
              " threads; it must be 32, at least 2 each way");
  if (t.BM % t.WM != 0 || t.BN % t.WN != 0) return no("the warp tile must divide the block tile");
  return std::nullopt;
}

std::optional<std::string> illegal_swizzle(const TiledTraits& traits, const Tile& t) {
  if (!traits.a_swizzled) return std::nullopt;
  if (t.BM % 32 != 0 || t.BM / (t.TM / 4) % 32 != 0)
    return no("the swizzle permutes 32 columns: BM and BM / (TM / 4) must be multiples of 32");
  return std::nullopt;
}

std::optional<std::string> illegal_staging(const TiledTraits& traits, const Tile& t) {
  for (const int width : {traits.vector_width, 1})
    for (const StagingShape& s : {StagingShape{t.BM, t.BK, t.threads(), width},
                                  StagingShape{t.BK, t.BN, t.threads(), width}})
      if (s.columns % width != 0 || s.threads < s.lanes() || !s.possible())
        return no(number(s.threads) + " threads cannot load a " + number(s.rows) + "x" +
                  number(s.columns) + " slice evenly, " + number(width) + " floats each");
  return std::nullopt;
}

std::optional<std::string> illegal_resources(const TiledTraits& traits, const Tile& t) {
  const GemmProblem whole = make_problem(t.BM, t.BN, t.BK);
  const int bytes = TiledKernel(traits, t, whole).shared_bytes();
  if (bytes > 48 * 1024)
    return no("needs " + number(bytes) + " bytes of shared memory; a static array may have 49152");
  const int need = register_need(traits, t), cap = register_cap(traits, t);
  if (need > cap)
    return no("needs about " + number(need) + " registers a thread, but " + number(t.threads()) +
              " threads leave " + number(cap) + ": it would spill");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> illegal_tiled(const TiledTraits& traits, const Tile& t) {
  if (auto reason = illegal_launch(traits, t)) return reason;
  if (auto reason = illegal_stages(traits, t)) return reason;
  if (auto reason = illegal_levels(traits, t)) return reason;
  if (auto reason = illegal_threads(t)) return reason;
  if (auto reason = illegal_warps(traits, t)) return reason;
  if (auto reason = illegal_staging(traits, t)) return reason;
  if (auto reason = illegal_swizzle(traits, t)) return reason;
  return illegal_resources(traits, t);
}

}  // namespace rooftile::gemm
