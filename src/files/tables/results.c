#include "files/tables/results.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <shadewood/records.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "files/io/npy_header.h"
#include "files/io/output_files.h"
#include "files/tables/number.h"
#include "files/tables/results_part.h"

/* A file of results: a table or an array, or standard output. */

/* Zero-initialise it, and set the path, which it takes over; NULL: none. */
struct results_file {
    char *path;
    FILE *stream;
    struct shw_atomic_file file; /* unless it is standard output */
};

static enum shw_result results_file_open(struct results_file *file, const struct shw_log *log)
{
    if (strcmp(file->path, "-") == 0) {
        file->stream = stdout;
        return SHW_OK;
    }
    SHW_PROPAGATE(shw_atomic_file_open(&file->file, file->path, log));
    file->stream = file->file.stream;
    return SHW_OK;
}

/* Leaves room for the header of an array; writes it when the shape is known. */
static void results_file_begin_array(struct results_file *file)
{
    static const char room[SHW_NPY_WRITTEN_SIZE];

    fwrite(room, 1, sizeof room, file->stream); /* commit reports errors */
}

static void results_file_end_array(struct results_file *file, const char *type, uint32_t dimensions,
                                   const uint64_t *shape)
{
    char header[SHW_NPY_WRITTEN_SIZE];

    shw_npy_header_write(header, type, dimensions, shape);
    if (fseek(file->stream, 0, SEEK_SET) == 0)
        fwrite(header, 1, sizeof header, file->stream);
}

/* Whether all writes so far have succeeded. Errors: IO, without a message for standard output. */
static enum shw_result results_file_check(const struct results_file *file, const struct shw_log *log)
{
    int error;

    if (file->stream == stdout)
        return ferror(stdout) == 0 ? SHW_OK : SHW_ERROR_IO;
    if (!shw_atomic_file_failed(&file->file, &error))
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s: %s", file->path, strerror(error));
}

/* Errors: IO, also if a file has appeared meanwhile. */
static enum shw_result results_file_commit(struct results_file *file, const struct shw_output_files *files,
                                           const struct shw_log *log)
{
    if (file->stream == stdout)
        return SHW_OK;
    SHW_PROPAGATE(shw_output_files_look_again(files, file->path));
    return shw_atomic_file_commit(&file->file, log);
}

/* Forgets what was not committed. */
static void results_file_abandon(struct results_file *file)
{
    shw_atomic_file_abandon(&file->file);
    free(file->path);
    *file = (struct results_file){0};
}

/* Results of records as CSV, which threads write at the same time. */

struct results_text_params {
    const struct shw_record_forest *forest; /* all is borrowed */
    const char *const *class_names;         /* NULL: numbers */
    const bool *wanted;                     /* by enum shw_results_kind */
    const uint32_t *columns;                /* of each kind */
    const uint32_t *sources;                /* of each leaf of all trees */
    uint32_t threads;
};

#define PART_BYTES    ((size_t)1 << 20) /* of text that a thread makes at a time */
#define INTEGER_BYTES 21u               /* with its separator */

struct results_text {
    struct results_text_params params;
    const struct shw_record_forest_info *info;
    struct shw_log log;
    char **classes; /* their names as they stand in the table */
    size_t row_bytes;
    uint64_t part_records;
    struct shw_thread_pool *pool;
    struct part *parts;
    uint32_t part_count;
};

struct part {
    const struct results_text *text;
    const struct shw_record_results *values;
    uint64_t first, count;
    char *bytes;
    size_t size;
};

/* A name as a field; NULL if memory is exhausted. */
static char *make_field(const char *name)
{
    char *bytes = NULL;
    size_t size;
    FILE *stream = open_memstream(&bytes, &size);

    if (stream == NULL)
        return NULL;
    shw_print_csv_text(stream, name);
    if (fclose(stream) == 0)
        return bytes;
    free(bytes);
    return NULL;
}

static const char *name_or_number(const char *const *names, uint32_t index, char number[16])
{
    snprintf(number, 16, "%u", index);
    return names != NULL ? names[index] : number;
}

static enum shw_result name_classes(struct results_text *text)
{
    const struct shw_record_forest_info *info = text->info;
    size_t longest = 0;

    text->classes = calloc(info->class_count + (size_t)1, sizeof *text->classes);
    for (uint32_t c = 0; text->classes != NULL && c < info->class_count; c++) {
        char number[16];

        text->classes[c] = make_field(name_or_number(text->params.class_names, c, number));
        if (text->classes[c] == NULL)
            return shw_fail_memory(&text->log, "the names of classes");
        if (strlen(text->classes[c]) > longest)
            longest = strlen(text->classes[c]);
    }
    text->row_bytes += longest + 1;
    return text->classes != NULL ? SHW_OK : shw_fail_memory(&text->log, "the names of classes");
}

