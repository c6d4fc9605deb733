// Descriptions of the ladder's tiled kernels; formulas beside the counts they give.
#include "gemm/describe.hpp"

#include <algorithm>

#include "gemm/tiled_kernel.hpp"
#include "model/memory/wavefronts.hpp"

namespace rooftile::gemm {

namespace {

/// Element (row, column) of a slice, as it lies, in its matrix. Guarded kernels take transposed
/// operands by strides, with the lanes along the other side, and clamp rows past M and columns past
/// N to the last one.
std::int64_t a_element(const TiledKernel& c, const Position& at) {
  const std::int64_t lda = near_pitch(c.p.lda);
  if (c.trans_a) return at.row * lda + at.column;
  const std::int64_t m = std::min(at.row, c.p.M - 1);
  return c.p.trans_a ? at.column * lda + m : m * lda + at.column;
}
std::int64_t b_element(const TiledKernel& c, const Position& at) {
  const std::int64_t ldb = near_pitch(c.p.ldb);
  if (c.trans_b) return at.row * ldb + at.column;
  const std::int64_t n = std::min(at.column, c.p.N - 1);
  return c.p.trans_b ? n * ldb + at.row : at.row * ldb + n;
}

std::vector<GlobalAccess> global_accesses(const TiledKernel& c) {
  const auto access = [&](const char* name, const StagingShape& s, auto element) {
    const int words = c.traits.word_by_word ? s.width : 1;
    return GlobalAccess{.name = name,
                        .width_bytes = 4 * s.width / words,
                        .per_iteration = static_cast<double>(s.count() * words),
                        .lanes = lanes_of([&](int lane) { return element(c, s.of(lane)); })};
  };
  return {access("A", c.a, a_element), access("B", c.b, b_element)};
}

/// Where element (row, column) of a slice goes; XOR as in device/swizzle.cuh.
std::int64_t a_place(const TiledKernel& c, const Position& at) {
  if (c.trans_a || !c.traits.a_transposed) return at.row * c.a_pitch + at.column;
  const std::int64_t m = c.traits.a_swizzled ? at.row ^ (4 * (at.column % 8)) : at.row;
  return at.column * c.a_pitch + m;
}
std::int64_t b_place(const TiledKernel& c, const Position& at) {
  return c.trans_b ? at.column * c.b_pitch + at.row : at.row * c.b_pitch + at.column;
}

/// Stores of the slices. What is turned on its way goes word by word, each of its `width` words in
/// turn. cp.async stores without an instruction of its own.
std::vector<SharedAccess> staging_stores(const TiledKernel& c) {
  const auto store = [&](const char* name, const StagingShape& s, bool turned, auto place) {
    return SharedAccess{.name = name,
                        .direction = Direction::store,
                        .width_bytes = turned ? 4 : 4 * s.width,
                        .per_iteration = static_cast<double>(s.count() * (turned ? s.width : 1)),
                        .lanes = lanes_of([&](int lane) { return place(c, s.of(lane)); }),
                        .issued = !c.traits.copied};
  };
  return {store("A slice store", c.a, c.traits.a_transposed && !c.trans_a, a_place),
          store("B slice store", c.b, c.trans_b, b_place)};
}

/// Fragments: TM + TN elements a thread and k-step, or both operands of each multiply-add. Shared
/// memory is the same on both paths.
std::vector<SharedAccess> fragment_loads(const TiledKernel& c) {
  const int width = c.traits.vector_width, TM = c.t.TM, TN = c.t.TN;
  const auto place = [&](int lane) { return place_of(c.traits.place, c.t, lane); };
  const int a_stride = c.traits.a_transposed ? 1 : c.a_pitch;
  const double steps = c.t.BK;
  return {{.name = "A fragment",
           .direction = Direction::load,
           .width_bytes = 4 * width,
           .per_iteration = steps * (c.traits.inner_product ? TM * TN : TM) / width,
           .lanes = lanes_of([&](int lane) { return place(lane).row * a_stride; })},
          {.name = "B fragment",
           .direction = Direction::load,
           .width_bytes = 4 * width,
           .per_iteration = steps * (c.traits.inner_product ? TM * TN : TN) / width,
           .lanes = lanes_of([&](int lane) { return place(lane).column; })}};
}

double issued(const auto& accesses) {
  double total = 0;
  for (const auto& access : accesses)
    if constexpr (requires { access.issued; })
      total += access.issued ? access.per_iteration : 0;
    else
      total += access.per_iteration;
  return total;
}

/// Integer work: two instructions advance each 64-bit pointer, one the loop counter. Two buffers
/// toggle two read bases, a write base and the sign of the step, and with uniform-register copies
/// that takes seven; a ring wraps two offsets, counts the slices left to copy and takes three empty
/// slots before the copies. The XORs of the swizzle stand before the loop.
InstructionMix mix_of(const TiledKernel& c, const KernelDescription& k) {
  const double pointers = c.a.count() + c.b.count();
  const double buffers = c.traits.copied ? 16 : c.traits.slices_ahead ? 7 : 0;
  return {.fma = static_cast<double>(c.t.BK * c.t.TM * c.t.TN),
          .integer = 2 * pointers + 1 + buffers,
          .control = c.traits.copied ? 4.0 : 2.0,
          .barriers = c.traits.slices_ahead ? 1.0 : 2.0,
          .shared_moves = issued(k.shared),
          .global_moves = issued(k.global)};
}

KernelResources resources_of(const TiledKernel& c) {
  const int cap = register_cap(c.traits, c.t);
  return {.registers_per_thread = c.guarded ? cap : std::min(cap, register_need(c.traits, c.t)),
          .static_shared_bytes = c.shared_bytes()};
}

/// Single buffer: the slice is waited for, then the first fragments after the barrier; those are
/// waited for, too, where slices but not fragments run ahead.
void add_waits(KernelDescription& k, const TiledTraits& traits) {
  k.overlap = {.global_to_shared = traits.slices_ahead,
               .shared_to_register = traits.slices_ahead && traits.fragments_ahead};
  k.loads_in_flight = issued(k.global);
  k.exposed_global_latencies = traits.slices_ahead ? 0 : 1;
  k.exposed_shared_latencies = k.overlap.shared_to_register ? 0 : 1;
}

void add_epilogue(KernelDescription& k, const TiledKernel& c) {
  const int width = c.guarded || c.traits.scalar_result ? 1 : c.traits.vector_width;
  const std::int64_t ldc = near_pitch(c.p.ldc);
  k.epilogue_stores = static_cast<double>(c.t.TM) * c.t.TN / width;
  k.epilogue_store = store_shape(lanes_of([&](int lane) {
                                   const Position at = place_of(c.traits.place, c.t, lane);
                                   return at.row * ldc + at.column;
                                 }),
                                 4 * width);
}

/// At most a part a slice, as launch_parts() in launch.cu deals them out.
void add_parts(KernelDescription& k, const TiledTraits& traits, const GemmProblem& p) {
  const std::int64_t slices = p.alpha == 0 ? 0 : (p.K + k.tile.BK - 1) / k.tile.BK;
  const bool splits = traits.sums != PartialSums::none;
  k.parts = splits ? static_cast<int>(std::clamp<std::int64_t>(slices, 1, k.tile.split_k)) : 1;
  k.k_iterations = (slices + k.parts - 1) / k.parts;
  if (traits.sums != PartialSums::workspace || k.parts == 1) return;
  // add_partial() of small/helpers.cuh as it is compiled: of each eight parts after the first three
  // waits, of what is left over one a part; the first part's load is on its way with the second's.
  const int later = k.parts - 1, waits = later / 8 * 3 + later % 8;
  k.sum_pass.waits = waits;
  k.sum_pass.floats_per_thread = p.N % 4 == 0 && p.ldc % 4 == 0 ? 4 : 1;
}

}  // namespace

KernelDescription describe_tiled(const TiledTraits& traits, const Tile& t, const GemmProblem& p) {
  const TiledKernel c(traits, t, p);
  KernelDescription k;
  k.variant = traits.name;
  k.tile = t;
  k.threads_per_block = t.threads();
  k.resources = resources_of(c);
  add_parts(k, traits, p);
  k.global = global_accesses(c);
  k.shared = staging_stores(c);
  for (SharedAccess& access : fragment_loads(c)) k.shared.push_back(std::move(access));
  k.mix = mix_of(c, k);
  add_waits(k, traits);
  k.guarded = c.guarded;
  k.persistent = traits.persistent;
  add_epilogue(k, c);
  return k;
}

}  // namespace rooftile::gemm
