/* The images of one of several workers that divide them (shw_train_exchange.divide). */
#ifndef SHW_DENSE_SAMPLES_IMAGE_PART_H
#define SHW_DENSE_SAMPLES_IMAGE_PART_H

#include <shadewood/dataset.h>

/* Images `first` to `first + count` - 1 of `whole`; all of them where images are not divided. */
struct shw_image_part {
    uint32_t first, count, whole;
};

static inline struct shw_image_part shw_image_part_all(uint32_t count)
{
    return (struct shw_image_part){0, count, count};
}

/* The images of worker `worker` of `workers`. */
struct shw_image_part shw_image_part_of(uint32_t whole, uint32_t worker, uint32_t workers);

/* A data set of these images, which are numbered from 0 in it. */
struct shw_part_set {
    struct shw_dataset dataset;
    const struct shw_dataset *given;
    struct shw_image_part part;
};

/* `given` must outlive *set, which must not move. */
void shw_part_set_make(const struct shw_dataset *given, struct shw_image_part part, struct shw_part_set *set);

#endif
