#include "model/sass/ports.hpp"

#include <algorithm>

namespace rooftile::sass {

PortReads port_reads(const Instruction& instruction, int banks) {
  banks = std::clamp(banks, 1, static_cast<int>(most_banks));
  PortReads result;
  for (const Registers& source : instruction.reads) {
    if (source.slot < 0) continue;
    for (int r = source.first; r < source.first + std::min(source.count, 2); ++r) {
      if (result.count == result.reads.size()) return result;
      const auto before = result.reads.begin() + static_cast<std::ptrdiff_t>(result.count);
      const bool repeated = std::any_of(result.reads.begin(), before,
                                        [r](const PortRead& read) { return read.reg == r; });
      result.reads[result.count++] = {static_cast<std::int16_t>(r),
                                      static_cast<std::uint8_t>(source.slot),
                                      static_cast<std::uint8_t>(r % banks), source.reuse, repeated};
    }
  }
  return result;
}

double Ports::stall(const PortReads& reads, std::size_t warp, double now) {
  for (std::size_t at = 0; at < reads.count; ++at) {
    const PortRead& read = reads.reads[at];
    std::uint64_t& held = held_[read.slot][read.bank];
    const std::uint64_t wanted = register_of(warp, read.reg);
    if (!read.repeated && held != wanted) {
      free_[read.bank] = std::max(free_[read.bank], now) + 1;
      latest_ = std::max(latest_, free_[read.bank]);
    }
    held = read.keep ? wanted : nothing;
  }
  return std::max(0.0, latest_ - (now + 1) - window_);
}

double port_ratio(const Kernel& kernel, const std::vector<std::size_t>& path, int banks,
                  double window_cycles) {
  if (path.empty()) return 1;
  Ports ports(window_cycles);
  double now = 0, start = 0;
  for (int trip = 0; trip < 2; ++trip) {
    start = now;
    for (const std::size_t at : path) {
      now += 1 + ports.stall(port_reads(kernel.instructions[at], banks), 0, now);
    }
  }
  return static_cast<double>(path.size()) / (now - start);
}

}  // namespace rooftile::sass
