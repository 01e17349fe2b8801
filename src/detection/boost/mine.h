/* Mining: the windows of images without objects that a cascade takes for an object. */
#ifndef SHW_DETECTION_BOOST_MINE_H
#define SHW_DETECTION_BOOST_MINE_H

#include <stdatomic.h>

#include <shadewood/detect_train.h>

#include "base/thread_pool.h"

/* A window overlaps an object if more than so many hundredths of their union are in both. */
#define SHW_MINE_OVERLAP 30u

/* Images are scanned until there are so many times as many windows as are wanted, of which those that are kept are
 * drawn. */
#define SHW_MINE_SURPLUS 4u

/* The images of a data set in grey. Those that have no room in memory are read whenever they are needed. */
struct shw_grey_images {
    const struct shw_cascade_dataset *dataset;
    struct shw_grey_image {
        uint8_t *grey; /* without padding; NULL: not kept */
        uint32_t width, height;
        uint64_t hash;
        uint32_t first_object, object_count;
    } * images;
    struct shw_log log;
};

/* Reads all images. Errors: MEMORY, CANCELLED (if *stop becomes true), ARGUMENT (an invalid image), those of
 * dataset->read; free the images in either case. */
enum shw_result shw_grey_images_read(const struct shw_cascade_dataset *dataset, struct shw_thread_pool *pool,
                                     const atomic_bool *stop, const struct shw_log *log,
                                     struct shw_grey_images *images);

/* Accepts zero-initialised ones. */
void shw_grey_images_free(struct shw_grey_images *images);

/* The pixels of an image, to be released. Any thread. */
enum shw_result shw_grey_images_get(const struct shw_grey_images *images, uint32_t index, const uint8_t **grey);
void shw_grey_images_release(const struct shw_grey_images *images, uint32_t index, const uint8_t *grey);

struct shw_mining {
    const struct shw_grey_images *images;
    const struct shw_cascade *cascade; /* PIXELS */
    bool turned;                       /* images without objects also mirrored and turned by quarters */
    uint32_t hold_out_percent;         /* of the images, which are not scanned */
    bool held_out;                     /* they alone are */
    uint32_t count;                    /* windows that are wanted */
    uint64_t seed;
    uint32_t round; /* of the draws */
    struct shw_thread_pool *pool;
    const atomic_bool *stop;
};

struct shw_mined {
    uint16_t *patches; /* of the window's size */
    int32_t *scores;
    uint32_t count;
    uint64_t scanned, passed; /* windows */
};

/* Errors: MEMORY, LIMIT, CANCELLED, those of dataset->read. */
enum shw_result shw_mine(const struct shw_mining *mining, struct shw_mined *mined);

/* Accepts a zero-initialised one. */
void shw_mined_free(struct shw_mined *mined);

#endif
