/* What `label` takes from a project, or from options, besides how objects are found: the size of pixels, and what tells
 * objects apart. */
#ifndef SHW_CLI_LABEL_OBJECTS_H
#define SHW_CLI_LABEL_OBJECTS_H

#include "cli/report.h"
#include "files/output/image_list.h"
#include "files/output/picture_files.h"
#include "files/project/project.h"

struct cli_label_objects {
    const char *project;    /* its file; NULL: none */
    const char *pixel_size; /* options, or NULL */
    const char *forest_path;
    const char *show;
    struct shw_object_forest *forest;
    char *class_name; /* of the project's settings; NULL: all classes */
    char *kind_name;
    bool *kinds; /* memory of struct shw_label_objects */
};

/* Takes the options. Returns SHW_CONTINUE or the exit code. */
int cli_label_objects_take(struct cli_label_objects *taken, const struct shw_log *log,
                           struct shw_label_objects *objects);

/* What options leave open is as the project says; its objects are taught a forest. Sizes of pixels are taken from
 * files, unless something else was said, if the first image states its own. Returns SHW_CONTINUE or the exit code. */
int cli_label_objects_from_project(struct cli_label_objects *taken, const struct shw_project *project,
                                   const struct shw_image_list *images, struct cli_report *report,
                                   struct shw_label_objects *objects);

/* After both: which object classes are kept. Returns SHW_CONTINUE or the exit code. */
int cli_label_objects_choose(struct cli_label_objects *taken, struct cli_report *report,
                             struct shw_label_objects *objects);

void cli_label_objects_free(struct cli_label_objects *taken);

#endif
