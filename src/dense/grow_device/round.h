/* Training rounds on a Vulkan device: what the back ends `compute` and `blend` share. */
#ifndef SHW_DENSE_GROW_DEVICE_ROUND_H
#define SHW_DENSE_GROW_DEVICE_ROUND_H

#include <shadewood/train.h>

#include "dense/grow/trainer.h"
#include "dense/grow_device/images.h"
#include "shared/train_push.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

struct shw_histogram_blend;
struct shw_train_compute;

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

/* What a mark ends: one of the programs, or one of these. `blend` divides the histograms. */
enum { SHW_CLOCK_OTHER = SHW_PROGRAM_COUNT, SHW_CLOCK_LEAVES, SHW_CLOCK_RESPONSES, SHW_CLOCK_SCATTER, SHW_CLOCK_COUNT };

#define SHW_CLOCK_MARKS 4096u
struct shw_compute_clock {
    VkQueryPool pool;               /* null: the queue has no timestamps */
    uint8_t marks[SHW_CLOCK_MARKS]; /* what ended at this mark */
    uint32_t count;
    double seconds[SHW_CLOCK_COUNT]; /* of the round */
};

/* Some open nodes with some or all of their candidates; their histograms are in memory at once. */
struct shw_compute_batch {
    uint32_t open_begin, open_count, candidate_begin, candidate_count;
    uint32_t item_begin, item_end; /* of the round */
    size_t histogram_words;
};

/* The tables of a round as the device reads them (SHW_TRAIN_TABLES), and what the host needs to know about them. */
struct shw_compute_tables {
    uint32_t *words;
    size_t count;
    uint32_t capacity;
    uint32_t channels, tests, segments, items; /* where they begin */
    uint32_t level_probes, level_probe_count;  /* of ferns */
    uint32_t test_count, segment_count, item_count;
    struct shw_compute_batch *batches;
    uint32_t batch_count, batch_capacity;
    size_t rows, histogram_words; /* of the largest batch */
};

/* How the histograms of a batch are counted on the device: the only difference between the back ends `compute` and
 * `blend`. Functions that may be NULL are marked. */
struct shw_histogram_counter {
    /* Bytes of device memory needed for that many samples. May be NULL. */
    VkDeviceSize (*get_memory)(const struct shw_train_compute *training, uint64_t samples);

    /* create() makes what does not depend on a tree, and is not kept for another training; begin_tree() takes the
     * samples of a new tree; begin() prepares a round, after its tables and buffers. May be NULL. Errors: MEMORY,
     * DEVICE_MEMORY, LIMIT, UNSUPPORTED. */
    enum shw_result (*create)(struct shw_train_compute *training, const struct shw_trainer *trainer);
    enum shw_result (*begin_tree)(struct shw_train_compute *training, const struct shw_samples *samples);
    enum shw_result (*begin)(struct shw_train_compute *training, const struct shw_trainer *trainer);

    /* Adds the samples in the chunk push->chunk to the batch's histogram, from piece *piece on: about *work responses,
     * but at least one piece even if *work is 0. Sets *work to the work recorded. Returns true if that was the last
     * piece; otherwise sets *piece to the next one. */
    bool (*record)(struct shw_train_compute *training, VkCommandBuffer commands, struct shw_train_push *push,
                   const struct shw_compute_batch *batch, uint32_t *piece, uint64_t *work);

    /* May be NULL. Accepts what create() has not made, or made in part. */
    void (*destroy)(struct shw_train_compute *training);
};

/* The steps of a round. */
enum shw_compute_step {
    SHW_STEP_BEGIN,        /* tables are uploaded, and with the first round of a tree, samples */
    SHW_STEP_CANDIDATES,   /* of a batch; proposed ones once per recording, since they are uploaded */
    SHW_STEP_PROBES,       /* a sweep over all chunks */
    SHW_STEP_FETCH_PROBES, /* where workers divide the images: the responses of probes go to the host, of all batches */
    SHW_STEP_SHARE_PROBES, /* which exchanges them; then from the first batch on again, with those of all workers */
    SHW_STEP_THRESHOLDS,
    SHW_STEP_HISTOGRAM, /* a sweep over all chunks */
    SHW_STEP_SPLIT,     /* then the next batch */
    SHW_STEP_HAND_OVER, /* instead of SPLIT, if the caller's splitter chooses splits: histograms go to the host */
    SHW_STEP_DECIDE,    /* the host decides which splits to make */
    SHW_STEP_SIDES,     /* a sweep over all chunks */
    SHW_STEP_MOVE,
    SHW_STEP_FETCH, /* results go to the host */
    SHW_STEP_END
};

