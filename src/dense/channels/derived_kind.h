/* Derived kinds: channels that are computed at each pixel from planes of the filter bank, which are no channels
 * themselves. */
#ifndef SHW_DENSE_CHANNELS_DERIVED_KIND_H
#define SHW_DENSE_CHANNELS_DERIVED_KIND_H

#include "dense/channels/channel_maker.h"
#include "dense/channels/derived.h"

/* What src/dense/channels/CMakeLists.txt compiles from a header (shaders/dense/channels/derived.h). */
struct shw_derived_code {
    uint32_t channel_count, pass_count;
    void (*fill_row)(const struct shw_derived_row *row, uint32_t parameter, int16_t *const *channels);
    struct shw_channel_shader fragment, compute;
};

/* `user` of a derived kind. */
struct shw_derivation {
    const struct shw_derived_code *code;
    const struct shw_channel_kind *inputs[SHW_DERIVED_INPUTS]; /* of the filter bank, with the parameter of the kind;
                                                                  the planes of all are the header's inputs */
};

#define SHW_DERIVED_CHANNELS_MAX 6u
#define SHW_DERIVED_PASSES_MAX   2u

/* An entry of a list, and the planes among those of the plan's filters that are its inputs. */
struct shw_derived_step {
    struct shw_channel_entry entry;
    const struct shw_derived_code *code;
    uint32_t inputs[SHW_DERIVED_INPUTS];
};

struct shw_derived_plan {
    struct shw_channel_list filters; /* entries and channel_count only: each filter once */
    uint32_t step_count;
    struct shw_derived_step steps[SHW_CHANNELS_MAX];
};

/* For the entries of derived kinds that begin in a range of channels. */
void shw_derived_plan_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                           struct shw_derived_plan *plan);

/* In either form. */
extern const struct shw_channel_device_maker shw_derived_device;

#endif
