// A cache of computed bytes on disk, by content: an entry's key is everything that it was computed
// from, so that an entry is never stale; another value of one key is as good (or says more).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rooftile {

/// The folder of this user's cache: $ROOFTILE_CACHE_DIR (set but empty: no cache),
/// $XDG_CACHE_HOME/rooftile (an absolute path), or ~/.cache/rooftile. "" when there is none.
std::string cache_folder();

/// Threads and processes may share a folder: entries are written beside and renamed.
class FileCache {
 public:
  /// `folder` is made when the first entry is kept; and is then its user's alone; ""
  /// finds and keeps nothing.
  explicit FileCache(std::string folder) : folder_(std::move(folder)) {}

  /// nullopt when there is no entry, or one that is damaged, of another key or no file (a pipe, a
  /// folder, a link that leads nowhere).
  std::optional<std::string> find(std::string_view key) const;
  /// A folder that cannot be written to keeps nothing, which is no error: what is cached can be
  /// computed again. What is in an entry's place and no file is replaced, but for a folder that
  /// holds something. Returns whether the entry is there now.
  bool keep(std::string_view key, std::string_view value) const;
  /// Where the entry of this key is or would be.
  std::string path_of(std::string_view key) const;

 private:
  std::string folder_;
};

}  // namespace rooftile
