// Files as a whole: compressed ones are unpacked, and of several writers one wins whole.
#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "model/record/gzip.hpp"
#include "tests/support/gzip_file.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST(Gzip, UnpacksWhatItPacked) {
  const TemporaryFolder folder;
  EXPECT_TRUE(rc::check("any bytes", [&] {
    const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
    write_gzip(folder / "x.gz", text);
    RC_ASSERT(read_text_file(folder / "x.gz") == text);
  }));
  std::string large(3'000'000, 'x');  // many pieces of inflate's buffer
  for (std::size_t i = 0; i < large.size(); i += 7) large[i] = static_cast<char>(i % 251);
  write_gzip(folder / "x.gz", large);
  EXPECT_EQ(read_text_file(folder / "x.gz"), large);
  EXPECT_TRUE(is_compressed_file(folder / "x.gz"));
  write_text_file(folder / "plain.gz", "text");
  EXPECT_EQ(read_text_file(folder / "plain.gz"), "text") << "the contents count, not the name";
  EXPECT_FALSE(is_compressed_file(folder / "plain.gz"));
  EXPECT_FALSE(is_compressed_file(folder / "absent"));
  EXPECT_FALSE(is_compressed_file(folder.path()));
}

TEST(Gzip, JoinedFilesAreOne) {
  const TemporaryFolder folder;
  write_gzip(folder / "x.gz", "first\n");
  write_gzip(folder / "x.gz", "", "ab");
  write_gzip(folder / "x.gz", "second\n", "ab");
  EXPECT_EQ(read_text_file(folder / "x.gz"), "first\nsecond\n");
  EXPECT_EQ(gunzip(bytes_of(folder / "x.gz") + std::string(512, '\0'), "x"), "first\nsecond\n");
}

/// Every cut and many flipped bytes: an InputError that names the file, or (in the header's
/// comments) the same text; never another text.
TEST(Gzip, DamageIsAnInputError) {
  const TemporaryFolder folder;
  const std::string text = sample_run().to_json().dump() + "\n";
  write_gzip(folder / "x.gz", text);
  const std::string packed = bytes_of(folder / "x.gz");
  for (std::size_t cut = 2; cut < packed.size(); ++cut)
    EXPECT_THAT(input_error([&] { gunzip(packed.substr(0, cut), "runs.gz"); }),
                AllOf(HasSubstr("runs.gz"), HasSubstr("compressed data")))
        << cut;
  for (std::size_t at = 2; at < packed.size(); ++at) {
    std::string bad = packed, read;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    const std::string error = input_error([&] { read = gunzip(bad, "x"); });
    EXPECT_TRUE(!error.empty() || read == text) << at;
  }
  EXPECT_THAT(input_error([&] { gunzip(packed + "tail", "x"); }), HasSubstr("other data"));
}

TEST(Gzip, RunsAndProfilesLoad) {
  const TemporaryFolder folder;
  const std::string line = sample_run().to_json().dump() + "\n";
  write_gzip(folder / "runs-a.jsonl.gz", line + line);
  write_gzip(folder / "profile.json", dump_json(sample_profile().to_json()));
  EXPECT_EQ(load_runs(folder / "runs-a.jsonl.gz").size(), 2u);
  EXPECT_EQ(DeviceProfile::load(folder / "profile.json").to_json(), sample_profile().to_json());
  bool truncated = false;
  write_gzip(folder / "runs-a.jsonl.gz", line + line.substr(0, 40));
  EXPECT_EQ(load_runs(folder / "runs-a.jsonl.gz", &truncated).size(), 1u);
  EXPECT_TRUE(truncated);
}

TEST(RunFiles, OfAFolder) {
  const TemporaryFolder folder;
  for (const char* name : {"runs.jsonl", "runs-b.jsonl", "runs-a.jsonl.gz", "runs-b.jsonl.gz",
                           "profile.json", "runs.txt", "old-runs.jsonl", "runs.jsonl.gz.tmp"})
    write_text_file(folder / name, "");
  EXPECT_EQ(run_files(folder.path()),
            (std::vector<std::string>{folder / "runs-a.jsonl.gz", folder / "runs-b.jsonl",
                                      folder / "runs.jsonl"}));
  EXPECT_THAT(input_error([] { run_files("/no/such"); }), HasSubstr("/no/such"));
}

std::vector<std::string> names_in(const TemporaryFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename().string());
  return names;
}

/// A text that shows any mixture: one letter, in a length of its own.
std::string text_of(int writer) {
  return std::string(static_cast<std::size_t>(50'000 + 10'000 * writer),
                     static_cast<char>('a' + writer));
}

bool is_whole(const std::string& text) {
  return !text.empty() && text == text_of(text.front() - 'a');
}

TEST(Write, OfManyWritersOneWinsWhole) {
  const TemporaryFolder folder;
  const std::string path = folder / "profile.json";
  write_text_file(path, text_of(0));
  std::vector<pid_t> processes;
  for (int writer = 0; writer < 3; ++writer) {
    processes.push_back(fork());
    ASSERT_GE(processes.back(), 0);
    if (processes.back() == 0) {
      for (int i = 0; i < 40; ++i) write_text_file(path, text_of(writer));
      _exit(0);
    }
  }
  std::vector<std::thread> threads;
  for (int writer = 3; writer < 6; ++writer)
    threads.emplace_back([&, writer] {
      for (int i = 0; i < 40; ++i) write_text_file(path, text_of(writer));
    });
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(is_whole(read_text_file(path)));
  for (std::thread& thread : threads) thread.join();
  for (const pid_t process : processes) {
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(is_whole(read_text_file(path)));
  EXPECT_EQ(names_in(folder), std::vector<std::string>{"profile.json"}) << "nothing left behind";
}

/// As after a kill, or in another container: the names that this process would take next.
TEST(Write, ATemporaryFileOfAnotherIsNotTouched) {
  const TemporaryFolder folder;
  const std::string path = folder / "x";
  for (int i = 0; i < 2000; ++i)
    std::ofstream(path + ".tmp." + std::to_string(getpid()) + "." + std::to_string(i)) << "theirs";
  write_text_file(path, "ours");
  EXPECT_EQ(read_text_file(path), "ours");
  for (const std::string& name : names_in(folder))
    EXPECT_EQ(read_text_file(folder / name), name == "x" ? "ours" : "theirs") << name;
}

}  // namespace
}  // namespace rooftile::test
