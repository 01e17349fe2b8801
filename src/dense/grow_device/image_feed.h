/* Reads training images ahead on threads of its own, in the order in which they will be needed. */
#ifndef SHW_DENSE_GROW_DEVICE_IMAGE_FEED_H
#define SHW_DENSE_GROW_DEVICE_IMAGE_FEED_H

#include "dense/samples/images.h"

/* All functions are for one thread, that of the training. */
struct shw_image_feed;

/* Reads up to `ahead` images ahead, on at most so many threads, which the first plan with images starts; on none if the
 * data set is single-threaded. params and dataset are borrowed. Errors: MEMORY. */
enum shw_result shw_image_feed_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                      uint32_t ahead, uint32_t threads, struct shw_image_feed **feed);

/* Accepts a pointer to NULL. Releases images that were read ahead. */
void shw_image_feed_destroy(struct shw_image_feed **feed);

/* Announces that images order[0..count-1] are needed next, in this order, and releases what was read ahead before.
 * `order` is copied. Errors: MEMORY. */
enum shw_result shw_image_feed_plan(struct shw_image_feed *feed, const uint32_t *order, uint32_t count);

/* Waits for the next image of the plan, which must be image `index` and which the caller releases with
 * dataset->release(). Errors: those of reading; ARGUMENT if the plan has another image next, or none: nothing is taken
 * then, rather than waited for. */
enum shw_result shw_image_feed_take(struct shw_image_feed *feed, uint32_t index, struct shw_labelled_image *example);

#endif
