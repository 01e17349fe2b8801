/* A record forest in memory: codes, checks, its copy, its hash and predictions. */
#include "records/model/record_forest.h"

#include <inttypes.h>
#include <math.h>
#include <shadewood/record_forest.h>
#include <shadewood/records.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/hash.h"
#include "base/integers.h"
#include "shared/forest_texture.h"
#include "shared/record.h"

_Static_assert(SHW_RECORD_CODE_MISSING == SHW_RECORD_MISSING, "one code of what is missing");
_Static_assert(SHW_RECORD_SET_MEMBERS_RIGHT == 1u << SHW_RECORD_SET_RIGHT_SHIFT &&
                   SHW_RECORD_SET_WHOLE == 1u << SHW_RECORD_SET_WHOLE_SHIFT &&
                   SHW_RECORD_SET_FROM_BELOW == 1u << SHW_RECORD_SET_BELOW_SHIFT &&
                   SHW_RECORD_SET_FIRST == SHW_RECORD_SET_FIRST_MASK,
               "one layout of sets");

int32_t shw_record_code_of(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return shw_record_code(bits);
}

float shw_record_code_value(int32_t code)
{
    int32_t highest = shw_record_code_of(INFINITY);
    uint32_t bits;
    float value;

    if (code == -1) /* between zero and the first number below it, since both zeros have one code */
        code = -2;
    if (code > highest)
        code = highest;
    bits = code >= 0 ? (uint32_t)code : 0x80000000u | ~(uint32_t)code;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The code of the largest float32 that is at most `limit`. */
int32_t shw_record_threshold_at_most(double limit)
{
    float nearest = (float)limit;
    int32_t code = shw_record_code_of(nearest);

    return (double)nearest > limit ? code - 1 : code;
}

int32_t shw_record_threshold_below(double limit)
{
    float nearest = (float)limit;
    int32_t code = shw_record_code_of(nearest);

    return (double)nearest >= limit ? code - 1 : code;
}

#define SUM_END (INT64_C(1) << 62) /* above all magnitudes of sums */

static enum shw_result fail_limit(const struct shw_model_source *source, const char *what, uint64_t count,
                                  uint64_t most)
{
    return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_RECORD_FOREST,
                    "%s: %" PRIu64 " %s; at most %" PRIu64 " are supported", source->name, count, what, most);
}

static enum shw_result check_count(const char *what, uint32_t count, uint32_t most,
                                   const struct shw_model_source *source)
{
    if (count > most)
        return fail_limit(source, what, count, most);
    if (count == 0)
        return SHW_BAD_MODEL(source, "it has no %s", what);
    return SHW_OK;
}

static enum shw_result check_enums(const struct shw_record_forest_info *info, const struct shw_model_source *source)
{
    if (shw_record_task_name(info->task) == NULL)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %d is not a value of shw_record_task",
                        source->name, (int)info->task);
    if (shw_record_link_name(info->link) == NULL)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %d is not a value of shw_record_link",
                        source->name, (int)info->link);
    return SHW_OK;
}

static enum shw_result check_arrays(const struct shw_record_forest_info *info, const struct shw_model_source *source)
{
    const char *missing = info->trees == NULL                              ? "trees"
                          : info->nodes == NULL                            ? "nodes"
                          : info->leaf_values == NULL                      ? "leaf values"
                          : info->set_word_count > 0 && info->sets == NULL ? "sets"
                                                                           : NULL;

    if (missing != NULL)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: its %s are NULL", source->name,
                        missing);
    return SHW_OK;
}

static enum shw_result check_classes(const struct shw_record_forest_info *info, const struct shw_model_source *source)
{
    bool two_of_one = info->output_count == 1 && info->class_count == 2;

    if (info->task == SHW_RECORD_CLASSES) {
        if (info->class_count < 2 || (info->class_count != info->output_count && !two_of_one))
            return SHW_BAD_MODEL(
                source,
                "%u classes and %u outputs; there must be 2 classes or more, and an output for each of them, or "
                "2 classes and 1 output",
                info->class_count, info->output_count);
        if (info->output_names != NULL)
            return SHW_BAD_MODEL(source, "%s", "its outputs have names, but they are those of the classes");
    } else if (info->class_count != 0 || info->class_names != NULL) {
        return SHW_BAD_MODEL(source, "%s", "it has classes, but its task is values");
    }
    if (info->cut != 0 && !two_of_one)
        return SHW_BAD_MODEL(source, "%s", "it has a cut, which only one output of two classes has");
    return SHW_OK;
}

