#include "files/tables/results_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/io/mark.h"
#include "files/io/npy_header.h"

#define BEFORE_MARK "# Shadewood: records shard "
#define NO_DIGITS   "0000000000000000"
#define ARRAY       ".npy"

bool shw_shard_has_record(const struct shw_shard *shard, uint64_t record)
{
    return shard->count == 0 || record / SHW_RESULTS_BLOCK % shard->count + 1 == shard->number;
}

static bool is_part(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, BEFORE_MARK, "");
}

const struct shw_file_kind shw_file_results_part = {"records shard", "a shard of records", is_part, false};

struct shw_results_part {
    struct shw_log log;
    char *path;
    struct shw_atomic_file file;
    uint32_t count; /* of streams */
    struct {
        FILE *stream;
        char *bytes;
        size_t size;
    } streams[SHW_RESULTS_STREAMS_MAX];
};

static uint32_t stream_count(const json_t *about)
{
    const size_t arrays = json_array_size(json_object_get(about, "arrays"));

    return arrays > 0 ? (uint32_t)arrays : 1;
}

enum shw_result shw_results_part_open(const char *path, const json_t *about, const struct shw_log *log,
                                      struct shw_results_part **created)
{
    struct shw_results_part *part = calloc(1, sizeof *part);

    *created = part;
    if (part == NULL)
        return shw_fail_memory(log, path);
    part->log = *log;
    part->count = stream_count(about);
    part->path = strdup(path);
    if (part->path == NULL)
        return shw_fail_memory(log, path);
    SHW_PROPAGATE(shw_atomic_file_open(&part->file, path, log));
    fputs(BEFORE_MARK NO_DIGITS "\n", part->file.stream);
    json_dumpf(about, part->file.stream, JSON_COMPACT | JSON_SORT_KEYS);
    putc('\n', part->file.stream);
    return SHW_OK;
}

FILE *shw_results_part_stream(struct shw_results_part *part, uint32_t stream)
{
    if (part->streams[stream].stream == NULL)
        part->streams[stream].stream = open_memstream(&part->streams[stream].bytes, &part->streams[stream].size);
    return part->streams[stream].stream;
}

/* Closes the memory of a block. False if it was exhausted. */
static bool close_streams(struct shw_results_part *part)
{
    bool fine = true;

    for (uint32_t i = 0; i < part->count; i++) {
        fine = part->streams[i].stream != NULL && fclose(part->streams[i].stream) == 0 && fine;
        part->streams[i].stream = NULL;
    }
    return fine;
}

static void free_streams(struct shw_results_part *part)
{
    for (uint32_t i = 0; i < part->count; i++) {
        free(part->streams[i].bytes);
        part->streams[i].bytes = NULL;
        part->streams[i].size = 0;
    }
}

enum shw_result shw_results_part_end_block(struct shw_results_part *part, uint64_t records)
{
    FILE *stream = part->file.stream;
    const bool fine = close_streams(part);

    if (fine) {
        fprintf(stream, "%" PRIu64, records);
        for (uint32_t i = 0; i < part->count; i++)
            fprintf(stream, " %zu", part->streams[i].size);
        putc('\n', stream);
        for (uint32_t i = 0; i < part->count; i++)
            fwrite(part->streams[i].bytes, 1, part->streams[i].size, stream);
    }
    free_streams(part);
    if (!fine)
        return shw_fail_memory(&part->log, "results");
    return ferror(stream) == 0 ? SHW_OK
                               : shw_fail(&part->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "cannot write %s", part->path);
}

enum shw_result shw_results_part_commit(struct shw_results_part *part, const struct shw_output_files *files,
                                        uint64_t total)
{
    SHW_PROPAGATE(shw_output_files_look_again(files, part->path));
    fprintf(part->file.stream, "end %" PRIu64 "\n", total);
    return shw_mark_first_line(&part->file, part->path, sizeof BEFORE_MARK - 1, SHW_OK, &part->log);
}

void shw_results_part_destroy(struct shw_results_part **handle)
{
    struct shw_results_part *part = handle != NULL ? *handle : NULL;

    if (part == NULL)
        return;
    close_streams(part);
    free_streams(part);
    shw_atomic_file_abandon(&part->file);
    free(part->path);
    free(part);
    *handle = NULL;
}

