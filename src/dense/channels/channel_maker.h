/* Makers of channels. Each kind has one; kinds that share work have the same maker, which sees all their entries of a
 * list together. Nothing else depends on an entry's kind. */
#ifndef SHW_DENSE_CHANNELS_CHANNEL_MAKER_H
#define SHW_DENSE_CHANNELS_CHANNEL_MAKER_H

#include <shadewood/channel_kind.h>

#include "dense/channels/channels_stage.h"
#include "vulkan/commands.h"
#include "vulkan/planes.h"

/* A job for the technique `cpu`. */
struct shw_channels_job {
    const struct shw_channel_list *list;
    struct shw_channel_images images; /* none is NULL */
    struct shw_region region;
    uint32_t first, count; /* channels to make; the first one goes to plane 0 */
    int16_t *planes;
};

/* Makers record in phases; whatever one phase wrote, the next may read. The last phase writes the channels. */
#define SHW_CHANNEL_PHASES (1 + (int)SHW_CHANNEL_PASSES_MAX)

/* Makes the channels of a maker's entries on a device, in one form or in either. */
struct shw_channel_device_maker {
    int first_phase;
    int (*get_first_phase)(const struct shw_channel_list *list); /* instead, if it depends on the entries; or NULL */
    /* add: makes an instance without what depends on memory, and adds its buffers and images to the arena; the planes
     * and the kinds of `list` are borrowed. create: the rest, once the arena is made. Errors: MEMORY, DEVICE_MEMORY,
     * UNSUPPORTED, LIMIT; after a failure of create() the instance is to be destroyed. */
    enum shw_result (*add)(struct shw_arena *arena, const struct shw_channel_list *list,
                           const struct shw_channel_outputs *outputs, void **instance);
    enum shw_result (*create)(struct shw_device *device, void *instance);
    void (*destroy)(struct shw_device *device, void *instance);
    /* No recording of the slot may be pending. */
    void (*bind)(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views);
    /* Records the barriers before a phase, except those of the outputs before the last one; NULL: there are none. */
    void (*prepare)(void *instance, struct shw_recording *recording, uint32_t slot, int phase);
    /* Records the phase, without barriers. */
    void (*record)(void *instance, struct shw_recording *recording, uint32_t slot, int phase,
                   const struct shw_channel_source *sources, const struct shw_region *region);
};

struct shw_channel_maker {
    bool is_together; /* makes either all channels of an entry or none */
    /* Errors: MEMORY (without a message). */
    enum shw_result (*cpu)(const struct shw_channels_job *job, struct shw_thread_pool *pool);
    const struct shw_channel_device_maker *fragment, *compute;
};

/* For kinds that are compiled from a header. */
extern const struct shw_channel_maker shw_channel_code_maker;
enum shw_result shw_channel_code_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool);

/* Whether a header reads a second input. */
bool shw_channel_reads_other(const struct shw_channel_code *code);

/* How many shaders there are of a pass for a stage, by the views of what it reads: 1, 2 or SHW_CHANNEL_VIEWS. */
static inline uint32_t shw_channel_variants(bool reads_inputs, bool reads_other)
{
    return !reads_inputs ? 1 : reads_other ? SHW_CHANNEL_VIEWS : SHW_CHANNEL_VIEWS / 2;
}

/* For kinds whose `user` is a struct shw_filter. */
extern const struct shw_channel_maker shw_filter_bank_maker;
/* For kinds whose `user` is a struct shw_derivation. */
extern const struct shw_channel_maker shw_derived_maker;

const struct shw_channel_maker *shw_channel_maker_of(const struct shw_channel_kind *kind);

/* The makers of a range of channels of a list, each once; returns their number. */
uint32_t shw_channel_makers(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                            const struct shw_channel_maker *makers[SHW_CHANNELS_MAX]);

/* The distance in pixels beyond which pixels have no influence on a pass; `totals` has those of the passes before. */
uint32_t shw_channel_reading_total(const struct shw_channel_reading *reading, const uint32_t *totals);

/* The same of the channels of a kind that is compiled from a header. */
uint32_t shw_channel_code_total(const struct shw_channel_code *code);

/* What pass `pass` reads, of which the last, pass_count, makes the channels. */
struct shw_channel_reading shw_channel_reading_of(const struct shw_channel_code *code, uint32_t pass);

/* The distance in pixels beyond which pixels have no influence on the entry's channels. */
uint32_t shw_channel_entry_radius(const struct shw_channel_entry *entry);

/* The entry that makes a channel. */
const struct shw_channel_entry *shw_channel_entry_of(const struct shw_channel_list *list, uint32_t channel);

/* Kinds that are compiled from a header, on a device: a pass from the source images, and planes of passes before it, to
 * its plane or to the channels of an entry. */

/* The largest radius that the header of a kind may have. */
#define SHW_CHANNEL_CODE_RADIUS_MAX 8

extern const struct shw_channel_device_maker shw_channel_code_device;

struct shw_code_step {
    struct shw_channel_entry entry;
    uint32_t pass;                    /* of the kind; code->pass_count: the one that makes the channels */
    const struct shw_planes *targets; /* one per slot, borrowed */
    const struct shw_planes *passed;  /* the planes of passes, image by image [pass * slots + slot], or in one buffer
                                         [slot]; NULL: there are none */
    uint32_t slots;
    enum shw_planes_form form;
    struct shw_program programs[SHW_CHANNEL_VIEWS]; /* those that the kind needs */
    struct shw_buffer table;
    struct shw_sets sets;              /* one per slot */
    struct shw_target *render_targets; /* one per slot; NULL: buffers are written */
};

/* Writes the planes of the entry, whose kind has code, to plane entry->first of the targets and those after it. On
 * failure *step may be partly made and must be destroyed; its table belongs to the arena, which must be made before
 * shw_code_step_create(). */
enum shw_result shw_code_step_add(struct shw_arena *arena, const struct shw_channel_entry *entry,
                                  const struct shw_planes *targets, uint32_t slots, enum shw_planes_form form,
                                  struct shw_code_step *step);
enum shw_result shw_code_step_create(struct shw_device *device, struct shw_code_step *step);

/* Accepts a zero step. The step is zero afterwards. */
void shw_code_step_destroy(struct shw_device *device, struct shw_code_step *step);

/* No recording of the slot may be pending. */
void shw_code_step_bind(const struct shw_code_step *step, struct shw_device *device, uint32_t slot,
                        const VkImageView *views);

/* Without barriers. */
void shw_code_step_record(const struct shw_code_step *step, struct shw_recording *recording, uint32_t slot,
                          const struct shw_channel_source *sources, const struct shw_region *region);

#endif
