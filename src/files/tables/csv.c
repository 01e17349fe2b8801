#define _GNU_SOURCE /* memrchr() */
#include "files/tables/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/csv_read.h"
#include "base/log.h"
#include "base/text.h"
#include "files/tables/format.h"
#include "files/tables/number.h"

/* Whether the line is no record: it is empty or begins with a mark. */
static bool is_void(const struct shw_text_buffer *buffer, const char *line)
{
    if (*line == buffer->marks[0] || (buffer->marks[1] != '\0' && *line == buffer->marks[1]))
        return true;
    while (*line == ' ' || *line == '\r')
        line++;
    return *line == '\n';
}

const char *shw_csv_buffer_record_end(const struct shw_text_buffer *buffer, const char *record, const char *end)
{
    const char *newline;

    if (!is_void(buffer, record))
        return shw_csv_record_end(record, end, buffer->delimiter);
    newline = memchr(record, '\n', (size_t)(end - record));
    return newline != NULL ? newline + 1 : NULL;
}

/* The line, from 1, of the record that the buffer does not hold the end of. */
static uint64_t unfinished_line(const struct shw_text_buffer *buffer)
{
    const char *at = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *next;
    uint64_t lines = buffer->lines;

    while ((next = shw_csv_buffer_record_end(buffer, at, end)) != NULL)
        for (; at < next; at++)
            lines += *at == '\n';
    return lines + 1;
}

enum shw_result shw_csv_buffer_grow(struct shw_text_buffer *buffer)
{
    if (buffer->capacity >= SHW_CSV_RECORD_MAX)
        return shw_fail(&buffer->source->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                        "%s, line %llu: a record of more than %zu MiB", buffer->source->name,
                        (unsigned long long)unfinished_line(buffer), SHW_CSV_RECORD_MAX >> 20);
    return shw_text_buffer_fill(buffer);
}

const char *shw_csv_find_record(const struct shw_text_buffer *buffer, const char *from, uint64_t *lines)
{
    const char *end = buffer->text + buffer->end;

    while (from < end) {
        const char *newline = memchr(from, '\n', (size_t)(end - from));
        if (newline == NULL || !is_void(buffer, from))
            return newline == NULL && is_void(buffer, from) ? NULL : from;
        from = newline + 1;
        ++*lines;
    }
    return NULL;
}

/* Divides the whole records of the buffer into `count` parts of about the same size. ends[i]: where part i ends. */
static void divide(const struct shw_text_buffer *buffer, uint32_t count, const char **ends)
{
    const char *begin = buffer->text + buffer->begin, *end = buffer->text + buffer->end, *at = begin, *next;
    const bool has_quotes = memchr(begin, '"', (size_t)(end - begin)) != NULL;

    for (uint32_t i = 0; i < count; i++) {
        const char *goal = begin + (size_t)(end - begin) / count * (i + 1);

        if (i + 1 == count)
            goal = end;
        if (!has_quotes) {
            next = goal > at ? memrchr(at, '\n', (size_t)(goal - at)) : NULL;
            at = next != NULL ? next + 1 : at;
        } else {
            while (at < goal && (next = shw_csv_buffer_record_end(buffer, at, end)) != NULL)
                at = next;
        }
        ends[i] = at;
    }
}

#define PARTS_MAX  64u
#define PART_BYTES ((size_t)1 << 17) /* less is not worth a thread */

/* A class that is not among the names yet. */
struct new_class {
    uint32_t record;
    uint64_t line;
    struct shw_csv_field field;
};

enum wrong {
    NOTHING_WRONG,
    TEXT_IN_NUMBERS,
    AFTER_QUOTES,
    TOO_FEW_FIELDS,
    TOO_MANY_FIELDS,
    CLASS_TOO_LONG,
    BAD_CLASS,
    UNKNOWN_CLASS,
    OVERFLOW,
    NO_MEMORY
};

struct place {
    enum wrong wrong;
    uint64_t line; /* in the part, from 0 */
    uint32_t column;
    struct shw_csv_field field;
};

