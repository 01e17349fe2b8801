/* Training rounds on a Vulkan device, by compute shaders (shaders/train). */
#ifndef SHW_TRAIN_BACKEND_COMPUTE_H
#define SHW_TRAIN_BACKEND_COMPUTE_H

#include "shared/train_push.h"
#include "train/images_compute.h"
#include "train/trainer.h"
#include "vulkan/memory.h"
#include "vulkan/pipeline.h"

enum shw_training_program {
    SHW_PROGRAM_CANDIDATES,
    SHW_PROGRAM_PROBES,
    SHW_PROGRAM_THRESHOLDS,
    SHW_PROGRAM_HISTOGRAM,
    SHW_PROGRAM_SPLIT,
    SHW_PROGRAM_WINNERS,
    SHW_PROGRAM_SIDES,
    SHW_PROGRAM_SCAN,
    SHW_PROGRAM_MOVE,
    SHW_PROGRAM_COUNT
};

/* Device time by program, from timestamps. The last is for everything else. */
#define SHW_CLOCK_MARKS 512u
struct shw_compute_clock {
    VkQueryPool pool;               /* null: the queue has no timestamps */
    uint8_t marks[SHW_CLOCK_MARKS]; /* which program ended there */
    uint32_t count;
    double seconds[SHW_PROGRAM_COUNT + 1]; /* of the round */
};

/* What people call the programs, and what is left. */
extern const char *const shw_compute_pass_names[SHW_PROGRAM_COUNT + 1];

/* Some open nodes and some or all of their candidates, whose histograms are in memory at once. */
struct shw_compute_batch {
    uint32_t open_begin, open_count, candidate_begin, candidate_count;
    uint32_t item_begin, item_end; /* of the round's */
    size_t histogram_words;
};

/* The tables of a round as the device gets them (SHW_TRAIN_TABLES), and what the host has to know of them. */
struct shw_compute_tables {
    uint32_t *words;
    size_t count, capacity;
    uint32_t channels, tests, segments, items; /* where they are */
    uint32_t test_count, segment_count, item_count;
    struct shw_compute_batch *batches;
    uint32_t batch_count, batch_capacity;
    size_t rows, histogram_words; /* of the largest batch */
};

/* Where a round stands. */
enum shw_compute_step {
    SHW_STEP_BEGIN,      /* tables, and with the first round of a tree samples, go to the device */
    SHW_STEP_CANDIDATES, /* of a batch */
    SHW_STEP_PROBES,     /* a sweep over all chunks */
    SHW_STEP_THRESHOLDS,
    SHW_STEP_HISTOGRAM, /* a sweep over all chunks */
    SHW_STEP_SPLIT,     /* then the next batch */
    SHW_STEP_HAND_OVER, /* instead, where the caller's splitter splits: histograms go to the host */
    SHW_STEP_DECIDE,    /* the host decides which splits are made */
    SHW_STEP_SIDES,     /* a sweep over all chunks */
    SHW_STEP_MOVE,
    SHW_STEP_FETCH, /* the host applies them */
    SHW_STEP_END
};

struct shw_compute_plan {
    enum shw_compute_step step;
    uint32_t batch;
    uint32_t *sweep;      /* the chunks in the order of the sweep that is going on, or comes next */
    uint32_t swept;       /* of them */
    uint32_t item;        /* of the histogram: the next one, of the batch's; by blending: the next piece */
    bool planned;         /* the sweep's images are being read ahead */
    bool backwards;       /* the next sweep's direction: what was used last is there still */
    bool samples;         /* new ones are to be sent */
    bool split_by_caller; /* the caller's splitter chooses the splits */
    bool decide;          /* the host has a say in what is split */
    bool decided;
    bool winners_fetched;
};
struct shw_histogram_blend;

struct shw_train_compute {
    struct shw_device *device;
    const struct shw_log *log;
    struct shw_program programs[SHW_PROGRAM_COUNT];
    VkDescriptorPool pools[SHW_PROGRAM_COUNT];
    VkDescriptorSet *sets[SHW_PROGRAM_COUNT]; /* one a place of integral images */
    uint32_t shared_words;                    /* counts that a work group holds */
    VkDeviceSize range;                       /* the largest buffer to be used */
    VkDeviceSize batch_bytes;                 /* of histograms, and of rows, in a batch */
    bool may_shrink;                          /* a lack of memory now only makes batches smaller */
    bool renewed;                             /* small buffers grow in large steps: there will be more trainings */
    const struct shw_feature_type *feature;

