#include "files/convert/source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/file_bytes.h"
#include "files/io/image_name.h"

#define USER_BLOCK 512u

static bool has_text(const struct shw_file_bytes *head, size_t at, const char *text, size_t length)
{
    return head->size >= at + length && memcmp(head->bytes + at, text, length) == 0;
}

bool shw_mat_signature_recognise(const char *path)
{
    struct shw_file_bytes head = {0};
    bool found = shw_file_bytes_read_start(path, USER_BLOCK, NULL, &head) == SHW_OK &&
                 (has_text(&head, 0, "MATLAB ", 7) ||
                  (has_text(&head, 0, "\x89HDF\r\n\x1a\n", 8) && shw_name_ends_with(path, ".mat")));

    shw_file_bytes_free(&head);
    return found;
}

enum shw_result shw_mat_signature_check(const char *path, const struct shw_log *log)
{
    struct shw_file_bytes head = {0};
    enum shw_result result = shw_file_bytes_read_start(path, USER_BLOCK, log, &head);

    if (result == SHW_OK && has_text(&head, 0, "MATLAB ", 7) && !has_text(&head, 0, "MATLAB 7.3", 10))
        result =
            shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                     "cannot read %s: it is a MAT-file of version 5, not 7.3; in MATLAB, save('NAME.mat', '-v7.3') "
                     "writes that",
                     path);
    shw_file_bytes_free(&head);
    return result;
}

const struct shw_source_kind *const shw_source_kinds[] = {&shw_source_nyu, &shw_source_tum, &shw_source_scannet,
                                                          &shw_source_pcd, NULL};

enum shw_result shw_source_find(const char *path, const char *name, const struct shw_log *log,
                                const struct shw_source_kind **kind)
{
    if (access(path, R_OK) != 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "cannot open %s: %s", path, strerror(errno));
    for (const struct shw_source_kind *const *k = shw_source_kinds; *k != NULL; k++)
        if (name != NULL ? strcmp((*k)->name, name) == 0 : (*k)->recognise(path)) {
            *kind = *k;
            return SHW_OK;
        }
    if (name != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no kind of source '%s'", name);
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                    "%s looks like none of the sources that can be converted: a MAT-file of version 7.3, a folder with "
                    "rgb and depth, or with color and depth, or point clouds (.pcd)",
                    path);
}

static int compare_values(const void *a, const void *b)
{
    uint32_t x = ((const struct shw_label_name *)a)->value, y = ((const struct shw_label_name *)b)->value;

    return (x > y) - (x < y);
}

enum shw_result shw_label_names_sort(struct shw_label_names *names, const char *path, const struct shw_log *log)
{
    if (names->count > 0)
        qsort(names->list, names->count, sizeof *names->list, compare_values);
    for (uint32_t i = 1; i < names->count; i++)
        if (names->list[i - 1].value == names->list[i].value)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s: label %u has two names: \"%s\" and \"%s\"",
                            path, names->list[i].value, names->list[i - 1].name, names->list[i].name);
    return SHW_OK;
}

void shw_label_names_free(struct shw_label_names *names)
{
    for (uint32_t i = 0; i < names->count; i++)
        free(names->list[i].name);
    free(names->list);
    *names = (struct shw_label_names){0};
}
