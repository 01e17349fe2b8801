/* A caller's own technique for a stage. Part of Shadewood; MIT licence, see LICENSE.
 *
 * Whoever knows another way to make channels, to integrate or to evaluate can put it in the place of ours: in a
 * labeller (shw_labeller_params.custom), which hands planes over to and from it as between our own techniques, and in
 * the bench (shadewood bench --plugin), where its rows stand beside ours. It must give the same bits: docs/channels.md,
 * docs/forest-format.md and the headers below shaders/shared say what they are.
 *
 * A technique works on the device, with buffers as `compute` has them, or on the host, as `cpu` does. Everything that
 * it needs comes as plain data, so that it can live in a shared object that is not linked with Shadewood;
 * examples/technique.c is one. */
#ifndef SHADEWOOD_STAGE_H
#define SHADEWOOD_STAGE_H

#include <stdint.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/forest.h>
#include <shadewood/image.h>
#include <shadewood/label.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct shw_custom_technique and all that it is given: another number, another meaning of the fields. */
#define SHW_CUSTOM_TECHNIQUE_VERSION 1u

/* Planes in a storage buffer. Element (x, y) of plane p is at offset + element * (p * pitch + y * stride + x) bytes.
 * Elements of 2 bytes share words with their neighbours; the stride is even, so that an invocation can write whole
 * words. */
struct shw_custom_planes {
    VkBuffer buffer; /* VK_NULL_HANDLE: the stage has no such planes, or nobody has asked for them */
    VkDeviceSize offset,
        size;               /* bytes; the offset is one that a descriptor may have (minStorageBufferOffsetAlignment) */
    uint32_t width, height; /* the largest frame, in elements */
    uint32_t count;         /* planes */
    uint32_t element;       /* bytes: 2 or 4 */
    uint32_t stride, pitch; /* elements from row to row and from plane to plane */
};

/* What one frame in flight has. Stages write:
 * - channels: `channels`, int16, a plane for each channel of the forest's set;
 * - integrate: `integrals`, uint32, of one more in width and height: element (x, y) is the sum of the channel over all
 *   pixels left of x and above y, modulo 2^32; row 0 and column 0 are 0. They read `channels`;
 * - evaluate: `leaves`, uint32, a plane for each tree (one for the first tree where SHW_OUTPUT_TREE_LEAF is all that is
 *   asked for), only where leaves are asked for; `distribution`, uint16, a plane for each class; `argmax`, uint16. They
 *   read `integrals`. */
struct shw_custom_slot {
    struct shw_custom_planes channels, integrals, leaves, distribution, argmax;
};

/* The forest. All of it lives as long as what it was given to. */
struct shw_custom_forest {
    const struct shw_forest_info *info;
    struct shw_forest_texture
        texture; /* texels as docs/forest-format.md has them, tree after tree, nodes before leaves */
    /* The same texels, row after row and layer after layer, from byte 0, on the device: for evaluate, else
     * VK_NULL_HANDLE. */
    VkBuffer buffer;
    VkDeviceSize size; /* of them, bytes */
};

/* What a technique is made with. Everything lives until it is destroyed. */
struct shw_custom_create {
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetDeviceProcAddr get_device_proc_addr;
    const VkPhysicalDeviceProperties *properties;
    const VkPhysicalDeviceMemoryProperties *memory;
    const VkPhysicalDeviceFeatures *features; /* that are enabled */
    const VkAllocationCallbacks *allocator;   /* or NULL */
    VkPipelineCache pipeline_cache;           /* or VK_NULL_HANDLE */
    struct shw_custom_forest forest;
    uint32_t outputs;       /* enum shw_output flags */
    uint32_t width, height; /* the largest region, pixels */
    uint32_t slots;
    const struct shw_custom_slot *slot; /* `slots` of them */
    struct shw_log log;                 /* for the reason of a failure, with the level SHW_LOG_ERROR */
};

/* One frame, or one piece of an image that is too large: the region is what is processed, the tile within it is where
 * results of evaluate are wanted. Pixels. */
struct shw_custom_frame {
    uint32_t width, height; /* of the region; in planes it is at (0, 0) */
    uint32_t x, y;          /* its first pixel in the whole image: rectangles clip to */
    uint32_t full_width,
        full_height; /* the whole image, which in the region's pixels is -x..full_width-x-1, -y..full_height-y-1 */
    uint32_t tile_x, tile_y; /* the tile's first pixel in the region; in planes of results it is at (0, 0) */
    uint32_t tile_width, tile_height;
    VkImageView source;     /* channels: the region's pixels from (0, 0) on, a 2D image to be read with texelFetch, in
                               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL; another one each time */
    VkFormat source_format; /* one that shw_labeller_record() takes */
};

/* The same on the host: planes without padding. */
struct shw_custom_host_frame {
    struct shw_custom_frame frame;   /* without a source */
    struct shw_custom_forest forest; /* without a buffer */
    uint32_t threads;                /* that may work on it */
    struct shw_image image;          /* channels read the region's pixels, */
    int16_t *channels;               /* and write these, which integrate reads: (channel * height + y) * width + x */
    uint32_t *integrals; /* integrate writes, evaluate reads: (channel * (height + 1) + y) * (width + 1) + x */
    /* Evaluate writes the tile's pixels, from (x + tile_x, y + tile_y) on, into planes of the whole image; those that
     * are NULL are not asked for. */
    struct shw_labelling out;
    struct shw_log log;
};

/* A technique. It and what it points to is borrowed by everything that it is given to. */
struct shw_custom_technique {
    uint32_t version; /* SHW_CUSTOM_TECHNIQUE_VERSION */
    const char *name; /* in reports: lower-case letters, digits and '-', and not one of ours */
    enum shw_stage stage;
    void *user;

    /* On the device: all three, and no `run`.
     *
     * create: makes pipelines, descriptors and memory for `slots` frames in flight. Must not submit. Failures tell
     *     their reason through the log; on the thread that makes the labeller.
     * record: records the stage for one frame, outside a render pass. Neither submits nor waits. Everything that was
     *     recorded in the slot before has finished, so that its descriptors may be written.
     *     Barriers: before, inputs are ready for compute shaders (VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
     *     VK_ACCESS_SHADER_READ_BIT), and outputs, whose contents do not count, may be written by them. Afterwards
     *     outputs must be ready for a barrier from VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT and VK_ACCESS_SHADER_WRITE_BIT,
     *     which the labeller records. What lies between, and between these and other pipeline stages where the
     *     technique uses any, is the technique's.
     * destroy: nothing that was recorded still runs. */
    enum shw_result (*create)(void *user, const struct shw_custom_create *params, void **instance);
    void (*record)(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_custom_frame *frame);
    void (*destroy)(void *instance);

    /* On the host: this alone. Can be called for several labellers at a time, from several threads. */
    enum shw_result (*run)(void *user, const struct shw_custom_host_frame *frame);
};

/* What a shared object for `shadewood bench --plugin` exports, under this name: its techniques, `*count` of them, which
 * live as long as the object is loaded. */
#define SHW_CUSTOM_TECHNIQUES_SYMBOL "shadewood_techniques"
typedef const struct shw_custom_technique *const *(*shw_custom_techniques_function)(uint32_t *count);

/* Whether a technique is of this version and complete; if not, says why. Errors: ARGUMENT, VERSION. Any thread. */
SHW_API enum shw_result shw_custom_technique_check(const struct shw_custom_technique *technique,
                                                   const struct shw_log *log);

#ifdef __cplusplus
}
#endif
#endif
