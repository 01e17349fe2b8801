/* Labelling of images into a folder. */
#ifndef SHW_CLI_LABEL_IMAGES_H
#define SHW_CLI_LABEL_IMAGES_H

#include "cli/image_list.h"
#include "cli/labelling.h"

/* Chooses what is written with these classes, which must stay, and trees; may be called again with others. Returns
 * SHW_CONTINUE or the exit code. */
int cli_labelling_choose(const struct shw_command *command, struct cli_labelling *labelling,
                         const struct shw_class *classes, uint32_t class_count, uint32_t tree_count);

/* Makes the folders, and checks once what is going to be written there. `model`: a file that is read. Returns
 * SHW_CONTINUE or the exit code. */
int cli_labelling_check(struct cli_labelling *labelling, const char *model, const struct cli_image_list *images);

/* The outputs (enum shw_output) that the labeller needs. */
uint32_t cli_labelling_outputs(const struct cli_labelling *labelling);

/* Labels the images with the labeller, and writes and reports everything. Failures of images are told at once and
 * determine the exit code, which is returned. */
int cli_labelling_run(struct cli_labelling *labelling, const struct cli_image_list *images);

/* What was allocated here. */
void cli_labelling_free(struct cli_labelling *labelling);

#endif
