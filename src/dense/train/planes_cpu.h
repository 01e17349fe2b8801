/* The planes of training images on the CPU: those of the first images are in memory, those of others are made for
 * whoever needs them, as many at a time as there are slots. */
#ifndef SHW_DENSE_TRAIN_PLANES_CPU_H
#define SHW_DENSE_TRAIN_PLANES_CPU_H

#include "dense/train/trainer.h"

/* Makes room for planes in each slot. Errors: MEMORY. */
enum shw_result shw_cpu_planes_create(struct shw_trainer *trainer);
void shw_cpu_planes_destroy(struct shw_trainer *trainer);

/* Whether the planes of an image are in memory. */
static inline bool shw_cpu_planes_are_resident(const struct shw_trainer *trainer, uint32_t image)
{
    return trainer->images.images[image].planes != SHW_NO_PLANES;
}

/* The planes of an image, which are valid until the slot is used for another image. Errors: MEMORY, those of reading
 * the image. */
enum shw_result shw_cpu_planes_get(const struct shw_trainer *trainer, uint32_t slot, uint32_t image,
                                   const void **planes);

/* The number of slots. */
uint32_t shw_cpu_planes_slots(const struct shw_trainer *trainer);

/* Calls work(user, index, slot) once for every index below `count`, by the threads of the trainer, in unspecified order
 * but begun in ascending order; concurrent calls have different slots. After a failure, or an interruption, the rest is
 * skipped. Returns a failure if there was one. */
enum shw_result shw_cpu_planes_run(const struct shw_trainer *trainer, uint32_t count,
                                   enum shw_result (*work)(void *user, uint32_t index, uint32_t slot), void *user);

#endif
