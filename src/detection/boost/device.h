/* Boosting on a Vulkan device: shared by the back ends `compute` and `blend`.
 *
 * Patches are in slices. Those that have no room in the device's memory are in host memory, and visit the device
 * whenever they are needed. */
#ifndef SHW_DETECTION_BOOST_DEVICE_H
#define SHW_DETECTION_BOOST_DEVICE_H

#include "detection/boost/backend.h"
#include "shared/boost_push.h"
#include "vulkan/memory.h"
#include "vulkan/planes.h"
#include "vulkan/program.h"

struct shw_boost_counter;

struct shw_boost_slice {
    struct shw_buffer patches;
    uint32_t first, capacity; /* samples; the capacity is a multiple of SHW_BOOST_SLICE_UNIT */
    bool on_host;
};

enum shw_boost_program { SHW_BOOST_PUT_PASS, SHW_BOOST_MOVE_PASS, SHW_BOOST_COUNT_PASS, SHW_BOOST_PROGRAM_COUNT };

struct shw_boost_device {
    const struct shw_boost *boost;
    struct shw_device *device;
    const struct shw_boost_counter *counter;
    struct shw_program programs[SHW_BOOST_PROGRAM_COUNT]; /* with the same bindings */
    struct shw_sets sets;                                 /* one per slice, for all programs */
    uint32_t invocations, shared_words;                   /* of a work group that counts */

    VkCommandBuffer commands;     /* being recorded */
    uint64_t responses, work_max; /* of the submission */
    VkDeviceSize room, taken;     /* bytes for patches: all, and those that slices on the device have */
    struct shw_boost_slice *slices;
    uint32_t slice_count, slice_capacity, slice_max; /* slice_max: samples */
    struct shw_buffer visitor;                       /* for patches of a slice that is on the host */
    struct shw_buffer samples, tables, work, upload, readback;
    uint32_t sample_capacity;

    /* `blend`: sums of a batch as floats, row by row; its side is a power of two. */
    struct shw_program scatter;
    struct shw_sets scatter_sets;
    struct shw_vulkan_image sums;
    struct shw_target target;
    uint32_t width_shift;
};

/* How the histograms of a batch are counted. */
struct shw_boost_counter {
    bool is_float; /* the sums are floats */

    /* Errors: MEMORY, DEVICE_MEMORY, UNSUPPORTED. May be NULL, and so may the next two. */
    enum shw_result (*create)(struct shw_boost_device *boosting);
    enum shw_result (*bind)(struct shw_boost_device *boosting); /* slices or buffers are new */
    void (*destroy)(struct shw_boost_device *boosting);         /* accepts what is made in part */

    /* The most cells of a batch, and the most rows of it, at least one. */
    uint32_t (*cells_max)(const struct shw_boost_device *boosting);
    uint32_t (*rows_max)(const struct shw_boost_device *boosting, uint32_t row_cells);

    /* Record: cells become zero; candidates of the push are added for a slice; cells go to the buffer `readback`. */
    void (*clear)(struct shw_boost_device *boosting, uint32_t cells);
    void (*add)(struct shw_boost_device *boosting, uint32_t slice, struct shw_boost_push push);
    void (*read)(struct shw_boost_device *boosting, uint32_t cells);
};

/* Functions of struct shw_boost_backend. */
enum shw_result shw_boost_device_create(struct shw_boost *boost, const struct shw_boost_counter *counter, void **state);
enum shw_result shw_boost_device_put(void *state, const uint32_t *places, uint32_t count, const uint16_t *patches);
enum shw_result shw_boost_device_begin(void *state, const uint32_t *weights, const uint8_t *classes);
enum shw_result shw_boost_device_count(void *state, const struct shw_boost_candidates *candidates, uint32_t node_count,
                                       uint32_t *histograms);
enum shw_result shw_boost_device_move(void *state, const struct shw_boost_split *splits, uint32_t count);
enum shw_result shw_boost_device_get_nodes(void *state, uint16_t *nodes);
void shw_boost_device_destroy(void **state);
#define SHW_BOOST_DEVICE_FUNCTIONS                                                                                     \
    .needs_device = true, .put = shw_boost_device_put, .begin = shw_boost_device_begin,                                \
    .count = shw_boost_device_count, .move = shw_boost_device_move, .get_nodes = shw_boost_device_get_nodes,           \
    .destroy = shw_boost_device_destroy

/* Records: what comes later waits for what was recorded. */
void shw_boost_wait(struct shw_boost_device *boosting);

/* The buffer where programs find the patches of a slice. */
VkBuffer shw_boost_slice_buffer(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice);

#endif
