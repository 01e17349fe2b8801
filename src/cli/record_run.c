#include "cli/record_run.h"

#include <stdlib.h>

#include "base/counted.h"
#include "base/log.h"

#define RESULT_BYTES      ((size_t)1 << 26) /* of records under way */
#define CONVERTED_AT_ONCE 1024u
#define SILENT_SECONDS    1 /* before progress is shown */

/* Attributes of the evaluator's forest. */
static uint32_t seen_attributes(const struct cli_record_run *run)
{
    return run->doubles == NULL
               ? run->attribute_count
               : shw_record_forest_get_info(shw_record_doubles_get_forest(run->doubles))->attribute_count;
}

static enum shw_result allocate(struct cli_record_run *run)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(run->forest);
    const uint32_t predictions = shw_record_forest_get_prediction_count(run->forest);
    const bool values = info->task == SHW_RECORD_VALUES;
    const bool wants_predictions = values || (run->wanted != NULL && run->wanted[SHW_RESULTS_PREDICTIONS]);
    const bool wants_leaves = run->wanted != NULL && run->wanted[SHW_RESULTS_LEAVES];
    const bool wants_sums = run->wanted != NULL && run->wanted[SHW_RESULTS_SUMS];
    struct shw_record_results *buffers = &run->buffers;
    const size_t bytes = (values ? 0 : sizeof *buffers->classes) +
                         (wants_predictions ? predictions * sizeof *buffers->predictions : 0) +
                         (wants_leaves ? info->tree_count * sizeof *buffers->leaves : 0) +
                         (wants_sums ? info->output_count * sizeof *buffers->sums : 0) +
                         (run->doubles != NULL ? seen_attributes(run) * sizeof *run->converted : 0);
    const size_t capacity = RESULT_BYTES / bytes < 1 ? 1 : RESULT_BYTES / bytes;

    run->capacity = capacity < UINT32_MAX ? (uint32_t)capacity : UINT32_MAX;
    if (run->doubles != NULL) {
        run->converted = malloc((size_t)run->capacity * seen_attributes(run) * sizeof *run->converted);
        if (run->converted == NULL || shw_thread_pool_create(run->table.threads, &run->pool) != SHW_OK)
            return shw_fail_memory(&run->table.log, "records");
    }
    buffers->classes = values ? NULL : malloc(run->capacity * sizeof *buffers->classes);
    buffers->predictions =
        wants_predictions ? malloc((size_t)run->capacity * predictions * sizeof *buffers->predictions) : NULL;
    buffers->leaves = wants_leaves ? malloc((size_t)run->capacity * info->tree_count * sizeof *buffers->leaves) : NULL;
    buffers->sums = wants_sums ? malloc((size_t)run->capacity * info->output_count * sizeof *buffers->sums) : NULL;
    if ((!values && buffers->classes == NULL) || (wants_predictions && buffers->predictions == NULL) ||
        (wants_leaves && buffers->leaves == NULL) || (wants_sums && buffers->sums == NULL))
        return shw_fail_memory(&run->table.log, "results");
    return SHW_OK;
}

/* Records in double precision that threads turn into those of the evaluator, some at a time. */
struct conversion {
    const struct cli_record_run *run;
    const double *records;
    uint32_t count;
};

static void convert_some(void *user, uint32_t index, uint32_t thread)
{
    const struct conversion *conversion = user;
    const struct cli_record_run *run = conversion->run;
    const uint32_t first = index * CONVERTED_AT_ONCE, left = conversion->count - first;

    (void)thread;
    shw_record_doubles_convert(run->doubles, conversion->records + (size_t)first * run->attribute_count,
                               left < CONVERTED_AT_ONCE ? left : CONVERTED_AT_ONCE,
                               run->has_missing ? &run->missing_double : NULL,
                               run->converted + (size_t)first * seen_attributes(run));
}

