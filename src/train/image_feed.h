/* Training images read ahead on a thread of their own, in the order in which they will be needed. */
#ifndef SHW_TRAIN_IMAGE_FEED_H
#define SHW_TRAIN_IMAGE_FEED_H

#include "train/images.h"

struct shw_image_feed;

/* Reads up to `ahead` images ahead, none if the data set is single-threaded. params and dataset are borrowed. Errors:
 * MEMORY. */
enum shw_result shw_image_feed_create(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                      uint32_t ahead, struct shw_image_feed **feed);

/* Accepts a pointer to NULL. Images that were read ahead are released. */
void shw_image_feed_destroy(struct shw_image_feed **feed);

/* Says that images order[0..count-1] will be needed next, in this order; what was read ahead before is released.
 * `order` is copied. Errors: MEMORY. */
enum shw_result shw_image_feed_plan(struct shw_image_feed *feed, const uint32_t *order, uint32_t count);

/* The next image of the plan, to be ended with dataset->release(). Waits until it is there. Errors: those of
 * reading. */
enum shw_result shw_image_feed_take(struct shw_image_feed *feed, struct shw_labelled_image *example);

#endif
