/* --plan of labelling: how much there is to do, and what it takes, by labelling some of the images elsewhere. */
#ifndef SHW_CLI_LABEL_PLAN_H
#define SHW_CLI_LABEL_PLAN_H

#include "cli/report.h"
#include "files/output/label_job.h"

#define CLI_PLAN_OPTION(wanted)                                                                                        \
    SHW_OPTION_FLAG("plan", 0, &(wanted),                                                                              \
                    "write nothing, and say how many images there are to label,\nand what time, memory and disk they " \
                    "take, by labelling a few")

/* Prints the plan for images that a job is ready to label, which are those that were not found to be up to date. The
 * results of a few go to a folder of temporary files, which is removed. Returns the exit code. */
int cli_label_plan(struct cli_report *report, const struct shw_label_job *job, const struct shw_image_list *images);

#endif
