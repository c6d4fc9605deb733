// A kernel as a compiler at run time takes it: text, with all that it includes. Plain C++, so that
// sources are put together and tested without a toolkit.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooftile {

/// What `#include "name"` finds. Views of text that is compiled in.
struct SourceFile {
  std::string_view name, text;
};

struct ProgramSource {
  std::string text;
  std::vector<SourceFile> files{};
  std::string kernel{};  ///< its name in C++: "rooftile::gemm::naive::kernel<32, 32, ...>"
};

}  // namespace rooftile