/* One of the files that are put together. */
struct source {
    const char *path;
    FILE *stream;
    json_t *about;
};

struct shw_results_parts {
    struct shw_log log;
    struct source *sources; /* by the number of the shard, less 1 */
    uint32_t count;
    uint64_t records;

    uint32_t output_count;
    struct {
        char *path;
        struct shw_atomic_file file;
    } outputs[SHW_RESULTS_STREAMS_MAX];
};

/* The second line; NULL if it is none. */
static json_t *read_about(FILE *stream)
{
    char *line = NULL;
    size_t capacity = 0;
    json_t *about = NULL;
    ssize_t length = getline(&line, &capacity, stream);

    if (length > 0 && (length = getline(&line, &capacity, stream)) > 0)
        about = json_loadb(line, (size_t)length, 0, NULL);
    free(line);
    return about;
}

json_t *shw_results_part_read(const char *path)
{
    FILE *stream = is_part(path, NULL) ? fopen(path, "rb") : NULL;
    json_t *about = stream != NULL ? read_about(stream) : NULL;

    if (stream != NULL)
        fclose(stream);
    return about;
}

static enum shw_result open_source(const char *path, const struct shw_log *log, struct source *source)
{
    *source = (struct source){.path = path, .stream = fopen(path, "rb")};
    if (source->stream == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s", path);
    source->about = is_part(path, NULL) ? read_about(source->stream) : NULL;
    return source->about != NULL ? SHW_OK
                                 : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT,
                                            "%s is no shard of records, or was changed since it was written", path);
}

static void close_source(struct source *source)
{
    if (source->stream != NULL)
        fclose(source->stream);
    json_decref(source->about);
    *source = (struct source){.path = NULL};
}

/* Refuses what differs from the first one. */
static enum shw_result check_alike(const struct source *source, const struct source *first, const struct shw_log *log)
{
    static const struct {
        const char *member, *text;
    } same[] = {{"list", "other tables"}, {"settings", "another model or other options"}, {"arrays", "other results"}};

    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (!json_equal(json_object_get(source->about, same[i].member), json_object_get(first->about, same[i].member)))
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is of %s than %s", source->path,
                            same[i].text, first->path);
    return SHW_OK;
}

/* Puts a file in its place, or closes it. */
static enum shw_result add_source(struct shw_results_parts *parts, struct source *source, const struct source *first)
{
    const json_t *shard = json_object_get(source->about, "shard");
    const json_int_t number = json_integer_value(json_array_get(shard, 0)),
                     count = json_integer_value(json_array_get(shard, 1));
    enum shw_result result = SHW_OK;

    if (number < 1 || number > count || count != (json_int_t)parts->count)
        result = shw_fail(&parts->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is of %lld shards, and %s of %u",
                          source->path, (long long)count, first != NULL ? first->path : source->path, parts->count);
    else if (parts->sources[number - 1].path != NULL)
        result = shw_fail(&parts->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "shard %lld of %u is there twice: %s",
                          (long long)number, parts->count, source->path);
    else if (first != NULL)
        result = check_alike(source, first, &parts->log);
    if (result == SHW_OK)
        parts->sources[number - 1] = *source;
    else
        close_source(source);
    return result;
}

static enum shw_result check_all(const struct shw_results_parts *parts)
{
    bool *there = calloc(parts->count + (size_t)1, sizeof *there);
    enum shw_result result;

    if (there == NULL)
        return shw_fail_memory(&parts->log, "the list of shards");
    for (uint32_t i = 0; i < parts->count; i++)
        there[i + 1] = parts->sources[i].path != NULL;
    result = shw_shards_check_all(there, parts->count, &parts->log);
    free(there);
    return result;
}

static const struct source *any_of(const struct shw_results_parts *parts)
{
    for (uint32_t i = 0; i < parts->count; i++)
        if (parts->sources[i].path != NULL)
            return &parts->sources[i];
    return NULL;
}

enum shw_result shw_results_parts_open(char **paths, int count, const struct shw_log *log,
                                       struct shw_results_parts **created)
{
    struct shw_results_parts *parts = calloc(1, sizeof *parts);

