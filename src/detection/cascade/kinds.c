#include "detection/cascade/kinds.h"

#define PYRAMID  true
#define RELATIVE true
#define ANGLES   true

/* Nothing can be left out. */
#define KIND(kind, name, test, window_max, min_size, has_pyramid, is_relative, has_angles)                             \
    [SHW_CASCADE_##kind] = {name, SHW_CASCADE_TEST_##test, window_max, min_size, has_pyramid, is_relative, has_angles}

static const struct shw_cascade_traits kinds[] = {
    KIND(PIXELS, "pixels", POINTS, 128, 1, PYRAMID, !RELATIVE, ANGLES),
    KIND(SCALED, "scaled-pixels", POINTS, 0, 30, !PYRAMID, RELATIVE, ANGLES),
    KIND(HAAR, "haar", SUM, 255, 1, !PYRAMID, !RELATIVE, !ANGLES),
    KIND(LBP, "lbp", PATTERN, 255, 1, !PYRAMID, !RELATIVE, !ANGLES),
};
_Static_assert(sizeof kinds / sizeof *kinds == SHW_CASCADE_KIND_COUNT, "an entry for each kind");

const struct shw_cascade_traits *shw_cascade_get_traits(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? &kinds[kind] : NULL;
}

const char *shw_cascade_kind_name(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? kinds[kind].name : NULL;
}
