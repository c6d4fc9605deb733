// Pitfall: cuobjdump -sass calls nvdisasm, which it looks for beside itself and on PATH; the two
// come in different packages, so a cuobjdump alone fails and the message must say so.
#include "gpu/disassembler.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "gpu/interrupt.hpp"
#include "gpu/program.hpp"
#include "model/error.hpp"

namespace rooftile {

namespace {

namespace fs = std::filesystem;

constexpr const char* variable = "ROOFTILE_CUOBJDUMP";

std::string environment_value(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

void add_wheel_folders(const fs::path& root, std::vector<std::string>& folders) {
  for (const char* below : {"nvidia/cu13/bin", "nvidia/cuda_cuobjdump/bin",
                            "disassembler/nvidia/cu13/bin", "cuda/nvidia/cu13/bin"}) {
    folders.push_back((root / below).string());
  }
}

std::string search_path() {
  std::vector<std::string> folders{environment_value("PATH")};
  for (const char* home : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const auto value = environment_value(home); !value.empty()) {
      folders.push_back(value + "/bin");
    }
  }
  folders.push_back("/usr/local/cuda/bin");
  fs::path root = executable_folder();
  folders.push_back(root.string());
  for (int level = 0; level <= 3 && !root.empty(); ++level, root = root.parent_path()) {
    add_wheel_folders(root, folders);
    if (root == root.parent_path()) break;
  }
  std::string path;
  for (const auto& folder : folders) {
    if (!folder.empty()) path += (path.empty() ? "" : ":") + folder;
  }
  return path;
}

[[noreturn]] void fail(const std::string& tool, const std::string& file,
                       const ProgramResult& result) {
  throw_if_interrupted();  // a terminal interrupts the tool too
  const bool without_nvdisasm = result.errors.find("nvdisasm") != std::string::npos;
  throw InputError(fmt::format(
      "{} -sass {} failed with exit code {}: {}{}", tool, file, result.exit_code, result.errors,
      without_nvdisasm ? "; nvdisasm must be beside cuobjdump or on PATH: " + disassembler_advice()
                       : ""));
}

}  // namespace

std::string find_cuobjdump() {
  if (const auto named = environment_value(variable); !named.empty()) {
    return find_program(fs::path(named).filename().string(),
                        fs::path(named).parent_path().string());
  }
  return find_program("cuobjdump", search_path());
}

std::string disassembler_advice() {
  return "install cuobjdump and nvdisasm (packages cuda-cuobjdump and cuda-nvdisasm of the CUDA "
         "toolkit, or pip install nvidia-cuda-cuobjdump nvidia-cuda-nvdisasm) and put them on "
         "PATH, "
         "or set ROOFTILE_CUOBJDUMP to cuobjdump's path";
}

std::string disassembler_version() {
  const std::string tool = find_cuobjdump();
  if (tool.empty()) return "";
  const std::string text = run_program({tool, "--version"}).output;
  const auto release = text.find("release ");
  return "cuobjdump" +
         (release == std::string::npos
              ? ""
              : " " + text.substr(release + 8, text.find(',', release) - release - 8));
}

std::string disassemble(const std::string& file) {
  if (!fs::exists(file)) throw InputError(fmt::format("no file '{}' to disassemble", file));
  const std::string tool = find_cuobjdump();
  if (tool.empty()) {
    const auto named = environment_value(variable);
    throw InputError(
        named.empty() ? "no disassembler: " + disassembler_advice()
                      : fmt::format("ROOFTILE_CUOBJDUMP is '{}', which is no executable file: {}",
                                    named, disassembler_advice()));
  }
  const ProgramResult result = run_program({tool, "-sass", "-res-usage", file});
  if (result.exit_code != 0) fail(tool, file, result);
  if (result.output.find("Function :") == std::string::npos) {
    throw InputError(fmt::format("'{}' holds no SASS: it is not CUDA code, or PTX only", file));
  }
  return result.output;
}

}  // namespace rooftile
