/* The path of one pixel through a forest, step by step, with the arithmetic that all techniques share. */
#include <shadewood/explain.h>

#include <stdlib.h>

#include <shadewood/dataset.h>
#include <shadewood/label.h>

#include "base/log.h"
#include "dense/channels/channel_kinds.h"
#include "dense/explain/channel_reader.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/forest.h"
#include "shared/rectangle.h"

/* Integral values for a feature's code. Sums start at `corner` instead of the image's, so that a difference of sums
 * costs no more than the region between them; the differences are the same for any corner. */
struct source {
    struct shw_channel_reader *reader;
    struct shw_image_rectangle corner[SHW_CHANNELS_MAX]; /* x0, y0 */
    enum shw_result result;
};

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t read_integral(void *user, uint32_t channel, int32_t x, int32_t y)
{
    struct source *source = user;
    uint32_t x0 = source->corner[channel].x0, y0 = source->corner[channel].y0, x1 = (uint32_t)x, y1 = (uint32_t)y;
    struct shw_image_rectangle rectangle = {lesser(x0, x1), lesser(y0, y1), x0 ^ x1 ^ lesser(x0, x1),
                                            y0 ^ y1 ^ lesser(y0, y1)};
    int32_t sum = 0;

    if (x0 != x1 && y0 != y1 && source->result == SHW_OK)
        source->result = shw_channel_reader_sum(source->reader, channel, &rectangle, &sum);
    return (x1 < x0) != (y1 < y0) ? 0 - (uint32_t)sum : (uint32_t)sum;
}

static int32_t read_channel(void *user, uint32_t channel, int32_t x, int32_t y)
{
    struct source *source = user;
    struct shw_image_rectangle pixel = {(uint32_t)x, (uint32_t)y, (uint32_t)x + 1, (uint32_t)y + 1};
    int32_t value = 0;

    if (source->result == SHW_OK)
        source->result = shw_channel_reader_sum(source->reader, channel, &pixel, &value);
    return value;
}

/* Places the regions of a test, and chooses the corner at which its sums start. */
static void place_regions(struct shw_explained_test *test, uint32_t count, struct shw_rect image, uint32_t x,
                          uint32_t y, struct source *source)
{
    for (uint32_t c = 0; c < source->reader->list.channel_count; c++)
        source->corner[c] = (struct shw_image_rectangle){.x0 = x, .y0 = y};
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_feature_region *region = &test->regions[i].region;
        struct shw_image_rectangle *rectangle = &test->regions[i].rectangle, *corner = &source->corner[region->channel];
        struct shw_rect rect = shw_rect_move(
            (struct shw_rect){region->rectangle.x0, region->rectangle.y0, region->rectangle.x1, region->rectangle.y1},
            (int32_t)x, (int32_t)y, image);
        *rectangle =
            (struct shw_image_rectangle){(uint32_t)rect.x0, (uint32_t)rect.y0, (uint32_t)rect.x1, (uint32_t)rect.y1};
        corner->x0 = i == 0 ? rectangle->x0 : lesser(corner->x0, rectangle->x0);
        corner->y0 = i == 0 ? rectangle->y0 : lesser(corner->y0, rectangle->y0);
    }
}

static enum shw_result list_regions(const struct shw_feature_type *type, const struct shw_feature *feature,
                                    struct shw_channel_reader *reader, uint32_t x, uint32_t y,
                                    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX], uint32_t *count)
{
    const struct shw_image_rectangle pixel = {x, y, x + 1, y + 1};
    int32_t depth = 0;

    if (type->get_regions_at != NULL)
        SHW_PROPAGATE(shw_channel_reader_sum(reader, 0, &pixel, &depth));
    *count = depth > 0 ? type->get_regions_at(feature, (uint32_t)depth, regions) : type->get_regions(feature, regions);
    return SHW_OK;
}

static enum shw_result look(const struct shw_feature_type *type, struct shw_channel_reader *reader, uint32_t x,
                            uint32_t y, struct shw_explained_test *test)
{
    const struct shw_feature *feature = &test->split.feature;
    struct shw_rect image = {0, 0, (int32_t)reader->image.width, (int32_t)reader->image.height};
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    struct source source = {.reader = reader};
    const struct shw_feature_source reads = {&source, read_integral, read_channel};
    struct shw_response response;

    SHW_PROPAGATE(list_regions(type, feature, reader, x, y, regions, &test->region_count));
    for (uint32_t i = 0; i < test->region_count; i++)
        test->regions[i].region = regions[i];
    place_regions(test, test->region_count, image, x, y, &source);
    for (uint32_t i = 0; i < test->region_count; i++) {
        struct shw_explained_region *region = &test->regions[i];
        SHW_PROPAGATE(shw_channel_reader_sum(reader, region->region.channel, &region->rectangle, &region->sum));
        response = type->code->look(&region->region.alone, &reads, (int32_t)x, (int32_t)y, image);
        region->undefined = response.undefined != 0;
        region->value = region->undefined ? 0 : response.value;
    }
    response = type->code->look(feature, &reads, (int32_t)x, (int32_t)y, image);
    test->undefined = response.undefined != 0;
    test->response = test->undefined ? 0 : response.value;
    test->right = test->undefined || (test->split.t0 <= test->response && test->response < test->split.t1);
    return source.result;
}

