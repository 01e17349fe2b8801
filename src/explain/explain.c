/* The way of one pixel through a forest, step by step, by the arithmetic that all techniques share. */
#include <shadewood/explain.h>

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "explain/channel_reader.h"
#include "shared/rectangle.h"

static uint32_t pack(int16_t low, int16_t high)
{
    return (uint32_t)(uint16_t)low | (uint32_t)(uint16_t)high << 16;
}

static enum shw_result look(struct shw_channel_reader *reader, enum shw_feature_type feature, uint32_t x, uint32_t y,
                            int which, struct shw_explained_test *test)
{
    const struct shw_rectangle *shape = &test->split.feature.rectangle[which];
    struct shw_rect image = {0, 0, (int32_t)reader->image.width, (int32_t)reader->image.height};
    struct shw_rect rect =
        shw_rect_place(pack(shape->x0, shape->y0), pack(shape->x1, shape->y1), (int32_t)x, (int32_t)y, image);
    enum shw_result result;

    test->rectangle[which] =
        (struct shw_image_rectangle){(uint32_t)rect.x0, (uint32_t)rect.y0, (uint32_t)rect.x1, (uint32_t)rect.y1};
    result =
        shw_channel_reader_sum(reader, test->split.feature.channel[which], &test->rectangle[which], &test->sum[which]);
    test->value[which] =
        feature == SHW_FEATURE_MEAN_DIFFERENCE ? shw_mean(test->sum[which], shw_rect_area(rect)) : test->sum[which];
    return result;
}

static enum shw_result descend(const struct shw_forest *forest, uint32_t tree, struct shw_channel_reader *reader,
                               uint32_t x, uint32_t y, struct shw_explained_test *tests,
                               struct shw_explained_tree *explained)
{
    enum shw_feature_type feature = shw_forest_get_info(forest)->feature;
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    explained->tests = tests;
    for (; node.is_split; explained->test_count++) {
        struct shw_explained_test *test = &tests[explained->test_count];
        test->node = explained->node;
        test->split = node;
        SHW_PROPAGATE(look(reader, feature, x, y, 0, test));
        if (!node.feature.single)
            SHW_PROPAGATE(look(reader, feature, x, y, 1, test));
        test->response = (int32_t)((uint32_t)test->value[0] - (uint32_t)test->value[1]);
        test->right = node.t0 <= test->response && test->response < node.t1;
        explained->node = node.left + test->right;
        node = shw_forest_get_node(forest, tree, explained->node);
    }
    explained->leaf = node.leaf;
    explained->distribution = shw_forest_get_distribution(forest, tree, node.leaf);
    return SHW_OK;
}

static void combine(struct shw_explanation *explanation, uint32_t *sums, uint16_t *distribution)
{
    for (uint32_t c = 0; c < explanation->class_count; c++) {
        for (uint32_t t = 0; t < explanation->tree_count; t++)
            sums[c] += explanation->trees[t].distribution[c];
        distribution[c] = (uint16_t)((2 * sums[c] + explanation->tree_count) / (2 * explanation->tree_count));
        if (sums[c] > sums[explanation->argmax])
            explanation->argmax = c;
    }
}

enum shw_result shw_explain(const struct shw_forest *forest, struct shw_channel_reader *reader, uint32_t x, uint32_t y,
                            struct shw_explanation **out)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t test_count = 0, trees_at, tests_at, sums_at, distribution_at, size;
    struct shw_explanation *explanation;
    struct shw_explained_tree *trees;
    struct shw_explained_test *tests;
    enum shw_result result = SHW_OK;

    *out = NULL;
    if (strcmp(info->channels, reader->list.name) != 0 || x >= reader->image.width || y >= reader->image.height)
        return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "to explain (%u, %u), it must lie in the image of %u x %u, and the forest must use the "
                        "reader's channels, %s",
                        x, y, reader->image.width, reader->image.height, reader->list.name);
    for (uint32_t t = 0; t < info->tree_count; t++)
        test_count += shw_forest_get_tree(forest, t).depth;
    /* in order of alignment */
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
    for (uint32_t t = 0; t < info->tree_count; t++, tests += shw_forest_get_tree(forest, t - 1).depth)
        SHW_TRY(descend(forest, t, reader, x, y, tests, &trees[t]));
    combine(explanation, (uint32_t *)(void *)((char *)explanation + sums_at),
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
