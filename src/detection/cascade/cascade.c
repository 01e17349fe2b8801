/* A cascade in memory: its checks, its copy and its hash. */
#include "detection/cascade/cascade.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/hash.h"
#include "base/integers.h"
#include "base/log.h"

#define PYRAMID  true
#define RELATIVE true
#define ANGLES   true

/* Nothing can be left out. */
#define KIND(kind, name, test, window_max, min_size, has_pyramid, is_relative, has_angles)                             \
    [SHW_CASCADE_##kind] = {name, SHW_CASCADE_TEST_##test, window_max, min_size, has_pyramid, is_relative, has_angles}

static const struct shw_cascade_traits kinds[] = {
    KIND(PIXELS, "pixels", POINTS, 128, 1, PYRAMID, !RELATIVE, ANGLES),
    KIND(SCALED, "scaled-pixels", POINTS, 0, 30, !PYRAMID, RELATIVE, ANGLES),
    KIND(HAAR, "haar", SUM, 255, 1, !PYRAMID, !RELATIVE, !ANGLES),
    KIND(LBP, "lbp", PATTERN, 255, 1, !PYRAMID, !RELATIVE, !ANGLES),
};
_Static_assert(sizeof kinds / sizeof *kinds == SHW_CASCADE_KIND_COUNT, "an entry for each kind");

const struct shw_cascade_traits *shw_cascade_get_traits(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? &kinds[kind] : NULL;
}

const char *shw_cascade_kind_name(enum shw_cascade_kind kind)
{
    return (uint32_t)kind < SHW_CASCADE_KIND_COUNT ? kinds[kind].name : NULL;
}

#define WEIGHT_MAX (1 << 15) /* 128 */

static enum shw_result check_count(const char *what, uint32_t count, uint32_t least, uint32_t most, const void *items,
                                   const struct shw_model_source *source)
{
    if (count > most)
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_CASCADE, "%s: %u %s; at most %u are supported",
                        source->name, count, what, most);
    if (count < least)
        return SHW_BAD_MODEL(source, "it has no %s", what);
    if (count > 0 && items == NULL)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: its %s are NULL", source->name, what);
    return SHW_OK;
}

/* Checks the counts and that nothing that they count is NULL, which must precede copying. */
static enum shw_result cascade_check_counts(const struct shw_cascade_info *info, const struct shw_model_source *source)
{
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(info->kind);

    if (traits == NULL)
        return shw_fail(source->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s: %d is not a value of shw_cascade_kind",
                        source->name, (int)info->kind);
    if (traits->test == SHW_CASCADE_TEST_POINTS && (info->feature_count > 0 || info->features != NULL))
        return SHW_BAD_MODEL(source, "it has features, which a cascade of the kind %s does not have",
                             shw_cascade_kind_name(info->kind));
    SHW_PROPAGATE(check_count("stages", info->stage_count, 1, SHW_CASCADE_STAGES_MAX, info->stages, source));
    SHW_PROPAGATE(check_count("trees", info->tree_count, 1, SHW_CASCADE_TREES_MAX, info->trees, source));
    SHW_PROPAGATE(check_count("nodes", info->node_count, 1, SHW_CASCADE_NODES_MAX, info->nodes, source));
    return check_count("features", info->feature_count, 0, SHW_CASCADE_NODES_MAX, info->features, source);
}

static enum shw_result check_window(const struct shw_cascade_info *info, const struct shw_model_source *source)
{
    uint32_t most = shw_cascade_get_traits(info->kind)->window_max, least = most > 0 ? 2 : 0;
    uint32_t small = shw_min_u32(info->window_width, info->window_height);
    uint32_t large = shw_max_u32(info->window_width, info->window_height);

    if (small < least || large > most)
        return SHW_BAD_MODEL(source, "a window of %u x %u; those of the kind %s have %u to %u pixels each way",
                             info->window_width, info->window_height, shw_cascade_kind_name(info->kind), least, most);
    return SHW_OK;
}

static enum shw_result check_scan(const struct shw_cascade_info *info, const struct shw_model_source *source)
{
    const struct shw_cascade_planes *planes = &info->planes;
    bool has_pyramid = shw_cascade_get_traits(info->kind)->has_pyramid;
    uint32_t least = has_pyramid ? 1 : 0, most = has_pyramid ? 16 : 0;

