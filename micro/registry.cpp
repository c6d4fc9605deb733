#include "micro/microbenchmark.hpp"
