// Row and column rasters have a closed form. The others are walked band by band: the waves that lie
// whole inside a band are summed in closed form, one that crosses into the next is looked at alone.
// The walk repeats as soon as a wave starts with a band again (zigzag: with an even one), so that
// one period of it stands for all, up to the last band, whose height and last row are its own.
#include "model/schedule/wave_touches.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "model/schedule/raster.hpp"

namespace rooftile {
namespace {

/// Row raster, R rows of C blocks, T = R C, W waves of S. A row is touched by one wave, and by one
/// more for each start k S of a wave inside it, i.e. not a multiple of C. A wave shorter than a row
/// has no column twice, a longer one has all.
WaveTouches touches_by_rows(std::int64_t R, std::int64_t C, std::int64_t S) {
  const std::int64_t T = R * C, W = (T + S - 1) / S, last = T - (W - 1) * S;
  WaveTouches t;
  t.waves = W;
  t.rows = R + (W - 1) - (W - 1) / (C / std::gcd(S, C));
  t.columns = (W - 1) * std::min(C, S) + std::min(C, last);
  t.last_rows = W - (T - C) / S;
  t.last_columns = S >= C ? W : R;
  return t;
}

/// The x in [0, m) with a x = 1 (mod m); a and m have no common factor. By Euclid.
std::int64_t inverse(std::int64_t a, std::int64_t m) {
  std::int64_t r0 = m, r1 = a % m, x0 = 0, x1 = 1;
  while (r1 > 0) {
    const std::int64_t q = r0 / r1;
    r0 = std::exchange(r1, r0 - q * r1);
    x0 = std::exchange(x1, x0 - q * x1);
  }
  return (x0 % m + m) % m;
}

/// How many of the numbers start + k step, 0 < k < n, are multiples of m.
std::int64_t multiples_among(std::int64_t start, std::int64_t step, std::int64_t m,
                             std::int64_t n) {
  const std::int64_t common = std::gcd(step, m), period = m / common;
  if (start % common != 0) return 0;
  const std::int64_t wanted = (period - start / common % period) % period;
  const std::int64_t k = wanted * inverse(step / common, period) % period;
  const std::int64_t first = k == 0 ? period : k;
  return first >= n ? 0 : 1 + (n - 1 - first) / period;
}

class Walk {
 public:
  Walk(Raster raster, int group, const BlockGrid& grid, std::int64_t slots)
      : raster_(raster),
        group_(group),
        grid_(grid),
        S_(slots),
        height_(raster == Raster::swizzle ? std::clamp<std::int64_t>(group, 1, grid.rows) : 1) {}

  WaveTouches all() const {
    const std::int64_t band = height_ * grid_.columns;
    const std::int64_t before_last = (grid_.rows - 1) / height_ * band;
    const std::int64_t repeat = raster_ == Raster::zigzag ? 2 * band : band;
    const std::int64_t waves = repeat / std::gcd(S_, repeat);  // of a period
    const std::int64_t periods = before_last / S_ / waves;
    WaveTouches t;
    if (periods > 0) {
      t = range(0, waves * S_);
      for (std::int64_t* sum : {&t.rows, &t.columns, &t.last_rows, &t.last_columns, &t.waves})
        *sum *= periods;
    }
    return plus(t, range(periods * waves * S_, grid_.blocks()));
  }

 private:
  static WaveTouches plus(const WaveTouches& a, const WaveTouches& b) {
    return {a.rows + b.rows, a.columns + b.columns, a.last_rows + b.last_rows,
            a.last_columns + b.last_columns, a.waves + b.waves};
  }

  /// The waves that start in [begin, end); `begin` is the start of one.
  WaveTouches range(std::int64_t begin, std::int64_t end) const {
    WaveTouches t;
    for (std::int64_t at = begin; at < end;) {
      const std::int64_t band = at / (height_ * grid_.columns);
      const std::int64_t band_end = std::min(grid_.blocks(), (band + 1) * height_ * grid_.columns);
      const std::int64_t inside = (std::min(band_end, end) - at) / S_;
      t = plus(t, inside > 0 ? waves_inside(band, at, inside) : one_wave(at));
      at += std::max<std::int64_t>(1, inside) * S_;
    }
    return t;
  }

  WaveTouches one_wave(std::int64_t first) const {
    const PanelCount p = touched_panels(raster_, group_, grid_, first, S_);
    return {p.rows, p.columns, p.has_last_row, p.has_last_column, 1};
  }

  /// `n` whole waves from block `first` on, all inside band `band`.
  WaveTouches waves_inside(std::int64_t band, std::int64_t first, std::int64_t n) const {
    const std::int64_t top = band * height_, h = std::min(height_, grid_.rows - top);
    const std::int64_t begin = first - top * grid_.columns, end = begin + n * S_;
    WaveTouches t;
    t.waves = n;
    t.rows = n * std::min(h, S_);
    // A wave has one column, and one more for each that starts inside it.
    t.columns = n + (end - 1) / h - begin / h - multiples_among(begin, S_, h, n);
    // A wave reaches the bottom when it ends a column.
    if (top + h == grid_.rows) t.last_rows = S_ > h ? n : end / h - begin / h;
    const std::int64_t last_column = h * (grid_.columns - 1);  // where it starts
    if (raster_ == Raster::zigzag && band % 2 == 1)
      t.last_columns = begin == 0 ? 1 : 0;
    else
      t.last_columns = n - std::clamp<std::int64_t>((last_column - begin) / S_, 0, n);
    return t;
  }

  Raster raster_;
  int group_;
  BlockGrid grid_;
  std::int64_t S_, height_;
};

}  // namespace

WaveTouches touched_by_waves(Raster raster, int group, const BlockGrid& grid, std::int64_t slots) {
  if (raster == Raster::row) return touches_by_rows(grid.rows, grid.columns, slots);
  if (raster != Raster::column) return Walk(raster, group, grid, slots).all();
  WaveTouches t = touches_by_rows(grid.columns, grid.rows, slots);
  std::swap(t.rows, t.columns);
  std::swap(t.last_rows, t.last_columns);
  return t;
}

}  // namespace rooftile
