#include "files/convert/tum.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/convert/fields.h"
#include "files/convert/frame_files.h"
#include "files/io/image_paths.h"

#define SEPARATORS  " \t,"
#define SECONDS_MAX UINT64_C(9000000000) /* of which the nanoseconds fit into 64 bits */
#define DECIMALS    9u
#define PAIRS_MAX   (UINT32_C(1) << 22) /* possible ones; of videos there are one or two per frame */

/* A list being read. */
struct reading {
    struct shw_lines lines;
    const char *name;
    const struct shw_log *log;
};

static struct reading begin(const void *bytes, size_t size, const char *name, const struct shw_log *log)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);

    return (struct reading){.lines = {.at = text, .end = text + size}, .name = name, .log = log};
}

static enum shw_result fail_line(const struct reading *reading, const char *reason)
{
    return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: %s", reading->name,
                    reading->lines.number, reason);
}

/* Advances to the next line that is not ignored. */
static bool next(struct reading *reading)
{
    while (shw_lines_next(&reading->lines)) {
        struct shw_field rest = reading->lines.line, first;
        if (shw_field_next(&rest, SEPARATORS, &first) && first.start[0] != '#')
            return true;
    }
    return false;
}

/* The time that a name begins with, in nanoseconds: "1305031102.175304.png". False if it has none. */
static bool time_of_name(const char *name, size_t length, int64_t *time)
{
    const char *point = memchr(name, '.', length);
    struct shw_field whole = {name, point != NULL ? (size_t)(point - name) : length};
    uint64_t seconds, fraction = 0;

    if (!shw_field_number(&whole, SECONDS_MAX, &seconds))
        return false;
    for (size_t d = 0, i = whole.length + 1; d < DECIMALS || i < length; d++, i++) {
        if (i < length && (name[i] < '0' || name[i] > '9'))
            return false;
        if (d < DECIMALS)
            fraction = 10 * fraction + (i < length ? (uint64_t)(name[i] - '0') : 0);
    }
    *time = (int64_t)(seconds * UINT64_C(1000000000) + fraction);
    return true;
}

/* Adds an image; takes ownership of the path, also on failure. Errors: MEMORY. */
static enum shw_result timed_list_add(struct shw_timed_list *list, int64_t time, char *path, const struct shw_log *log)
{
    if (path == NULL || !SHW_RESERVE(list->list, list->capacity, list->count + (size_t)1)) {
        free(path);
        return shw_fail_memory(log, "a list of images");
    }
    list->list[list->count++] = (struct shw_timed){time, path};
    return SHW_OK;
}

/* Removes "TIME PATH" from the line. */
static enum shw_result read_image(struct reading *reading, struct shw_timed_list *list)
{
    struct shw_field time_text, path;
    int64_t time;

    if (!shw_field_next(&reading->lines.line, SEPARATORS, &time_text) ||
        !shw_field_next(&reading->lines.line, SEPARATORS, &path))
        return fail_line(reading, "a time in seconds and a path are needed for each image");
    if (!time_of_name(time_text.start, time_text.length, &time))
        return shw_fail(reading->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %u: \"%.*s\" is not a time in seconds", reading->name, reading->lines.number,
                        shw_field_shown(&time_text), time_text.start);
    if (memchr(path.start, '\0', path.length) != NULL)
        return fail_line(reading, "this is not a list of images");
    return timed_list_add(list, time, shw_field_copy(&path), reading->log);
}

static enum shw_result end_line(struct reading *reading)
{
    struct shw_field more;

    return shw_field_next(&reading->lines.line, SEPARATORS, &more) ? fail_line(reading, "there are too many fields")
                                                                   : SHW_OK;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = ((const struct shw_timed *)a)->time, y = ((const struct shw_timed *)b)->time;

    return (x > y) - (x < y);
}

