#include "files/convert/scannet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/convert/fields.h"
#include "files/convert/frame_files.h"
#include "files/io/image_paths.h"

#define COLUMN_DEFAULT "nyu40class"
#define COLUMNS_MAX    1000u

/* A table being read. */
struct table {
    struct shw_lines lines;
    const char *name, *column;
    size_t id_place, name_place; /* of the columns */
    const struct shw_log *log;
};

/* The field at that place of a line; fields may be empty. False if there are fewer. */
static bool find_field(struct shw_field line, size_t place, struct shw_field *field)
{
    const char *end = line.start + line.length;

    for (;; place--) {
        const char *tab = line.start < end ? memchr(line.start, '\t', (size_t)(end - line.start)) : NULL;
        *field = (struct shw_field){line.start, (size_t)((tab != NULL ? tab : end) - line.start)};
        if (place == 0 || tab == NULL)
            return place == 0;
        line.start = tab + 1;
    }
}

static bool find_column(struct shw_field line, const char *name, size_t *place)
{
    struct shw_field field;

    for (*place = 0; *place < COLUMNS_MAX && find_field(line, *place, &field); ++*place)
        if (shw_field_is(&field, name))
            return true;
    return false;
}

static enum shw_result read_head(struct table *table)
{
    const char *missing = NULL;

    if (!shw_lines_next(&table->lines))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s is empty", table->name);
    if (!find_column(table->lines.line, "id", &table->id_place))
        missing = "id";
    else if (!find_column(table->lines.line, table->column, &table->name_place))
        missing = table->column;
    return missing == NULL ? SHW_OK
                           : shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                                      "%s, line 1: there is no column \"%s\" between tabs", table->name, missing);
}

static enum shw_result read_row(const struct table *table, struct shw_label_names *names)
{
    const unsigned number = table->lines.number;
    struct shw_field id, name;
    uint64_t value;
    char *copy;

    if (!find_field(table->lines.line, table->id_place, &id) ||
        !find_field(table->lines.line, table->name_place, &name))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s, line %u: there are too few columns",
                        table->name, number);
    if (!shw_field_number(&id, 65535, &value))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %u: \"%.*s\" is not a label's number from 0 to 65535", table->name, number,
                        shw_field_shown(&id), id.start);
    copy = shw_field_copy(&name);
    if (copy == NULL || !SHW_RESERVE(names->list, names->capacity, names->count + (size_t)1)) {
        free(copy);
        return shw_fail_memory(table->log, table->name);
    }
    names->list[names->count++] = (struct shw_label_name){(uint32_t)value, copy};
    if (copy[0] != '\0' && (strlen(copy) != name.length || !shw_class_name_is_valid(copy)))
        return shw_fail(table->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "%s, line %u: \"%.*s\" cannot be the name of a class", table->name, number,
                        shw_field_shown(&name), copy);
    return SHW_OK;
}

enum shw_result shw_scannet_names_decode(const void *bytes, size_t size, const char *name, const char *column,
                                         const struct shw_log *log, struct shw_label_names *names)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    struct table table = {.lines = {.at = text, .end = text + size},
                          .name = name,
                          .column = column != NULL ? column : COLUMN_DEFAULT,
                          .log = log};
    enum shw_result result = read_head(&table);

    *names = (struct shw_label_names){0};
    while (result == SHW_OK && shw_lines_next(&table.lines))
        if (table.lines.line.length > 0)
            result = read_row(&table, names);
    if (result == SHW_OK && names->count == 0)
        result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s names no label", name);
    if (result == SHW_OK)
        result = shw_label_names_sort(names, name, log);
    if (result != SHW_OK)
        shw_label_names_free(names);
    return result;
}

/* The same from a file. Errors: also IO, LIMIT. */
static enum shw_result read_names_file(const char *path, const char *column, const struct shw_log *log,
                                       struct shw_label_names *names)
{
    struct shw_file_bytes bytes = {0};
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = shw_scannet_names_decode(bytes.bytes, bytes.size, path, column, log, names);
    shw_file_bytes_free(&bytes);
    return result;
}

#define UNITS_DEFAULT 1000u
#define NAME_TABLE    "scannetv2-labels.combined.tsv"
#define DIGITS        6 /* of the names of frames, at least */

static bool recognise(const char *path)
{
    return shw_folder_has_folder(path, "color") && shw_folder_has_folder(path, "depth");
}

static bool is_image(const char *name)
{
    size_t digits = strspn(name, "0123456789");

    return digits > 0 && digits < 10 && name[digits] == '.' && shw_is_image_name(name);
}

/* depth/N.png; NULL if there is none, or memory is exhausted. */
static char *find_depth(const char *root, const char *number)
{
    char *folder = shw_path_in(root, "depth"), *path = folder != NULL ? shw_frame_label_path(folder, number) : NULL;

    free(folder);
    return path;
}

