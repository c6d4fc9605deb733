// The analytic predictor: closed forms from description and profile, no simulation, no SASS.
//
//   T = launch + floor(T / (S b)) t(b, S) + t(ceil(r / S), min(r, S))
//
// with t(n, a) of block_time.hpp. Its terms come from switching costs on one after another: FMA,
// issue, shared path, L2, DRAM, latency, epilogue, tail, launch; each term is the difference that
// the cost makes, so they add up to the time.
#pragma once

#include "model/predict/predictor.hpp"

namespace rooftile {

std::unique_ptr<Predictor> make_analytic(const DeviceProfile& profile);

}  // namespace rooftile
