/* The samples of boosting and their histograms, by one of several back ends with the same results. Only the list in
 * boost_backend.c knows which back ends there are.
 *
 * A sample is a patch of the window's size, an object or not, with an integer weight, and is at a node of the tree that
 * is being grown. The order of calls is: put patches, then for each tree begin, count and move as often as there are
 * levels, and get the nodes, which are the leaves that are reached. Patches can be replaced between trees. One thread
 * at a time. */
#ifndef SHW_DETECTION_BOOST_BACKEND_H
#define SHW_DETECTION_BOOST_BACKEND_H

#include <shadewood/device.h>
#include <shadewood/technique.h>

struct shw_thread_pool;

#define SHW_BOOST_SAMPLES_MAX    (1u << 24)
#define SHW_BOOST_NODES_MAX      65536u           /* of a tree */
#define SHW_BOOST_THRESHOLDS_MAX 31u              /* of a candidate */
#define SHW_BOOST_WEIGHT_MAX     ((1u << 24) - 1) /* of all samples together, so that sums of floats are exact too */

/* The classes of samples, and the order of their sums in a bin. */
#define SHW_BOOST_CLASSES    2u
#define SHW_BOOST_BACKGROUND 0u
#define SHW_BOOST_OBJECT     1u

struct shw_boost_params {
    uint32_t width, height;       /* of the window: 2 to 128 */
    enum shw_technique technique; /* AUTO, CPU, COMPUTE or BLEND */
    struct shw_device *device;    /* borrowed, one of shw_device_create(); NULL allows `cpu` only */
    struct shw_thread_pool *pool; /* borrowed; NULL: only the calling thread */
    /* COMPUTE and BLEND: bytes of the device that may be used, at least about 1 MiB; 0: most of them. Patches that have
     * no room there are kept in host memory and copied whenever they are needed. */
    uint64_t memory;
    /* The following change nothing but memory and speed; 0: the best known. */
    uint32_t slice;    /* COMPUTE and BLEND: samples in a buffer */
    uint64_t work_max; /* COMPUTE and BLEND: about how many responses are computed by a submission */
    struct shw_log log;
};

/* Pairs of pixels with thresholds. The response of a patch is its value at (x1, y1) minus that at (x2, y2). */
struct shw_boost_pair {
    uint8_t x1, y1, x2, y2;
};

struct shw_boost_candidates {
    uint32_t count;
    uint32_t threshold_count; /* of each: 1 to 31 */
    const struct shw_boost_pair *pairs;
    const int32_t *thresholds; /* threshold_count of each candidate, in order, equal ones allowed */
};

/* Words of the histograms of one node. */
static inline size_t shw_boost_histogram_words(const struct shw_boost_candidates *candidates)
{
    return (size_t)candidates->count * (candidates->threshold_count + 1) * SHW_BOOST_CLASSES;
}

/* The samples at `node` whose response is greater than the threshold go to node `left` + 1, the others to `left`. */
struct shw_boost_split {
    uint32_t node, left; /* left < SHW_BOOST_NODES_MAX - 1 */
    struct shw_boost_pair pair;
    int32_t threshold;
};

struct shw_boost;

/* Errors: ARGUMENT, UNSUPPORTED, LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_boost_create(const struct shw_boost_params *params, struct shw_boost **boost);

/* Accepts NULL and a pointer to NULL. */
void shw_boost_destroy(struct shw_boost **boost);

/* The technique, with AUTO resolved. */
enum shw_technique shw_boost_get_technique(const struct shw_boost *boost);

/* Copies patches, of width * height values each row by row, to the places places[i], all different. There are as many
 * samples as the greatest place so far plus one; places that were left out have undefined patches. Errors: ARGUMENT,
 * LIMIT, MEMORY, DEVICE_MEMORY, DEVICE_LOST; then the patches at these places are undefined. */
enum shw_result shw_boost_put(struct shw_boost *boost, const uint32_t *places, uint32_t count, const uint16_t *patches);

/* Begins a tree with the first `count` samples, which are all at node 0. `classes` are SHW_BOOST_BACKGROUND or
 * SHW_BOOST_OBJECT. Samples of weight 0 count for nothing, but move with the others. Both are copied. Errors: ARGUMENT
 * (more than there are; the weights' sum is greater than SHW_BOOST_WEIGHT_MAX), MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_boost_begin(struct shw_boost *boost, const uint32_t *weights, const uint8_t *classes,
                                uint32_t count);

/* Sums weights. The result is histograms[node][candidate][bin][class], where `node` is an index into `nodes`, all
 * different, and a sample's bin is the number of thresholds that are less than its response. Errors: ARGUMENT, LIMIT,
 * MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_boost_count(struct shw_boost *boost, const struct shw_boost_candidates *candidates,
                                const uint32_t *nodes, uint32_t node_count, uint32_t *histograms);

/* Moves the samples at the nodes that are split, all different, to their children. Errors: ARGUMENT, MEMORY,
 * DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_boost_move(struct shw_boost *boost, const struct shw_boost_split *splits, uint32_t count);

/* The node of each sample of the tree. Errors: MEMORY, DEVICE_MEMORY, DEVICE_LOST. */
enum shw_result shw_boost_get_nodes(struct shw_boost *boost, uint16_t *nodes);

/* What a back end knows. */
struct shw_boost {
    struct shw_boost_params params;
    const struct shw_boost_backend *backend;
    void *state;
    uint32_t point_count;  /* of a patch */
    uint32_t sample_count; /* with a patch */
    uint32_t tree_samples; /* of the tree: the first of them */
    uint32_t node_limit;   /* nodes of the tree are below it */
    uint32_t *index;       /* node_limit: the node's index among those of the call, or SHW_BOOST_NONE */
};
#define SHW_BOOST_NONE UINT32_MAX

/* A back end: the functions above, whose arguments have been checked. */
struct shw_boost_backend {
    enum shw_technique technique;

    /* What the back end needs and the device lacks, for a message; NULL if nothing. May be NULL. */
    const char *(*find_missing)(const struct shw_device_description *device);

    bool needs_device;

    /* On failure *state is NULL. */
    enum shw_result (*create)(struct shw_boost *boost, void **state);

    /* boost->sample_count is already that with the new patches. */
    enum shw_result (*put)(void *state, const uint32_t *places, uint32_t count, const uint16_t *patches);

    enum shw_result (*begin)(void *state, const uint32_t *weights, const uint8_t *classes);

    /* boost->index is that of the nodes. */
    enum shw_result (*count)(void *state, const struct shw_boost_candidates *candidates, uint32_t node_count,
                             uint32_t *histograms);

    /* boost->index is that of the splits' nodes. */
    enum shw_result (*move)(void *state, const struct shw_boost_split *splits, uint32_t count);

    enum shw_result (*get_nodes)(void *state, uint16_t *nodes);

    /* Sets *state to NULL. */
    void (*destroy)(void **state);
};

extern const struct shw_boost_backend shw_boost_backend_cpu, shw_boost_backend_compute, shw_boost_backend_blend;

#endif