    if (planes->shrink < least || planes->shrink > most)
        return SHW_BAD_MODEL(source, "its planes shrink by %u instead of %u to %u", planes->shrink, least, most);
    if (!has_pyramid && (planes->blur_before || planes->blur_after || planes->octaves))
        return SHW_BAD_MODEL(source, "it prepares planes, which a cascade of the kind %s does not have",
                             shw_cascade_kind_name(info->kind));
    if (info->levels_per_octave < least || info->levels_per_octave > most)
        return SHW_BAD_MODEL(source, "%u levels per octave instead of %u to %u", info->levels_per_octave, least, most);
    if (has_pyramid ? info->scale_factor != 0 : !(info->scale_factor > 1.01 && info->scale_factor <= 10))
        return SHW_BAD_MODEL(source, "a scale factor of %g instead of %s", info->scale_factor,
                             has_pyramid ? "0" : "more than 1.01 and at most 10");
    return SHW_OK;
}

static enum shw_result check_survivors(const struct shw_cascade_info *info, const struct shw_model_source *source)
{
    for (uint32_t s = 0; info->survivors != NULL && s <= info->stage_count; s++) {
        if (info->survivors[s] > INT64_MAX)
            return SHW_BAD_MODEL(source, "survivors of %u stages: more than 2^63", s);
        if (s > 0 && info->survivors[s] > info->survivors[s - 1])
            return SHW_BAD_MODEL(source, "more windows survive stage %u than reach it", s - 1);
    }
    return SHW_OK;
}

static bool has_patterns(const struct shw_cascade_info *info)
{
    return shw_cascade_get_traits(info->kind)->test == SHW_CASCADE_TEST_PATTERN;
}

/* That it lies in the window. */
static bool rectangle_fits(const struct shw_cascade_info *info, const struct shw_cascade_feature *feature,
                           const struct shw_cascade_rectangle *rectangle)
{
    uint32_t cells = has_patterns(info) ? 3 : 1; /* each way */
    uint32_t width = cells * rectangle->width, height = cells * rectangle->height;

    if (width == 0 || height == 0)
        return false;
    if (feature->tilted)
        return rectangle->x >= height && rectangle->x + width <= info->window_width &&
               rectangle->y + width + height <= info->window_height;
    return rectangle->x + width <= info->window_width && rectangle->y + height <= info->window_height;
}

static bool rectangle_is_zero(const struct shw_cascade_rectangle *rectangle)
{
    return (rectangle->x | rectangle->y | rectangle->width | rectangle->height) == 0 && rectangle->weight == 0;
}

/* That no weighted sum of grey values can leave 32 bits. */
static enum shw_result check_sums(const struct shw_cascade_feature *feature, uint32_t f,
                                  const struct shw_model_source *source)
{
    uint64_t bound = 0;

    for (uint32_t r = 0; r < feature->rectangle_count; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        uint32_t weight = (uint32_t)(rectangle->weight < 0 ? -rectangle->weight : rectangle->weight);
        bound += (uint64_t)weight * rectangle->width * rectangle->height * (feature->tilted ? 2 : 1) * UINT8_MAX;
    }
    if (bound > INT32_MAX)
        return SHW_BAD_MODEL(source, "feature %u: its weighted sum could leave 32 bits", f);
    return SHW_OK;
}

static enum shw_result check_feature(const struct shw_cascade_info *info, uint32_t f,
                                     const struct shw_model_source *source)
{
    const struct shw_cascade_feature *feature = &info->features[f];
    bool is_pattern = has_patterns(info);
    uint32_t most = is_pattern ? 1 : SHW_CASCADE_RECTANGLES_MAX;

    if (feature->rectangle_count < 1 || feature->rectangle_count > most)
        return SHW_BAD_MODEL(source, "feature %u: %u rectangles; there must be 1 to %u", f, feature->rectangle_count,
                             most);
    if (is_pattern && feature->tilted)
        return SHW_BAD_MODEL(source, "feature %u: a local binary pattern cannot be tilted", f);
    for (uint32_t r = 0; r < SHW_CASCADE_RECTANGLES_MAX; r++) {
        const struct shw_cascade_rectangle *rectangle = &feature->rectangles[r];
        if (r >= feature->rectangle_count && !rectangle_is_zero(rectangle))
            return SHW_BAD_MODEL(source, "feature %u: rectangle %u is not used, but not zero", f, r);
        if (r < feature->rectangle_count && !rectangle_fits(info, feature, rectangle))
            return SHW_BAD_MODEL(source,
                                 "feature %u: rectangle %u, %u x %u at (%u, %u)%s, is empty or outside the window of "
                                 "%u x %u",
                                 f, r, rectangle->width, rectangle->height, rectangle->x, rectangle->y,
                                 feature->tilted ? ", tilted" : "", info->window_width, info->window_height);
        if (is_pattern ? rectangle->weight != 0 : rectangle->weight < -WEIGHT_MAX || rectangle->weight > WEIGHT_MAX)
            return SHW_BAD_MODEL(source, "feature %u: rectangle %u has a weight of %d/256; at most %d is supported", f,
                                 r, rectangle->weight, is_pattern ? 0 : WEIGHT_MAX / 256);
    }
    return check_sums(feature, f, source);
}