struct shw_csv_part {
    const struct shw_csv *csv;
    const char *begin, *end;
    uint32_t first, count; /* records, in the block's arrays */
    uint64_t lines;
    uint64_t overflows;
    struct place error, overflow; /* the first of each */
    struct new_class *classes;
    uint32_t class_count, class_capacity;
};

/* Notes an error; returns false for the caller to return. */
static bool fail_at(struct shw_csv_part *part, enum wrong wrong, uint32_t column, const struct shw_csv_field *field)
{
    part->error = (struct place){wrong, part->lines, column, *field};
    return false;
}

static void note_overflow(struct shw_csv_part *part, uint32_t column, const struct shw_csv_field *field)
{
    if (part->csv->doubles != NULL && part->csv->columns.places[column] >= 0)
        return;
    if (part->overflows++ == 0)
        part->overflow = (struct place){OVERFLOW, part->lines, column, *field};
}

/* A field that is not a number: if the record is too short, it may belong to another column. */
static bool fail_text(struct shw_csv_part *part, uint32_t column, const struct shw_csv_field *text)
{
    const char delimiter = part->csv->buffer.delimiter;
    struct shw_csv_field field = *text;
    uint32_t count = column + 1;

    for (; *field.end == delimiter && shw_csv_field_read(field.end + 1, delimiter, &field); count++)
        continue;
    return count < part->csv->columns.count ? fail_at(part, TOO_FEW_FIELDS, count, text)
                                            : fail_at(part, TEXT_IN_NUMBERS, column, text);
}

/* A number that is written in an unusual way, or missing. */
static bool read_odd_number(struct shw_csv_part *part, uint32_t column, const char **at, float *value)
{
    struct shw_csv_field field;

    if (!shw_csv_field_read(*at, part->csv->buffer.delimiter, &field))
        return fail_at(part, AFTER_QUOTES, column, &field);
    if (shw_csv_field_number(&field, value) == SHW_CSV_TEXT)
        return fail_text(part, column, &field);
    if (isinf(*value) && field.text[field.length - 1] <= '9')
        note_overflow(part, column, &field);
    part->lines += field.lines;
    *at = field.end;
    return true;
}

static inline bool read_number(struct shw_csv_part *part, uint32_t column, const char **at, char delimiter,
                               float *value)
{
    const char *from = *at, *end;

    while (*from == ' ')
        from++;
    end = shw_number_read(from, value);
    if (end == NULL || (*end != delimiter && *end != '\n' && (*end != '\r' || end[1] != '\n')) || isinf(*value))
        return read_odd_number(part, column, at, value);
    *at = end;
    return true;
}

/* The same number in double precision. */
static double double_at(const char *at, char delimiter, float rounded)
{
    struct shw_csv_field field;

    if (isnan(rounded) || !shw_csv_field_read(at, delimiter, &field))
        return NAN;
    return strtod(field.text, NULL); /* in the locale "C", which the programs never leave */
}

static inline bool read_attribute(struct shw_csv_part *part, uint32_t column, const char **at, char delimiter,
                                  size_t value)
{
    const struct shw_csv *csv = part->csv;
    const char *from = *at;

    if (!read_number(part, column, at, delimiter, csv->values + value))
        return false;
    if (csv->doubles != NULL)
        csv->doubles[value] = double_at(from, delimiter, csv->values[value]);
    return true;
}

static bool note_new_class(struct shw_csv_part *part, uint32_t record, const struct shw_csv_field *field)
{
    if (!SHW_RESERVE(part->classes, part->class_capacity, part->class_count + (size_t)1))
        return fail_at(part, NO_MEMORY, 0, field);
    part->classes[part->class_count++] = (struct new_class){record, part->lines, *field};
    return true;
}

