// Descriptions of the ladder's kernels; formulas beside the counts they give.
#include "gemm/describe.hpp"

#include <algorithm>

#include "gemm/lanes.hpp"
#include "model/memory/wavefronts.hpp"

namespace rooftile::gemm {

namespace {

/// What the pieces of a description share.
struct Context {
  const TiledTraits& traits;
  const Tile& t;
  const GemmProblem& p;
  bool guarded;
  StagingShape a, b;
  int a_pitch;

  Context(const TiledTraits& traits_, const Tile& tile, const GemmProblem& problem)
      : traits(traits_),
        t(tile),
        p(problem),
        guarded(needs_guards(tile, traits_.vector_width, problem)),
        a{t.BM, t.BK, t.threads(), guarded ? 1 : traits_.vector_width},
        b{t.BK, t.BN, t.threads(), guarded ? 1 : traits_.vector_width},
        a_pitch((traits_.a_transposed ? t.BM : t.BK) + traits_.a_padding) {}

  int a_floats() const { return a_pitch * (traits.a_transposed ? t.BK : t.BM); }
  int b_floats() const { return t.BK * t.BN; }
  int stages() const { return traits.double_buffered ? 2 : 1; }
};

/// Staging loads; guarded kernels clamp rows past M and columns past N to the last one.
std::vector<GlobalAccess> global_accesses(const Context& c) {
  const std::int64_t lda = near_pitch(c.p.lda), ldb = near_pitch(c.p.ldb);
  const auto a = [&](int lane) {
    const Position at = c.a.of(lane);
    return std::min(at.row, c.p.M - 1) * lda + at.column;
  };
  const auto b = [&](int lane) {
    const Position at = c.b.of(lane);
    return at.row * ldb + std::min(at.column, c.p.N - 1);
  };
  return {{.name = "A",
           .width_bytes = 4 * c.a.width,
           .per_iteration = static_cast<double>(c.a.count()),
           .lanes = lanes_of(a)},
          {.name = "B",
           .width_bytes = 4 * c.b.width,
           .per_iteration = static_cast<double>(c.b.count()),
           .lanes = lanes_of(b)}};
}

/// Stores of the slices. A transposed A goes word by word, each of its `width` words in turn.
std::vector<SharedAccess> staging_stores(const Context& c) {
  const bool turned = c.traits.a_transposed;
  const auto a = [&](int lane) {
    const Position at = c.a.of(lane);
    return turned ? at.column * c.a_pitch + at.row : at.row * c.a_pitch + at.column;
  };
  const auto b = [&](int lane) {
    const Position at = c.b.of(lane);
    return at.row * c.t.BN + at.column;
  };
  return {{.name = "A slice store",
           .direction = Direction::store,
           .width_bytes = turned ? 4 : 4 * c.a.width,
           .per_iteration = static_cast<double>(c.a.count() * (turned ? c.a.width : 1)),
           .lanes = lanes_of(a)},
          {.name = "B slice store",
           .direction = Direction::store,
           .width_bytes = 4 * c.b.width,
           .per_iteration = static_cast<double>(c.b.count()),
           .lanes = lanes_of(b)}};
}

/// Fragments: TM + TN elements a thread and k-step. Shared memory is the same on both paths.
std::vector<SharedAccess> fragment_loads(const Context& c) {
  const int width = c.traits.vector_width;
  const auto place = [&](int lane) { return place_of(c.traits.place, c.t, lane); };
  const int a_stride = c.traits.a_transposed ? 1 : c.a_pitch;
  return {{.name = "A fragment",
           .direction = Direction::load,
           .width_bytes = 4 * width,
           .per_iteration = static_cast<double>(c.t.BK) * c.t.TM / width,
           .lanes = lanes_of([&](int lane) { return place(lane).row * a_stride; })},
          {.name = "B fragment",
           .direction = Direction::load,
           .width_bytes = 4 * width,
           .per_iteration = static_cast<double>(c.t.BK) * c.t.TN / width,
           .lanes = lanes_of([&](int lane) { return place(lane).column; })}};
}

double sum(const auto& accesses) {
  double total = 0;
  for (const auto& access : accesses) total += access.per_iteration;
  return total;
}

/// Integer work: two instructions advance each 64-bit pointer, one the loop counter; a double
/// buffer toggles two read bases, a write base and the sign of the step, and with uniform-register
/// copies that takes seven.
InstructionMix mix_of(const Context& c, const KernelDescription& k) {
  const double pointers = c.a.count() + c.b.count();
  return {.fma = static_cast<double>(c.t.BK * c.t.TM * c.t.TN),
          .integer = 2 * pointers + 1 + (c.traits.double_buffered ? 7 : 0),
          .control = 2,
          .barriers = c.traits.double_buffered ? 1.0 : 2.0,
          .shared_moves = sum(k.shared),
          .global_moves = sum(k.global)};
}

/// Launch bounds of the kernels: registers asked for, and so the cap (65,536 over the threads of
/// the blocks that then fit, in units of 8).
int register_cap(const TiledTraits& traits, const Tile& t) {
  const int fragments = t.TM + t.TN, tile = t.TM * t.TN;
  const int target = traits.max_thread_tile == 1 ? 32
                     : traits.double_buffered    ? tile + 2 * fragments + 32
                                                 : tile + fragments + 48;
  const int by_registers = 65536 / (t.threads() * target), by_threads = 2048 / t.threads();
  const int blocks = std::max(1, std::min(by_registers, by_threads));
  return std::min(255, 65536 / (t.threads() * blocks) / 8 * 8);
}

/// Accumulators, fragments and about 30 for pointers, staged values and counters. An estimate; the
/// compiler may use more where the launch bounds let it.
int register_need(const TiledTraits& traits, const Tile& t) {
  const int fragments = (traits.double_buffered ? 2 : 1) * (t.TM + t.TN);
  return t.TM * t.TN + fragments +
         (traits.vector_width == 1 ? 27
          : traits.double_buffered ? 29
                                   : 42);
}

KernelResources resources_of(const Context& c) {
  const int cap = register_cap(c.traits, c.t);
  return {.registers_per_thread = c.guarded ? cap : std::min(cap, register_need(c.traits, c.t)),
          .static_shared_bytes = 4 * c.stages() * (c.a_floats() + c.b_floats())};
}

void add_epilogue(KernelDescription& k, const TiledTraits& traits) {
  const int width = k.guarded || traits.scalar_result ? 1 : traits.vector_width;
  k.epilogue_stores = static_cast<double>(k.tile.TM) * k.tile.TN / width;
}

std::optional<std::string> no(const std::string& reason) { return reason; }
std::string number(int value) { return std::to_string(value); }

std::optional<std::string> illegal_levels(const TiledTraits& traits, const Tile& t) {
  if (std::min({t.BM, t.BN, t.BK, t.TM, t.TN}) < 1) return no("sizes must be at least 1");
  if (t.split_k != 1) return no("split_k is not implemented by this variant");
  if (t.raster != Raster::row || t.raster_group != 1)
    return no("only the row raster is implemented");
  if (t.stages != (traits.double_buffered ? 2 : 1))
    return no("stages must be " + number(traits.double_buffered ? 2 : 1) +
              ": the number of buffers");
  if (t.BM % t.TM != 0 || t.BN % t.TN != 0) return no("the thread tile must divide the block tile");
  if (std::max(t.TM, t.TN) > traits.max_thread_tile)
    return no("TM and TN must be at most " + number(traits.max_thread_tile));
  if (t.TM % traits.vector_width != 0 || t.TN % traits.vector_width != 0)
    return no("TM and TN must be multiples of " + number(traits.vector_width));
  if (traits.double_buffered && t.BK % 2 != 0) return no("BK must be even: fragments alternate");
  return std::nullopt;
}

std::optional<std::string> illegal_warps(const TiledTraits& traits, const Tile& t) {
  if (traits.place != PlaceKind::z_order)
    return t.WM == 0 && t.WN == 0 ? std::nullopt : no("WM and WN must be 0: no warp tile here");
  if (t.WM < 1 || t.WN < 1) return no("WM and WN must be given");
  if (t.WM % t.TM != 0 || t.WN % t.TN != 0) return no("the thread tile must divide the warp tile");
  const int m = t.WM / t.TM, n = t.WN / t.TN;
  if (m * n != 32 || m < 2 || n < 2)
    return no("a warp tile holds " + number(m) + "x" + number(n) +
              " threads; it must be 32, at least 2 each way");
  if (t.BM % t.WM != 0 || t.BN % t.WN != 0) return no("the warp tile must divide the block tile");
  return std::nullopt;
}

std::optional<std::string> illegal_staging(const TiledTraits& traits, const Tile& t) {
  for (const int width : {traits.vector_width, 1})
    for (const StagingShape& s : {StagingShape{t.BM, t.BK, t.threads(), width},
                                  StagingShape{t.BK, t.BN, t.threads(), width}})
      if (s.columns % width != 0 || s.threads < s.lanes() || !s.possible())
        return no(number(s.threads) + " threads cannot load a " + number(s.rows) + "x" +
                  number(s.columns) + " slice evenly, " + number(width) + " floats each");
  return std::nullopt;
}

std::optional<std::string> illegal_resources(const TiledTraits& traits, const Tile& t) {
  const GemmProblem whole = make_problem(t.BM, t.BN, t.BK);
  const int bytes = resources_of(Context(traits, t, whole)).static_shared_bytes;
  if (bytes > 48 * 1024)
    return no("needs " + number(bytes) + " bytes of shared memory; a static array may have 49152");
  const int need = register_need(traits, t), cap = register_cap(traits, t);
  if (need > cap)
    return no("needs about " + number(need) + " registers a thread, but " + number(t.threads()) +
              " threads leave " + number(cap) + ": it would spill");
  return std::nullopt;
}

std::optional<std::string> illegal_threads(const Tile& t) {
  if (t.threads() < 32 || t.threads() > 1024 || t.threads() % 32 != 0)
    return no(number(t.threads()) + " threads a block; must be a multiple of 32 up to 1024");
  return std::nullopt;
}

}  // namespace

std::optional<std::string> illegal_tiled(const TiledTraits& traits, const Tile& t) {
  if (auto reason = illegal_levels(traits, t)) return reason;
  if (auto reason = illegal_threads(t)) return reason;
  if (auto reason = illegal_warps(traits, t)) return reason;
  if (auto reason = illegal_staging(traits, t)) return reason;
  return illegal_resources(traits, t);
}

KernelDescription describe_tiled(const TiledTraits& traits, const Tile& t, const GemmProblem& p) {
  const Context c(traits, t, p);
  KernelDescription k;
  k.variant = traits.name;
  k.tile = t;
  k.threads_per_block = t.threads();
  k.resources = resources_of(c);
  k.k_iterations = p.alpha == 0 ? 0 : (p.K + t.BK - 1) / t.BK;
  k.global = global_accesses(c);
  k.shared = staging_stores(c);
  for (SharedAccess& access : fragment_loads(c)) k.shared.push_back(std::move(access));
  k.mix = mix_of(c, k);
  k.overlap = {.global_to_shared = traits.double_buffered,
               .shared_to_register = traits.double_buffered};
  k.loads_in_flight = sum(k.global);
  // Single buffer: the slice is waited for, then the first fragments after the barrier.
  k.exposed_global_latencies = k.exposed_shared_latencies = traits.double_buffered ? 0 : 1;
  k.guarded = c.guarded;
  add_epilogue(k, traits);
  const std::int64_t ldc = near_pitch(p.ldc);
  const int width = k.epilogue_stores == t.TM * t.TN ? 1 : traits.vector_width;
  k.epilogue_store_sectors = sectors(lanes_of([&](int lane) {
                                       const Position at = place_of(traits.place, t, lane);
                                       return at.row * ldc + at.column;
                                     }),
                                     4 * width);
  return k;
}

}  // namespace rooftile::gemm
