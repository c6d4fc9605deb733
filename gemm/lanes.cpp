// Lane positions; see device/place.cuh for the maps and why they matter.
#include "gemm/lanes.hpp"

namespace rooftile::gemm {

namespace {

Position z_order(const Tile& t, int thread) {
  const int warp = thread / 32, lane = thread % 32, lanes_n = t.WN / t.TN;
  const std::int64_t n = (lane & 1) | ((lane >> 2) & (lanes_n / 2 - 1)) << 1;
  const std::int64_t m = ((lane >> 1) & 1) | (lane / (2 * lanes_n)) << 1;
  const std::int64_t warp_m = warp / (t.BN / t.WN), warp_n = warp % (t.BN / t.WN);
  return {warp_m * t.WM + m * 4, warp_n * t.WN + n * 4};
}

}  // namespace

Position place_of(PlaceKind place, const Tile& t, int thread) {
  if (place == PlaceKind::z_order) return z_order(t, thread);
  const std::int64_t m = thread / (t.BN / t.TN), n = thread % (t.BN / t.TN);
  if (place == PlaceKind::split) return {m * 4, n * 4};
  return {m * t.TM, n * t.TN};
}

std::int64_t near_pitch(std::int64_t pitch) {
  constexpr std::int64_t far = std::int64_t{1} << 22;
  return pitch <= far ? pitch : far + pitch % 32;
}

}  // namespace rooftile::gemm
