/* A pipeline: a list of stages over named planes, each with a technique, and everything between them: planes in the
 * forms that neighbouring stages want, barriers and copies, slots, transfers from and to the host. It depends on a
 * technique's form only, not on its name. */
#ifndef SHW_DENSE_PIPELINE_PIPELINE_H
#define SHW_DENSE_PIPELINE_PIPELINE_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "base/thread_pool.h"
#include "dense/channels/fill.h"
#include "dense/channels/posterior_device.h"
#include "dense/input/inputs.h"
#include "dense/means/means.h"
#include "dense/smooth/smooth.h"
#include "dense/stage/stage_technique.h"
#include "dense/target/target.h"
#include "dense/traverse/forest_table.h"
#include "vulkan/commands.h"

/* Planes between stages, the three kinds of results, and smoothed distributions. */
#define SHW_PIPELINE_PLANES_MAX (SHW_STAGE_COUNT + 3u)

/* The planes of smoothed distributions; those of SHW_DISTRIBUTION are then what is smoothed. */
#define SHW_PIPELINE_SMOOTHED "smoothed distribution"

/* A stage in a list, and the planes that it makes for the next stage (none if it is the last). */
struct shw_pipeline_step {
    enum shw_stage stage;
    const char *makes;
    VkFormat format;
    uint32_t more; /* by how many elements planes exceed the region in width and in height */
};

/* The stages needed to label with a forest. */
const struct shw_pipeline_step *shw_pipeline_stages(const struct shw_forest *forest, uint32_t *count);

struct shw_pipeline_planes {
    const char *name;
    VkFormat format;
    uint32_t more, count, allocated; /* planes in use, and planes allocated */
    uint32_t forms;                  /* on the device: what the neighbouring stages want; 0: both are on the host */
    struct shw_planes *slots;        /* on the device */
    void *host;                      /* of the current region; if a neighbouring stage is on the host */
    size_t host_size;                /* bytes */
};

struct shw_pipeline_stage {
    enum shw_stage stage;
    const struct shw_stage_technique *technique;
    shw_stage_add *add; /* of a built-in technique on the device; otherwise NULL */
    void *instance;     /* on the device */
    struct shw_stage_slot *slot;
    struct shw_stage_planes *described; /* for all slots */
    uint32_t makes, ends;               /* makes planes makes..ends-1; every stage but the first reads plane makes-1 */
    struct shw_forest_table table;      /* if the technique wants_forest; in the arena */
};

struct shw_pipeline_params {
    struct shw_device *device; /* NULL: all stages are on the host */
    const struct shw_forest *forest;
    uint32_t outputs;
    struct shw_forest_room room;
    bool scratch_per_slot; /* otherwise slots share all planes */
    bool keeps_planes; /* planes keep their contents from stage to stage and from frame to frame, so that stages can be
                          recorded alone; otherwise planes that are not in use at the same time can be in one place */
    struct shw_pipeline_technique techniques[SHW_STAGE_COUNT]; /* by enum shw_stage */
    enum shw_fill fill;                                        /* of missing depth */
    struct shw_smooth_windows smoothing; /* of results on a device, in the form of the last stage; on the host, zero */
    struct shw_target_formats formats;   /* to which results on a device are converted */
    bool keeps_integrals;                /* no mean planes: forests of few shapes read integral images as others do */
    VkExtent2D recorded; /* the largest image that is recorded, maybe in tiles; its depth is filled as a whole */
    struct shw_thread_pool *pool;   /* for stages on the host, or NULL */
    uint64_t memory;                /* limit for the planes of a region; 0: the usual one */
    const atomic_bool *interrupted; /* when set, running ends soon; may be NULL */
    /* Forests of several levels whose stages are all on the device: what this level says becomes so many images, which
     * the level above reads, and how it and those above it read those and the sources; 0: there are none. */
    uint32_t posteriors;
    struct shw_use reader;
    const struct shw_pipeline *below; /* of the level below, with such images; or NULL */
    struct shw_log log;
};

