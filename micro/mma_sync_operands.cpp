// Operands of the tensor-core microbenchmarks on the host, by the conversions of the toolkit's
// headers, which run on the host too.
#include "micro/mma_sync_operands.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace rooftile::micro {
namespace {

/// Finalizer of MurmurHash3, as in timing.cuh, which only nvcc compiles.
std::uint32_t mixed(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x85ebca6bu;
  x ^= x >> 13;
  x *= 0xc2b2ae35u;
  return x ^ (x >> 16);
}

template <class T>
T stored(const std::vector<unsigned char>& operand, std::size_t index) {
  T value;
  std::memcpy(&value, operand.data() + index * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void store(std::vector<unsigned char>& operand, std::size_t index, T value) {
  std::memcpy(operand.data() + index * sizeof(T), &value, sizeof(T));
}

/// Rounded to the 10 fraction bits that TF32 reads: the hardware ignores the rest.
float to_tf32(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  bits = (bits + 0x1000u) & 0xffffe000u;
  std::memcpy(&value, &bits, sizeof(bits));
  return value;
}

void set_element(Format format, std::vector<unsigned char>& operand, std::size_t index,
                 double value) {
  const auto single = static_cast<float>(value);
  switch (format) {
    case Format::f16:
      return store(operand, index, __half_raw(__float2half(single)).x);
    case Format::bf16:
      return store(operand, index, __nv_bfloat16_raw(__float2bfloat16(single)).x);
    case Format::tf32:
      return store(operand, index, to_tf32(single));
    case Format::fp8:
      return store(operand, index, __nv_cvt_float_to_fp8(single, __NV_SATFINITE, __NV_E4M3));
    case Format::int8:
      return store(operand, index, static_cast<std::int8_t>(std::lround(127 * value)));
  }
}

double element(Format format, const std::vector<unsigned char>& operand, std::size_t index) {
  switch (format) {
    case Format::f16: {
      __half_raw raw;
      raw.x = stored<unsigned short>(operand, index);
      return __half2float(raw);
    }
    case Format::bf16: {
      __nv_bfloat16_raw raw;
      raw.x = stored<unsigned short>(operand, index);
      return __bfloat162float(raw);
    }
    case Format::tf32:
      return stored<float>(operand, index);
    case Format::fp8:
      return __half2float(__nv_cvt_fp8_to_halfraw(operand[index], __NV_E4M3));
    case Format::int8:
      return stored<std::int8_t>(operand, index);
  }
  return 0;
}

}  // namespace

std::vector<unsigned char> random_operand(Format format, std::size_t bytes, unsigned seed) {
  std::vector<unsigned char> operand(bytes);
  const std::size_t count = bytes / static_cast<std::size_t>(element_bytes(format));
  for (std::size_t i = 0; i < count; ++i) {
    const auto bits = static_cast<std::int32_t>(mixed(mixed(seed) + static_cast<unsigned>(i)));
    set_element(format, operand, i, bits / 2147483648.0);
  }
  return operand;
}

std::vector<unsigned char> negated(Format format, const std::vector<unsigned char>& from) {
  std::vector<unsigned char> operand(from.size());
  const std::vector<double> values = decoded(format, from);
  for (std::size_t i = 0; i < values.size(); ++i)
    set_element(format, operand, i, format == Format::int8 ? -values[i] / 127 : -values[i]);
  return operand;
}

std::vector<double> decoded(Format format, const std::vector<unsigned char>& operand) {
  std::vector<double> values(operand.size() / static_cast<std::size_t>(element_bytes(format)));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(format, operand, i);
  return values;
}

DotProduct dot_product(const double* a, const double* b, std::size_t count) {
  DotProduct dot;
  for (std::size_t k = 0; k < count; ++k) {
    dot.sum += a[k] * b[k];
    dot.magnitude += std::abs(a[k] * b[k]);
  }
  return dot;
}

double tolerance(Format format, bool half_accumulator) {
  if (format == Format::int8) return 0;
  if (half_accumulator) return 0x1p-7;
  return format == Format::fp8 ? 0x1p-6 : 0x1p-12;
}

}  // namespace rooftile::micro
