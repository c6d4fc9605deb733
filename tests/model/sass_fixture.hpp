// Disassemblies for the tests of model/sass: recorded ones of this project's kernels, and snippets
// with encodings made here.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "model/record/gzip.hpp"
#include "model/record/kernel_files.hpp"
#include "model/sass/schedule.hpp"

namespace rooftile::sass::test {

/// Text of tests/model/sass/<name>.sass.gz.
inline std::string recorded_text(const std::string& name) {
  const std::string path =
      std::string(ROOFTILE_SOURCE_DIR) + "/tests/model/sass/" + name + ".sass.gz";
  std::ifstream file(path, std::ios::binary);
  return gunzip(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

/// A kernel of data/h200/kernels.
struct Recorded {
  KernelRecord record;
  Kernel kernel;
};

/// All of them, each piece of code once.
inline const std::vector<Recorded>& recorded_kernels() {
  static const std::vector<Recorded> all = [] {
    const std::string folder = std::string(ROOFTILE_SOURCE_DIR) + "/data/h200/kernels";
    const auto source = open_kernel_folder(folder);
    std::vector<Recorded> result;
    for (const KernelRecord& record : KernelIndex::load(folder + "/index.json").kernels) {
      const bool known = std::any_of(result.begin(), result.end(), [&](const Recorded& r) {
        return r.record.kernel_id == record.kernel_id;
      });
      if (!known)
        result.push_back({record, parse(source->listing(record.kernel_id).value()).front()});
    }
    return result;
  }();
  return all;
}
/// One line of a snippet: the instruction without semicolon and its control fields.
struct Coded {
  std::string text;
  int stall = 1;
  int write = 7, read = 7;
  unsigned wait = 0;
  bool yield = false;
};

inline std::uint64_t upper_half(const Coded& line) {
  return static_cast<std::uint64_t>(line.stall) << 41 |
         static_cast<std::uint64_t>(line.yield ? 0 : 1) << 45 |
         static_cast<std::uint64_t>(line.write) << 46 |
         static_cast<std::uint64_t>(line.read) << 49 | static_cast<std::uint64_t>(line.wait) << 52;
}

/// The lines as one kernel, as cuobjdump prints it.
inline std::string snippet(const std::vector<Coded>& lines) {
  std::string text = "arch = sm_90a\n\t\tFunction : snippet\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    text += fmt::format("        /*{:04x}*/   {} ;   /* 0x0000000000007223 */\n", 16 * i,
                        lines[i].text);
    text += fmt::format("                    /* 0x{:016x} */\n", upper_half(lines[i]));
  }
  return text;
}

/// The lines in a loop: a branch to the first one with a stall count of 5 is added.
inline Kernel loop_of(std::vector<Coded> lines) {
  lines.push_back({.text = "@P0 BRA 0x0", .stall = 5});
  return parse(snippet(lines)).front();
}

/// A machine on which a taken branch costs its stall count only and loads take no issue slot.
inline Machine plain_machine() {
  Machine machine;
  machine.branch_cycles = 0;
  machine.lds_stolen_cycles = {0, 0, 0};
  machine.lds_merged_stolen_cycles = 0;
  machine.block_offset_cycles = 0;
  machine.copy_cycles = {};
  return machine;
}

inline Schedule run(const Kernel& kernel, const Machine& machine, const Load& load) {
  return schedule(kernel, find_main_loop(kernel), machine, load);
}

}  // namespace rooftile::sass::test
