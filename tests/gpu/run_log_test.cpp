// RunLog and the replay device: kill, repair, resume.
#include "gpu/run_log.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <thread>

#include "gpu/disassembler.hpp"
#include "gpu/interrupt.hpp"
#include "gpu/runner.hpp"
#include "model/profile/metric_catalog.hpp"
#include "tests/support/gzip_file.hpp"
#include "tests/support/record_samples.hpp"

namespace rooftile::test {
namespace {

using ::testing::AllOf;
using ::testing::ExitedWithCode;
using ::testing::HasSubstr;

RunRecord run_of(std::int64_t size) {
  auto run = sample_run();
  run.problem = make_problem(size, size, size);
  return run;
}

TEST(RunLog, AppendsAndResumes) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  {
    RunLog log(path, ExistingLog::refuse);
    log.append(run_of(1));
    EXPECT_EQ(load_runs(path).size(), 1U) << "on disk before the log is closed";
    log.append(run_of(2));
    EXPECT_TRUE(log.done(run_key(run_of(2))));
  }
  RunLog log(path, ExistingLog::resume);
  EXPECT_FALSE(log.repaired());
  EXPECT_TRUE(log.done(run_key(run_of(1))));
  EXPECT_FALSE(log.done(run_key(run_of(3))));
  log.append(run_of(3));
  EXPECT_EQ(log.size(), 3U);
  EXPECT_EQ(load_runs(path).size(), 3U);
}

TEST(RunLog, RefusesToOverwrite) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  RunLog(path, ExistingLog::refuse).append(run_of(1));
  EXPECT_THAT(input_error([&] { RunLog(path, ExistingLog::refuse); }),
              AllOf(HasSubstr(path), HasSubstr("--resume"), HasSubstr("--force")));
  EXPECT_EQ(load_runs(path).size(), 1U);
  EXPECT_EQ(RunLog(path, ExistingLog::overwrite).size(), 0U);
  EXPECT_EQ(read_text_file(path), "");
  RunLog(path, ExistingLog::refuse);  // an empty file holds nothing to lose
}

TEST(RunLog, FailedCellsAreTriedAgain) {
  const TemporaryFolder folder;
  auto failed = run_of(1), skipped = run_of(2);
  failed.state = State::failed;
  skipped.state = State::skipped;
  failed.time.reset();
  skipped.time.reset();
  RunLog log(folder / "runs.jsonl", ExistingLog::refuse);
  log.append(failed);
  log.append(skipped);
  EXPECT_FALSE(log.done(run_key(failed)));
  EXPECT_TRUE(log.done(run_key(skipped)));
}

TEST(RunLog, RepairsEveryCutOfTheLastLine) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  const auto first = run_of(1).to_json().dump() + "\n", second = run_of(2).to_json().dump() + "\n";
  for (std::size_t cut = 0; cut <= second.size(); cut += cut + 60 > second.size() ? 1 : 97) {
    write_text_file(path, first + second.substr(0, cut));
    const bool whole = cut >= second.size() - 1;
    RunLog log(path, ExistingLog::resume);
    EXPECT_EQ(log.size(), whole ? 2U : 1U) << cut;
    EXPECT_EQ(log.repaired(), cut != 0 && cut != second.size()) << cut;
    log.append(run_of(3));
    EXPECT_EQ(load_runs(path).size(), whole ? 3U : 2U) << cut;
  }
}

TEST(RunLog, DamageElsewhereIsAnError) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  write_text_file(path, "{\"schema\"\n" + run_of(1).to_json().dump() + "\n");
  EXPECT_THAT(input_error([&] { RunLog(path, ExistingLog::resume); }), HasSubstr("runs.jsonl:1:"));
  EXPECT_THAT(input_error([&] { RunLog(folder / "no/runs.jsonl", ExistingLog::refuse); }),
              HasSubstr("cannot write"));
}

TEST(RunLog, CompressedRunsAreNotContinued) {
  const TemporaryFolder folder;
  for (const auto existing : {ExistingLog::refuse, ExistingLog::resume, ExistingLog::overwrite})
    EXPECT_THAT(input_error([&] { RunLog(folder / "runs.jsonl.gz", existing); }),
                HasSubstr("leave .gz out"));
  const auto path = folder / "runs.jsonl";
  write_gzip(path, run_of(1).to_json().dump() + "\n");
  const auto bytes = std::filesystem::file_size(path);
  EXPECT_THAT(input_error([&] { RunLog(path, ExistingLog::resume); }), HasSubstr("gunzip"));
  EXPECT_EQ(std::filesystem::file_size(path), bytes);
}

TEST(RunLog, AFullDiskIsReported) {
  RunLog log("/dev/full", ExistingLog::refuse);
  EXPECT_THAT(input_error([&] { log.append(run_of(1)); }), HasSubstr("No space left"));
  EXPECT_EQ(log.size(), 0U);
}

TEST(RunLog, SurvivesAKillAtAnyMoment) {
  const TemporaryFolder folder;
  const auto path = folder / "runs.jsonl";
  std::size_t before = 0;
  for (int kill_ms : {5, 11, 23}) {
    const pid_t child = fork();
    if (child == 0) {
      RunLog log(path, ExistingLog::resume);
      for (;;) log.append(run_of(static_cast<std::int64_t>(log.size()) + 1));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(kill_ms));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const RunLog log(path, ExistingLog::resume);
    EXPECT_GE(log.size(), before);
    before = log.size();
    for (std::size_t i = 0; i < before; ++i)
      EXPECT_EQ(log.runs()[i].problem.M, static_cast<std::int64_t>(i) + 1);
  }
}

