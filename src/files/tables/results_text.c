#include "files/tables/results_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/csv.h"
#include "base/log.h"
#include "base/thread_pool.h"
#include "files/tables/number.h"
#include "files/tables/results.h"

#define PART_BYTES    ((size_t)1 << 20) /* of text that a thread makes at a time */
#define INTEGER_BYTES 21u               /* with what separates it from the next one */

struct part {
    const struct shw_results_text *text;
    const struct shw_record_results *values;
    uint64_t first, count;
    char *bytes;
    size_t size;
};

struct shw_results_text {
    struct shw_results_text_params params;
    const struct shw_record_forest_info *info;
    struct shw_log log;
    char **classes; /* their names as they stand in the table */
    size_t row_bytes;
    uint64_t part_records;
    struct shw_thread_pool *pool;
    struct part *parts;
    uint32_t part_count;
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

static enum shw_result name_classes(struct shw_results_text *text)
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

static enum shw_result make_parts(struct shw_results_text *text)
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

enum shw_result shw_results_text_create(const struct shw_results_text_params *params, const struct shw_log *log,
                                        struct shw_results_text **created)
{
    struct shw_results_text *text = calloc(1, sizeof *text);
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
        shw_results_text_destroy(&text);
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

static enum shw_result print_names(const struct shw_results_text *text, int kind, FILE *stream,
                                   const struct shw_log *log)
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

enum shw_result shw_results_text_header(const struct shw_results_text *text, FILE *stream, const struct shw_log *log)
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

static char *write_record(const struct shw_results_text *text, const struct shw_record_results *values, uint64_t record,
                          char *at)
{
    const struct shw_results_text_params *params = &text->params;
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

void shw_results_text_add(struct shw_results_text *text, uint64_t count, const struct shw_record_results *values,
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

void shw_results_text_destroy(struct shw_results_text **text)
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
