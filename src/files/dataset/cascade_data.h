/* What a cascade is trained on: patches, annotated images and backgrounds. */
#ifndef SHW_FILES_DATASET_CASCADE_DATA_H
#define SHW_FILES_DATASET_CASCADE_DATA_H

#include <jansson.h>

#include <shadewood/detect_train.h>

#include "base/options.h"
#include "files/dataset/annotations.h"
#include "files/image/npy.h"
#include "files/io/output_files.h"

struct shw_cascade_data {
    struct shw_option_list objects, annotations, backgrounds;
    const char *images, *label;
    bool only_objects; /* annotated images are not mined */

    struct shw_cascade_entry *entries; /* the images, each file once */
    json_t *numbers;                   /* of them, by shw_image_real_path() */
    struct shw_annotations annotated;
    uint32_t objects_twice, backgrounds_with_objects;
    const char *background_with_objects; /* the first of them */
    struct shw_cascade_object *list;
    bool *are_backgrounds;
    uint32_t entry_count, entry_capacity, object_count, object_capacity, background_capacity;
    struct shw_npy_patches *arrays;
    uint32_t array_count, array_capacity;
    struct shw_log log;
    struct shw_cascade_dataset dataset;
};

/* Lists everything, and adds it to the inputs of `files`. Free the data in either case; it must not move. Errors: IO,
 * FORMAT, MEMORY. */
enum shw_result shw_cascade_data_open(const struct shw_log *log, struct shw_output_files *files,
                                      struct shw_cascade_data *data);

/* Accepts a zero-initialised one. */
void shw_cascade_data_free(struct shw_cascade_data *data);

/* How long the training of a cascade will take. Mining takes most of it, once a round and once more to measure, and
 * longer each time, by as much as the last time; stages take about equally long. */

/* Zero-initialise it. */
struct shw_cascade_pace {
    struct shw_cascade_progress last; /* before the step that has ended */
    double stages;                    /* seconds of stages that did not wait for mining */
    uint32_t stage_count;             /* their number */
    double mined;                     /* seconds of the last mining */
    double longer;                    /* than the one before it took; 0: not */
    uint32_t rounds;                  /* that have ended */
    uint32_t round_begin;             /* the stage with which the round in progress begins */
    uint32_t ended_stages;            /* of the rounds that have ended */
};

/* Takes the progress after each step. Returns the estimated seconds left. `round_stages`: the most of a round. */
double shw_cascade_pace_take(struct shw_cascade_pace *pace, const struct shw_cascade_progress *progress,
                             uint32_t round_stages);

#endif
