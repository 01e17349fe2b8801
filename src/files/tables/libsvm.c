/* Tables in the format of libsvm and SVMlight, "LABEL INDEX:VALUE ...": attributes that a line omits are 0. For a
 * forest whose attributes are known, lines are read in blocks; otherwise the whole text is, since only its end says how
 * many attributes there are. Columns are in the order of their indices; the labels are the last one. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/log.h"
#include "base/machine.h"
#include "files/tables/csv.h"
#include "files/tables/format.h"
#include "files/tables/number.h"

#define LINE_MAX    ((size_t)1 << 26)
#define BLOCK_BYTES ((size_t)1 << 22) /* of the float32 of a block */
#define RECORD_MIN  2u                /* bytes of a record: a digit and a newline */

struct libsvm {
    struct shw_byte_source *source;
    const struct shw_table_params *params;
    struct shw_table_columns columns;
    uint32_t first;     /* index of the first attribute: 1, or 0 if that is asked for */
    uint32_t index_max; /* from 1, of an attribute that has a column */

    struct shw_text_buffer buffer; /* `lines`: up to the line that was taken last */

    float *values, *targets;
    double *doubles; /* of the values; NULL unless they are asked for */
    uint32_t *classes;
    uint32_t block_count;
    uint64_t count;    /* of all records before */
    uint64_t greatest; /* index of them, from 1 */
    bool query_said, extra_said, overflow_said;
};

/* Where a line is stored; all NULL when only the greatest index is wanted. */
struct row {
    float *values, *target;
    double *doubles;
    uint32_t *class_number;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r' || c == '#' || c == '\0';
}

static const char *skip_blanks(const char *at)
{
    while (is_blank(*at))
        at++;
    return at;
}

static size_t token_length(const char *at)
{
    size_t length = 0;

    while (!is_blank(at[length]) && !is_line_end(at[length]))
        length++;
    return length;
}

/* Recognition: the blanks after the label, a text, or after one or several that are numbers; NULL if there is none. */
static const char *label_end(const char *at, bool *is_text)
{
    const size_t length = strcspn(at, " \t\r\n,;:\"#");
    const char *end;
    float label;

    end = shw_number_read(at, &label);
    *is_text = length > 0 && (end == NULL || end < at + length);
    if (*is_text)
        return is_blank(at[length]) ? at + length : NULL;
    for (;; at = end + 1) {
        end = shw_number_read(at, &label);
        if (end == NULL || (*end != ',' && !is_blank(*end)))
            return NULL;
        if (*end != ',')
            return end;
    }
}

/* Recognition: whether the line begins with a label or several, and an index with its value, which after a text must be
 * a number. */
static bool is_record(const char *at)
{
    bool is_text;
    const char *end = label_end(at, &is_text);
    float value;

    if (end == NULL)
        return false;
    at = skip_blanks(end);
    if (strncmp(at, "qid:", 4) == 0)
        return at[4] >= '0' && at[4] <= '9';
    end = at + strspn(at, "0123456789");
    if (is_text)
        return end > at && *end == ':' && shw_number_read(end + 1, &value) == end + 1 + token_length(end + 1);
    return end > at && *end == ':' && end[1] != '\0' && strchr("+-.0123456789nNiI", end[1]) != NULL &&
           memchr(end, ',', token_length(end)) == NULL;
}

/* Comments, and labels without attributes, may come first. */
static bool recognise_libsvm(const struct shw_byte_source *source)
{
    char start[SHW_BYTE_SOURCE_PEEK + 1];

    memcpy(start, source->start, source->start_size);
    start[source->start_size] = '\0';
    for (const char *at = start; at != NULL && *at != '\0'; at = strchr(at, '\n')) {
        float label;
        const char *end;

        at += *at == '\n';
        at = skip_blanks(at);
        if (is_line_end(*at) && *at != '\0')
            continue;
        end = shw_number_read(at, &label);
        end = end != NULL ? skip_blanks(end) : NULL;
        if (end == NULL || !is_line_end(*end))
            return is_record(at);
    }
    return false;
}

static enum shw_result fail_line(const struct libsvm *libsvm, const char *what, const char *token)
{
    const size_t length = token_length(token);

    return shw_fail(&libsvm->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %llu: '%.*s' %s",
                    libsvm->source->name, (unsigned long long)libsvm->buffer.lines, length < 60 ? (int)length : 60,
                    token, what);
}