struct shw_compute_plan {
    enum shw_compute_step step;
    uint32_t batch;
    uint32_t *sweep;       /* chunks in the order of the current or the next sweep */
    uint32_t swept;        /* chunks of the sweep that are done */
    uint32_t item;         /* next item of the batch, or next piece of the counter */
    bool planned;          /* the sweep's images are being read ahead */
    bool backwards;        /* direction of the next sweep: it begins with what was used last */
    bool samples;          /* new ones must be uploaded */
    bool split_by_caller;  /* the caller's splitter chooses the splits, or workers that divide the images do together */
    bool divided, probing; /* workers divide the images, and what thresholds are made from is not known yet */
    bool decide;           /* the host may change which splits are made */
    bool decided;
    bool winners_fetched;
};

struct shw_train_compute {
    struct shw_trainer *trainer;
    struct shw_device *device;
    const struct shw_log *log;
    struct shw_program programs[SHW_PROGRAM_COUNT];
    struct shw_sets sets[SHW_PROGRAM_COUNT]; /* one per place of planes */
    uint32_t shared_words;                   /* of counts that a work group holds */
    VkDeviceSize range;                      /* the largest buffer that may be used */
    bool has_windows; /* those of planes are larger, for an image whose planes exceed it, and bound in windows */
    VkDeviceSize batch_bytes; /* of the histograms of a batch, and of its rows */
    bool may_shrink;          /* if memory runs out now, smaller batches will do */
    bool is_scarce;           /* device memory has run out: buffers are made for the present round only */
    bool renewed;             /* small buffers grow in large steps: more trainings follow */
    const struct shw_feature_type *feature;
    bool reads_channels;            /* beside integral images, if images have them */
    struct shw_train_shapes shapes; /* of mean planes, which images have instead of integral images; or zero */
    bool paired; /* some images have the planes of others, read by `mirror`, which is zero otherwise */
    struct shw_mirror mirror;

    struct shw_compute_images integrals;
    struct shw_buffer images, times_log2;
    struct shw_buffer tables, samples, moved, features, probes, thresholds, histogram, bests, winners, children;
    struct shw_buffer probe_upload; /* where workers divide the images */
    struct shw_buffer constant_upload, table_upload, sample_upload, feature_upload, decisions, readback;
    uint32_t sample_capacity;
    uint32_t packed;      /* blocks of the next tree's samples that are in `sample_upload` */
    bool uploads_samples; /* what is recorded reads `sample_upload` */
    struct shw_compute_tables round;
    struct shw_train_constants constants; /* of the current round */
    struct shw_compute_plan plan;
    const struct shw_histogram_counter *counter;
    struct shw_histogram_blend *blend; /* NULL unless `counter` is shw_counter_blend */
    struct shw_compute_clock clock;
};

/* Specialisation constants of the shaders that compute responses (shaders/dense/train/respond.glsl), and of
 * histogram.comp. */
_Static_assert(SHW_CHANNELS_MAX / 4 == SHW_TRAIN_ID_HAS_CHANNELS - SHW_TRAIN_ID_PARTNERS, "four partners in a word");
struct shw_train_specialization {
    uint32_t words[SHW_TRAIN_IDS]; /* [constant_id] */
    VkSpecializationMapEntry entries[SHW_TRAIN_IDS];
    VkSpecializationInfo info;
};
void shw_train_specialize(const struct shw_train_compute *training, struct shw_train_specialization *specialization);

/* The storage buffers that a shader needs which reads planes in windows. */
uint32_t shw_compute_count_bindings(void);

/* What is known of a training before its images are read; the rest is zero. */
struct shw_train_compute shw_compute_plan_training(struct shw_trainer *trainer,
                                                   const struct shw_histogram_counter *counter);

/* The shaders of the programs. Errors: those of a feature type's shaders. */
enum shw_result shw_compute_shaders(const struct shw_train_compute *training,
                                    struct shw_shader shaders[SHW_PROGRAM_COUNT]);

/* Creates one of the programs. Any thread. Errors: those of Vulkan. */
enum shw_result shw_compute_program_create(const struct shw_train_compute *training, uint32_t number,
                                           struct shw_shader shader, struct shw_program *program);