struct shw_pipeline {
    struct shw_pipeline_params params;
    const struct shw_forest_info *info;
    struct shw_means *means; /* the stages `integrate` and `evaluate` make and read these planes; or NULL */
    uint64_t number;         /* of forests so far, this one included */
    uint32_t stage_count, host_stages, planes_count;
    struct shw_pipeline_stage stages[SHW_STAGE_COUNT];
    struct shw_pipeline_planes planes[SHW_PIPELINE_PLANES_MAX];
    uint32_t width, height, slots;  /* the largest region on the device; slots is 0 until planes are made */
    uint32_t scratch_sets;          /* of planes: 1, or as many as slots */
    struct shw_arena arena;         /* planes, and the memory of built-in techniques */
    struct shw_fill_passes *fill;   /* if depth is filled and the first stage is on the device; it fills whole images */
    struct shw_filled_input filled; /* on the host: for stages there, and of parts of images */
    struct shw_smooth_passes *smooth;        /* if results are smoothed: their planes follow those of the last stage */
    struct shw_posterior_passes *posteriors; /* if the level above reads what this one says */
    struct shw_target_passes *targets;       /* if results are converted */
    /* Only for running: */
    struct shw_vulkan_image images[SHW_INPUTS_MAX];  /* of inputs: RGBA, 8 bits normalised or 16 bits as integers */
    VkImageView views[SHW_INPUTS_MAX];               /* of these as plain 2D images */
    struct shw_stage_source sources[SHW_INPUTS_MAX]; /* these, or what the level below has */
    struct shw_region region;                        /* in the sources */
    struct shw_buffer upload, readback;
};

/* Sets up the list; nothing is allocated yet. */
void shw_pipeline_begin(const struct shw_pipeline_params *params, struct shw_pipeline *pipeline);

/* Frees everything. Accepts a zero pipeline. The pipeline is zero afterwards. */
void shw_pipeline_end(struct shw_pipeline *pipeline);

/* The forest that a stage sees: one of few shapes is evaluated as one that reads mean planes. */
const struct shw_forest *shw_pipeline_forest(const struct shw_pipeline *pipeline, enum shw_stage stage);

/* The frame that it sees, whose planes have a margin then. */
struct shw_stage_frame shw_pipeline_seen_frame(const struct shw_pipeline *pipeline, enum shw_stage stage,
                                               struct shw_stage_frame frame);

/* Index of a stage in the list; stage_count if it is not there. */
uint32_t shw_pipeline_index(const struct shw_pipeline *pipeline, enum shw_stage stage);

bool shw_pipeline_on_host(const struct shw_pipeline *pipeline, uint32_t stage);
bool shw_pipeline_uses_host(const struct shw_pipeline *pipeline);
bool shw_pipeline_uses_device(const struct shw_pipeline *pipeline);

/* Makes planes and stages on the device, for regions up to that size. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
 * LIMIT; nothing is made then. */
enum shw_result shw_pipeline_make(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots);
void shw_pipeline_unmake(struct shw_pipeline *pipeline);

/* Whether shw_pipeline_make() would find that all planes of regions of that size fit the device's storage buffers. For
 * a pipeline of which nothing has been made. Errors: other ones of shw_pipeline_make(). */
enum shw_result shw_pipeline_fits(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots,
                                  bool *fits);

/* The memory that shw_pipeline_make() would take: in *need what is in the arena, in *other_bytes what custom techniques
 * allocate themselves. For a pipeline of which nothing has been made. Errors: those of shw_pipeline_make(). */
enum shw_result shw_pipeline_measure(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots,
                                     struct shw_arena_need *need, uint64_t *other_bytes);

/* The planes with that name; NULL if there are none. */
const struct shw_pipeline_planes *shw_pipeline_find(const struct shw_pipeline *pipeline, const char *name);

/* Whether another forest fits what is allocated; uses another forest from the next recording or run on, which must fit,
 * or else begins anew, and makes planes and stages if they have been made, for regions up to that size, next to the
 * current ones, which they replace, so nothing may be running. Errors: those of shw_pipeline_make(); the pipeline is
 * then as it was. */
