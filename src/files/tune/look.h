/* What the images of a data set look like, the preset for them, and how a preset becomes one for so many images of that
 * size. docs/tuning.md has the rules. */
#ifndef SHW_FILES_TUNE_LOOK_H
#define SHW_FILES_TUNE_LOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/dataset.h>

#include "files/tune/preset.h"

#define SHW_LOOK_WHY_SIZE 192u

struct shw_data_look {
    uint32_t images, width, height; /* the size of the first image */
    uint32_t classes;               /* that occur in what is looked at */
    bool has_depth, has_height;
    double diagonal, area; /* means over the images, in pixels */
    double labelled;       /* the part of the pixels that are labelled */
    double saturation; /* mean of the differences between the largest and the least of red, green and blue, 0 to 1 */
    double one_hue;    /* 0: all hues, 1: a single one, weighted by saturation; NaN without colours */
    /* How far the place of a pixel says its class: predicting, in each part of a grid, the class that is the most
     * frequent one there in the other images avoids this part of the errors of predicting the most frequent class
     * everywhere. 1: the place says all; 0 or less: nothing. */
    double place;
    double evenness; /* entropy of the classes' frequencies, relative to that of equal ones: 1 if they are equal */
};

/* Looks at up to 32 images, evenly spread over the data set. Errors: MEMORY, those of reading. */
enum shw_result shw_data_look_at(const struct shw_dataset *dataset, struct shw_data_look *look);

/* The preset for such data, one of those that come with the program; `why` becomes the reason, as "the images have
 * depth". */
const char *shw_preset_choose(const struct shw_data_look *look, char why[SHW_LOOK_WHY_SIZE]);

/* Adapts a preset that came with the program to the size and the number of the images, and to the number of levels.
 * Others stay as they are, and so do those for strokes. Errors: MEMORY. */
enum shw_result shw_preset_fit(struct shw_preset *preset, const struct shw_data_look *look, uint32_t levels);

/* The settings that count pixels, of presets that scale, for images of that mean diagonal. Errors: MEMORY. */
enum shw_result shw_preset_scale(struct shw_preset *preset, double diagonal);

#endif
