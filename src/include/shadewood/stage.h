/* Techniques: the ways to do a stage of labelling. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A pipeline is a list of stages over named planes; each stage is done by a technique, and all techniques are described
 * by one struct, Shadewood's own and callers' alike. A caller's technique takes the place of ours in a labeller
 * (shw_labeller_params.custom), which hands planes over to and from it as between our own, and in the bench (shadewood
 * bench --plugin), where its rows stand beside ours. It must give the same bits: docs/channels.md,
 * docs/forest-format.md and the headers below shaders/shared say what they are.
 *
 * A technique works on the device, with the layers of images or with storage buffers, or on the host. Everything that
 * it needs comes as plain data, so that it can live in a shared object that is not linked with Shadewood;
 * examples/technique.c is one. */
#ifndef SHADEWOOD_STAGE_H
#define SHADEWOOD_STAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <vulkan/vulkan_core.h>

#include <shadewood/api.h>
#include <shadewood/forest.h>
#include <shadewood/input.h>
#include <shadewood/label.h>
#include <shadewood/log.h>
#include <shadewood/technique.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of struct shw_stage_technique and all that it is given: another number, another meaning of the fields. */
#define SHW_STAGE_TECHNIQUE_VERSION 2u

/* How a technique takes and makes planes. Where neighbouring stages differ, the pipeline copies between the forms. */
enum shw_planes_form {
    SHW_PLANES_IMAGE = 1,  /* the layers of an image, for fragment shaders */
    SHW_PLANES_BUFFER = 2, /* a storage buffer, for compute shaders */
    SHW_PLANES_HOST = 4    /* memory of the host, without padding */
};

/* Names of planes, and what they hold. */
#define SHW_CHANNELS "channels" /* R16_SINT: one for each channel of the forest's set */
#define SHW_INTEGRALS                                                                                                  \
    "integrals" /* R32_UINT, of one more in width and height: element (x, y) is the sum of the                         \
                   channel over all pixels left of x and above y, modulo 2^32; row 0 and column                        \
                   0 are 0 */
#define SHW_LEAVES                                                                                                     \
    "leaves"                            /* R32_UINT: one for each tree; one alone where SHW_OUTPUT_TREE_LEAF is all    \
                                           that is asked for */
#define SHW_DISTRIBUTION "distribution" /* R16_UINT: one for each class */
#define SHW_ARGMAX       "argmax"       /* R16_UINT */

/* Planes of integers under a name, in the technique's form. */
struct shw_stage_planes {
    const char *name;
    VkFormat format;
    uint32_t element;       /* bytes: 2 or 4 */
    uint32_t width, height; /* of the largest frame, in elements; on the host, of the frame at hand */
    uint32_t count;         /* planes */
    /* Elements from row to row and from plane to plane: element (x, y) of plane p of a buffer is at offset + element *
     * (p * pitch + y * stride + x) bytes. Elements of 2 bytes share words with their neighbours; the stride is even, so
     * that an invocation can write whole words. */
    uint32_t stride, pitch;
    VkBuffer buffer;
    VkDeviceSize offset, size; /* bytes; the offset is one that a descriptor may have */
    VkImage image;             /* layer p is plane p; attachment, sampled image, source and target of copies */
    VkImageView view;          /* of all layers, as a 2D array */
    void *host;                /* element (x, y) of plane p is number p * pitch + y * stride + x */
};

/* The planes of one frame in flight that a stage reads and writes. `channels` reads none and writes SHW_CHANNELS;
 * `integrate` reads these and writes SHW_INTEGRALS; `evaluate` reads what the stage before it has made, and writes
 * those of SHW_LEAVES, SHW_DISTRIBUTION and SHW_ARGMAX that are asked for. */
struct shw_stage_slot {
    uint32_t count;
    const struct shw_stage_planes *planes;
};

