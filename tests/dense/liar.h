/* The type of holes.h, which says that all responses are defined: what it says of one is ignored everywhere. */
#include "holes.h"

#undef SHW_FEATURE_MAY_BE_UNDEFINED
#define SHW_FEATURE_MAY_BE_UNDEFINED 0
