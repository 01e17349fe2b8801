/* The integral images of the training set on the device: all of them if there is room, else as many as fit, made again
 * from the pixels when they are needed.
 *
 * Images and their mirror images are units. Units are put into chunks, in order; a chunk's integral images lie in one
 * storage buffer, a place. If there are as many places as chunks, every chunk is made once. Else places are reused, the
 * longest unused first, and pixels, which are much smaller than integral images, stay on the device if there is room
 * for all of them. */
#ifndef SHW_TRAIN_IMAGES_COMPUTE_H
#define SHW_TRAIN_IMAGES_COMPUTE_H

#include "channels/channels_stage.h"
#include "integrate/integral_techniques.h"
#include "train/image_feed.h"
#include "train/trainer.h"

#define SHW_NO_CHUNK            0xffffffffu
#define SHW_COMPUTE_SLOTS_MAX   16u
#define SHW_COMPUTE_UPLOADS_MAX 64u

/* Units begin..end-1. */
struct shw_compute_chunk {
    uint32_t begin, end;
    size_t words;
    uint32_t place;           /* where it is, or will be when it is filled; SHW_NO_CHUNK: nowhere */
    uint32_t filled;          /* units that are there */
    struct shw_buffer pixels; /* of its images, where all pixels stay on the device */
    uint32_t kept;            /* units whose pixels are there */
};

struct shw_compute_place {
    struct shw_buffer buffer;
    uint32_t chunk; /* or SHW_NO_CHUNK */
    uint64_t used;  /* number of its last use */
};

/* What one image on its way through the stages needs. */
struct shw_compute_slot {
    struct shw_vulkan_image source[2]; /* 8 and 16 bits */
    VkImageView view[2];
    int bound;    /* which of them the stage reads; -1: none yet */
    bool pending; /* in the submission that is being recorded */
};

/* Images on their way through the stages side by side, each in the slot of its number. */
struct shw_compute_group {
    uint32_t count;
    uint32_t images[SHW_COMPUTE_SLOTS_MAX];
    VkBuffer pixels[SHW_COMPUTE_SLOTS_MAX];
    VkDeviceSize offsets[SHW_COMPUTE_SLOTS_MAX]; /* in `pixels` */
    VkFormat formats[SHW_COMPUTE_SLOTS_MAX];
    struct shw_region regions[SHW_COMPUTE_SLOTS_MAX];
};

struct shw_compute_images {
    struct shw_device *device;
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    const struct shw_train_images *set;
    uint32_t channel_count, copies; /* copies: 2 with mirror images */
    bool integrates;                /* places have integral images; else channels, which the feature type reads */
    uint32_t *table;                /* SHW_IMAGE_WORDS an image */
    struct shw_compute_chunk *chunks;
    struct shw_compute_place *places;
    uint32_t chunk_count, place_count;
    uint64_t uses, units_made; /* units_made: in all */
    uint32_t width, height;    /* the largest of each */
    uint32_t input_count;      /* that channels read: one below the other in a source */
    VkDeviceSize taken;        /* of the memory */
    bool keeps_pixels;
    VkDeviceSize *pixel_offsets; /* an image, in its chunk's pixels */
    uint32_t slot_count;
    struct shw_compute_slot *slots;
    struct shw_buffer uploads[SHW_COMPUTE_UPLOADS_MAX]; /* pixels of one image each */
    uint32_t upload_count, uploads_used;                /* uploads_used: in the submission that is being recorded */
    struct shw_planes *channels, *integrals;            /* a slot */
    struct shw_channels_stage *channels_stage;
    void *integrate; /* what the passes of `compute` have created, for each pair of slot and place */
    struct shw_image_feed *feed;
};

/* The least memory that integral images need, and what they need to be all there at once. */
struct shw_compute_images_need {
    VkDeviceSize stages, upload; /* of one slot, of one buffer to upload with */
    VkDeviceSize least, all;
    VkDeviceSize pixels; /* of all images */
};
struct shw_compute_images_need shw_compute_images_measure(const struct shw_trainer *trainer);

/* `memory`: bytes for all that is made here; `range`: the largest storage buffer. Errors: MEMORY, DEVICE_MEMORY, LIMIT,
 * UNSUPPORTED. On failure *images is zero. */
enum shw_result shw_compute_images_create(struct shw_device *device, const struct shw_trainer *trainer,
                                          VkDeviceSize memory, VkDeviceSize range, struct shw_compute_images *images);

/* Makes those of a training before, with the same images, serve another one, if all are there at once and need no more
 * than `memory`. What was made stays. False: they are to be destroyed. */
bool shw_compute_images_keep(struct shw_compute_images *images, const struct shw_trainer *trainer, VkDeviceSize memory);

/* Accepts a zero object, and leaves one. Nothing recorded may still run. */
void shw_compute_images_destroy(struct shw_compute_images *images);

/* Says that the chunks in order[0..count-1] are about to be used in this order, so that missing images can be read
 * ahead. Errors: MEMORY. */
enum shw_result shw_compute_images_plan(struct shw_compute_images *images, const uint32_t *order, uint32_t count);

/* Gives the chunk a place, and records the making of units that are not there yet: no more than have `pixels` pixels,
 * and as long as there are buffers to upload with in this submission; *made counts the pixels. The chunk is ready for
 * shw_use_compute_read when chunk.filled is all its units. Errors: those of reading images. */
enum shw_result shw_compute_images_fill(struct shw_compute_images *images, VkCommandBuffer commands, uint32_t chunk,
                                        uint64_t pixels, uint64_t *made);

/* Bytes of an image on its way to the device: of one input, and of a buffer to upload with. */
VkDeviceSize shw_compute_pixel_bytes(const struct shw_train_image *image);
VkDeviceSize shw_compute_upload_bytes(const struct shw_compute_images *images);

/* Whether the chunk is ready. */
bool shw_compute_images_ready(const struct shw_compute_images *images, uint32_t chunk);

/* The submission has finished. */
void shw_compute_images_submitted(struct shw_compute_images *images);

#endif
