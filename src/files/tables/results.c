#include "files/tables/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/log.h"
#include "files/tables/results_file.h"
#include "files/tables/results_text.h"

#define ENDING ".npy" /* of arrays */

static const struct {
    const char *names[2]; /* by enum shw_record_task */
    const char *element_type;
} kinds[SHW_RESULTS_KIND_COUNT] = {
    [SHW_RESULTS_CLASSES] = {{"classes", NULL}, "u4"},
    [SHW_RESULTS_PREDICTIONS] = {{"probabilities", "values"}, "f4"},
    [SHW_RESULTS_LEAVES] = {{"leaves", "leaves"}, "u4"},
    [SHW_RESULTS_SUMS] = {{"sums", "sums"}, "i8"},
};

struct shw_results {
    struct shw_results_params params;
    char *path;
    bool is_npy;
    uint32_t columns[SHW_RESULTS_KIND_COUNT];
    uint32_t *sources;                                     /* of each leaf of all trees */
    struct shw_results_file files[SHW_RESULTS_KIND_COUNT]; /* of CSV: the first */
    struct shw_results_text *text;
    uint64_t count;
    bool has_header; /* of CSV: written with the first records, so that a table that is refused leaves nothing */
};

const char *shw_results_kind_name(enum shw_results_kind kind, enum shw_record_task task)
{
    return kinds[kind].names[task];
}

static uint32_t wanted_count(const struct shw_results *results)
{
    uint32_t count = 0;

    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        count += results->params.wanted[k];
    return count;
}

/* PATH_KIND.npy, with the ending as it is given. */
static char *name_array(const struct shw_results *results, int kind)
{
    const enum shw_record_task task = shw_record_forest_get_info(results->params.forest)->task;
    const size_t stem = strlen(results->path) - strlen(ENDING), size = stem + 32;
    char *name = malloc(size);

    if (name != NULL)
        snprintf(name, size, "%.*s_%s%s", (int)stem, results->path,
                 shw_results_kind_name((enum shw_results_kind)kind, task), results->path + stem);
    return name;
}

static enum shw_result name_files(struct shw_results *results)
{
    const bool several = wanted_count(results) > 1;

    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        struct shw_results_file *file = &results->files[k];

        if (!results->is_npy ? k > 0 : !results->params.wanted[k])
            continue;
        file->path = results->is_npy && several ? name_array(results, k) : strdup(results->path);
        if (file->path == NULL)
            return shw_fail_memory(&results->params.log, results->path);
        if (strcmp(file->path, "-") != 0)
            shw_output_files_write(results->params.files, file->path,
                                   results->is_npy ? &shw_file_array : &shw_file_table);
    }
    return SHW_OK;
}

static void list_sources(const struct shw_record_forest_info *info, uint32_t *sources)
{
    for (uint32_t t = 0; t < info->tree_count; t++)
        for (uint32_t n = 0; n < info->trees[t].node_count; n++) {
            const struct shw_record_node *node = &info->nodes[info->trees[t].first_node + n];
            if (!node->is_split)
                sources[info->trees[t].first_leaf + node->leaf] = node->source;
        }
}

static bool ends_with(const char *text, const char *end)
{
    return strlen(text) > strlen(end) && strcasecmp(text + strlen(text) - strlen(end), end) == 0;
}

static enum shw_result prepare(struct shw_results *results)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(results->params.forest);

    results->path = strdup(results->params.path);
    results->sources = malloc((size_t)info->leaf_count * sizeof *results->sources);
    if (results->path == NULL || results->sources == NULL)
        return shw_fail_memory(&results->params.log, results->params.path);
    list_sources(info, results->sources);
    results->is_npy = ends_with(results->path, ENDING);
    results->columns[SHW_RESULTS_CLASSES] = 1;
    results->columns[SHW_RESULTS_PREDICTIONS] = shw_record_forest_get_prediction_count(results->params.forest);
    results->columns[SHW_RESULTS_LEAVES] = info->tree_count;
    results->columns[SHW_RESULTS_SUMS] = info->output_count;
    return name_files(results);
}

enum shw_result shw_results_create(const struct shw_results_params *params, struct shw_results **created)
{
    struct shw_results *results = calloc(1, sizeof *results);
    enum shw_result result;

