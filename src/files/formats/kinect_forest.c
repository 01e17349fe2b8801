#include "files/formats/kinect_forest.h"

#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"
#include "shared/forest_texture.h"

#define MIXED 0xffu /* the leaves below have several labels */

const char *const shw_kinect_parts[SHW_KINECT_LABELS] = {
    "Lfoot", "Lleg",   "Lknee",  "Lthigh", "Rfoot",    "Rleg",   "Rknee", "Rthigh", "Rhips",
    "Lhips", "Neck",   "Rarm",   "Relbow", "Rforearm", "Rhand",  "Larm",  "Lelbow", "Lforearm",
    "Lhand", "FaceLB", "FaceRB", "FaceLT", "FaceRT",   "Rchest", "Lchest"};

/* A tree while its nodes are made. */
struct making {
    const struct shw_kinect_tree *tree;
    uint8_t *votes;  /* by number in the complete tree: the label of all leaves below, or MIXED */
    uint32_t *queue; /* by node: its number in the complete tree */
    struct shw_node *nodes;
    uint16_t *distributions;
    uint32_t node_count, leaf_count;
    uint32_t numbers[SHW_KINECT_LABELS]; /* the leaf number of a label plus 1; 0: none yet */
};

static void find_votes(struct making *making)
{
    size_t leaves = (size_t)1 << making->tree->depth;

    memcpy(making->votes + leaves - 1, making->tree->labels, leaves);
    for (size_t i = leaves - 1; i-- > 0;) {
        bool mixed = making->tree->keeps_all || making->votes[2 * i + 1] != making->votes[2 * i + 2];
        making->votes[i] = mixed ? (uint8_t)MIXED : making->votes[2 * i + 1];
    }
}

/* Lists the nodes breadth first. */
static void list_nodes(struct making *making)
{
    making->queue[0] = 0;
    making->node_count = 1;
    for (uint32_t n = 0; n < making->node_count; n++)
        if (making->votes[making->queue[n]] == MIXED) {
            making->queue[making->node_count++] = 2 * making->queue[n] + 1;
            making->queue[making->node_count++] = 2 * making->queue[n] + 2;
        }
}

static uint32_t offsets_word(int16_t du, int16_t dv)
{
    return (uint32_t)(uint16_t)du | (uint32_t)(uint16_t)dv << 16;
}

static struct shw_node make_split(const struct shw_kinect_test *test, uint32_t left)
{
    return (struct shw_node){.is_split = true,
                             .left = left,
                             .feature = {{1u << SHW_NODE_SECOND_SHIFT, offsets_word(test->du[0], test->dv[0]), 0,
                                          offsets_word(test->du[1], test->dv[1]), 0}},
                             .t0 = test->threshold + 1,
                             .t1 = INT32_MAX};
}

static uint32_t number_of(struct making *making, uint8_t label)
{
    if (making->numbers[label] == 0) {
        making->distributions[making->leaf_count * SHW_KINECT_LABELS + label] = 65535;
        making->numbers[label] = ++making->leaf_count;
    }
    return making->numbers[label] - 1;
}

static void make_nodes(struct making *making)
{
    uint32_t splits = 0;

    for (uint32_t n = 0; n < making->node_count; n++) {
        uint32_t number = making->queue[n];
        uint8_t vote = making->votes[number];
        making->nodes[n] = vote == MIXED ? make_split(&making->tree->tests[number], 1 + 2 * splits++)
                                         : (struct shw_node){.left = n, .leaf = number_of(making, vote)};
    }
}

enum shw_result shw_kinect_nodes_make(const struct shw_kinect_tree *tree, const struct shw_log *log,
                                      struct shw_tree *made)
{
    struct making making = {.tree = tree};
    size_t count = ((size_t)2 << tree->depth) - 1;

    *made = (struct shw_tree){0};
    making.votes = malloc(count);
    making.queue = malloc(count * sizeof *making.queue);
    making.distributions = calloc((size_t)SHW_KINECT_LABELS * SHW_KINECT_LABELS, sizeof *making.distributions);
    if (making.votes != NULL && making.queue != NULL && making.distributions != NULL) {
        find_votes(&making);
        list_nodes(&making);
        making.nodes = malloc(making.node_count * sizeof *making.nodes);
    }
    if (making.nodes != NULL) {
        make_nodes(&making);
        *made = (struct shw_tree){.nodes = making.nodes,
                                  .node_count = making.node_count,
                                  .distributions = making.distributions,
                                  .leaf_count = making.leaf_count};
    } else {
        free(making.distributions);
    }
    free(making.votes);
    free(making.queue);
    return making.nodes != NULL ? SHW_OK : shw_fail_memory(log, "a tree");
}

void shw_kinect_nodes_free(struct shw_tree *made)
{
    free((void *)(uintptr_t)made->nodes);
    free((void *)(uintptr_t)made->distributions);
    *made = (struct shw_tree){0};
}

static enum shw_result make_forest(const struct shw_tree *trees, uint32_t count, const char *training,
                                   const struct shw_log *log, struct shw_forest **forest)
{
    struct shw_class classes[SHW_KINECT_LABELS];
    struct shw_forest_params params = {.info = {.channels = "depth",
                                                .feature = &shw_feature_kinect_difference,
                                                .class_count = SHW_KINECT_LABELS,
                                                .classes = classes,
                                                .tree_count = count,
                                                .training = training},
                                       .trees = trees};

    if (log != NULL)
        params.log = *log;
    for (uint32_t c = 0; c < SHW_KINECT_LABELS; c++) {
        classes[c].name = shw_kinect_parts[c];
        shw_class_colour(c, classes[c].colour);
    }
    return shw_forest_create(&params, forest);
}

enum shw_result shw_kinect_forest_make(const struct shw_kinect_tree *trees, uint32_t count, const char *training,
                                       const struct shw_log *log, struct shw_forest **forest)
{
    struct shw_tree *made = calloc(count, sizeof *made);
    enum shw_result result = made != NULL ? SHW_OK : shw_fail_memory(log, "a forest");

    for (uint32_t t = 0; t < count && result == SHW_OK; t++)
        result = shw_kinect_nodes_make(&trees[t], log, &made[t]);
    if (result == SHW_OK)
        result = make_forest(made, count, training, log, forest);
    for (uint32_t t = 0; made != NULL && t < count; t++)
        shw_kinect_nodes_free(&made[t]);
    free(made);
    return result;
}
