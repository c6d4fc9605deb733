// The doctor's host checks and their tools against folders and programs made for the test.
#include "gpu/doctor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "gpu/disassembler.hpp"
#include "gpu/driver_info.hpp"
#include "gpu/file_cache.hpp"
#include "gpu/program.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// A folder of this test's own, an environment variable put back at its end.
class Doctor : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("rooftile_doctor_" + std::to_string(getpid()));
    fs::create_directories(root_);
    places_.proc = root_.string();
    places_.process_status = write("status", "Name:\tx\nCapEff:\t00000000a80425fb\n");
  }
  void TearDown() override {
    fs::remove_all(root_);
    unsetenv("ROOFTILE_CUOBJDUMP");
  }
  std::string write(const std::string& name, const std::string& text) {
    const auto file = root_ / name;
    std::ofstream(file) << text;
    return file.string();
  }
  std::string write_program(const std::string& name, const std::string& text) {
    const auto file = write(name, "#!/bin/sh\n" + text);
    chmod(file.c_str(), 0755);
    return file;
  }
  DoctorCheck check(const std::string& title) {
    for (const auto& entry : host_checks(places_)) {
      if (entry.title == title) return entry;
    }
    ADD_FAILURE() << "no check '" << title << "'";
    return {};
  }
  fs::path root_;
  DoctorPlaces places_;
};

TEST_F(Doctor, EveryCheckHasAFindingAndAdviceUnlessOk) {
  for (const auto& entry : host_checks()) {
    EXPECT_NE(entry.finding, "") << entry.title;
    EXPECT_EQ(entry.advice.empty(), entry.state == CheckState::ok) << entry.title;
  }
}

TEST_F(Doctor, ReadsTheDriverOfBothKindsOfKernelModule) {
  EXPECT_EQ(check("NVIDIA driver").state, CheckState::problem);
  write("version",
        "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n"
        "GCC version:  gcc version 12.2.0\n");
  EXPECT_EQ(nvidia_driver_version(places_.proc), "535.183.01");
  write("version",
        "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.95.05  Release Build\n");
  EXPECT_EQ(check("NVIDIA driver").finding, "580.95.05");
  EXPECT_EQ(check("NVIDIA driver").state, CheckState::ok);
}

TEST_F(Doctor, CounterPermissionFollowsTheModuleOptionAndTheCapability) {
  EXPECT_EQ(check("counter permission").state, CheckState::warning);  // params unreadable
  for (const char* name : {"RmProfilingAdminOnly", "RestrictProfilingToAdminUsers"}) {
    write("params", std::string("EnableMSI: 1\n") + name + ": 1\n");
    EXPECT_EQ(check("counter permission").state, CheckState::warning) << name;
    EXPECT_THAT(
        check("counter permission").advice,
        testing::AllOf(HasSubstr("NVreg_RestrictProfilingToAdminUsers=0"), HasSubstr("SYS_ADMIN")));
  }
  write("params", "RmProfilingAdminOnly: 0\n");
  EXPECT_EQ(check("counter permission").state, CheckState::ok);
  write("params", "RmProfilingAdminOnly: 1\n");
  places_.process_status = write("status", "CapEff:\t000001ffffffffff\n");
  EXPECT_EQ(check("counter permission").state, CheckState::ok);
}

TEST_F(Doctor, MissingLibrariesAreNamed) {
  places_.cuda_library = "libno_such_cuda.so.1";
  places_.nvml_library = "libno_such_nvml.so.1";
  EXPECT_EQ(check("libcuda").state, CheckState::problem);
  EXPECT_THAT(check("libcuda").finding, HasSubstr("libno_such_cuda.so.1"));
  EXPECT_EQ(check("NVML").state, CheckState::warning);
  places_.nvml_library = "libc.so.6";
  EXPECT_EQ(check("NVML").state, CheckState::ok);
}

TEST_F(Doctor, TheCacheIsAFolderThatCanBeWritten) {
  const auto cache = [&](const std::string& folder) {
    setenv("ROOFTILE_CACHE_DIR", folder.c_str(), 1);
    const DoctorCheck found = check("cache");
    unsetenv("ROOFTILE_CACHE_DIR");
    return found;
  };
  EXPECT_EQ(cache((root_ / "not/there/yet").string()).state, CheckState::ok);
  EXPECT_FALSE(fs::exists(root_ / "not")) << "the doctor only looks";
  EXPECT_EQ(cache("").state, CheckState::warning);
}

