// Work of independent pieces on every core of the host.
#pragma once

#include <cstddef>
#include <functional>

namespace rooftile {

/// Calls work(i) once for each i below `count`, in no order, from as many threads as there are
/// cores. Where one throws, or a signal arrives (gpu/interrupt.hpp), no further piece is begun;
/// when those begun are done the first exception, or Interrupted, is thrown.
void on_every_core(std::size_t count, const std::function<void(std::size_t)>& work);

}  // namespace rooftile