/* `precise`: NULL, or the same number in double precision, where an overflow of float32 does not matter. */
static enum shw_result read_number(struct libsvm *libsvm, const char *token, size_t from, float *value, double *precise)
{
    const char *text = token + from;
    const size_t length = token_length(text);
    const struct shw_csv_field field = {.text = text, .length = length};

    if (length == 0 || shw_csv_field_number(&field, value) == SHW_CSV_TEXT)
        return fail_line(libsvm, from > 0 ? "is not INDEX:VALUE" : "is not a number", token);
    if (precise != NULL)
        *precise = isnan(*value) ? NAN : strtod(text, NULL); /* in the locale "C", which the programs never leave */
    else if (isinf(*value) && text[length - 1] >= '0' && text[length - 1] <= '9' && !libsvm->overflow_said) {
        shw_log_message(&libsvm->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s, line %llu: %.*s is beyond the range of float32 and becomes infinity", libsvm->source->name,
                        (unsigned long long)libsvm->buffer.lines, length < 60 ? (int)length : 60, text);
        libsvm->overflow_said = true;
    }
    return SHW_OK;
}

static enum shw_result read_class(struct libsvm *libsvm, const char *token, uint32_t *number)
{
    const struct shw_csv_field field = {.text = token, .length = token_length(token)};
    struct shw_name_set *names = libsvm->params->classes;
    char name[SHW_CLASS_NAME_BYTES_MAX + 1];
    const size_t length = shw_csv_field_class(&field, name);

    *number = length > 0 && length <= SHW_CLASS_NAME_BYTES_MAX ? shw_name_set_find(names, name, length) : SHW_NO_CLASS;
    if (length == 0 || *number != SHW_NO_CLASS)
        return SHW_OK;
    if (length > SHW_CLASS_NAME_BYTES_MAX || strlen(name) < length || shw_class_name_fault(name) != NULL)
        return fail_line(libsvm, "is a label that a forest cannot keep", token);
    if (names->closed)
        return fail_line(libsvm,
                         libsvm->params->has_matching ? "is not a class of the forest (--class-names names its classes)"
                                                      : "is not a class of the forest",
                         token);
    if (names->count == SHW_TABLE_CLASSES_MAX)
        return shw_fail(&libsvm->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET, "%s, line %llu: more than %u classes",
                        libsvm->source->name, (unsigned long long)libsvm->buffer.lines, SHW_TABLE_CLASSES_MAX);
    if (!shw_name_set_add(names, name, length))
        return shw_fail_memory(&libsvm->params->log, libsvm->source->name);
    *number = names->count - 1;
    return SHW_OK;
}

static enum shw_result read_label(struct libsvm *libsvm, const char *token, const struct row *row)
{
    const size_t length = token_length(token);

    if (memchr(token, ',', length) != NULL)
        return fail_line(libsvm, "are several labels: forests predict one", token);
    if (memchr(token, ':', length) != NULL)
        return fail_line(libsvm, "stands where the label is expected", token);
    if (row->class_number != NULL)
        return read_class(libsvm, token, row->class_number);
    return row->target != NULL ? read_number(libsvm, token, 0, row->target, NULL) : SHW_OK;
}

/* SVMlight's groups of records, for ranking. */
static void pass_query(struct libsvm *libsvm)
{
    if (!libsvm->query_said)
        shw_log_message(&libsvm->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s, line %llu: the groups of records, qid, are ignored: forests predict each record alone",
                        libsvm->source->name, (unsigned long long)libsvm->buffer.lines);
    libsvm->query_said = true;
}

/* Skips an attribute that the forest lacks; of several tables, refuses one that the first lacks. */
static enum shw_result pass_extra(struct libsvm *libsvm, const char *token)
{
    if (libsvm->params->is_continued)
        return fail_line(libsvm, "has an index above all of the table before: name this table first", token);
    if (!libsvm->extra_said)
        shw_log_message(
            &libsvm->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
            "%s, line %llu: the index %.*s and others above %u are not attributes of the forest and are ignored",
            libsvm->source->name, (unsigned long long)libsvm->buffer.lines, (int)strspn(token, "0123456789"), token,
            libsvm->index_max + libsvm->first - 1);
    libsvm->extra_said = true;
    return SHW_OK;
}