static bool read_class(struct shw_csv_part *part, uint32_t column, const char **at, uint32_t record)
{
    const struct shw_csv *csv = part->csv;
    struct shw_csv_field field;
    char name[SHW_CLASS_NAME_BYTES_MAX + 1];
    size_t length;
    uint32_t number;

    if (!shw_csv_field_read(*at, csv->buffer.delimiter, &field))
        return fail_at(part, AFTER_QUOTES, column, &field);
    length = shw_csv_field_class(&field, name);
    if (length > SHW_CLASS_NAME_BYTES_MAX)
        return fail_at(part, CLASS_TOO_LONG, column, &field);
    if (strlen(name) < length)
        return fail_at(part, BAD_CLASS, column, &field);
    number = length > 0 ? shw_name_set_find(csv->params->classes, name, length) : SHW_NO_CLASS;
    csv->classes[record] = number;
    if (number == SHW_NO_CLASS && length > 0) {
        if (csv->params->classes->closed)
            return fail_at(part, UNKNOWN_CLASS, column, &field);
        if (!note_new_class(part, record, &field))
            return false;
    }
    part->lines += field.lines;
    *at = field.end;
    return true;
}

static bool pass_over(struct shw_csv_part *part, uint32_t column, const char **at)
{
    struct shw_csv_field field;

    if (!shw_csv_field_read(*at, part->csv->buffer.delimiter, &field))
        return fail_at(part, AFTER_QUOTES, column, &field);
    part->lines += field.lines;
    *at = field.end;
    return true;
}

static bool read_field(struct shw_csv_part *part, uint32_t column, const char **at, char delimiter, uint32_t record)
{
    const struct shw_csv *csv = part->csv;
    const int32_t place = csv->columns.places[column];

    if (place >= 0)
        return read_attribute(part, column, at, delimiter,
                              (size_t)record * csv->columns.attribute_count + (uint32_t)place);
    if (place == SHW_PLACE_IGNORED)
        return pass_over(part, column, at);
    if (csv->params->truth == SHW_TABLE_CLASSES)
        return read_class(part, column, at, record);
    return read_number(part, column, at, delimiter, csv->targets + record);
}

/* *at: then the byte after the record. */
static bool read_record(struct shw_csv_part *part, const char **at, uint32_t record)
{
    const uint32_t count = part->csv->columns.count;
    const char delimiter = part->csv->buffer.delimiter;

    for (uint32_t column = 0;;) {
        if (!read_field(part, column, at, delimiter, record))
            return false;
        column++;
        if (**at != delimiter) {
            if (column < count)
                return fail_at(part, TOO_FEW_FIELDS, column, &(struct shw_csv_field){.text = *at});
            *at += **at == '\r';
            ++*at;
            part->lines++;
            return true;
        }
        if (column == count)
            return fail_at(part, TOO_MANY_FIELDS, column, &(struct shw_csv_field){.text = *at});
        ++*at;
    }
}

static void read_part(void *user, uint32_t index, uint32_t thread)
{
    struct shw_csv_part *part = &((struct shw_csv_part *)user)[index];
    const char *at = part->begin;

    (void)thread;
    while (at < part->end) {
        if (is_void(&part->csv->buffer, at)) {
            at = (const char *)memchr(at, '\n', (size_t)(part->end - at)) + 1;
            part->lines++;
            continue;
        }
        if (!read_record(part, &at, part->first + part->count))
            return;
        part->count++;
    }
}

/* A piece of a field for a message. */
struct piece {
    int length;
    const char *text;
};

static struct piece piece_of(const struct shw_csv_field *field)
{
    return (struct piece){field->length < 60 ? (int)field->length : 60, field->text};
}

/* Why no forest can keep a class of this name; NULL if one can. */
static const char *class_fault(const struct shw_csv_field *field)
{
    char name[SHW_CLASS_NAME_BYTES_MAX + 1];
    const size_t length = shw_csv_field_class(field, name);

    return strlen(name) < length ? "has a zero byte" : shw_class_name_fault(name);
}

/* What to do about a class that the forest lacks, in parentheses. */
struct hint {
    char text[160];
};

