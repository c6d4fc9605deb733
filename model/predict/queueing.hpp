// A closed queueing network: N customers cycle over stations that serve one at a time and a delay
// that serves all at once. Mean value analysis (Reiser & Lavenberg 1980):
//
//   R_i(k) = D_i (1 + Q_i(k-1) - U_i(k-1) / 2),  X(k) = k / (Z + sum R_i(k)),  Q_i(k) = X(k) R_i(k)
//
// The term U/2 is Reiser's correction (1979) for a service time that does not vary: an arrival
// finds the customer in service half done on average; without it (exponential service) the knee is
// rounder; both are approximations between exponential and constant. Iterations of a GEMM loop all
// execute the same instructions, so their service times are constant: no parameter is left to
// choose. X never exceeds 1 / max D.
#pragma once

#include <span>

namespace rooftile {

/// Customers leaving per unit time with `customers` >= 1 in the network; demands and delay in the
/// same unit of time, not negative. At most 8 stations. Infinity when nothing takes time.
double network_throughput(int customers, std::span<const double> demands, double delay);

}  // namespace rooftile
