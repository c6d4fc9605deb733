// Register banks: how many the register file has, and how far reads may lag the issue.
//
// ENTRY: register.banks | metric | count | banks of the register file, 2 or 4, by register number
// ENTRY: register.window | metric | cycle | cycles that a bank may lag the issue before an FFMA stalls
// ENTRY: register.ports | table | cycles an FFMA by the banks of its source registers, measured and by rule
//
// One warp runs streams of FFMA whose three source registers lie in chosen banks, with and without
// .reuse, free of dependences (port_streams.hpp). The register numbers are exact: the driver
// assembles a kernel and its FFMA are rewritten in place (port_cubin.hpp); each kernel first proves
// by the values that it computes that it runs the stream that was meant. Cycles an FFMA: two
// numbers of trips differenced, less what closing the loop costs, which the stream that reads no
// register tells.
//
// The decision: for 2 and for 4 banks the rule of port_streams.hpp is fitted (window of 0 to 8
// cycles; a register that one FFMA names twice read once or twice) by its largest error over all
// streams. The number is published when one explains every stream within 2 % and the other does
// not; else the entry fails and says by how much. Streams that separate the two: operands that
// agree mod 2 but not mod 4. Bursts, where reads go to one bank for n FFMA and to another for the
// next n, give the window.
//
// Expect on an H200: 2 banks, window 1 (from outer products, see outer_product.cu; no public
// value). With 2 banks and 128 lanes: 3 cycles for three sources in one bank, 2 for two and
// one, 1.5 for these in turn, 1 where .reuse leaves one read for each bank. On an SM with 64 lanes
// an FFMA issues every second cycle, so that only three in one bank stall (Volta, Jia et al. 2018).
//
// Pitfalls: the SASS assertion of other loops has no object to look at here, hence the proof by
// value, which does not see .reuse: a flag without effect would show as 2 cycles in all reuse
// streams. With two warps on a sub-core a change of warp loses the reuse cache: that column is not
// used for the decision. Needs the driver's PTX assembler, else skipped.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <cmath>
#include <stdexcept>

#include "micro/text.hpp"

#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/port_cubin.hpp"
#include "micro/timing.cuh"
#include "model/stats/robust.hpp"

namespace rooftile::micro {
namespace {

constexpr double port_tolerance = 0.02;

/// The machine has no assembler for us.
class NoAssembler : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <class Function>
Function driver_entry(const char* name) {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
  check(cudaGetDriverEntryPointByVersion(name, &entry, 12000, cudaEnableDefault, &found),
        "cudaGetDriverEntryPointByVersion");
  if (found != cudaDriverEntryPointSuccess || entry == nullptr)
    throw NoAssembler(text("the driver lacks {}", name));
  return reinterpret_cast<Function>(entry);
}

/// PTX -> cubin for the current device by the driver.
std::string assemble(const std::string& ptx) {
  const auto create = driver_entry<PFN_cuLinkCreate_v6050>("cuLinkCreate");
  const auto add = driver_entry<PFN_cuLinkAddData_v6050>("cuLinkAddData");
  const auto complete = driver_entry<PFN_cuLinkComplete_v5050>("cuLinkComplete");
  const auto destroy = driver_entry<PFN_cuLinkDestroy_v5050>("cuLinkDestroy");
  CUlinkState state = nullptr;
  void* cubin = nullptr;
  std::size_t size = 0;
  CUresult status = create(0, nullptr, nullptr, &state);
  if (status != CUDA_SUCCESS)
    throw NoAssembler(text("cuLinkCreate failed with {}", static_cast<int>(status)));
  status = add(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx.c_str()), ptx.size() + 1,
               "port_probe", 0, nullptr, nullptr);
  if (status == CUDA_SUCCESS) status = complete(state, &cubin, &size);
  std::string code;
  if (status == CUDA_SUCCESS) code.assign(static_cast<const char*>(cubin), size);
  destroy(state);
  if (status != CUDA_SUCCESS)
    throw NoAssembler(
        text("the driver's PTX assembler failed with CUresult {}", static_cast<int>(status)));
  return code;
}

class LoadedProbe {
 public:
  explicit LoadedProbe(const std::string& cubin) {
    check(cudaLibraryLoadData(&library_, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0),
          "cudaLibraryLoadData");
    const cudaError_t status = cudaLibraryGetKernel(&kernel_, library_, "port_probe");
    if (status != cudaSuccess) cudaLibraryUnload(library_);
    check(status, "cudaLibraryGetKernel");
  }
  ~LoadedProbe() { cudaLibraryUnload(library_); }
  LoadedProbe(const LoadedProbe&) = delete;
  LoadedProbe& operator=(const LoadedProbe&) = delete;

