/* What this program adds to Shadewood. */
#ifndef EXTEND_H
#define EXTEND_H

#include <shadewood/channel_kind.h>
#include <shadewood/shadewood.h>
#include <shadewood/stage.h>

extern const struct shw_channel_kind edge;
extern const struct shw_feature_type sparse_sum;

/* The stage `integrate` on the host. Its user is an int16_t array that the channels are copied to, or NULL. */
struct shw_stage_technique row_sums(int16_t *channels);

#endif
