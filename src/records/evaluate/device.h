/* What the techniques on the device have in common: the tables of a forest there, recording in pieces that fit the
 * device's limits, from the place that a record reaches in each tree to sums and classes, and records from the host. A
 * technique brings a walker. */
#ifndef SHW_RECORDS_EVALUATE_DEVICE_H
#define SHW_RECORDS_EVALUATE_DEVICE_H

#include "records/evaluate/device_tables.h"
#include "records/evaluate/device_transfer.h"
#include "records/evaluate/evaluator.h"
#include "shared/record_push.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

/* Of nodes, in one dispatch or draw, so that none takes too long. */
#define SHW_RECORD_VISITS_MOST ((uint64_t)1 << 33)

#define SHW_RECORD_SETS  32u  /* of a slot */
#define SHW_RECORD_SPARE 256u /* at least minStorageBufferOffsetAlignment of any device */

struct shw_record_device;

/* Successive records whose buffers are within the range of descriptors. */
struct shw_record_piece {
    VkDescriptorSet set;
    uint32_t offsets[SHW_RECORD_DYNAMIC];
    struct shw_record_push push; /* for one dispatch of the walker */
};

struct shw_record_walker {
    /* Makes its nodes, with shw_record_device_upload() to device->nodes, the tables, with shw_record_device_tables(),
     * and its programs. Errors: MEMORY, DEVICE_MEMORY, LIMIT, UNSUPPORTED. */
    enum shw_result (*create)(struct shw_record_device *device, void *state);
    /* Releases what create() has made; also after it has failed. */
    void (*release)(struct shw_record_device *device, void *state);
    /* Records the walk of the trees of push's chunks. */
    void (*record)(struct shw_record_device *device, void *state, VkCommandBuffer commands,
                   const struct shw_record_piece *piece);
    size_t size; /* of its state */
};

/* Buffers and descriptor sets that records are evaluated with, in passes: if leaves have so many values that lanes
 * cannot keep their sums, or trees are so deep that a single dispatch could take too long. */
struct shw_record_passes {
    uint32_t records, trees, chunk_trees; /* of a piece, of a slice, of a chunk; at most */
    struct shw_buffer places, sums;       /* [tree of the slice][record], [record][output] */
    struct shw_program add, decide;       /* sums.comp, classes.comp */
};

struct shw_record_device {
    const struct shw_record_evaluator_params *params;
    const struct shw_record_forest_info *info;
    struct shw_device *device;
    const struct shw_record_walker *walker;
    const void *settings;            /* the walker's, during creation */
    void *state;                     /* of the walker */
    struct shw_record_order order;   /* known when walkers are created */
    struct shw_device_forest tables; /* made by the walker */
    struct shw_buffer nodes;         /* the walker's */
    struct shw_buffer table, values, numbers;
    struct shw_buffer
        spare;            /* instead of what is not wanted, SHW_RECORD_SPARE bytes for each slot; nothing is written */
    uint64_t depths_most; /* of the trees that a lane walks in one dispatch, and their number */
    bool in_passes;
    struct shw_record_passes passes;
    struct shw_program first; /* one that has been made, for the layout of sets; not to be destroyed */
    struct shw_sets sets;     /* SHW_RECORD_SETS for each slot, those of run() included */
    struct shw_record_transfer transfer;
    uint32_t records_most; /* of a piece; walkers lower it */
    uint32_t offset_most;  /* of a descriptor, when it is bound */
    uint64_t range_most;   /* bytes of a descriptor; tests lower all three */
};

/* For members of struct shw_record_variant. `settings` are for the walker's create(). */
enum shw_result shw_record_device_create(const struct shw_record_evaluator_params *params,
                                         const struct shw_record_walker *walker, const void *settings, void **state);
void shw_record_device_destroy(void *state);
enum shw_result shw_record_device_run(void *state, const struct shw_records *records,
                                      const struct shw_record_results *results, double *inner_seconds);
enum shw_result shw_record_device_record(void *state, VkCommandBuffer commands, uint32_t slot,
                                         const struct shw_record_source *source,
                                         const struct shw_record_target *target);

/* What recordings by every technique on the device need of their arguments. */
enum shw_result shw_record_device_check(const struct shw_record_evaluator_params *params,
                                        const struct shw_record_source *source, const struct shw_record_target *target);

/* For walkers. Makes a storage buffer with these bytes; `name` is for messages. Errors: MEMORY, DEVICE_MEMORY, LIMIT.
 */
enum shw_result shw_record_device_upload(struct shw_record_device *device, const void *bytes, uint64_t size,
                                         const char *name, struct shw_buffer *buffer);

/* Makes the tables. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_record_device_tables(struct shw_record_device *device, const struct shw_record_layout *layout);

/* Makes a program of work groups of `lanes` with the bindings and constants of shaders/records/evaluate/tables.glsl;
 * `own` are `count` constants from the number 16 on. */
#define SHW_RECORD_CONSTANTS_MAX 16u
enum shw_result shw_record_device_program(struct shw_record_device *device, const char *name, struct shw_shader shader,
                                          uint32_t lanes, const uint32_t *own, uint32_t count,
                                          struct shw_program *program);

/* Records a dispatch of x by y work groups. */
void shw_record_device_dispatch(const struct shw_record_device *device, VkCommandBuffer commands,
                                const struct shw_program *program, const struct shw_record_piece *piece, uint32_t x,
                                uint32_t y);

/* In device_passes.c. Sizes are known before the walker makes the tables. */
void shw_record_passes_measure(struct shw_record_device *device);
enum shw_result shw_record_passes_create(struct shw_record_device *device);
void shw_record_passes_release(struct shw_record_device *device);
void shw_record_passes_record(struct shw_record_device *device, VkCommandBuffer commands,
                              struct shw_record_piece *piece);

#endif