/// A folder with the sample profile and two runs.
void record(const TemporaryFolder& folder) {
  sample_profile().save(folder / "profile.json");
  RunLog(folder / "runs-a.jsonl", ExistingLog::refuse).append(run_of(1));
  RunLog(folder / "runs-b.jsonl", ExistingLog::refuse).append(run_of(2));
}

TEST(Replay, AnswersFromRecordedRuns) {
  const TemporaryFolder folder;
  record(folder);
  const auto runner = make_replay_gemm_runner(folder.path(), 0);
  EXPECT_EQ(runner->environment().gpu_name, "NVIDIA Example 100");
  const auto asked = run_of(2);
  const auto found = runner->run(asked.variant, asked.tile, asked.problem, asked.cache, {});
  EXPECT_EQ(found.to_json(), asked.to_json());
  const auto other = runner->run("naive", asked.tile, asked.problem, asked.cache, {});
  EXPECT_EQ(other.state, State::skipped);
  EXPECT_THAT(other.reason, HasSubstr("not among the recorded runs"));
  EXPECT_EQ(run_key(other).rfind("naive ", 0), 0U);
  const Json json = other.to_json();
  EXPECT_EQ(RunRecord::from_json(JsonReader(json, "r")).to_json(), json);
}

TEST(Replay, GivesEachMicrobenchmarkItsEntries) {
  const TemporaryFolder folder;
  record(folder);
  const auto runner = make_replay_micro_runner(folder.path(), 0);
  DeviceProfile profile;
  runner->run("ffma", false, profile);
  EXPECT_EQ(profile.value("ffma.latency"), 4.1);
  EXPECT_EQ(profile.metrics.at("ffma.throughput").state, State::skipped);
  EXPECT_EQ(profile.metrics.count("device.sm_count"), 0U) << "of another microbenchmark";
  for (const auto& info : runner->list()) runner->run(info.name, true, profile);
  for (const auto& entry : metric_catalog()) {
    const std::string id(entry.id);
    EXPECT_TRUE(entry.kind == EntryKind::table ||
                profile.metrics.count(id) + profile.curves.count(id) == 1U)
        << id;
  }
  const Json json = profile.to_json();
  EXPECT_EQ(DeviceProfile::from_json(JsonReader(json, "p")).to_json(), json);
  EXPECT_THAT(input_error([&] { runner->run("fma", false, profile); }),
              AllOf(HasSubstr("\"fma\" is none of"), HasSubstr("ffma")));
}

TEST(Replay, CompressedRunsAnswerToo) {
  const TemporaryFolder folder;
  write_gzip(folder / "runs-a.jsonl.gz", run_of(7).to_json().dump() + "\n");
  const auto runner = make_replay_gemm_runner(folder.path(), 0);
  const auto run = run_of(7);
  EXPECT_EQ(runner->run(run.variant, run.tile, run.problem, run.cache, {}).to_json(),
            run.to_json());
}

TEST(Replay, FaultsAreNamed) {
  const TemporaryFolder folder;
  EXPECT_THAT(input_error([] { make_replay_gemm_runner("/no/such", 0); }), HasSubstr("/no/such"));
  EXPECT_THAT(input_error([&] { make_replay_gemm_runner(folder.path(), 0); }),
              HasSubstr("no recorded runs"));
  EXPECT_THAT(input_error([&] { make_replay_micro_runner(folder.path(), 0); }),
              HasSubstr("profile.json"));
  EXPECT_THAT(input_error([&] { make_replay_micro_runner(folder.path(), -1); }),
              HasSubstr("delay"));
}

TEST(ReplayDeathTest, AnInterruptEndsTheDelay) {
  const TemporaryFolder folder;
  record(folder);
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        const auto runner = make_replay_gemm_runner(folder.path(), 60);
        alarm(20);  // kills the child should the interrupt be missed
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::milliseconds(30));
          kill(getpid(), SIGTERM);
        }).detach();
        try {
          runner->run("naive", Tile{}, run_of(1).problem, CacheState::hot, {});
        } catch (const Interrupted& interrupted) {
          _exit(interrupted.signal() == SIGTERM ? 42 : 1);
        }
        _exit(2);
      },
      ExitedWithCode(42), "");
}

/// Ctrl-C reaches every program of the terminal: that one of them failed is not what went wrong.
TEST(InterruptDeathTest, AnInterruptedToolIsNoFailedTool) {
  const TemporaryFolder folder;
  const std::string tool = folder / "cuobjdump";
  write_text_file(tool, "#!/bin/sh\n[ -e \"$0.calm\" ] || kill -INT $PPID\nexit 130\n");
  std::filesystem::permissions(tool, std::filesystem::perms::owner_all);
  const auto disassemble_with_it = [&] {
    setenv("ROOFTILE_CUOBJDUMP", tool.c_str(), 1);
    install_interrupt_handlers();
    try {
      disassemble(tool);
    } catch (const Interrupted&) {
      _exit(42);
    } catch (const InputError&) {
      _exit(43);
    }
    _exit(44);
  };
  EXPECT_EXIT(disassemble_with_it(), ExitedWithCode(42), "");
  write_text_file(tool + ".calm", "");
  EXPECT_EXIT(disassemble_with_it(), ExitedWithCode(43), "");
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProcess) {
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        raise(SIGINT);
        raise(SIGINT);
        _exit(2);
      },
      ExitedWithCode(130), "");
}

TEST(InterruptDeathTest, AnIgnoredSignalStaysIgnored) {
  EXPECT_EXIT(
      {
        signal(SIGINT, SIG_IGN);
        install_interrupt_handlers();
        raise(SIGINT);
        throw_if_interrupted();
        _exit(42);
      },
      ExitedWithCode(42), "");
}

}  // namespace
}  // namespace rooftile::test
