#include "cli/record_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/report.h"
#include "files/tables/results_part.h"

#define MATRIX_CLASSES_MAX 24u /* for which a matrix is printed; JSON has all */
#define ADDED_AT_ONCE      4096u

static enum shw_result begin_classes(struct cli_record_measures *measures, const char *const *class_names,
                                     const struct shw_log *log)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(measures->forest);

    for (uint32_t c = 0; c < info->class_count; c++) {
        char number[16];
        const char *name = number;

        snprintf(number, sizeof number, "%u", c);
        if (class_names != NULL)
            name = class_names[c];
        if (shw_name_set_find(&measures->names, name, strlen(name)) != SHW_NO_NAME)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                            "two classes are called '%s': name them with --class-names", name);
        if (!shw_name_set_add(&measures->names, name, strlen(name)))
            return shw_fail_memory(log, "the names of classes");
    }
    measures->names.closed = true;
    measures->counts = calloc(info->class_count, sizeof *measures->counts);
    if (measures->counts == NULL)
        return shw_fail_memory(log, "counts of classes");
    return shw_accuracy_create(&measures->accuracy, info->class_count, log);
}

enum shw_result cli_record_measures_begin(struct cli_record_measures *measures, const struct shw_record_forest *forest,
                                          const char *const *class_names, const struct shw_log *log)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);

    *measures = (struct cli_record_measures){.forest = forest};
    if (info->task == SHW_RECORD_CLASSES)
        return begin_classes(measures, class_names != NULL ? class_names : info->class_names, log);
    measures->value_count = shw_record_forest_get_prediction_count(forest);
    measures->values = calloc(measures->value_count, sizeof *measures->values);
    return measures->values != NULL ? SHW_OK : shw_fail_memory(log, "sums of values");
}

static void add_classes(struct cli_record_measures *measures, const uint32_t *labels, uint32_t count,
                        const uint32_t *classes)
{
    uint16_t pairs[2][ADDED_AT_ONCE];

    for (uint32_t done = 0; done < count;) {
        uint32_t some = count - done < ADDED_AT_ONCE ? count - done : ADDED_AT_ONCE, kept = 0;

        for (uint32_t r = done; r < done + some; r++) {
            measures->counts[classes[r]]++;
            if (labels == NULL || labels[r] == SHW_NO_CLASS)
                continue;
            pairs[0][kept] = (uint16_t)labels[r];
            pairs[1][kept++] = (uint16_t)classes[r];
        }
        shw_accuracy_add(&measures->accuracy, pairs[0], pairs[1], kept);
        measures->labelled += kept;
        done += some;
    }
}

static void add_value(struct cli_value_measures *measures, double value, bool first)
{
    if (first || value < measures->least)
        measures->least = value;
    if (first || value > measures->greatest)
        measures->greatest = value;
    measures->sum += value;
}

static void compare(struct cli_value_measures *measures, double value, double target)
{
    measures->compared++;
    measures->error += fabs(value - target);
    measures->square += (value - target) * (value - target);
    measures->target += target;
    measures->target_square += target * target;
}

/* A column of targets belongs to forests with one output. */
static void add_values(struct cli_record_measures *measures, const float *targets, uint32_t count, const float *values)
{
    const uint32_t columns = measures->value_count;

    for (uint32_t r = 0; r < count; r++)
        for (uint32_t i = 0; i < columns; i++) {
            const double value = (double)values[(size_t)r * columns + i];

            add_value(&measures->values[i], value, measures->records == 0 && r == 0);
            if (targets != NULL && columns == 1 && !isnan(targets[r]))
                compare(&measures->values[i], value, (double)targets[r]);
        }
    measures->labelled = measures->values[0].compared;
}

/* Adds records of a block, from `first` on. Of `results`, classes or predictions are read, whichever the forest has. */
static void record_measures_add(struct cli_record_measures *measures, const struct shw_table_block *block,
                                uint32_t first, uint32_t count, const struct shw_record_results *results)
{
    if (measures->values == NULL)
        add_classes(measures, block->classes != NULL ? block->classes + first : NULL, count, results->classes);
    else
        add_values(measures, block->targets != NULL ? block->targets + first : NULL, count, results->predictions);
    measures->records += count;
}