static struct hint unknown_class_hint(const struct shw_csv *csv, uint64_t line)
{
    const bool may_rename = csv->params->has_matching, may_ignore = may_rename && csv->columns.count > 1;
    const bool is_doubtful = line == csv->columns.doubtful_line;
    struct hint hint = {""};

    if (may_rename || is_doubtful)
        snprintf(hint.text, sizeof hint.text, " (%s%s%s%s)", may_rename ? "--class-names names its classes" : "",
                 may_ignore ? ", --ignore leaves the column out" : "", may_rename && is_doubtful ? "; " : "",
                 is_doubtful ? "if this is a header: --header yes" : "");
    return hint;
}

/* What is wrong, at a line of the file. */
static enum shw_result report(const struct shw_csv *csv, const struct place *place, uint64_t lines)
{
    const struct shw_log *log = &csv->params->log;
    const unsigned long long line = (unsigned long long)(lines + place->line + 1);
    const uint32_t column = place->column;
    const struct shw_column_text name = shw_column_text(&csv->columns, column);
    const struct piece piece = piece_of(&place->field);

    switch (place->wrong) {
    case TEXT_IN_NUMBERS:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: '%.*s' is not a number: encode categories as numbers, or leave "
                        "the column out with --ignore %s",
                        csv->name, line, column + 1, name.text, piece.length, piece.text,
                        shw_column_key(&csv->columns, column).text);
    case AFTER_QUOTES:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: text after a closing quotation mark", csv->name, line, column + 1,
                        name.text);
    case TOO_FEW_FIELDS:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %llu: only %u of %u fields", csv->name, line,
                        column, csv->columns.count);
    case TOO_MANY_FIELDS:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %llu: more than %s", csv->name, line,
                        shw_counted(csv->columns.count, "field", "fields").text);
    case CLASS_TOO_LONG:
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: the name of a class of more than %u bytes, '%.*s...'", csv->name,
                        line, column + 1, name.text, SHW_CLASS_NAME_BYTES_MAX, piece.length, piece.text);
    case BAD_CLASS:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: the name of the class %s, which a forest cannot keep: '%.*s'",
                        csv->name, line, column + 1, name.text, class_fault(&place->field), piece.length, piece.text);
    case UNKNOWN_CLASS:
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: the forest has no class '%.*s'%s", csv->name, line, column + 1,
                        name.text, piece.length, piece.text, unknown_class_hint(csv, line).text);
    case OVERFLOW:
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s, line %llu, column %u%s: %.*s is beyond the range of float32 and becomes infinity",
                        csv->name, line, column + 1, name.text, piece.length, piece.text);
        return SHW_OK;
    case NO_MEMORY: return shw_fail_memory(log, csv->name);
    case NOTHING_WRONG: break;
    }
    return SHW_OK;
}

static enum shw_result add_classes(const struct shw_csv *csv, const struct shw_csv_part *part, uint64_t lines)
{
    struct shw_name_set *names = csv->params->classes;

    for (uint32_t i = 0; i < part->class_count; i++) {
        const struct new_class *item = &part->classes[i];
        char name[SHW_CLASS_NAME_BYTES_MAX + 1];
        const size_t length = shw_csv_field_class(&item->field, name);
        uint32_t number = shw_name_set_find(names, name, length);

        if (number == SHW_NO_CLASS && names->count == SHW_TABLE_CLASSES_MAX)
            return shw_fail(&csv->params->log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                            "%s, line %llu, column %u%s: more than %u classes; --target chooses another column",
                            csv->name, (unsigned long long)(lines + item->line + 1), csv->columns.truth + 1,
                            shw_column_text(&csv->columns, csv->columns.truth).text, SHW_TABLE_CLASSES_MAX);
        if (number == SHW_NO_CLASS && class_fault(&item->field) != NULL)
            return report(csv, &(struct place){BAD_CLASS, item->line, csv->columns.truth, item->field}, lines);
        if (number == SHW_NO_CLASS && !shw_name_set_add(names, name, length))
            return shw_fail_memory(&csv->params->log, csv->name);
        csv->classes[item->record] = number != SHW_NO_CLASS ? number : names->count - 1;
    }
    return SHW_OK;
}

