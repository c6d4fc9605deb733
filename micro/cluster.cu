// Thread-block clusters: the cluster barrier, and distributed shared memory (the shared memory of
// another block of the cluster).
//
// Barrier: barrier.cluster.arrive and wait back to back by blocks of 256 threads of one cluster,
//   two lengths differenced; once with the release and acquire that the default form brings, once
//   relaxed.
// Latency: one lane of block 0 follows a chain of shared::cluster addresses in the shared memory of
//   block r; the loaded word is the next address.
// Bandwidth: each block reads (16 B a lane, 16 warps, 8 loads a trip of which at least 5 are in
//   flight) or writes the shared memory of
//   the block `distance` ranks further, one block an SM; bytes / cycles of each warp in a window of
//   SM cycles, added up and divided by the blocks.
//
// Expect on an H200: a load of another SM's shared memory about 180 cycles on an H100 PCIe (Luo et
// al., Benchmarking and Dissecting the Nvidia Hopper GPU Architecture, arXiv 2402.13499), which
// also finds that the bandwidth falls as the cluster grows; no public value for the barriers.
//
// Pitfalls: blocks of a cluster lie in one GPC, and which SMs they get is the hardware's choice, so
// that ranks are not distances in space; a cluster of 16 is not portable and may not fit; no block
// may end while another reads it, hence the closing barrier. Rank 0 in the curve over ranks is the
// block's own memory through the same path.
//
// ENTRY: cluster.barrier.latency.over_size | curve | cycle over count | barrier.cluster arrive and wait of blocks of 256 threads, over the blocks of the cluster
// ENTRY: cluster.barrier_relaxed.latency.over_size | curve | cycle over count | the same with arrive.relaxed
// ENTRY: cluster.dsmem.latency | metric | cycle | dependent loads from the shared memory of the other block of a cluster of two
// ENTRY: cluster.dsmem.latency.over_rank | curve | cycle over count | dependent loads by block 0 from block r of the largest portable cluster; 0 is its own
// ENTRY: cluster.dsmem.bandwidth | metric | byte/cycle/SM | reads of the other block's shared memory, clusters of two on all SMs
// ENTRY: cluster.dsmem.bandwidth.over_size | curve | byte/cycle/SM over count | reads of the next block's shared memory, clusters on all SMs, over the blocks of the cluster
// ENTRY: cluster.dsmem.bandwidth.over_distance | curve | byte/cycle/SM over count | reads of the block d ranks further, clusters of the largest portable size on all SMs
// ENTRY: cluster.one.dsmem.bandwidth.over_size | curve | byte/cycle/SM over count | reads of the next block's shared memory, one cluster alone, over its blocks
// ENTRY: cluster.dsmem.store_bandwidth.over_size | curve | byte/cycle/SM over count | writes of the next block's shared memory, clusters on all SMs, over the blocks of the cluster
#include "micro/cluster.cuh"

#include "micro/text.hpp"

#include "gpu/interrupt.hpp"
#include "micro/context.hpp"
#include "micro/microbenchmark.hpp"
#include "micro/timing.cuh"

