/* What a cascade is trained on, as options name it. */
#ifndef SHW_CLI_CASCADE_DATA_H
#define SHW_CLI_CASCADE_DATA_H

#include <shadewood/detect_train.h>

#include "cli/report.h"
#include "files/dataset/annotations.h"
#include "files/image/npy.h"
#include "files/io/output_files.h"

struct cli_cascade_data {
    struct cli_list objects, annotations, backgrounds;
    const char *images, *label;
    bool only_objects; /* annotated images are not mined */

    struct cli_cascade_entry *entries; /* the images, each file once */
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

#define CLI_CASCADE_DATA_OPTIONS(data)                                                                                 \
    CLI_OPTION(CLI_LIST, "objects", 0, "PATH", &(data).objects,                                                        \
               "patches that show an object each: an array of NumPy (count,\nheight, width) of bytes, a folder of "    \
               "images, an image, or a\nlist of images (.txt, one per line); may be repeated"),                        \
        CLI_OPTION(CLI_LIST, "annotations", 0, "FILE", &(data).annotations,                                            \
                   "rectangles around the objects of images, as CSV\n(image,x,y,width,height[,label]) or as COCO's "   \
                   "JSON; may be\nrepeated"),                                                                          \
        CLI_OPTION(CLI_TEXT, "images", 0, "DIR", &(data).images,                                                       \
                   "the folder of the annotated images (that of the file)"),                                           \
        CLI_OPTION(CLI_TEXT, "label", 0, "NAME", &(data).label,                                                        \
                   "only objects with this label, or of this category (all)"),                                         \
        CLI_OPTION_FLAG("only-objects", 0, &(data).only_objects,                                                       \
                        "do not mine annotated images, as some of their objects\nare not annotated"),                  \
        CLI_OPTION(CLI_LIST, "backgrounds", 0, "PATH", &(data).backgrounds,                                            \
                   "images without objects: a folder, an image, a list of\nimages (.txt, one per line), or an array "  \
                   "of NumPy as above; may\nbe repeated")

/* Lists everything, and adds it to the inputs of `files`. Returns CLI_CONTINUE or the exit code; free the data in
 * either case. `data` and `report` must not move. */
int cli_open_cascade_data(struct cli_report *report, struct shw_output_files *files, struct cli_cascade_data *data);

/* Accepts a zero-initialised one. */
void cli_cascade_data_free(struct cli_cascade_data *data);

#endif
