// L2 near and far: latency of each SM to the lines of its own and of the other partition of L2.
//
// Method: l2_partition.cuh. near = a chain over the SM's lines after it has read them once (own
// partition, whatever their home). far = near plus what the first read of a line took longer when
// an SM of the other partition had read it before: the line lies in the other partition alone, so
// the load goes there and comes back. Both are means over lines and medians over SMs; the table has
// each SM.
//
// l2.replication: SM 0 reads lines until they are near to it, an SM of the other partition does the
// same, SM 0 reads them again. Share of the lines that are near to both: lines of which each
// partition holds a copy. 1 means that whatever all SMs read takes its size in both halves of L2.
//
// Expect on an H200: near 272 to 295 cycles by SM, median 282; far about 168 more, 450; half of the
// lines far; replication 1 (no public value). The plateau of 512 cycles of
// memory.latency.over_footprint (one SM, 40 to 56 MB) is neither: past the near partition's size no
// load is near any more. Lines homed in the far partition are far hits (450), those homed in the
// near one have been pushed out of it and come from DRAM, whose near half takes about 570: (450 +
// 570) / 2. Which SM a chain runs on thus moves its latency by up to 4 % either way.
//
// Pitfalls: far lines are far once only, then near: a chain that goes round cannot show them; a GPU
// whose L2 is not partitioned skips far and replication; %smid numbers SMs, but not their places.
//
// ENTRY: l2.latency.near | metric | cycle | dependent loads that hit the SM's own partition of L2, median of SMs
// ENTRY: l2.latency.far | metric | cycle | loads whose line only the other partition of L2 holds, median of SMs
// ENTRY: l2.replication | metric | 1 | share of the lines read by SMs of both partitions that each partition keeps a copy of
// ENTRY: l2.latency.by_sm | table | near and far L2 latency, partition and share of far lines of each SM
#include "micro/text.hpp"

#include <cmath>

#include "gpu/interrupt.hpp"
#include "micro/l2_partition.cuh"
#include "micro/microbenchmark.hpp"

namespace rooftile::micro {
namespace {

/// By SM, one value a repetition.
struct SmColumn {
  explicit SmColumn(std::size_t sms) : values(sms) {}
  std::vector<std::vector<double>> values;
  double median_of(std::size_t sm) const { return values[sm].empty() ? 0 : median(values[sm]); }
};

double median_of_finite(const std::vector<double>& values) {
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value)) finite.push_back(value);
  return finite.empty() ? std::nan("") : median(finite);
}

struct Found {
  explicit Found(std::size_t sms) : near_by_sm(sms), far_by_sm(sms), share_by_sm(sms) {}
  SmColumn near_by_sm, far_by_sm, share_by_sm;
  Repetitions near, far, replication;
  std::vector<int> partition;  ///< empty where L2 has one
};

/// Far latency of the SMs outside `partition`, whose SM `reader` touched all lines.
void far_side(PartitionProbe& probe, Found& found, unsigned reader, int partition,
              const std::vector<double>& near, std::vector<double>& far) {
  const std::vector<SmView> views = probe.views(reader);
  for (std::size_t sm = 0; sm < views.size(); ++sm) {
    if (found.partition[sm] == partition || views[sm].far_penalty == 0) continue;
    far[sm] = near[sm] + views[sm].far_penalty;
    found.far_by_sm.values[sm].push_back(far[sm]);
    found.share_by_sm.values[sm].push_back(views[sm].far_share);
  }
}

