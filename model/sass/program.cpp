#include "model/sass/program.hpp"
#include "model/error.hpp"

#include <algorithm>

#include "model/kernel/architecture.hpp"

namespace rooftile::sass {

namespace {

/// Wavefronts of a full warp without conflicts, and of one lane (whose groups merge), by width.
constexpr ByWidth full_wavefronts{1, 2, 4}, lone_wavefronts{1, 1, 2};

std::uint8_t width_index(const Instruction& i) {
  const int width = i.width_bytes();
  return width == 16 ? 2 : width == 8 ? 1 : 0;
}

Action action_of(const Instruction& i) {
  const std::string_view base = i.base();
  if (base == "LDS" || base == "LDSM") return Action::shared_load;
  if (base == "STS" || base == "ATOMS") return Action::shared_store;
  if (base == "LDG" || base == "LD" || base == "LDL" || base == "ATOMG" || base == "ATOM") {
    return Action::global_load;
  }
  if (base == "STG" || base == "ST" || base == "STL" || base == "RED" || base == "REDG") {
    return Action::global_store;
  }
  if (base == "LDGSTS") return Action::copy;
  if (base == "LDGDEPBAR") return Action::commit_group;
  if (base == "DEPBAR" && i.has("LE")) return Action::wait_groups;
  if (base == "SYNCS") return Action::test_mbarrier;
  return base == "BAR" && !i.has("ARV") ? Action::block_barrier : Action::plain;
}

Pipe pipe_of(const Instruction& i) {
  const std::string_view base = i.base();
  const auto is = [&](auto... names) { return ((base == names) || ...); };
  if (is("FFMA", "FMUL", "FADD", "HFMA2", "HADD2", "HMUL2")) return Pipe::fma;
  if (is("IMAD", "IDP")) return Pipe::imad;
  if (is("MUFU", "F2I", "I2F", "F2F", "POPC", "FLO", "BREV")) return Pipe::slow;
  if (is("SHFL")) return Pipe::shuffle;
  if (base.size() >= 4 && base.substr(base.size() - 3) == "MMA") return Pipe::mma;
  if (is("IADD3", "IADD", "VIADD", "LOP3", "SHF", "LEA", "ISETP", "FSETP", "SEL", "FSEL", "PRMT",
         "MOV", "PLOP3", "VIMNMX", "IMNMX", "FMNMX", "I2FP", "IABS", "P2R", "R2P", "VIADDMNMX")) {
    return Pipe::alu;
  }
  return Pipe::none;
}

double pipe_cycles(Pipe pipe, const Machine& m) {
  switch (pipe) {
    case Pipe::fma:
      return m.fma_interval_cycles;
    case Pipe::imad:
      return m.imad_interval_cycles;
    case Pipe::alu:
      return m.alu_interval_cycles;
    case Pipe::slow:
      return m.slow_interval_cycles;
    case Pipe::shuffle:
      return m.shuffle_interval_cycles;
    case Pipe::mma:
      return m.mma_interval_cycles;
    default:
      return 0;
  }
}

/// Latency of a load by its wavefronts: measured for one lane and for a conflict-free warp, linear
/// between; a wavefront more takes a cycle more.
double shared_latency(std::size_t width, double wavefronts, const Machine& m) {
  const double lone = m.lds_lone_latency_cycles[width], full = m.lds_latency_cycles[width];
  const double few = lone_wavefronts[width], many = full_wavefronts[width];
  if (wavefronts >= many || many == few) return full + std::max(0.0, wavefronts - many);
  return lone + (full - lone) * std::max(0.0, wavefronts - few) / (many - few);
}

/// By wavefronts too: a full load merged to half its wavefronts brings two registers a cycle.
double stolen_cycles(std::size_t width, double wavefronts, const Machine& m) {
  if (width != 2 || wavefronts >= full_wavefronts[2]) return m.lds_stolen_cycles[width];
  const double merged = std::min(1.0, (full_wavefronts[2] - wavefronts) / 2);
  return m.lds_stolen_cycles[2] + merged * (m.lds_merged_stolen_cycles - m.lds_stolen_cycles[2]);
}

double plain_latency(const Step& step, const Machine& m) {
  if (step.pipe == Pipe::mma) return m.mma_latency_cycles;
  if (step.pipe == Pipe::slow) return m.slow_latency_cycles;
  return step.action == Action::test_mbarrier ? m.mbarrier_latency_cycles
                                              : m.shuffle_latency_cycles;
}

class Costs {
 public:
  Costs(const Machine& machine, const Load& load, Removed removed)
      : m_(machine),
        load_(load),
        removed_(removed),
        sharing_(static_cast<double>(load.warps()) / load.warps_of_one(machine.sub_cores)),
        local_in_l1_(load.blocks_per_sm * load.l1_bytes_per_block <= machine.l1_bytes) {}

