#include "dense/split/traits.h"

#pragma GCC diagnostic error "-Wswitch" /* a sampling or a pool without a line */

const char *const shw_sampling_names[] = {SHW_SAMPLINGS(SHW_TRAIT_NAME) NULL};
const char *const shw_pool_names[] = {SHW_POOLS(SHW_TRAIT_NAME) NULL};
const char *const shw_prior_names[] = {SHW_PRIORS(SHW_TRAIT_NAME) NULL};
const char *const shw_weighting_names[] = {SHW_WEIGHTINGS(SHW_TRAIT_NAME) NULL};
const char *const shw_score_names[] = {"information-gain", "gini",       "misclassification",
                                       "normalised-gain",  "gain-ratio", NULL};
const char *const shw_threshold_names[] = {"best", "random", NULL};

_Static_assert(SHW_WEIGHTING_COUNT == SHW_WEIGHTING_GIVEN, "a weighting without a line");

bool shw_sampling_is_planned(enum shw_pixel_sampling sampling)
{
#define PLANNED(value, name, help, list, quotas, planned)                                                              \
    case value: return planned;
    switch (sampling) {
        SHW_SAMPLINGS(PLANNED)
    }
    return false;
}

bool shw_pool_is_shared(enum shw_candidate_pool pool)
{
#define SHARED(value, name, help, shared)                                                                              \
    case value: return shared;
    switch (pool) {
        SHW_POOLS(SHARED)
    }
    return false;
}
