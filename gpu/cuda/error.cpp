#include "gpu/cuda/error.hpp"
