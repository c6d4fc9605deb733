// Operand ports: the register-bank reads of each instruction and the stalls that they cost.
//
// The register file has `banks` banks (register number modulo banks), each delivers one register a
// cycle. A source needs no read where the instruction before, of the same warp, read the same
// register in the same slot and marked it .reuse, nor where the instruction names it twice. A bank
// may lag the issue by a window of W cycles; beyond that the next instruction waits. Banks and W
// are measured (micro/register_ports.cu: 2 banks, W = 1 on an H200). The build holds its own loops
// against the same rule in scripts/check_sass.py; both give the same figure for arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/sass/main_loop.hpp"

namespace rooftile::sass {

inline constexpr int most_banks = 4;

/// Reads of each bank by one instruction.
struct PortReads {
  std::array<std::uint8_t, most_banks> after_own{};    ///< behind the warp's instruction before
  std::array<std::uint8_t, most_banks> after_other{};  ///< behind another warp's: nothing reused
};

/// Of each instruction of `path`, which is run through again and again where `cyclic`.
std::vector<PortReads> port_reads(const Kernel& kernel, const std::vector<std::size_t>& path,
                                  int banks, bool cyclic);

/// The banks of one sub-core over time.
class Ports {
 public:
  Ports(int banks, double window_cycles) : banks_(banks), window_(window_cycles) {}
  /// Cycles that the next issue is put off by these reads of an instruction that issues at `now`.
  double stall(const std::array<std::uint8_t, most_banks>& reads, double now);
  /// Cycles after `now` at which bank `bank` is free.
  double lag(int bank, double now) const { return free_[static_cast<std::size_t>(bank)] - now; }

 private:
  int banks_;
  double window_;
  std::array<double, most_banks> free_{};
};

/// Issue cycles of the loop without port stalls over those with, one warp alone, second trip.
double port_ratio(const std::vector<PortReads>& reads, int banks, double window_cycles);

}  // namespace rooftile::sass
