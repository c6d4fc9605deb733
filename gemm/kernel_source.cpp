// See kernel_source.hpp. Includes are found by their lines: `#include "..."` at the start of one,
// with the path from the root, as everywhere in the project.
#include "gemm/kernel_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace rooftile::gemm {

namespace {

const SourceFile& embedded_file(std::string_view name) {
  const auto files = embedded_files();
  const auto found = std::find_if(files.begin(), files.end(),
                                  [name](const SourceFile& file) { return file.name == name; });
  if (found == files.end())
    throw std::logic_error(fmt::format("{} is not among the embedded sources", name));
  return *found;
}

/// `name` and all that it includes, each once.
void add_with_includes(std::string_view name, std::vector<SourceFile>& files) {
  constexpr std::string_view include = "\n#include \"";
  if (std::any_of(files.begin(), files.end(),
                  [name](const SourceFile& file) { return file.name == name; }))
    return;
  const SourceFile& file = embedded_file(name);
  files.push_back(file);
  for (auto at = file.text.find(include); at != std::string_view::npos;
       at = file.text.find(include, at + 1)) {
    const std::string_view rest = file.text.substr(at + include.size());
    add_with_includes(rest.substr(0, rest.find('"')), files);
  }
}

}  // namespace

ProgramSource kernel_source(std::string_view variant, const Tile& tile, const KernelPath& path) {
  const std::string file = fmt::format("gemm/variants/{}.cuh", variant);
  ProgramSource source{.text = fmt::format("#include \"{}\"\n", file)};
  add_with_includes(file, source.files);
  source.kernel = fmt::format("rooftile::gemm::{}::kernel<{}, {}, {}, {}, {}, {}, {}, {}, {}, {}>",
                              variant, tile.BM, tile.BN, tile.BK, tile.TM, tile.TN, tile.WM,
                              tile.WN, tile.stages, path.guarded, transposed_operands(path));
  return source;
}

}  // namespace rooftile::gemm