static void convert(const struct cli_record_run *run, const double *records, uint32_t count)
{
    struct conversion conversion = {run, records, count};

    shw_thread_pool_run(run->pool, (count + CONVERTED_AT_ONCE - 1) / CONVERTED_AT_ONCE, convert_some, &conversion);
}

static enum shw_result evaluate(struct cli_record_run *run, const struct shw_table_block *block, uint32_t first,
                                uint32_t count)
{
    struct shw_records records = {.count = count,
                                  .attribute_count = seen_attributes(run),
                                  .has_missing = run->has_missing && run->doubles == NULL,
                                  .missing = run->missing};
    struct shw_record_seconds seconds;

    if (run->doubles != NULL)
        convert(run, block->doubles + (size_t)first * run->attribute_count, count);
    records.values = run->doubles != NULL ? run->converted : block->values + (size_t)first * run->attribute_count;

    SHW_PROPAGATE(shw_record_evaluator_run(run->evaluator, &records, &run->buffers));
    seconds = shw_record_evaluator_get_seconds(run->evaluator);
    run->seconds.inner += seconds.inner;
    run->seconds.outer += seconds.outer;
    cli_record_measures_add(run->measures, block, first, count, &run->buffers);
    return run->results != NULL ? shw_results_add(run->results, count, &run->buffers) : SHW_OK;
}

static enum shw_result run_block(struct cli_record_run *run, const struct shw_table_block *block)
{
    for (uint32_t done = 0; done < block->count;) {
        const uint32_t some = block->count - done < run->capacity ? block->count - done : run->capacity;

        SHW_PROPAGATE(evaluate(run, block, done, some));
        done += some;
    }
    return SHW_OK;
}

static void tell(const struct cli_record_run *run, const struct shw_table *table, const char *path, uint64_t records,
                 double seconds)
{
    const double fraction = shw_table_get_fraction(table);
    char text[128];

    if (fraction <= 0 || seconds < SILENT_SECONDS)
        return;
    snprintf(text, sizeof text, "%.60s: %s", path, shw_counted(records, "record", "records").text);
    cli_progress(run->report, fraction, text);
}

static enum shw_result run_table(struct cli_record_run *run, struct shw_table *table, const char *path)
{
    const double start = shw_clock();
    struct shw_table_block block;

    do {
        SHW_PROPAGATE(shw_table_read(table, &block));
        SHW_PROPAGATE(run_block(run, &block));
        tell(run, table, path, block.first + block.count, shw_clock() - start);
    } while (block.count > 0);
    return SHW_OK;
}

static bool first_is_unused(const struct shw_record_forest_info *info)
{
    for (uint32_t n = 0; n < info->node_count; n++)
        if (info->nodes[n].is_split && info->nodes[n].attribute == 0)
            return false;
    return true;
}

int cli_record_run_table(struct cli_record_run *run, const char *path)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(run->forest);
    struct shw_table_params params = run->table;
    struct shw_table *table = NULL;
    enum shw_result result = SHW_OK;

    run->attribute_count = info->attribute_count;
    params.attribute_count = info->attribute_count;
    params.doubles = run->doubles != NULL;
    params.first_is_unused = first_is_unused(info);
    params.attribute_names = params.by_position ? NULL : info->attribute_names;
    params.classes = &run->measures->names;
    params.truth = info->task == SHW_RECORD_CLASSES ? SHW_TABLE_CLASSES : SHW_TABLE_TARGETS;
    if (run->capacity == 0)
        result = allocate(run);
    if (result == SHW_OK)
        result = shw_table_open(path, &params, &table);
    if (result == SHW_OK)
        result = run_table(run, table, path);
    cli_progress_end();
    shw_table_close(&table);
    return shw_exit_code(result);
}

void cli_record_run_free(struct cli_record_run *run)
{
    free(run->buffers.classes);
    free(run->buffers.predictions);
    free(run->buffers.leaves);
    free(run->buffers.sums);
    free(run->converted);
    shw_thread_pool_destroy(&run->pool);
    run->converted = NULL;
    run->buffers = (struct shw_record_results){0};
    run->capacity = 0;
}
