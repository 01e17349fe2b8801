#include "files/tables/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/log.h"
#include "base/text.h"
#include "files/tables/format.h"

static enum shw_result fail_read(const struct shw_byte_source *source, int error)
{
    return shw_fail(&source->log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "cannot read %s: %s", source->name, strerror(error));
}

/* read() or pread(), repeated until all is there. */
static enum shw_result read_fully(const struct shw_byte_source *source, const uint64_t *offset, char *to, size_t size,
                                  size_t *count)
{
    for (*count = 0; *count < size;) {
        const ssize_t some = offset != NULL ? pread(source->descriptor, to + *count, size - *count,
                                                    (off_t)(source->origin + *offset + *count))
                                            : read(source->descriptor, to + *count, size - *count);
        if (some < 0 && errno == EINTR)
            continue;
        if (some < 0)
            return fail_read(source, errno);
        if (some == 0)
            break;
        *count += (size_t)some;
    }
    return SHW_OK;
}

/* Accepts a zero-initialised one that was never opened. */
static void close_source(struct shw_byte_source *source)
{
    if (source->name != NULL && source->descriptor > STDIN_FILENO)
        close(source->descriptor);
    *source = (struct shw_byte_source){0};
}

/* Opens a path, which must outlive the source; "-" is standard input. Errors: IO. On failure there is nothing to close.
 */
static enum shw_result open_source(struct shw_byte_source *source, const char *path, const struct shw_log *log)
{
    const bool is_standard_input = strcmp(path, "-") == 0;
    struct stat status;
    off_t origin;
    enum shw_result result;

    *source = (struct shw_byte_source){.name = is_standard_input ? "standard input" : path, .log = *log};
    source->descriptor = STDIN_FILENO;
    if (!is_standard_input)
        SHW_PROPAGATE(shw_input_open(path, SHW_INPUT_MAY_BE_PIPE, log, &source->descriptor, &status));
    else if (fstat(STDIN_FILENO, &status) != 0)
        status.st_mode = 0;
    if (S_ISREG(status.st_mode)) {
        origin = lseek(source->descriptor, 0, SEEK_CUR);
        source->is_file = origin >= 0 && origin <= status.st_size;
        source->origin = source->is_file ? (uint64_t)origin : 0;
        source->size = source->is_file ? (uint64_t)(status.st_size - origin) : 0;
    }
    result = read_fully(source, NULL, (char *)source->start, sizeof source->start, &source->start_size);
    if (result != SHW_OK)
        close_source(source);
    return result;
}

enum shw_result shw_byte_source_read(struct shw_byte_source *source, void *to, size_t size, size_t *count)
{
    size_t taken = source->start_size - source->start_taken;
    enum shw_result result;

    if (taken > size)
        taken = size;
    memcpy(to, source->start + source->start_taken, taken);
    source->start_taken += taken;
    result = read_fully(source, NULL, (char *)to + taken, size - taken, count);
    *count += taken;
    source->taken += *count;
    return result;
}

enum shw_result shw_byte_source_read_at(struct shw_byte_source *source, uint64_t offset, void *to, size_t size,
                                        size_t *count)
{
    const enum shw_result result = read_fully(source, &offset, to, size, count);

    source->taken += *count;
    return result;
}

#define CAPACITY_FIRST ((size_t)1 << 16)
#define CAPACITY_USUAL ((size_t)1 << 23)
#define BYTES_AFTER    2u /* a newline and a zero byte */

static enum shw_result resize_text(struct shw_text_buffer *buffer, size_t capacity)
{
    char *text = realloc(buffer->text, capacity + BYTES_AFTER);

    if (text == NULL)
        return shw_fail_memory(&buffer->source->log, buffer->source->name);
    buffer->text = text;
    buffer->capacity = capacity;
    return SHW_OK;
}

enum shw_result shw_text_buffer_fill(struct shw_text_buffer *buffer)
{
    const size_t left = buffer->end - buffer->begin;
    size_t count;

    if (buffer->at_end)
        return SHW_OK;
    if (left > 0)
        memmove(buffer->text, buffer->text + buffer->begin, left);
    buffer->begin = 0;
    buffer->end = left;
    if (buffer->capacity == 0)
        SHW_PROPAGATE(resize_text(buffer, CAPACITY_FIRST));
    else if (left == buffer->capacity || buffer->capacity < CAPACITY_USUAL)
        SHW_PROPAGATE(resize_text(buffer, 2 * buffer->capacity));
    SHW_PROPAGATE(shw_byte_source_read(buffer->source, buffer->text + left, buffer->capacity - left, &count));
    buffer->end += count;
    buffer->at_end = buffer->end < buffer->capacity;
    if (buffer->at_end && buffer->end > 0 && buffer->text[buffer->end - 1] != '\n')
        buffer->text[buffer->end++] = '\n';
    buffer->text[buffer->end] = '\0';
    return SHW_OK;
}

