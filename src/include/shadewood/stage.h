/* Techniques: implementations of the stages of labelling. Part of Shadewood; MIT licence, see LICENSE.
 *
 * A pipeline is a list of stages over named planes. Each stage is performed by a technique; one struct describes all
 * techniques, built-in and custom. A custom technique replaces a built-in one in a labeller
 * (shw_labeller_params.custom), which transfers planes to and from it as between its own, and in the bench (shadewood
 * bench --plugin), which lists it next to the built-in ones. Its results must be the same, bit for bit;
 * docs/channels.md, docs/forest-format.md and the headers in shaders/shared define them.
 *
 * A technique runs on the device, on image layers or on storage buffers, or on the host. Everything that it needs is
 * passed as plain data, so it can be in a shared object that is not linked with Shadewood; see examples/technique.c. */
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

/* Of struct shw_stage_technique and everything passed to it; changes with the meaning of the fields. */
#define SHW_STAGE_TECHNIQUE_VERSION 7u

/* The form of the planes that a technique reads and writes. If those of two successive stages differ, the pipeline
 * copies. */
enum shw_planes_form {
    SHW_PLANES_IMAGE = 1,  /* the layers of an image, for fragment shaders */
    SHW_PLANES_BUFFER = 2, /* a storage buffer, for compute shaders */
    SHW_PLANES_HOST = 4    /* host memory, without padding */
};

/* Names of planes, and their contents. */
#define SHW_CHANNELS "channels" /* R16_SINT: one per channel of the forest's list */
#define SHW_INTEGRALS                                                                                                  \
    "integrals" /* R32_UINT, larger by one in width and height: element (x, y) is the sum of the channel over all      \
                   pixels left of x and above y, modulo 2^32; row 0 and column 0 are 0 */
#define SHW_LEAVES                                                                                                     \
    "leaves"                            /* R32_UINT: one per tree; a single one if only SHW_OUTPUT_TREE_LEAF is        \
                                           requested */
#define SHW_DISTRIBUTION "distribution" /* R16_UINT: one per class */
#define SHW_ARGMAX       "argmax"       /* R16_UINT */

/* Planes of integers with a name, in the technique's form. */
struct shw_stage_planes {
    const char *name;
    VkFormat format;
    uint32_t element;       /* bytes: 2 or 4 */
    uint32_t width, height; /* of the largest frame, in elements; on the host, of the current frame */
    uint32_t count;         /* planes */
    /* Distances in elements from row to row and from plane to plane: element (x, y) of plane p of a buffer is at offset
     * + element * (p * pitch + y * stride + x) bytes. Two elements of 2 bytes share a word; the stride is even, so that
     * an invocation can write whole words. */
    uint32_t stride, pitch;
    VkBuffer buffer;
    VkDeviceSize offset, size; /* bytes; the offset is suitably aligned for descriptors */
    VkImage image;             /* layer p is plane p; usable as attachment, sampled image, copy source and target */
    VkImageView view;          /* of all layers, as a 2D array */
    void *host;                /* element (x, y) of plane p is at index p * pitch + y * stride + x */
};

/* The planes of one frame in flight that a stage reads and writes. `channels` reads none and writes SHW_CHANNELS;
 * `integrate` reads those and writes SHW_INTEGRALS (between its own techniques, the library may use other planes;
 * custom ones always get and make these); `evaluate` reads those of the previous stage and writes the requested ones of
 * SHW_LEAVES, SHW_DISTRIBUTION and SHW_ARGMAX. */
struct shw_stage_slot {
    uint32_t count;
    const struct shw_stage_planes *planes;
};

/* The planes of that name; if there are none, planes that are zero. */
static inline const struct shw_stage_planes *shw_stage_find(const struct shw_stage_slot *slot, const char *name)
{
    static struct shw_stage_planes none; /* always zero */

    for (uint32_t i = 0; slot != NULL && name != NULL && i < slot->count; i++)
        if (strcmp(slot->planes[i].name, name) == 0)
            return &slot->planes[i];
    return &none;
}

/* The forest. Everything is valid as long as the object that it was given to. */
struct shw_stage_forest {
    const struct shw_forest *forest; /* for techniques that are linked with Shadewood */
    const struct shw_forest_info *info;
    struct shw_forest_texture texture; /* as in docs/forest-format.md: tree after tree, nodes before leaves */
    /* The same texels on the device, row after row and layer after layer from byte 0, for techniques with
     * `wants_forest`; otherwise VK_NULL_HANDLE. */
    VkBuffer buffer;
    VkDeviceSize size; /* of the texels, bytes */
};