/// Share of the lines of SM `owner` that are near to SM `one` and SM `other` at once.
double replication(PartitionProbe& probe, unsigned one, unsigned other, double penalty) {
  const std::size_t count = probe.lines_an_sm(), from = other * count;
  probe.touch_by(one);
  probe.single_loads(one, other);
  const auto one_before = probe.single_loads(one, other);
  const auto other_first = probe.single_loads(other, other);
  const auto other_second = probe.single_loads(other, other);
  const auto one_after = probe.single_loads(one, other);
  const auto other_third = probe.single_loads(other, other);
  const auto slower = [&](const auto& a, const auto& b, std::size_t i) {
    return 1.0 * a[i] - b[i] > penalty / 2;
  };
  std::size_t both = 0, far = 0;
  for (std::size_t i = from; i < from + count; ++i) {
    if (!slower(other_first, other_second, i)) continue;  // homed near `other`: look at far ones
    ++far;
    both += !slower(one_after, one_before, i) && !slower(other_third, other_second, i);
  }
  return far == 0 ? std::nan("") : 1.0 * both / far;
}

void repetition(PartitionProbe& probe, Found& found) {
  throw_if_interrupted();
  probe.relink();
  const std::vector<double> near = probe.near_chains();
  for (std::size_t sm = 0; sm < near.size(); ++sm)
    if (std::isfinite(near[sm])) found.near_by_sm.values[sm].push_back(near[sm]);
  found.near.values.push_back(median_of_finite(near));
  if (found.partition.empty()) return;
  const auto other = static_cast<unsigned>(
      std::find(found.partition.begin(), found.partition.end(), 1) - found.partition.begin());
  std::vector<double> far(near.size(), std::nan(""));
  far_side(probe, found, 0, 0, near, far);
  far_side(probe, found, other, 1, near, far);
  const double middle = median_of_finite(far);
  found.far.values.push_back(middle);
  found.replication.values.push_back(
      replication(probe, 0, other, middle - found.near.values.back()));
}

Table table_of(const Found& found, unsigned lines_an_sm) {
  Table table;
  table.columns = {"name", "near", "far", "partition", "far_share"};
  table.units = {"", "cycle", "cycle", "count", "1"};
  table.method = text(
      "{} random lines an SM, ld.cg; near: chain after the SM has read them; far: first read after "
      "an SM of the other partition had read them, L2 flushed before (0 where not seen); partition "
      "0 is that of SM 0; names are %smid",
      lines_an_sm);
  for (std::size_t sm = 0; sm < found.near_by_sm.values.size(); ++sm) {
    const double partition = found.partition.empty() ? 0 : found.partition[sm];
    table.rows.push_back({text("SM {}", sm),
                          {found.near_by_sm.median_of(sm), found.far_by_sm.median_of(sm), partition,
                           found.share_by_sm.median_of(sm)}});
  }
  return table;
}

void publish_far(Context& context, const Found& found) {
  if (found.partition.empty()) {
    const std::string reason =
        "no SM takes longer for lines that another SM has read: this L2 is "
        "not partitioned, or not in a way that shows";
    context.skip("l2.latency.far", reason);
    context.skip("l2.replication", reason);
    return;
  }
  const auto others = std::count(found.partition.begin(), found.partition.end(), 1);
  context.metric("l2.latency.far", found.far, "median of SMs and repetitions",
                 text("near plus the excess of the first read of lines that an SM of the other "
                      "partition had read after a flush; {} and {} SMs",
                      found.partition.size() - static_cast<std::size_t>(others), others));
  context.metric("l2.replication", found.replication, "median of repetitions",
                 "lines homed in one partition that an SM of each reads near at once");
}

void run(Context& context) {
  PartitionProbe probe(context);
  Found found(probe.sms());
  if (const auto partition = partition_of_sms(probe.views(0))) found.partition = *partition;
  for (int i = 0; i < Context::repetitions(); ++i) repetition(probe, found);
  context.metric("l2.latency.near", found.near, "median of SMs and repetitions",
                 text("chain over {} lines of each SM, all SMs at once, one thread each, ld.cg",
                      probe.lines_an_sm()));
  publish_far(context, found);
  context.table("l2.latency.by_sm", table_of(found, probe.lines_an_sm()));
}

const Register registered{{"l2_partition", "near and far L2 latency of each SM", 0.5, run}};

}  // namespace
}  // namespace rooftile::micro