static enum shw_result make_parts(struct results_text *text)
{
    uint32_t fields = 0;

    for (int k = SHW_RESULTS_PREDICTIONS; k < SHW_RESULTS_KIND_COUNT; k++)
        fields += text->params.wanted[k] ? text->params.columns[k] : 0;
    text->row_bytes += (size_t)fields * (SHW_NUMBER_TEXT_SIZE > INTEGER_BYTES ? SHW_NUMBER_TEXT_SIZE : INTEGER_BYTES) +
                       strlen(SHW_CSV_END);
    text->part_records = text->row_bytes < PART_BYTES ? PART_BYTES / text->row_bytes : 1;
    text->part_count = shw_thread_pool_size(text->pool);
    text->parts = calloc(text->part_count, sizeof *text->parts);
    for (uint32_t i = 0; text->parts != NULL && i < text->part_count; i++) {
        text->parts[i].text = text;
        text->parts[i].bytes = malloc(text->part_records * text->row_bytes);
        if (text->parts[i].bytes == NULL)
            return shw_fail_memory(&text->log, "the text of a table");
    }
    return text->parts != NULL ? SHW_OK : shw_fail_memory(&text->log, "the text of a table");
}

/* Accepts NULL and a pointer to NULL. */
static void results_text_destroy(struct results_text **text)
{
    if (text == NULL || *text == NULL)
        return;
    for (uint32_t c = 0; (*text)->classes != NULL && c < (*text)->info->class_count; c++)
        free((*text)->classes[c]);
    free((*text)->classes);
    for (uint32_t i = 0; (*text)->parts != NULL && i < (*text)->part_count; i++)
        free((*text)->parts[i].bytes);
    free((*text)->parts);
    shw_thread_pool_destroy(&(*text)->pool);
    free(*text);
    *text = NULL;
}

/* Errors: MEMORY. */
static enum shw_result results_text_create(const struct results_text_params *params, const struct shw_log *log,
                                           struct results_text **created)
{
    struct results_text *text = calloc(1, sizeof *text);
    enum shw_result result;

    if (text == NULL)
        return shw_fail_memory(log, "the text of a table");
    text->params = *params;
    text->info = shw_record_forest_get_info(params->forest);
    text->log = *log;
    result = shw_thread_pool_create(params->threads, &text->pool);
    if (result != SHW_OK)
        result = shw_fail_memory(log, "threads");
    if (result == SHW_OK)
        result = name_classes(text);
    if (result == SHW_OK)
        result = make_parts(text);
    if (result != SHW_OK)
        results_text_destroy(&text);
    *created = text;
    return result;
}

/* The name of a column: PREFIX, or PREFIX_NAME. */
static enum shw_result print_name(FILE *stream, const char *prefix, const char *name, const struct shw_log *log)
{
    char joined[512], *field;

    snprintf(joined, sizeof joined, "%s%s%s", prefix, name != NULL ? "_" : "", name != NULL ? name : "");
    field = make_field(joined);
    if (field == NULL)
        return shw_fail_memory(log, "the names of columns");
    fputs(field, stream);
    free(field);
    return SHW_OK;
}

static enum shw_result print_names(const struct results_text *text, int kind, FILE *stream, const struct shw_log *log)
{
    const struct shw_record_forest_info *info = text->info;
    const bool classes = info->task == SHW_RECORD_CLASSES;
    const uint32_t count = text->params.columns[kind];
    const char *prefix = kind == SHW_RESULTS_LEAVES ? "leaf" : kind == SHW_RESULTS_SUMS ? "sum" : "value";
    const char *const *names = kind == SHW_RESULTS_LEAVES ? NULL : info->output_names;
    bool one = kind != SHW_RESULTS_LEAVES && count == 1 && names == NULL;

    if (kind == SHW_RESULTS_CLASSES)
        return print_name(stream, "class", NULL, log);
    if (kind != SHW_RESULTS_LEAVES && classes) {
        /* One output of two classes, or one prediction, has no name of its own. */
        one = count != info->class_count;
        names = one ? NULL : text->params.class_names;
        prefix = kind == SHW_RESULTS_PREDICTIONS ? "probability" : prefix;
    }
    for (uint32_t i = 0; i < count; i++) {
        char number[16];

        if (i > 0)
            putc(',', stream);
        SHW_PROPAGATE(print_name(stream, prefix, one ? NULL : name_or_number(names, i, number), log));
    }
    return SHW_OK;
}