void shw_text_buffer_free(struct shw_text_buffer *buffer)
{
    free(buffer->text);
    *buffer = (struct shw_text_buffer){0};
}

struct shw_table {
    struct shw_table_params params;
    struct shw_byte_source source;
    const struct shw_table_format *format;
    void *state;
    struct shw_table_info info;
    struct table_labels *labels; /* NULL: none */
};

/* Classes or targets in a table of their own, of one column. */

struct table_labels {
    const char *path;
    struct shw_log log;
    struct shw_table *table;
    struct shw_table_block block; /* of which `taken` belong to records before */
    uint32_t taken;
    uint32_t *words; /* classes or the bits of targets, of a block of the other table */
    uint32_t capacity;
    bool is_classes;
};

/* Accepts NULL and a pointer to NULL. */
static void table_labels_close(struct table_labels **labels)
{
    if (labels == NULL || *labels == NULL)
        return;
    shw_table_close(&(*labels)->table);
    free((*labels)->words);
    free(*labels);
    *labels = NULL;
}

static enum shw_result open_table(const char *path, const struct shw_table_params *params, struct shw_table **opened);

/* Opens params->labels, to be read as params->truth. Errors as of shw_table_open(). */
static enum shw_result table_labels_open(const struct shw_table_params *params, struct table_labels **opened)
{
    struct table_labels *labels = calloc(1, sizeof *labels);
    const struct shw_table_params own = {.delimiter = params->delimiter,
                                         .header = params->header,
                                         .truth = params->truth,
                                         .class_column = "1",
                                         .classes = params->classes,
                                         .threads = params->threads,
                                         .log = params->log};
    enum shw_result result;

    if (labels == NULL)
        return shw_fail_memory(&params->log, params->labels);
    labels->path = params->labels;
    labels->log = params->log;
    labels->is_classes = params->truth == SHW_TABLE_CLASSES;
    result = open_table(params->labels, &own, &labels->table);
    if (result == SHW_OK && shw_table_get_info(labels->table)->attribute_count > 0)
        result = shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %u columns; labels have one",
                          params->labels, shw_table_get_info(labels->table)->attribute_count + 1);
    if (result != SHW_OK)
        table_labels_close(&labels);
    *opened = labels;
    return result;
}

/* Of the table that has them. */
static const struct shw_table_info *table_labels_get_info(const struct table_labels *labels)
{
    return shw_table_get_info(labels->table);
}

/* Reads the next block when this one is used up. *ended: there is none. */
static enum shw_result look_ahead(struct table_labels *labels, bool *ended)
{
    if (labels->taken == labels->block.count) {
        SHW_PROPAGATE(shw_table_read(labels->table, &labels->block));
        labels->taken = 0;
    }
    *ended = labels->block.count == 0;
    return SHW_OK;
}

static enum shw_result reserve_labels(struct table_labels *labels, uint32_t count)
{
    if (count <= labels->capacity)
        return SHW_OK;
    free(labels->words);
    labels->words = malloc(count * sizeof *labels->words);
    labels->capacity = labels->words != NULL ? count : 0;
    return labels->words != NULL ? SHW_OK : shw_fail_memory(&labels->log, labels->path);
}

/* Adds their classes or targets to the next records of the table `name`, or checks at its end that there are no more.
 * Errors as of shw_table_read(); FORMAT if one table is longer than the other. */
static enum shw_result table_labels_read(struct table_labels *labels, const char *name, struct shw_table_block *block)
{
    bool ended;

    SHW_PROPAGATE(reserve_labels(labels, block->count));
    for (uint32_t done = 0; done < block->count;) {
        uint32_t some;
        const void *from;

        SHW_PROPAGATE(look_ahead(labels, &ended));
        if (ended)
            return shw_fail(&labels->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %s, and %s more records",
                            labels->path, shw_counted(block->first + done, "label", "labels").text, name);
        some = labels->block.count - labels->taken;
        some = some < block->count - done ? some : block->count - done;
        from = labels->is_classes ? (const void *)(labels->block.classes + labels->taken)
                                  : (const void *)(labels->block.targets + labels->taken);
        memcpy(labels->words + done, from, some * sizeof *labels->words);
        labels->taken += some;
        done += some;
    }
    if (labels->is_classes)
        block->classes = labels->words;
    else
        block->targets = (const float *)(const void *)labels->words;
    if (block->count > 0)
        return SHW_OK;
    SHW_PROPAGATE(look_ahead(labels, &ended));
    return ended ? SHW_OK
                 : shw_fail(&labels->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s has labels for more than the %llu records of %s%s", labels->path,
                            (unsigned long long)block->first, name,
                            table_labels_get_info(labels)->doubtful_line > 0
                                ? " (if its first record is a header: --header yes)"
                                : "");
}

