/* Shared by the shaders of boosting. */
#include "boost_push.h"

layout(push_constant) uniform Push {
    shw_boost_push push;
};
#ifndef PATCHES_ACCESS
#define PATCHES_ACCESS readonly
#endif
layout(std430, set = 0, binding = SHW_BOOST_PATCHES) PATCHES_ACCESS buffer Patches {
    uint patches[];
};
