// The pipelined main loop: STAGES slices of both operands in shared memory, one barrier a slice,
// fragments read one k-step ahead (also across slices).
#pragma once

#include "gemm/arguments.cuh"
#include "gemm/device/fragment.cuh"
#include "gemm/small/plan.cuh"

namespace rooftile::gemm::small {

/// The slices of K that a block sums. Slice 0 is the ragged one.
struct SliceRange {
  int count;        ///< 0: none
  int first_size;   ///< elements of the first
  long long start;  ///< along K
};

/// Of split `rank` of `splits`: they share the slices evenly, the first ones take one more.
template <int BK>
__device__ __forceinline__ SliceRange slice_range(long long K, int splits, int rank) {
  const int slices = static_cast<int>((K + BK - 1) / BK);
  const int share = slices / splits, rest = slices % splits;
  const int first = rank * share + (rank < rest ? rank : rest);
  const int ragged = static_cast<int>(K - (slices - 1LL) * BK);
  SliceRange range{share + (rank < rest ? 1 : 0), BK, 0};
  if (first == 0)
    range.first_size = ragged;
  else
    range.start = ragged + (first - 1LL) * BK;
  return range;
}

template <class Plan>
struct Fragments {
  float a[2][Plan::TM], b[2][Plan::TN];
  __device__ __forceinline__ void load(int buffer, unsigned address_a, unsigned address_b) {
    using P = Place<Plan>;
    load_fragment<Plan::TM, 4, P::GROUP_M>(a[buffer], address_a);
    load_fragment<Plan::TN, 4, P::GROUP_N>(b[buffer], address_b);
  }
};

/// Where a thread reads its fragments of k-step `k` in the first stage. Steps are counted within
/// the thread's group; eight share a swizzle.
template <class Plan>
class FragmentPlaces {
 public:
  __device__ __forceinline__ FragmentPlaces(unsigned shared, int k0, const Place<Plan>& place) {
#pragma unroll
    for (int i = 0; i < COUNT; ++i) {
      const int k = k0 + i * 8;
      a_[i] = shared + (k0 * A::PITCH + (place.m ^ A::swizzle(k))) * 4;
      b_[i] = shared + (Plan::A_FLOATS + k0 * B::PITCH + (place.n ^ B::swizzle(k))) * 4;
    }
  }
  __device__ __forceinline__ unsigned a(int k) const { return a_[k / 8] + k * A::PITCH * 4; }
  __device__ __forceinline__ unsigned b(int k) const { return b_[k / 8] + k * B::PITCH * 4; }

 private:
  using A = typename Plan::CopyA;
  using B = typename Plan::CopyB;
  static constexpr int COUNT = (Plan::K_STEPS + 7) / 8;
  unsigned a_[COUNT], b_[COUNT];
};

template <bool VALUE>
struct Flag {
  static constexpr bool value = VALUE;
};

/// The first slice where it is ragged: only its `size` steps, which the groups take in turn.
template <class Plan>
__device__ __forceinline__ void multiply_ragged(float (&acc)[Plan::TM][Plan::TN], unsigned shared,
                                                int size, const Place<Plan>& place) {
  using A = typename Plan::CopyA;
  using B = typename Plan::CopyB;
#pragma unroll 1
  for (int k = threadIdx.x / Plan::GROUP_THREADS; k < size; k += Plan::GROUPS) {
    Fragments<Plan> fragments;
    fragments.load(0, shared + (k * A::PITCH + (place.m ^ A::swizzle(k))) * 4,
                   shared + (Plan::A_FLOATS + k * B::PITCH + (place.n ^ B::swizzle(k))) * 4);
    outer_product(acc, fragments.a[0], fragments.b[0]);
  }
}

/// acc = the sum over `range`; `shared` is the address of PIPELINE_BYTES. Other threads may still
/// read there when it returns.
template <class Plan>
__device__ __forceinline__ void multiply(float (&acc)[Plan::TM][Plan::TN], unsigned shared,
                                         typename Plan::CopyA& copy_a, typename Plan::CopyB& copy_b,
                                         const SliceRange& range, const Place<Plan>& place) {
  constexpr int STAGES = Plan::STAGES, STEPS = Plan::K_STEPS;
  constexpr unsigned STAGE_BYTES = Plan::STAGE_FLOATS * 4, B_AT = Plan::A_FLOATS * 4;
  constexpr unsigned END = STAGES * STAGE_BYTES;

  if (range.count > 0) {
    copy_a.part(shared, range.first_size);
    copy_b.part(shared + B_AT, range.first_size);
  }
  end_copy_group();
#pragma unroll
  for (int s = 1; s < STAGES - 1; ++s) {
    if (s < range.count) {
      copy_a.full(shared + s * STAGE_BYTES);
      copy_b.full(shared + s * STAGE_BYTES + B_AT);
    }
    end_copy_group();
  }
  if constexpr (Plan::CopyA::STAGED) copy_a.skip(range.first_size + (STAGES - 2) * Plan::BK);

  int slice = 0;
  unsigned reading = 0, writing = (STAGES - 1) * STAGE_BYTES;
  wait_copy_groups<STAGES - 2>();
  __syncthreads();
  if (range.first_size < Plan::BK) {
    if (STAGES - 1 < range.count) {
#pragma unroll
      for (int k = 0; k < STEPS - 1; ++k) {
        copy_a.step(shared + writing, k, STEPS - 1);
        copy_b.step(shared + writing + B_AT, k, STEPS - 1);
      }
    }
    end_copy_group();
    multiply_ragged<Plan>(acc, shared, range.first_size, place);
    slice = 1, reading = STAGE_BYTES, writing = 0;
    wait_copy_groups<STAGES - 2>();
    __syncthreads();
  }

  const FragmentPlaces<Plan> places(shared, threadIdx.x / Plan::GROUP_THREADS * STEPS, place);
  Fragments<Plan> fragments;
  fragments.load(0, places.a(0) + reading, places.b(0) + reading);
  const auto one_slice = [&](auto copies) {
#pragma unroll
    for (int k = 0; k < STEPS; ++k) {
      if (k == STEPS - 1) {  // the next slice is there, and nobody reads the oldest any more
        wait_copy_groups<STAGES - 2>();
        __syncthreads();
        reading = reading + STAGE_BYTES == END ? 0 : reading + STAGE_BYTES;
      }
      const int next = (k + 1) % STEPS;
      fragments.load((k + 1) % 2, places.a(next) + reading, places.b(next) + reading);
      if (k < STEPS - 1 && copies.value) {
        copy_a.step(shared + writing, k, STEPS - 1);
        copy_b.step(shared + writing + B_AT, k, STEPS - 1);
      }
      if (k == STEPS - 2) {
        end_copy_group();
        writing = writing + STAGE_BYTES == END ? 0 : writing + STAGE_BYTES;
      }
      outer_product(acc, fragments.a[k % 2], fragments.b[k % 2]);
    }
  };
#pragma unroll 1
  for (; slice + STAGES - 1 < range.count; ++slice) one_slice(Flag<true>{});
#pragma unroll 1
  for (; slice < range.count; ++slice) one_slice(Flag<false>{});
}

}  // namespace rooftile::gemm::small
