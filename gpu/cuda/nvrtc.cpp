// See nvrtc.hpp. The options are those that matter of the ahead-of-time build (rooftile_cuda.cmake,
// -O3 being the default of both), so that both give much the same code. Not quite:
// NVRTC 13.0 forms addresses in shared memory otherwise, and a few registers differ.
#include "gpu/cuda/nvrtc.hpp"

#include <fmt/format.h>
#include <nvrtc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <source_location>
#include <stdexcept>
#include <utility>
#include <vector>

#include "gpu/cuda/error.hpp"
#include "gpu/disassembler.hpp"
#include "model/error.hpp"
#include "model/record/json_reader.hpp"
#include "model/record/kernel_files.hpp"

namespace rooftile {

namespace {

void check(nvrtcResult status, std::string_view expression, std::string_view log = "",
           std::source_location where = std::source_location::current()) {
  if (status == NVRTC_SUCCESS) return;
  throw GpuError(expression, status, nvrtcGetErrorString(status), log, where);
}

/// Text that NVRTC hands out by a pair of functions, one for its size.
template <class Size, class Get>
std::string text_of(nvrtcProgram program, Size size, Get get) {
  std::size_t bytes = 0;
  check(size(program, &bytes), "size of what NVRTC made");
  std::string text(bytes, '\0');
  check(get(program, text.data()), "what NVRTC made");
  return text;
}

class Program {
 public:
  explicit Program(const ProgramSource& source) : kernel_(source.kernel) {
    std::vector<std::string> storage;  // NVRTC takes texts that end with 0
    std::vector<const char*> names, texts;
    storage.reserve(2 * source.files.size());
    for (const SourceFile& file : source.files) {
      names.push_back(storage.emplace_back(file.name).c_str());
      texts.push_back(storage.emplace_back(file.text).c_str());
    }
    check(nvrtcCreateProgram(&program_, source.text.c_str(), "kernel.cu",
                             static_cast<int>(names.size()), texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  CompiledProgram compile(const std::vector<std::string>& options) {
    check(nvrtcAddNameExpression(program_, kernel_.c_str()), "nvrtcAddNameExpression");
    std::vector<const char*> words;
    for (const std::string& option : options) words.push_back(option.c_str());
    const nvrtcResult result =
        nvrtcCompileProgram(program_, static_cast<int>(words.size()), words.data());
    if (result != NVRTC_SUCCESS) check(result, fmt::format("compiling {}", kernel_), log());
    const char* symbol = nullptr;  // the program's
    check(nvrtcGetLoweredName(program_, kernel_.c_str(), &symbol), "nvrtcGetLoweredName");
    return {text_of(program_, nvrtcGetCUBINSize, nvrtcGetCUBIN), symbol, ""};
  }

  std::string ptx() {
    check(nvrtcCompileProgram(program_, 0, nullptr), "compiling to PTX");
    return text_of(program_, nvrtcGetPTXSize, nvrtcGetPTX);
  }

 private:
  /// Without the 0 that its size counts, which would end the message of an error.
  std::string log() const {
    std::string text = text_of(program_, nvrtcGetProgramLogSize, nvrtcGetProgramLog);
    while (!text.empty() && (text.back() == '\0' || text.back() == '\n')) text.pop_back();
    return text;
  }

  std::string kernel_;
  nvrtcProgram program_ = nullptr;
};

/// What the head of PTX says of the compiler: "release 13.0, V13.0.88" and its build. Updates of
/// one release share nvrtcVersion(), not their code.
const std::string& compiler_build() {
  static const std::string head = [] {
    const std::string ptx = Program(ProgramSource{}).ptx();
    return ptx.substr(0, ptx.find("\n.version"));
  }();
  return head;
}

/// All that the machine code follows from, after the form of the entry.
std::string key_of(const ProgramSource& source, const std::vector<std::string>& options) {
  std::string key =
      fmt::format("symbol, kernel_id, cubin\n{}\n{}\n", compiler_build(), source.kernel);
  for (const std::string& option : options) key += option + "\n";
  key += source.text;
  for (const SourceFile& file : source.files) key += fmt::format("// {}\n{}", file.name, file.text);
  return key;
}

/// A file of its own for what a disassembler reads.
class TemporaryFile {
 public:
  // Once it delegated, the destructor runs whatever writing throws.
  explicit TemporaryFile(std::string_view content) : TemporaryFile() {
    write_text_file(path_, content);
  }
  ~TemporaryFile() { std::filesystem::remove(path_, ignored_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  TemporaryFile() {
    std::string name = (std::filesystem::temp_directory_path() / "rooftile-XXXXXX").string();
    const int file = mkstemp(name.data());
    if (file < 0) throw InputError(fmt::format("{}: cannot be made", name));
    close(file);
    path_ = name;
  }

  std::string path_;
  std::error_code ignored_;
};

/// A run names its kernel where no disassembler is, so the entry of the cache keeps the id. ""
/// where there is none that works, or no folder for what it reads: the kernel runs all the same.
std::string listed_id(const CompiledProgram& program) {
  if (find_cuobjdump().empty()) return "";
  try {
    return kernel_id_of(disassembly(program));
  } catch (const std::runtime_error&) {
    return "";
  }
}

std::string entry_of(const CompiledProgram& program) {
  return fmt::format("{}\n{}\n", program.symbol, program.kernel_id) + program.cubin;
}

/// nullopt where it is no such entry.
std::optional<CompiledProgram> program_of(std::string_view entry) {
  const auto symbol = entry.find('\n');
  if (symbol == std::string_view::npos) return std::nullopt;
  const auto id = entry.find('\n', symbol + 1);
  if (id == std::string_view::npos) return std::nullopt;
  return CompiledProgram{.cubin = std::string(entry.substr(id + 1)),
                         .symbol = std::string(entry.substr(0, symbol)),
                         .kernel_id = std::string(entry.substr(symbol + 1, id - symbol - 1)),
                         .kept = true};
}

std::optional<CompiledProgram> kept_program(const FileCache& cache, const std::string& key) {
  const auto entry = cache.find(key);
  auto program = entry ? program_of(*entry) : std::nullopt;
  if (!program || !program->kernel_id.empty()) return program;
  program->kernel_id = listed_id(*program);
  if (!program->kernel_id.empty()) cache.keep(key, entry_of(*program));
  return program;
}

}  // namespace

std::string disassembly(const CompiledProgram& program) {
  return disassemble(TemporaryFile(program.cubin).path());
}

std::string nvrtc_version() {
  int major = 0, minor = 0;
  check(nvrtcVersion(&major, &minor), "nvrtcVersion");
  return fmt::format("{}.{}", major, minor);
}

std::string nvrtc_architecture(int major, int minor) {
  int count = 0;
  check(nvrtcGetNumSupportedArchs(&count), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(count));
  check(nvrtcGetSupportedArchs(known.data()), "nvrtcGetSupportedArchs");
  int best = 0;
  for (const int architecture : known)
    if (architecture / 10 == major && architecture % 10 <= minor)
      best = std::max(best, architecture);
  if (best == 0)
    throw InputError(
        fmt::format("NVRTC {} cannot compile for compute capability {}.{}: install a CUDA Toolkit "
                    "that knows this GPU",
                    nvrtc_version(), major, minor));
  return fmt::format("sm_{}{}", best, best == 90 ? "a" : "");
}

CompiledProgram compile_program(const ProgramSource& source, const std::string& architecture,
                                const FileCache& cache) {
  const std::vector<std::string> options{"--std=c++20", "--gpu-architecture=" + architecture};
  const std::string key = key_of(source, options);
  if (auto found = kept_program(cache, key)) return *std::move(found);
  CompiledProgram program = Program(source).compile(options);
  program.kernel_id = listed_id(program);
  program.kept = cache.keep(key, entry_of(program));
  return program;
}

}  // namespace rooftile
