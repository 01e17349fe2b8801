/* The extensions of this program. */
#ifndef EXTEND_H
#define EXTEND_H

#include <shadewood/channel_kind.h>
#include <shadewood/shadewood.h>
#include <shadewood/stage.h>

extern const struct shw_channel_kind edge;
extern const struct shw_feature_type sparse_sum;

/* The stage `integrate` on the host. `channels` receives a copy of the channels; may be NULL. */
struct shw_stage_technique row_sums(int16_t *channels);

#endif
