#include "files/dataset/examples.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/dataset/pattern.h"
#include "files/io/file_bytes.h"

/* The line without surrounding white space; false if it has no name. */
static bool trim(const char **start, const char **end)
{
    static const char space[] = " \t\r\f\v";

    while (*start < *end && strchr(space, **start) != NULL)
        ++*start;
    while (*end > *start && strchr(space, (*end)[-1]) != NULL)
        --*end;
    return *start < *end && **start != '#';
}

/* The length of the name without ".png" and the like. */
static size_t without_extension(const char *name, size_t length)
{
    for (size_t i = length; i > 1 && name[i - 1] != '/'; i--)
        if (name[i - 1] == '.' && name[i - 2] != '/')
            return i - 1;
    return length;
}

/* The position of a line in a split file. */
struct line {
    const char *split;
    unsigned number;
    const char *name;
    size_t length;
};

/* Sets *missing to the pattern's file if it does not exist; it is then to be released with free(). */
static enum shw_result find_missing(const char *pattern, const struct line *line, const struct shw_log *log,
                                    char **missing)
{
    *missing = pattern != NULL ? shw_pattern_fill(pattern, line->name, line->length) : NULL;
    if (pattern != NULL && *missing == NULL)
        return shw_fail_memory(log, "a file name");
    if (*missing != NULL && shw_is_file(*missing)) {
        free(*missing);
        *missing = NULL;
    }
    return SHW_OK;
}

/* Fails unless the pattern's file exists. */
static enum shw_result require(const char *pattern, const char *what, const struct line *line,
                               const struct shw_log *log)
{
    char *missing;

    SHW_PROPAGATE(find_missing(pattern, line, log, &missing));
    if (missing == NULL)
        return SHW_OK;
    shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: \"%.*s\" has no %s file %s", line->split,
             line->number, line->length < 256 ? (int)line->length : 256, line->name, what, missing);
    free(missing);
    return SHW_ERROR_FORMAT;
}

/* Shortens the line to the name whose files exist. */
static enum shw_result check_line(const struct shw_example_patterns *patterns, struct line *line,
                                  const struct shw_log *log)
{
    struct line shortened = *line;
    char *missing;

    SHW_PROPAGATE(find_missing(patterns->images, line, log, &missing));
    if (missing != NULL) {
        free(missing);
        shortened.length = without_extension(line->name, line->length);
        SHW_PROPAGATE(find_missing(patterns->images, &shortened, log, &missing));
        *line = missing == NULL ? shortened : *line;
        free(missing);
    }
    SHW_PROPAGATE(require(patterns->images, "image", line, log));
    SHW_PROPAGATE(require(patterns->labels, "label", line, log));
    for (uint32_t i = 0; i < patterns->input_count; i++)
        SHW_PROPAGATE(require(patterns->inputs[i].path, patterns->inputs[i].name, line, log));
    return SHW_OK;
}

/* Notes the sequence and the line of the name that was appended last. */
static void note_line(struct shw_names *names)
{
    names->names[names->count - 1].sequence = names->sequence;
    names->names[names->count - 1].line = (uint32_t)names->count;
}

static enum shw_result read_split(const struct shw_example_patterns *patterns, const char *split, const char *text,
                                  size_t size, const struct shw_log *log, struct shw_names *names)
{
    const char *end_of_text;
    struct line line = {.split = split};
    size_t before = names->count;
    enum shw_result result = SHW_OK;

    names->sequence++;
    text = shw_skip_byte_order_mark(text, &size);
    end_of_text = text + size;
    while (text < end_of_text && result == SHW_OK) {
        const char *newline = memchr(text, '\n', (size_t)(end_of_text - text));
        const char *end = newline != NULL ? newline : end_of_text;

        line.number++;
        line.name = text;
        text = end + 1;
        if (!trim(&line.name, &end))
            continue;
        line.length = (size_t)(end - line.name);
        if (line.length == 3 && memcmp(line.name, "---", 3) == 0) {
            names->has_sequences = true;
            names->sequence++;
            continue;
        }
        if (memchr(line.name, '\0', line.length) != NULL)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: this is not a list of names", split,
                            line.number);
        result = check_line(patterns, &line, log);
        if (result == SHW_OK)
            result = shw_names_append(names, line.name, line.length, log);
        if (result == SHW_OK)
            note_line(names);
    }
    if (result == SHW_OK && names->count == before)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s lists no name", split);
    return result;
}

enum shw_result shw_names_read_splits(const struct shw_example_patterns *patterns, const char *const *splits,
                                      uint32_t split_count, const struct shw_log *log, struct shw_names *names)
{
    struct shw_names listed = {0};
    enum shw_result result = SHW_OK;
    size_t twice = 0;

    for (uint32_t i = 0; i < split_count && result == SHW_OK; i++) {
        struct shw_file_bytes bytes;

        result = shw_file_bytes_read(splits[i], SHW_TEXT_FILE_MAX, log, &bytes);
        if (result == SHW_OK)
            result = read_split(patterns, splits[i], (const char *)bytes.bytes, bytes.size, log, &listed);
        shw_file_bytes_free(&bytes);
    }
    if (result == SHW_OK)
        result = shw_names_arrange(&listed, log, &twice);
    if (result != SHW_OK) {
        shw_names_free(&listed);
        return result;
    }
    if (twice != 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%zu names are listed more than once; duplicates are ignored", twice);
    *names = listed;
    return SHW_OK;
}
