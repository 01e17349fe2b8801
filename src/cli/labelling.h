/* A labelling of images into a folder: its options, and what it works with. */
#ifndef SHW_CLI_LABELLING_H
#define SHW_CLI_LABELLING_H

#include "cli/data_options.h"
#include "cli/label_journal.h"
#include "cli/label_objects.h"
#include "files/dataset/image_inputs.h"
#include "files/output/label_files.h"

struct cli_labelling {
    struct cli_report report;
    struct cli_device device;
    const char *output;
    int probabilities; /* enum shw_probability_files */
    int combine;       /* enum shw_combine */
    int fill;          /* enum shw_fill */
    bool no_labels, no_overlay, leaves, masks;
    struct cli_objects objects;
    struct shw_option_list inputs;
    struct shw_input_file files[SHW_INPUTS_MAX];
    struct shw_output_files outputs;
    bool frames;
    uint32_t opacity, tile[2], page; /* page: 0: the first; UINT32_MAX: all */
    struct cli_reading reading;
    struct cli_focal focal;

    struct cli_label_journal *record; /* of a project; NULL: every image is labelled */
    bool checked;                     /* what is going to be written */
    struct shw_image_params params;   /* how images are read */
    const struct shw_forest *forest;
    const struct shw_forest_info *info;
    struct shw_labeller *labeller;
    struct shw_label_files written; /* for each image */
    char *classes;                  /* the path of that file */
    bool has_classes;               /* it is written, or cannot be */
    const char *frame_path;         /* the previous image, or NULL */
    struct shw_image_file frame;
    struct shw_object_table table; /* without a record */
    json_t *images;                /* of the report */
};

#endif
