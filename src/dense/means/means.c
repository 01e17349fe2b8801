#include "dense/means/means.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "dense/feature/feature_types.h"
#include "dense/forest/forest.h"

/* The words of a rectangle: x0 | y0 << 16, x1 | y1 << 16. */
static struct shw_mean_plane plane_of(uint32_t channel, uint32_t low, uint32_t high)
{
    return (struct shw_mean_plane){channel, (uint32_t)(shw_low16(high) - shw_low16(low)),
                                   (uint32_t)(shw_high16(high) - shw_high16(low))};
}

static int compare_planes(const void *one, const void *other)
{
    const struct shw_mean_plane *a = one, *b = other;

    if (a->channel != b->channel)
        return a->channel < b->channel ? -1 : 1;
    if (a->width != b->width)
        return a->width < b->width ? -1 : 1;
    return a->height != b->height ? a->height < b->height ? -1 : 1 : 0;
}

static uint32_t sides_of(const uint32_t *node)
{
    return (node[1] >> SHW_NODE_SPLIT_SHIFT & 1) == 0 ? 0 : 1 + (node[1] >> SHW_NODE_SECOND_SHIFT & 1);
}

static struct shw_mean_plane side_plane(const uint32_t *node, uint32_t side)
{
    return plane_of(shw_node_channel(node[1], side), node[4 + 2 * side], node[5 + 2 * side]);
}

/* The tests on a pixel's paths, as if trees were balanced. */
static uint32_t count_tests(const struct shw_forest *forest)
{
    uint32_t tests = 0;

    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        for (uint32_t leaves = (forest->trees[t].node_count + 1) / 2; leaves > 1; leaves = (leaves + 1) / 2)
            tests++;
    return tests;
}

/* How many planes pay. On an H200, when planes were made from integral images, one took about as long as the corners
 * that a test of each pixel does not load. On
 * processors, where blocks of pixels wait for their caches more than for loads, they may take no more memory than
 * integral images. docs/performance.md has figures. */
static uint32_t most_planes(const struct shw_forest *forest, bool on_host)
{
    const uint32_t tests = count_tests(forest), channels = forest->channels.channel_count;

    return on_host ? shw_min_u32(tests, 2 * channels) : shw_min_u32(tests * 3 / 4, SHW_NODE_CHANNEL_MASK);
}

/* Whether the values of a shape have 16 bits. */
static bool is_fit(const struct shw_forest *forest, const struct shw_mean_plane *plane, bool is_sum)
{
    uint64_t most = forest->info.channel_list->channels[plane->channel].max_abs;

    return plane->width <= SHW_MEANS_SIDE_MAX && plane->height <= SHW_MEANS_SIDE_MAX &&
           (!is_sum || most * plane->width * plane->height <= INT16_MAX);
}

/* Nodes of a tree in the texture, of eight words each. */
static uint32_t *nodes_of(const struct shw_forest *forest, uint32_t *texels, uint32_t tree)
{
    return texels + (size_t)4 * forest->trees[tree].first;
}

/* Lists the planes in order; false if there are more than `most` or one does not fit. A list of `most` is searched and
 * kept in order. */
static bool list_planes(const struct shw_forest *forest, uint32_t most, struct shw_means *means)
{
    for (uint32_t t = 0; t < forest->info.tree_count; t++) {
        const uint32_t *node = nodes_of(forest, forest->texels, t);
        for (uint32_t n = 0; n < forest->trees[t].node_count; n++, node += 4 * SHW_NODE_TEXELS)
            for (uint32_t side = 0; side < sides_of(node); side++) {
                const struct shw_mean_plane plane = side_plane(node, side);
                uint32_t at = 0;
                if (bsearch(&plane, means->planes, means->count, sizeof plane, compare_planes) != NULL)
                    continue;
                if (means->count == most || !is_fit(forest, &plane, means->is_sum))
                    return false;
                while (at < means->count && compare_planes(&means->planes[at], &plane) < 0)
                    at++;
                memmove(means->planes + at + 1, means->planes + at, (means->count - at) * sizeof plane);
                means->planes[at] = plane;
                means->count++;
            }
    }
    return means->count > 0;
}

/* A test on single pixels of the planes with the same responses. A second side that does not count reads what the
 * first does. */