/* The planes of that name; where there are none, planes that are zero. */
static inline const struct shw_stage_planes *shw_stage_find(const struct shw_stage_slot *slot, const char *name)
{
    static struct shw_stage_planes none; /* zero, and so it stays */

    for (uint32_t i = 0; i < slot->count; i++)
        if (strcmp(slot->planes[i].name, name) == 0)
            return &slot->planes[i];
    return &none;
}

/* The forest. All of it lives as long as what it was given to. */
struct shw_stage_forest {
    const struct shw_forest *forest; /* for whoever is linked with Shadewood */
    const struct shw_forest_info *info;
    struct shw_forest_texture
        texture; /* texels as docs/forest-format.md has them, tree after tree, nodes before leaves */
    /* The same texels, row after row and layer after layer, from byte 0, on the device: for techniques that want them
     * (`wants_forest`), else VK_NULL_HANDLE. */
    VkBuffer buffer;
    VkDeviceSize size; /* of them, bytes */
};

/* What a technique is made with. Everything lives until it is destroyed. */
struct shw_stage_create {
    struct shw_device *owner; /* for whoever is linked with Shadewood */
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetDeviceProcAddr get_device_proc_addr;
    const VkPhysicalDeviceProperties *properties;
    const VkPhysicalDeviceMemoryProperties *memory;
    const VkPhysicalDeviceFeatures *features; /* that are enabled */
    const VkAllocationCallbacks *allocator;   /* or NULL */
    VkPipelineCache pipeline_cache;           /* or VK_NULL_HANDLE */
    struct shw_stage_forest forest;
    struct shw_forest_room room; /* what set_forest() is to have room for; zero: there will be no other forest */
    uint32_t outputs;            /* enum shw_output flags */
    uint32_t width, height;      /* the largest region, pixels */
    uint32_t slots;
    const struct shw_stage_slot *slot; /* `slots` of them; NULL for get_memory() */
    struct shw_log log;                /* for the reason of a failure, with the level SHW_LOG_ERROR */
};

/* An input on the device: the region's pixels from (0, 0) on, a 2D image to be read with texelFetch, in
 * VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL. */
struct shw_stage_source {
    const char *name;
    VkImageView view;
    VkFormat format; /* one that shw_labeller_record() takes */
};

/* One frame, or one tile of an image that is too large: the region is what is processed, the tile within it is where
 * results of evaluate are wanted. Pixels. */
struct shw_stage_frame {
    uint32_t width, height; /* of the region; in planes it is at (0, 0) */
    uint32_t x, y;          /* its first pixel in the whole image: rectangles clip to */
    uint32_t full_width,
        full_height; /* the whole image, which in the region's pixels is -x..full_width-x-1, -y..full_height-y-1 */
    uint32_t tile_x, tile_y; /* the tile's first pixel in the region; in planes of results it is at (0, 0) */
    uint32_t tile_width, tile_height;
    uint32_t source_count;
    const struct shw_stage_source *sources; /* channels: the forest's inputs, SHW_COLOUR first; others each time */
};

/* The same on the host. */
struct shw_stage_host_frame {
    struct shw_stage_frame frame;   /* without sources */
    struct shw_stage_forest forest; /* without a buffer */
    uint32_t threads;               /* that may work on it */
    struct shw_thread_pool *pool;   /* those of the library, for its own techniques */
    struct shw_inputs inputs;       /* channels read the region's pixels: the forest's inputs, SHW_COLOUR first */
    struct shw_stage_slot planes;   /* what the stage reads, and what it makes but for results */
    /* Evaluate writes the tile's pixels, from (x + tile_x, y + tile_y) on, into planes of the whole image; those that
     * are NULL are not asked for. */
    struct shw_labelling out;
    struct shw_log log;
};

/* Which part of a frame's work is to be recorded. A stage is a sequence of steps, each of some units of work; those
 * that begin at or after `first` and before `end` are recorded. Work counts on from stage to stage. */
