#include "files/output/classes_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/file_bytes.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "files/io/file_kind.h"
#include "files/io/mark.h"

#define INDICES_MAX 256u /* of a PNG palette; void in larger label images is SHW_LABEL_VOID */

static json_t *pack_class(uint32_t number, const struct shw_class *class, bool is_void)
{
    char colour[8];
    const uint8_t *c = class->colour;

    snprintf(colour, sizeof colour, "#%02x%02x%02x", c[0], c[1], c[2]);
    return json_pack("{s:i, s:s, s:[i,i,i], s:s, s:b}", "number", (int)number, "name", class->name, "colour", c[0],
                     c[1], c[2], "html", colour, "void", (int)is_void);
}

static json_t *pack(const struct shw_classes_file *file)
{
    struct shw_class none = {.name = "void"};
    uint32_t void_number = file->count < INDICES_MAX ? file->count : SHW_LABEL_VOID;
    json_t *classes = json_array(), *root = json_object();
    char hash[24];

    for (uint32_t c = 0; c < file->count; c++)
        json_array_append_new(classes, pack_class(c, &file->classes[c], false));
    shw_palette_void_colour(file->classes, file->count, none.colour);
    json_array_append_new(classes, pack_class(void_number, &none, true));
    json_object_set_new(root, "classes", classes);
    if (file->forest != NULL) {
        snprintf(hash, sizeof hash, "%016" PRIx64, shw_forest_hash(file->forest));
        json_object_set_new(root, "forest", json_string(hash));
    }
    if (file->project != NULL) /* a name that is not UTF-8 is left out */
        json_object_set_new(root, "project", json_string(file->project));
    if (json_array_size(classes) == file->count + 1 && shw_mark_json(root, shw_file_classes.name))
        return root;
    json_decref(root);
    return NULL;
}

static bool has_same_classes(const struct shw_palette *palette, const struct shw_classes_file *file)
{
    bool same = palette->class_count == file->count;

    for (uint32_t c = 0; same && c < file->count; c++)
        same = strcmp(palette->classes[c].name, file->classes[c].name) == 0;
    return same;
}

bool shw_classes_file_differs(const char *path, const struct shw_classes_file *file)
{
    struct shw_palette palette;
    bool same;

    if (shw_palette_read_numbers(path, NULL, &palette) != SHW_OK)
        return false;
    same = has_same_classes(&palette, file);
    shw_palette_free(&palette);
    return !same;
}

/* To be freed with free(); NULL if memory is exhausted. */
static char *encode(const struct shw_classes_file *file)
{
    json_t *root = pack(file);
    char *text = root != NULL ? json_dumps(root, JSON_INDENT(1)) : NULL;

    json_decref(root);
    return text;
}

bool shw_classes_file_is(const char *path, const struct shw_classes_file *file)
{
    struct shw_file_bytes there = {0};
    char *text = encode(file);
    const bool same = text != NULL && shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, NULL, &there) == SHW_OK &&
                      there.size == strlen(text) && memcmp(there.bytes, text, there.size) == 0;

    shw_file_bytes_free(&there);
    free(text);
    return same;
}

enum shw_result shw_classes_file_write(const char *path, const struct shw_classes_file *file, const struct shw_log *log)
{
    char *text = encode(file);
    enum shw_result result;

    if (shw_classes_file_differs(path, file))
        shw_log_message(log, SHW_LOG_WARNING, SHW_LOG_PALETTE,
                        "%s had other classes and is replaced: labels written there earlier refer to those", path);
    result = text != NULL ? shw_atomic_file_write(path, text, strlen(text), log) : shw_fail_memory(log, path);

    free(text);
    return result;
}
