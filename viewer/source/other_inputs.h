/* What pictures come with beside their colour. */
#ifndef VIEW_SOURCE_OTHER_INPUTS_H
#define VIEW_SOURCE_OTHER_INPUTS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "dataset/examples.h"

struct view_other_inputs {
    /* Fewer than SHW_INPUTS_MAX. Paths are patterns, {} standing for a picture's name without folder and extension;
     * those of data sets count from their root. Names are kept in pictures, so they must stay for good. */
    const struct shw_input_file *files;
    uint32_t count;
    bool frames;          /* the pictures of one folder are frames of a video */
    atomic_bool previous; /* frames come with the previous frame, as SHW_PREVIOUS. Any thread */
};

#endif