bool shw_pipeline_has_room(const struct shw_pipeline *pipeline, const struct shw_forest *forest);
enum shw_result shw_pipeline_set_forest(struct shw_pipeline *pipeline, const struct shw_forest *forest);
enum shw_result shw_pipeline_remake(struct shw_pipeline *pipeline, const struct shw_forest *forest, uint32_t width,
                                    uint32_t height);

/* The last recording is not executed, so the next one must copy the forest to the device again. */
void shw_pipeline_forget(struct shw_pipeline *pipeline);

/* Records the filling of a whole image that is then recorded in tiles, whose sources become what is filled. Does
 * nothing if nothing is filled. shw_pipeline_record() does it for images that are one region. */
void shw_pipeline_record_fill(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                              VkExtent2D image, struct shw_stage_source *sources);

/* Records what smoothing reads of the frame's sources; does nothing if nothing is smoothed. shw_pipeline_record() does
 * it with the first stage, if that is on the device. */
void shw_pipeline_record_guide(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                               const struct shw_stage_frame *frame);

/* Records stage number `stage`; its inputs must be ready for it. Begins with a barrier against all uses of the
 * pipeline's memory by earlier commands, so that stages need none for what they write first. */
void shw_pipeline_record(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot, uint32_t stage,
                         const struct shw_stage_frame *frame);

/* Records barriers and copies between a stage and the next, in addition to the barrier at its beginning. */
void shw_pipeline_transition(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                             uint32_t stage, const struct shw_stage_frame *frame);

/* Records images of what results say in a tile, whose place in them is that of its results, for the level above: tile
 * `number` of `count` of an image. The last stage has been recorded. */
void shw_pipeline_record_posteriors(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                                    const struct shw_tile *tile, uint32_t number, uint32_t count);

/* The image of a slot that the level above reads as an input of that name. */
struct shw_stage_source shw_pipeline_posterior(const struct shw_pipeline *pipeline, uint32_t slot, const char *name);

/* The use of planes after the stage that makes them, and handing over, were recorded. */
struct shw_use shw_pipeline_ready_use(const struct shw_pipeline *pipeline, const struct shw_pipeline_planes *planes);

/* The use of the sources in the first stage and in those of the levels above. */
struct shw_use shw_pipeline_source_use(const struct shw_pipeline *pipeline);

/* Planes of results, and where a tile is in them. */
struct shw_pipeline_result {
    const struct shw_pipeline_planes *planes; /* NULL: there are none */
    uint32_t x, y;
};

/* The results with that name: SHW_LEAVES, SHW_DISTRIBUTION or SHW_ARGMAX, smoothed if the pipeline smooths. */
struct shw_pipeline_result shw_pipeline_result(const struct shw_pipeline *pipeline, const char *name,
                                               const struct shw_tile *tile);

/* Whether a target of that format is converted; otherwise results are copied. */
bool shw_pipeline_converts(const struct shw_pipeline *pipeline, uint32_t target, VkFormat format);

/* Records the conversion of a tile of results for a target, which shw_pipeline_converts(). `job` has the target, and of
 * overlays what these need. */
void shw_pipeline_convert(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                          const struct shw_tile *tile, struct shw_target_job job);

/* Records the copy of the tile, converted or not, in the first planes of a target's results, as many as its image has
 * layers, to its place in the image, whose results begin at (x, y) and which must be ready for shw_use_copy_target. */
void shw_pipeline_copy_out(const struct shw_pipeline *pipeline, VkCommandBuffer commands, uint32_t slot,
                           uint32_t target, const struct shw_image_use *use, const struct shw_tile *tile, uint32_t x,
                           uint32_t y);

/* The same of so many planes to a buffer whose format and strides are not 0. */
void shw_pipeline_copy_buffer(const struct shw_pipeline *pipeline, VkCommandBuffer commands, uint32_t slot,
                              uint32_t target, const struct shw_buffer_use *use, uint32_t layers,
                              const struct shw_tile *tile);

/* Bytes that the host's planes of a region may take. */
static inline uint64_t shw_pipeline_host_bytes(const struct shw_pipeline *pipeline)
{
    return pipeline->params.memory > 0 ? pipeline->params.memory : (uint64_t)512 << 20;
}