static enum shw_result read_pair(struct libsvm *libsvm, const char *token, uint64_t *last, const struct row *row)
{
    const size_t length = token_length(token), digits = strspn(token, "0123456789");
    uint64_t index;
    float value;
    double precise = 0;

    if (length > 4 && memcmp(token, "qid:", 4) == 0) {
        pass_query(libsvm);
        return SHW_OK;
    }
    if (digits == 0 || digits > 18 || token[digits] != ':')
        return fail_line(libsvm, "is not INDEX:VALUE", token);
    index = strtoull(token, NULL, 10);
    if (index < libsvm->first)
        return fail_line(libsvm, "has the index 0: those of libsvm begin with 1 (--first-index 0 if here they do not)",
                         token);
    index += 1 - libsvm->first;
    if (index <= *last)
        return fail_line(libsvm, "has an index that is not above the one before it", token);
    *last = index;
    SHW_PROPAGATE(read_number(libsvm, token, digits + 1, &value,
                              libsvm->params->doubles && row->values != NULL ? &precise : NULL));
    if (row->values == NULL)
        return index <= SHW_RECORD_ATTRIBUTES_MAX
                   ? SHW_OK
                   : shw_fail(&libsvm->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                              "%s, line %llu: more than %u attributes, as the index %.*s shows", libsvm->source->name,
                              (unsigned long long)libsvm->buffer.lines, SHW_RECORD_ATTRIBUTES_MAX, (int)digits, token);
    if (index > libsvm->index_max)
        return pass_extra(libsvm, token);
    if (libsvm->columns.places[index - 1] >= 0)
        row->values[libsvm->columns.places[index - 1]] = value;
    if (libsvm->columns.places[index - 1] >= 0 && row->doubles != NULL)
        row->doubles[libsvm->columns.places[index - 1]] = precise;
    return SHW_OK;
}

/* *is_record: false for an empty line or a comment. *last: the greatest index of the line. */
static enum shw_result read_line(struct libsvm *libsvm, const char *at, const struct row *row, bool *is_record,
                                 uint64_t *last)
{
    *last = 0;
    at = skip_blanks(at);
    *is_record = !is_line_end(*at);
    if (!*is_record)
        return SHW_OK;
    SHW_PROPAGATE(read_label(libsvm, at, row));
    for (at = skip_blanks(at + token_length(at)); !is_line_end(*at); at = skip_blanks(at + token_length(at)))
        SHW_PROPAGATE(read_pair(libsvm, at, last, row));
    return *at != '\0' && (*at != '\r' || at[1] == '\n')
               ? SHW_OK
               : shw_fail(&libsvm->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                          "%s, line %llu: a zero byte, or CR without LF, in a line", libsvm->source->name,
                          (unsigned long long)libsvm->buffer.lines);
}

/* Takes the next line; NULL at the end. */
static enum shw_result next_line(struct libsvm *libsvm, const char **line)
{
    for (;;) {
        const size_t left = libsvm->buffer.end - libsvm->buffer.begin;
        const char *from = libsvm->buffer.text + libsvm->buffer.begin;
        const char *newline = left > 0 ? memchr(from, '\n', left) : NULL;

        *line = newline != NULL ? from : NULL;
        if (newline != NULL) {
            libsvm->buffer.begin += (size_t)(newline + 1 - from);
            libsvm->buffer.lines++;
            return SHW_OK;
        }
        if (libsvm->buffer.at_end)
            return SHW_OK;
        if (left > LINE_MAX)
            return shw_fail(&libsvm->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                            "%s, line %llu: more than %zu bytes", libsvm->source->name,
                            (unsigned long long)libsvm->buffer.lines + 1, LINE_MAX);
        SHW_PROPAGATE(shw_text_buffer_fill(&libsvm->buffer));
    }
}

/* A few bytes of text can stand for more records than fit into memory. */
static enum shw_result check_memory(const struct libsvm *libsvm, uint64_t records)
{
    const uint64_t bytes = records * libsvm->index_max * sizeof *libsvm->values;

    if (bytes <= shw_machine_memory())
        return SHW_OK;
    return shw_fail(
        &libsvm->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
        "%s: %llu records of %u attributes, by the highest index, take %.1f GiB of memory, and this machine "
        "has less",
        libsvm->source->name, (unsigned long long)records, libsvm->index_max, (double)bytes / (double)(1u << 30));
}

