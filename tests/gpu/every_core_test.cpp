// Pieces of work on every core: each once, and an end at the first failure.
#include "gpu/every_core.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gpu/interrupt.hpp"
#include "model/error.hpp"

namespace rooftile {
namespace {

TEST(EveryCore, DoesEachPieceOnce) {
  EXPECT_TRUE(rc::check("for any count", [] {
    std::vector<std::atomic<int>> done(*rc::gen::inRange<std::size_t>(0, 200));
    on_every_core(done.size(), [&](std::size_t i) { ++done[i]; });
    RC_ASSERT(std::all_of(done.begin(), done.end(), [](const auto& times) { return times == 1; }));
  }));
}

TEST(EveryCore, EndsAtTheFirstFailureAndSaysIt) {
  EXPECT_TRUE(rc::check("wherever it is", [] {
    const auto bad = *rc::gen::inRange<std::size_t>(0, 1000);
    std::atomic<std::size_t> begun = 0;
    try {
      on_every_core(100'000, [&](std::size_t i) {
        ++begun;
        if (i == bad) throw std::runtime_error("piece " + std::to_string(i));
        // So that the others are not through before the failure is seen.
        if (i > bad) std::this_thread::sleep_for(std::chrono::microseconds(100));
      });
      RC_FAIL("the failure was lost");
    } catch (const std::runtime_error& error) {
      RC_ASSERT(error.what() == "piece " + std::to_string(bad));
    }
    RC_ASSERT(begun < 100'000);
  }));
}

/// In a process of its own: the handlers are the process's.
TEST(EveryCoreDeathTest, ASignalEndsItBetweenPieces) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        install_interrupt_handlers();
        std::atomic<std::size_t> begun = 0;
        try {
          on_every_core(100'000, [&](std::size_t) {
            if (++begun == 10) std::raise(SIGINT);
          });
        } catch (const Interrupted&) {
          std::_Exit(begun < 100'000 ? 7 : 8);
        }
        std::_Exit(9);
      },
      testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace rooftile
