/* Ranks of the values that training record forests looks at. */
#include "record_train_tests.h"

#include <math.h>
#include <stdlib.h>

#include "records/train/ranks.h"
#include "shared/attribute_ranks.h"

/* Ranks rise with values, also in groups of about the same size; only what is missing has none. */
static void check_ranks(const float *values, uint32_t records, const struct shw_ranks *ranks, uint32_t most)
{
    uint32_t *sizes = calloc(SHW_ATTRIBUTE_RANKS, sizeof *sizes);

    for (uint32_t r = 0; r < records; r++) {
        uint32_t rank = ranks->stored[r] - 2u;
        int32_t code = shw_record_code_of(values[r]);
        if (isnan(values[r])) {
            assert_int_equal(ranks->stored[r], 1);
            continue;
        }
        assert_true(rank < SHW_ATTRIBUTE_RANKS);
        sizes[rank]++;
        assert_true(ranks->lowest[0][rank] <= code);
    }
    for (uint32_t r = 0; r < records; r++) {
        uint32_t rank = ranks->stored[r] - 2u;
        if (!isnan(values[r]) && rank + 1 < SHW_ATTRIBUTE_RANKS && sizes[rank + 1] > 0)
            assert_true(shw_record_code_of(values[r]) < ranks->lowest[0][rank + 1]);
    }
    for (uint32_t rank = 0; rank < SHW_ATTRIBUTE_RANKS; rank++)
        assert_true(sizes[rank] <= most);
    free(sizes);
}

TESTING_CASE(many_values_are_ranked_in_groups)
{
    static const uint32_t counts[] = {65533, 65534, 65535, 65536, 150000};
    static float values[150000];
    static uint32_t classes[150000];
    struct testing_random random = {9};
    struct shw_thread_pool *pool = NULL;

    assert_int_equal(shw_thread_pool_create(2, &pool), SHW_OK);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct shw_record_examples examples = {.records = {.values = values, .count = counts[i], .attribute_count = 1},
                                               .classes = classes,
                                               .class_count = 2};
        struct shw_ranks ranks;
        for (uint32_t r = 0; r < counts[i]; r++) /* all different, in no order */
            values[r] = (float)((int64_t)((uint64_t)r * 77773 % counts[i]) - 30000);
        assert_int_equal(shw_ranks_make(&examples, pool, NULL, &ranks), SHW_OK);
        assert_false(ranks.is_missing_known);
        check_ranks(values, counts[i], &ranks, counts[i] <= SHW_ATTRIBUTE_RANKS ? 1 : counts[i] == 150000 ? 3 : 2);
        for (uint32_t r = 0; r < counts[i]; r++) { /* docs/record-training.md, Ranks */
            const uint64_t place = (uint64_t)((int64_t)values[r] + 30000);
            assert_int_equal(ranks.stored[r] - 2u,
                             counts[i] > SHW_ATTRIBUTE_RANKS ? place * SHW_ATTRIBUTE_RANKS / counts[i] : place);
        }
        shw_ranks_free(&ranks);
        for (uint32_t r = 0; r < counts[i]; r += 1 + testing_random_below(&random, 9))
            values[r] = r % 2 == 0 ? NAN : 12345.5F;
        assert_int_equal(shw_ranks_make(&examples, pool, NULL, &ranks), SHW_OK);
        assert_true(ranks.is_missing_known);
        check_ranks(values, counts[i], &ranks, UINT32_MAX);
        shw_ranks_free(&ranks);
    }
    shw_thread_pool_destroy(&pool);
}

/* As many values as ranks have one each, however many records share them. */
TESTING_CASE(repeated_values_are_ranked_one_by_one)
{
    static float values[SHW_ATTRIBUTE_RANKS + 1000];
    static uint32_t classes[SHW_ATTRIBUTE_RANKS + 1000];
    const uint32_t count = sizeof values / sizeof *values;
    struct shw_record_examples examples = {
        .records = {.values = values, .count = count, .attribute_count = 1}, .classes = classes, .class_count = 2};
    struct shw_thread_pool *pool = NULL;
    struct shw_ranks ranks;

    for (uint32_t r = 0; r < count; r++)
        values[r] = (float)(r % SHW_ATTRIBUTE_RANKS);
    assert_int_equal(shw_thread_pool_create(1, &pool), SHW_OK);
    assert_int_equal(shw_ranks_make(&examples, pool, NULL, &ranks), SHW_OK);
    assert_int_equal(ranks.rank_counts[0], SHW_ATTRIBUTE_RANKS);
    for (uint32_t r = 0; r < count; r++)
        assert_int_equal(ranks.stored[r], r % SHW_ATTRIBUTE_RANKS + 2);
    shw_ranks_free(&ranks);
    shw_thread_pool_destroy(&pool);
}

/* One attribute with more values than ranks, and classes that a value divides. */
TESTING_CASE(groups_do_not_blur_thresholds)
{
    enum { RECORDS = 100000 };
    static float values[RECORDS];
    static uint32_t classes[RECORDS];
    const struct shw_record_trainer_params params = {.tree_count = 1, .records_percent = 100};
    struct shw_record_examples examples = {
        .records = {.values = values, .count = RECORDS, .attribute_count = 1}, .classes = classes, .class_count = 2};
    struct shw_record_forest *forest;
    const struct shw_record_forest_info *info;
    uint32_t right = 0;

    for (uint32_t r = 0; r < RECORDS; r++) {
        values[r] = (float)((uint64_t)r * 77773 % RECORDS);
        classes[r] = values[r] >= 31234;
    }
    forest = train_records(&params, &examples);
    info = shw_record_forest_get_info(forest);
    for (uint32_t r = 0; r < RECORDS; r++) {
        const struct shw_record_node *node = info->nodes;
        while (node->is_split)
            node = &info->nodes[node->left + (shw_record_code_of(values[r]) > node->threshold)];
        right += info->leaf_values[(size_t)2 * node->leaf + classes[r]] > 1 << 29;
    }
    assert_true(right >= RECORDS - 5); /* two neighbours share a group, and large nodes look at few of their records */
    shw_record_forest_destroy(&forest);
}