static void print_percent(double fraction, int width)
{
    if (isnan(fraction))
        printf("%*s", width, "-");
    else
        printf("%*.2f", width, 100 * fraction);
}

static void print_classes(const struct cli_record_measures *measures)
{
    const bool labelled = measures->labelled > 0;

    printf("%-24s%14s", "class", "predicted");
    printf(labelled ? "%14s%12s%12s\n" : "\n", "labelled", "recall", "precision");
    for (uint32_t c = 0; c < measures->names.count; c++) {
        const struct shw_class_accuracy of_class = shw_accuracy_of_class(&measures->accuracy, c);

        printf("%-24.24s%14llu", shw_printable(measures->names.names[c]).text, (unsigned long long)measures->counts[c]);
        if (labelled) {
            printf("%14llu", (unsigned long long)of_class.labelled);
            print_percent(of_class.recall, 12);
            print_percent(of_class.precision, 12);
        }
        printf("\n");
    }
}

static void print_matrix(const struct cli_record_measures *measures)
{
    const uint32_t classes = measures->names.count;

    printf("\nconfusion matrix, records; rows are classes as labelled, columns as predicted\n\n%24s", "");
    for (uint32_t c = 0; c < classes; c++)
        printf(" %9.9s", shw_printable(measures->names.names[c]).text);
    printf("\n");
    for (uint32_t r = 0; r < classes; r++) {
        printf("%-24.24s", shw_printable(measures->names.names[r]).text);
        for (uint32_t c = 0; c < classes; c++)
            printf("%10llu", (unsigned long long)measures->accuracy.confusion[(size_t)r * classes + c]);
        printf("\n");
    }
}

/* The coefficient of determination; NaN if all targets are the same. */
static double determination(const struct cli_value_measures *values)
{
    const double count = (double)values->compared;
    const double deviation = values->target_square - values->target * values->target / count;

    return deviation > 0 ? 1 - values->square / deviation : NAN;
}

static void print_values(const struct cli_record_measures *measures)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(measures->forest);

    printf("%-24s%16s%16s%16s\n", "value", "mean", "least", "greatest");
    for (uint32_t i = 0; i < measures->value_count && measures->records > 0; i++) {
        const struct cli_value_measures *values = &measures->values[i];
        char number[16];

        snprintf(number, sizeof number, "%u", i);
        printf("%-24.24s%16.7g%16.7g%16.7g\n",
               info->output_names != NULL ? shw_printable(info->output_names[i]).text : number,
               values->sum / (double)measures->records, values->least, values->greatest);
    }
    if (measures->labelled > 0) {
        const double count = (double)measures->labelled;

        printf("\nmean absolute error     %.7g\nroot mean square error  %.7g\nR squared               %.5f\n",
               measures->values[0].error / count, sqrt(measures->values[0].square / count),
               determination(&measures->values[0]));
    }
}

