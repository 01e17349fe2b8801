/* What the techniques on the device have in common: the tables of a forest there, recording in pieces that fit the
 * device's limits, from the place that a record reaches in each tree to sums and classes, and records from the host. A
 * technique brings a walker. */
#ifndef SHW_RECORDS_EVALUATE_DEVICE_H
#define SHW_RECORDS_EVALUATE_DEVICE_H

#include <shadewood/record_forest.h>

#include "base/thread_pool.h"
#include "records/evaluate/evaluator.h"
#include "shared/record_push.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

/* A forest for the device: the order of its trees, the columns of attributes that it uses, and the tables of
 * shared/record_push.h. */

/* Trees in the order of their outputs, so that a sum is complete before the next one begins, and what the forest makes
 * use of. */
struct shw_record_order {
    uint32_t *trees;     /* their numbers in the forest */
    uint32_t *columns;   /* the attributes that tests read, in order */
    uint32_t *column_of; /* of each attribute that is read: its column */
    uint32_t column_count, depth;
    uint64_t depths; /* of all trees together */
    bool missing_right, zero_missing;
    bool narrow; /* sums of leaf values, without the base, fit 32 bits */
};

enum shw_result shw_record_order_make(const struct shw_record_forest_info *info, const struct shw_log *log,
                                      struct shw_record_order *order);
void shw_record_order_free(struct shw_record_order *order);

/* How a walker has arranged the trees, each array in their order. */
struct shw_record_layout {
    const uint32_t *first_node;    /* of each tree, and the end: elements of whatever its nodes consist of */
    const uint32_t *first_place;   /* of each tree, and the end; NULL: the places of a tree are its leaves */
    const uint32_t *leaf_of_place; /* the number of the leaf in its tree */
};

/* In memory, as they are uploaded. */
struct shw_device_forest {
    uint32_t *words; /* texels of four */
    uint64_t texels;
    uint32_t chunk_count, trees_at, base_at, columns_at;
    uint32_t classes_at; /* 0: the forest is not of one tree for classes */
    uint32_t sets_at;    /* 0: no test is of a set */
    int32_t *values;
    uint64_t value_count;
};

/* `chunk_trees`, `chunk_depths`: at most, of a chunk's trees and of the sum of their depths and their number; a single
 * tree may have more. Errors: MEMORY, LIMIT. */
enum shw_result shw_device_forest_make(const struct shw_record_forest_info *info, const struct shw_record_order *order,
                                       const struct shw_record_layout *layout, uint32_t chunk_trees,
                                       uint64_t chunk_depths, const struct shw_log *log,
                                       struct shw_device_forest *tables);
void shw_device_forest_free(struct shw_device_forest *tables);

/* Records from the host: they pass through the device in pieces, of which one is copied up, one is evaluated and one is
 * copied down at a time. */

#define SHW_RECORD_FLIGHTS 3u /* pieces under way; their slots follow those of the caller */

/* A piece under way, and its memory. */
struct shw_record_flight {
    struct shw_buffer upload, records, results,
        readback; /* upload, readback: zero if the host uses the others itself */
    VkCommandPool pool, transfer_pool;
    VkCommandBuffer commands, copies; /* copies: of the transfer queue */
    VkSemaphore copied;
    VkFence fence;
    VkQueryPool times;
    uint64_t first; /* of its records */
    uint32_t count; /* 0: not under way */
};

struct shw_record_transfer {
    const struct shw_record_evaluator_params *params;
    const struct shw_record_forest_info *info;
    struct shw_device *device;
    void *state; /* of the technique, whose record() it is */
    enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                              const struct shw_record_source *source, const struct shw_record_target *target);
    bool is_direct;                      /* the host writes and reads memory of the device itself */
    uint64_t piece_bytes;                /* of records and results; at most */
    uint64_t record_bytes, result_bytes; /* that each flight has memory for */
    struct shw_thread_pool *pool;
    struct shw_record_flight flights[SHW_RECORD_FLIGHTS];
    double inner;
};

/* Nothing is allocated yet. */
void shw_record_transfer_begin(const struct shw_record_evaluator_params *params, void *state,
                               enum shw_result (*record)(void *state, VkCommandBuffer commands, uint32_t slot,
                                                         const struct shw_record_source *source,
                                                         const struct shw_record_target *target),
                               struct shw_record_transfer *transfer);

/* Accepts a zero transfer. */
void shw_record_transfer_end(struct shw_record_transfer *transfer);

/* As shw_record_variant.run. */
enum shw_result shw_record_transfer_run(struct shw_record_transfer *transfer, const struct shw_records *records,
                                        const struct shw_record_results *results, double *inner_seconds);

/* Of nodes, in one dispatch or draw, so that none takes too long. */
#define SHW_RECORD_VISITS_MOST ((uint64_t)1 << 33)

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

/* The caller's use of the buffers before and after. */
struct shw_use shw_record_use_before(const struct shw_record_source *source, const struct shw_record_target *target);
struct shw_use shw_record_use_after(const struct shw_record_target *target);

/* For walkers. Makes a storage buffer with these bytes; `name` is for messages. Errors: MEMORY, DEVICE_MEMORY, LIMIT.
 */
enum shw_result shw_record_device_upload(struct shw_record_device *device, const void *bytes, uint64_t size,
                                         const char *name, struct shw_buffer *buffer);

/* Makes the tables. Errors: MEMORY, DEVICE_MEMORY, LIMIT. */
enum shw_result shw_record_device_tables(struct shw_record_device *device, const struct shw_record_layout *layout);
enum shw_result shw_record_device_program(struct shw_record_device *device, const char *name, struct shw_shader shader,
                                          uint32_t lanes, const uint32_t *own, uint32_t count,
                                          struct shw_program *program);

/* Records a dispatch of x by y work groups. */
void shw_record_device_dispatch(const struct shw_record_device *device, VkCommandBuffer commands,
                                const struct shw_program *program, const struct shw_record_piece *piece, uint32_t x,
                                uint32_t y);

/* Data-parallel evaluation (Spencer 2021, Procedure 3): a record a lane. */

/* What is chosen from the forest and the device. */
struct shw_record_compute_plan {
    bool complete;        /* trees are padded to the depth of the deepest one, and nodes have no links */
    bool wide;            /* links take an element of their own */
    bool codes_shared;    /* the records' codes are in shared memory */
    bool nodes_shared;    /* all nodes are, too */
    uint32_t lanes;       /* of a work group */
    uint32_t rounds;      /* records a lane, one after the other */
    uint32_t at_once;     /* trees a lane walks */
    uint32_t column_bits; /* of a node */
};

/* Chooses. */
struct shw_record_compute_plan shw_record_compute_plan_of(const struct shw_record_device *device);

/* Shared memory that a work group takes; plans whose work groups take more than the device has are not possible. */
uint64_t shw_record_compute_shared_bytes(const struct shw_record_device *device,
                                         const struct shw_record_compute_plan *plan);

/* The technique as by shw_record_variant_compute, but with a plan of the caller's, which must be possible: for tests,
 * and to find which plan is fastest. NULL: its own. */
enum shw_result shw_record_compute_create(const struct shw_record_evaluator_params *params,
                                          const struct shw_record_compute_plan *plan, void **state);

/* Whether trees can be padded, and whether links need elements of their own. */
bool shw_record_compute_is_wide(const struct shw_record_device *device, uint32_t column_bits);

#endif
