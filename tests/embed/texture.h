/* An engine's images with several layers and mip levels. */
#ifndef SHW_EMBED_TEXTURE_H
#define SHW_EMBED_TEXTURE_H

#include "scene.h"

struct texture {
    VkImage handle;
    VkDeviceMemory memory;
    VkFormat format;
    VkImageAspectFlags aspect;
    VkExtent2D extent; /* of mip level 0 */
    uint32_t layers, mips, element;
    bool has_stencil;
};

/* What to make; all parts are then in the layout GENERAL, and every byte is TEXTURE_FILL. */
struct texture_params {
    VkFormat format;
    VkImageAspectFlags aspect;
    uint32_t element; /* bytes of a texel */
    VkExtent2D extent;
    uint32_t layers, mips;
    bool cube;
    bool has_stencil; /* besides depth, the aspect; it is left alone */
};

#define TEXTURE_FILL 0x5au

void texture_open(struct scene *scene, const struct texture_params *params, struct texture *texture);
void texture_close(struct scene *scene, struct texture *texture);

/* A texture of one layer that has the pixels of an image, in a format of that kind; its use is that of texture_part().
 */
struct shw_image_use texture_open_image(struct scene *scene, const struct source_kind *kind,
                                        const struct shw_image *image, struct texture *texture);

/* The use of a part, written by a copy in the layout GENERAL before and read by one from TRANSFER_SRC_OPTIMAL after;
 * the view is to be destroyed with vkDestroyImageView. */
struct shw_image_use texture_part(struct scene *scene, const struct texture *texture, uint32_t layer, uint32_t layers,
                                  uint32_t mip);

/* Bytes of a part, and of every part of the texture, layer by layer of each mip level, the largest level first. */
VkDeviceSize texture_part_size(const struct texture *texture, uint32_t layers, uint32_t mip);
VkDeviceSize texture_size(const struct texture *texture);
VkDeviceSize texture_offset(const struct texture *texture, uint32_t layer, uint32_t mip);

/* Copies host bytes into a part that is in the layout GENERAL, and waits. */
void texture_write(struct scene *scene, const struct texture *texture, uint32_t layer, uint32_t mip, const void *bytes);

/* Copies the whole texture to the host and waits. The parts of `used` must be in TRANSFER_SRC_OPTIMAL, all others in
 * GENERAL: otherwise the validation layers protest. To be freed with free(). */
void *texture_read(struct scene *scene, const struct texture *texture, const struct shw_image_use *used,
                   uint32_t used_count);

#endif