/* Checks the counts and that nothing that they count is NULL, which must precede copying. */
static enum shw_result record_forest_check_counts(const struct shw_record_forest_info *info,
                                                  const struct shw_model_source *source)
{
    uint64_t texels, most = (uint64_t)SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_SIZE_MAX * SHW_TEXTURE_LAYERS_MAX;

    SHW_PROPAGATE(check_enums(info, source));
    SHW_PROPAGATE(check_count("attributes", info->attribute_count, SHW_RECORD_ATTRIBUTES_MAX, source));
    SHW_PROPAGATE(check_count("outputs", info->output_count, SHW_RECORD_OUTPUTS_MAX, source));
    SHW_PROPAGATE(check_count("trees", info->tree_count, SHW_RECORD_TREES_MAX, source));
    SHW_PROPAGATE(check_count("nodes", info->node_count, SHW_RECORD_NODES_MAX, source));
    SHW_PROPAGATE(check_count("leaves", info->leaf_count, SHW_RECORD_NODES_MAX, source));
    if (info->values_per_leaf != 1 && info->values_per_leaf != info->output_count)
        return SHW_BAD_MODEL(source, "%u values per leaf; there must be 1 or as many as outputs, %u",
                             info->values_per_leaf, info->output_count);
    SHW_PROPAGATE(check_classes(info, source));
    if (info->set_word_count > SHW_RECORD_SET_WORDS_MAX)
        return fail_limit(source, "words of sets", info->set_word_count, SHW_RECORD_SET_WORDS_MAX);
    texels = shw_record_forest_count_texels(info);
    if (texels > most)
        return fail_limit(source, "texels of trees, nodes, leaf values and sets", texels, most);
    return check_arrays(info, source);
}

static enum shw_result check_names(const char *what, const char *const *names, uint32_t count,
                                   const struct shw_model_source *source)
{
    for (uint32_t i = 0; names != NULL && i < count; i++)
        if (!shw_class_name_is_valid(names[i]))
            return SHW_BAD_MODEL(source, "name %u of the %s is not 1 to %u bytes of printable UTF-8", i + 1, what,
                                 SHW_CLASS_NAME_MAX);
    return SHW_OK;
}

static enum shw_result check_link(const struct shw_record_forest_info *info, const struct shw_model_source *source)
{
    bool scales = shw_record_link_get_traits(info->link)->has_scale;

    if (scales ? !(info->link_scale > 0 && isfinite(info->link_scale)) : info->link_scale != 1)
        return SHW_BAD_MODEL(source, "a scale of %g of the link %s; it must be %s", info->link_scale,
                             shw_record_link_name(info->link), scales ? "positive" : "1");
    if (info->fraction_bits < -127 || info->fraction_bits > 127)
        return SHW_BAD_MODEL(source, "%d fraction bits; there must be -127 to 127", info->fraction_bits);
    return SHW_OK;
}

struct walk {
    struct shw_model_walk order;
    const struct shw_record_forest_info *info;
    const struct shw_record_node *nodes; /* of the tree */
    uint32_t tree;
    uint32_t set_words; /* of splits before the node, in this tree and those before */
};

/* Checks that a set follows the one before it and is valid. */
static enum shw_result check_set(struct walk *walk, uint32_t n)
{
    const struct shw_record_node *node = &walk->nodes[n];
    const uint32_t *set = walk->info->sets + walk->set_words, room = walk->info->set_word_count - walk->set_words;
    uint32_t first, count;

    if (node->zero_missing)
        return SHW_BAD_NODE(&walk->order, n, "%s", "it tests a set, but treats zero as missing");
    if ((uint32_t)node->threshold != walk->set_words || room <= SHW_RECORD_SET_MEMBERS)
        return SHW_BAD_NODE(&walk->order, n, "its set begins with word %u instead of %u, of %u",
                            (uint32_t)node->threshold, walk->set_words, walk->info->set_word_count);
    first = set[0] & SHW_RECORD_SET_FIRST_MASK;
    count = set[1];
    if (count < 1 || count > SHW_RECORD_SET_FIRST_MASK + 1 - first || count > room - SHW_RECORD_SET_MEMBERS)
        return SHW_BAD_NODE(&walk->order, n, "its set has %u words of members from %u on, with room for %u", count,
                            first, room - SHW_RECORD_SET_MEMBERS);
    if ((set[0] & ~(SHW_RECORD_SET_FIRST | SHW_RECORD_SET_MEMBERS_RIGHT | SHW_RECORD_SET_WHOLE |
                    SHW_RECORD_SET_FROM_BELOW)) != 0 ||
        ((set[0] & SHW_RECORD_SET_WHOLE) != 0 && (set[0] & SHW_RECORD_SET_FROM_BELOW) != 0))
        return SHW_BAD_NODE(&walk->order, n, "its set begins with %08x, which are not flags", set[0]);
    if (set[SHW_RECORD_SET_MEMBERS] == 0 || set[SHW_RECORD_SET_MEMBERS + count - 1] == 0)
        return SHW_BAD_NODE(&walk->order, n, "%s", "its set begins or ends with a word without members");
    walk->set_words += SHW_RECORD_SET_MEMBERS + count;
    return SHW_OK;
}

