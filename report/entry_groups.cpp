// First words of ids and the group that each belongs to.
#include "report/entry_groups.hpp"

#include <array>
#include <string_view>

namespace rooftile::report {
namespace {

struct Group {
  std::string_view word, title;
};

constexpr std::string_view device = "Device limits", clock = "Clocks and power",
                           issue = "Registers and issue", shared = "Shared memory",
                           memory = "Caches and memory", movement = "Asynchronous copies",
                           sync = "Synchronization and launch", tensor = "Tensor cores",
                           check = "Cross-checks";

constexpr std::array groups = {
    Group{"device", device},
    Group{"clock", clock},
    Group{"ffma", issue},
    Group{"register", issue},
    Group{"outer_product", issue},
    Group{"instruction", issue},
    Group{"instruction_cache", issue},
    Group{"smem", shared},
    Group{"l1", memory},
    Group{"l2", memory},
    Group{"dram", memory},
    Group{"memory", memory},
    Group{"global_store", memory},
    Group{"load_burst", memory},
    Group{"tlb", memory},
    Group{"async_copy", movement},
    Group{"bulk_copy", movement},
    Group{"tma_tile", movement},
    Group{"mbarrier", sync},
    Group{"barrier", sync},
    Group{"cluster", sync},
    Group{"grid_sync", sync},
    Group{"atomics", sync},
    Group{"launch", sync},
    Group{"blocks_per_sm", sync},
    Group{"block_order", sync},
    Group{"persistent_step", sync},
    Group{"mma", tensor},
    Group{"wgmma", tensor},
    Group{"crosscheck", check},
};

}  // namespace

std::string entry_group(const std::string& id) {
  const std::string_view word = std::string_view(id).substr(0, id.find('.'));
  for (const Group& group : groups)
    if (group.word == word) return std::string(group.title);
  return "Other";
}

std::vector<std::string> entry_group_titles() {
  std::vector<std::string> titles;
  for (const std::string_view title :
       {device, clock, issue, shared, memory, movement, sync, tensor, check})
    titles.emplace_back(title);
  titles.emplace_back("Other");
  return titles;
}

}  // namespace rooftile::report
