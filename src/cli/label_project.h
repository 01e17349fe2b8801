/* Labelling with a project instead of a forest: it is trained first, unless the output folder has the forest. */
#ifndef SHW_CLI_LABEL_PROJECT_H
#define SHW_CLI_LABEL_PROJECT_H

#include "cli/label_images.h"

/* Whether a file is to be read as a project. */
bool cli_is_project(const char *path);

/* Opens the record of the output folder, and finds or trains the project's forest, which stays there. What is going to
 * be written is checked before training, and labelling->checked is then set. Returns SHW_CONTINUE or the exit code; the
 * caller destroys the forest and closes labelling->record in either case. */
int cli_label_project(const struct shw_command *command, struct cli_labelling *labelling, const char *project,
                      const struct cli_image_list *images, struct shw_forest **forest);

#endif
