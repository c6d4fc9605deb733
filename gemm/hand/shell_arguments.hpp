// What the hand-scheduled kernel takes besides its two tensor maps; one layout for shell.cu and the
// host.
#pragma once

namespace rooftile::gemm::hand {

inline constexpr int block_m = 256, block_n = 128, block_k = 32;

struct ShellArguments {
  float* c;
  float* partial;  ///< block_m x block_n sums a block, handed on from one block to another
  unsigned* flag;  ///< one word a block; zero between launches
  float alpha, beta;
  int m, n, ldc, k_tiles, tiles_m, tiles_n;
  int group;        ///< rows of tiles walked together
  int vector_c;     ///< C and its rows are aligned to 16 bytes
  int split_tiles;  ///< the first so many tiles are shared out by k-tiles, the rest are whole
  int split_share, split_rest;  ///< split_tiles * k_tiles = blocks * split_share + split_rest
};

}  // namespace rooftile::gemm::hand
