// An entry is a line "rooftile-cache 1 <hash of the rest>", the key's length on a line, the key,
// the value. The key is kept whole and compared, so that two keys of one hash (FNV-1a, 64 bits) are
// at worst recomputed each time, never confused; the hash in the first line tells damage.
#include "gpu/file_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "model/record/json_reader.hpp"

namespace rooftile {

namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return hash;
}

std::string head_of(std::string_view rest) {
  return fmt::format("rooftile-cache 1 {:016x}\n", fnv1a(rest));
}

/// What stands before the value.
std::string start_of(std::string_view key) { return fmt::format("{}\n{}", key.size(), key); }

}  // namespace

std::string cache_folder() {
  if (const char* own = std::getenv("ROOFTILE_CACHE_DIR")) return own;
  const auto below = [](const char* variable, const char* folder) -> std::string {
    const char* root = std::getenv(variable);
    // The XDG specification: a relative path is to be ignored.
    return root == nullptr || *root != '/' ? "" : std::string(root) + folder;
  };
  const std::string shared = below("XDG_CACHE_HOME", "/rooftile");
  return shared.empty() ? below("HOME", "/.cache/rooftile") : shared;
}

std::string FileCache::path_of(std::string_view key) const {
  return fmt::format("{}/{:016x}", folder_, fnv1a(key));
}

std::optional<std::string> FileCache::find(std::string_view key) const {
  if (folder_.empty()) return std::nullopt;
  std::string entry;
  try {
    entry = read_text_file(path_of(key));
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
  const std::string_view all = entry;
  const std::size_t head = std::min(all.size(), head_of("").size());
  const std::string_view rest = all.substr(head);
  const std::string start = start_of(key);
  if (all.substr(0, head) != head_of(rest) || !rest.starts_with(start)) return std::nullopt;
  return std::string(rest.substr(start.size()));
}

bool FileCache::keep(std::string_view key, std::string_view value) const {
  if (folder_.empty()) return false;
  const std::string rest = start_of(key).append(value);
  std::error_code ignored;  // the write then fails too
  // For its user alone: who may write here puts machine code into others' processes.
  if (std::filesystem::create_directories(folder_, ignored))
    std::filesystem::permissions(folder_, std::filesystem::perms::owner_all, ignored);
  try {
    write_text_file(path_of(key), head_of(rest) + rest);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

}  // namespace rooftile