/* Parameters of create(). Everything is valid until the instance is destroyed. */
struct shw_stage_create {
    struct shw_device *owner; /* for techniques that are linked with Shadewood */
    VkPhysicalDevice physical_device;
    VkDevice device;
    PFN_vkGetDeviceProcAddr get_device_proc_addr;
    const VkPhysicalDeviceProperties *properties;
    const VkPhysicalDeviceMemoryProperties *memory;
    const VkPhysicalDeviceFeatures *features; /* enabled ones */
    const VkAllocationCallbacks *allocator;   /* or NULL */
    VkPipelineCache pipeline_cache;           /* or VK_NULL_HANDLE */
    struct shw_stage_forest forest;
    struct shw_forest_room room; /* for set_forest(); zero: the forest will not be replaced */
    uint32_t outputs;            /* enum shw_output flags */
    uint32_t width, height;      /* of the largest region, pixels */
    uint32_t slots;
    /* 1: recordings run one after the other on the device, so that all slots have the same planes and can share scratch
       memory. Otherwise as many as slots: each has its own */
    uint32_t scratch_sets;
    const struct shw_stage_slot *slot; /* `slots` of them; NULL for get_memory() */
    struct shw_log log;                /* for the reason of a failure, with level SHW_LOG_ERROR */
};

/* An input on the device: a 2D image, to be read with texelFetch, in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL; the
 * region begins at pixel (x, y). */
struct shw_stage_source {
    const char *name;
    VkImageView view;
    VkFormat format; /* one that shw_labeller_record() accepts */
    struct shw_depth depth;
    uint32_t x, y;
};

/* One frame, or one tile of an image that is too large. The region is processed; evaluate writes results for the tile
 * within it. In pixels. */
struct shw_stage_frame {
    uint32_t width, height;           /* of the region, which begins at (0, 0) of the planes */
    uint32_t x, y;                    /* the region's first pixel in the whole image */
    uint32_t full_width, full_height; /* of the whole image, to which features clip; in the region's coordinates it is
                                         -x..full_width-x-1, -y..full_height-y-1 */
    uint32_t tile_x, tile_y;          /* the tile's first pixel in the region; it is at (0, 0) of the result planes */
    uint32_t tile_width, tile_height;
    uint32_t source_count;
    const struct shw_stage_source *sources; /* for channels: the forest's inputs, SHW_COLOUR first; may change with
                                               every frame */
    uint32_t number; /* of the tile, where the tiles of one image are recorded one after the other: with the same views
                        of the sources as tile 0. Otherwise 0 */
    uint32_t step;   /* of the tile's pixels, every step-th in both directions has a result: that of (tile_x + step * i,
                        tile_y + step * j) is at (i, j) of the result planes. Always 1, or 0, which means 1, for
                        custom techniques */
};

/* A frame on the host. */
struct shw_stage_host_frame {
    struct shw_stage_frame frame;   /* without sources */
    struct shw_stage_forest forest; /* without a buffer */
    uint32_t threads;               /* that the technique may use */
    struct shw_thread_pool *pool;   /* the library's threads, for built-in techniques */
    struct shw_inputs inputs;       /* for channels: the region's pixels of the forest's inputs, SHW_COLOUR first */
    struct shw_stage_slot planes;   /* what the stage reads and writes, except results */
    /* evaluate writes the result of every step-th pixel of the tile in both directions, (tile_x + step * i, tile_y +
     * step * j) of the region, to (out_x + i, out_y + j) of planes of out_width * out_height elements. Planes that are
     * NULL were not requested. */
    struct shw_labelling out;
    uint32_t out_x, out_y, out_width, out_height, step;
    struct shw_log log;
};

/* The part of a frame's work to record. A stage is a sequence of steps, each of some units of work; steps that begin at
 * or after `first` and before `end` are recorded. Work is counted across all stages. */
struct shw_stage_stretch {
    uint64_t first, end;
    uint64_t at;   /* the work of all steps so far, recorded or not */
    uint64_t next; /* where the first step begins that was omitted because of `end`; UINT64_MAX: none */
};