/* The names of the columns: class, probability_CLASS, value or value_OUTPUT, leaf_TREE, sum_OUTPUT. Errors: MEMORY. */
static enum shw_result results_text_header(const struct results_text *text, FILE *stream, const struct shw_log *log)
{
    bool first = true;

    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        if (!text->params.wanted[k])
            continue;
        if (!first)
            putc(',', stream);
        first = false;
        SHW_PROPAGATE(print_names(text, k, stream, log));
    }
    fputs(SHW_CSV_END, stream);
    return SHW_OK;
}

static char *write_integer(char *at, int64_t value)
{
    char digits[INTEGER_BYTES];
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    size_t count = 0;

    do {
        digits[count++] = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *at++ = '-';
    while (count > 0)
        *at++ = digits[--count];
    *at++ = ',';
    return at;
}

static char *write_record(const struct results_text *text, const struct shw_record_results *values, uint64_t record,
                          char *at)
{
    const struct results_text_params *params = &text->params;
    const struct shw_record_tree *trees = text->info->trees;
    const uint32_t *columns = params->columns;

    if (params->wanted[SHW_RESULTS_CLASSES]) {
        const char *name = text->classes[values->classes[record]];
        const size_t length = strlen(name);

        memcpy(at, name, length);
        at += length;
        *at++ = ',';
    }
    for (uint32_t i = 0; params->wanted[SHW_RESULTS_PREDICTIONS] && i < columns[SHW_RESULTS_PREDICTIONS]; i++) {
        at += shw_number_write(values->predictions[record * columns[SHW_RESULTS_PREDICTIONS] + i], at);
        *at++ = ',';
    }
    for (uint32_t t = 0; params->wanted[SHW_RESULTS_LEAVES] && t < columns[SHW_RESULTS_LEAVES]; t++)
        at = write_integer(
            at, params->sources[trees[t].first_leaf + values->leaves[record * columns[SHW_RESULTS_LEAVES] + t]]);
    for (uint32_t i = 0; params->wanted[SHW_RESULTS_SUMS] && i < columns[SHW_RESULTS_SUMS]; i++)
        at = write_integer(at, values->sums[record * columns[SHW_RESULTS_SUMS] + i]);
    memcpy(at - 1, SHW_CSV_END, strlen(SHW_CSV_END));
    return at - 1 + strlen(SHW_CSV_END);
}

static void write_part(void *user, uint32_t index, uint32_t thread)
{
    struct part *part = &((struct part *)user)[index];
    char *at = part->bytes;

    (void)thread;
    for (uint64_t r = part->first; r < part->first + part->count; r++)
        at = write_record(part->text, part->values, r, at);
    part->size = (size_t)(at - part->bytes);
}

/* The stream keeps errors of writing. */
static void results_text_add(struct results_text *text, uint64_t count, const struct shw_record_results *values,
                             FILE *stream)
{
    for (uint64_t done = 0; done < count;) {
        uint32_t used = 0;

        for (; used < text->part_count && done < count; used++) {
            struct part *part = &text->parts[used];
            part->values = values;
            part->first = done;
            part->count = count - done < text->part_records ? count - done : text->part_records;
            done += part->count;
        }
        shw_thread_pool_run(text->pool, used, write_part, text->parts);
        for (uint32_t i = 0; i < used; i++)
            fwrite(text->parts[i].bytes, 1, text->parts[i].size, stream);
    }
}

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
    uint32_t *sources;                                 /* of each leaf of all trees */
    struct results_file files[SHW_RESULTS_KIND_COUNT]; /* of CSV: the first */
    struct results_text *text;
    uint64_t count;
    struct shw_results_part *part; /* of a shard; NULL: the files are written as they are */
    uint64_t block_records;        /* that were added to its block */
    bool has_header;               /* CSV: written with the first records, so that a refused table leaves nothing */
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

/* PATH_KIND.npy, with the ending as given. */
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
        struct results_file *file = &results->files[k];

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

/* A shard has one file. */
static enum shw_result name_part(struct shw_results *results)
{
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        struct results_file *file = &results->files[k];

        if (!results->is_npy ? k > 0 : !results->params.wanted[k])
            continue;
        file->path = strdup(results->path);
        if (file->path == NULL)
            return shw_fail_memory(&results->params.log, results->path);
    }
    shw_output_files_write(results->params.files, results->path, &shw_file_results_part);
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
    return results->params.part != NULL ? name_part(results) : name_files(results);
}

