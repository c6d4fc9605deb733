// What every fuzz target shares. A target is one file that defines LLVMFuzzerTestOneInput and a
// folder of inputs of its own name under corpus/. Built for libFuzzer (preset `fuzz`) it explores;
// in every other build replay.cpp runs the corpus and a fixed number of damaged copies of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace rooftile::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Runs `read`: it may refuse its input with InputError that says something, and nothing else. Any
/// other exception leaves the target and ends the fuzzer.
template <typename Read>
void read_or_refuse(Read read) {
  try {
    read();
  } catch (const InputError& refused) {
    if (std::string_view(refused.what()).empty()) std::abort();
  }
}

inline void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace rooftile::fuzz