/* A step of `work` units, above 0, that cannot be divided. True: the caller must record it now. */
static inline bool shw_stage_step(struct shw_stage_stretch *stretch, uint64_t work)
{
    bool begun, ended;

    if (stretch == NULL)
        return false;
    begun = stretch->first <= stretch->at;
    ended = stretch->at >= stretch->end;
    if (ended && stretch->next == UINT64_MAX)
        stretch->next = stretch->at;
    stretch->at += work;
    return begun && !ended;
}

/* A technique. The struct and everything that it points to are borrowed by all objects that use it. */
struct shw_stage_technique {
    uint32_t version; /* SHW_STAGE_TECHNIQUE_VERSION */
    const char *name; /* in reports: lower-case letters, digits and '-'; must differ from the built-in names */
    enum shw_stage stage;
    enum shw_planes_form form;
    void *user;

    /* Device techniques need get_memory, create, record and destroy; `run` is NULL.
     *
     * get_memory: returns the bytes of the buffers and images that create() will allocate, without the planes, which
     *     belong to the pipeline.
     * create: makes pipelines, descriptors and memory for `slots` frames in flight, on the thread that creates the
     *     labeller. Must not submit. Reports failures to the log.
     * record: records the stretch of the stage for one frame, outside a render pass, and counts all its steps, in the
     *     same way each time. Must not submit, wait or allocate. If nothing is in the stretch, `commands` may be
     *     VK_NULL_HANDLE. When the first step of tile 0 is recorded, earlier recordings of the slot have finished, so
     *     its descriptors may be written; not for other tiles. A technique that cannot be divided is one step.
     * Barriers: inputs are ready for compute shaders (buffers: VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
     * VK_ACCESS_SHADER_READ_BIT) or fragment shaders (images: VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT and
     * VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL). The contents of outputs are undefined, but earlier commands may still
     * be using them, and the technique must wait for these; images are in any layout. Scratch memory that slots share
     * is in the same state. Before each stage except the first one of tile 0 of a labeller with one slot, or with
     * scratch memory per slot, a barrier for all memory from VK_PIPELINE_STAGE_ALL_COMMANDS_BIT to the same has been
     * recorded, which is enough for both. Afterwards channels and integrals must be ready for a barrier from
     * VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT and VK_ACCESS_SHADER_WRITE_BIT, images from
     * VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT and
     * VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL; results must be ready for copies (VK_PIPELINE_STAGE_TRANSFER_BIT,
     * VK_ACCESS_TRANSFER_READ_BIT, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL).
     * destroy: called when nothing that was recorded is still running. */
    uint64_t (*get_memory)(void *user, const struct shw_stage_create *params);
    enum shw_result (*create)(void *user, const struct shw_stage_create *params, void **instance);
    void (*record)(void *instance, VkCommandBuffer commands, uint32_t slot, const struct shw_stage_frame *frame,
                   struct shw_stage_stretch *stretch);
    void (*destroy)(void *instance);

    /* Switch to another forest with the same channels and feature type while earlier recordings may be in flight. Both
     * or neither; NULL: the instance is created again when nothing is running.
     *
     * has_room: whether set_forest() can take the forest.
     * set_forest: later recordings use this forest. The next one must copy it to the device, even if it is the current
     *     forest: the last recording may not have been submitted. */
    bool (*has_room)(void *instance, const struct shw_stage_forest *forest);
    enum shw_result (*set_forest)(void *instance, const struct shw_stage_forest *forest);
    bool wants_forest; /* create() gets the forest in a buffer, which is kept up to date; excludes set_forest */

    /* Host techniques need only this. May be called from several threads at a time, for different labellers. */
    enum shw_result (*run)(void *user, const struct shw_stage_host_frame *frame);
};

/* The function that a shared object for `shadewood bench --plugin` exports under this name. It returns `*count`
 * techniques, which must be valid as long as the object is loaded. */
#define SHW_STAGE_TECHNIQUES_SYMBOL "shadewood_techniques"
typedef const struct shw_stage_technique *const *(*shw_stage_techniques_function)(uint32_t *count);

/* Checks that a custom technique has this version and is complete. Errors: ARGUMENT, VERSION. Any thread. */
SHW_API enum shw_result shw_stage_technique_check(const struct shw_stage_technique *technique,
                                                  const struct shw_log *log);

#ifdef __cplusplus
}
#endif
#endif
