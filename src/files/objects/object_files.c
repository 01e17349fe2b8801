#include "files/objects/object_files.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/mark.h"
#include "files/io/png_mark.h"
#include "files/objects/object_text.h"

static bool is_outlines(const char *path, const char *name)
{
    (void)name;
    return shw_first_line_is_marked(path, SHW_OUTLINES_BEFORE_MARK, SHW_OUTLINES_AFTER_MARK);
}

const struct shw_file_kind shw_file_outlines = {"outlines", "outlines of objects", is_outlines, false};

#define PNG_OBJECTS_MAX 65535u

static enum shw_result write_outlines(const char *path, const struct shw_objects *objects,
                                      const struct shw_class *classes, uint32_t class_count, const struct shw_log *log)
{
    struct shw_atomic_file file;
    enum shw_result result;
    int error;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    result = shw_print_object_outlines(file.stream, objects, classes, class_count, log);
    if (result == SHW_OK && !shw_mark_first_line(file.stream, sizeof SHW_OUTLINES_BEFORE_MARK - 1) &&
        !shw_atomic_file_failed(&file, &error)) /* commit tells it */
        result = shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                          "cannot write %s: what was written cannot be read back", path);
    if (result == SHW_OK)
        return shw_atomic_file_commit(&file, log);
    shw_atomic_file_abandon(&file);
    return result;
}

static enum shw_result write_png(const char *path, const struct shw_objects *objects, const struct shw_log *log)
{
    size_t pixels = (size_t)objects->width * objects->height;
    uint16_t *numbers = malloc(pixels * sizeof *numbers);
    const struct shw_image image = {
        .pixels = numbers, .width = objects->width, .height = objects->height, .format = SHW_PIXEL_GREY16};
    enum shw_result result;

    if (numbers == NULL)
        return shw_fail_memory(log, path);
    for (size_t i = 0; i < pixels; i++)
        numbers[i] = (uint16_t)objects->numbers[i];
    result = shw_png_write_marked(path, SHW_MARK_INSTANCES, &image, log);
    free(numbers);
    return result;
}

static enum shw_result write_instances(const struct shw_object_paths *paths, const struct shw_objects *objects,
                                       const struct shw_log *log)
{
    if (objects->count > PNG_OBJECTS_MAX) {
        SHW_PROPAGATE(
            shw_tiff_write_instances(paths->many_instances, objects->numbers, objects->width, objects->height, log));
        if (shw_png_is_marked(paths->instances, SHW_MARK_INSTANCES))
            unlink(paths->instances);
        return SHW_OK;
    }
    SHW_PROPAGATE(write_png(paths->instances, objects, log));
    if (shw_tiff_is_marked(paths->many_instances, SHW_MARK_INSTANCES))
        unlink(paths->many_instances);
    return SHW_OK;
}

enum shw_result shw_object_files_write(const struct shw_object_paths *paths, const struct shw_objects *objects,
                                       const struct shw_class *classes, uint32_t class_count, const struct shw_log *log)
{
    if (paths->outlines != NULL)
        SHW_PROPAGATE(write_outlines(paths->outlines, objects, classes, class_count, log));
    return paths->instances != NULL ? write_instances(paths, objects, log) : SHW_OK;
}

enum shw_result shw_object_table_open(struct shw_object_table *table, const char *path, const struct shw_log *log)
{
    SHW_PROPAGATE(shw_atomic_file_open(&table->file, path, log));
    shw_print_object_header(table->file.stream);
    return SHW_OK;
}

void shw_object_table_add(struct shw_object_table *table, const char *picture, const char *files,
                          const struct shw_objects *objects, const struct shw_class *classes)
{
    shw_print_object_rows(table->file.stream, picture, files, objects, classes); /* commit reports errors */
}

enum shw_result shw_object_table_commit(struct shw_object_table *table, const struct shw_log *log)
{
    return shw_atomic_file_commit(&table->file, log);
}

void shw_object_table_abandon(struct shw_object_table *table)
{
    shw_atomic_file_abandon(&table->file);
}
