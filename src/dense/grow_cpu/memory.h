/* How the back end `cpu` divides the memory that it may use, and the planes of images in it. */
#ifndef SHW_DENSE_GROW_CPU_MEMORY_H
#define SHW_DENSE_GROW_CPU_MEMORY_H

#include <stdbool.h>

#include <shadewood/train.h>

#include "dense/grow/trainer.h"

/* All the memory that training may use: params->memory, or three quarters of the machine's. */
uint64_t shw_cpu_memory_limit(const struct shw_trainer_params *params);

/* The least limit that is enough. The training set has been measured. */
uint64_t shw_cpu_memory_least(const struct shw_trainer *trainer);

/* Divides it if the planes of all images in trainer->images fit in addition to `taken` bytes; otherwise returns false.
 */
bool shw_cpu_memory_holds_all(const struct shw_trainer *trainer, uint64_t taken, struct shw_cpu_memory *memory);

/* Divides it; the training set has been measured, and copies take `copies` bytes at present; UINT64_MAX: as many as
 * there is room for. Errors: LIMIT if samples, one image at a time and the least that a round needs are too much. */
enum shw_result shw_cpu_memory_plan(const struct shw_trainer *trainer, uint64_t copies, struct shw_cpu_memory *memory);

/* Of memory.round, for responses or histograms of a batch; for its features, in number; for its runs of samples, in
 * number. */
size_t shw_cpu_batch_bytes(const struct shw_cpu_memory *memory);
size_t shw_cpu_batch_features(const struct shw_cpu_memory *memory);
uint32_t shw_cpu_batch_runs(const struct shw_cpu_memory *memory);

/* Planes: those of the first images are in memory, those of others are made for
 * whoever needs them, as many at a time as there are slots. */

/* Makes room for planes and responses in each slot, and for columns of each thread. Errors: MEMORY. */
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