/* The largest number of pixels that a region may have, and that it may have for the storage buffers alone, as
 * shw_pipeline_region_pixels() counts them. */
uint64_t shw_pipeline_region_max(const struct shw_pipeline *pipeline);
uint64_t shw_pipeline_buffers_max(const struct shw_pipeline *pipeline);

/* Bytes that planes take per pixel of a region, on the host and on the device together. */
uint64_t shw_pipeline_pixel_bytes(const struct shw_pipeline *pipeline);

/* Pixels of a region with what planes have in addition: integral images a row and two columns, those of 16 bits rows
 * of a multiple of eight, mean planes their margin. */
uint64_t shw_pipeline_region_pixels(const struct shw_pipeline *pipeline, uint32_t width, uint32_t height);

/* How a run continues others: after that of the level below, of which it takes what it can; before that of the level
 * above, which takes its results. */
enum shw_pipeline_link { SHW_PIPELINE_ALONE = 0, SHW_PIPELINE_AFTER_BELOW = 1, SHW_PIPELINE_BEFORE_ABOVE = 2 };

/* Allocates what running needs for regions of this size of `inputs` (NULL: of 8 bits); `links`: a sum of enum
 * shw_pipeline_link. Errors: as shw_pipeline_make(). */
enum shw_result shw_pipeline_prepare(struct shw_pipeline *pipeline, const struct shw_chosen_inputs *inputs,
                                     uint32_t width, uint32_t height, uint32_t links);

/* Enlarges host planes next to stages on the host for a region of that size. Errors: MEMORY. */
enum shw_result shw_pipeline_host_planes(struct shw_pipeline *pipeline, uint32_t width, uint32_t height);

/* Whether running has been interrupted. Errors: CANCELLED. */
enum shw_result shw_pipeline_check_interruption(const struct shw_pipeline *pipeline);

/* Runs a stage on the host; its inputs must be in host planes. Errors: those of the technique. */
enum shw_result shw_pipeline_run_host(struct shw_pipeline *pipeline, uint32_t stage, const struct shw_tile *tile,
                                      const struct shw_chosen_inputs *inputs, const struct shw_labelling *out);

/* Runs all stages for one tile of an image, and waits. Call shw_pipeline_prepare() before if a stage uses the device.
 * Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST, CANCELLED, those of the techniques. */
enum shw_result shw_pipeline_run(struct shw_pipeline *pipeline, const struct shw_tile *tile,
                                 const struct shw_chosen_inputs *inputs, const struct shw_labelling *out);

/* Runs the levels of a forest in one submission, each of them with one call, from the lowest one on; all stages are on
 * the device and prepared with these links. *commands begin as NULL. The tile of a level below is the region of that
 * above it, and out of all but the uppermost is NULL. After an error *commands are NULL, and shw_pipeline_forget() is
 * to be called for the levels below. Errors: as above. */
enum shw_result shw_pipeline_run_linked(struct shw_pipeline *pipeline, uint32_t links, VkCommandBuffer *commands,
                                        const struct shw_tile *tile, const struct shw_chosen_inputs *inputs,
                                        const struct shw_labelling *out);

/* Transfers between host and device: each ensures that its buffer or image exists and is large enough; nothing may be
 * running. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result shw_pipeline_need_transfer(struct shw_pipeline *pipeline, VkDeviceSize upload, VkDeviceSize readback);
void shw_pipeline_free_transfer(struct shw_pipeline *pipeline);

/* Converts the region of the inputs into the upload buffer and records its copy into the source images, which the first
 * stage can then read; what the level below has is taken from there. */
void shw_pipeline_upload_sources(struct shw_pipeline *pipeline, VkCommandBuffer commands,
                                 const struct shw_chosen_inputs *inputs, const struct shw_region *region,
                                 uint32_t links);

/* The frame for a tile, with these sources. */
struct shw_stage_frame shw_pipeline_frame(const struct shw_pipeline *pipeline, const struct shw_tile *tile);

/* A forest as stages see it, with its texture. */
struct shw_stage_forest shw_stage_forest_of(const struct shw_forest *forest);

#endif
