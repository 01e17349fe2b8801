#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_bytes.h"
#include "base/image.h"
#include "base/log.h"
#include "files/convert/source.h"
#include "files/io/image_paths.h"

void shw_frame_free(struct shw_frame *frame)
{
    free(frame->colours);
    free(frame->depth);
    free(frame->labels);
    *frame = (struct shw_frame){0};
}

/* Moves the part to the beginning of a plane, which stays larger than it needs to be. */
static void crop_plane(void *plane, size_t size, uint32_t width, const struct shw_frame_part *part)
{
    uint8_t *bytes = plane;

    for (uint32_t y = 0; bytes != NULL && y < part->height; y++)
        memmove(bytes + (size_t)y * part->width * size, bytes + (((size_t)part->y + y) * width + part->x) * size,
                part->width * size);
}

enum shw_result shw_frame_crop(struct shw_frame *frame, const struct shw_frame_part *part, const char *name,
                               const struct shw_log *log)
{
    if (part->width == 0)
        return SHW_OK;
    if ((uint64_t)part->x + part->width > frame->width || (uint64_t)part->y + part->height > frame->height)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "%s has %u x %u pixels: %ux%u+%u+%u is not within it",
                        name, frame->width, frame->height, part->width, part->height, part->x, part->y);
    crop_plane(frame->colours, 3, frame->width, part);
    crop_plane(frame->depth, sizeof *frame->depth, frame->width, part);
    crop_plane(frame->labels, sizeof *frame->labels, frame->width, part);
    frame->width = part->width;
    frame->height = part->height;
    return SHW_OK;
}

uint16_t shw_millimetres_of_metres(double metres)
{
    if (!isfinite(metres) || metres <= 0)
        return 0;
    if (metres >= 65.535)
        return 65535;
    return metres < 0.001 ? 1 : (uint16_t)(1000 * metres + 0.5);
}

uint16_t shw_millimetres_of_units(uint16_t value, uint32_t units)
{
    uint64_t nearest = (UINT64_C(2000) * value + units) / (UINT64_C(2) * units);

    if (value == 0)
        return 0;
    return nearest < 1 ? 1 : nearest > 65535 ? 65535 : (uint16_t)nearest;
}

uint8_t *shw_colours_of_depth(const uint16_t *depth, size_t pixels)
{
    uint8_t *colours = malloc(pixels * 3);

    for (size_t i = 0; colours != NULL && i < pixels; i++) {
        int dark = depth[i] / 40;
        memset(colours + 3 * i, depth[i] == 0 ? 0 : 255 - (dark < 254 ? dark : 254), 3);
    }
    return colours;
}

uint8_t *shw_colours_of_image(const struct shw_image *image)
{
    bool wide = shw_pixel_is_wide(image->format);
    size_t samples = shw_pixel_size(image->format) / (wide ? 2 : 1), pixels = (size_t)image->width * image->height;
    size_t stride = shw_image_stride(image);
    uint8_t *colours = malloc(pixels * 3), *to = colours;

    for (uint32_t y = 0; colours != NULL && y < image->height; y++) {
        const uint8_t *row = (const uint8_t *)image->pixels + y * stride;
        for (size_t x = 0; x < image->width; x++)
            for (size_t c = 0; c < 3; c++) {
                size_t sample = x * samples + (samples >= 3 ? c : 0);
                uint16_t value = row[wide ? 0 : sample];
                if (wide) {
                    memcpy(&value, row + 2 * sample, 2);
                    value = (uint16_t)((2u * 255u * value + 65535u) / (2u * 65535u));
                }
                *to++ = (uint8_t)value;
            }
    }
    return colours;
}

/* The pixels that a pixel of the other size covers along one axis, and how much of each, in units of 1 / new_size. */
struct cover {
    uint32_t first, last, first_weight, last_weight;
};

static struct cover find_cover(uint32_t place, uint32_t size, uint32_t new_size)
{
    uint64_t begin = (uint64_t)place * size, end = begin + size;
    struct cover cover = {.first = (uint32_t)(begin / new_size), .last = (uint32_t)((end - 1) / new_size)};

    if (cover.first == cover.last) {
        cover.first_weight = cover.last_weight = size;
    } else {
        cover.first_weight = (uint32_t)((cover.first + UINT64_C(1)) * new_size - begin);
        cover.last_weight = (uint32_t)(end - (uint64_t)cover.last * new_size);
    }
    return cover;
}

static uint64_t weight_of(const struct cover *cover, uint32_t place, uint32_t new_size)
{
    return place == cover->first ? cover->first_weight : place == cover->last ? cover->last_weight : new_size;
}

uint8_t *shw_colours_resize(const uint8_t *colours, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height)
{
    uint8_t *resized = malloc((size_t)new_width * new_height * 3), *to = resized;
    const uint64_t whole = (uint64_t)width * height; /* the sum of all weights */

    for (uint32_t y = 0; resized != NULL && y < new_height; y++) {
        const struct cover rows = find_cover(y, height, new_height);
        for (uint32_t x = 0; x < new_width; x++, to += 3) {
            const struct cover columns = find_cover(x, width, new_width);
            uint64_t sums[3] = {0};
            for (uint32_t v = rows.first; v <= rows.last; v++)
                for (uint32_t u = columns.first; u <= columns.last; u++) {
                    const uint8_t *from = colours + 3 * ((size_t)v * width + u);
                    uint64_t weight = weight_of(&rows, v, new_height) * weight_of(&columns, u, new_width);
                    for (int c = 0; c < 3; c++)
                        sums[c] += weight * from[c];
                }
            for (int c = 0; c < 3; c++)
                to[c] = (uint8_t)((2 * sums[c] + whole) / (2 * whole));
        }
    }
    return resized;
}

uint32_t *shw_labels_resize(const uint32_t *labels, uint32_t width, uint32_t height, uint32_t new_width,
                            uint32_t new_height)
{
    uint32_t *resized = malloc((size_t)new_width * new_height * sizeof *resized), *to = resized;

    for (uint32_t y = 0; resized != NULL && y < new_height; y++) {
        const uint32_t *row = labels + (2 * (uint64_t)y + 1) * height / (2 * (uint64_t)new_height) * width;
        for (uint32_t x = 0; x < new_width; x++)
            *to++ = row[(2 * (uint64_t)x + 1) * width / (2 * (uint64_t)new_width)];
    }
    return resized;
}

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
            return (*k)->load != NULL ? (*k)->load(path, log, kind) : SHW_OK;
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