/* Sorts by time. Errors: FORMAT if a time occurs twice. */
static enum shw_result timed_list_sort(struct shw_timed_list *list, const char *name, const struct shw_log *log)
{
    if (list->count > 0)
        qsort(list->list, list->count, sizeof *list->list, compare_times);
    for (uint32_t i = 1; i < list->count; i++)
        if (list->list[i - 1].time == list->list[i].time)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: two images have the same time: %s and %s",
                            name, list->list[i - 1].path, list->list[i].path);
    return SHW_OK;
}

void shw_timed_list_free(struct shw_timed_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        free(list->list[i].path);
    free(list->list);
    *list = (struct shw_timed_list){0};
}

enum shw_result shw_timed_list_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_timed_list *list)
{
    struct reading reading = begin(bytes, size, name, log);
    enum shw_result result = SHW_OK;

    *list = (struct shw_timed_list){0};
    while (result == SHW_OK && next(&reading)) {
        result = read_image(&reading, list);
        if (result == SHW_OK)
            result = end_line(&reading);
    }
    if (result == SHW_OK)
        result = timed_list_sort(list, name, log);
    if (result != SHW_OK)
        shw_timed_list_free(list);
    return result;
}

static bool is_depth(const char *path)
{
    return strncmp(path, "depth", 5) == 0;
}

/* Swaps the two images added last if depth comes first. */
static void put_colours_first(struct shw_timed_list *colours, struct shw_timed_list *depth)
{
    struct shw_timed *first = &colours->list[colours->count - 1], *second = &depth->list[depth->count - 1], other;

    if (!is_depth(first->path) || is_depth(second->path))
        return;
    other = *first;
    *first = *second;
    *second = other;
}

enum shw_result shw_timed_pairs_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_timed_list *colours, struct shw_timed_list *depth)
{
    struct reading reading = begin(bytes, size, name, log);
    enum shw_result result = SHW_OK;

    *colours = *depth = (struct shw_timed_list){0};
    while (next(&reading)) {
        SHW_TRY(read_image(&reading, colours));
        SHW_TRY(read_image(&reading, depth));
        SHW_TRY(end_line(&reading));
        put_colours_first(colours, depth);
    }
    return SHW_OK;

fail:
    shw_timed_list_free(colours);
    shw_timed_list_free(depth);
    return result;
}

/* A possible pair. */
struct candidate {
    int64_t difference;
    struct shw_timed_pair pair;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct shw_timed_pair *one = a, *two = b;

    if (one->colours != two->colours)
        return one->colours < two->colours ? -1 : 1;
    return one->depth < two->depth ? -1 : one->depth > two->depth;
}

static int compare_candidates(const void *a, const void *b)
{
    const struct candidate *one = a, *two = b;

    if (one->difference != two->difference)
        return one->difference < two->difference ? -1 : 1;
    return compare_pairs(&one->pair, &two->pair);
}

struct candidates {
    struct candidate *list;
    uint32_t count, capacity;
};

static enum shw_result find_candidates(const struct shw_timed_list *colours, const struct shw_timed_list *depth,
                                       int64_t apart, const char *name, const struct shw_log *log,
                                       struct candidates *candidates)
{
    uint32_t first = 0;

    for (uint32_t c = 0; c < colours->count; c++) {
        const int64_t time = colours->list[c].time;
        while (first < depth->count && depth->list[first].time <= time - apart)
            first++;
        for (uint32_t d = first; d < depth->count && depth->list[d].time < time + apart; d++) {
            int64_t difference = depth->list[d].time - time;
            if (candidates->count == PAIRS_MAX)
                return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_DATASET,
                                "%s: more than %u pairs of images are near each other in time", name, PAIRS_MAX);
            if (!SHW_RESERVE(candidates->list, candidates->capacity, candidates->count + (size_t)1))
                return shw_fail_memory(log, name);
            candidates->list[candidates->count++] =
                (struct candidate){difference < 0 ? -difference : difference, {c, d}};
        }
    }
    return SHW_OK;
}

