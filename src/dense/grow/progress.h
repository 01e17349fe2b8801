/* What training reports: words for its messages, progress and the estimated time left. */
#ifndef SHW_DENSE_GROW_PROGRESS_H
#define SHW_DENSE_GROW_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

/* What to say about a member of the provenance whose value differs from that of a checkpoint. */
struct shw_train_word {
    const char *member;
    const char *name;       /* before both values; or NULL if the values mean nothing to a user: `difference` is used */
    const char *difference; /* "there were more or fewer records" */
};

struct shw_train_words {
    const struct shw_train_word *members; /* compared first, in this order; ends with one without a member */
    const char *other_feature;            /* about a checkpoint with another feature type */
    const char *other_data;               /* what a checkpoint was begun with if all members are the same */
    const char *samples;                  /* "samples of a tree" */
    bool has_images;                      /* whose size explains how much memory is needed */
    const char *fewer_samples;            /* how to need less: "draw fewer pixels per image" */
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

/* Rounds of the same depth take about equally long in all trees, so finished trees predict later ones. One-off work of
 * the first round of a trainer, such as reading images and compiling shaders, does not count: it is estimated from the
 * second round, which has no more samples. */
struct shw_pace {
    double trees[SHW_DEPTH_MAX]; /* by depth: seconds of the rounds of all finished trees */
    double tree[SHW_DEPTH_MAX];  /* the same of the tree in progress */
    double fraction;             /* reported last */

    uint32_t rounds; /* of this trainer, which may have continued from a checkpoint */
    double first;    /* seconds of the first of them */
    double once;     /* of these, one-off work */
    uint32_t first_tree, first_depth;
    uint64_t first_samples;
};

/* A round in progress or finished. */
struct shw_round {
    uint32_t tree, depth, open_nodes, splits;
    uint64_t samples, classes; /* of the open nodes */
    uint64_t tree_samples;
    double begin, seconds;
};

struct shw_trainer;

/* Counts the round and reports it to the log and to the caller. False if the caller wants to stop. */
bool shw_progress_report(struct shw_trainer *trainer, const struct shw_round *round);

/* Seconds of a monotonic clock. */
double shw_trainer_clock(void);

#endif