namespace rooftile::micro {
namespace {

constexpr int cluster_unroll = 16;
constexpr int barrier_threads = 256;
constexpr int remote_threads = 512;
constexpr int remote_loads = 8;
constexpr unsigned remote_bytes = remote_threads * remote_loads * 16;  ///< of each block: 64 KiB
constexpr unsigned chain_slots = 256;

// The size is known at compile time: else each barrier asks first whether there is a cluster.
// CCTL.IVALL: the acquire of the wait drops what L1 holds.
// SASS: kernel=cluster_barrier_kernel UCGABAR_ARV=16 UCGABAR_WAIT=16 BAR=0 spill=0 sm>=90
// SASS: kernel=cluster_barrier_kernel.*Lb0E UCGABAR_ARV=16 MEMBAR=16 spill=0 sm>=90
// SASS: kernel=cluster_barrier_kernel.*Lb1E UCGABAR_ARV=16 MEMBAR=0 spill=0 sm>=90
template <int Size, bool Relaxed>
__global__ void ROOFTILE_CLUSTER_OF(Size) cluster_barrier_kernel(long long* cycles, int trips) {
  cluster_barrier<false>();
  const long long start = cycle_counter();
#pragma unroll 1
  for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
    for (int i = 0; i < cluster_unroll; ++i) cluster_barrier<Relaxed>();
  }
  const long long stop = cycle_counter();
  if (threadIdx.x == 0 && blockIdx.x == 0) cycles[0] = stop - start;
}

// SASS: kernel=remote_chain_kernel LD.64=16 other<=4 spill=0 sm>=90
__global__ void remote_chain_kernel(long long* cycles, unsigned* sink, unsigned rank, int trips) {
  __shared__ unsigned long long slots[chain_slots];
  // 33 is coprime to 256: one cycle through all slots.
  for (unsigned i = threadIdx.x; i < chain_slots; i += blockDim.x)
    slots[i] = address_in_block(slots + (i + 33) % chain_slots, cluster_rank());
  cluster_barrier<false>();
  if (cluster_rank() == 0 && threadIdx.x == 0) {
    unsigned long long at = address_in_block(slots, rank);
    const long long start = cycle_counter();
#pragma unroll 1
    for (int trip = 0; trip < trips; ++trip) {
#pragma unroll
      for (int i = 0; i < cluster_unroll; ++i) at = follow_remote(at);
    }
    if (at == 0) *sink = 1;  // waits for the chain's end
    cycles[0] = cycle_counter() - start;
  }
  cluster_barrier<false>();
}

struct RemotePlan {
  unsigned distance, size;
  unsigned toggle;  ///< 0, unknown to the compiler
  long long warm_cycles, window_cycles;
};

/// Each warp reads or writes its share of the block `distance` ranks further.
// SASS: kernel=remote_window_kernel.*Lb0E LD.128=8 ST=0 other<=40 spill=0 sm>=90
// SASS: kernel=remote_window_kernel.*Lb1E ST.128=8 LD=0 other<=40 spill=0 sm>=90
template <bool Store>
__global__ void __launch_bounds__(remote_threads)
    remote_window_kernel(double* sum_bytes_per_cycle, unsigned* sink, RemotePlan plan) {
  extern __shared__ __align__(128) unsigned char arena[];
  for (unsigned i = threadIdx.x; i < remote_bytes / 4; i += remote_threads)
    reinterpret_cast<unsigned*>(arena)[i] = hash32(blockIdx.x * remote_bytes + i);
  const unsigned target = (cluster_rank() + plan.distance) % plan.size;
  unsigned long long address = address_in_block(arena, target) + 16 * threadIdx.x;
  unsigned sum = 0, trips = 0;
  unsigned out[4];
  for (unsigned j = 0; j < 4; ++j) out[j] = hash32(threadIdx.x * 4 + j);
  cluster_barrier<false>();
  long long now = cycle_counter(), start = now, deadline = now + plan.warm_cycles;
#pragma unroll 1
  for (int phase = 0; phase < 2; ++phase) {
    start = now;
    trips = 0;
#pragma unroll 1
    do {
      unsigned words[remote_loads][4] = {};
#pragma unroll
      for (int i = 0; i < remote_loads; ++i) {
        if constexpr (Store)
          store_remote(address + i * remote_threads * 16, out);
        else
          load_remote(words[i], address + i * remote_threads * 16);
      }
      if constexpr (!Store) {
#pragma unroll
        for (int i = 0; i < remote_loads; ++i)
          sum ^= words[i][0] ^ words[i][1] ^ words[i][2] ^ words[i][3];
      }
      address ^= plan.toggle;
      ++trips;
      now = cycle_counter();
    } while (now < deadline);
    deadline = now + plan.window_cycles;
  }
  if (sum == 0x9e3779b9u) *sink = sum;
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum_bytes_per_cycle, trips * remote_loads * 512.0 / static_cast<double>(now - start));
  cluster_barrier<false>();
}

template <int Size, bool Relaxed>
void add_barrier(Context& context, std::vector<CurvePoint>& points) {
  const auto kernel = cluster_barrier_kernel<Size, Relaxed>;
  allow_cluster(kernel, 0);
  const BlockCycles cycles(1);
  const ClusterLaunch cluster(Size, Size, barrier_threads, 0, context.stream());
  if (cluster.most_clusters(kernel) == 0) return;
  const auto launch = [&](int trips) { cluster(kernel, cycles.data(), trips); };
  points.push_back({static_cast<double>(Size), context.repeat([&] {
                      return differenced(cycles, context.stream(), launch, 8, 72) / cluster_unroll;
                    })});
}

template <bool Relaxed>
void barrier_over_size(Context& context, const char* id) {
  std::vector<CurvePoint> points;
  add_barrier<1, Relaxed>(context, points);
  add_barrier<2, Relaxed>(context, points);
  add_barrier<4, Relaxed>(context, points);
  add_barrier<8, Relaxed>(context, points);
  add_barrier<16, Relaxed>(context, points);
  context.curve(id, points, "one cluster, blocks of 256 threads, all arriving together");
}

Repetitions chain(Context& context, int size, unsigned rank) {
  BlockCycles cycles(1);
  DeviceBuffer<unsigned> sink(1);
  const ClusterLaunch cluster(size, size, 32, 0, context.stream());
  const auto launch = [&](int trips) {
    cluster(remote_chain_kernel, cycles.data(), sink.data(), rank, trips);
  };
  return context.repeat(
      [&] { return differenced(cycles, context.stream(), launch, 16, 144) / cluster_unroll; });
}