void shw_results_destroy(struct shw_results **results)
{
    if (results == NULL || *results == NULL)
        return;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        results_file_abandon(&(*results)->files[k]);
    results_text_destroy(&(*results)->text);
    shw_results_part_destroy(&(*results)->part);
    free((*results)->sources);
    free((*results)->path);
    free(*results);
    *results = NULL;
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
    if (results->params.part != NULL)
        return index == 0 ? results->path : NULL;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL && index-- == 0)
            return results->files[k].path;
    return NULL;
}

/* The arrays of a shard, in the order of its streams. */
static json_t *pack_arrays(const struct shw_results *results)
{
    const enum shw_record_task task = shw_record_forest_get_info(results->params.forest)->task;
    json_t *arrays = json_array();

    for (int k = 0; results->is_npy && k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL)
            json_array_append_new(arrays, json_pack("{s:s, s:s, s:i}", "name",
                                                    shw_results_kind_name((enum shw_results_kind)k, task), "type",
                                                    kinds[k].element_type, "columns",
                                                    k == SHW_RESULTS_CLASSES ? 0 : (int)results->columns[k]));
    return arrays;
}

/* Rows go to the memory of a block. Errors: MEMORY. */
static enum shw_result begin_block(struct shw_results *results)
{
    uint32_t stream = 0;

    results->block_records = 0;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL) {
            results->files[k].stream = shw_results_part_stream(results->part, stream++);
            if (results->files[k].stream == NULL)
                return shw_fail_memory(&results->params.log, "results");
        }
    return SHW_OK;
}

static enum shw_result open_part(struct shw_results *results)
{
    json_t *about = json_copy((json_t *)(uintptr_t)results->params.part); /* only read */
    enum shw_result result;

    json_object_set_new(about, "arrays", pack_arrays(results));
    result = shw_results_part_open(results->path, about, &results->params.log, &results->part);
    json_decref(about);
    return result == SHW_OK ? begin_block(results) : result;
}

enum shw_result shw_results_end_block(struct shw_results *results)
{
    SHW_PROPAGATE(shw_results_part_end_block(results->part, results->block_records));
    return begin_block(results);
}

enum shw_result shw_results_open(struct shw_results *results)
{
    const char *const *names = results->params.class_names != NULL
                                   ? results->params.class_names
                                   : shw_record_forest_get_info(results->params.forest)->class_names;
    const struct results_text_params text = {.forest = results->params.forest,
                                             .class_names = names,
                                             .wanted = results->params.wanted,
                                             .columns = results->columns,
                                             .sources = results->sources,
                                             .threads = results->params.threads};

    if (results->params.part != NULL)
        SHW_PROPAGATE(open_part(results));
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT && results->part == NULL; k++)
        if (results->files[k].path != NULL)
            SHW_PROPAGATE(results_file_open(&results->files[k], &results->params.log));
    for (int k = 0; results->is_npy && results->part == NULL && k < SHW_RESULTS_KIND_COUNT; k++)
        if (results->files[k].path != NULL)
            results_file_begin_array(&results->files[k]);
    if (results->is_npy)
        return SHW_OK;
    return results_text_create(&text, &results->params.log, &results->text);
}

static enum shw_result write_header(struct shw_results *results)
{
    if (results->is_npy || results->has_header)
        return SHW_OK;
    results->has_header = true;
    SHW_PROPAGATE(results_text_header(results->text, results->files[0].stream, &results->params.log));
    return results->part != NULL ? shw_results_end_block(results) : SHW_OK;
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
    const struct results_file *files = results->files;
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
        results_text_add(results->text, count, values, results->files[0].stream);
    results->count += count;
    results->block_records += count;
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT && results->part == NULL; k++)
        if (results->files[k].path != NULL)
            SHW_PROPAGATE(results_file_check(&results->files[k], &results->params.log));
    return SHW_OK;
}

enum shw_result shw_results_commit(struct shw_results *results, uint64_t total)
{
    SHW_PROPAGATE(write_header(results));
    if (results->part != NULL) {
        if (results->block_records > 0)
            SHW_PROPAGATE(shw_results_end_block(results));
        return shw_results_part_commit(results->part, results->params.files, total);
    }
    for (int k = 0; k < SHW_RESULTS_KIND_COUNT; k++) {
        struct results_file *file = &results->files[k];
        const uint64_t shape[2] = {results->count, results->columns[k]};

        if (file->path == NULL)
            continue;
        if (results->is_npy)
            results_file_end_array(file, kinds[k].element_type, k == SHW_RESULTS_CLASSES ? 1 : 2, shape);
        SHW_PROPAGATE(results_file_commit(file, results->params.files, &results->params.log));
    }
    return SHW_OK;
}