  void launch(long long* cycles, float* values, int warps, int trips, cudaStream_t stream) const {
    auto count = static_cast<unsigned>(trips);
    void* arguments[] = {&cycles, &values, &count};
    check(cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(1), dim3(32 * warps),
                           arguments, 0, stream),
          "port_probe");
  }

 private:
  cudaLibrary_t library_ = nullptr;
  cudaKernel_t kernel_ = nullptr;
};

using PortStream = std::vector<PortInstruction>;

class PortTimer {
 public:
  PortTimer(Context& context, const ProbeCubin& probe)
      : context_(context),
        probe_(probe),
        cycles_(1),
        values_(std::size_t{probe_values} * probe_threads),
        initial_(values_.size()) {
    for (std::size_t i = 0; i < initial_.size(); ++i)
      initial_[i] = unit_float(static_cast<unsigned>(i));
  }

  /// Cycles a trip with `warps` warps, one after the other; the first call proves the stream.
  std::vector<Repetitions> cycles_per_trip(const PortStream& stream,
                                           std::initializer_list<int> warps) {
    const LoadedProbe loaded(with_stream(probe_, stream));
    prove(loaded, stream);
    std::vector<Repetitions> found;
    for (const int count : warps) {
      const auto launch = [&](int trips) {
        loaded.launch(cycles_.data(), values_.data(), count, trips, context_.stream());
      };
      found.push_back(
          context_.repeat([&] { return differenced(cycles_, context_.stream(), launch, 2, 34); }));
    }
    return found;
  }

 private:
  /// One trip must leave in each register of each lane what the stream computes.
  void prove(const LoadedProbe& loaded, const PortStream& stream) {
    // On the stream: it does not wait for copies that are not.
    check(cudaMemcpyAsync(values_.data(), initial_.data(), values_.size_bytes(),
                          cudaMemcpyHostToDevice, context_.stream()),
          "cudaMemcpyAsync");
    loaded.launch(cycles_.data(), values_.data(), 1, 1, context_.stream());
    check(cudaStreamSynchronize(context_.stream()), "port_probe");
    std::vector<float> after(initial_.size());
    values_.download(after.data(), after.size());
    for (std::size_t lane = 0; lane < 32; ++lane) {
      std::vector<float> expected(probe_values);
      for (std::size_t i = 0; i < expected.size(); ++i)
        expected[i] = initial_[i * probe_threads + lane];
      expected = after_stream(probe_, stream, std::move(expected));
      for (std::size_t i = 0; i < expected.size(); ++i) {
        if (after[i * probe_threads + lane] != expected[i])
          throw std::runtime_error(
              text("lane {}: value {} is {}, not {}: the kernel does not run the stream meant",
                   lane, i, double{after[i * probe_threads + lane]}, double{expected[i]}));
      }
    }
  }

  Context& context_;
  const ProbeCubin& probe_;
  BlockCycles cycles_;
  DeviceBuffer<float> values_;
  std::vector<float> initial_;
};

struct PortResults {
  std::vector<PortStream> streams;
  std::vector<double> one_warp, two_warps;  ///< cycles an FFMA of the sub-core
  int interval = 1;
};

