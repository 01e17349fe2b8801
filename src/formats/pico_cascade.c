#include "formats/cascade_formats.h"
#include "formats/source.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"

#define HEADER_SIZE  16u /* version and bounding box, which the runtime ignores, depth, trees */
#define FILE_MAX     ((uint64_t)1 << 24)
#define SCALE_FACTOR 1.1
#define MIN_SCORE    5.0 /* of groups, at which pico's own programs call a face one */

struct pico {
    const uint8_t *bytes;
    size_t size;
    const char *name;
    const struct shw_log *log;
    uint32_t depth, tree_count;
};

/* A cascade of one tree per stage, under construction. */
struct parts {
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
};

#define BAD_PICO(pico, format, ...)                                                                                    \
    shw_fail((pico)->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: " format, (pico)->name, __VA_ARGS__)

static uint32_t test_count(const struct pico *pico)
{
    return (1u << pico->depth) - 1;
}

static uint32_t node_count(const struct pico *pico)
{
    return (2u << pico->depth) - 1;
}

static uint64_t tree_size(const struct pico *pico)
{
    return 4 * ((uint64_t)node_count(pico) + 1);
}

static int32_t read32(const uint8_t *bytes)
{
    int32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static const uint8_t *tree_at(const struct pico *pico, uint32_t tree)
{
    return pico->bytes + HEADER_SIZE + (size_t)tree_size(pico) * tree;
}

/* Of a leaf; of number 2^depth, the tree's threshold, which follows the leaves. */
static double value_of(const struct pico *pico, uint32_t tree, uint32_t leaf)
{
    float value;

    memcpy(&value, tree_at(pico, tree) + 4 * (size_t)(test_count(pico) + leaf), sizeof value);
    return value;
}

static double threshold_of(const struct pico *pico, uint32_t tree)
{
    return value_of(pico, tree, 1u << pico->depth);
}

static enum shw_result read_header(struct pico *pico)
{
    int32_t depth, trees;
    uint64_t expected;

    if (pico->size < HEADER_SIZE)
        return BAD_PICO(pico, "%zu bytes; a cascade of pico begins with %u", pico->size, HEADER_SIZE);
    depth = read32(pico->bytes + 8);
    trees = read32(pico->bytes + 12);
    if (depth < 1 || depth > (int32_t)SHW_CASCADE_DEPTH_MAX)
        return BAD_PICO(pico, "byte 8: trees of depth %d; 1 to %u are supported. Is it a cascade of pico?", depth,
                        SHW_CASCADE_DEPTH_MAX);
    if (trees < 1 || trees > (int32_t)SHW_CASCADE_TREES_MAX)
        return BAD_PICO(pico, "byte 12: %d trees; 1 to %u are supported. Is it a cascade of pico?", trees,
                        SHW_CASCADE_TREES_MAX);
    pico->depth = (uint32_t)depth;
    pico->tree_count = (uint32_t)trees;
    expected = HEADER_SIZE + tree_size(pico) * pico->tree_count;
    if (pico->size != expected)
        return BAD_PICO(pico, "%zu bytes, but %d trees of depth %d take %" PRIu64, pico->size, trees, depth, expected);
    if ((uint64_t)node_count(pico) * pico->tree_count > SHW_CASCADE_NODES_MAX)
        return shw_fail(pico->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE,
                        "%s: %d trees of depth %d; at most %u nodes are "
                        "supported",
                        pico->name, trees, depth, SHW_CASCADE_NODES_MAX);
    return SHW_OK;
}

/* The largest magnitude of reported scores, less the last threshold. */
static enum shw_result find_bound(const struct pico *pico, double *bound)
{
    *bound = fabs(threshold_of(pico, pico->tree_count - 1));
    for (uint32_t t = 0; t < pico->tree_count; t++) {
        double largest = 0;
        for (uint32_t leaf = 0; leaf < 1u << pico->depth; leaf++) {
            double value = value_of(pico, t, leaf);
            if (!isfinite(value))
                return BAD_PICO(pico, "tree %u, leaf %u: its value is not a finite number", t, leaf);
            largest = fmax(largest, fabs(value));
        }
        if (!isfinite(threshold_of(pico, t)))
            return BAD_PICO(pico, "tree %u: its threshold is not a finite number", t);
        *bound += largest;
    }
    return SHW_OK;
}

/* Row and column of each point. The test is whether the first is not brighter than the second, that is, second - first
 * > -1. */
static struct shw_cascade_node make_split(const uint8_t *test, uint32_t n)
{
    int8_t code[4];

    memcpy(code, test, sizeof code);
    return (struct shw_cascade_node){.is_split = true,
                                     .left = 2 * n + 1,
                                     .x1 = code[3],
                                     .y1 = code[2],
                                     .x2 = code[1],
                                     .y2 = code[0],
                                     .threshold = -1};
}

/* pico rejects what is not greater than the threshold. */
static int32_t next_above(int32_t value)
{
    return value < INT32_MAX ? value + 1 : value;
}

static void make_parts(const struct pico *pico, uint32_t bits, const struct parts *parts)
{
    for (uint32_t t = 0; t < pico->tree_count; t++) {
        uint32_t first = node_count(pico) * t;
        parts->stages[t] = (struct shw_cascade_stage){t, 1, next_above(shw_score_round(threshold_of(pico, t), bits))};
        parts->trees[t] = (struct shw_cascade_tree){first, node_count(pico)};
        for (uint32_t n = 0; n < test_count(pico); n++)
            parts->nodes[first + n] = make_split(tree_at(pico, t) + 4 * (size_t)n, n);
        for (uint32_t n = test_count(pico); n < node_count(pico); n++)
            parts->nodes[first + n] = (struct shw_cascade_node){
                .left = n, .value = shw_score_round(value_of(pico, t, n - test_count(pico)), bits)};
    }
}

static enum shw_result make(const struct pico *pico, uint32_t bits, const struct shw_cascade_import *import,
                            struct shw_cascade **cascade)
{
    const struct parts parts = {
        .stages = calloc(pico->tree_count, sizeof *parts.stages),
        .trees = calloc(pico->tree_count, sizeof *parts.trees),
        .nodes = calloc((size_t)pico->tree_count * node_count(pico), sizeof *parts.nodes),
    };
    const bool reaches =
        ldexp(MIN_SCORE, (int)bits) <= INT32_MAX; /* so that a toy cascade of few trees still finds something */
    const struct shw_cascade_info info = {
        .kind = SHW_CASCADE_SCALED,
        .name = import->object,
        .fraction_bits = bits,
        .score_base = shw_score_round(threshold_of(pico, pico->tree_count - 1), bits),
        .scale_factor = SCALE_FACTOR,
        .stage_count = pico->tree_count,
        .tree_count = pico->tree_count,
        .node_count = pico->tree_count * node_count(pico),
        .stages = parts.stages,
        .trees = parts.trees,
        .nodes = parts.nodes,
        .training = import->training,
        .min_score = reaches ? shw_score_round(MIN_SCORE, bits) : 0,
        .has_min_score = reaches,
    };
    enum shw_result result = SHW_OK;

    if (parts.stages == NULL || parts.trees == NULL || parts.nodes == NULL)
        result = shw_fail_memory(pico->log, "a cascade");
    if (result == SHW_OK) {
        make_parts(pico, bits, &parts);
        result = shw_cascade_make(&info, pico->name, pico->log, cascade);
    }
    free(parts.nodes);
    free(parts.trees);
    free(parts.stages);
    return result;
}

enum shw_result shw_pico_cascade_parse(const void *bytes, size_t size, const char *name,
                                       const struct shw_cascade_import *import, const struct shw_log *log,
                                       struct shw_cascade **cascade)
{
    struct pico pico = {.bytes = bytes, .size = size, .name = name, .log = log};
    double bound;
    uint32_t bits;

    SHW_PROPAGATE(read_header(&pico));
    SHW_PROPAGATE(find_bound(&pico, &bound));
    if (!shw_score_bits(bound, pico.tree_count + 1, &bits))
        return BAD_PICO(&pico, "scores of up to %g do not fit into 32 bits", bound);
    return make(&pico, bits, import, cascade);
}

enum shw_result shw_pico_cascade_read(const struct shw_import_source *source, const struct shw_cascade_import *import,
                                      const struct shw_log *log, struct shw_cascade **cascade)
{
    struct shw_file_bytes file;
    enum shw_result result;

    SHW_PROPAGATE(shw_source_read(source, FILE_MAX, log, &file));
    result = shw_pico_cascade_parse(file.bytes, file.size, shw_source_name(source), import, log, cascade);
    shw_file_bytes_free(&file);
    return result;
}
