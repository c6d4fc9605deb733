// The cache on disk: what is found, what is not, damage, sharing.
#include "gpu/file_cache.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/record/json_reader.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;

/// Sets variables (nullptr: removes) and restores them.
class Variables {
 public:
  explicit Variables(const std::map<std::string, const char*>& values) {
    for (const auto& [name, value] : values) {
      const char* old = std::getenv(name.c_str());
      old_[name] = old == nullptr ? std::optional<std::string>() : old;
      set(name, value);
    }
  }
  ~Variables() {
    for (const auto& [name, value] : old_) set(name, value ? value->c_str() : nullptr);
  }

 private:
  static void set(const std::string& name, const char* value) {
    if (value == nullptr)
      ::unsetenv(name.c_str());
    else
      ::setenv(name.c_str(), value, 1);
  }
  std::map<std::string, std::optional<std::string>> old_;
};

std::string bytes(std::size_t count, unsigned seed) {
  std::string text(count, '\0');
  for (char& c : text) c = static_cast<char>(seed = seed * 1664525 + 1013904223, seed >> 24);
  return text;
}

TEST(CacheFolder, ComesFromTheEnvironment) {
  const auto folder = [](const char* own, const char* shared, const char* home) {
    const Variables set({{"ROOFTILE_CACHE_DIR", own}, {"XDG_CACHE_HOME", shared}, {"HOME", home}});
    return cache_folder();
  };
  EXPECT_EQ(folder("/own", "/shared", "/home/me"), "/own");
  EXPECT_EQ(folder("", "/shared", "/home/me"), "");
  EXPECT_EQ(folder(nullptr, "/shared", "/home/me"), "/shared/rooftile");
  EXPECT_EQ(folder(nullptr, "", "/home/me"), "/home/me/.cache/rooftile");
  EXPECT_EQ(folder(nullptr, "relative", "/home/me"), "/home/me/.cache/rooftile");
  EXPECT_EQ(folder(nullptr, nullptr, nullptr), "");
}

TEST(FileCacheTest, FindsWhatWasKeptByTheWholeKey) {
  const test::TemporaryFolder root;
  const FileCache cache(root / "not/there/yet");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  const std::string key = bytes(5000, 1), value = bytes(40000, 2);
  cache.keep(key, value);
  cache.keep("empty", "");
  EXPECT_EQ(cache.find(key), value);
  EXPECT_EQ(FileCache(root / "not/there/yet").find(key), value);
  EXPECT_EQ(cache.find("empty"), "");
  EXPECT_EQ(fs::status(root / "not/there/yet").permissions(), fs::perms::owner_all);
  EXPECT_EQ(cache.find(key + "x"), std::nullopt);
  EXPECT_EQ(cache.find(key.substr(1)), std::nullopt);
}

TEST(FileCacheTest, AnEntryUnderTheNameOfAnotherKeyIsNotFound) {
  const test::TemporaryFolder root;
  const FileCache cache(root.path());
  cache.keep("one", "value");
  fs::rename(cache.path_of("one"), cache.path_of("two"));
  EXPECT_EQ(cache.find("two"), std::nullopt);
  cache.keep("two", "other");
  EXPECT_EQ(cache.find("two"), "other");
}

TEST(FileCacheTest, DamageOfAnyByteIsNoticedAndMended) {
  const test::TemporaryFolder root;
  const FileCache cache(root.path());
  const std::string value = bytes(50, 3), path = cache.path_of("key");
  cache.keep("key", value);
  const std::string whole = read_text_file(path);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    for (const std::string& text : {damaged, whole.substr(0, i)}) {
      write_text_file(path, text);
      EXPECT_EQ(cache.find("key"), std::nullopt) << i;
    }
  }
  cache.keep("key", value);
  EXPECT_EQ(cache.find("key"), value);
}

/// A pipe is waited for when it is opened: whoever opens it here is ended by the alarm.
TEST(FileCacheTest, AnEntryThatIsNoFileIsAbsentAndReplaced) {
  using Put = std::function<void(const std::string&)>;
  const std::vector<std::pair<const char*, Put>> kinds = {
      {"pipe", [](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }},
      {"link to a pipe",
       [](const std::string& path) {
         ASSERT_EQ(::mkfifo((path + ".pipe").c_str(), 0600), 0);
         fs::create_symlink(path + ".pipe", path);
       }},
      {"folder", [](const std::string& path) { fs::create_directory(path); }},
      {"link to a folder",
       [](const std::string& path) { fs::create_directory_symlink("/", path); }},
      {"device", [](const std::string& path) { fs::create_symlink("/dev/zero", path); }},
      {"link to nowhere", [](const std::string& path) { fs::create_symlink("gone", path); }},
      {"loop", [](const std::string& path) { fs::create_symlink(path, path); }}};
  ::alarm(60);
  for (const auto& [kind, put] : kinds) {
    const test::TemporaryFolder root;
    const FileCache cache(root.path());
    put(cache.path_of("key"));
    EXPECT_EQ(cache.find("key"), std::nullopt) << kind;
    EXPECT_TRUE(cache.keep("key", "value")) << kind;
    EXPECT_EQ(cache.find("key"), "value") << kind;
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(cache.path_of("key")))) << kind;
  }
  ::alarm(0);
}

TEST(FileCacheTest, AFolderThatHoldsSomethingStays) {
  const test::TemporaryFolder root;
  const FileCache cache(root.path());
  fs::create_directories(cache.path_of("key") + "/below");
  EXPECT_EQ(cache.find("key"), std::nullopt);
  EXPECT_FALSE(cache.keep("key", "value"));
  EXPECT_TRUE(fs::exists(cache.path_of("key") + "/below"));
}

TEST(FileCacheTest, WithoutAFolderNothingIsKept) {
  const FileCache off("");
  off.keep("key", "value");
  EXPECT_EQ(off.find("key"), std::nullopt);
  const test::TemporaryFolder root;
  write_text_file(root / "file", "no folder");
  const FileCache blocked(root / "file");
  EXPECT_NO_THROW(blocked.keep("key", "value"));
  EXPECT_EQ(blocked.find("key"), std::nullopt);
  EXPECT_EQ(read_text_file(root / "file"), "no folder");
}

/// Every look-up, in any process, sees the whole entry or none.
TEST(FileCacheTest, ProcessesShareAFolder) {
  constexpr int processes = 4, rounds = 25;
  const test::TemporaryFolder root;
  const FileCache cache(root.path());
  const std::string value = bytes(100000, 4);
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      bool good = true;
      for (int i = 0; i < rounds; ++i) {
        cache.keep("key", value);
        good = good && cache.find("key") == value;
      }
      ::_exit(good ? 0 : 1);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(root.path()), fs::directory_iterator()), 1);
}

}  // namespace
}  // namespace rooftile
