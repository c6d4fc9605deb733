#include "gemm/variant.hpp"
