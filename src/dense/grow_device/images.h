/* The integral images, channels or mean planes of the training set on the device: all of them if there is room,
 * otherwise as many as fit; the others are recomputed from the pixels when needed.
 *
 * An image and its mirror image are a unit. Units are put into chunks, in order; the planes of a chunk are in one
 * storage buffer, a place. If there are as many places as chunks, every chunk is computed once. Otherwise places
 * are reused, least recently used first, and the pixels, which are much smaller, stay on the
 * device if all of them fit. */
#ifndef SHW_DENSE_GROW_DEVICE_IMAGES_H
#define SHW_DENSE_GROW_DEVICE_IMAGES_H

#include "dense/channels/channels_stage.h"
#include "dense/grow/trainer.h"
#include "dense/grow_device/image_feed.h"
#include "dense/grow_device/shapes.h"
#include "dense/integrate/integral.h"

#define SHW_NO_CHUNK            0xffffffffu
#define SHW_COMPUTE_SLOTS_MAX   16u
#define SHW_COMPUTE_UPLOADS_MAX 64u

/* What responses are computed from. */
enum shw_compute_planes { SHW_COMPUTE_INTEGRALS, SHW_COMPUTE_CHANNELS, SHW_COMPUTE_MEANS };

/* Units begin..end-1. */
struct shw_compute_chunk {
    uint32_t begin, end;
    size_t words;
    uint32_t place;           /* where it is, or will be when it is filled; SHW_NO_CHUNK: nowhere */
    uint32_t filled;          /* units computed so far */
    struct shw_buffer pixels; /* of its images, if all pixels stay on the device */
    uint32_t kept;            /* units whose pixels are there */
};

struct shw_compute_place {
    struct shw_buffer buffer;
    uint32_t chunk; /* or SHW_NO_CHUNK */
    uint64_t used;  /* number of its last use */
};

/* What one image needs while it passes through the stages. */
struct shw_compute_slot {
    struct shw_vulkan_image source[2];    /* 8 and 16 bits */
    VkImageView views[2][SHW_INPUTS_MAX]; /* of its layers */
    int bound;                            /* the one that the stage reads; -1: none yet */
    bool pending;                         /* in the submission being recorded */
};

/* An example that has been read and is to be copied into upload buffers. */
struct shw_compute_example {
    struct shw_labelled_image example;
    struct shw_chosen_inputs chosen;
    struct shw_input inputs[SHW_INPUTS_MAX];
    uint32_t unit, first_upload;
};

/* Images that pass through the stages together; the index is the slot. */
struct shw_compute_group {
    uint32_t count;
    uint32_t images[SHW_COMPUTE_SLOTS_MAX];
    VkBuffer pixels[SHW_COMPUTE_SLOTS_MAX];
    VkDeviceSize offsets[SHW_COMPUTE_SLOTS_MAX]; /* in `pixels` */
    VkFormat formats[SHW_COMPUTE_SLOTS_MAX];
    struct shw_region regions[SHW_COMPUTE_SLOTS_MAX];
    uint32_t example_count;
    struct shw_compute_example examples[SHW_COMPUTE_SLOTS_MAX]; /* of the images whose pixels are not on the device */
};

struct shw_compute_images {
    struct shw_device *device;
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_train_images *set;
    struct shw_thread_pool *pool;
    uint32_t channel_count, copies; /* copies: 2 with mirror images of their own, otherwise 1 */
    enum shw_compute_planes hold;   /* what places hold */
    bool keeps_channels;            /* places hold channels, too, after an image's integral images */
    struct shw_train_shapes shapes; /* of mean planes; zero if places hold others */
    struct shw_means *means;        /* the planes of these; NULL if places hold others */
    uint32_t *table;                /* SHW_IMAGE_WORDS per image */
    struct shw_compute_chunk *chunks;
    struct shw_compute_place *places;
    uint32_t chunk_count, place_count;
    uint64_t uses, units_made; /* units_made: in total */
    uint32_t width, height;    /* maxima */
    uint32_t input_count;      /* inputs that channels read; they are the layers of a source */
    VkDeviceSize taken;        /* of the memory */
    bool keeps_pixels;
    VkDeviceSize *pixel_offsets; /* [image]: offset in its chunk's pixels */
    uint32_t slot_count;
    struct shw_compute_slot *slots;
    struct shw_buffer uploads[SHW_COMPUTE_UPLOADS_MAX]; /* one image each */
    uint32_t upload_count, uploads_used;                /* uploads_used: in the submission being recorded */
    struct shw_planes *channels, *integrals;            /* [place * slot_count + slot]; channels: of the slot */
    struct shw_channels_stage *channels_stage;
    struct shw_arena memory;     /* of the slots' planes, and of uploads */
    struct shw_arena sources[2]; /* [wide]: of the slots' sources; zero until an image needs them */
    void *integrate;             /* instance of the passes of `compute`, with a slot per pair of place and slot */
    struct shw_arena integrate_memory;
    struct shw_image_feed *feed;
};

/* Whether channels are read beside integral images, as far as they fit on the device. */
bool shw_compute_reads_channels(const struct shw_trainer *trainer);

/* Bytes that integral images, channels or mean planes need. */
struct shw_compute_images_need {
    uint32_t width, height;                         /* of the largest image: both maxima */
    VkDeviceSize stages, upload;                    /* of one slot; of one upload buffer */
    VkDeviceSize unit, all;                         /* of the largest unit; of all */
    VkDeviceSize unit_with_channels, with_channels; /* the same if channels are kept, too */
    VkDeviceSize channels;                          /* of the largest image, while it is computed */
    VkDeviceSize pixels;                            /* of all images */
    VkDeviceSize least;                             /* with which they can be created */
};
struct shw_compute_images_need shw_compute_images_measure(const struct shw_trainer *trainer,
                                                          const struct shw_train_shapes *shapes);

/* `memory`: bytes for everything created here, at least need.least; `range`: the largest buffer of planes, at
 * least need.unit. Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. On failure *images is zero. */
enum shw_result shw_compute_images_create(struct shw_device *device, const struct shw_trainer *trainer,
                                          const struct shw_train_shapes *shapes, VkDeviceSize memory,
                                          VkDeviceSize range, struct shw_compute_images *images);

/* Reuses the planes of a previous training with the same images, if all are on the device and need no more
 * than `memory`. False: the caller must destroy them. */
bool shw_compute_images_keep(struct shw_compute_images *images, const struct shw_trainer *trainer, VkDeviceSize memory);

/* Accepts a zero object. The object is zero afterwards. Nothing recorded may still be running. */
void shw_compute_images_destroy(struct shw_compute_images *images);

/* Announces that the chunks order[0..count-1] will be used in this order, so that missing images can be read ahead.
 * Errors: MEMORY. */
enum shw_result shw_compute_images_plan(struct shw_compute_images *images, const uint32_t *order, uint32_t count);

/* Assigns the chunk a place and records the computation of missing units: at most `pixels` pixels, and only while this
 * submission has upload buffers left; *made is the number of pixels. The chunk is ready for shw_use_compute_read when
 * chunk.filled is the number of its units. Errors: those of reading images. */
enum shw_result shw_compute_images_fill(struct shw_compute_images *images, VkCommandBuffer commands, uint32_t chunk,
                                        uint64_t pixels, uint64_t *made);

bool shw_compute_images_ready(const struct shw_compute_images *images, uint32_t chunk);

/* Must be called when the submission has finished. */
void shw_compute_images_submitted(struct shw_compute_images *images);

#endif