struct walk {
    struct shw_model_walk order;
    const struct shw_cascade_info *info;
    const struct shw_cascade_node *nodes; /* of the tree */
    uint32_t tree;
    uint32_t value_max; /* the largest magnitude of a leaf */
};

static bool has_points(const struct shw_cascade_node *node)
{
    return (node->x1 | node->y1 | node->x2 | node->y2) != 0;
}

static bool has_subset(const struct shw_cascade_node *node)
{
    uint32_t any = 0;

    for (int i = 0; i < 8; i++)
        any |= node->subset[i];
    return any != 0;
}

static enum shw_result check_point(const struct walk *walk, uint32_t n, int32_t x, int32_t y)
{
    const struct shw_cascade_info *info = walk->info;
    bool is_relative = shw_cascade_get_traits(info->kind)->is_relative;
    int32_t least = is_relative ? -128 : 0, width = is_relative ? 128 : (int32_t)info->window_width;
    int32_t height = is_relative ? 128 : (int32_t)info->window_height;

    if (x < least || x >= width || y < least || y >= height)
        return SHW_BAD_NODE(&walk->order, n, "the point (%d, %d) is outside the window, which is (%d, %d) to (%d, %d)",
                            x, y, least, least, width - 1, height - 1);
    return SHW_OK;
}

static enum shw_result check_test(const struct walk *walk, uint32_t n)
{
    const struct shw_cascade_node *node = &walk->nodes[n];
    const struct shw_cascade_traits *traits = shw_cascade_get_traits(walk->info->kind);
    bool tests_points = traits->test == SHW_CASCADE_TEST_POINTS, tests_patterns = has_patterns(walk->info);

    if (tests_points) {
        SHW_PROPAGATE(check_point(walk, n, node->x1, node->y1));
        SHW_PROPAGATE(check_point(walk, n, node->x2, node->y2));
    } else if (has_points(node)) {
        return SHW_BAD_NODE(&walk->order, n, "it has points, which a test of the kind %s does not have", traits->name);
    }
    if (tests_points ? node->feature != 0 : node->feature >= walk->info->feature_count)
        return SHW_BAD_NODE(&walk->order, n, "it tests feature %u of %u", node->feature, walk->info->feature_count);
    if (tests_patterns ? node->threshold != 0 : has_subset(node))
        return SHW_BAD_NODE(&walk->order, n, "it has a %s, which a test of the kind %s does not have",
                            tests_patterns ? "threshold" : "subset", traits->name);
    return SHW_OK;
}

static enum shw_result check_split(struct walk *walk, uint32_t n)
{
    const struct shw_cascade_node *node = &walk->nodes[n];

    SHW_PROPAGATE(shw_model_walk_split(&walk->order, n, node->left));
    if (node->value != 0)
        return SHW_BAD_NODE(&walk->order, n, "%s", "a split has a value");
    return check_test(walk, n);
}

static enum shw_result check_leaf(struct walk *walk, uint32_t n)
{
    const struct shw_cascade_node *node = &walk->nodes[n];
    uint32_t magnitude = node->value < 0 ? 0u - (uint32_t)node->value : (uint32_t)node->value;

    SHW_PROPAGATE(shw_model_walk_leaf(&walk->order, n, node->left));
    if (has_points(node) || node->feature != 0 || node->threshold != 0 || has_subset(node))
        return SHW_BAD_NODE(&walk->order, n, "%s", "a leaf has a test");
    walk->value_max = shw_max_u32(walk->value_max, magnitude);
    return SHW_OK;
}

/* A tree of stage `s` whose nodes begin at `first_node`. */
static enum shw_result check_tree(struct shw_cascade *cascade, struct walk *walk, uint32_t s, uint32_t first_node)
{
    const struct shw_cascade_info *info = walk->info;
    const struct shw_cascade_tree *tree = &info->trees[walk->tree];
    struct shw_model_walk *order = &walk->order;