/* Moves the records of a part up to the previous ones. */
static void close_gap(const struct shw_csv *csv, const struct shw_csv_part *part, uint32_t to)
{
    const size_t row = csv->columns.attribute_count;

    if (part->first == to || part->count == 0)
        return;
    memmove(csv->values + to * row, csv->values + part->first * row, part->count * row * sizeof *csv->values);
    if (csv->doubles != NULL)
        memmove(csv->doubles + to * row, csv->doubles + part->first * row, part->count * row * sizeof *csv->doubles);
    if (csv->classes != NULL)
        memmove(csv->classes + to, csv->classes + part->first, part->count * sizeof *csv->classes);
    if (csv->targets != NULL)
        memmove(csv->targets + to, csv->targets + part->first, part->count * sizeof *csv->targets);
}

static enum shw_result join_parts(struct shw_csv *csv, uint32_t count, uint32_t *records)
{
    uint64_t lines = csv->buffer.lines;

    *records = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct shw_csv_part *part = &csv->parts[i];

        if (part->overflows > 0 && !csv->overflow_said)
            report(csv, &part->overflow, lines);
        csv->overflow_said = csv->overflow_said || part->overflows > 0;
        SHW_PROPAGATE(report(csv, &part->error, lines));
        SHW_PROPAGATE(add_classes(csv, part, lines));
        close_gap(csv, part, *records);
        *records += part->count;
        lines += part->lines;
    }
    csv->buffer.lines = lines;
    return SHW_OK;
}

static enum shw_result reserve(struct shw_csv *csv, size_t records)
{
    const struct shw_table_columns *columns = &csv->columns;
    const bool has_truth = columns->truth != SHW_COLUMN_NONE;

    if (records <= csv->capacity)
        return SHW_OK;
    free(csv->values);
    free(csv->classes);
    free(csv->targets);
    csv->classes = NULL;
    csv->targets = NULL;
    csv->capacity = (uint32_t)records;
    csv->values = malloc((records * columns->attribute_count + 1) * sizeof *csv->values);
    free(csv->doubles);
    csv->doubles =
        csv->params->doubles ? malloc((records * columns->attribute_count + 1) * sizeof *csv->doubles) : NULL;
    if (has_truth && csv->params->truth == SHW_TABLE_CLASSES)
        csv->classes = malloc(records * sizeof *csv->classes);
    else if (has_truth)
        csv->targets = malloc(records * sizeof *csv->targets);
    if (csv->values == NULL || (csv->params->doubles && csv->doubles == NULL) ||
        (has_truth && csv->classes == NULL && csv->targets == NULL))
        return shw_fail_memory(&csv->params->log, csv->name);
    return SHW_OK;
}

/* Divides the buffer. A record has a byte per field at least, so that each part has room for all of its records. */
static enum shw_result make_parts(struct shw_csv *csv, uint32_t *count)
{
    const struct shw_text_buffer *buffer = &csv->buffer;
    const char *begin = buffer->text + buffer->begin, *ends[PARTS_MAX];
    const size_t size = buffer->end - buffer->begin;
    size_t records = 0;

    *count = (uint32_t)(size / PART_BYTES) + 1;
    if (*count > csv->part_count)
        *count = csv->part_count;
    divide(buffer, *count, ends);
    for (uint32_t i = 0; i < *count; i++) {
        struct shw_csv_part *part = &csv->parts[i];

        *part = (struct shw_csv_part){.csv = csv,
                                      .begin = begin,
                                      .end = ends[i],
                                      .first = (uint32_t)records,
                                      .classes = part->classes,
                                      .class_capacity = part->class_capacity};
        records += (size_t)(ends[i] - begin) / csv->columns.count + 1;
        begin = ends[i];
    }
    return reserve(csv, records);
}