void cli_record_measures_print(const struct cli_record_measures *measures)
{
    const struct shw_accuracy_summary summary =
        measures->values == NULL ? shw_accuracy_summarise(&measures->accuracy) : (struct shw_accuracy_summary){0};

    if (measures->values != NULL) {
        print_values(measures);
        return;
    }
    print_classes(measures);
    if (measures->labelled == 0)
        return;
    if (measures->names.count <= MATRIX_CLASSES_MAX)
        print_matrix(measures);
    printf("\naccuracy             %.2f %%, %llu of %s\nmean class accuracy  %.2f %%\n", 100 * summary.pixel,
           (unsigned long long)summary.correct, shw_counted(summary.pixels, "record", "records").text,
           100 * summary.mean_class);
}

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *pack_classes(const struct cli_record_measures *measures)
{
    const uint32_t classes = measures->names.count;
    const struct shw_accuracy_summary summary = shw_accuracy_summarise(&measures->accuracy);
    json_t *list = json_array(), *matrix = json_array(), *object;

    for (uint32_t c = 0; c < classes; c++) {
        const struct shw_class_accuracy of_class = shw_accuracy_of_class(&measures->accuracy, c);
        json_t *row = json_array();

        json_array_append_new(
            list, json_pack("{s:o, s:I, s:I, s:o, s:o}", "name", shw_json_text(measures->names.names[c]), "predicted",
                            (json_int_t)measures->counts[c], "labelled", (json_int_t)of_class.labelled, "recall",
                            number(of_class.recall), "precision", number(of_class.precision)));
        for (uint32_t i = 0; i < classes && measures->labelled > 0; i++)
            json_array_append_new(row, json_integer((json_int_t)measures->accuracy.confusion[(size_t)c * classes + i]));
        json_array_append_new(matrix, row);
    }
    object = json_pack("{s:I, s:I, s:o}", "records", (json_int_t)measures->records, "labelled",
                       (json_int_t)measures->labelled, "classes", list);
    if (measures->labelled > 0)
        json_object_update_new(object, json_pack("{s:I, s:f, s:f, s:O}", "correct", (json_int_t)summary.correct,
                                                 "accuracy", summary.pixel, "mean_class_accuracy", summary.mean_class,
                                                 "confusion", matrix));
    json_decref(matrix);
    return object;
}

json_t *cli_record_measures_pack(const struct cli_record_measures *measures)
{
    json_t *list, *object;

    if (measures->values == NULL)
        return pack_classes(measures);
    list = json_array();
    for (uint32_t i = 0; i < measures->value_count && measures->records > 0; i++)
        json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "mean",
                                              number(measures->values[i].sum / (double)measures->records), "least",
                                              number(measures->values[i].least), "greatest",
                                              number(measures->values[i].greatest)));
    object = json_pack("{s:I, s:I, s:o}", "records", (json_int_t)measures->records, "labelled",
                       (json_int_t)measures->labelled, "values", list);
    if (measures->labelled > 0)
        json_object_update_new(object, json_pack("{s:o, s:o, s:o}", "mean_absolute_error",
                                                 number(measures->values[0].error / (double)measures->labelled),
                                                 "root_mean_square_error",
                                                 number(sqrt(measures->values[0].square / (double)measures->labelled)),
                                                 "r_squared", number(determination(&measures->values[0]))));
    return object;
}

void cli_record_measures_free(struct cli_record_measures *measures)
{
    shw_name_set_free(&measures->names);
    shw_accuracy_destroy(&measures->accuracy);
    free(measures->counts);
    free(measures->values);
    *measures = (struct cli_record_measures){0};
}

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
    record_measures_add(run->measures, block, first, count, &run->buffers);
    return run->results != NULL ? shw_results_add(run->results, count, &run->buffers) : SHW_OK;
}

/* How many of the records that are left are evaluated at once: of a shard, no more than its block has. */
static uint32_t count_some(const struct cli_record_run *run, uint32_t left)
{
    const uint32_t some = left < run->capacity ? left : run->capacity;
    const uint32_t block = SHW_RESULTS_BLOCK - (uint32_t)(run->row % SHW_RESULTS_BLOCK);

    return run->shard.count > 0 && block < some ? block : some;
}

static enum shw_result run_block(struct cli_record_run *run, const struct shw_table_block *block)
{
    for (uint32_t done = 0; done < block->count;) {
        const uint32_t some = count_some(run, block->count - done);
        const bool is_own = shw_shard_has_record(&run->shard, run->row);

        if (is_own)
            SHW_PROPAGATE(evaluate(run, block, done, some));
        done += some;
        run->row += some;
        if (is_own && run->shard.count > 0 && run->row % SHW_RESULTS_BLOCK == 0)
            SHW_PROPAGATE(shw_results_end_block(run->results));
    }
    return SHW_OK;
}

static void show_progress(const struct cli_record_run *run, const struct shw_table *table, const char *path,
                          uint64_t records, double seconds)
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
        show_progress(run, table, path, block.first + block.count, shw_clock() - start);
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
