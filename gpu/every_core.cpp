#include "gpu/every_core.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/interrupt.hpp"

namespace rooftile {

void on_every_core(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::exception_ptr first_failure;
  std::mutex mutex;
  const auto take_pieces = [&] {
    try {
      for (std::size_t i = next++; i < count; i = next++) {
        throw_if_interrupted();
        work(i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!first_failure) first_failure = std::current_exception();
      next = count;
    }
  };
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (std::size_t i = 1; i < std::min(cores, count); ++i) others.emplace_back(take_pieces);
  take_pieces();
  for (std::thread& thread : others) thread.join();
  if (first_failure) std::rethrow_exception(first_failure);
}

}  // namespace rooftile
