// A disk that is full and one that is read-only, as file systems of their own in a mount namespace
// (root is refused nothing elsewhere). Skipped where the system gives no such namespace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <vector>

#include "data_fixture.hpp"
#include "model/record/run.hpp"

namespace rooftile::cli {
namespace {

using testing::HasSubstr;

class Mounts : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("unshare -rm mount -t tmpfs none /mnt >/dev/null 2>&1") != 0)
      GTEST_SKIP() << "no mount namespace for this user";
  }

  /// Runs shell lines with a tmpfs on $disk. What they print, codes by `echo` among it, comes back;
  /// $rooftile is the binary, $gpu the folder that it replays, $keep one that outlives the disk.
  std::string on_a_disk(const std::string& mount_options, const std::string& lines) const {
    const std::string script = folder_.path("script.sh"), printed = folder_.path("printed");
    std::ostringstream text;
    text << "disk='" << folder_.path("disk") << "' keep='" << folder_.folder() << "'\n"
         << "rooftile='" ROOFTILE_BINARY "' gpu='" << data_fixture().gpu_folder() << "'\n"
         << "export ROOFTILE_DATA_DIR='" << data_fixture().folder() << "'\n"
         << "mkdir \"$disk\"; mount -t tmpfs -o " << mount_options << " none \"$disk\"\n"
         << "cd \"$keep\"\n"
         << lines;
    spill(script, text.str());
    const std::string command = "unshare -rm sh '" + script + "' >'" + printed + "' 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << slurp(printed);
    return slurp(printed);
  }

  Scratch folder_;
};

/// Do the pieces stand in `text` one after the other?
bool in_order(const std::string& text, const std::vector<std::string>& pieces) {
  std::size_t from = 0;
  for (const std::string& piece : pieces) {
    const std::size_t place = text.find(piece, from);
    if (place == std::string::npos) return false;
    from = place + piece.size();
  }
  return true;
}

TEST_F(Mounts, AFullDiskKeepsWhatWasWrittenAndResumes) {
  const std::string printed = on_a_disk("size=4m", R"(
measure="$rooftile measure --replay $gpu --shape 256 512 1024 --variants naive,smem_tile,warp_tile"
measure="$measure --quiet --output"
$measure "$keep/whole.jsonl"
mount -o remount,size=$(($(stat -c %s "$keep/whole.jsonl") / 2)) "$disk"
$measure "$disk/runs.jsonl"; echo "code $?"
cp "$disk/runs.jsonl" "$keep/cut.jsonl"
mount -o remount,size=4m "$disk"
$measure "$disk/runs.jsonl" --resume; echo "code $?"
cp "$disk/runs.jsonl" "$keep/resumed.jsonl"
)");
  EXPECT_THAT(printed, HasSubstr("No space left on device"));
  EXPECT_TRUE(in_order(printed, {"code 2\n", "code 0\n"})) << printed;
  const std::size_t cut = load_runs(folder_.path("cut.jsonl")).size();
  EXPECT_GT(cut, 0U);
  EXPECT_LT(cut, load_runs(folder_.path("whole.jsonl")).size());
  EXPECT_EQ(load_runs(folder_.path("resumed.jsonl")).size(),
            load_runs(folder_.path("whole.jsonl")).size());
}

TEST_F(Mounts, AFullDiskLeavesAValidProfileAndNoHalfFile) {
  const std::string printed = on_a_disk("size=4m", R"(
characterize="$rooftile characterize --replay $gpu --quiet --output"
$characterize "$keep/whole.json"
mount -o remount,size=$(($(stat -c %s "$keep/whole.json") * 3 / 2)) "$disk"
$characterize "$disk/profile.json"; echo "code $?"
cp "$disk/profile.json" "$keep/cut.json"
ls -A "$disk"
mount -o remount,size=4m "$disk"
$characterize "$disk/profile.json" --resume; echo "code $?"
cp "$disk/profile.json" "$keep/resumed.json"
)");
  EXPECT_THAT(printed, HasSubstr("No space left on device"));
  EXPECT_TRUE(in_order(printed, {"code 2\nprofile.json\n", "code 0\n"})) << printed;
  EXPECT_NO_THROW(DeviceProfile::load(folder_.path("cut.json")));
  EXPECT_EQ(DeviceProfile::load(folder_.path("resumed.json")).metrics.size(),
            DeviceProfile::load(folder_.path("whole.json")).metrics.size());
}

TEST_F(Mounts, AReadOnlyDiskIsARefusal) {
  const std::string printed = on_a_disk("size=4m", R"(
mount -o remount,ro "$disk"
$rooftile characterize --replay $gpu --quiet --output "$disk/p.json"; echo "code $?"
$rooftile measure --replay $gpu --shape 256 --quiet --output "$disk/r.jsonl"; echo "code $?"
$rooftile report --quiet --output "$disk/page"; echo "code $?"
$rooftile predict --shape 256 --quiet --json "$disk/x.json"; echo "code $?"
)");
  const std::vector<std::string> refusal{"Read-only file system", "code 4\n"};
  std::vector<std::string> four;
  for (int i = 0; i < 4; ++i) four.insert(four.end(), refusal.begin(), refusal.end());
  EXPECT_TRUE(in_order(printed, four)) << printed;
}

}  // namespace
}  // namespace rooftile::cli
