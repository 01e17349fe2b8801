/* The type of tests/dense/holes.h. */
#ifndef SHW_TESTING_HOLES_TYPE_H
#define SHW_TESTING_HOLES_TYPE_H

#include <shadewood/feature.h>

extern const struct shw_feature_type holes;
extern const struct shw_feature_type holes_whole; /* the same, but it claims to look at the whole image */
extern const struct shw_feature_type liar;        /* the same, but its header says that all responses are defined */

struct shw_rectangle holes_rectangle(const struct shw_feature *feature);

#endif