    snprintf(order->where, sizeof order->where, "stage %u, tree %u", s, walk->tree);
    if (tree->first_node != first_node || tree->node_count < 1 || tree->node_count > info->node_count - first_node)
        return SHW_BAD_TREE(order->source, "%s: %u nodes from %u, but its first must be %u of the cascade's %u",
                            order->where, tree->node_count, tree->first_node, first_node, info->node_count);
    walk->nodes = info->nodes + first_node;
    walk->value_max = 0;
    shw_model_walk_begin(order, tree->node_count);
    for (uint32_t n = 0; n < tree->node_count; n++) {
        SHW_PROPAGATE(shw_model_walk_node(order, n));
        SHW_PROPAGATE(walk->nodes[n].is_split ? check_split(walk, n) : check_leaf(walk, n));
    }
    SHW_PROPAGATE(shw_model_walk_end(order, SHW_CASCADE_DEPTH_MAX));
    cascade->depths[walk->tree] = (uint8_t)order->depth;
    cascade->depth = shw_max_u32(cascade->depth, order->depth);
    return SHW_OK;
}

static enum shw_result check_stage(const struct shw_cascade_info *info, uint32_t s, uint32_t first_tree,
                                   const struct shw_model_source *source)
{
    const struct shw_cascade_stage *stage = &info->stages[s];

    if (stage->first_tree != first_tree || stage->tree_count < 1 || stage->tree_count > info->tree_count - first_tree)
        return SHW_BAD_MODEL(source, "stage %u: %u trees from %u, but its first must be %u of the cascade's %u", s,
                             stage->tree_count, stage->first_tree, first_tree, info->tree_count);
    return SHW_OK;
}

static enum shw_result check_stages(struct shw_cascade *cascade, const struct shw_model_source *source)
{
    const struct shw_cascade_info *info = &cascade->info;
    uint32_t base = info->score_base < 0 ? 0u - (uint32_t)info->score_base : (uint32_t)info->score_base;
    struct walk walk = {.order.source = source, .info = info};
    uint32_t first_node = 0;
    uint64_t bound = 0; /* of the score */

    for (uint32_t s = 0; s < info->stage_count; s++) {
        SHW_PROPAGATE(check_stage(info, s, walk.tree, source));
        bound = info->restarts ? 0 : bound;
        for (uint32_t t = 0; t < info->stages[s].tree_count; t++, walk.tree++) {
            SHW_PROPAGATE(check_tree(cascade, &walk, s, first_node));
            first_node += walk.order.node_count;
            bound += walk.value_max;
        }
        if (bound + (s + 1 == info->stage_count ? base : 0) > INT32_MAX)
            return SHW_BAD_MODEL(source, "stage %u: scores could leave 32 bits; there are too many fraction bits, %u",
                                 s, info->fraction_bits);
    }
    if (walk.tree != info->tree_count || first_node != info->node_count)
        return SHW_BAD_MODEL(source, "%u trees and %u nodes, but only %u and %u belong to stages", info->tree_count,
                             info->node_count, walk.tree, first_node);
    return SHW_OK;
}

/* Checks everything else but the provenance; fills in the depths. */
static enum shw_result cascade_check(struct shw_cascade *cascade, const struct shw_model_source *source)
{
    const struct shw_cascade_info *info = &cascade->info;

    if (!shw_class_name_is_valid(info->name))
        return SHW_BAD_MODEL(source, "the name of the object is not 1 to %u bytes of printable UTF-8",
                             SHW_CLASS_NAME_MAX);
    SHW_PROPAGATE(check_window(info, source));
    SHW_PROPAGATE(check_scan(info, source));
    if (info->fraction_bits > 30)
        return SHW_BAD_MODEL(source, "%u fraction bits; there must be 0 to 30", info->fraction_bits);
    for (uint32_t f = 0; f < info->feature_count; f++)
        SHW_PROPAGATE(check_feature(info, f, source));
    SHW_PROPAGATE(check_stages(cascade, source));
    return check_survivors(info, source);
}

/* Equal floating-point numbers have equal bits: the scale factor is above zero, or zero. */
static bool set_hash(struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = &cascade->info;
    uint32_t meaning[] = {(uint32_t)info->kind,    info->planes.shrink,  info->planes.blur_before,
                          info->planes.blur_after, info->planes.octaves, info->levels_per_octave};
    double scale_factor = info->scale_factor;
    XXH3_state_t *state = XXH3_createState();

    if (state == NULL)
        return false;
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, meaning, sizeof meaning);
    XXH3_64bits_update(state, &scale_factor, sizeof scale_factor);
    XXH3_64bits_update(state, info->name, strlen(info->name) + 1);
    XXH3_64bits_update(state, cascade->texels, (size_t)16 * cascade->width * cascade->height);
    cascade->hash = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

