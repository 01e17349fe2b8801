/* The channel kinds of motion (Sharp 2008, figure 11: temporal derivatives for head tracking). */
#include <shadewood/channel_kind.h>

extern const struct shw_channel_code shw_channel_code_dt, shw_channel_code_dt_gradient;
extern const struct shw_channel_kind shw_channel_kind_dt, shw_channel_kind_dt_gradient;

static const struct shw_channel_info change[] = {{"dt", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME},
                                                 {"abs-dt", 4080, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
/* the weights of either sign sum to 1, and differences may have either sign */
static const struct shw_channel_info gradient[] = {{"dt-dx", 8160, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_NEGATED},
                                                   {"dt-dy", 8160, 4, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};

const struct shw_channel_kind shw_channel_kind_dt = {.version = SHW_CHANNEL_KIND_VERSION,
                                                     .name = "dt",
                                                     .channel_count = 2,
                                                     .channels = change,
                                                     .code = &shw_channel_code_dt};
const struct shw_channel_kind shw_channel_kind_dt_gradient = {.version = SHW_CHANNEL_KIND_VERSION,
                                                              .name = "dt-gradient",
                                                              .channel_count = 2,
                                                              .channels = gradient,
                                                              .code = &shw_channel_code_dt_gradient};