struct shw_stage_stretch {
    uint64_t first, end;
    uint64_t at;   /* the work of all steps so far, recorded or not */
    uint64_t next; /* where the first step begins that was left out at the end; UINT64_MAX: none */
};

/* A step of `work` units, above 0, that cannot be divided. True: it is to be recorded now. */
static inline bool shw_stage_step(struct shw_stage_stretch *stretch, uint64_t work)
{
    bool begun = stretch->first <= stretch->at, ended = stretch->at >= stretch->end;

    if (ended && stretch->next == UINT64_MAX)
        stretch->next = stretch->at;
    stretch->at += work;
    return begun && !ended;
}

/* A technique. It and what it points to is borrowed by everything that it is given to. */
struct shw_stage_technique {
    uint32_t version; /* SHW_STAGE_TECHNIQUE_VERSION */
    const char *name; /* in reports: lower-case letters, digits and '-'; a caller's is not one of ours */
    enum shw_stage stage;
    enum shw_planes_form form;
    void *user;

    /* On the device, get_memory, create, record and destroy are needed, and `run` is NULL.
     *
     * get_memory: bytes of the buffers and images that create() will make; planes are the pipeline's.
     * create: makes pipelines, descriptors and memory for `slots` frames in flight. Must not submit. Failures tell
     *     their reason through the log; on the thread that makes the labeller.
     * record: records the stretch of the stage for one frame, outside a render pass, and counts all its steps, in the
     *     same way each time. Neither submits nor waits nor allocates; where nothing is in the stretch, `commands` may
     *     be VK_NULL_HANDLE. When the first step is recorded, everything that was recorded in the slot before has
     *     finished, so that its descriptors may be written. A technique that cannot be divided is one step.
     *     Barriers: inputs are ready for compute shaders (buffers: VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
     *     VK_ACCESS_SHADER_READ_BIT) or fragment shaders (images: VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT and
     *     VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL). The contents of outputs do not count, but earlier commands may
     *     still read them, which the technique waits for; images are in any layout. Afterwards channels and integrals
     *     must be ready for a barrier from VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT and VK_ACCESS_SHADER_WRITE_BIT, images
     *     from VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT and
     *     VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL; results must be ready for copies (VK_PIPELINE_STAGE_TRANSFER_BIT,
     *     VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL).
     * destroy: nothing that was recorded still runs. */
    uint64_t (*get_memory)(void *user, const struct shw_stage_create *params);
    enum shw_result (*create)(void *user, const struct shw_stage_create *params, void **instance);
    void (*record)(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                   struct shw_stage_stretch *stretch);
    void (*destroy)(void *instance);

    /* Another forest of the same channels and feature type, while what was recorded may still run: both or none. NULL:
     * the technique is made anew, when nothing runs.
     *
     * has_room: whether set_forest() can take it.
     * set_forest: records by this forest from now on, and first brings it to the device, even where it is the one
     *     before: what was recorded last may not have been submitted. */
    bool (*has_room)(void *instance, const struct shw_stage_forest *forest);
    enum shw_result (*set_forest)(void *instance, const struct shw_stage_forest *forest);
    bool wants_forest; /* create() gets the forest in a buffer, which recording keeps filled; without set_forest */

    /* On the host: this alone. Can be called for several labellers at a time, from several threads. */
    enum shw_result (*run)(void *user, const struct shw_stage_host_frame *frame);
};

/* What a shared object for `shadewood bench --plugin` exports, under this name: its techniques, `*count` of them, which
 * live as long as the object is loaded. */
#define SHW_STAGE_TECHNIQUES_SYMBOL "shadewood_techniques"
typedef const struct shw_stage_technique *const *(*shw_stage_techniques_function)(uint32_t *count);

/* Whether a caller's technique is of this version and complete; if not, says why. Errors: ARGUMENT, VERSION. Any
 * thread. */
SHW_API enum shw_result shw_stage_technique_check(const struct shw_stage_technique *technique,
                                                  const struct shw_log *log);

#ifdef __cplusplus
}
#endif
#endif
