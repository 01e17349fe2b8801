/* Label images as runs of pixels, which is how projects store them (stroke.h). */
#ifndef SHW_FILES_PROJECT_LABEL_RUNS_H
#define SHW_FILES_PROJECT_LABEL_RUNS_H

#include <stdint.h>

#include <shadewood/log.h>

#include "files/project/stroke.h"
#include "files/project/top_strokes.h"

struct shw_label_runs {
    uint32_t width, height;
    uint32_t class_count;
    struct shw_stroke *areas; /* [class]: its runs; without points, it does not occur */
    struct shw_top_strokes
        owners;       /* of the classes that occur, in order, counted from 1: for a picture without strokes */
    uint64_t *pixels; /* [class] */
};

/* Finds the runs of width * height class numbers, row by row; pixels with SHW_LABEL_VOID are in none. `name` is for
 * messages. Errors: ARGUMENT (a number that is not below class_count), LIMIT (a class with more than
 * SHW_STROKE_POINTS_MAX / 2 runs), MEMORY. Any thread. */
enum shw_result shw_label_runs_find(const uint16_t *labels, uint32_t width, uint32_t height, uint32_t class_count,
                                    const char *name, const struct shw_log *log, struct shw_label_runs *runs);
/* Accepts zero-initialised and freed ones. */
void shw_label_runs_free(struct shw_label_runs *runs);

#endif