/* Of counts that have been checked. */
static bool copy_arrays(struct shw_cascade *cascade, const struct shw_cascade_info *info)
{
    const char *name = info->name != NULL && info->name[0] != '\0' ? info->name : "object";

    cascade->info = *info;
    cascade->info.name = cascade->name = shw_copy(name, strlen(name) + 1, 1);
    cascade->info.stages = cascade->stages = shw_copy(info->stages, info->stage_count, sizeof *info->stages);
    cascade->info.trees = cascade->trees = shw_copy(info->trees, info->tree_count, sizeof *info->trees);
    cascade->info.nodes = cascade->nodes = shw_copy(info->nodes, info->node_count, sizeof *info->nodes);
    cascade->info.features = NULL;
    cascade->info.survivors = NULL;
    cascade->info.min_score = info->has_min_score ? info->min_score : 0;
    cascade->depths = calloc(info->tree_count, 1);
    if (info->feature_count > 0)
        cascade->info.features = cascade->features =
            shw_copy(info->features, info->feature_count, sizeof *info->features);
    if (info->survivors != NULL)
        cascade->info.survivors = cascade->survivors =
            shw_copy(info->survivors, (size_t)info->stage_count + 1, sizeof *info->survivors);
    return cascade->name != NULL && cascade->stages != NULL && cascade->trees != NULL && cascade->nodes != NULL &&
           cascade->depths != NULL && (info->feature_count == 0 || cascade->features != NULL) &&
           (info->survivors == NULL || cascade->survivors != NULL);
}

static enum shw_result fill(struct shw_cascade *cascade, const struct shw_cascade_info *info,
                            const struct shw_model_source *source)
{
    if (!copy_arrays(cascade, info))
        return shw_fail_memory(source->log, "a cascade");
    SHW_PROPAGATE(cascade_check(cascade, source));
    SHW_PROPAGATE(shw_model_read_provenance(info->training, source, &cascade->training));
    cascade->info.training = cascade->training;
    if (!shw_cascade_pack(cascade) || !set_hash(cascade))
        return shw_fail_memory(source->log, "a cascade");
    return SHW_OK;
}

void shw_cascade_destroy(struct shw_cascade **handle)
{
    struct shw_cascade *cascade = handle != NULL ? *handle : NULL;

    if (cascade == NULL)
        return;
    free(cascade->texels);
    free(cascade->depths);
    free(cascade->survivors);
    free(cascade->features);
    free(cascade->nodes);
    free(cascade->trees);
    free(cascade->stages);
    free(cascade->training);
    free(cascade->name);
    free(cascade);
    *handle = NULL;
}

enum shw_result shw_cascade_make(const struct shw_cascade_info *info, const char *name, const struct shw_log *log,
                                 struct shw_cascade **out)
{
    const struct shw_model_source source = shw_model_source(&shw_cascade_model, name, log);
    struct shw_cascade *cascade;
    enum shw_result result;

    SHW_PROPAGATE(cascade_check_counts(info, &source));
    cascade = calloc(1, sizeof *cascade);
    if (cascade == NULL)
        return shw_fail_memory(log, "a cascade");
    result = fill(cascade, info, &source);
    if (result == SHW_OK)
        *out = cascade;
    else
        shw_cascade_destroy(&cascade);
    return result;
}

enum shw_result shw_cascade_create_abi(uint32_t abi, const struct shw_cascade_info *info, const struct shw_log *log,
                                       struct shw_cascade **cascade)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, info);
    SHW_REFUSE_NULL(log, cascade);

    return shw_cascade_make(info, NULL, log, cascade);
}

const struct shw_cascade_info *shw_cascade_get_info(const struct shw_cascade *cascade)
{
    return cascade != NULL ? &cascade->info : NULL;
}

struct shw_cascade_texture shw_cascade_get_texture(const struct shw_cascade *cascade)
{
    if (cascade == NULL)
        return (struct shw_cascade_texture){0};

    return (struct shw_cascade_texture){cascade->texels, cascade->width, cascade->height};
}

uint64_t shw_cascade_hash(const struct shw_cascade *cascade)
{
    return cascade != NULL ? cascade->hash : 0;
}