/* The greatest index of the whole text, which is kept. */
static enum shw_result find_index_max(struct libsvm *libsvm)
{
    const struct row nowhere = {.values = NULL};
    const char *line;
    uint64_t records = 0;

    while (!libsvm->buffer.at_end)
        SHW_PROPAGATE(shw_text_buffer_fill(&libsvm->buffer));
    for (;;) {
        uint64_t last;
        bool is_record;

        SHW_PROPAGATE(next_line(libsvm, &line));
        if (line == NULL)
            break;
        SHW_PROPAGATE(read_line(libsvm, line, &nowhere, &is_record, &last));
        libsvm->index_max = last > libsvm->index_max ? (uint32_t)last : libsvm->index_max;
        records += is_record;
    }
    libsvm->buffer.begin = 0;
    libsvm->buffer.lines = 0;
    return check_memory(libsvm, records);
}

/* The column, from 1, of an ignored index; 0 if the text is not a number. */
static uint32_t ignored_column(const struct libsvm *libsvm, const char *text)
{
    const size_t digits = strspn(text, "0123456789");
    const unsigned long index = digits > 0 && digits < 10 && text[digits] == '\0' ? strtoul(text, NULL, 10) : 0;

    return digits > 0 && index >= libsvm->first ? (uint32_t)index + 1 - libsvm->first : 0;
}

struct column_number {
    char text[16];
};

/* Lists the columns of ignored indices; for a known forest, only those that can matter. */
static enum shw_result list_ignored(struct libsvm *libsvm, struct column_number *numbers, uint32_t *count)
{
    const struct shw_table_params *params = libsvm->params;
    const uint32_t end =
        params->attribute_count > 0 ? params->attribute_count + params->ignored_count : libsvm->index_max;

    *count = 0;
    for (uint32_t i = 0; i < params->ignored_count; i++) {
        const uint32_t column = ignored_column(libsvm, params->ignored[i]);

        if (column == 0)
            return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s is a libsvm file, which has no column '%.60s': its columns are numbered by their "
                            "indices, from %u on",
                            libsvm->source->name, params->ignored[i], libsvm->first);
        if (column <= end)
            snprintf(numbers[(*count)++].text, sizeof numbers->text, "%u", column);
    }
    return SHW_OK;
}

/* The label is the target, or ignored if there is another. */
static enum shw_result choose_columns(struct libsvm *libsvm)
{
    const struct shw_table_params *params = libsvm->params;
    const bool ignores_label =
        params->labels != NULL || (params->class_column != NULL && strcmp(params->class_column, "none") == 0);
    struct shw_table_params own = *params;
    struct column_number *numbers = calloc(params->ignored_count + (size_t)1, sizeof *numbers);
    const char **ignored = calloc(params->ignored_count + (size_t)1, sizeof *ignored);
    char label[16];
    enum shw_result result = numbers != NULL && ignored != NULL ? list_ignored(libsvm, numbers, &own.ignored_count)
                                                                : shw_fail_memory(&params->log, libsvm->source->name);

    if (result == SHW_OK) {
        if (params->attribute_count > 0)
            libsvm->index_max = params->attribute_count + own.ignored_count;
        libsvm->columns.count = libsvm->index_max + 1;
        snprintf(label, sizeof label, "%u", libsvm->columns.count);
        for (uint32_t i = 0; i < own.ignored_count; i++)
            ignored[i] = numbers[i].text;
        own.ignored = ignored;
        if (ignores_label)
            ignored[own.ignored_count++] = label;
        else
            own.class_column = label;
        result = shw_table_columns_choose(&libsvm->columns, libsvm->source->name, &own);
    }
    free(ignored);
    free(numbers);
    return result;
}

static enum shw_result find_columns(struct libsvm *libsvm)
{
    const struct shw_table_params *params = libsvm->params;

    if (params->class_column != NULL && strcmp(params->class_column, "none") != 0)
        return shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s is a libsvm file, whose lines begin with the target: --target can only be none",
                        libsvm->source->name);
    if (params->attribute_count == 0)
        SHW_PROPAGATE(find_index_max(libsvm));
    return choose_columns(libsvm);
}

static enum shw_result allocate(struct libsvm *libsvm)
{
    const bool has_truth = libsvm->columns.truth != SHW_COLUMN_NONE;
    const bool classes = has_truth && libsvm->params->truth == SHW_TABLE_CLASSES;
    const size_t row = (libsvm->columns.attribute_count + (size_t)1) * sizeof *libsvm->values;
    size_t count = BLOCK_BYTES / row < 1 ? 1 : BLOCK_BYTES / row;