static enum shw_result check_split(struct walk *walk, uint32_t n)
{
    const struct shw_record_node *node = &walk->nodes[n];

    SHW_PROPAGATE(shw_model_walk_split(&walk->order, n, node->left));
    if (node->attribute >= walk->info->attribute_count)
        return SHW_BAD_NODE(&walk->order, n, "it tests attribute %u of %u", node->attribute,
                            walk->info->attribute_count);
    if (node->is_set)
        SHW_PROPAGATE(check_set(walk, n));
    else if (node->threshold == SHW_RECORD_CODE_MISSING)
        return SHW_BAD_NODE(&walk->order, n, "%s", "its threshold is the code of missing values");
    if (node->leaf != 0)
        return SHW_BAD_NODE(&walk->order, n, "%s", "a split has the number of a leaf");
    return SHW_OK;
}

static enum shw_result check_leaf(const struct walk *walk, uint32_t n)
{
    const struct shw_record_node *node = &walk->nodes[n];
    uint32_t leaf = n - walk->order.splits;

    SHW_PROPAGATE(shw_model_walk_leaf(&walk->order, n, node->left));
    if (node->attribute != 0 || node->threshold != 0 || node->missing_right || node->zero_missing || node->is_set)
        return SHW_BAD_NODE(&walk->order, n, "%s", "a leaf has a test");
    if (node->leaf != leaf)
        return SHW_BAD_NODE(&walk->order, n, "leaf %u instead of %u, since leaves are numbered in the order of nodes",
                            node->leaf, leaf);
    return SHW_OK;
}

/* A tree whose nodes begin at `first_node`. */
static enum shw_result check_tree(struct walk *walk, struct shw_record_tree *tree, uint32_t first_node)
{
    const struct shw_record_forest_info *info = walk->info;
    struct shw_model_walk *order = &walk->order;
    uint32_t output_count = info->values_per_leaf == 1 ? info->output_count : 1;

    snprintf(order->where, sizeof order->where, "tree %u", walk->tree);
    if (tree->first_node != first_node || tree->node_count < 1 || tree->node_count > info->node_count - first_node)
        return SHW_BAD_TREE(order->source, "%s: %u nodes from %u, but its first must be %u of the forest's %u",
                            order->where, tree->node_count, tree->first_node, first_node, info->node_count);
    if (tree->output >= output_count)
        return SHW_BAD_TREE(order->source, "%s adds to output %u of %u", order->where, tree->output, output_count);
    walk->nodes = info->nodes + first_node;
    shw_model_walk_begin(order, tree->node_count);
    for (uint32_t n = 0; n < tree->node_count; n++) {
        SHW_PROPAGATE(shw_model_walk_node(order, n));
        SHW_PROPAGATE(walk->nodes[n].is_split ? check_split(walk, n) : check_leaf(walk, n));
    }
    SHW_PROPAGATE(shw_model_walk_end(order, SHW_RECORD_DEPTH_MAX));
    tree->depth = order->depth;
    tree->leaf_count = order->splits + 1;
    return SHW_OK;
}

static enum shw_result check_trees(struct shw_record_forest *forest, const struct shw_model_source *source)
{
    const struct shw_record_forest_info *info = &forest->info;
    struct walk walk = {.order.source = source, .info = info};
    uint32_t first_node = 0, first_leaf = 0;