    if (results == NULL)
        return shw_fail_memory(&params->log, params->path);
    results->params = *params;
    result = prepare(results);
    if (result != SHW_OK)
        shw_results_destroy(&results);
    *created = results;
    return result;
}

const char *shw_results_get_path(const struct shw_results *results, uint32_t index)
{
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL && index-- == 0)
            return results->files[k].path;
    return NULL;
}

enum shw_result shw_results_open(struct shw_results *results)
{
    const char *const *names = results->params.class_names != NULL
                                   ? results->params.class_names
                                   : shw_record_forest_get_info(results->params.forest)->class_names;
    const struct shw_results_text_params text = {.forest = results->params.forest,
                                                 .class_names = names,
                                                 .wanted = results->params.wanted,
                                                 .columns = results->columns,
                                                 .sources = results->sources,
                                                 .threads = results->params.threads};

    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL)
            SHW_PROPAGATE(shw_results_file_open(&results->files[k], &results->params.log));
    for (int k = 0; results->is_npy && k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL)
            shw_results_file_begin_array(&results->files[k]);
    if (results->is_npy)
        return SHW_OK;
    return shw_results_text_create(&text, &results->params.log, &results->text);
}

static enum shw_result write_header(struct shw_results *results)
{
    if (results->is_npy || results->has_header)
        return SHW_OK;
    results->has_header = true;
    return shw_results_text_header(results->text, results->files[0].stream, &results->params.log);
}

static void add_leaves(const struct shw_results *results, FILE *stream, uint64_t count, const uint32_t *leaves)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(results->params.forest);

    for (uint64_t r = 0; r < count; r++)
        for (uint32_t t = 0; t < info->tree_count; t++, leaves++)
            fwrite(&results->sources[info->trees[t].first_leaf + *leaves], sizeof *leaves, 1, stream);
}

static void add_arrays(struct shw_results *results, uint64_t count, const struct shw_record_results *values)
{
    const struct shw_results_file *files = results->files;
    const uint32_t *columns = results->columns;

    if (files[SHW_RESULTS_CLASSES].path != NULL)
        fwrite(values->classes, sizeof *values->classes, count, files[SHW_RESULTS_CLASSES].stream);
    if (files[SHW_RESULTS_PREDICTIONS].path != NULL)
        fwrite(values->predictions, columns[SHW_RESULTS_PREDICTIONS] * sizeof *values->predictions, count,
               files[SHW_RESULTS_PREDICTIONS].stream);
    if (files[SHW_RESULTS_LEAVES].path != NULL)
        add_leaves(results, files[SHW_RESULTS_LEAVES].stream, count, values->leaves);
    if (files[SHW_RESULTS_SUMS].path != NULL)
        fwrite(values->sums, columns[SHW_RESULTS_SUMS] * sizeof *values->sums, count, files[SHW_RESULTS_SUMS].stream);
}

enum shw_result shw_results_add(struct shw_results *results, uint64_t count, const struct shw_record_results *values)
{
    SHW_PROPAGATE(write_header(results));
    if (results->is_npy)
        add_arrays(results, count, values);
    else
        shw_results_text_add(results->text, count, values, results->files[0].stream);
    results->count += count;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL)
            SHW_PROPAGATE(shw_results_file_check(&results->files[k], &results->params.log));
    return SHW_OK;
}

enum shw_result shw_results_commit(struct shw_results *results)
{
    SHW_PROPAGATE(write_header(results));
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        struct shw_results_file *file = &results->files[k];
        const uint64_t shape[2] = {results->count, results->columns[k]};

        if (file->path == NULL)
            continue;
        if (results->is_npy)
            shw_results_file_end_array(file, kinds[k].element_type, k == SHW_RESULTS_CLASSES ? 1 : 2, shape);
        SHW_PROPAGATE(shw_results_file_commit(file, results->params.files, &results->params.log));
    }
    return SHW_OK;
}

void shw_results_destroy(struct shw_results **results)
{
    if (results == NULL || *results == NULL)
        return;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        shw_results_file_abandon(&(*results)->files[k]);
    shw_results_text_destroy(&(*results)->text);
    free((*results)->sources);
    free((*results)->path);
    free(*results);
    *results = NULL;
}
