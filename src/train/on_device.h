/* Training rounds on a Vulkan device, by compute shaders (shaders/train). */
#ifndef SHW_TRAIN_ON_DEVICE_H
#define SHW_TRAIN_ON_DEVICE_H

#include "shared/train_push.h"
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
struct shw_device_clock {
    VkQueryPool pool;               /* null: the queue has no timestamps */
    uint8_t marks[SHW_CLOCK_MARKS]; /* which program ended there */
    uint32_t count;
    double seconds[SHW_PROGRAM_COUNT + 1]; /* of the round */
};

/* What people call the programs, and what is left. */
extern const char *const shw_device_pass_names[SHW_PROGRAM_COUNT + 1];

/* Some open nodes and some or all of their candidates, whose histograms are in memory at once. */
struct shw_device_batch {
    uint32_t open_begin, open_count, candidate_begin, candidate_count;
    uint32_t item_begin, item_end; /* of the round's */
    size_t histogram_words;
};

/* The tables of a round as the device gets them (SHW_TRAIN_TABLES), and what the host has to know of them. */
struct shw_device_tables {
    uint32_t *words;
    size_t count, capacity;
    uint32_t channels, tests, segments, items; /* where they are */
    uint32_t test_count, segment_count, item_count;
    struct shw_device_batch *batches;
    uint32_t batch_count, batch_capacity;
    size_t rows, histogram_words; /* of the largest batch */
};

struct shw_device_training {
    struct shw_device *device;
    struct shw_program programs[SHW_PROGRAM_COUNT];
    VkDescriptorPool pools[SHW_PROGRAM_COUNT];
    VkDescriptorSet *sets[SHW_PROGRAM_COUNT]; /* one a chunk */
    uint32_t shared_words;                    /* counts that a work group holds */
    VkDeviceSize range;                       /* the largest buffer to be used */
    VkDeviceSize batch_bytes;                 /* of histograms, and of rows, in a batch */

    struct shw_buffer *chunks; /* integral images */
    uint32_t chunk_count;
    struct shw_buffer images, times_log2;
    struct shw_buffer tables, samples, moved, features, probes, thresholds, histogram, bests, winners, children;
    struct shw_buffer upload, readback;
    uint32_t sample_capacity;
    struct shw_device_tables round;
    struct shw_device_clock clock;
};

/* Carries the trainer's images to the device and makes everything that does not depend on a tree. Errors: MEMORY, DEVICE_MEMORY, LIMIT,
 * UNSUPPORTED, DEVICE_LOST. On failure *training is NULL. */
enum shw_result shw_device_training_create(struct shw_trainer *trainer, struct shw_device *device,
                                           struct shw_device_training **training);

/* Accepts a pointer to NULL. */
void shw_device_training_destroy(struct shw_device_training **training);

/* Carries the samples of the trainer's new tree to the device. The host's may go then, but for their count. */
enum shw_result shw_device_samples(struct shw_device_training *training, const struct shw_samples *samples);

/* What shw_split_cpu() and shw_partition_cpu() do. Errors: MEMORY, DEVICE_MEMORY, LIMIT, DEVICE_LOST. */
enum shw_result shw_split_on_device(struct shw_device_training *training, struct shw_trainer *trainer, struct shw_split *splits);
enum shw_result shw_partition_on_device(struct shw_device_training *training, struct shw_trainer *trainer,
                                        const struct shw_split *splits, uint32_t *child_counts);

/* The parts. */

/* Creates the clock; begins a recording; marks the end of a program's work in it; adds up what was recorded, when it has run. */
enum shw_result shw_device_clock_create(struct shw_device_training *training);
void shw_device_clock_begin(struct shw_device_training *training, VkCommandBuffer commands);
void shw_device_clock_mark(struct shw_device_training *training, VkCommandBuffer commands, uint32_t program);
enum shw_result shw_device_clock_read(struct shw_device_training *training);

/* Lays the round out: nodes, segments, batches and their items. Errors: MEMORY, LIMIT. */
enum shw_result shw_device_tables_make(struct shw_device_training *training, const struct shw_trainer *trainer);
void shw_device_tables_free(struct shw_device_tables *tables);

/* Puts the integral images of all images into chunks. */
enum shw_result shw_device_images_load(struct shw_device_training *training, const struct shw_trainer *trainer);

/* Makes the descriptor sets refer to the buffers as they are now. */
void shw_device_bind_buffers(struct shw_device_training *training);

/* Makes a buffer at least that large. Its contents are lost when it has to grow. Nothing that uses it may be running. */
enum shw_result shw_device_need(struct shw_device_training *training, struct shw_buffer *buffer, VkDeviceSize size,
                                enum shw_memory_kind kind, const char *name);

/* Sends `size` bytes to the beginning of a buffer, and waits. */
enum shw_result shw_device_send(struct shw_device_training *training, const struct shw_buffer *buffer, VkDeviceSize offset,
                                const void *bytes, VkDeviceSize size);

#endif