    for (walk.tree = 0; walk.tree < info->tree_count; walk.tree++) {
        struct shw_record_tree *tree = &forest->trees[walk.tree];
        SHW_PROPAGATE(check_tree(&walk, tree, first_node));
        tree->first_leaf = first_leaf;
        first_node += tree->node_count;
        first_leaf += tree->leaf_count;
    }
    if (first_node != info->node_count)
        return SHW_BAD_MODEL(source, "%u nodes, but only %u belong to trees", info->node_count, first_node);
    if (first_leaf != info->leaf_count)
        return SHW_BAD_MODEL(source, "the values of %u leaves, but its trees have %u", info->leaf_count, first_leaf);
    if (walk.set_words != info->set_word_count)
        return SHW_BAD_MODEL(source, "%u words of sets, but only %u belong to tests", info->set_word_count,
                             walk.set_words);
    return SHW_OK;
}

static uint32_t magnitude(int32_t value)
{
    return value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
}

/* Adds the greatest magnitude of a tree's leaf values to the bound of each output. Trees are so few that bounds cannot
 * overflow. */
static void add_bounds(const struct shw_record_forest_info *info, const struct shw_record_tree *tree, uint64_t *bounds)
{
    const int32_t *values = info->leaf_values + (size_t)tree->first_leaf * info->values_per_leaf;

    for (uint32_t v = 0; v < info->values_per_leaf; v++) {
        uint32_t greatest = 0;
        for (uint32_t l = 0; l < tree->leaf_count; l++)
            greatest = shw_max_u32(greatest, magnitude(values[(size_t)l * info->values_per_leaf + v]));
        bounds[tree->output + v] += greatest;
    }
}

static enum shw_result check_sums(const struct shw_record_forest_info *info, const struct shw_model_source *source)
{
    uint64_t *bounds = calloc(info->output_count, sizeof *bounds);
    enum shw_result result = SHW_OK;

    if (bounds == NULL)
        return shw_fail_memory(source->log, source->name);
    for (uint32_t o = 0; o < info->output_count; o++)
        bounds[o] = info->base[o] < 0 ? 0u - (uint64_t)info->base[o] : (uint64_t)info->base[o];
    for (uint32_t t = 0; t < info->tree_count; t++)
        add_bounds(info, &info->trees[t], bounds);
    for (uint32_t o = 0; o < info->output_count && result == SHW_OK; o++)
        if (bounds[o] >= SUM_END)
            result = SHW_BAD_MODEL(source, "output %u: its sum could reach 2^62", o);
    free(bounds);
    return result;
}

/* Checks everything else but the provenance; fills in leaves and depths of trees. */
static enum shw_result record_forest_check(struct shw_record_forest *forest, const struct shw_model_source *source)
{
    const struct shw_record_forest_info *info = &forest->info;

    SHW_PROPAGATE(check_names("attributes", info->attribute_names, info->attribute_count, source));
    SHW_PROPAGATE(check_names("classes", info->class_names, info->class_count, source));
    SHW_PROPAGATE(check_names("outputs", info->output_names, info->output_count, source));
    SHW_PROPAGATE(check_link(info, source));
    if (info->cut <= -SUM_END || info->cut >= SUM_END)
        return SHW_BAD_MODEL(source, "a cut of %" PRId64 ", which no sum reaches", info->cut);
    SHW_PROPAGATE(check_trees(forest, source));
    return check_sums(info, source);
}

static void hash_names(XXH3_state_t *state, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; names != NULL && i < count; i++)
        XXH3_64bits_update(state, names[i], strlen(names[i]) + 1);
}

/* Equal floating-point numbers have equal bits: the scale is above zero. */
static bool set_hash(struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = &forest->info;
    uint32_t meaning[] = {(uint32_t)info->task,      (uint32_t)info->link,          info->mean,
                          info->class_count,         (uint32_t)info->fraction_bits, info->attribute_names != NULL,
                          info->output_names != NULL};
    XXH3_state_t *state = XXH3_createState();

    if (state == NULL)
        return false;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, meaning, sizeof meaning);
    XXH3_64bits_update(state, &info->link_scale, sizeof info->link_scale);
    hash_names(state, info->attribute_names, info->attribute_count);
    hash_names(state, info->class_names, info->class_count);
    hash_names(state, info->output_names, info->output_count);
    XXH3_64bits_update(state, info->base, info->output_count * sizeof *info->base);
    XXH3_64bits_update(state, &info->cut, sizeof info->cut);
    XXH3_64bits_update(state, forest->texels, (size_t)16 * forest->width * forest->height * forest->layers);
    forest->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

/* What info does not give, where that has a meaning of its own. */
static void set_defaults(struct shw_record_forest_info *info)
{
    if (info->link_scale == 0)
        info->link_scale = 1;
}

