/* Internals of the trainer. */
#ifndef SHW_DENSE_GROW_TRAINER_H
#define SHW_DENSE_GROW_TRAINER_H

#include <stdatomic.h>

#include <shadewood/train.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "dense/grow/backend.h"
#include "dense/grow/division.h"
#include "dense/grow/progress.h"
#include "dense/grow/proposal.h"
#include "dense/grow/tree_builder.h"
#include "dense/grow/tree_samples.h"
#include "dense/samples/images.h"

struct shw_blend_limits;
struct shw_derived_set;
struct shw_fern_level;
struct shw_level_set;
struct shw_out_of_bag;
struct shw_programs_ahead;
struct shw_splitting;

/* How the back end `cpu` divides the memory that it may use. */
struct shw_cpu_memory {
    uint64_t round;    /* for what is allocated during a round, and to draw and to move samples */
    uint32_t resident; /* images whose planes stay in memory, with those of their mirror images */
    uint32_t slots;    /* images whose planes are made at a time, besides those */
    uint64_t store;    /* for compact copies of images; 0: none are worth keeping */
};

struct shw_trainer {
    struct shw_trainer_params params; /* with defaults filled in */
    const struct shw_train_words *words;
    const struct shw_dataset *dataset;
    struct shw_channel_list channels;
    uint32_t bins;                             /* of the training; params.bins is that of the round */
    uint32_t round_candidates;                 /* of a node in this round, by all workers */
    uint32_t candidate_begin, candidate_count; /* the share of them that this worker counts */
    uint32_t *rates;                           /* [worker]: how fast they count (shw_candidates_measure()); or NULL */
    uint32_t candidate_key;                    /* by which the library draws them */
    struct shw_proposed proposed;              /* for the round; zero if the library draws candidates */
    struct shw_thread_pool *pool;
    struct shw_train_images images;
    /* of the technique `cpu` */
    enum shw_simd simd;
    const struct shw_respond *respond;
    struct shw_cpu_memory memory;
    struct shw_derived_set *filled;       /* then what follows is made from theirs; or NULL */
    struct shw_derived_set *depth_labels; /* then `dataset`, or what the store was made from, is theirs; or NULL */
    struct shw_division *division;        /* of the images among workers; or NULL */
    struct shw_level_set *above;          /* what the level below says, added to these; or NULL */
    struct shw_forest *below;             /* a reference to that level */
    struct shw_image_store *store;        /* then `dataset` is that of the store; NULL if all planes are in memory */
    void **slots;                         /* for the planes of images that are not in memory */
    int32_t *tables;                      /* per slot: responses of a chunk, by run, by candidate */
    int32_t *columns;                     /* per thread: responses of a few candidates, by candidate */
    size_t table_values, column_values;   /* of one */
    uint8_t *sides;                       /* [sample]: whether it goes right, for nodes in `sided` */
    struct shw_split *sided;              /* [open node]: the split that `sides` are of */

    double *class_weights; /* relative, before they are scaled for a tree */
    char *notes;
    struct shw_tree_builder builder;
    struct shw_tree_samples samples; /* of trees that have not begun */
    struct shw_round round;
    const struct shw_blend_limits *blend_limits; /* for tests; NULL: the default limits */
    struct shw_splitting *splitting;             /* not NULL while a splitter chooses the tests of a round */
    struct shw_fern_level *fern_level;           /* of ferns: of the round; otherwise NULL */
    const struct shw_train_backend *backend;
    struct shw_programs_ahead *programs; /* of a device, while the training set is read; or NULL */
    void *state;                         /* of the back end; NULL until the training set is read */
    char *batch;                         /* memory of batches, kept from round to round */
    size_t batch_bytes;
    struct shw_tree *trees; /* finished; their arrays belong to the trainer */
    uint32_t tree_count;
    struct shw_gains gains; /* of the finished trees */
    bool gains_unknown;     /* of some of them, from a checkpoint of an earlier version */
    uint64_t responses;
    struct shw_out_of_bag *out_of_bag; /* what finished trees say of pixels that are out of bag; or NULL */
    uint64_t out_of_bag_pixels, out_of_bag_correct;
    double start;
    struct shw_pace pace;
    bool loaded, finished;
    bool recorded; /* and not completed */
    bool begins;   /* nothing has been recorded: completing begins a round */
    atomic_bool interrupted;
    bool in_doubt; /* recorded commands may not have run, so the state of device memory is unknown */
    struct shw_forest *forest;
    struct shw_team *team; /* its helpers; or NULL */
};

/* The number of the tree in progress, by which its random numbers are drawn. */
static inline uint32_t shw_trainer_tree(const struct shw_trainer *trainer)
{
    return trainer->params.first_tree + trainer->tree_count;
}

/* Whether histograms are passed on to a splitter: the caller's or that of ferns, which choose the tests, or that of
 * workers which divide the images. */
static inline bool shw_trainer_has_splitter(const struct shw_trainer *trainer)
{
    return trainer->params.splitter != NULL || trainer->params.ferns || trainer->division != NULL;
}

/* Facts about all images: those of the trainer, or of all workers that divide them. Known once the trainer is
 * prepared. */
static inline const struct shw_train_images *shw_trainer_whole(const struct shw_trainer *trainer)
{
    return trainer->division != NULL ? &trainer->division->whole : &trainer->images;
}

/* Which of them are the trainer's. */
static inline struct shw_image_part shw_trainer_part(const struct shw_trainer *trainer)
{
    return trainer->division != NULL ? trainer->division->set.part : shw_image_part_all(trainer->dataset->count);
}

/* Whether training must end; what is computed afterwards is discarded. Any thread. */
static inline bool shw_trainer_is_interrupted(const struct shw_trainer *trainer)
{
    return atomic_load_explicit(&trainer->interrupted, memory_order_relaxed);
}

/* Errors: CANCELLED if it must end. */
static inline enum shw_result shw_trainer_check_interruption(const struct shw_trainer *trainer)
{
    return shw_trainer_is_interrupted(trainer)
               ? shw_fail(&trainer->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS, "training was stopped")
               : SHW_OK;
}

#endif
