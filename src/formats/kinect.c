#include "formats/kinect.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"
#include "formats/source.h"
#include "shared/forest_texture.h"
#include "shared/types.h"

#define TEXT_MAX ((size_t)1 << 29) /* bytes of text of one tree */

struct scanner {
    const char *at, *end;
    const char *name;
    const struct shw_log *log;
    uint32_t line; /* from 1 */
};

#define BAD_TREE(scanner, format, ...)                                                                                 \
    shw_fail((scanner)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u: " format, (scanner)->name,             \
             (scanner)->line, __VA_ARGS__)

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(struct scanner *scanner)
{
    for (; scanner->at < scanner->end && is_space(*scanner->at); scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Reads the next number, which is `what` and must be from `low` to `high`. */
static enum shw_result scan(struct scanner *scanner, const char *what, int32_t low, int32_t high, int32_t *number)
{
    bool negative;
    int32_t value = 0;
    const char *start;

    skip_space(scanner);
    if (scanner->at == scanner->end)
        return BAD_TREE(scanner, "the text ends before %s", what);
    start = scanner->at;
    negative = *start == '-';
    scanner->at += negative;
    for (; scanner->at < scanner->end && is_digit(*scanner->at); scanner->at++)
        if (value < 1 << 24) /* farther out than all that is allowed */
            value = 10 * value + (*scanner->at - '0');
    value = negative ? -value : value;
    if (scanner->at == start + negative || (scanner->at < scanner->end && !is_space(*scanner->at)))
        return BAD_TREE(scanner, "%s is not a whole number", what);
    if (value < low || value > high)
        return BAD_TREE(scanner, "%s is not in %d..%d", what, low, high);
    *number = value;
    return SHW_OK;
}

static enum shw_result scan_test(struct scanner *scanner, struct shw_kinect_test *test)
{
    static const char *const what[] = {"the first offset in x", "the first offset in y", "the second offset in x",
                                       "the second offset in y", "the threshold of a test"};
    int16_t *const to[] = {&test->du[0], &test->dv[0], &test->du[1], &test->dv[1], &test->threshold};
    int32_t number = 0;

    for (int i = 0; i < 5; i++) {
        SHW_PROPAGATE(scan(scanner, what[i], INT16_MIN, INT16_MAX, &number));
        *to[i] = (int16_t)number;
    }
    return SHW_OK;
}

static enum shw_result scan_tree(struct scanner *scanner, struct shw_kinect_tree *tree)
{
    int32_t number = 0;
    size_t leaves, least;

    SHW_PROPAGATE(scan(scanner, "the depth", 0, SHW_KINECT_DEPTH_MAX, &number));
    tree->depth = (uint32_t)number;
    leaves = (size_t)1 << tree->depth;
    least = 10 * (leaves - 1) + 2 * leaves; /* a digit and a space each, though not before the first */
    if ((size_t)(scanner->end - scanner->at) < least)
        return BAD_TREE(scanner, "a tree of depth %u has %zu tests and %zu labels; the text is too short for them",
                        tree->depth, leaves - 1, leaves);
    tree->tests = malloc((leaves - 1) * sizeof *tree->tests + 1);
    tree->labels = malloc(leaves);
    if (tree->tests == NULL || tree->labels == NULL)
        return shw_fail_memory(scanner->log, scanner->name);
    for (size_t i = 0; i + 1 < leaves; i++)
        SHW_PROPAGATE(scan_test(scanner, &tree->tests[i]));
    for (size_t i = 0; i < leaves; i++) {
        SHW_PROPAGATE(scan(scanner, "the label of a leaf", 0, SHW_KINECT_LABELS - 1, &number));
        tree->labels[i] = (uint8_t)number;
    }
    skip_space(scanner);
    return scanner->at == scanner->end ? SHW_OK : BAD_TREE(scanner, "%s", "more text follows the last label");
}

void shw_kinect_tree_free(struct shw_kinect_tree *tree)
{
    free(tree->tests);
    free(tree->labels);
    *tree = (struct shw_kinect_tree){0};
}

enum shw_result shw_kinect_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_kinect_tree *tree)
{
    struct scanner scanner = {.at = text, .end = text + size, .name = name, .log = log, .line = 1};
    enum shw_result result;

    *tree = (struct shw_kinect_tree){0};
    result = scan_tree(&scanner, tree);
    if (result != SHW_OK)
        shw_kinect_tree_free(tree);
    return result;
}

enum shw_result shw_kinect_tree_read(const struct shw_import_source *source, const struct shw_log *log,
                                     struct shw_kinect_tree *tree)
{
    struct shw_file_bytes text;
    enum shw_result result;

    *tree = (struct shw_kinect_tree){0};
    SHW_PROPAGATE(shw_source_unpack(source, TEXT_MAX, log, &text, NULL));
    result = shw_kinect_tree_parse((const char *)text.bytes, text.size, shw_source_name(source), log, tree);
    shw_file_bytes_free(&text);
    return result;
}

static uint8_t most_frequent(const uint8_t *labels, size_t count)
{
    uint32_t counts[SHW_KINECT_LABELS] = {0};
    uint8_t best = 0;

    for (size_t i = 0; i < count; i++)
        counts[labels[i]]++;
    for (uint8_t label = 1; label < SHW_KINECT_LABELS; label++)
        if (counts[label] > counts[best])
            best = label;
    return best;
}

void shw_kinect_tree_cut(struct shw_kinect_tree *tree, uint32_t depth)
{
    size_t below;

    if (tree->depth <= depth)
        return;
    below = (size_t)1 << (tree->depth - depth);
    for (size_t leaf = 0; leaf < (size_t)1 << depth; leaf++)
        tree->labels[leaf] = most_frequent(tree->labels + leaf * below, below);
    tree->depth = depth;
}

#define MIXED 0xffu /* the leaves below have several labels */

/* The names of the 25 body parts by label, in the Point Cloud Library's spelling. */
static const char *const parts[SHW_KINECT_LABELS] = {
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
        classes[c].name = parts[c];
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

#define FOCAL_KEY "focal_length" /* in the provenance */

int32_t shw_focal_offset(int32_t offset, uint32_t focal, uint32_t from)
{
    uint64_t length = (uint64_t)(offset < 0 ? -(int64_t)offset : offset);
    uint64_t scaled = (2 * length * focal + from) / (2 * (uint64_t)from);
    int32_t magnitude = scaled < INT16_MAX ? (int32_t)scaled : INT16_MAX;

    return offset < 0 ? -magnitude : magnitude;
}

/* What the record states; 0: nothing. */
static uint32_t stated_focal(const json_t *record)
{
    json_int_t focal = json_integer_value(json_object_get(record, FOCAL_KEY));

    return focal > 0 && focal <= (json_int_t)SHW_FOCAL_MAX ? (uint32_t)focal : 0;
}

static uint32_t find_focal(const struct shw_forest_info *info, bool *is_assumed)
{
    json_t *record = info->feature == &shw_feature_kinect_difference ? json_loads(info->training, 0, NULL) : NULL;
    const char *from = json_string_value(json_object_get(record, "imported_from"));
    uint32_t focal = stated_focal(record);

    *is_assumed = focal == 0 && from != NULL && strcmp(from, "kinect") == 0;
    json_decref(record);
    return *is_assumed ? SHW_KINECT_FOCAL : focal;
}

uint32_t shw_forest_focal(const struct shw_forest_info *info)
{
    bool is_assumed;

    return find_focal(info, &is_assumed);
}

bool shw_forest_focal_is_assumed(const struct shw_forest_info *info)
{
    bool is_assumed;

    find_focal(info, &is_assumed);
    return is_assumed;
}

bool shw_focal_warn(const char *image, uint32_t width, const char *way_out, const struct shw_log *log)
{
    if (width == SHW_KINECT_WIDTH)
        return false;
    shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                    "%s is %u pixels wide, but the forest's tests are for images of Kinect, %u pixels wide with a "
                    "focal length of %u pixels: %s, or labels are wrong",
                    image, width, SHW_KINECT_WIDTH, SHW_KINECT_FOCAL, way_out);
    return true;
}

static uint32_t scale_word(uint32_t offsets, uint32_t focal, uint32_t from)
{
    int32_t x = shw_focal_offset(shw_low16(offsets), focal, from);
    int32_t y = shw_focal_offset(shw_high16(offsets), focal, from);

    return (uint32_t)(uint16_t)x | (uint32_t)(uint16_t)y << 16;
}

static enum shw_result make_tree(const struct shw_forest *forest, uint32_t number, uint32_t focal, uint32_t from,
                                 struct shw_tree *made)
{
    const struct shw_tree_info tree = shw_forest_get_tree(forest, number);
    const uint32_t classes = shw_forest_get_info(forest)->class_count;
    struct shw_node *nodes = malloc(tree.node_count * sizeof *nodes);
    uint16_t *distributions = malloc((size_t)tree.leaf_count * classes * sizeof *distributions);

    *made = (struct shw_tree){nodes, tree.node_count, distributions, tree.leaf_count};
    if (nodes == NULL || distributions == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t n = 0; n < tree.node_count; n++) {
        nodes[n] = shw_forest_get_node(forest, number, n);
        for (uint32_t word = 1; nodes[n].is_split && word <= 3; word += 2)
            nodes[n].feature.words[word] = scale_word(nodes[n].feature.words[word], focal, from);
    }
    for (uint32_t leaf = 0; leaf < tree.leaf_count; leaf++)
        memcpy(distributions + (size_t)leaf * classes, shw_forest_get_distribution(forest, number, leaf),
               classes * sizeof *distributions);
    return SHW_OK;
}

/* To be freed with free(); NULL: no memory. */
static char *make_record(const char *training, uint32_t focal)
{
    json_t *record = json_loads(training, 0, NULL);
    char *text = NULL;

    if (json_object_set_new(record, FOCAL_KEY, json_integer(focal)) == 0)
        text = json_dumps(record, JSON_COMPACT);
    json_decref(record);
    return text;
}

enum shw_result shw_forest_focus(const struct shw_forest *forest, uint32_t focal, const char *name,
                                 const struct shw_log *log, struct shw_forest **focused)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint32_t from = shw_forest_focal(info);
    struct shw_forest_params params = {.info = *info};
    struct shw_tree *trees;
    char *record;
    enum shw_result result = SHW_OK;

    if (from == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the focal length of its tests is unknown: only forests imported from Kinect's trees can "
                        "be used with another one",
                        name);
    trees = calloc(info->tree_count, sizeof *trees);
    record = make_record(info->training, focal);
    if (trees == NULL || record == NULL)
        result = SHW_ERROR_MEMORY;
    for (uint32_t t = 0; t < info->tree_count && result == SHW_OK; t++)
        result = make_tree(forest, t, focal, from, &trees[t]);
    if (result == SHW_OK) {
        params.info.training = record;
        params.trees = trees;
        if (log != NULL)
            params.log = *log;
        result = shw_forest_create(&params, focused);
    } else {
        shw_fail_memory(log, name);
    }
    for (uint32_t t = 0; trees != NULL && t < info->tree_count; t++) {
        free((void *)(uintptr_t)trees[t].nodes);
        free((void *)(uintptr_t)trees[t].distributions);
    }
    free(trees);
    free(record);
    return result;
}

enum shw_result shw_forest_refocus(struct shw_forest **forest, uint32_t focal, const char *name,
                                   const struct shw_log *log)
{
    struct shw_forest *focused = NULL;

    if (focal == 0)
        return SHW_OK;
    SHW_PROPAGATE(shw_forest_focus(*forest, focal, name, log, &focused));
    shw_forest_destroy(forest);
    *forest = focused;
    return SHW_OK;
}