static const struct shw_table_format *const formats[] = {&shw_table_npy, &shw_table_libsvm,
                                                         &shw_table_csv}; /* text is the last */

static const struct shw_table_format *recognise(const struct shw_byte_source *source)
{
    size_t i = 0;

    while (!formats[i]->recognise(source))
        i++;
    return formats[i];
}

/* Recognised by their first bytes; as text they would be reported to lack columns. */
static enum shw_result refuse_others(const struct shw_byte_source *source)
{
    static const struct {
        const char *begin, *what;
    } others[] = {{"\x1f\x8b", "compressed with gzip: decompress it first, or pipe it in with gzip -dc"},
                  {"BZh91AY&SY", "compressed with bzip2: decompress it first, or pipe it in with bzip2 -dc"},
                  {"\xfd\x37zXZ", "compressed with xz: decompress it first, or pipe it in with xz -dc"},
                  {"\x28\xb5\x2f\xfd", "compressed with zstd: decompress it first, or pipe it in with zstd -dc"},
                  {"PK\3\4", "a ZIP archive, as .npz and .xlsx are: write the table as CSV or NPY"},
                  {"\xabKTX", "a texture, such as a forest, not a table"}};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (source->start_size >= strlen(others[i].begin) &&
            memcmp(source->start, others[i].begin, strlen(others[i].begin)) == 0)
            return shw_fail(&source->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is %s", source->name, others[i].what);
    return SHW_OK;
}

static void take_info(struct shw_table *table)
{
    const struct shw_table_columns *columns = table->format->get_columns(table->state);
    const bool has_column = columns->truth != SHW_COLUMN_NONE;

    table->info = (struct shw_table_info){.attribute_count = columns->attribute_count,
                                          .attribute_names = (const char *const *)columns->attribute_names,
                                          .has_truth = has_column || table->labels != NULL,
                                          .truth_path = table->source.name,
                                          .doubtful_line = columns->doubtful_line};
    if (table->labels != NULL) {
        const struct shw_table_info *labels = table_labels_get_info(table->labels);

        table->info.truth_path = labels->truth_path;
        table->info.doubtful_line = labels->doubtful_line;
    }
    if (has_column) {
        table->info.class_number = columns->truth + 1;
        table->info.class_is_guess = columns->truth_is_guess;
    }
    if (has_column && columns->names != NULL && columns->names[columns->truth][0] != '\0')
        table->info.class_column = columns->names[columns->truth];
}

static enum shw_result open_table(const char *path, const struct shw_table_params *params, struct shw_table **opened)
{
    struct shw_table *table = calloc(1, sizeof *table);
    enum shw_result result;

    if (table == NULL)
        return shw_fail_memory(&params->log, path);
    table->params = *params;
    SHW_TRY(open_source(&table->source, path, &params->log));
    SHW_TRY(refuse_others(&table->source));
    table->format = recognise(&table->source);
    SHW_TRY(table->format->open(&table->source, &table->params, &table->state));
    if (params->labels != NULL)
        SHW_TRY(table_labels_open(params, &table->labels));
    take_info(table);
    *opened = table;
    return SHW_OK;

fail:
    shw_table_close(&table);
    return result;
}

static void warn_unused(const struct shw_table *table, const char *option, const char *why)
{
    shw_log_message(&table->params.log, SHW_LOG_WARNING, SHW_LOG_DATASET, "%s: %s has no effect: %s",
                    table->source.name, option, why);
}

enum shw_result shw_table_open(const char *path, const struct shw_table_params *params, struct shw_table **opened)
{
    const struct shw_table *table, *labels;