PortResults measure(Context& context, const ProbeCubin& probe) {
  PortTimer timer(context, probe);
  PortResults results;
  double close[2] = {};
  for (const PortCase& port_case : port_cases()) {
    results.streams.push_back(
        port_stream(port_case, probe_ffma, probe.sources, probe.destinations));
    const auto trips = timer.cycles_per_trip(results.streams.back(), {1, 8});
    // 8 warps: two on each sub-core.
    const double cycles[2] = {median(trips[0].values), median(trips[1].values) / 2};
    if (results.streams.size() == 1) {
      results.interval = std::max(1, static_cast<int>(std::lround(cycles[0] / probe_ffma)));
      for (int i = 0; i < 2; ++i) close[i] = cycles[i] - results.interval * probe_ffma;
    }
    results.one_warp.push_back((cycles[0] - close[0]) / probe_ffma);
    results.two_warps.push_back((cycles[1] - close[1]) / probe_ffma);
  }
  if (std::abs(close[0]) > 0.1 * results.interval * probe_ffma)
    throw std::runtime_error(text("FFMA that read no register issue every {:.3f} cycles",
                                  results.interval + close[0] / probe_ffma));
  return results;
}

void publish_table(Context& context, const PortResults& results, const PortFit& two,
                   const PortFit& four) {
  Table table{
      {"name", "one warp", "2 banks", "4 banks", "two warps"},
      {"", "cycle/inst", "cycle/inst", "cycle/inst", "cycle/inst"},
      {},
      text("digits: banks mod 4 of the sources of each FFMA; r: held under .reuse, h: held, "
           "x: the register before. One warp on a sub-core, and two; 2 and 4 banks: the "
           "fitted rules, windows {} and {}, a register named twice read {} and {}",
           two.rule.window, four.rule.window, two.rule.merged ? "once" : "twice",
           four.rule.merged ? "once" : "twice")};
  for (std::size_t i = 0; i < results.streams.size(); ++i) {
    const PortCase& port_case = port_cases()[i];
    const bool brief = port_case.stream.size() <= 32;
    table.rows.push_back(
        {brief ? port_case.name + ": " + port_case.stream : port_case.name,
         {results.one_warp[i], two.cycles[i], four.cycles[i], results.two_warps[i]}});
  }
  context.table("register.ports", table);
}

void decide(Context& context, const PortResults& results) {
  const PortFit two = fit_port_rule(results.streams, results.one_warp, 2, results.interval);
  const PortFit four = fit_port_rule(results.streams, results.one_warp, 4, results.interval);
  publish_table(context, results, two, four);
  const PortFit& best = two.worst <= four.worst ? two : four;
  const PortFit& other = two.worst <= four.worst ? four : two;
  const std::string errors =
      text("largest error over {} streams: {:.2f} % with 2 banks, {:.2f} % with 4",
           results.streams.size(), 100 * two.worst, 100 * four.worst);
  if (best.worst > port_tolerance || other.worst <= port_tolerance) {
    for (const char* id : {"register.banks", "register.window"})
      context.fail(id, text("{}: {}",
                            best.worst > port_tolerance ? "neither number of banks explains "
                                                          "all streams within 2 %"
                                                        : "both do",
                            errors));
    return;
  }
  context.exact("register.banks", best.rule.banks, "the only rule that explains all streams",
                errors);
  context.exact(
      "register.window", best.rule.window, "fitted with the number of banks",
      text("{}; a register named twice is read {}", errors, best.rule.merged ? "once" : "twice"));
}

void run(Context& context) {
  try {
    const ProbeCubin probe = read_probe(assemble(probe_ptx()));
    decide(context, measure(context, probe));
  } catch (const NoAssembler& error) {
    for (const char* id : {"register.banks", "register.window"}) context.skip(id, error.what());
  }
}

const Register registered{
    {"register_ports", "register banks and operand window, by exact register numbers", 0.6, run}};

}  // namespace
}  // namespace rooftile::micro