static enum shw_result descend(const struct shw_forest *forest, uint32_t tree, struct shw_channel_reader *reader,
                               uint32_t x, uint32_t y, struct shw_explained_test *tests,
                               struct shw_explained_tree *explained)
{
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    explained->tests = tests;
    for (; node.is_split; explained->test_count++) {
        struct shw_explained_test *test = &tests[explained->test_count];
        test->node = explained->node;
        test->split = node;
        SHW_PROPAGATE(look(shw_forest_get_info(forest)->feature, reader, x, y, test));
        explained->node = node.left + test->right;
        node = shw_forest_get_node(forest, tree, explained->node);
    }
    explained->leaf = node.leaf;
    explained->distribution = shw_forest_get_distribution(forest, tree, node.leaf);
    return SHW_OK;
}

static enum shw_result find_void(const struct shw_feature_type *type, struct shw_channel_reader *reader, uint32_t x,
                                 uint32_t y, bool *is_void)
{
    const struct shw_image_rectangle pixel = {x, y, x + 1, y + 1};
    int32_t depth = 1;

    if (type->reads_depth && !type->labels_all)
        SHW_PROPAGATE(shw_channel_reader_sum(reader, 0, &pixel, &depth));
    *is_void = depth == 0;
    return SHW_OK;
}

/* The pixel reaches no leaf: there are no tests, and the distributions are zero. */
static void leave_void(struct shw_explanation *explanation, struct shw_explained_tree *trees)
{
    explanation->argmax = SHW_LABEL_VOID;
    for (uint32_t t = 0; t < explanation->tree_count; t++)
        trees[t] = (struct shw_explained_tree){.leaf = SHW_LEAF_NONE, .distribution = explanation->distribution};
}

static void combine(const struct shw_forest *forest, struct shw_explanation *explanation, uint32_t *sums,
                    uint16_t *distribution)
{
    for (uint32_t c = 0; c < explanation->class_count; c++) {
        for (uint32_t t = 0; t < explanation->tree_count; t++)
            sums[c] += shw_forest_get_values(forest, t, explanation->trees[t].leaf)[c];
        distribution[c] = (uint16_t)((2 * sums[c] + explanation->tree_count) / (2 * explanation->tree_count));
        if (sums[c] > sums[explanation->argmax])
            explanation->argmax = c;
    }
}

enum shw_result shw_explain(const struct shw_forest *forest, struct shw_channel_reader *reader, uint32_t x, uint32_t y,
                            struct shw_explanation **out)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, forest);
    SHW_REFUSE_NULL(&reader->params.log, out);

    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t test_count = 0, trees_at, tests_at, sums_at, distribution_at, size;
    struct shw_explanation *explanation;
    struct shw_explained_tree *trees;
    struct shw_explained_test *tests;
    bool is_void;
    enum shw_result result = SHW_OK;

    *out = NULL;
    if (!shw_channel_lists_equal(info->channel_list, &reader->list) ||
        (info->fill == SHW_FILL_SIMPLE) != (reader->params.fill == SHW_FILL_SIMPLE) || x >= reader->image.width ||
        y >= reader->image.height)
        return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "to explain (%u, %u), it must lie in the image of %u x %u, and the forest must use the "
                        "reader's channels, %s, and %s",
                        x, y, reader->image.width, reader->image.height, reader->list.name,
                        reader->params.fill == SHW_FILL_SIMPLE ? "fill depth" : "not fill depth");
    for (uint32_t t = 0; t < info->tree_count; t++)
        test_count += shw_forest_get_tree(forest, t).depth;
    /* members in order of alignment */
    trees_at = sizeof *explanation;
    tests_at = trees_at + info->tree_count * sizeof *trees;
    sums_at = tests_at + test_count * sizeof *tests;
    distribution_at = sums_at + info->class_count * sizeof(uint32_t);
    size = distribution_at + info->class_count * sizeof(uint16_t);
    explanation = calloc(1, size);
    if (explanation == NULL)
        return shw_fail_memory(&reader->params.log, "an explanation");
    trees = (struct shw_explained_tree *)(void *)((char *)explanation + trees_at);
    tests = (struct shw_explained_test *)(void *)((char *)explanation + tests_at);
    *explanation =
        (struct shw_explanation){.x = x,
                                 .y = y,
                                 .tree_count = info->tree_count,
                                 .class_count = info->class_count,
                                 .trees = trees,
                                 .sums = (const uint32_t *)(void *)((char *)explanation + sums_at),
                                 .distribution = (const uint16_t *)(void *)((char *)explanation + distribution_at)};
    SHW_TRY(find_void(info->feature, reader, x, y, &is_void));
    if (is_void)
        leave_void(explanation, trees);
    for (uint32_t t = 0; t < info->tree_count && !is_void; t++, tests += shw_forest_get_tree(forest, t - 1).depth)
        SHW_TRY(descend(forest, t, reader, x, y, tests, &trees[t]));
    if (!is_void)
        combine(forest, explanation, (uint32_t *)(void *)((char *)explanation + sums_at),
                (uint16_t *)(void *)((char *)explanation + distribution_at));
    *out = explanation;
    return SHW_OK;

fail:
    free(explanation);
    return result;
}

void shw_explanation_free(struct shw_explanation **explanation)
{
    if (explanation == NULL)
        return;
    free(*explanation);
    *explanation = NULL;
}