/* The number as a name that sorts by time. */
static char *make_name(const char *number)
{
    char name[32];

    snprintf(name, sizeof name, "%0*lu", DIGITS, strtoul(number, NULL, 10));
    return strdup(name);
}

/* Adds the frame of a colour image, unless there is no depth. */
static enum shw_result add_frame(const char *colours, const char *labels, struct shw_frame_files *files,
                                 uint32_t *missing)
{
    const char *start;
    size_t length;
    struct shw_frame_paths paths = {0};
    char *number;

    shw_frame_name_of(colours, &start, &length);
    number = strndup(start, length);
    if (number == NULL)
        return shw_fail_memory(&files->params->log, colours);
    paths.depth = find_depth(files->params->path, number);
    if (paths.depth == NULL) {
        ++*missing;
        free(number);
        return SHW_OK;
    }
    paths.name = make_name(number);
    paths.colours = strdup(colours);
    if (labels != NULL)
        paths.labels = shw_frame_label_path(labels, number);
    free(number);
    return shw_frame_files_add(files, &paths);
}

static enum shw_result add_frames(const char *labels, struct shw_frame_files *files)
{
    const struct shw_log *log = &files->params->log;
    char *folder = shw_path_in(files->params->path, "color");
    struct shw_image_paths paths = {0};
    uint32_t missing = 0;
    enum shw_result result;

    if (folder == NULL)
        return shw_fail_memory(log, files->params->path);
    result = shw_folder_list(folder, is_image, log, &paths);
    for (uint32_t i = 0; i < paths.count && result == SHW_OK; i++)
        result = add_frame(paths.paths[i], labels, files, &missing);
    if (result == SHW_OK && missing > 0 && missing < paths.count)
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "%s: %u of %u colour images have no depth image; they are left out", folder, missing,
                        paths.count);
    shw_image_paths_free(&paths);
    free(folder);
    return result;
}

/* The folder of label images: as stated, or the better one present. *labels is to be freed; NULL if there is none. */
static enum shw_result find_labels(const struct shw_source_params *params, char **labels)
{
    static const char *const folders[] = {"label-filt", "label"};

    *labels = NULL;
    if (params->label_folder != NULL) {
        *labels = strdup(params->label_folder);
        return *labels != NULL ? SHW_OK : shw_fail_memory(&params->log, params->path);
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders && *labels == NULL; i++)
        if (shw_folder_has_folder(params->path, folders[i])) {
            *labels = shw_path_in(params->path, folders[i]);
            return *labels != NULL ? SHW_OK : shw_fail_memory(&params->log, params->path);
        }
    return SHW_OK;
}

/* The table of names: as stated, or that in the folder of the scene or one of the two above. *path is to be freed; NULL
 * if there is none. */
static enum shw_result find_table(const struct shw_source_params *params, char **path)
{
    static const char *const places[] = {NAME_TABLE, "../" NAME_TABLE, "../../" NAME_TABLE};

    *path = params->label_names != NULL ? strdup(params->label_names) : NULL;
    if (params->label_names != NULL)
        return *path != NULL ? SHW_OK : shw_fail_memory(&params->log, params->path);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (shw_folder_has_file(params->path, places[i])) {
            *path = shw_path_in(params->path, places[i]);
            return *path != NULL ? SHW_OK : shw_fail_memory(&params->log, params->path);
        }
    return SHW_OK;
}

static enum shw_result read_names(const struct shw_source_params *params, struct shw_label_names *names)
{
    char *path;
    enum shw_result result;

    SHW_PROPAGATE(find_table(params, &path));
    result = path != NULL ? read_names_file(path, params->name_column, &params->log, names) : SHW_OK;
    free(path);
    return result;
}

static enum shw_result find_frames(struct shw_frame_files *files)
{
    char *labels = NULL;
    enum shw_result result = find_labels(files->params, &labels);

    if (result == SHW_OK)
        result = add_frames(labels, files);
    free(labels);
    return result;
}

static enum shw_result open_folder(const struct shw_source_params *params, void **source)
{
    struct shw_frame_files *files = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_frame_files_open(params, UNITS_DEFAULT, find_frames, &files));
    result = files->labelled > 0 ? read_names(params, &files->names) : SHW_OK;
    if (result == SHW_OK)
        *source = files;
    else
        shw_frame_files_close(files);
    return result;
}

const struct shw_source_kind shw_source_scannet = {
    .name = "scannet",
    .text = "a scene's folder with color/ and depth/ (ScanNet)",
    .is_video = true,
    .has_label_files = true,
    .has_name_table = true,
    .has_units = true,
    .recognise = recognise,
    .open = open_folder,
    SHW_FRAME_FILES_FUNCTIONS,
};