/// Whatever the place, what the doctor says is what the cache then does.
TEST_F(Doctor, ACacheThatKeepsNothingIsNotCalledFine) {
  std::ofstream(root_ / "file").put('\n');
  fs::create_symlink(root_ / "nowhere", root_ / "dangling");
  fs::create_symlink("loop", root_ / "loop");
  fs::create_directories(root_ / "closed");
  fs::create_directories(root_ / "real");
  fs::create_directory_symlink(root_ / "real", root_ / "linked");
  fs::permissions(root_ / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  const std::string root = root_.string();
  int fine = 0, refused = 0;
  for (const std::string& folder :
       {std::string("/proc/x"), std::string("/proc"), std::string("/proc/self/x/y"),
        std::string("/sys/x"), std::string("/dev/null"), root + "/file", root + "/file/below",
        root + "/dangling", root + "/dangling/below", root + "/loop", root + "/closed/below",
        root + "/linked", root + "/linked/below", root + "/real/", root + "/new/below"}) {
    setenv("ROOFTILE_CACHE_DIR", folder.c_str(), 1);
    const DoctorCheck found = check("cache");
    unsetenv("ROOFTILE_CACHE_DIR");
    const bool keeps = FileCache(folder).keep("key", "value");
    EXPECT_EQ(found.state, keeps ? CheckState::ok : CheckState::warning) << folder;
    EXPECT_THAT(found.finding, HasSubstr(folder));
    ++(keeps ? fine : refused);
  }
  EXPECT_GE(fine, 3);
  EXPECT_GE(refused, 9);
}

TEST_F(Doctor, ProgramsRunWithBothStreamsAndTheirExitCode) {
  const auto program = write_program("talk", "printf out; printf err >&2; exit 7\n");
  const auto result = run_program({program, "x y"});
  EXPECT_EQ(result.exit_code, 7);
  EXPECT_EQ(result.output, "out");
  EXPECT_EQ(result.errors, "err");
  EXPECT_EQ(run_program({(root_ / "absent").string()}).exit_code, 127);
  EXPECT_EQ(run_program({write_program("die", "kill -9 $$\n")}).exit_code, 128 + 9);
}

TEST_F(Doctor, MuchOutputOnBothStreamsDoesNotBlock) {
  const auto program = write_program(
      "flood", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; head -c 9 /dev/zero >&2\n");
  const auto result = run_program({program});
  EXPECT_EQ(result.output.size(), 300000u);
  EXPECT_EQ(result.errors.size(), 300009u);
}

TEST_F(Doctor, ProgramsRunInTheirFolderAndWithinTheirTime) {
  EXPECT_EQ(run_program({"pwd"}, {.folder = "/"}).output, "/\n");
  const auto start = std::chrono::steady_clock::now();
  const auto slow =
      run_program({write_program("slow", "echo begun; exec sleep 60\n")}, {.timeout_s = 0.3});
  EXPECT_TRUE(slow.timed_out);
  EXPECT_EQ(slow.exit_code, 128 + 9);
  EXPECT_EQ(slow.output, "begun\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  const auto quick = run_program({"echo", "done"}, {.timeout_s = 60});
  EXPECT_FALSE(quick.timed_out);
  EXPECT_EQ(quick.output, "done\n");
}

TEST_F(Doctor, MoreOutputThanAskedForIsDropped) {
  const auto program =
      write_program("flood", "head -c 300000 /dev/zero >&2; head -c 300000 /dev/zero; exit 3\n");
  const auto result = run_program({program}, {.most_bytes = 70000});
  EXPECT_EQ(result.output.size(), 70000u);
  EXPECT_EQ(result.errors.size(), 70000u);
  EXPECT_EQ(result.exit_code, 3) << "it ran to its end";
}

TEST_F(Doctor, FindsExecutablesInTheOrderOfThePath) {
  write("tool", "not executable");
  EXPECT_EQ(find_program("tool", root_.string()), "");
  fs::create_directories(root_ / "second");
  const auto second = write_program("second/tool", "exit 0\n");
  EXPECT_EQ(find_program("tool", root_.string() + ":" + (root_ / "second").string()), second);
  fs::create_directories(root_ / "dir/tool");
  EXPECT_EQ(find_program("tool", (root_ / "dir").string()), "");
}

TEST_F(Doctor, DisassemblerIsTheOneNamedByTheVariable) {
  const auto tool = write_program("cuobjdump", "echo \"Function : kernel of $3\"\n");
  setenv("ROOFTILE_CUOBJDUMP", tool.c_str(), 1);
  EXPECT_EQ(find_cuobjdump(), tool);
  const auto file = write("kernel.cubin", "x");
  EXPECT_THAT(disassemble(file), HasSubstr("Function : kernel of " + file));
}

/// The text of the InputError that `disassemble` throws.
std::string failure(const std::string& file) {
  try {
    disassemble(file);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Doctor, DisassemblerFailuresSayWhatToInstall) {
  const auto file = write("kernel.cubin", "x");
  setenv("ROOFTILE_CUOBJDUMP", (root_ / "absent").c_str(), 1);
  EXPECT_THAT(failure(file), testing::AllOf(HasSubstr((root_ / "absent").string()),
                                            HasSubstr("nvidia-cuda-cuobjdump")));
  setenv("ROOFTILE_CUOBJDUMP",
         write_program("a", "echo 'nvdisasm not found' >&2; exit 1\n").c_str(), 1);
  EXPECT_THAT(failure(file), HasSubstr("nvdisasm must be beside cuobjdump"));
  setenv("ROOFTILE_CUOBJDUMP", write_program("b", "echo 'no kernels here'\n").c_str(), 1);
  EXPECT_THAT(failure(file), HasSubstr("holds no SASS"));
  EXPECT_THAT(failure((root_ / "gone.cubin").string()), HasSubstr("gone.cubin"));
}

}  // namespace
}  // namespace rooftile