    *created = parts;
    if (parts == NULL)
        return shw_fail_memory(log, "the list of shards");
    parts->log = *log;
    for (int i = 0; i < count; i++) {
        struct source source;
        enum shw_result result = open_source(paths[i], log, &source);
        const json_int_t of = json_integer_value(json_array_get(json_object_get(source.about, "shard"), 1));

        if (result == SHW_OK && i == 0) {
            parts->count = of >= 1 && of <= (json_int_t)SHW_SHARDS_MAX ? (uint32_t)of : 0;
            parts->sources = calloc(parts->count + (size_t)1, sizeof *parts->sources);
            result = parts->sources != NULL ? SHW_OK : shw_fail_memory(log, "the list of shards");
        }
        if (result != SHW_OK) {
            close_source(&source);
            return result;
        }
        SHW_PROPAGATE(add_source(parts, &source, any_of(parts)));
    }
    return check_all(parts);
}

static const json_t *arrays_of(const struct shw_results_parts *parts)
{
    return json_object_get(parts->sources[0].about, "arrays");
}

static const char *text_of(const json_t *object, const char *member)
{
    const char *text = json_string_value(json_object_get(object, member));

    return text != NULL ? text : "";
}

/* OUTPUT, or OUTPUT_NAME.npy of several arrays. NULL if memory is exhausted. */
/* Whether it is a text of at most 40 letters, digits and underscores, so that files can be named by it. */
static bool is_plain(const json_t *array, const char *member)
{
    const char *text = text_of(array, member);
    const size_t length = strlen(text);

    return length > 0 && length <= 40 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == length;
}

static char *name_output(const json_t *arrays, size_t i, const char *output)
{
    const size_t size = strlen(output) + 64, stem = strlen(output) - strlen(ARRAY);
    char *path = json_array_size(arrays) > 1 ? malloc(size) : strdup(output);

    if (path != NULL && json_array_size(arrays) > 1)
        snprintf(path, size, "%.*s_%.40s%s", (int)stem, output, text_of(json_array_get(arrays, i), "name"),
                 output + stem);
    return path;
}

enum shw_result shw_results_parts_name(struct shw_results_parts *parts, const char *output,
                                       struct shw_output_files *files)
{
    const json_t *arrays = arrays_of(parts);
    const size_t length = strlen(output), ending = strlen(ARRAY);
    const bool is_array = length > ending && strcasecmp(output + length - ending, ARRAY) == 0;

    if (is_array != (json_array_size(arrays) > 0))
        return shw_fail(&parts->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s: the shards have %s: choose a name %s .npy", output, is_array ? "CSV" : "arrays of NumPy",
                        is_array ? "without" : "with");
    parts->output_count = stream_count(parts->sources[0].about);
    if (parts->output_count > SHW_RESULTS_STREAMS_MAX)
        return shw_fail(&parts->log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT, "%s has too many arrays",
                        parts->sources[0].path);
    for (uint32_t i = 0; i < parts->output_count; i++) {
        if (is_array && !(is_plain(json_array_get(arrays, i), "name") && is_plain(json_array_get(arrays, i), "type")))
            return shw_fail(&parts->log, SHW_ERROR_FORMAT, SHW_LOG_ARGUMENT, "%s has arrays of no valid name or type",
                            parts->sources[0].path);
        parts->outputs[i].path = name_output(arrays, i, output);
        if (parts->outputs[i].path == NULL)
            return shw_fail_memory(&parts->log, output);
        shw_output_files_write(files, parts->outputs[i].path, is_array ? &shw_file_array : &shw_file_table);
    }
    return SHW_OK;
}

static enum shw_result fail_source(const struct shw_results_parts *parts, const struct source *source)
{
    return shw_fail(&parts->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_OPEN, "%s: its blocks cannot be read", source->path);
}

/* Copies bytes; to NULL: skips them. */
static bool copy_bytes(FILE *from, uint64_t size, FILE *to)
{
    char bytes[1 << 16];

    while (size > 0) {
        const size_t some = size < sizeof bytes ? (size_t)size : sizeof bytes;

        if (fread(bytes, 1, some, from) != some)
            return false;
        if (to != NULL)
            fwrite(bytes, 1, some, to); /* commit reports errors */
        size -= some;
    }
    return true;
}

