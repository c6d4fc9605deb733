// The figures of public tools by their own methods, by ours, and by each single change between the
// two, so that a difference has a cause. A program of its own, not part of the build:
//
//   nvcc -std=c++20 -O3 -arch=sm_90a -I. -o public_methods micro/public_methods/public_methods.cu
//   ./public_methods [groups, e.g. ABCDEF]
//
// One line an experiment; 15 s and 13 GiB of GPU memory. "public" is the method of gpu-benches
// (RRZE-HPC; read from its sources): block sizes, access widths, buffers and timing as there. Its
// output on one H200 is data/h200/public-methods.txt.
#include "micro/public_methods/streams.cuh"

int main(int argc, char** argv) {
  const char* which = argc > 1 ? argv[1] : "ABCDEF";
  cudaDeviceProp prop;
  CK(cudaGetDeviceProperties(&prop, 0));
  SM = prop.multiProcessorCount;
  L2 = prop.l2CacheSize;
  printf("%s, %d SMs, L2 %zu B\n", prop.name, SM, L2);
  CK(cudaEventCreate(&ev0));
  CK(cudaEventCreate(&ev1));
  CK(cudaMalloc(&sink, 4));
  CK(cudaMalloc(&cyc, 8 * 1024));
  CK(cudaMalloc(&seg, 64));
  CK(cudaMalloc(&nsec, 8));
  CK(cudaMalloc(&hist, BINS * 4));
  size_t most = size_t{4} << 30;
  unsigned char *a, *b, *c;
  CK(cudaMalloc(&a, most));
  CK(cudaMalloc(&b, most));
  CK(cudaMalloc(&c, most));
  for (unsigned char* p : {a, b, c}) fill<<<8 * SM, 512>>>((unsigned*)p, most / 4);
  CK(cudaDeviceSynchronize());
  for (int i = 0; i < 400; ++i) stream_read<true><<<4096 * SM / 8, 512>>>(a, 640, 1, 1, sink);
  CK(cudaDeviceSynchronize());
  clock_now("start");
  for (const char* w = which; *w; ++w) {
    cudaEvent_t s, e;
    CK(cudaEventCreate(&s));
    CK(cudaEventCreate(&e));
    CK(cudaEventRecord(s));
    if (*w == 'A') group_a(a);
    if (*w == 'B') group_b(a);
    if (*w == 'C') group_c(b, most, c);
    if (*w == 'D') group_d(b, c);
    if (*w == 'E') group_e(a);
    if (*w == 'F') group_f(a, b, c, most);
    CK(cudaDeviceSynchronize());
    CK(cudaEventRecord(e));
    CK(cudaEventSynchronize(e));
    float ms;
    CK(cudaEventElapsedTime(&ms, s, e));
    printf("group %c took %.1f s\n", *w, ms / 1000);
    fflush(stdout);
  }
}