    struct shw_compute_images integrals;
    struct shw_buffer images, times_log2;
    struct shw_buffer tables, samples, moved, features, probes, thresholds, histogram, bests, winners, children;
    struct shw_buffer constant_upload, table_upload, sample_upload, decisions, readback;
    uint32_t sample_capacity;
    struct shw_compute_tables round;
    struct shw_compute_plan plan;
    struct shw_histogram_blend *blend; /* NULL: histograms are counted by SHW_PROGRAM_HISTOGRAM */
    struct shw_compute_clock clock;
};

/* Makes everything that does not depend on a tree, for devices of our own and imported ones; if *training is there,
 * from what it has, where that serves: programs, buffers and, for the same images, integral images. Errors: MEMORY,
 * DEVICE_MEMORY, LIMIT, UNSUPPORTED. On failure *training is NULL. */
enum shw_result shw_compute_renew(struct shw_train_compute **training, struct shw_trainer *trainer, bool same_images);

/* Between two trainings: ends what uses the data set. */
void shw_compute_rest(struct shw_train_compute *training);

/* Accepts a pointer to NULL. Nothing recorded may still run. */
void shw_compute_destroy(struct shw_train_compute **training);

/* Takes the samples of the trainer's new tree, to be sent with the next round. The host's may go then, but for their
 * count. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_compute_samples(struct shw_train_compute *training, struct shw_thread_pool *pool,
                                    const struct shw_samples *samples);

/* Prepares a round. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_compute_round_begin(struct shw_train_compute *training, const struct shw_trainer *trainer);

/* Records the next part of the round: as much as counts for about `work_max` responses, at least one piece of work.
 * What was recorded before must have finished, and shw_compute_round_submitted() been called. Errors: MEMORY,
 * DEVICE_MEMORY, those of reading images. */
enum shw_result shw_compute_round_record(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                         VkCommandBuffer commands, uint64_t work_max);

/* What the round needs next, when what was recorded has finished. */
enum shw_compute_event {
    SHW_COMPUTE_MORE,       /* to be recorded on */
    SHW_COMPUTE_HISTOGRAMS, /* those of a batch are there for the splitter: shw_compute_round_hand_over() is due */
    SHW_COMPUTE_DECIDE, /* splits are known: the host drops what it does not want, then calls shw_compute_round_decide()
                         */
    SHW_COMPUTE_DONE    /* children are counted */
};
enum shw_result shw_compute_round_submitted(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                            struct shw_split *splits, uint32_t *child_counts,
                                            enum shw_compute_event *event);
void shw_compute_round_decide(struct shw_train_compute *training, const struct shw_trainer *trainer,
                              const struct shw_split *splits);

/* Hands the histograms of a batch over. *last: they were the round's last; the splitter's choices are then to be told
 * to shw_compute_round_chosen(). Errors: those of shw_splitting_batch(). */
enum shw_result shw_compute_round_hand_over(struct shw_train_compute *training, const struct shw_trainer *trainer,
                                            bool *last);
void shw_compute_round_chosen(struct shw_train_compute *training, const struct shw_trainer *trainer,
                              const struct shw_split *splits);

/* The parts. */

/* Creates the clock; begins a recording; marks the end of a program's work in it; adds up what was recorded, when it
 * has run. */
enum shw_result shw_compute_clock_create(struct shw_train_compute *training);
void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands);
void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t program);
enum shw_result shw_compute_clock_read(struct shw_train_compute *training);

/* Lays the round out: nodes, segments, batches and their items. Errors: MEMORY, LIMIT. */
enum shw_result shw_compute_tables_make(struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_compute_tables_free(struct shw_compute_tables *tables);

/* The push constants of a round; those of a batch in addition. */
struct shw_train_push shw_compute_push(const struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_compute_push_batch(struct shw_train_push *push, const struct shw_compute_batch *batch);

/* Records work groups of a program with the integral images of one chunk, or with none in particular if the program
 * does not read any. */
void shw_compute_dispatch(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program, struct shw_train_push *push, size_t groups);

/* Ends the work of a program, so that the next can use what it has written. */
void shw_compute_complete(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program);

/* Records items [first, end) of the histograms of a batch, for the samples in push->chunk. */
void shw_compute_histogram(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                           const struct shw_compute_batch *batch, uint32_t first, uint32_t end);

/* Makes the descriptor sets refer to the buffers as they are now. */
void shw_compute_bind_buffers(struct shw_train_compute *training);

/* Makes a buffer at least that large. Its contents are lost when it has to grow. Nothing that uses it may be
 * running. */
enum shw_result shw_compute_need(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                 enum shw_memory_kind kind, const char *name);

#endif
