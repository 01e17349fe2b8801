#include "files/objects/smooth.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"

/* How many pixels of each class a window has. */
struct window {
    uint32_t *counts;  /* [class_count] */
    uint16_t *present; /* the classes that have some, in any order */
    uint32_t *places;  /* of a class in `present` */
    uint32_t present_count;
};

/* Void pixels are not counted. */
static void add(struct window *window, uint16_t label)
{
    if (label == SHW_LABEL_VOID)
        return;
    if (window->counts[label]++ == 0) {
        window->places[label] = window->present_count;
        window->present[window->present_count++] = label;
    }
}

static void take(struct window *window, uint16_t label)
{
    uint16_t last;

    if (label == SHW_LABEL_VOID)
        return;
    if (--window->counts[label] > 0)
        return;
    last = window->present[--window->present_count];
    window->present[window->places[label]] = last;
    window->places[last] = window->places[label];
}

/* A void pixel stays one. */
static uint16_t most_frequent(const struct window *window, uint16_t own)
{
    uint32_t most = own != SHW_LABEL_VOID ? window->counts[own] : UINT32_MAX;
    uint16_t found = own;

    for (uint32_t i = 0; i < window->present_count; i++) {
        uint16_t label = window->present[i];
        uint32_t count = window->counts[label];

        if (count > most || (count == most && found != own && label < found)) {
            most = count;
            found = label;
        }
    }
    return found;
}

static void clear(struct window *window)
{
    for (uint32_t i = 0; i < window->present_count; i++)
        window->counts[window->present[i]] = 0;
    window->present_count = 0;
}

static void smooth_row(const struct shw_object_picture *picture, uint32_t radius, uint32_t y, struct window *window,
                       uint16_t *smoothed)
{
    uint32_t width = picture->width, top = y > radius ? y - radius : 0;
    uint32_t bottom = shw_min_u32(picture->height - 1, y + radius);

    clear(window);
    for (uint32_t x = 0; x < width + radius; x++) {
        for (uint32_t row = top; row <= bottom; row++) {
            const uint16_t *labels = picture->labels + (size_t)row * width;

            if (x < width)
                add(window, labels[x]);
            if (x > 2 * radius)
                take(window, labels[x - 2 * radius - 1]);
        }
        if (x >= radius)
            smoothed[(size_t)y * width + x - radius] =
                most_frequent(window, picture->labels[(size_t)y * width + x - radius]);
    }
}

enum shw_result shw_smooth_labels(const struct shw_object_picture *picture, uint32_t radius, const struct shw_log *log,
                                  uint16_t *smoothed)
{
    struct window window = {.counts = calloc(picture->class_count, sizeof *window.counts),
                            .present = malloc(picture->class_count * sizeof *window.present),
                            .places = malloc(picture->class_count * sizeof *window.places)};
    bool enough = window.counts != NULL && window.present != NULL && window.places != NULL;

    for (uint32_t y = 0; enough && y < picture->height; y++)
        smooth_row(picture, radius, y, &window, smoothed);
    free(window.counts);
    free(window.present);
    free(window.places);
    return enough ? SHW_OK : shw_fail_memory(log, "counts of classes");
}
