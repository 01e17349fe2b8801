#include "files/dataset/palette.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/class.h"
#include "base/log.h"
#include "files/dataset/forest_classes.h"
#include "files/io/file_bytes.h"
#include "files/io/file_kind.h"
#include "files/io/mark.h"

/* Returns the error in the entry, or NULL. The JSON value keeps the name. */
static const char *read_entry(const json_t *value, struct shw_palette_entry *entry)
{
    const json_t *name = json_object_get(value, "name");
    const json_t *colour = json_object_get(value, "colour");
    const json_t *is_void = json_object_get(value, "void");

    if (!json_is_object(value))
        return "is not an object";
    if (!json_is_string(name) || json_string_length(name) == 0)
        return "has no \"name\", a string that is not empty";
    if (!json_is_array(colour) || json_array_size(colour) != 3)
        return "has no \"colour\", a list of three numbers: red, green, blue";
    for (size_t c = 0; c < 3; c++) {
        const json_t *sample = json_array_get(colour, c);

        if (!json_is_integer(sample) || json_integer_value(sample) < 0 || json_integer_value(sample) > 255)
            return "has a \"colour\" with values other than integers from 0 to 255";
        entry->colour[c] = (uint8_t)json_integer_value(sample);
    }
    if (is_void != NULL && !json_is_boolean(is_void))
        return "has a \"void\" that is neither true nor false";
    entry->is_void = json_is_true(is_void);
    if (!entry->is_void && (strlen(json_string_value(name)) < json_string_length(name) ||
                            shw_class_name_fault(json_string_value(name)) != NULL))
        return "has a \"name\" that is not 1 to 255 bytes of UTF-8 without control characters";
    /* shw_palette_make() copies it */
    entry->name = (char *)(uintptr_t)json_string_value(name);
    return NULL;
}

static enum shw_result read_classes(const json_t *classes, bool numbers, const char *name, const struct shw_log *log,
                                    struct shw_palette *palette)
{
    size_t count = json_array_size(classes);
    struct shw_palette_entry *entries;
    enum shw_result result = SHW_OK;

    if (!json_is_array(classes))
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s: a palette is an object with a list \"classes\"",
                        name);
    if (count > SHW_CLASSES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_PALETTE, "%s: %zu entries; at most %u are possible", name, count,
                        SHW_CLASSES_MAX);
    entries = calloc(count + 1, sizeof *entries);
    if (entries == NULL)
        return shw_fail_memory(log, name);
    for (size_t i = 0; i < count && result == SHW_OK; i++) {
        const char *wrong = read_entry(json_array_get(classes, i), &entries[i]);

        if (wrong != NULL)
            result =
                shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s: entry %zu of \"classes\" %s", name, i, wrong);
    }
    if (result == SHW_OK)
        result = numbers ? shw_palette_make_numbers(entries, (uint32_t)count, name, log, palette)
                         : shw_palette_make(entries, (uint32_t)count, name, log, palette);
    free(entries);
    return result;
}

static enum shw_result decode(const void *bytes, size_t size, bool numbers, const char *name, const struct shw_log *log,
                              struct shw_palette *palette)
{
    json_error_t error;
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    json_t *root = json_loadb(text, size, 0, &error);
    enum shw_result result;

    if (root == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_PALETTE, "%s is not JSON: line %d, column %d: %s", name,
                        error.line, error.column, error.text);
    result = read_classes(json_object_get(root, "classes"), numbers, name, log, palette);
    json_decref(root);
    return result;
}

enum shw_result shw_palette_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_palette *palette)
{
    return decode(bytes, size, false, name, log, palette);
}

static enum shw_result read_file(const char *path, bool numbers, const struct shw_log *log, struct shw_palette *palette)
{
    struct shw_file_bytes bytes;
    enum shw_result result = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, log, &bytes);

    if (result == SHW_OK)
        result = decode(bytes.bytes, bytes.size, numbers, path, log, palette);
    shw_file_bytes_free(&bytes);
    return result;
}

static enum shw_result read_forest(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    struct shw_forest_load_params params = {0};
    struct shw_forest *forest = NULL;
    enum shw_result result;

    if (log != NULL)
        params.log = *log;
    SHW_PROPAGATE(shw_forest_load(path, &params, &forest));
    result = shw_forest_palette_make(shw_forest_get_info(forest), path, log, palette);
    shw_forest_destroy(&forest);
    return result;
}

enum shw_result shw_palette_read(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    if (shw_is_forest_file(path))
        return read_forest(path, log, palette);
    return read_file(path, false, log, palette);
}

enum shw_result shw_palette_read_numbers(const char *path, const struct shw_log *log, struct shw_palette *palette)
{
    return read_file(path, true, log, palette);
}

static json_t *pack_palette(const struct shw_palette *palette)
{
    json_t *classes = json_array();

    for (uint32_t i = 0; i < palette->entry_count && classes != NULL; i++) {
        const struct shw_palette_entry *entry = &palette->entries[i];
        json_t *packed = json_pack("{s:s, s:[i,i,i], s:b}", "name", entry->name, "colour", entry->colour[0],
                                   entry->colour[1], entry->colour[2], "void", (int)entry->is_void);

        if (json_array_append_new(classes, packed) != 0) {
            json_decref(classes);
            classes = NULL;
        }
    }
    return classes != NULL ? json_pack("{s:o}", "classes", classes) : NULL;
}

enum shw_result shw_palette_write(const char *path, const struct shw_palette *palette, const struct shw_log *log)
{
    json_t *root = pack_palette(palette);
    char *text = root != NULL && shw_mark_json(root, shw_file_palette.name) ? json_dumps(root, JSON_INDENT(1)) : NULL;
    enum shw_result result =
        text != NULL ? shw_atomic_file_write(path, text, strlen(text), log) : shw_fail_memory(log, path);

    free(text);
    json_decref(root);
    return result;
}