void latency(Context& context, int largest) {
  const char* method = "one lane, the loaded word is the next address, 256 slots";
  std::vector<CurvePoint> points;
  for (int rank = 0; rank < largest; ++rank)
    points.push_back(
        {static_cast<double>(rank), chain(context, largest, static_cast<unsigned>(rank))});
  context.metric("cluster.dsmem.latency", chain(context, 2, 1), "median of differences",
                 text("{}, cluster of two", method));
  context.curve("cluster.dsmem.latency.over_rank", points,
                text("{}, cluster of {}", method, largest));
}

class RemoteBench {
 public:
  explicit RemoteBench(Context& context)
      : context_(context),
        sum_(1),
        sink_(1),
        // More than half of an SM's: one block an SM.
        shared_bytes_(
            std::max<std::size_t>(remote_bytes, context.shared_bytes_per_block() / 2 + 4096)) {
    allow_cluster(remote_window_kernel<false>, shared_bytes_);
    allow_cluster(remote_window_kernel<true>, shared_bytes_);
  }

  /// byte/cycle/SM, no repetitions where no such cluster fits. `all`: as many clusters as fit.
  template <bool Store>
  Repetitions rate(int size, int distance, bool all) {
    const auto kernel = remote_window_kernel<Store>;
    const int fit = ClusterLaunch(size, size, remote_threads, shared_bytes_, context_.stream())
                        .most_clusters(kernel);
    if (fit == 0) return {};
    throw_if_interrupted();
    const int blocks = all ? fit * size : size;
    const ClusterLaunch clusters(size, blocks, remote_threads, shared_bytes_, context_.stream());
    const RemotePlan plan{static_cast<unsigned>(distance), static_cast<unsigned>(size), 0, 60'000,
                          240'000};
    return context_.repeat([&] {
      check(cudaMemsetAsync(sum_.data(), 0, sum_.size_bytes(), context_.stream()),
            "cudaMemsetAsync");
      clusters(kernel, sum_.data(), sink_.data(), plan);
      check(cudaStreamSynchronize(context_.stream()), "remote_window_kernel");
      double sum = 0;
      sum_.download(&sum, 1);
      return sum / blocks;
    });
  }

  template <bool Store>
  std::vector<CurvePoint> over_size(bool all) {
    std::vector<CurvePoint> points;
    for (const int size : {2, 4, 8, 16}) {
      Repetitions found = rate<Store>(size, 1, all);
      if (!found.values.empty()) points.push_back({static_cast<double>(size), std::move(found)});
    }
    return points;
  }

 private:
  Context& context_;
  DeviceBuffer<double> sum_;
  DeviceBuffer<unsigned> sink_;
  std::size_t shared_bytes_;
};

void bandwidth(Context& context, int largest) {
  RemoteBench bench(context);
  const std::string method =
      text("one block of {} threads an SM, 16 B a lane, window of SM cycles", remote_threads);
  const std::vector<CurvePoint> all = bench.over_size<false>(true);
  if (!all.empty())
    context.metric("cluster.dsmem.bandwidth", all.front().y, "median",
                   method + text(", clusters of {:.0f}", all.front().x));
  context.curve("cluster.dsmem.bandwidth.over_size", all, method);
  context.curve("cluster.one.dsmem.bandwidth.over_size", bench.over_size<false>(false),
                method + ", one cluster");
  context.curve("cluster.dsmem.store_bandwidth.over_size", bench.over_size<true>(true), method);
  std::vector<CurvePoint> distances;
  for (int distance = 0; distance < largest; ++distance)
    distances.push_back(
        {static_cast<double>(distance), bench.rate<false>(largest, distance, true)});
  context.curve("cluster.dsmem.bandwidth.over_distance", distances,
                method + text(", clusters of {}; distance 0 is the block's own memory", largest));
}

void run(Context& context) {
  const cudaDeviceProp& gpu = context.device().properties();
  if (gpu.major < 9 || context.device().attribute(cudaDevAttrClusterLaunch) == 0)
    return context.close(
        State::skipped,
        text("clusters need compute capability 9.0, this GPU has {}.{}", gpu.major, gpu.minor));
  allow_cluster(remote_chain_kernel, 0);
  int largest = 8;  // the largest that every such GPU supports (CUDA C++ Programming Guide)
  while (
      largest > 1 &&
      ClusterLaunch(largest, largest, 32, 0, context.stream()).most_clusters(remote_chain_kernel) ==
          0)
    largest /= 2;
  if (largest < 2) return context.close(State::skipped, "no cluster of two blocks fits");
  barrier_over_size<false>(context, "cluster.barrier.latency.over_size");
  barrier_over_size<true>(context, "cluster.barrier_relaxed.latency.over_size");
  latency(context, largest);
  bandwidth(context, largest);
}

const Register registered{{"cluster", "cluster barrier, distributed shared memory", 0.4, run}};

}  // namespace
}  // namespace rooftile::micro
