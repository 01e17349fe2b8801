/* The training set: its images, their labelled pixels, and their planes on the host. */
#ifndef SHW_DENSE_SAMPLES_IMAGES_H
#define SHW_DENSE_SAMPLES_IMAGES_H

#include <stdint.h>
#include <string.h>

#include <shadewood/dataset.h>
#include <shadewood/train.h>

#include "base/thread_pool.h"
#include "dense/channels/channels.h"
#include "dense/feature/mirror.h"
#include "dense/input/inputs.h"

/* The first pixel from `from` on that is not void, or `count` if there is none. Strokes leave most of a picture void,
 * so four pixels are looked at together. */
static inline uint32_t shw_next_labelled(const uint16_t *labels, uint32_t from, uint32_t count)
{
    uint64_t four;

    for (; count - from >= 4; from += 4) {
        memcpy(&four, labels + from, sizeof four);
        if (four != UINT64_MAX)
            break;
    }
    while (from < count && labels[from] == SHW_LABEL_VOID)
        from++;
    return from;
}

/* The end of the run of pixels with the label of pixel `from`, which is long within strokes. */
static inline uint32_t shw_label_end(const uint16_t *labels, uint32_t from, uint32_t count)
{
    const uint16_t label = labels[from++];
    const uint64_t same = label * UINT64_C(0x0001000100010001);
    uint64_t four;

    for (; count - from >= 4; from += 4) {
        memcpy(&four, labels + from, sizeof four);
        if (four != same)
            break;
    }
    while (from < count && labels[from] == label)
        from++;
    return from;
}

#define SHW_NO_PLANES SIZE_MAX

#define SHW_OFFSET_MAX_DEFAULT 95u

/* What an offset_max of 0 means, or the given one: of the uppermost of several levels. */
static inline uint32_t shw_offset_max(const struct shw_trainer_params *params)
{
    if (params->offset_max > 0)
        return params->offset_max;
    return params->levels > 1 ? SHW_FAR_OFFSET_MAX : SHW_OFFSET_MAX_DEFAULT;
}

/* A training image, or its mirror image: a picture or a part of one. */
struct shw_train_image {
    uint32_t width, height;
    struct shw_region region; /* in its picture */
    bool is_part;
    uint32_t picture; /* its number in struct shw_train_images */
    enum shw_pixel_format format;
    bool wide;               /* one of its inputs has 16 bits */
    uint32_t labelled_count; /* pixels that are not void */
    size_t planes;           /* first element in shw_train_images.planes, one plane after the other; or SHW_NO_PLANES */
    uint32_t more;           /* by how many elements planes exceed the image in width and in height */
    uint64_t hash;           /* of the example's place, size, pixels and labels */
    uint64_t pixels_hash;    /* of its place, size and pixels alone */
};

/* Where the mirror image of a part lies. */
static inline struct shw_region shw_train_region_mirror(const struct shw_region *region)
{
    struct shw_region mirrored = *region;

    mirrored.x = region->full_width - region->x - region->width;
    return mirrored;
}

/* The labelled pixels of an image by class, in the order of classes, without those that it lacks. */
struct shw_class_count {
    uint32_t class, count;
};

struct shw_class_list {
    struct shw_class_count *entries;
    uint32_t count;
};

/* Images `first` to `end` - 1 are the parts of a picture, or the one image is the picture. */
struct shw_train_picture {
    uint32_t first, end;
    uint32_t labelled_count; /* pixels that are not void */
};

/* Properties of the whole training set. */
struct shw_train_images {
    struct shw_train_image *images; /* mirror images follow all others */
    uint32_t count, base_count;
    bool paired;              /* mirror images have the planes of the images, and the twins of their samples */
    struct shw_mirror mirror; /* how those planes are read */
    struct shw_train_picture *pictures; /* without mirror images */
    uint32_t picture_count;
    uint64_t *class_pixels;             /* labelled pixels of each class */
    struct shw_class_list *class_lists; /* of each of the first base_count images; NULL unless sampling needs them */
    void *planes; /* for the technique `cpu`: integral images of the first `resident` images and of their mirror
                     images, or channels if the feature type reads those; otherwise NULL */
    uint32_t resident;
    enum shw_feature_reads reads;
    struct shw_channel_list channels;
};

/* The image whose planes an image has. */
static inline uint32_t shw_train_image_of_planes(const struct shw_train_images *images, uint32_t index)
{
    return images->paired && index >= images->base_count ? index - images->base_count : index;
}

/* How many images of an example have planes, and are drawn from. */
static inline uint32_t shw_train_images_copies(const struct shw_train_images *images)
{
    return images->paired ? 1 : images->count / images->base_count;
}

static inline uint32_t shw_train_picture_count(const struct shw_dataset *dataset)
{
    return dataset->picture_count > 0 ? dataset->picture_count : dataset->count;
}

/* Reads an example and checks it. The caller releases it with dataset->release(). Errors: FORMAT, those of read. */
enum shw_result shw_train_image_read(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                     uint32_t index, struct shw_labelled_image *example);

/* Reads the whole set once to measure and check it. Errors: FORMAT, LIMIT, MEMORY, those of read. On failure *images is
 * zero. */
enum shw_result shw_train_images_measure(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                         struct shw_thread_pool *pool, struct shw_train_images *images);

/* The number of elements in the planes of an image, and the bytes that they take. */
static inline size_t shw_train_image_elements(const struct shw_train_images *images, uint32_t index)
{
    const struct shw_train_image *image = &images->images[index];

    return images->channels.channel_count * ((size_t)image->width + image->more) *
           ((size_t)image->height + image->more);
}
size_t shw_train_image_bytes(const struct shw_train_images *images, uint32_t index);

/* Computes the planes of the first `count` images and of their mirror images, or copies those that `before` has of
 * images with the same pixels. Errors: those of measuring; there are no planes then. */
enum shw_result shw_train_images_make_planes(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                             struct shw_thread_pool *pool, uint32_t count,
                                             const struct shw_train_images *before, struct shw_train_images *images);

/* Computes the planes of one image or mirror image in `planes`, which has room for shw_train_image_bytes(). `pool` may
 * be NULL. Errors: the same. */
enum shw_result shw_train_image_make_planes(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                            const struct shw_train_images *images, uint32_t index,
                                            struct shw_thread_pool *pool, void *planes);
/* Turns the planes of an image into what training reads of them for its mirror image, if samples are paired. */
void shw_train_image_flip_planes(const struct shw_train_images *images, uint32_t index, void *planes);

void shw_train_images_drop_planes(struct shw_train_images *images);
void shw_train_images_free(struct shw_train_images *images);

/* A hash of the sizes, pixels and labels of all examples. */
uint64_t shw_train_images_hash(const struct shw_train_images *images);

/* Whether planes of images with the same pixels are the same. */
bool shw_train_images_alike(const struct shw_train_images *a, const struct shw_train_images *b);

/* Whether both have the same pixels and channels and read the same planes, so that they can share planes. */
bool shw_train_images_equal(const struct shw_train_images *a, const struct shw_train_images *b);

#endif