  void fill(Step& step) const {
    const std::size_t width = step.width;
    switch (step.action) {
      case Action::shared_load:
        shared(load_.lds_wavefronts, m_.lds_interval_cycles, width, step);
        step.operand_cycles = m_.lds_interval_cycles[0];
        if (!removed(Cause::ports)) {
          step.stolen_cycles = stolen_cycles(width, load_.lds_wavefronts[width], m_);
        }
        break;
      case Action::shared_store:
        shared(load_.sts_wavefronts, m_.sts_interval_cycles, width, step);
        step.operand_cycles = m_.sts_interval_cycles[width];
        break;
      case Action::global_load:
      case Action::copy:
        if (step.local && local_in_l1_)
          local(width, step);
        else
          global(width, step);
        break;
      case Action::global_store:
        step.path_cycles = sharing_ * line_wavefronts(step)[width];
        step.operand_cycles = m_.sts_interval_cycles[width];
        break;
      default:
        step.latency_cycles = plain_latency(step, m_);
    }
    step.queued = step.path_cycles > 0 && !removed(Cause::queue_full);
    step.pipe_cycles = removed(Cause::pipe_busy) ? 0 : pipe_cycles(step.pipe, m_);
    if (removed(Cause::ports)) step.reads = {};
    if (removed(Cause::branch)) step.fetch_cycles = 0;
    if (removed(Cause::barrier) && step.action == Action::block_barrier)
      step.action = Action::plain;
  }

 private:
  bool removed(Cause cause) const { return (removed_ & bit(cause)) != 0; }

  void shared(const ByWidth& wavefronts, const ByWidth& interval, std::size_t width,
              Step& step) const {
    step.path_cycles = std::max(sharing_ * wavefronts[width], interval[width]);
    step.latency_cycles =
        removed(Cause::lds_wait) ? 0 : shared_latency(width, wavefronts[width], m_);
  }

  void global(std::size_t width, Step& step) const {
    const ByWidth& wavefronts =
        step.action == Action::copy ? load_.sts_wavefronts : line_wavefronts(step);
    step.path_cycles = sharing_ * std::max(step.least_path_cycles, wavefronts[width]);
    step.operand_cycles = m_.lds_interval_cycles[0];  // addresses, as of LDS.32
    if (removed(Cause::global_wait)) return;
    step.latency_cycles = load_.global_latency_cycles;
    if (load_.global_bytes_per_cycle > 0) {
      step.memory_cycles = sharing_ * lanes_per_warp * (4 << width) / load_.global_bytes_per_cycle;
    }
  }

  /// A word of local memory lies beside the same word of the other lanes.
  const ByWidth& line_wavefronts(const Step& step) const {
    return step.local ? full_wavefronts : load_.global_wavefronts;
  }

  /// Written back by L1 only when it needs the place, so L2 sees nothing of it.
  void local(std::size_t width, Step& step) const {
    step.path_cycles = sharing_ * full_wavefronts[width];
    step.operand_cycles = m_.lds_interval_cycles[0];  // addresses, as of LDS.32
    if (!removed(Cause::global_wait)) step.latency_cycles = m_.l1_latency_cycles;
  }

  const Machine& m_;
  const Load& load_;
  Removed removed_;
  double sharing_;    ///< warps of the SM for each one of this sub-core
  bool local_in_l1_;  ///< the local memory of all resident blocks fits beside their shared memory
};

Step decode(const Instruction& i, const Machine& machine) {
  Step step;
  step.action = action_of(i);
  step.pipe = pipe_of(i);
  step.yield = i.control.yield;
  step.local = i.base() == "LDL" || i.base() == "STL";
  step.width = width_index(i);
  step.wait_mask = static_cast<std::uint8_t>(i.control.wait_mask);
  step.write_scoreboard = static_cast<std::uint8_t>(i.control.write_scoreboard);
  step.read_scoreboard = static_cast<std::uint8_t>(i.control.read_scoreboard);
  step.reads = port_reads(i, machine.banks);
  step.stall_cycles = std::max(1, i.control.stall_cycles);
  if (step.action == Action::copy && !i.has("BYPASS")) {
    if (!machine.no_copies.empty()) throw MissingMetric(machine.no_copies);
    step.least_path_cycles = machine.copy_cycles[step.width];
  }
  if (step.action == Action::test_mbarrier && !machine.no_mbarriers.empty())
    throw MissingMetric(machine.no_mbarriers);
  if (step.action == Action::wait_groups && !i.operands.empty()) {
    step.groups =
        static_cast<int>(std::clamp<std::int64_t>(i.operands.back().value.value_or(0), 0, 63));
  }
  return step;
}

}  // namespace

Program decode(const Kernel& kernel, std::span<const std::size_t> path, bool cyclic,
               const Machine& machine) {
  Program program;
  program.cyclic = cyclic;
  for (const std::size_t at : path)
    program.steps.push_back(decode(kernel.instructions[at], machine));
  if (!cyclic || path.empty()) return program;
  const double bytes = bytes_per_instruction * static_cast<double>(path.size());
  if (bytes > machine.cached_bytes && !machine.fetch.x.empty()) {
    for (Step& step : program.steps) step.fetch_cycles = interpolate(machine.fetch, bytes);
  }
  program.steps.back().fetch_cycles += 1 + machine.branch_cycles;
  return program;
}

Program loaded(Program program, const Machine& machine, const Load& load, Removed removed) {
  const Costs costs(machine, load, removed);
  for (Step& step : program.steps) costs.fill(step);
  return program;
}

bool reads_global(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(), [](const Step& step) {
    return step.action == Action::global_load || step.action == Action::copy;
  });
}

bool reads_local(const Program& program) {
  return std::any_of(program.steps.begin(), program.steps.end(),
                     [](const Step& step) { return step.local; });
}

}  // namespace rooftile::sass