static enum shw_result read_rows(struct shw_csv *csv, struct shw_table_block *block)
{
    struct shw_text_buffer *buffer = &csv->buffer;
    uint32_t count;

    SHW_PROPAGATE(make_parts(csv, &count));
    shw_thread_pool_run(csv->pool, count, read_part, csv->parts);
    buffer->begin = (size_t)(csv->parts[count - 1].end - buffer->text);
    *block = (struct shw_table_block){.first = csv->count,
                                      .values = csv->values,
                                      .doubles = csv->doubles,
                                      .classes = csv->classes,
                                      .targets = csv->targets};
    SHW_PROPAGATE(join_parts(csv, count, &block->count));
    csv->count += block->count;
    return SHW_OK;
}

static void free_rows(struct shw_csv *csv)
{
    for (uint32_t i = 0; csv->parts != NULL && i < csv->part_count; i++)
        free(csv->parts[i].classes);
    free(csv->parts);
    csv->parts = NULL;
    free(csv->values);
    free(csv->classes);
    free(csv->targets);
    free(csv->doubles);
    csv->doubles = NULL;
    csv->values = csv->targets = NULL;
    csv->classes = NULL;
}

static enum shw_result create_parts(struct shw_csv *csv)
{
    uint32_t threads;

    if (shw_thread_pool_create(csv->params->threads, &csv->pool) != SHW_OK)
        return shw_fail_memory(&csv->params->log, csv->name);
    threads = shw_thread_pool_size(csv->pool);
    csv->part_count = threads < PARTS_MAX ? threads : PARTS_MAX;
    csv->parts = calloc(csv->part_count, sizeof *csv->parts);
    return csv->parts != NULL ? SHW_OK : shw_fail_memory(&csv->params->log, csv->name);
}

static void close_csv(void *state)
{
    struct shw_csv *csv = state;

    free_rows(csv);
    shw_text_buffer_free(&csv->buffer);
    shw_table_columns_free(&csv->columns);
    shw_thread_pool_destroy(&csv->pool);
    free(csv);
}

/* What is of no other format is text. */
static bool recognise_csv(const struct shw_byte_source *source)
{
    (void)source;
    return true;
}

static enum shw_result open_csv(struct shw_byte_source *source, const struct shw_table_params *params, void **state)
{
    struct shw_csv *csv = calloc(1, sizeof *csv);
    enum shw_result result;

    if (csv == NULL)
        return shw_fail_memory(&params->log, source->name);
    csv->buffer.source = source;
    csv->params = params;
    csv->name = source->name;
    SHW_TRY(shw_csv_find_layout(csv));
    SHW_TRY(create_parts(csv));
    *state = csv;
    return SHW_OK;

fail:
    close_csv(csv);
    return result;
}

static const struct shw_table_columns *get_columns(const void *state)
{
    return &((const struct shw_csv *)state)->columns;
}

/* Reads until there are records: the buffer may hold only comments, or the beginning of a long record. */
static enum shw_result read_csv(void *state, struct shw_table_block *block)
{
    struct shw_csv *csv = state;
    struct shw_text_buffer *buffer = &csv->buffer;

    for (;;) {
        const size_t begin = buffer->begin;

        SHW_PROPAGATE(read_rows(csv, block));
        if (block->count > 0 || (buffer->at_end && buffer->begin == buffer->end))
            return SHW_OK;
        if (buffer->at_end)
            return shw_fail(&csv->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %llu: a quotation mark is not closed", csv->name,
                            (unsigned long long)buffer->lines + 1);
        if (buffer->begin == begin && buffer->begin == 0 && buffer->end == buffer->capacity)
            SHW_PROPAGATE(shw_csv_buffer_grow(buffer));
        else
            SHW_PROPAGATE(shw_text_buffer_fill(buffer));
    }
}

const struct shw_table_format shw_table_csv = {recognise_csv, open_csv, get_columns, read_csv, close_csv, true, false};
