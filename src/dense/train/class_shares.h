/* How many pixels of each class are drawn. */
#ifndef SHW_DENSE_TRAIN_CLASS_SHARES_H
#define SHW_DENSE_TRAIN_CLASS_SHARES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shw_train_images;
struct shw_trainer_params;

struct shw_class_shares {
    const uint64_t *sizes; /* [class]: its pixels */
    uint32_t *quotas;      /* [class]: how many of them are drawn */
    uint32_t *able;        /* scratch for `classes` numbers */
    uint32_t classes;
};

/* Fills in the quotas, `wanted` in all, which there are: equally many while the classes last. What cannot be shared
 * equally goes to classes that are drawn, one pixel each. */
void shw_class_share(const struct shw_class_shares *shares, uint32_t wanted, uint32_t key, uint32_t stream);

/* The labelled pixels of an image by class, in the order of classes, without those that it lacks. */
struct shw_class_count {
    uint32_t class, count;
};

struct shw_class_list {
    struct shw_class_count *entries;
    uint32_t count;
};

/* False if out of memory. Free list->entries. */
bool shw_class_list_make(const uint16_t *labels, size_t pixels, uint32_t classes, struct shw_class_list *list);

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

/* Shares `wanted` pixels, which there are, among the classes, and those of each class among the images. False if out of
 * memory. */
bool shw_class_plan_make(const struct shw_class_task *task, uint32_t wanted, struct shw_class_plan *plan);
void shw_class_plan_free(struct shw_class_plan *plan);

/* Bytes of the class lists of all images, and of a plan, at most; 0 without class lists. */
uint64_t shw_class_lists_bytes(const struct shw_train_images *images);
uint64_t shw_class_plan_bytes(const struct shw_trainer_params *params, const struct shw_train_images *images);

#endif
