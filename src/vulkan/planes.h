/* Planes of integers between stages: channels (16 bit), integral images and leaves (32 bit), distributions (16 bit);
 * and what targets store.
 *
 * Graphics techniques use them as layers of an image, compute techniques as a storage buffer. A stage produces its
 * natural form, and a copy makes the other form if the next stage needs it. */
#ifndef SHW_VULKAN_PLANES_H
#define SHW_VULKAN_PLANES_H

#include <shadewood/stage.h>

#include "vulkan/memory.h"
#include "vulkan/program.h"

struct shw_planes {
    uint32_t width, height, count; /* the largest frame that fits, in elements; planes */
    VkFormat format;               /* R16_SINT, R16_UINT or R32_UINT; of targets also R8_UINT and four components */
    uint32_t element;              /* bytes: 1, 2, 4 or 8 */
    uint32_t stride; /* elements from one row of the buffer to the next: a multiple of 16 bytes, of R32_UINT even */
    uint32_t first;  /* offset of plane 0 in the buffer, in elements: not 0 if the planes are part of a larger buffer */
    struct shw_vulkan_image
        image; /* zero without SHW_PLANES_IMAGE. Usable as attachment, sampled, as copy source and target */
    struct shw_buffer buffer; /* zero without SHW_PLANES_BUFFER. Usable as storage buffer, copy source and target */
};

/* `forms` is a sum of enum shw_planes_form; HOST has no effect. Errors: MEMORY, DEVICE_MEMORY, LIMIT (image size,
 * layers, storage buffer range). On failure *planes is zero. */
enum shw_result shw_planes_create(struct shw_device *device, VkFormat format, uint32_t width, uint32_t height,
                                  uint32_t count, uint32_t forms, const char *name, struct shw_planes *planes);

/* The same in an arena, where the image is needed in one span and the buffer in the other. Until the arena is made,
 * only sizes are set. */
enum shw_result shw_planes_add(struct shw_arena *arena, struct shw_span image, struct shw_span buffer, VkFormat format,
                               uint32_t width, uint32_t height, uint32_t count, uint32_t forms, const char *name,
                               struct shw_planes *planes);

/* Scratch planes in one form of the stage that adds them: of `slots` objects, the first `sets`; once the arena is made,
 * shw_planes_share() makes the others the same as these in turn. */
enum shw_result shw_planes_add_scratch(struct shw_arena *arena, VkFormat format, uint32_t width, uint32_t height,
                                       uint32_t count, enum shw_planes_form form, const char *name, uint32_t sets,
                                       struct shw_planes *planes);
void shw_planes_share(struct shw_planes *planes, uint32_t slots, uint32_t sets);

/* Bytes of an element. */
uint32_t shw_planes_element(VkFormat format);

/* Accepts zero planes. They are zero afterwards. */
void shw_planes_destroy(struct shw_device *device, struct shw_planes *planes);

/* Records a copy of the first `width` by `height` elements of every plane into the other form. Both forms must exist;
 * the source must be ready for shw_use_copy_source and the target for shw_use_copy_target, in layout and by barriers.
 */
void shw_planes_copy_to_buffer(const struct shw_device *device, VkCommandBuffer commands,
                               const struct shw_planes *planes, uint32_t width, uint32_t height);
void shw_planes_copy_to_image(const struct shw_device *device, VkCommandBuffer commands,
                              const struct shw_planes *planes, uint32_t width, uint32_t height);

/* Copies the first `width` by `height` elements of every plane between host memory in the buffer's layout (`rows`) and
 * host memory without padding (`packed`): to `rows` if `in`. */
void shw_planes_move(const struct shw_planes *planes, void *rows, void *packed, uint32_t width, uint32_t height,
                     bool in);

/* Some layers of an image as the attachments of one render pass. */

struct shw_target {
    VkFramebuffer framebuffer;
    VkImageView views[SHW_ATTACHMENTS_MAX];
};

/* Attachment i is layer layers[i] of the image, for each of the program's attachments. Errors: MEMORY, DEVICE_MEMORY.
 * On failure *target is zero. */
enum shw_result shw_target_create(struct shw_device *device, const struct shw_program *program,
                                  const struct shw_vulkan_image *image, const uint32_t *layers,
                                  struct shw_target *target);

/* Accepts a zero target; leaves *target zero. */
void shw_target_destroy(struct shw_device *device, struct shw_target *target);

/* The same layers of each of `count` planes objects. On failure *targets may be partly made and is to be destroyed. */
enum shw_result shw_targets_create(struct shw_device *device, const struct shw_program *program,
                                   const struct shw_planes *planes, uint32_t count, const uint32_t *layers,
                                   struct shw_target **targets);

/* Accepts a pointer to NULL. */
void shw_targets_destroy(struct shw_device *device, uint32_t count, struct shw_target **targets);

#endif
