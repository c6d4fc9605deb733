// Kernels that keep a workspace for each stream: launches share it without harm, give the same bits
// each time, and refuse what a workspace cannot serve.
#include <functional>
#include <thread>

#include "gemm/small/machine.hpp"
#include "gemm/small/split_k_cluster.hpp"
#include "gemm/variant.hpp"
#include "gemm_fixture.hpp"
#include "model/error.hpp"

namespace rooftile::gemm {
namespace {

using Launch = std::function<void(const Arguments&, cudaStream_t)>;

/// Reads copies and leaves partial sums.
constexpr small::Choice copying_and_adding{
    .path = small::Path::prepared, .candidate = 6, .splits = 31};

GemmProblem transposed_b(std::int64_t M, std::int64_t N, std::int64_t K) {
  GemmProblem problem = make_problem(M, N, K);
  problem.trans_b = true;
  pack(problem);
  return problem;
}

class GemmStreams : public GemmDevice {
 protected:
  static const CompiledKernel& kernel_of(const std::string& variant) {
    return *find_kernel(variant, require_variant(variant).default_tile);
  }

  /// Both on one stream, each by a thread of its own.
  void run_in_two_threads(const Launch& launch, const GemmProblem& one, const GemmProblem& other) {
    ProblemData first(one, {}, *stream_), second(other, {.seed = 7}, *stream_);
    first.reset_c();
    second.reset_c();
    const auto twenty_times = [&](const ProblemData& data) {
      return [&] {
        for (int i = 0; i < 20; ++i) launch(data.arguments(), *stream_);
      };
    };
    std::thread here(twenty_times(first)), there(twenty_times(second));
    here.join();
    there.join();
    EXPECT_EQ(first.check_c().reason, "");
    EXPECT_EQ(second.check_c().reason, "");
  }

  /// Captures `launch`; the graph, or nullptr when it threw, with what it said in `error`.
  cudaGraph_t captured(const std::function<void()>& launch, std::string& error) {
    check(cudaStreamBeginCapture(*stream_, cudaStreamCaptureModeThreadLocal), "begin");
    try {
      launch();
    } catch (const InputError& refused) {
      error = refused.what();
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(*stream_, &graph), "a capture that a refusal must not break");
    return graph;
  }

  void expect_refused(const Launch& launch, const GemmProblem& problem) {
    ProblemData data(problem, {}, *stream_);
    data.reset_c();
    stream_->synchronize();
    std::string error;
    const cudaGraph_t graph = captured([&] { launch(data.arguments(), *stream_); }, error);
    EXPECT_NE(error.find("stream capture"), std::string::npos) << error;
    std::size_t nodes = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 0U);
    cudaGraphDestroy(graph);
    launch(data.arguments(), *stream_);  // and outside of it all is as before
    EXPECT_EQ(data.check_c().reason, "");
  }
};

class GemmWorkspace : public GemmStreams, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    GemmDevice::SetUp();
    if (IsSkipped()) return;
    if (const auto why = unavailable(kernel_of(GetParam()))) GTEST_SKIP() << *why;
  }
  static void launch_it(const Arguments& arguments, cudaStream_t stream) {
    launch(kernel_of(GetParam()), arguments, stream);
  }
};

/// The order of additions is fixed, and flags are zero again after each launch.
TEST_P(GemmWorkspace, RepeatedLaunchesAgreeToTheBit) {
  for (const auto& problem : {make_problem(256, 256, 16384), make_problem(127, 129, 131)}) {
    ProblemData data(problem, {}, *stream_);
    std::vector<float> first, now(static_cast<std::size_t>(problem.M * problem.N));
    for (int i = 0; i < 50; ++i) {
      data.reset_c();
      launch_it(data.arguments(), *stream_);
      check(cudaMemcpyAsync(now.data(), data.c().data, 4 * now.size(), cudaMemcpyDeviceToHost,
                            *stream_),
            "cudaMemcpyAsync");
      stream_->synchronize();
      if (i == 0) first = now;
      ASSERT_EQ(first, now) << "launch " << i << " of " << text_of(problem);
    }
    EXPECT_EQ(data.check_c().reason, "");
  }
}

/// Each stream has its own workspace.
TEST_P(GemmWorkspace, TwoStreamsAtATime) {
  Stream other;
  for (const auto& problem : {make_problem(1000, 1100, 1200), transposed_b(255, 257, 16383)}) {
    ProblemData here(problem, {}, *stream_);
    ProblemData there(problem, {.seed = 7}, other);
    here.reset_c();
    there.reset_c();
    for (int i = 0; i < 20; ++i) {
      launch_it(here.arguments(), *stream_);
      launch_it(there.arguments(), other);
    }
    EXPECT_EQ(here.check_c().reason, "");
    EXPECT_EQ(there.check_c().reason, "");
  }
}

TEST_P(GemmWorkspace, TwoThreadsOnOneStream) {
  run_in_two_threads(launch_it, transposed_b(255, 257, 4099), transposed_b(511, 300, 6001));
}

/// More streams than there are workspaces, in turn and gone with work pending.
TEST_P(GemmWorkspace, ManyStreams) {
  ProblemData data(transposed_b(300, 260, 4097), {}, *stream_);
  data.reset_c();
  stream_->synchronize();
  for (int i = 0; i < 20; ++i) {
    Stream brief;
    launch_it(data.arguments(), brief);
  }
  check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
  EXPECT_EQ(data.check_c().reason, "");
}

INSTANTIATE_TEST_SUITE_P(Kernels, GemmWorkspace,
                         testing::Values("hand_scheduled", "split_k_cluster", "split_k_workspace"),
                         [](const auto& info) { return std::string(info.param); });

/// Copies and partial sums both, whatever the rule would take.
TEST_F(GemmStreams, TwoThreadsCopyAndAddOnOneStream) {
  run_in_two_threads(
      [](const Arguments& arguments, cudaStream_t stream) {
        small::launch_choice(arguments, copying_and_adding, stream);
      },
      transposed_b(255, 257, 4099), transposed_b(511, 300, 6001));
}

TEST_F(GemmStreams, CaptureIsRefusedWhereAWorkspaceIsNeeded) {
  const GemmProblem problem = transposed_b(255, 257, 4099);
  small::machine();  // loads the kernels
  for (const char* variant : {"hand_scheduled", "split_k_cluster", "split_k_workspace"}) {
    const CompiledKernel& kernel = kernel_of(variant);
    if (unavailable(kernel)) continue;
    expect_refused([&](const Arguments& g, cudaStream_t s) { launch(kernel, g, s); }, problem);
  }
}

TEST_F(GemmStreams, CaptureIsTakenWhereNoneIs) {
  ProblemData data(make_problem(256, 256, 64), {}, *stream_);
  const Launch one_kernel = [](const Arguments& g, cudaStream_t s) {
    small::launch_choice(g, {.path = small::Path::direct, .candidate = 6}, s);
  };
  one_kernel(data.arguments(), *stream_);  // loads it
  data.reset_c();
  stream_->synchronize();
  std::string error;
  const cudaGraph_t graph = captured([&] { one_kernel(data.arguments(), *stream_); }, error);
  EXPECT_EQ(error, "");
  cudaGraphExec_t replay = nullptr;
  check(cudaGraphInstantiate(&replay, graph, 0), "cudaGraphInstantiate");
  check(cudaGraphLaunch(replay, *stream_), "cudaGraphLaunch");
  EXPECT_EQ(data.check_c().reason, "");
  cudaGraphExecDestroy(replay);
  cudaGraphDestroy(graph);
}

}  // namespace
}  // namespace rooftile::gemm
