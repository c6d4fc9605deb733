// 2,000 random problems for every variant and every copy of it that differs in what a launch
// decides (gemm_small_family_test.cpp reaches each kernel of split_k_cluster): sizes to 512, both
// layouts, all transpositions, alpha and beta, padded rows, unaligned pointers, batches of up to
// three with their matrices one behind the other, apart, beside each other or (A and B) the same.
// Made, solved in FP64 and compared on the GPU.
//
// The reference knows nothing of canonical(): it steps through the matrices by their own layout.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <random>

#include "gemm/problem_arguments.hpp"
#include "gemm/variant.hpp"
#include "gemm_fixture.hpp"
#include "gemm_fuzz_check.cuh"

namespace rooftile::gemm {
namespace {

constexpr int problems = 2000, largest = 512, largest_batch = 3, largest_pad = 8;
constexpr std::int64_t guard = 64;  // words on both sides of each operand
constexpr std::int64_t arena_words = largest_batch * (largest + 1) * (largest + largest_pad) * 3;

struct Fuzz {
  GemmProblem problem;
  int offset_a = 0, offset_b = 0, offset_c = 0;
  bool poison_inputs = false;  ///< alpha is 0, so A and B must not be read
  std::uint32_t seed = 0;
};

class Dice {
 public:
  explicit Dice(unsigned seed) : random_(seed) {}
  int in(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool one_in(int n) { return in(1, n) == 1; }
  double scalar() {
    constexpr double scalars[] = {1, 0, -1.5, 0.25};
    return scalars[in(0, 3)];
  }

 private:
  std::mt19937 random_;
};

/// A third are whole tiles and aligned (the fast paths), a third small, a third anything.
void draw_sizes(Dice& dice, bool whole, GemmProblem& p) {
  const int most = dice.one_in(2) ? 40 : largest;
  p.M = whole ? 128 * dice.in(1, 4) : dice.in(1, most);
  p.N = whole ? 128 * dice.in(1, 4) : dice.in(1, most);
  p.K = whole ? 32 * dice.in(1, 16) : dice.in(1, dice.one_in(2) ? most : largest);
}

std::int64_t draw_stride(Dice& dice, std::int64_t packed, int unit, bool may_be_zero) {
  if (may_be_zero && dice.one_in(4)) return 0;
  return packed + unit * dice.in(0, largest_pad / unit);
}

void draw_batch(Dice& dice, int unit, GemmProblem& p) {
  p.batch = dice.in(1, largest_batch);
  if (p.batch == 1) return;
  const std::int64_t line_c = packed_leading_dimensions(p)[2];
  const bool beside = dice.one_in(4);
  if (beside) p.ldc = p.batch * (line_c + unit * dice.in(0, 1));
  const auto packed = packed_strides(p);
  p.stride_a = draw_stride(dice, packed[0], unit, true);
  p.stride_b = draw_stride(dice, packed[1], unit, true);
  p.stride_c = beside ? p.ldc / p.batch : draw_stride(dice, packed[2], unit, false);
}

Fuzz draw(Dice& dice) {
  Fuzz fuzz;
  GemmProblem& p = fuzz.problem;
  const bool whole = dice.one_in(3);
  const int unit = whole ? 4 : 1;
  draw_sizes(dice, whole, p);
  p.layout = dice.one_in(2) ? Layout::row_major : Layout::column_major;
  p.trans_a = dice.one_in(2);
  p.trans_b = dice.one_in(2);
  pack(p);
  for (std::int64_t* pitch : {&p.lda, &p.ldb, &p.ldc})
    *pitch += unit * dice.in(0, largest_pad / unit);
  draw_batch(dice, unit, p);
  p.alpha = dice.scalar();
  p.beta = dice.scalar();
  if (whole && p.alpha == 0) p.alpha = 1;
  fuzz.poison_inputs = p.alpha == 0 && dice.one_in(2);
  for (int* offset : {&fuzz.offset_a, &fuzz.offset_b, &fuzz.offset_c})
    *offset = whole ? 0 : dice.in(0, 3);
  fuzz.seed = static_cast<std::uint32_t>(dice.in(0, INT_MAX));
  return fuzz;
}

Steps steps(const GemmProblem& p, bool transposed, std::int64_t pitch, std::int64_t matrix) {
  const bool along_row = (p.layout == Layout::row_major) != transposed;
  return along_row ? Steps{pitch, 1, matrix} : Steps{1, pitch, matrix};
}

/// An operand at a random place in its arena, poisoned around.
class Arena {
 public:
  Arena() : words_(static_cast<std::size_t>(arena_words)) {}

  float* place(int offset) { return words_.data() + guard + offset; }
  std::int64_t words_of(const MatrixView& view, int offset) {
    return 2 * guard + offset + view.span();
  }
  void fill(MatrixView view, int offset, bool poison, std::uint32_t seed, cudaStream_t stream) {
    const auto words = words_of(view, offset);
    ASSERT_LE(words, arena_words);
    check(cudaMemsetAsync(words_.data(), 0xFF, static_cast<std::size_t>(words) * 4, stream),
          "cudaMemsetAsync");
    view.data = place(offset);
    if (!poison) fill_random(view, seed, stream);
  }
  std::uint32_t* bits() { return reinterpret_cast<std::uint32_t*>(words_.data()); }

