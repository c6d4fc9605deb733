// Parts of the model that can be taken out, to see what each is good for: `rooftile validate
// --ablate`. A part is one thing that costs time on the machine; without it the machine does that
// for nothing, and all else stays as it is (but other instructions take register ports and branches
// of sass along). Most parts are numbers of the machine, which
// take_out() replaces by those of a machine where they cost nothing; the others are asked for in
// the few places that count them (Machine::without).
#pragma once

#include <bitset>
#include <cstddef>
#include <span>
#include <string_view>

namespace rooftile {

enum class Part : std::size_t {
  register_ports,
  arriving_words,
  memory_queue,
  instruction_fetch,
  other_instructions,
  lane_addresses,
  shared_latency,
  barriers,
  global_latency,
  l2_hits,
  l2_bandwidth,
  dram_bandwidth,
  epilogue,
  tail,
  launch,
  count
};
inline constexpr std::size_t part_count = static_cast<std::size_t>(Part::count);

/// A bit for each part.
class Parts {
 public:
  constexpr Parts() = default;
  Parts(Part part) { bits_.set(static_cast<std::size_t>(part)); }  // one part is a set of parts
  bool operator[](Part part) const { return bits_.test(static_cast<std::size_t>(part)); }

 private:
  std::bitset<part_count> bits_;
};

/// Stands for no part in tables and files.
inline constexpr std::string_view whole_model = "nothing";

struct PartInfo {
  Part part;
  std::string_view name;     ///< "register ports"
  std::string_view without;  ///< what is assumed where it is taken out
  bool in_closed_forms;      ///< analytic has it too; sass has all
};

/// All, in the order of `Part`.
std::span<const PartInfo> model_parts();

}  // namespace rooftile