    SHW_PROPAGATE(open_table(path, params, opened));
    table = *opened;
    labels = table->labels != NULL ? table->labels->table : table;
    if (params->first_index_is_0 && !table->format->has_indices)
        warn_unused(table, "--first-index", "the table is not a libsvm file");
    if (params->delimiter != 0 && !table->format->has_layout && !labels->format->has_layout)
        warn_unused(table, "--delimiter", "the table is not delimited text");
    if (params->header != SHW_TABLE_HEADER_AUTO && !table->format->has_layout && !labels->format->has_layout)
        warn_unused(table, "--header", "the table is not delimited text");
    return SHW_OK;
}

const struct shw_table_info *shw_table_get_info(const struct shw_table *table)
{
    return &table->info;
}

enum shw_result shw_table_read(struct shw_table *table, struct shw_table_block *block)
{
    SHW_PROPAGATE(table->format->read(table->state, block));
    return table->labels != NULL ? table_labels_read(table->labels, table->source.name, block) : SHW_OK;
}

double shw_table_get_fraction(const struct shw_table *table)
{
    return table->source.size > 0 ? (double)table->source.taken / (double)table->source.size : 0;
}

void shw_table_close(struct shw_table **table)
{
    if (table == NULL || *table == NULL)
        return;
    table_labels_close(&(*table)->labels);
    if ((*table)->state != NULL)
        (*table)->format->close((*table)->state);
    close_source(&(*table)->source);
    free(*table);
    *table = NULL;
}

#define GROWTH_BYTES (UINT64_C(1) << 20) /* at least: sparse text makes wide records of a few bytes */

/* The first record of a table, which may be a header nevertheless. */
struct lead {
    const char *path;
    uint64_t line, record;
};

struct gathering {
    struct shw_table_records *records;
    struct lead *leads;
    uint32_t lead_count;
    uint64_t capacity; /* in records */
    const struct shw_log *log;
};

static bool resize(void *array, uint64_t count, size_t size)
{
    void *larger;

    if (size > 0 && count > SIZE_MAX / size)
        return false;
    larger = realloc(*(void **)array, (size_t)count * size + 1);
    if (larger != NULL)
        memcpy(array, &larger, sizeof larger);
    return larger != NULL;
}

static enum shw_result reserve(struct gathering *gathering, const struct shw_table_block *block, const char *path)
{
    struct shw_table_records *records = gathering->records;
    uint64_t capacity = gathering->capacity;

    if (records->count + block->count <= capacity)
        return SHW_OK;
    while (records->count + block->count > capacity)
        capacity =
            capacity + capacity / 2 + GROWTH_BYTES / (records->attribute_count + UINT64_C(1)) / sizeof(float) + 1;
    gathering->capacity = capacity;
    if (!resize(&records->values, capacity, records->attribute_count * sizeof *records->values) ||
        (block->classes != NULL && !resize(&records->classes, capacity, sizeof *records->classes)) ||
        (block->targets != NULL && !resize(&records->targets, capacity, sizeof *records->targets)))
        return shw_fail_memory(gathering->log, path);
    return SHW_OK;
}

static enum shw_result add_block(struct gathering *gathering, const struct shw_table_block *block, const char *path)
{
    struct shw_table_records *records = gathering->records;
    const size_t row = records->attribute_count;

    SHW_PROPAGATE(reserve(gathering, block, path));
    memcpy(records->values + records->count * row, block->values, block->count * row * sizeof *records->values);
    if (block->classes != NULL)
        memcpy(records->classes + records->count, block->classes, block->count * sizeof *records->classes);
    if (block->targets != NULL)
        memcpy(records->targets + records->count, block->targets, block->count * sizeof *records->targets);
    records->count += block->count;
    return SHW_OK;
}

static enum shw_result copy_names(struct gathering *gathering, const struct shw_table_info *info, const char *path)
{
    struct shw_table_records *records = gathering->records;

    records->attribute_count = info->attribute_count;
    records->class_number = info->class_number;
    records->class_is_guess = info->class_is_guess;
    if (info->class_column != NULL && (records->class_column = strdup(info->class_column)) == NULL)
        return shw_fail_memory(gathering->log, path);
    if (info->attribute_names == NULL)
        return SHW_OK;
    records->attribute_names = calloc(info->attribute_count + (size_t)1, sizeof *records->attribute_names);
    for (uint32_t a = 0; records->attribute_names != NULL && a < info->attribute_count; a++) {
        records->attribute_names[a] = strdup(info->attribute_names[a]);
        if (records->attribute_names[a] == NULL)
            return shw_fail_memory(gathering->log, path);
    }
    return records->attribute_names != NULL ? SHW_OK : shw_fail_memory(gathering->log, path);
}

static enum shw_result add_table(struct gathering *gathering, struct shw_table *table, const char *path)
{
    const struct shw_table_info *info = shw_table_get_info(table);
    struct shw_table_records *records = gathering->records;
    struct shw_table_block block;