 private:
  DeviceBuffer<float> words_;
};

class GemmFuzz : public GemmDevice {
 protected:
  void SetUp() override {
    GemmDevice::SetUp();
    if (IsSkipped()) return;
    const std::size_t results = largest_batch * largest * largest;
    sum_ = DeviceBuffer<double>(results);
    magnitude_ = DeviceBuffer<double>(results);
    for (const CompiledKernel& kernel : compiled_kernels())
      if (!unavailable(kernel)) kernels_.push_back(&kernel);
    failures_ = DeviceBuffer<FuzzFailures>(kernels_.size());
    const std::vector<FuzzFailures> none(kernels_.size(), {0, 0, INT_MAX});
    failures_.upload(none.data(), none.size());
    a_.emplace(), b_.emplace(), c_.emplace(), c0_.emplace();
  }

  void run(const Fuzz& fuzz, int number) {
    const GemmProblem& p = fuzz.problem;
    const auto lines = stored_lines(p), length = packed_leading_dimensions(p);
    const MatrixView view_a{nullptr, lines[0], length[0], p.lda, p.batch, p.stride_a};
    const MatrixView view_b{nullptr, lines[1], length[1], p.ldb, p.batch, p.stride_b};
    const MatrixView view_c{nullptr, lines[2], length[2], p.ldc, p.batch, p.stride_c};
    a_->fill(view_a, fuzz.offset_a, fuzz.poison_inputs, fuzz.seed, *stream_);
    b_->fill(view_b, fuzz.offset_b, fuzz.poison_inputs, fuzz.seed + 1, *stream_);
    c0_->fill(view_c, fuzz.offset_c, p.beta == 0, fuzz.seed + 2, *stream_);
    const std::int64_t words = c0_->words_of(view_c, fuzz.offset_c);
    check(cudaMemcpyAsync(c_->bits(), c0_->bits(), static_cast<std::size_t>(words) * 4,
                          cudaMemcpyDeviceToDevice, *stream_),
          "cudaMemcpyAsync");
    const FuzzCase on_device{.a = a_->place(fuzz.offset_a),
                             .b = b_->place(fuzz.offset_b),
                             .c0 = c0_->place(fuzz.offset_c),
                             .a_steps = steps(p, p.trans_a, p.lda, p.stride_a),
                             .b_steps = steps(p, p.trans_b, p.ldb, p.stride_b),
                             .c_steps = steps(p, false, p.ldc, p.stride_c),
                             .M = p.M,
                             .N = p.N,
                             .K = p.K,
                             .batch = p.batch,
                             .alpha = static_cast<float>(p.alpha),
                             .beta = static_cast<float>(p.beta)};
    fuzz_reference(on_device, sum_.data(), magnitude_.data(), *stream_);
    // The bound of gemm/problem_data.cuh.
    const double factor = 4 * std::sqrt(static_cast<double>(p.K) + 3) * 0x1p-24;
    float* const c = c_->place(fuzz.offset_c);
    for (std::size_t i = 0; i < kernels_.size(); ++i) {
      ++runs_;
      launch(*kernels_[i], arguments_of(p, on_device.a, on_device.b, c), *stream_);
      fuzz_check(on_device, c, sum_.data(), magnitude_.data(), factor, c_->bits(), c0_->bits(),
                 words, number, failures_.data() + i, *stream_);
    }
  }

  std::vector<const CompiledKernel*> kernels_;
  DeviceBuffer<FuzzFailures> failures_;
  DeviceBuffer<double> sum_, magnitude_;
  std::optional<Arena> a_, b_, c_, c0_;
  std::size_t runs_ = 0;
};

TEST_F(GemmFuzz, TwoThousandProblemsForEveryVariant) {
  Dice dice(20261130);
  std::vector<Fuzz> drawn;
  for (int i = 0; i < problems; ++i) {
    drawn.push_back(draw(dice));
    ASSERT_NO_THROW(check_problem(drawn.back().problem, "fuzz"));
    ASSERT_EQ(not_applicable(drawn.back().problem), std::nullopt);
    ASSERT_NO_FATAL_FAILURE(run(drawn.back(), i)) << problem_name(drawn.back().problem);
  }
  stream_->synchronize();
  std::vector<FuzzFailures> failures(kernels_.size());
  failures_.download(failures.data(), failures.size());
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const FuzzFailures& f = failures[i];
    const int first = f.first_problem < problems ? f.first_problem : 0;
    const Fuzz& fuzz = drawn[static_cast<std::size_t>(first)];
    EXPECT_EQ(f.wrong + f.overwritten, 0U)
        << kernels_[i]->variant << " " << tile_name(kernels_[i]->tile) << ": " << f.wrong
        << " wrong elements, " << f.overwritten << " words written beside C; first on problem "
        << first << ", " << problem_name(fuzz.problem) << ", offsets " << fuzz.offset_a << " "
        << fuzz.offset_b << " " << fuzz.offset_c;
  }
  EXPECT_EQ(runs_, static_cast<std::size_t>(problems) * kernels_.size());
}

}  // namespace
}  // namespace rooftile::gemm
