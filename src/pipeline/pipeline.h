/* A pipeline: a list of stages over named planes, each by a technique, with all that lies between them: planes in the
 * forms that neighbours want, barriers and copies, slots, transfers from and to the host. Which technique a stage has,
 * only its form tells. */
#ifndef SHW_PIPELINE_PIPELINE_H
#define SHW_PIPELINE_PIPELINE_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "base/thread_pool.h"
#include "evaluate/forest_table.h"
#include "input/inputs.h"
#include "pipeline/stage_technique.h"
#include "vulkan/recording.h"

/* Planes between stages, and the three kinds of results. */
#define SHW_PIPELINE_PLANES_MAX (SHW_STAGE_COUNT + 2u)

/* One stage of a list: what it makes for the next, unless it is the last. */
struct shw_pipeline_step {
    enum shw_stage stage;
    const char *makes;
    VkFormat format;
    uint32_t more; /* elements that the planes have more than the region, in width and height */
};

/* The stages by which a forest labels. */
const struct shw_pipeline_step *shw_pipeline_stages(const struct shw_forest *forest, uint32_t *count);

struct shw_pipeline_planes {
    const char *name;
    VkFormat format;
    uint32_t more, count, allocated; /* planes: that there are to be, and for which there is room */
    uint32_t forms;                  /* on the device: what the neighbours want; 0: both are on the host */
    struct shw_planes *slots;        /* on the device */
    void *host;                      /* of the region at hand; where a neighbour is on the host */
    size_t host_size;                /* bytes */
};

struct shw_pipeline_stage {
    enum shw_stage stage;
    const struct shw_stage_technique *technique;
    void *instance; /* on the device */
    struct shw_stage_slot *slot;
    struct shw_stage_planes *described; /* of all slots */
    uint32_t makes, ends;               /* planes: makes..ends-1; those before `makes` are read, but for the first */
    struct shw_forest_table table;      /* for a technique that wants the forest */
};

struct shw_pipeline_params {
    struct shw_device *device; /* NULL: everything is on the host */
    const struct shw_forest *forest;
    uint32_t outputs;
    struct shw_forest_room room;
    const struct shw_stage_technique *techniques[SHW_STAGE_COUNT]; /* by enum shw_stage */
    struct shw_thread_pool *pool;                                  /* for stages on the host, or NULL */
    const atomic_bool *interrupted;                                /* set: running ends soon. Or NULL */
    struct shw_log log;
};

struct shw_pipeline {
    struct shw_pipeline_params params;
    const struct shw_forest_info *info;
    uint64_t number; /* forests until now, with this one */
    uint32_t stage_count, host_stages, planes_count;
    struct shw_pipeline_stage stages[SHW_STAGE_COUNT];
    struct shw_pipeline_planes planes[SHW_PIPELINE_PLANES_MAX];
    uint32_t width, height, slots; /* regions that there is room for on the device; slots 0: none yet */
    /* What running has beside. */
    struct shw_vulkan_image images[SHW_INPUTS_MAX];  /* of inputs: RGBA, 8 bits normalised or 16 bits as integers */
    struct shw_stage_source sources[SHW_INPUTS_MAX]; /* of their one layer, as shaders read them: plain 2D images */
    struct shw_buffer upload, readback;
};

/* Puts the list together; nothing is made yet. */
void shw_pipeline_begin(const struct shw_pipeline_params *params, struct shw_pipeline *pipeline);

/* Frees everything. Accepts a zero pipeline, and leaves one. */
void shw_pipeline_end(struct shw_pipeline *pipeline);

/* The number of a stage in the list; stage_count: it has none. */
uint32_t shw_pipeline_index(const struct shw_pipeline *pipeline, enum shw_stage stage);

bool shw_pipeline_on_host(const struct shw_pipeline *pipeline, uint32_t stage);
bool shw_pipeline_uses_host(const struct shw_pipeline *pipeline);
bool shw_pipeline_uses_device(const struct shw_pipeline *pipeline);

/* Makes planes and stages on the device, for regions up to that size. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED,
 * LIMIT; then nothing is made. */