/* Creates the programs. Errors: those of Vulkan. */
enum shw_result shw_compute_programs_create(struct shw_train_compute *training);
void shw_compute_programs_destroy(struct shw_train_compute *training);

/* Creates descriptor sets for each place of planes. */
enum shw_result shw_compute_sets_create(struct shw_train_compute *training);
void shw_compute_sets_destroy(struct shw_train_compute *training);

/* The buffer of a binding (shared/train_push.h) for a place of planes. */
const struct shw_buffer *shw_compute_buffer(const struct shw_train_compute *training, uint32_t binding, uint32_t place);

/* Points the descriptor sets to the current buffers. */
void shw_compute_bind_buffers(struct shw_train_compute *training);

/* Makes a buffer at least that large. Its contents are lost if it has to grow. Nothing that uses it may be running. */
enum shw_result shw_compute_need(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                 enum shw_memory_kind kind, const char *name);

/* The same; a buffer that is made gets `more` bytes, if that is more, for later rounds. */
enum shw_result shw_compute_need_more(struct shw_train_compute *training, struct shw_buffer *buffer, VkDeviceSize size,
                                      VkDeviceSize more, enum shw_memory_kind kind, const char *name);

/* Names of the passes for users. */
extern const char *const shw_compute_pass_names[SHW_CLOCK_COUNT];

/* Create the clock; begin a recording; mark the end of a pass in it, not within a render pass; after it has run,
 * add its times. */
enum shw_result shw_compute_clock_create(struct shw_train_compute *training);
void shw_compute_clock_begin(struct shw_train_compute *training, VkCommandBuffer commands);
void shw_compute_clock_mark(struct shw_train_compute *training, VkCommandBuffer commands, uint32_t pass);
enum shw_result shw_compute_clock_read(struct shw_train_compute *training);

/* Lays out the round: nodes, segments, batches and their items. Errors: MEMORY, LIMIT. */
enum shw_result shw_compute_tables_make(struct shw_train_compute *training, const struct shw_trainer *trainer);
void shw_compute_tables_free(struct shw_compute_tables *tables);

/* Constants of a round, known when its tables are made. */
struct shw_train_constants shw_compute_constants(const struct shw_trainer *trainer,
                                                 const struct shw_compute_tables *tables);

/* The push constants of a batch or, if `batch` is NULL, of the whole round. */
struct shw_train_push shw_compute_push(const struct shw_train_compute *training, const struct shw_compute_batch *batch);

/* Records work groups of a program with the planes of one chunk, or of any chunk if the program reads none. */
void shw_compute_dispatch(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program, struct shw_train_push *push, size_t groups);

/* Makes what a program has written visible to the next. */
void shw_compute_complete(struct shw_train_compute *training, VkCommandBuffer commands,
                          enum shw_training_program program);

/* Counts by compute shaders. */
extern const struct shw_histogram_counter shw_counter_compute;

/* Functions of struct shw_train_backend, for own and imported devices; `state` is a struct shw_train_compute, whose
 * histograms `counter` counts. */
enum shw_result shw_compute_open(struct shw_trainer *trainer);
enum shw_result shw_compute_create(struct shw_trainer *trainer, struct shw_train_images *before,
                                   const struct shw_histogram_counter *counter, void **state);
void shw_compute_rest(void *state);
enum shw_result shw_compute_begin_tree(void *state);
bool shw_compute_take_ahead(void *state, const struct shw_samples *samples);
enum shw_result shw_compute_begin(void *state);
enum shw_result shw_compute_record(void *state, VkCommandBuffer commands, uint64_t work_max);
enum shw_result shw_compute_submitted(void *state, enum shw_train_event *event);
void shw_compute_decide(void *state);
void shw_compute_get_passes(const void *state, struct shw_train_progress *progress);
void shw_compute_destroy(void **state);
#define SHW_COMPUTE_FUNCTIONS                                                                                          \
    .open = shw_compute_open, .rest = shw_compute_rest, .begin_tree = shw_compute_begin_tree,                          \
    .take_ahead = shw_compute_take_ahead, .begin = shw_compute_begin, .record = shw_compute_record,                    \
    .submitted = shw_compute_submitted, .decide = shw_compute_decide, .get_passes = shw_compute_get_passes,            \
    .destroy = shw_compute_destroy

/* The trainer's state if its back end records on a device; otherwise NULL. */
struct shw_train_compute *shw_compute_of(const struct shw_trainer *trainer);

#endif
