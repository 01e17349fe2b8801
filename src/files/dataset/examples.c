#include "files/dataset/examples.h"

#include <errno.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"

bool shw_is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

void shw_names_free(struct shw_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i].text);
    free(names->names);
    free(names->order);
    *names = (struct shw_names){0};
}
/* Appends a copy of the name. Errors: MEMORY. */
static enum shw_result names_append(struct shw_names *names, const char *name, size_t length, const struct shw_log *log)
{
    char *text = strndup(name, length);

    if (text == NULL || !SHW_RESERVE(names->names, names->capacity, names->count + 1)) {
        free(text);
        return shw_fail_memory(log, "the list of examples");
    }
    names->names[names->count++] = (struct shw_name){.text = text};
    return SHW_OK;
}

/* Compares names, then their lines. */
static int compare(const void *a, const void *b)
{
    const struct shw_name *one = a, *other = b;
    const int order = strcmp(one->text, other->text);

    return order != 0 ? order : (one->line > other->line) - (one->line < other->line);
}

/* Returns how many duplicates were removed. */
static size_t sort(struct shw_names *names)
{
    size_t kept = 0, dropped = 0;

    if (names->count != 0)
        qsort(names->names, names->count, sizeof *names->names, compare);
    for (size_t i = 0; i < names->count; i++) {
        if (kept != 0 && strcmp(names->names[kept - 1].text, names->names[i].text) == 0) {
            free(names->names[i].text);
            dropped++;
        } else {
            names->names[kept++] = names->names[i];
        }
    }
    names->count = kept;
    return dropped;
}

/* The length of the name's folder, with the slash. */
static size_t folder_length(const char *name)
{
    const char *slash = strrchr(name, '/');

    return slash != NULL ? (size_t)(slash - name) + 1 : 0;
}

bool shw_names_same_folder(const char *a, const char *b)
{
    size_t folder = folder_length(a);

    return folder == folder_length(b) && memcmp(a, b, folder) == 0;
}

/* Compares the folders of two names in natural order. */
static int compare_folders(const char *a, const char *b)
{
    char folders[2][PATH_MAX];

    if (shw_names_same_folder(a, b))
        return 0;
    snprintf(folders[0], sizeof folders[0], "%.*s", (int)folder_length(a), a);
    snprintf(folders[1], sizeof folders[1], "%.*s", (int)folder_length(b), b);
    return shw_natural_compare(folders[0], folders[1]);
}

/* Compares pointers to names: by line, otherwise in natural order, folder by folder. */
static int compare_for_people(const void *a, const void *b)
{
    const struct shw_name *one = *(const struct shw_name *const *)a, *other = *(const struct shw_name *const *)b;
    int order;

    if (one->line != other->line)
        return one->line < other->line ? -1 : 1;
    order = compare_folders(one->text, other->text);
    return order != 0 ? order : shw_natural_compare(one->text, other->text);
}

/* Compares pointers to names: folder by folder, in the order for people. */
static int compare_by_folder(const void *a, const void *b)
{
    const struct shw_name *one = *(const struct shw_name *const *)a, *other = *(const struct shw_name *const *)b;
    const int order = compare_folders(one->text, other->text);

    return order != 0 ? order : (one->place > other->place) - (one->place < other->place);
}

/* Whether two names that follow each other in that order are of one sequence. */
static bool are_of_one(const struct shw_names *names, const struct shw_name *one, const struct shw_name *other)
{
    if (names->has_sequences)
        return one->sequence == other->sequence;
    return folder_length(other->text) > 0 && shw_names_same_folder(one->text, other->text);
}
/* Sorts the names, removes duplicates, of which the first line counts, and finds out their order for people and the
 * previous frame of each: in a sequence that split files state or list, that of the line before; otherwise that of the
 * name before in natural order. *dropped: how many were removed. Errors: MEMORY. */
static enum shw_result names_arrange(struct shw_names *names, const struct shw_log *log, size_t *dropped)
{
    struct shw_name **sorted;

    *dropped = sort(names);
    sorted = malloc((names->count + 1) * sizeof *sorted);
    free(names->order);
    names->order = malloc((names->count + 1) * sizeof *names->order);
    if (sorted == NULL || names->order == NULL) {
        free(sorted);
        return shw_fail_memory(log, "the list of examples");
    }
    for (size_t i = 0; i < names->count; i++)
        sorted[i] = &names->names[i];
    if (names->count > 0)
        qsort(sorted, names->count, sizeof(struct shw_name *), compare_for_people);
    for (size_t i = 0; i < names->count; i++) {
        names->order[i] = (uint32_t)(sorted[i] - names->names);
        sorted[i]->place = (uint32_t)i;
        sorted[i]->previous = SHW_NO_NAME;
    }
    /* Sequences that are stated are in one piece already; folders may be listed in turns. */
    if (names->count > 0 && !names->has_sequences)
        qsort(sorted, names->count, sizeof(struct shw_name *), compare_by_folder);
    for (size_t i = 1; i < names->count; i++)
        if (are_of_one(names, sorted[i - 1], sorted[i]))
            sorted[i]->previous = (uint32_t)(sorted[i - 1] - names->names);
    free(sorted);
    return SHW_OK;
}

/* 1: the file exists, 0: it does not, -1: out of memory. */
static int has_file(const char *pattern, const char *name, size_t length)
{
    char *path = shw_pattern_fill(pattern, name, length);
    int there = path == NULL ? -1 : shw_image_has_file(path);

    free(path);
    return there;
}