/* The next block: *records, or *ended with the total. */
static bool read_block(struct shw_results_parts *parts, struct source *source, bool copies, uint64_t *records,
                       bool *ended)
{
    uint64_t sizes[SHW_RESULTS_STREAMS_MAX];

    *ended = fscanf(source->stream, "end %" SCNu64 "\n", records) == 1;
    if (*ended)
        return true;
    if (fscanf(source->stream, "%" SCNu64, records) != 1)
        return false;
    for (uint32_t i = 0; i < parts->output_count; i++)
        if (fscanf(source->stream, " %" SCNu64, &sizes[i]) != 1)
            return false;
    if (getc(source->stream) != '\n')
        return false;
    for (uint32_t i = 0; i < parts->output_count; i++)
        if (!copy_bytes(source->stream, sizes[i], copies ? parts->outputs[i].file.stream : NULL))
            return false;
    return true;
}

/* CSV begins with a header, which is that of the first shard. */
static enum shw_result copy_headers(struct shw_results_parts *parts)
{
    for (uint32_t i = 0; i < parts->count && json_array_size(arrays_of(parts)) == 0; i++) {
        uint64_t records;
        bool ended;

        if (!read_block(parts, &parts->sources[i], i == 0, &records, &ended) || ended || records > 0)
            return fail_source(parts, &parts->sources[i]);
    }
    return SHW_OK;
}

static enum shw_result copy_blocks(struct shw_results_parts *parts)
{
    uint64_t records, total = 0;
    uint32_t ended = 0;

    for (uint32_t i = 0; ended < parts->count; i = (i + 1) % parts->count) {
        bool ends;

        if (!read_block(parts, &parts->sources[i], true, &records, &ends) || (!ends && ended > 0))
            return fail_source(parts, &parts->sources[i]);
        ended += ends;
        total = ends ? records : total;
        parts->records += ends ? 0 : records;
        if (ends && total != parts->records)
            return fail_source(parts, &parts->sources[i]);
    }
    return SHW_OK;
}

static void end_array(const struct shw_results_parts *parts, uint32_t i)
{
    const json_t *array = json_array_get(arrays_of(parts), i);
    const uint64_t columns = (uint64_t)json_integer_value(json_object_get(array, "columns"));
    const uint64_t shape[2] = {parts->records, columns};
    char header[SHW_NPY_WRITTEN_SIZE];

    shw_npy_header_write(header, text_of(array, "type"), columns > 0 ? 2 : 1, shape);
    if (fseek(parts->outputs[i].file.stream, 0, SEEK_SET) == 0)
        fwrite(header, 1, sizeof header, parts->outputs[i].file.stream);
}

enum shw_result shw_results_parts_merge(struct shw_results_parts *parts, const struct shw_output_files *files)
{
    static const char room[SHW_NPY_WRITTEN_SIZE];
    const bool arrays = json_array_size(arrays_of(parts)) > 0;

    for (uint32_t i = 0; i < parts->output_count; i++) {
        SHW_PROPAGATE(shw_atomic_file_open(&parts->outputs[i].file, parts->outputs[i].path, &parts->log));
        if (arrays)
            fwrite(room, 1, sizeof room, parts->outputs[i].file.stream);
    }
    SHW_PROPAGATE(copy_headers(parts));
    SHW_PROPAGATE(copy_blocks(parts));
    for (uint32_t i = 0; i < parts->output_count; i++) {
        if (arrays)
            end_array(parts, i);
        SHW_PROPAGATE(shw_output_files_look_again(files, parts->outputs[i].path));
        SHW_PROPAGATE(shw_atomic_file_commit(&parts->outputs[i].file, &parts->log));
    }
    return SHW_OK;
}

uint32_t shw_results_parts_count(const struct shw_results_parts *parts)
{
    return parts->count;
}

uint64_t shw_results_parts_records(const struct shw_results_parts *parts)
{
    return parts->records;
}

void shw_results_parts_close(struct shw_results_parts **handle)
{
    struct shw_results_parts *parts = handle != NULL ? *handle : NULL;

    if (parts == NULL)
        return;
    for (uint32_t i = 0; i < parts->count && parts->sources != NULL; i++)
        close_source(&parts->sources[i]);
    for (uint32_t i = 0; i < parts->output_count; i++) {
        shw_atomic_file_abandon(&parts->outputs[i].file);
        free(parts->outputs[i].path);
    }
    free(parts->sources);
    free(parts);
    *handle = NULL;
}