enum shw_result shw_pipeline_make(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots);
void shw_pipeline_unmake(struct shw_pipeline *pipeline);

/* Bytes that shw_pipeline_make() takes on the device. */
uint64_t shw_pipeline_get_memory(const struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots);

/* Planes of a name; NULL: it has none. */
const struct shw_pipeline_planes *shw_pipeline_find(const struct shw_pipeline *pipeline, const char *name);

/* Whether another forest fits what is there, and from the next recording or run on, that forest; what does not fit is
 * made anew, when nothing runs. Errors: those of making. */
bool shw_pipeline_has_room(const struct shw_pipeline *pipeline, const struct shw_forest *forest);
enum shw_result shw_pipeline_set_forest(struct shw_pipeline *pipeline, const struct shw_forest *forest);

/* What was recorded last is not submitted: the next recording brings the forest again. */
void shw_pipeline_forget(struct shw_pipeline *pipeline);

/* Records stage number `stage`; its inputs are ready for it. */
void shw_pipeline_record(struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot, uint32_t stage,
                         const struct shw_stage_frame *frame);

/* Records what lies between a stage and the next. */
void shw_pipeline_hand_over(const struct shw_pipeline *pipeline, struct shw_recording *recording, uint32_t slot,
                            uint32_t stage, const struct shw_stage_frame *frame);

/* The use in which planes are when recording a stage, or handing over, has made them ready. */
struct shw_use shw_pipeline_ready_use(const struct shw_pipeline *pipeline, const struct shw_pipeline_planes *planes);

/* The use of the sources in which the first stage reads them. */
struct shw_use shw_pipeline_source_use(const struct shw_pipeline *pipeline);

/* Records the copy of the first `count` of the last stage's planes of that name into an image that is ready for it. */
void shw_pipeline_copy_out(const struct shw_pipeline *pipeline, VkCommandBuffer commands, uint32_t slot,
                           const char *name, uint32_t count, VkImage target, uint32_t width, uint32_t height);

/* The largest number of pixels that a region may have. */
uint64_t shw_pipeline_region_max(const struct shw_pipeline *pipeline);

/* Makes what running needs for regions of this size; `wide`: of inputs of 16 bits. Errors: as shw_pipeline_make(). */
enum shw_result shw_pipeline_prepare(struct shw_pipeline *pipeline, bool wide, uint32_t width, uint32_t height);

/* Makes host planes large enough for a region, where a neighbour is on the host. Errors: MEMORY. */
enum shw_result shw_pipeline_host_planes(struct shw_pipeline *pipeline, uint32_t width, uint32_t height);

/* Runs a stage on the host; its inputs are in host planes. Errors: the technique's. */
enum shw_result shw_pipeline_run_host(struct shw_pipeline *pipeline, uint32_t stage, const struct shw_tile *tile,
                                      const struct shw_chosen_inputs *inputs, const struct shw_labelling *out);

/* Runs all stages for one tile of an image, and waits. Prepared before, where it uses the device. Errors: MEMORY,
 * DEVICE_MEMORY, DEVICE_LOST, CANCELLED, the techniques'. */
enum shw_result shw_pipeline_run(struct shw_pipeline *pipeline, const struct shw_tile *tile,
                                 const struct shw_chosen_inputs *inputs, const struct shw_labelling *out);

/* Between host and device: each makes sure that its buffer or image exists and is large enough; nothing may be under
 * way. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result shw_pipeline_need_transfer(struct shw_pipeline *pipeline, VkDeviceSize upload, VkDeviceSize readback);
enum shw_result shw_pipeline_need_sources(struct shw_pipeline *pipeline, bool wide);
void shw_pipeline_free_transfer(struct shw_pipeline *pipeline);

/* Converts the region of the inputs into the upload buffer and records its copy into the images of the sources, which
 * the first stage can then read. */
void shw_pipeline_upload_sources(struct shw_pipeline *pipeline, VkCommandBuffer commands,
                                 const struct shw_chosen_inputs *inputs, const struct shw_region *region);

/* The frame that a tile is, with these sources. */
struct shw_stage_frame shw_pipeline_frame(const struct shw_pipeline *pipeline, const struct shw_tile *tile);

#endif
