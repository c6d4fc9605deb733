// RAII for everything CUDA hands out: device memory, streams, events, and what cuBLAS and cublasLt
// make. Move-only.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <utility>

#include "gpu/cuda/error.hpp"

namespace rooftile {

/// `count` elements of device memory; uninitialized.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t count) : count_(count) {
    // The typed overload of cudaMalloc exists under nvcc only.
    check(cudaMalloc(reinterpret_cast<void**>(&data_), count * sizeof(T)), "cudaMalloc");
  }
  ~DeviceBuffer() { cudaFree(data_); }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), count_(std::exchange(other.count_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(count_, other.count_);
    return *this;
  }

  T* data() const { return data_; }
  std::size_t size() const { return count_; }
  std::size_t size_bytes() const { return count_ * sizeof(T); }

  void fill_bytes(int value) { check(cudaMemset(data_, value, size_bytes()), "cudaMemset"); }
  void upload(const T* from, std::size_t count) {
    check(cudaMemcpy(data_, from, count * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void download(T* to, std::size_t count) const {
    check(cudaMemcpy(to, data_, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
  }

 private:
  T* data_ = nullptr;
  std::size_t count_ = 0;
};

class Stream {
 public:
  Stream() {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "cudaStreamCreate");
  }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }
  void synchronize() const { check(cudaStreamSynchronize(stream_), "cudaStreamSynchronize"); }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreate(&event_), "cudaEventCreate"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }
  void record(cudaStream_t stream) { check(cudaEventRecord(event_, stream), "cudaEventRecord"); }
  void synchronize() const { check(cudaEventSynchronize(event_), "cudaEventSynchronize"); }
  /// Seconds from `start` to this event; both must be complete.
  double seconds_since(const Event& start) const {
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start, event_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaEvent_t event_ = nullptr;
};

class CublasHandle {
 public:
  explicit CublasHandle(cudaStream_t stream) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, stream), "cublasSetStream");
  }
  ~CublasHandle() { cublasDestroy(handle_); }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// Deleter of what one function of a library destroys.
template <auto destroy>
struct DestroyedBy {
  template <class Object>
  void operator()(Object* object) const {
    destroy(object);
  }
};

using CublasLtHandle = std::unique_ptr<cublasLtContext, DestroyedBy<cublasLtDestroy>>;
using CublasLtOperation =
    std::unique_ptr<cublasLtMatmulDescOpaque_t, DestroyedBy<cublasLtMatmulDescDestroy>>;
using CublasLtLayout =
    std::unique_ptr<cublasLtMatrixLayoutOpaque_t, DestroyedBy<cublasLtMatrixLayoutDestroy>>;
using CublasLtPreference =
    std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, DestroyedBy<cublasLtMatmulPreferenceDestroy>>;

}  // namespace rooftile
