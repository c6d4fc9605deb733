// Device memory that the launches of a kernel on one stream share: they follow one another there.
//
// A launch holds its stream's space until its last kernel is enqueued, so host threads that launch
// on one stream do so one after the other. Spaces go by the stream's id, not its handle: a handle
// comes back after cudaStreamDestroy, with work of the old stream perhaps still running, and
// cudaStreamPerThread is one handle for a stream a thread.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "gpu/cuda/error.hpp"
#include "gpu/cuda/handles.hpp"
#include "model/error.hpp"

namespace rooftile {

/// A buffer that only grows.
template <class T>
class GrowingBuffer {
 public:
  /// Room for `count` elements, for work on `stream`, whose earlier work may use it too. What it
  /// held is lost when it grows.
  T* room(std::size_t count, cudaStream_t stream) {
    if (buffer_.size() < count) {
      check(cudaStreamSynchronize(stream), "growing a workspace");
      buffer_ = DeviceBuffer<T>();  // both at a time might not fit
      buffer_ = DeviceBuffer<T>(count);
    }
    return buffer_.data();
  }

 private:
  DeviceBuffer<T> buffer_;
};

/// A Space for each of the streams used last. Make it with new and never destroy it: at exit the
/// runtime may be gone before it.
template <class Space>
class StreamSpaces {
  struct Entry {
    int device;
    unsigned long long stream;
    std::mutex mutex;
    std::optional<Space> space;
    Entry(int device_, unsigned long long stream_) : device(device_), stream(stream_) {}
  };

 public:
  /// The space of a stream, nobody else's as long as this lives.
  class Lease {
   public:
    explicit Lease(std::shared_ptr<Entry> entry) : entry_(std::move(entry)), held_(entry_->mutex) {}
    Space& space() const { return *entry_->space; }

   private:
    friend class StreamSpaces;
    std::shared_ptr<Entry> entry_;
    std::unique_lock<std::mutex> held_;  // given back before entry_
  };

  /// `make` makes the space of a stream that has none. A graph would keep the space's address and
  /// may be launched at any time, so a stream that is being captured is refused (InputError that
  /// names `kernel`).
  template <class Make>
  Lease lease(cudaStream_t stream, std::string_view kernel, Make make) {
    refuse_capture(stream, kernel);
    int device = 0;
    unsigned long long id = 0;
    check(cudaGetDevice(&device), "cudaGetDevice");
    check(cudaStreamGetId(stream, &id), "cudaStreamGetId");
    Lease lease(entry_of(device, id));
    if (!lease.entry_->space) lease.entry_->space.emplace(make());
    return lease;
  }

 private:
  static constexpr std::size_t most_spaces = 8;  ///< of a device; one more replaces the oldest

  static void refuse_capture(cudaStream_t stream, std::string_view kernel) {
    cudaStreamCaptureStatus capture = cudaStreamCaptureStatusNone;
    check(cudaStreamIsCapturing(stream, &capture), "cudaStreamIsCapturing");
    if (capture != cudaStreamCaptureStatusNone)
      throw InputError(std::string(kernel) +
                       " needs a workspace here, which a graph would outlive; launch it outside of "
                       "stream capture");
  }

  /// The list is in the order of use, the latest first.
  std::shared_ptr<Entry> entry_of(int device, unsigned long long stream) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const auto& entry) {
      return entry->device == device && entry->stream == stream;
    });
    if (found != all_.end()) {
      all_.splice(all_.begin(), all_, found);
    } else {
      make_place(device);
      all_.push_front(std::make_shared<Entry>(device, stream));
    }
    return all_.front();
  }

  /// Drops the space of the current device that was used longest ago, if it has too many. The
  /// stream may be gone, hence the wait for the whole device.
  void make_place(int device) {
    std::size_t count = 0;
    auto oldest = all_.end();
    for (auto entry = all_.begin(); entry != all_.end(); ++entry) {
      if ((*entry)->device != device) continue;
      ++count;
      if (entry->use_count() == 1) oldest = entry;  // nobody holds it or waits for it
    }
    if (count < most_spaces || oldest == all_.end()) return;
    check(cudaDeviceSynchronize(), "dropping a workspace");
    all_.erase(oldest);
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<Entry>> all_;
};

}  // namespace rooftile
