/* What `label` can do in parts (cli/parts.h), and by what it knows its forest again. */
#ifndef SHW_CLI_LABEL_PARTS_H
#define SHW_CLI_LABEL_PARTS_H

#include "cli/parts.h"
#include "files/output/label_job.h"

/* Refuses what cannot be labelled in parts. `videos`: how many are given. Returns SHW_CONTINUE or the exit code. */
int cli_check_label_parts(const struct cli_parts *parts, bool plan, const struct shw_label_job *job,
                          const struct shw_image_list *images, uint32_t videos, bool from_project);

/* Opens the journal of the output folder, which is made if it is missing; for a plan, nothing is made. `model`: the
 * forest's file. Returns SHW_CONTINUE or the exit code. */
int cli_open_label_parts(struct cli_parts *parts, bool plan, struct cli_report *report, const struct cli_code *code,
                         const struct cli_focal *focal, const char *model, struct shw_label_job *job);

#endif
