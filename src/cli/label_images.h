/* Labelling of images into a folder. */
#ifndef SHW_CLI_LABEL_IMAGES_H
#define SHW_CLI_LABEL_IMAGES_H

#include "cli/data_options.h"
#include "cli/image_list.h"
#include "cli/label_objects.h"
#include "cli/label_record.h"
#include "dataset/image_inputs.h"
#include "output/label_files.h"

#define CLI_SHARES_TABLE "shares.csv"

struct cli_labelling {
    struct cli_report report;
    struct cli_device device;
    const char *output;
    int probabilities; /* enum shw_probability_files */
    bool no_labels, no_overlay, leaves, masks;
    struct cli_objects objects;
    struct cli_list inputs;
    struct shw_input_file files[SHW_INPUTS_MAX];
    struct shw_output_files outputs;
    bool frames;
    uint32_t opacity, tile[2], page; /* page: 0: the first; UINT32_MAX: all */
    struct cli_reading reading;

    struct cli_label_record *record; /* of a project; NULL: every image is labelled */
    bool checked;                    /* what is going to be written */
    struct shw_image_params params;  /* how images are read */
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

/* Chooses what is written with these classes, which must stay, and trees; may be called again with others. Returns
 * CLI_CONTINUE or the exit code. */
int cli_labelling_choose(const struct cli_command *command, struct cli_labelling *labelling,
                         const struct shw_class *classes, uint32_t class_count, uint32_t tree_count);

/* Makes the folders, and checks once what is going to be written there. `model`: a file that is read. Returns
 * CLI_CONTINUE or the exit code. */
int cli_labelling_check(struct cli_labelling *labelling, const char *model, const struct cli_image_list *images);

/* The outputs (enum shw_output) that the labeller needs. */
uint32_t cli_labelling_outputs(const struct cli_labelling *labelling);

/* Labels the images with the labeller, and writes and reports everything. Failures of images are told at once and
 * determine the exit code, which is returned. */
int cli_labelling_run(struct cli_labelling *labelling, const struct cli_image_list *images);

/* What was allocated here. */
void cli_labelling_free(struct cli_labelling *labelling);

#endif
