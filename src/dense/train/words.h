/* What messages of training say to users, who may have given something other than images (record_train/). */
#ifndef SHW_DENSE_TRAIN_WORDS_H
#define SHW_DENSE_TRAIN_WORDS_H

#include <stdbool.h>
#include <stdint.h>

/* A member of the training record that has another value than in a checkpoint. */
struct shw_train_word {
    const char *member;
    const char *name;       /* before both values; or NULL, and then this, where the values say nothing to a user: */
    const char *difference; /* "there were more or fewer records" */
};

struct shw_train_words {
    const struct shw_train_word *members; /* compared first, in this order; ends with one without a member */
    const char *other_feature;            /* about a checkpoint with another feature type */
    const char *other_data;               /* what a checkpoint was begun with if all members are the same */
    const char *samples;                  /* "samples of a tree" */
    bool has_images;                      /* whose size explains how much memory is needed */
    const char *fewer_samples;            /* what to do about that: "draw fewer pixels per image" */
};

extern const struct shw_train_words shw_image_train_words;

/* The words for a member, or NULL: its name. */
const struct shw_train_word *shw_train_word_find(const struct shw_train_words *words, const char *member);

/* What memory is needed for: "900 samples of a tree and images of 640 x 480 pixels". */
struct shw_train_need_text {
    char text[128];
};
struct shw_train_need_text shw_train_need_text(const struct shw_train_words *words, uint64_t samples, uint32_t width,
                                               uint32_t height);

#endif