    if (libsvm->buffer.at_end && libsvm->buffer.end / RECORD_MIN < count)
        count = libsvm->buffer.end / RECORD_MIN + 1;
    libsvm->block_count = (uint32_t)count;
    libsvm->values = malloc(count * row);
    libsvm->classes = classes ? malloc(count * sizeof *libsvm->classes) : NULL;
    libsvm->targets = has_truth && !classes ? malloc(count * sizeof *libsvm->targets) : NULL;
    if (libsvm->params->doubles)
        libsvm->doubles = malloc(count * row / sizeof *libsvm->values * sizeof *libsvm->doubles);
    if (libsvm->values == NULL || (libsvm->params->doubles && libsvm->doubles == NULL) ||
        (has_truth && libsvm->classes == NULL && libsvm->targets == NULL))
        return shw_fail_memory(&libsvm->params->log, libsvm->source->name);
    return SHW_OK;
}

static void close_libsvm(void *state)
{
    struct libsvm *libsvm = state;

    shw_text_buffer_free(&libsvm->buffer);
    free(libsvm->values);
    free(libsvm->doubles);
    free(libsvm->classes);
    free(libsvm->targets);
    shw_table_columns_free(&libsvm->columns);
    free(libsvm);
}

static enum shw_result open_libsvm(struct shw_byte_source *source, const struct shw_table_params *params, void **state)
{
    struct libsvm *libsvm = calloc(1, sizeof *libsvm);
    enum shw_result result;

    if (libsvm == NULL)
        return shw_fail_memory(&params->log, source->name);
    libsvm->source = source;
    libsvm->buffer.source = source;
    libsvm->params = params;
    libsvm->first = params->first_index_is_0 ? 0 : 1;
    SHW_TRY(find_columns(libsvm));
    SHW_TRY(allocate(libsvm));
    *state = libsvm;
    return SHW_OK;

fail:
    close_libsvm(libsvm);
    return result;
}

static const struct shw_table_columns *get_columns(const void *state)
{
    return &((const struct libsvm *)state)->columns;
}

/* At the end: if the forest was trained with indices from 0, its attributes are one column further. */
static void check_indices(const struct libsvm *libsvm)
{
    if (libsvm->params->first_is_unused && libsvm->first == 1 && libsvm->greatest > 0 &&
        libsvm->greatest < libsvm->index_max)
        shw_log_message(&libsvm->params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: no line has the index %u of the last attribute, and no test of the forest reads the "
                        "first: if it was trained with --first-index 0, give that here, too",
                        libsvm->source->name, libsvm->index_max);
}

static enum shw_result read_libsvm(void *state, struct shw_table_block *block)
{
    struct libsvm *libsvm = state;
    const size_t count = libsvm->columns.attribute_count;

    *block = (struct shw_table_block){.first = libsvm->count,
                                      .values = libsvm->values,
                                      .doubles = libsvm->doubles,
                                      .classes = libsvm->classes,
                                      .targets = libsvm->targets};
    while (block->count < libsvm->block_count) {
        const struct row row = {.values = libsvm->values + block->count * count,
                                .doubles = libsvm->doubles != NULL ? libsvm->doubles + block->count * count : NULL,
                                .target = libsvm->targets != NULL ? libsvm->targets + block->count : NULL,
                                .class_number = libsvm->classes != NULL ? libsvm->classes + block->count : NULL};
        const char *line;
        uint64_t last;
        bool is_record;

        SHW_PROPAGATE(next_line(libsvm, &line));
        if (line == NULL)
            break;
        memset(row.values, 0, count * sizeof *row.values);
        if (row.doubles != NULL)
            memset(row.doubles, 0, count * sizeof *row.doubles);
        SHW_PROPAGATE(read_line(libsvm, line, &row, &is_record, &last));
        block->count += is_record;
        libsvm->greatest = last > libsvm->greatest ? last : libsvm->greatest;
    }
    if (block->count == 0)
        check_indices(libsvm);
    libsvm->count += block->count;
    return SHW_OK;
}

const struct shw_table_format shw_table_libsvm = {recognise_libsvm, open_libsvm, get_columns, read_libsvm,
                                                  close_libsvm,     false,       true};
