/* What `label` is told, and its parts: options, projects that are trained first, and the run. */
#ifndef SHW_CLI_LABEL_H
#define SHW_CLI_LABEL_H

#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/device_list.h"
#include "cli/label_names.h"
#include "cli/label_objects.h"
#include "cli/label_parts.h"
#include "cli/label_video.h"
#include "cli/report.h"
#include "files/output/label_job.h"
#include "files/project/project_texts.h"

struct cli_labelling {
    struct cli_report report;
    struct cli_device device;       /* what all devices have in common, and the first of them */
    struct cli_device_list devices; /* with a labeller each */
    struct shw_device *opened[CLI_DEVICES_MAX];
    struct shw_labellers labellers;
    uint32_t jobs; /* 0: as many as devices */
    struct cli_reading reading;
    struct cli_focal focal;
    struct cli_parts parts;
    bool plan;
    struct cli_label_names names;
    struct shw_label_job job;
    struct shw_option_list inputs, objects_classes;
    struct shw_project_files taught; /* patterns of a project's inputs */
    struct shw_own_inputs own;       /* those of its pictures */
    const char *objects_format;      /* as given; NULL: csv */
    int connectivity;                /* 0: 8, 1: 4 */
    struct cli_label_objects taken;
    int combine, fill;
    struct {
        bool flag;  /* of those that are written by default: not */
        int choice; /* of those with several forms */
    } outputs[SHW_LABEL_OUTPUT_COUNT];
    bool checked; /* what is going to be written */
    uint32_t tile[2];
    uint32_t page; /* 0: the first; UINT32_MAX: all */
    bool *chosen;  /* memory of the classes that have objects */
    bool calibrated;
    struct cli_code code;
    struct shw_power *power;
    struct shw_image_list video_list;
    struct cli_label_videos videos;
    json_t *images;
    double start;
};

/* label_options.c: what is written. All return SHW_CONTINUE or the exit code. */

/* Takes the options of objects. */
int cli_labelling_take_objects(struct cli_labelling *command);

/* Refuses options that leave nothing to write. */
int cli_labelling_check_outputs(const struct cli_labelling *command);

/* Chooses what is written with these classes, which must stay, and trees; may be called again with others. */
int cli_labelling_choose(struct cli_labelling *command, const struct shw_class *classes, uint32_t class_count,
                         uint32_t tree_count);

int cli_labelling_check_scale_bar(const struct cli_labelling *command);

/* label_project.c */

bool cli_labelling_is_project(const char *path);

/* Opens the journal of the output folder, and finds or trains the forest of the project, which stays there; the caller
 * destroys it. What is going to be written is checked before training. Returns SHW_CONTINUE or the exit code. */
int cli_labelling_find_or_train(struct cli_labelling *command, const char *path, const struct shw_image_list *images,
                                struct shw_forest **forest);

/* label_run.c */

/* Takes the devices, of which only one may be given for frames and --files-from. Returns SHW_CONTINUE or the exit code.
 */
int cli_labelling_take_devices(struct cli_labelling *command);

/* Makes the folders, and checks once what is going to be written there. `model`: a file that is read. Returns
 * SHW_CONTINUE or the exit code. */
int cli_labelling_check_files(struct cli_labelling *command, const char *model, const struct shw_image_list *images);

/* Lists what the arguments stand for. Returns SHW_CONTINUE or the exit code. */
int cli_labelling_list_inputs(struct cli_labelling *command, char **arguments, int count, bool from_project,
                              struct shw_image_list *images);

/* The same for images whose names are read later. */
int cli_labelling_take_names(struct cli_labelling *command, bool from_project, int arguments);

/* What is told of an image, as JSON. */
json_t *cli_labelling_pack_image(const struct cli_labelling *command, const struct shw_image_entry *image,
                                 const struct shw_label_done *done);

/* Labels them by a forest or a project, the file `model`. Returns the exit code. */
int cli_labelling_run(struct cli_labelling *command, const char *model, bool from_project,
                      const struct shw_image_list *images);

#endif
