#include "records/train/out_of_bag.h"

#include <stdlib.h>

#include "base/integers.h"
#include "records/evaluate/evaluator.h"

#define BLOCK 256u /* examples, that one thread takes at a time */

/* Shared by the threads. */
struct measure {
    const struct shw_trainer *trainer;
    const struct shw_record_forest_info *info;
    const struct shw_ranks *ranks;
    const struct shw_records *records;
    const uint64_t *drawn;
    int64_t *sums;                       /* [thread][class] */
    struct shw_record_out_of_bag *found; /* [thread] */
};

/* The number of the leaf among those of all trees. */
static uint32_t find_leaf(const struct measure *measure, uint32_t tree, uint64_t record)
{
    const struct shw_record_tree *of = &measure->info->trees[tree];
    const struct shw_record_node *nodes = measure->info->nodes + of->first_node, *node = nodes;

    while (node->is_split) {
        int32_t code = shw_records_code(measure->records, record, node->attribute);
        node = nodes + node->left + shw_record_goes_right(code, node->threshold, node->missing_right);
    }
    return of->first_leaf + node->leaf;
}

/* Adds what the trees say that were not trained on the example; false if there are none. */
static bool add_trees(const struct measure *measure, uint32_t example, int64_t *sums)
{
    uint32_t classes = measure->info->class_count;
    bool found = false;

    memset(sums, 0, classes * sizeof *sums);
    for (uint32_t t = 0; t < measure->info->tree_count; t++) {
        const uint64_t *drawn = measure->drawn + t * shw_record_drawn_words(measure->ranks);
        const int32_t *values;
        if ((drawn[example / 64] >> example % 64 & 1) != 0)
            continue;
        found = true;
        values = measure->info->leaf_values + (size_t)find_leaf(measure, t, measure->ranks->records[example]) * classes;
        for (uint32_t c = 0; c < classes; c++)
            sums[c] += values[c];
    }
    return found;
}

static void measure_block(void *user, uint32_t index, uint32_t thread)
{
    const struct measure *measure = user;
    uint32_t classes = measure->info->class_count, begin = index * BLOCK;
    uint32_t end = begin + shw_min_u32(measure->ranks->count - begin, BLOCK);
    int64_t *sums = measure->sums + (size_t)thread * classes;

    for (uint32_t e = begin; e < end && !shw_trainer_is_interrupted(measure->trainer); e++) {
        if (!add_trees(measure, e, sums))
            continue;
        measure->found[thread].records++;
        measure->found[thread].right += shw_record_class(measure->info, sums) == measure->ranks->labels[e];
    }
}

enum shw_result shw_record_out_of_bag_measure(const struct shw_trainer *trainer, const struct shw_record_forest *forest,
                                              const struct shw_ranks *ranks, const struct shw_records *records,
                                              const uint64_t *drawn, struct shw_record_out_of_bag *out_of_bag)
{
    size_t threads = shw_thread_pool_size(trainer->pool);
    struct measure measure = {.trainer = trainer,
                              .info = shw_record_forest_get_info(forest),
                              .ranks = ranks,
                              .records = records,
                              .drawn = drawn};
    bool good;

    measure.sums = malloc(threads * measure.info->class_count * sizeof *measure.sums);
    measure.found = calloc(threads, sizeof *measure.found);
    good = measure.sums != NULL && measure.found != NULL;
    if (good)
        shw_thread_pool_run(trainer->pool, (ranks->count + BLOCK - 1) / BLOCK, measure_block, &measure);
    *out_of_bag = (struct shw_record_out_of_bag){0};
    for (size_t t = 0; good && t < threads; t++) {
        out_of_bag->records += measure.found[t].records;
        out_of_bag->right += measure.found[t].right;
    }
    free(measure.sums);
    free(measure.found);
    return good ? shw_trainer_check_interruption(trainer)
                : shw_fail_memory(&trainer->params.log, "the out-of-bag accuracy");
}
