// Operand ports: the register-bank reads of each instruction and the stalls that they cost.
//
// The register file has `banks` banks (register number modulo banks), each delivers one register a
// cycle. The reuse cache has a place for each operand slot and bank: a source marked .reuse stays
// there until an arithmetic instruction, of whichever warp, reads another register of that bank
// through that slot, and until then the same warp reads it for nothing. A register that an
// instruction names twice is read once. A bank may lag the issue by a window of W cycles; beyond
// that the next instruction of the sub-core waits. Banks and W are measured
// (micro/register_ports.cu: 2 banks, W = 1 on an H200), the places for each bank are what explains
// outer products (micro/outer_product.cu; tests/model/sass_ports_test.cpp): with one place for each
// slot 2x2 orders come out up to 5 % too slow, and ptxas would mark registers in vain.
//
// Pitfall: 4x4 outer products, whose accumulators come back after 16 instructions, are predicted up
// to 6 % too fast in three of five orders; why is not known. scripts/check_sass.py holds the
// build's loops against the same rule.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/sass/main_loop.hpp"

namespace rooftile::sass {

inline constexpr std::size_t port_slots = 3, most_banks = 4;

/// One register that an instruction reads through a port.
struct PortRead {
  std::int16_t reg = 0;
  std::uint8_t slot = 0;
  std::uint8_t bank = 0;
  bool keep = false;      ///< marked .reuse
  bool repeated = false;  ///< the instruction has read this register before
};

/// All of them; of pairs both registers. At most two for each slot.
struct PortReads {
  std::array<PortRead, 2 * port_slots> reads{};
  std::size_t count = 0;
};

/// `banks` from 1 to most_banks.
PortReads port_reads(const Instruction& instruction, int banks);

/// The banks and the reuse cache of one sub-core over time.
class Ports {
 public:
  explicit Ports(double window_cycles) : window_(window_cycles) {}
  /// Cycles by which the reads of an instruction that issues at `now` put off the next issue.
  double stall(const PortReads& reads, std::size_t warp, double now);

 private:
  /// A warp's register as one number, which is not `nothing`.
  static std::uint64_t register_of(std::size_t warp, std::int16_t reg) {
    return (std::uint64_t{warp} << 16U | static_cast<std::uint16_t>(reg)) + 1;
  }
  static constexpr std::uint64_t nothing = 0;

  double window_;
  std::array<double, most_banks> free_{};
  double latest_ = 0;  ///< of free_, which only grow
  std::array<std::array<std::uint64_t, most_banks>, port_slots> held_{};
};

/// Issue cycles of the path without port stalls over those with, for one warp alone on its second
/// trip: 1 where no read ever waits.
double port_ratio(const Kernel& kernel, const std::vector<std::size_t>& path, int banks,
                  double window_cycles);

}  // namespace rooftile::sass
