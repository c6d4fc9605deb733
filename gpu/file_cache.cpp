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

/// A file, or a link to one: opening anything else may wait for ever (a pipe), or act (a device).
bool is_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

/// Removes what is in an entry's place and no file, a folder where it is empty; false where it
/// stays.
bool make_room(const std::string& path) {
  std::error_code ignored;
  const auto in_the_way = [&] {
    return std::filesystem::exists(std::filesystem::symlink_status(path, ignored)) &&
           !is_file(path);
  };
  if (in_the_way()) std::filesystem::remove(path, ignored);
  return !in_the_way();
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
  if (folder_.empty() || !is_file(path_of(key))) return std::nullopt;
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
  const std::string path = path_of(key);
  if (!make_room(path)) return false;
  try {
    write_text_file(path, head_of(rest) + rest);
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

}  // namespace rooftile
