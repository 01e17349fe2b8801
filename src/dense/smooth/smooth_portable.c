/* For any processor. */
#define LOOPS shw_smooth_loops
#define TARGET

#include "dense/smooth/smooth_loops.h"