    if (records->attribute_count == 0)
        SHW_PROPAGATE(copy_names(gathering, info, path));
    if (records->count > 0 && info->has_truth != (records->classes != NULL || records->targets != NULL))
        return shw_fail(gathering->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s has %s column of classes, unlike the tables before", path, info->has_truth ? "a" : "no");
    if (info->doubtful_line > 0)
        gathering->leads[gathering->lead_count++] =
            (struct lead){info->truth_path, info->doubtful_line, records->count};
    do {
        SHW_PROPAGATE(shw_table_read(table, &block));
        SHW_PROPAGATE(block.count > 0 ? add_block(gathering, &block, path) : SHW_OK);
    } while (block.count > 0);
    return SHW_OK;
}

/* Classes that have come with the records are renumbered in the order of their names. */
static enum shw_result sort_classes(struct gathering *gathering, struct shw_name_set *names)
{
    struct shw_table_records *records = gathering->records;
    uint32_t *places;

    if (records->classes == NULL || names->closed)
        return SHW_OK;
    places = calloc(names->count + (size_t)1, sizeof *places);
    if (places == NULL || !shw_name_set_sort(names, places)) {
        free(places);
        return shw_fail_memory(gathering->log, "the names of classes");
    }
    for (uint64_t r = 0; r < records->count; r++)
        if (records->classes[r] != SHW_NO_CLASS)
            records->classes[r] = places[records->classes[r]];
    free(places);
    return SHW_OK;
}

/* Whether no other record has the class of this one, while others share theirs. */
static bool is_alone(const struct shw_table_records *records, uint64_t record, uint32_t class_count)
{
    uint64_t classified = 0;

    if (record >= records->count || records->classes[record] == SHW_NO_CLASS)
        return false;
    for (uint64_t r = 0; r < records->count; r++) {
        if (r != record && records->classes[r] == records->classes[record])
            return false;
        classified += records->classes[r] != SHW_NO_CLASS;
    }
    return classified > class_count;
}

/* A header that is taken for a record has the name of its column for a class. */
static void warn_of_headers(const struct gathering *gathering, const struct shw_name_set *names)
{
    const struct shw_table_records *records = gathering->records;

    for (uint32_t i = 0; records->classes != NULL && i < gathering->lead_count; i++) {
        const struct lead *lead = &gathering->leads[i];

        if (is_alone(records, lead->record, names->count))
            shw_log_message(gathering->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                            "%s, line %llu: the class '%s' occurs in the first record alone; if that is a header: "
                            "--header yes",
                            lead->path, (unsigned long long)lead->line, names->names[records->classes[lead->record]]);
    }
}

static enum shw_result read_tables(struct gathering *gathering, const char *const *paths, uint32_t path_count,
                                   const struct shw_table_params *params)
{
    struct shw_table_records *records = gathering->records;
    struct shw_table_params own = *params;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < path_count && result == SHW_OK; i++) {
        struct shw_table *table = NULL;

        result = shw_table_open(paths[i], &own, &table);
        if (result == SHW_OK)
            result = add_table(gathering, table, paths[i]);
        shw_table_close(&table);
        if (own.attribute_count == 0) {
            own.attribute_count = records->attribute_count;
            own.attribute_names = params->by_position ? NULL : (const char *const *)records->attribute_names;
            own.is_continued = true;
            own.usual_column = records->class_column;
        }
    }
    return result;
}

enum shw_result shw_table_records_read(const char *const *paths, uint32_t path_count,
                                       const struct shw_table_params *params, struct shw_table_records *records)
{
    struct gathering gathering = {
        .records = records, .leads = calloc(path_count + (size_t)1, sizeof *gathering.leads), .log = &params->log};
    enum shw_result result;

    *records = (struct shw_table_records){0};
    result = gathering.leads != NULL ? read_tables(&gathering, paths, path_count, params)
                                     : shw_fail_memory(&params->log, "tables");
    if (result == SHW_OK)
        result = sort_classes(&gathering, params->classes);
    if (result == SHW_OK)
        warn_of_headers(&gathering, params->classes);
    else
        shw_table_records_free(records);
    free(gathering.leads);
    return result;
}

void shw_table_records_free(struct shw_table_records *records)
{
    for (uint32_t a = 0; records->attribute_names != NULL && a < records->attribute_count; a++)
        free(records->attribute_names[a]);
    free(records->attribute_names);
    free(records->class_column);
    free(records->values);
    free(records->classes);
    free(records->targets);
    *records = (struct shw_table_records){0};
}