static void rewrite_node(const struct shw_means *means, uint32_t *node)
{
    const uint32_t sides = sides_of(node);
    uint32_t numbers[2], head = node[1] & (1u << SHW_NODE_SPLIT_SHIFT | 1u << SHW_NODE_SECOND_SHIFT);

    if (sides == 0)
        return;
    for (uint32_t side = 0; side < sides; side++) {
        const struct shw_mean_plane plane = side_plane(node, side);
        const struct shw_mean_plane *found = bsearch(&plane, means->planes, means->count, sizeof plane, compare_planes);
        numbers[side] = (uint32_t)(found - means->planes);
    }
    if (sides == 1) {
        numbers[1] = numbers[0];
        node[6] = node[4];
    }
    node[1] = head | numbers[0] | numbers[1] << SHW_NODE_CHANNEL_BITS;
    for (uint32_t side = 0; side < 2; side++) {
        const uint32_t low = node[4 + 2 * side];
        node[5 + 2 * side] = (uint32_t)(uint16_t)(shw_low16(low) + 1) | (uint32_t)(shw_high16(low) + 1) << 16;
    }
}

static struct shw_forest *rewrite(const struct shw_forest *forest, const struct shw_means *means)
{
    const size_t bytes = (size_t)16 * shw_forest_texel_count(&forest->layout);
    struct shw_forest *made = calloc(1, sizeof *made);
    uint32_t *texels = malloc(bytes);

    if (made == NULL || texels == NULL) {
        free(texels);
        free(made);
        return NULL;
    }
    memcpy(texels, forest->texels, bytes);
    for (uint32_t t = 0; t < forest->info.tree_count; t++)
        for (uint32_t n = 0; n < forest->trees[t].node_count; n++)
            rewrite_node(means, nodes_of(forest, texels, t) + (size_t)4 * SHW_NODE_TEXELS * n);
    *made = (struct shw_forest){.info = forest->info,
                                .classes = forest->classes,
                                .names = forest->names,
                                .training = forest->training,
                                .channels = forest->channels,
                                .layout = forest->layout,
                                .trees = forest->trees,
                                .texels = texels,
                                .trained = forest->trained,
                                .leaf_nodes = forest->leaf_nodes,
                                .means = means,
                                .reach = forest->reach,
                                .hash = forest->hash,
                                .below = forest->below};
    made->info.feature = &shw_feature_pixel_difference;
    return made;
}

bool shw_means_serve(const struct shw_feature_type *type, bool *is_sum)
{
    *is_sum = type == &shw_feature_sum_difference;
    return *is_sum || type == &shw_feature_mean_difference;
}

/* Without planes, but with room for `most`. */
static struct shw_means *make_empty(uint32_t most, bool is_sum)
{
    struct shw_means *means = calloc(1, sizeof *means);

    if (means == NULL)
        return NULL;
    means->is_sum = is_sum;
    means->planes = malloc((most + 1) * sizeof *means->planes);
    if (means->planes == NULL) {
        free(means);
        return NULL;
    }
    return means;
}

/* What is known when all planes are. Returns NULL and frees it if it has no forest. */
static struct shw_means *settle(struct shw_means *means)
{
    if (means->forest == NULL) {
        shw_means_free(means);
        return NULL;
    }
    for (uint32_t p = 0; p < means->count; p++)
        means->margin = shw_max_u32(means->margin, shw_max_u32(means->planes[p].width, means->planes[p].height) - 1);
    return means;
}

struct shw_means *shw_means_make(const struct shw_forest *forest, bool on_host)
{
    const uint32_t most = most_planes(forest, on_host);
    struct shw_means *means;
    bool is_sum;

    if (!shw_means_serve(forest->info.feature, &is_sum) || forest->ferns != NULL || most == 0)
        return NULL;
    means = make_empty(most, is_sum);
    if (means == NULL)
        return NULL;
    if (list_planes(forest, most, means))
        means->forest = rewrite(forest, means);
    return settle(means);
}

struct shw_means *shw_means_make_planes(const struct shw_mean_plane *planes, uint32_t count, bool is_sum)
{
    struct shw_means *means = make_empty(count, is_sum);

    if (means == NULL)
        return NULL;
    memcpy(means->planes, planes, count * sizeof *planes);
    means->count = count;
    means->forest = calloc(1, sizeof *means->forest);
    if (means->forest != NULL)
        means->forest->means = means;
    return settle(means);
}

void shw_means_free(struct shw_means *means)
{
    if (means == NULL)
        return;
    if (means->forest != NULL)
        free(means->forest->texels);
    free(means->forest);
    free(means->planes);
    free(means);
}