/* Whether `path`, which also matches the image pattern, is the label image or another input of another example. */
static int belongs_to_other(const char *pattern, const char *images, const char *path)
{
    const char *name;
    size_t length;
    char *image;
    int belongs = 0;

    if (pattern == NULL || !shw_pattern_match(pattern, path, &name, &length))
        return 0;
    image = shw_pattern_fill(images, name, length);
    if (image == NULL)
        return -1;
    if (strcmp(image, path) != 0)
        belongs = shw_is_file(image);
    free(image);
    return belongs;
}

struct finding {
    const struct shw_example_patterns *patterns;
    const struct shw_log *log;
    struct shw_names *names;
    size_t lacking;         /* examples without a label file or an input */
    char *first_lack;       /* the image of the first of them in natural order */
    const char *lacks;      /* what that lacks first: "label", "depth" */
    const char *lacks_path; /* the pattern of its file */
};

static enum shw_result consider(struct finding *finding, const char *path)
{
    const struct shw_example_patterns *patterns = finding->patterns;
    const char *name, *lacks = NULL, *lacks_path = NULL;
    size_t length;

    if (!shw_pattern_match(patterns->images, path, &name, &length))
        return SHW_OK;
    for (uint32_t i = 0; i <= patterns->input_count; i++) {
        const char *pattern = i == 0 ? patterns->labels : patterns->inputs[i - 1].path;
        int other = belongs_to_other(pattern, patterns->images, path),
            has = pattern != NULL && other == 0 ? has_file(pattern, name, length) : 1;
        if (other < 0 || has < 0)
            return shw_fail_memory(finding->log, "a file name");
        if (other > 0)
            return SHW_OK;
        if (has == 0 && lacks == NULL) {
            lacks = i == 0 ? "label" : patterns->inputs[i - 1].name;
            lacks_path = pattern;
        }
    }
    if (lacks == NULL)
        return names_append(finding->names, name, length, finding->log);
    finding->lacking++;
    if (finding->first_lack == NULL || shw_natural_compare(path, finding->first_lack) < 0) {
        free(finding->first_lack);
        finding->first_lack = strdup(path);
        finding->lacks = lacks;
        finding->lacks_path = lacks_path;
    }
    return finding->first_lack != NULL ? SHW_OK : shw_fail_memory(finding->log, "a file name");
}

static enum shw_result walk(struct finding *finding, char *folder)
{
    char *folders[2] = {folder, NULL};
    enum shw_result result = SHW_OK;
    FTS *tree = fts_open(folders, FTS_LOGICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;

    if (tree == NULL)
        return shw_fail_memory(finding->log, folder);
    while (result == SHW_OK && (entry = fts_read(tree)) != NULL) {
        bool is_folder = entry->fts_info == FTS_D || entry->fts_info == FTS_DP;

        if (entry->fts_level == FTS_ROOTLEVEL && !is_folder)
            result = shw_fail(finding->log, SHW_ERROR_IO, SHW_LOG_DATASET, "cannot open the folder %s: %s", folder,
                              strerror(entry->fts_errno != 0 ? entry->fts_errno : ENOTDIR));
        else if (entry->fts_level > FTS_ROOTLEVEL && entry->fts_name[0] == '.')
            fts_set(tree, entry, FTS_SKIP); /* hidden */
        else if (entry->fts_info == FTS_F)
            result = consider(finding, entry->fts_path);
    }
    fts_close(tree);
    return result;
}

enum shw_result shw_names_find(const struct shw_example_patterns *patterns, const struct shw_log *log,
                               struct shw_names *names)
{
    struct shw_names found = {0};
    struct finding finding = {.patterns = patterns, .log = log, .names = &found};
    const char *place = strstr(patterns->images, "{}");
    char *folder = strndup(patterns->images, (size_t)(place - patterns->images));
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL; /* exists: joined patterns have a folder */
    enum shw_result result;
    size_t dropped;

    if (folder == NULL)
        return shw_fail_memory(log, "a folder's name");
    slash[slash == folder] = '\0';
    result = walk(&finding, folder);
    if (result == SHW_OK && found.count == 0 && finding.lacking == 0)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "no example found: %s matches no file%s%s",
                          patterns->images, patterns->hint != NULL ? "; say where the images are with " : "",
                          patterns->hint != NULL ? patterns->hint : "");
    else if (result == SHW_OK && found.count == 0)
        result =
            shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                     "no example found: of %zu images that match %s, none has all other files; %s has no %s image, %s",
                     finding.lacking, patterns->images, finding.first_lack, finding.lacks, finding.lacks_path);
    else if (result == SHW_OK && finding.lacking != 0)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%zu images are skipped that lack another file; the first, %s, has no %s image, %s",
                        finding.lacking, finding.first_lack, finding.lacks, finding.lacks_path);
    if (result == SHW_OK)
        result = names_arrange(&found, log, &dropped);
    free(finding.first_lack);
    free(folder);
    if (result != SHW_OK)
        shw_names_free(&found);
    else
        *names = found;
    return result;
}

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
    if (*missing != NULL && shw_image_has_file(*missing)) {
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
            result = names_append(names, line.name, line.length, log);
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
        result = names_arrange(&listed, log, &twice);
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