/* False if out of memory. */
static bool copy_names(struct shw_record_forest *forest, const struct shw_record_forest_info *info)
{
    if (info->attribute_names != NULL)
        forest->info.attribute_names = forest->attribute_names =
            shw_record_names_copy(info->attribute_names, info->attribute_count);
    if (info->class_count > 0)
        forest->info.class_names = forest->class_names = shw_record_names_copy(info->class_names, info->class_count);
    if (info->output_names != NULL)
        forest->info.output_names = forest->output_names =
            shw_record_names_copy(info->output_names, info->output_count);
    return (info->attribute_names == NULL || forest->attribute_names != NULL) &&
           (info->class_count == 0 || forest->class_names != NULL) &&
           (info->output_names == NULL || forest->output_names != NULL);
}

/* Of counts that have been checked. False if out of memory. */
static bool copy_arrays(struct shw_record_forest *forest, const struct shw_record_forest_info *info)
{
    struct shw_record_forest_info *own = &forest->info;

    *own = *info;
    set_defaults(own);
    own->base = forest->base = info->base != NULL ? shw_copy(info->base, info->output_count, sizeof *info->base)
                                                  : calloc(info->output_count, sizeof *info->base);
    own->trees = forest->trees = shw_copy(info->trees, info->tree_count, sizeof *info->trees);
    own->nodes = forest->nodes = shw_copy(info->nodes, info->node_count, sizeof *info->nodes);
    own->leaf_values = forest->leaf_values =
        shw_copy(info->leaf_values, (size_t)info->leaf_count * info->values_per_leaf, sizeof *info->leaf_values);
    own->sets = forest->sets =
        info->set_word_count > 0 ? shw_copy(info->sets, info->set_word_count, sizeof *info->sets) : NULL;
    return copy_names(forest, info) && forest->base != NULL && forest->trees != NULL && forest->nodes != NULL &&
           forest->leaf_values != NULL && (info->set_word_count == 0 || forest->sets != NULL);
}

static enum shw_result fill(struct shw_record_forest *forest, const struct shw_record_forest_info *info,
                            const struct shw_model_source *source)
{
    if (!copy_arrays(forest, info))
        return shw_fail_memory(source->log, source->name);
    SHW_PROPAGATE(record_forest_check(forest, source));
    SHW_PROPAGATE(shw_model_read_provenance(info->training, source, &forest->training));
    forest->info.training = forest->training;
    if (!shw_record_forest_pack(forest) || !set_hash(forest))
        return shw_fail_memory(source->log, source->name);
    return SHW_OK;
}

void shw_record_forest_destroy(struct shw_record_forest **handle)
{
    struct shw_record_forest *forest = handle != NULL ? *handle : NULL;

    if (forest == NULL)
        return;
    free(forest->texels);
    free(forest->training);
    free(forest->limits);
    free(forest->sets);
    free(forest->leaf_values);
    free(forest->nodes);
    free(forest->trees);
    free(forest->base);
    free(forest->output_names);
    free(forest->class_names);
    free(forest->attribute_names);
    free(forest);
    *handle = NULL;
}

enum shw_result shw_record_forest_make(const struct shw_record_forest_info *info, const char *name,
                                       const struct shw_log *log, struct shw_record_forest **out)
{
    const struct shw_model_source source = shw_model_source(&shw_record_forest_model, name, log);
    struct shw_record_forest *forest;
    enum shw_result result;

    SHW_PROPAGATE(record_forest_check_counts(info, &source));
    forest = calloc(1, sizeof *forest);
    if (forest == NULL)
        return shw_fail_memory(log, source.name);
    result = fill(forest, info, &source);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_record_forest_destroy(&forest);
    return result;
}

enum shw_result shw_record_forest_create_abi(uint32_t abi, const struct shw_record_forest_info *info,
                                             const struct shw_log *log, struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, info);
    SHW_REFUSE_NULL(log, forest);

    return shw_record_forest_make(info, NULL, log, forest);
}

const struct shw_record_forest_info *shw_record_forest_get_info(const struct shw_record_forest *forest)
{
    return forest != NULL ? &forest->info : NULL;
}

struct shw_record_forest_texture shw_record_forest_get_texture(const struct shw_record_forest *forest)
{
    if (forest == NULL)
        return (struct shw_record_forest_texture){0};

    return (struct shw_record_forest_texture){forest->texels, forest->width, forest->height, forest->layers};
}

