/* The labeller's parts. */
#ifndef SHW_EVALUATE_LABELLER_H
#define SHW_EVALUATE_LABELLER_H

#include <stdatomic.h>

#include <shadewood/label.h>

#include "base/thread_pool.h"
#include "channels/channels_stage.h"
#include "evaluate/custom_stage.h"
#include "evaluate/evaluate_stage.h"
#include "integrate/integrate_stage.h"

/* What the device needs for regions of up to width by height: planes and stages. Stages of the technique `cpu` are
 * absent; of a caller's technique there is `custom`, and of the stage evaluate both. */
struct shw_labeller_frame {
    uint32_t width, height, slots;
    struct shw_planes *channels, *integrals; /* one a slot */
    struct shw_channels_stage *channels_stage;
    struct shw_integrate_stage *integrate_stage;
    struct shw_evaluate_stage evaluate_stage;
    struct shw_custom_stage custom[SHW_STAGE_COUNT];
};

/* What shw_labeller_run() has beside: sources, and buffers between host and device. */
struct shw_labeller_transfer {
    struct shw_vulkan_image source; /* RGBA, 8 bits normalised or 16 bits as integers */
    VkImageView source_view;        /* of its one layer, as shaders read sources: a plain 2D image */
    struct shw_buffer upload, readback;
    int16_t *channels; /* host planes of the region at hand */
    uint32_t *integrals;
    size_t channels_size, integrals_size; /* elements allocated */
};

struct shw_labeller {
    struct shw_labeller_params params;
    const struct shw_forest_info *info;
    const struct shw_channel_list *set;
    enum shw_technique channels, integrate, evaluate; /* decided; of callers' techniques, those that hand over alike */
    uint32_t margin;                                  /* pixels around one that influence it */
    uint64_t forest_number;                           /* forests until now, with this one */
    struct shw_thread_pool *pool;                     /* where a stage is on the CPU */
    atomic_bool interrupted;
    struct shw_labeller_frame frame;
    struct shw_labeller_transfer transfer;
};

/* The techniques that are asked for, and where that is `auto`, the fastest known ones that can do what the labeller is
 * made for. For a caller's technique, COMPUTE or CPU. */
void shw_labeller_decide(const struct shw_labeller_params *params, enum shw_technique chosen[SHW_STAGE_COUNT]);

/* Errors: ARGUMENT, if the calibration is not the device's. */
enum shw_result shw_labeller_check_calibration(const struct shw_labeller_params *params);

/* Whether any stage runs on the device, and on the CPU. */
bool shw_labeller_uses_device(const struct shw_labeller *labeller);
bool shw_labeller_uses_cpu(const struct shw_labeller *labeller);

/* Makes the frame. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED, LIMIT; the frame is then zero. */
enum shw_result shw_labeller_frame_create(struct shw_labeller *labeller, uint32_t width, uint32_t height,
                                          uint32_t slots);

/* Accepts a zero frame, and leaves one. */
void shw_labeller_frame_destroy(struct shw_labeller *labeller);

/* Record a stage of one tile, by our technique or the caller's. */
void shw_labeller_record_channels(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                  VkImageView source, VkFormat format, const struct shw_tile *tile);
void shw_labeller_record_integrate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                   const struct shw_tile *tile);
void shw_labeller_record_evaluate(struct shw_labeller *labeller, struct shw_recording *recording, uint32_t slot,
                                  const struct shw_tile *tile);

/* Which of its forms a technique makes and reads; the CPU's is the buffer, through copies. */
enum shw_planes_form shw_labeller_form(enum shw_technique technique);

/* Records what lies between two stages: barriers, and the copy into the other form if they differ. `width` and `height`
 * of the frame at hand, in elements. The CPU as `from` has filled the buffer by a copy; as `to` it will read the buffer
 * by a copy. */
void shw_labeller_hand_over(struct shw_recording *recording, const struct shw_planes *planes, enum shw_technique from,
                            enum shw_technique to, uint32_t width, uint32_t height);

/* Frees host planes, transfer buffers and the source. */
void shw_labeller_transfer_destroy(struct shw_labeller *labeller);

/* Makes host planes large enough for a region, where a stage on the CPU needs them. Errors: MEMORY. */
enum shw_result shw_labeller_host_planes(struct shw_labeller *labeller, const struct shw_region *region);

/* Each makes sure that its buffer or image exists and is large enough; nothing may be under way. Errors: MEMORY,
 * DEVICE_MEMORY. */
enum shw_result shw_labeller_need_upload(struct shw_labeller *labeller, VkDeviceSize size);
enum shw_result shw_labeller_need_readback(struct shw_labeller *labeller, VkDeviceSize size);
enum shw_result shw_labeller_need_source(struct shw_labeller *labeller, VkFormat format);

/* Fills the upload buffer from host planes of `width` by `height` elements without padding, and records the copy into
 * `planes`' buffer. */
enum shw_result shw_labeller_upload_planes(struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_planes *planes, const void *host, uint32_t width,
                                           uint32_t height);

/* Takes host planes back out of the readback buffer, which holds `planes`' buffer. */
void shw_labeller_unpack_planes(const struct shw_labeller *labeller, const struct shw_planes *planes, void *host,
                                uint32_t width, uint32_t height);

/* Converts the region of `image` into the upload buffer and records its copy into the source, which is then ready to be
 * sampled by `technique`. */
enum shw_result shw_labeller_upload_source(struct shw_labeller *labeller, VkCommandBuffer commands,
                                           const struct shw_image *image, const struct shw_region *region,
                                           enum shw_technique technique);

#endif
