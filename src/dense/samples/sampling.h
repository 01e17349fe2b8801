/* The samples of a tree. */
#ifndef SHW_DENSE_SAMPLES_SAMPLING_H
#define SHW_DENSE_SAMPLES_SAMPLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dense/samples/draws.h"
#include "dense/samples/image_part.h"
#include "dense/samples/images.h"

/* The samples of one tree as parallel arrays, in the order of open nodes and, within a node, of picture and pixel. */
struct shw_samples {
    uint32_t count, capacity;
    uint32_t *image;
    uint16_t *x, *y, *label;
};

/* The fold of a picture: `run` pictures that follow each other, at least 1, are in the same. */
static inline uint32_t shw_fold_of(uint32_t picture, uint32_t run, uint32_t folds)
{
    return picture / run % folds;
}

/* The pictures of a tree, out of `total`, ascending; drawing with replacement may repeat some. To be freed with free();
 * NULL if out of memory. */
uint32_t *shw_draw_pictures(const struct shw_trainer_params *params, uint32_t total, uint32_t tree, uint32_t *count);

/* Draws a tree's samples, or of them those in `part`, the images of `dataset`; `images` are all, as measured. Errors:
 * FORMAT, LIMIT, MEMORY, those of read. On failure *samples is zero. */
enum shw_result shw_samples_draw(const struct shw_trainer_params *params, const struct shw_dataset *dataset,
                                 struct shw_thread_pool *pool, const struct shw_train_images *images,
                                 struct shw_image_part part, uint32_t tree, struct shw_samples *samples);

/* The same in steps: what is drawn; all that it points to must stay there until the samples are drawn. */
struct shw_drawing_task {
    const struct shw_trainer_params *params;
    const struct shw_dataset *dataset;
    struct shw_thread_pool *pool;
    const struct shw_train_images *images;
    struct shw_image_part part;
    uint32_t tree;
};

/* begin takes *memory, which is zero or has memory of earlier samples, and is zero afterwards. A step draws from up to
 * `pictures` pictures and returns whether more are left; get returns the samples once none are, or NULL. end draws from
 * the rest and reports errors of all steps; the drawing is then NULL. free accepts NULL in *drawing. One thread at a
 * time. Errors: those of shw_samples_draw(). */
struct shw_drawing;
enum shw_result shw_drawing_begin(const struct shw_drawing_task *task, struct shw_samples *memory,
                                  struct shw_drawing **drawing);
bool shw_drawing_step(struct shw_drawing *drawing, uint32_t pictures);
const struct shw_samples *shw_drawing_get(const struct shw_drawing *drawing);
enum shw_result shw_drawing_end(struct shw_drawing **drawing, struct shw_samples *samples);
void shw_drawing_free(struct shw_drawing **drawing);

/* Whether all trees have the same samples in the same order, whatever the images are. */
bool shw_samples_repeat(const struct shw_trainer_params *params);

/* The most samples that a tree can have in `part`. */
uint64_t shw_samples_most(const struct shw_trainer_params *params, const struct shw_train_images *images,
                          struct shw_image_part part);

/* Accepts zero samples. They are zero afterwards. */
void shw_samples_free(struct shw_samples *samples);

/* Moves each sample s to place to[s], which are all different. `scratch` has room for `count` numbers. */
void shw_samples_move(struct shw_samples *samples, struct shw_thread_pool *pool, const uint32_t *to, uint32_t *scratch);

/* Counts the samples of each class. Errors: MEMORY. */
enum shw_result shw_samples_count(const struct shw_log *log, struct shw_thread_pool *pool,
                                  const struct shw_samples *samples, uint32_t classes, uint64_t *counts);

/* How many pixels of each class are drawn. */

struct shw_class_shares {
    const uint64_t *sizes; /* [class]: its pixels */
    uint32_t *quotas;      /* [class]: how many of them are drawn */
    uint32_t *able;        /* scratch for `classes` numbers */
    uint32_t classes;
};

/* Fills in the quotas, `wanted` pixels in all, which must exist: equally many of each class until it is used up. The
 * remainder goes to classes drawn at random, one pixel each. */
void shw_class_share(const struct shw_class_shares *shares, uint32_t wanted, uint32_t key, uint32_t stream);

/* Class-uniform sampling: how many pixels of each class each image gives. An image and its mirror image have places of
 * their own, one after the other, in the order in which images are drawn. */
struct shw_class_plan {
    struct shw_class_count *entries;
    size_t *ends; /* [place]: where its entries end */
};

/* The images whose pixels are drawn. */
struct shw_class_task {
    const struct shw_trainer_params *params;
    const struct shw_train_images *images; /* with class lists */
    const uint32_t *drawn;                 /* numbers of pictures */
    uint32_t drawn_count, classes, mirrors;
    uint32_t tree; /* whose draws are used */
};

/* Divides `wanted` pixels, which must exist, among the classes, and those of each class among the images. False if out
 * of memory. */
bool shw_class_plan_make(const struct shw_class_task *task, uint32_t wanted, struct shw_class_plan *plan);
void shw_class_plan_free(struct shw_class_plan *plan);

/* Bytes of the class lists of all images, and of a plan, at most; 0 without class lists. */
uint64_t shw_class_lists_bytes(const struct shw_train_images *images);
uint64_t shw_class_plan_bytes(const struct shw_trainer_params *params, const struct shw_train_images *images);

#endif