/* Chooses among the sorted candidates; `used` has a byte per colour image, then one per depth image. */
static void choose(const struct candidates *candidates, uint32_t colour_count, uint8_t *used,
                   struct shw_timed_pair *pairs, uint32_t *count)
{
    *count = 0;
    for (uint32_t i = 0; i < candidates->count; i++) {
        const struct shw_timed_pair *pair = &candidates->list[i].pair;
        uint8_t *colours = &used[pair->colours], *depth = &used[(size_t)colour_count + pair->depth];
        if (*colours || *depth)
            continue;
        *colours = *depth = 1;
        pairs[(*count)++] = *pair;
    }
    if (*count > 0)
        qsort(pairs, *count, sizeof *pairs, compare_pairs);
}

enum shw_result shw_timed_match(const struct shw_timed_list *colours, const struct shw_timed_list *depth, int64_t apart,
                                const char *name, const struct shw_log *log, struct shw_timed_pair **pairs,
                                uint32_t *count)
{
    struct candidates candidates = {0};
    uint8_t *used = calloc((size_t)colours->count + depth->count + 1, 1);
    enum shw_result result = SHW_OK;

    *pairs = malloc(((size_t)colours->count + 1) * sizeof **pairs);
    if (used == NULL || *pairs == NULL)
        SHW_TRY(shw_fail_memory(log, name));
    SHW_TRY(find_candidates(colours, depth, apart, name, log, &candidates));
    if (candidates.count > 0)
        qsort(candidates.list, candidates.count, sizeof *candidates.list, compare_candidates);
    choose(&candidates, colours->count, used, *pairs, count);
fail:
    if (result != SHW_OK) {
        free(*pairs);
        *pairs = NULL;
    }
    free(candidates.list);
    free(used);
    return result;
}

#define UNITS_DEFAULT    5000u
#define APART_DEFAULT_MS 20u

#define PAIR_LIST   "associations.txt"
#define COLOUR_LIST "rgb.txt"
#define DEPTH_LIST  "depth.txt"

static bool recognise(const char *path)
{
    return shw_folder_has_file(path, PAIR_LIST) ||
           (shw_folder_has_file(path, COLOUR_LIST) && shw_folder_has_file(path, DEPTH_LIST)) ||
           (shw_folder_has_folder(path, "rgb") && shw_folder_has_folder(path, "depth"));
}

/* What is found in the folder. */
struct lists {
    struct shw_timed_list colours, depth;
    bool paired; /* those of one position belong together */
};

/* Reads a file of the folder: PAIR_LIST into both lists, the others into one. */
static enum shw_result read_text(const char *folder, const char *name, const struct shw_log *log,
                                 struct shw_timed_list *list, struct shw_timed_list *partners)
{
    char *path = shw_path_in(folder, name);
    struct shw_file_bytes bytes = {0};
    enum shw_result result;

    if (path == NULL)
        return shw_fail_memory(log, folder);
    result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);
    if (result == SHW_OK)
        result = partners != NULL ? shw_timed_pairs_decode(bytes.bytes, bytes.size, path, log, list, partners)
                                  : shw_timed_list_decode(bytes.bytes, bytes.size, path, log, list);
    shw_file_bytes_free(&bytes);
    free(path);
    return result;
}

static bool is_image(const char *name)
{
    return name[0] != '.' && shw_is_image_name(name);
}

/* Makes a list of the images of a folder, whose names are their times. */
static enum shw_result list_images(const char *root, const char *name, const struct shw_log *log,
                                   struct shw_timed_list *list)
{
    char *folder = shw_path_in(root, name);
    struct shw_image_paths paths = {0};
    enum shw_result result;

    if (folder == NULL)
        return shw_fail_memory(log, root);
    result = shw_folder_list(folder, is_image, log, &paths);
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++) {
        const char *start = shw_path_last(paths.paths[i]);
        int64_t time;
        if (time_of_name(start, (size_t)(strrchr(start, '.') - start), &time))
            result = timed_list_add(list, time, shw_path_join(name, "/", start), log);
        else
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                              "%s: the name is not a time in seconds, and there is no %s that states it",
                              paths.paths[i], strcmp(name, "rgb") == 0 ? COLOUR_LIST : DEPTH_LIST);
    }
    if (result == SHW_OK)
        result = timed_list_sort(list, folder, log);
    shw_image_paths_free(&paths);
    free(folder);
    return result;
}

