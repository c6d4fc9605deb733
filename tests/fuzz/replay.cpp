// The driver of a fuzz target where libFuzzer is not: every file of the corpus as it is, cut at
// many places, and damaged in ways drawn from a fixed seed. Whatever escapes the target (a signal,
// an exception, a sanitizer's finding) ends the test, and the input lies in the working directory.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz.hpp"

namespace {

using Bytes = std::vector<std::uint8_t>;

// Of all files together, so that a large corpus takes no longer than a small one.
constexpr std::size_t damaged_copies = 2000;
constexpr std::size_t cut_places = 500;

Bytes read(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Written first, so that it is still there when the target ends the process.
void run(const Bytes& input, const char* last_input) {
  std::ofstream(last_input, std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()),
             static_cast<std::streamsize>(input.size()));
  // A copy of exactly this size: AddressSanitizer sees a read past its end.
  const Bytes exact(input.begin(), input.end());
  LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

class Damage {
 public:
  explicit Damage(std::uint32_t seed) : engine_(seed) {}

  void apply(Bytes& bytes) {
    for (int times = 1 + below(3); times > 0; --times) once(bytes);
  }

 private:
  int below(std::size_t limit) {
    return static_cast<int>(std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_));
  }

  void once(Bytes& bytes) {
    static constexpr std::string_view pieces[] = {
        "0",    "-1", "1e999", "null", "[]", "{}", "\"",  "\\",         ",",     "\n",
        "\xff", "%",  "*",     "(",    "=",  "x",  "NaN", "2147483648", "[P0] ", "/*"};
    if (bytes.empty()) bytes.push_back('1');
    const int from = below(bytes.size());
    const auto place = bytes.begin() + from;
    const auto end = place + std::min<int>(1 + below(16), static_cast<int>(bytes.size()) - from);
    switch (below(4)) {
      case 0:
        *place = static_cast<std::uint8_t>(below(256));
        break;
      case 1:
        bytes.erase(place, end);
        break;
      case 2: {
        const Bytes copy(place, end);
        bytes.insert(bytes.begin() + below(bytes.size()), copy.begin(), copy.end());
        break;
      }
      default: {
        const std::string_view piece = pieces[below(std::size(pieces))];
        bytes.insert(place, piece.begin(), piece.end());
      }
    }
  }

  std::mt19937 engine_;
};

std::vector<Bytes> files_of(const std::filesystem::path& corpus) {
  std::vector<Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(corpus))
    if (entry.is_regular_file()) files.push_back(read(entry.path()));
  return files;
}

int replay(const std::filesystem::path& corpus, const char* last_input) {
  const std::vector<Bytes> files = files_of(corpus);
  std::size_t inputs = 0;
  for (const Bytes& whole : files) {
    run(whole, last_input);
    const std::size_t step = whole.size() * files.size() / cut_places + 1;
    for (std::size_t size = 0; size < whole.size(); size += step, ++inputs)
      run(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), last_input);
    Damage damage(static_cast<std::uint32_t>(whole.size()));
    for (std::size_t copy = 0; copy < damaged_copies / files.size() + 1; ++copy, ++inputs) {
      Bytes damaged = whole;
      damage.apply(damaged);
      run(damaged, last_input);
    }
  }
  std::printf("%zu files, %zu inputs\n", files.size(), files.size() + inputs);
  return files.empty() ? 1 : 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s CORPUS LAST_INPUT\n", argv[0]);
    return 2;
  }
  try {
    const int code = replay(argv[1], argv[2]);
    std::filesystem::remove(argv[2]);
    return code;
  } catch (const std::exception& escaped) {
    std::fprintf(stderr, "%s: %s\n", argv[2], escaped.what());
    return 1;
  }
}