uint64_t shw_record_forest_hash(const struct shw_record_forest *forest)
{
    return forest != NULL ? forest->hash : 0;
}

/* Whether an output by itself becomes the probability of the second of two classes. */
static bool gives_both(const struct shw_record_forest_info *info)
{
    return info->class_count > info->output_count && shw_record_link_get_traits(info->link)->is_probability;
}

uint32_t shw_record_forest_get_prediction_count(const struct shw_record_forest *forest)
{
    if (forest == NULL)
        return 0;

    return gives_both(&forest->info) ? 2 : forest->info.output_count;
}

/* The inverse of the normal distribution function, by Newton's method on the logarithm of the smaller tail, which is
 * concave there: from a start outside it converges from one side. */
static double normal_quantile(double p)
{
    double tail = p < 0.5 ? p : 1 - p, x;

    if (!(p >= 0 && p <= 1))
        return NAN;
    if (tail == 0)
        return p == 0 ? -INFINITY : INFINITY;
    x = -sqrt(-2 * log(2 * tail)); /* at most the quantile, since tails are below exp(-x^2 / 2) / 2 */
    for (int i = 0; i < 64; i++) {
        double below = 0.5 * erfc(-x * M_SQRT1_2), density = exp(-0.5 * x * x) / sqrt(2 * M_PI);
        double step = below / density * log(tail / below);
        x += step;
        if (fabs(step) <= 1e-15 * fabs(x))
            break;
    }
    return p < 0.5 ? x : -x;
}

static double softplus(double x)
{
    return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x));
}

static double link_one(const struct shw_record_forest_info *info, double x)
{
    switch (info->link) {
    case SHW_RECORD_LOGISTIC: return 1 / (1 + exp(-info->link_scale * x));
    case SHW_RECORD_EXP: return exp(x);
    case SHW_RECORD_PROBIT: return normal_quantile(x);
    case SHW_RECORD_SOFTPLUS: return softplus(x);
    case SHW_RECORD_SIGNED_SQUARE: return x * fabs(x);
    case SHW_RECORD_IDENTITY:
    case SHW_RECORD_SOFTMAX:
    case SHW_RECORD_SOFTMAX_ZERO: break;
    }
    return x;
}

/* With `skips_zero`, outputs that are zero stay zero and do not count. */
static void softmax(double *x, uint32_t count, bool skips_zero)
{
    double greatest = -INFINITY, sum = 0;

    for (uint32_t o = 0; o < count; o++)
        greatest = fmax(greatest, x[o]);
    for (uint32_t o = 0; o < count; o++) {
        x[o] = skips_zero && x[o] == 0 ? 0 : exp(x[o] - greatest);
        sum += x[o];
    }
    for (uint32_t o = 0; o < count && sum > 0; o++)
        x[o] /= sum;
}

/* Of exponents from -1022 to 1023, faster than by ldexp(). */
static double power_of_two(int32_t exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52u;
    double power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/* `scale` is the unit of the sums. Products with it are exact. */
static void predict_record(const struct shw_record_forest_info *info, double scale, const int64_t *sums, double *x,
                           float *to)
{
    for (uint32_t o = 0; o < info->output_count; o++)
        x[o] = (double)sums[o] * scale;
    for (uint32_t o = 0; info->mean && o < info->output_count; o++)
        x[o] /= info->tree_count;
    if (shw_record_link_get_traits(info->link)->sums_to_one)
        softmax(x, info->output_count, info->link == SHW_RECORD_SOFTMAX_ZERO);
    else
        for (uint32_t o = 0; o < info->output_count; o++)
            x[o] = link_one(info, x[o]);
    if (gives_both(info)) {
        to[0] = (float)(1 - x[0]);
        to[1] = (float)x[0];
        return;
    }
    for (uint32_t o = 0; o < info->output_count; o++)
        to[o] = (float)x[o];
}

void shw_record_forest_predict(const struct shw_record_forest *forest, uint64_t count, const int64_t *sums,
                               float *predictions)
{
    uint32_t stride = shw_record_forest_get_prediction_count(forest);
    double x[SHW_RECORD_OUTPUTS_MAX];

    if (forest == NULL || sums == NULL || predictions == NULL)
        return;

    const double scale = power_of_two(-forest->info.fraction_bits);

    for (uint64_t r = 0; r < count; r++)
        predict_record(&forest->info, scale, sums + r * forest->info.output_count, x, predictions + r * stride);
}