static enum shw_result find_lists(const char *folder, const struct shw_log *log, struct lists *lists)
{
    lists->paired = shw_folder_has_file(folder, PAIR_LIST);
    if (lists->paired)
        return read_text(folder, PAIR_LIST, log, &lists->colours, &lists->depth);
    SHW_PROPAGATE(shw_folder_has_file(folder, COLOUR_LIST) ? read_text(folder, COLOUR_LIST, log, &lists->colours, NULL)
                                                           : list_images(folder, "rgb", log, &lists->colours));
    return shw_folder_has_file(folder, DEPTH_LIST) ? read_text(folder, DEPTH_LIST, log, &lists->depth, NULL)
                                                   : list_images(folder, "depth", log, &lists->depth);
}

static enum shw_result add_frame(const struct lists *lists, struct shw_timed_pair pair, struct shw_frame_files *files)
{
    const char *folder = files->params->path, *colours = lists->colours.list[pair.colours].path, *name;
    struct shw_frame_paths paths = {0};
    size_t length;

    if (!shw_frame_name_of(colours, &name, &length))
        return shw_fail(&files->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s: a frame cannot have the name of the image \"%s\"", folder, colours);
    paths.name = strndup(name, length);
    paths.colours = shw_path_in(folder, colours);
    paths.depth = shw_path_in(folder, lists->depth.list[pair.depth].path);
    if (files->params->label_folder != NULL && paths.name != NULL)
        paths.labels = shw_frame_label_path(files->params->label_folder, paths.name);
    return shw_frame_files_add(files, &paths);
}

static enum shw_result add_frames(const struct lists *lists, struct shw_frame_files *files)
{
    const struct shw_source_params *params = files->params;
    uint32_t apart = params->apart_ms > 0 ? params->apart_ms : APART_DEFAULT_MS, count = 0;
    struct shw_timed_pair *pairs = NULL;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; lists->paired && i < lists->colours.count && result == SHW_OK; i++)
        result = add_frame(lists, (struct shw_timed_pair){i, i}, files);
    if (!lists->paired)
        result = shw_timed_match(&lists->colours, &lists->depth, (int64_t)apart * 1000000, params->path, &params->log,
                                 &pairs, &count);
    for (uint32_t i = 0; i < count && result == SHW_OK; i++)
        result = add_frame(lists, pairs[i], files);
    free(pairs);
    if (result == SHW_OK && !lists->paired && count > 0 && count < lists->colours.count)
        shw_log_message(&params->log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u of %u colour images have no depth image within %u ms; they are left out", params->path,
                        lists->colours.count - count, lists->colours.count, apart);
    return result;
}

static enum shw_result find_frames(struct shw_frame_files *files)
{
    struct lists lists = {0};
    enum shw_result result = find_lists(files->params->path, &files->params->log, &lists);

    if (result == SHW_OK)
        result = add_frames(&lists, files);
    shw_timed_list_free(&lists.colours);
    shw_timed_list_free(&lists.depth);
    return result;
}

static enum shw_result open_folder(const struct shw_source_params *params, void **source)
{
    struct shw_frame_files *files = NULL;

    SHW_PROPAGATE(shw_frame_files_open(params, UNITS_DEFAULT, find_frames, &files));
    *source = files;
    return SHW_OK;
}

const struct shw_source_kind shw_source_tum = {
    .name = "tum",
    .text = "a folder with rgb/ and depth/ (TUM's RGB-D benchmark)",
    .is_video = true,
    .measures_apart = true,
    .has_label_files = true,
    .has_units = true,
    .recognise = recognise,
    .open = open_folder,
    SHW_FRAME_FILES_FUNCTIONS,
};
