/* Labelling a part of the images: what is missing (--resume), or that of a shard (--shard). */
#ifndef SHW_CLI_LABEL_PARTS_H
#define SHW_CLI_LABEL_PARTS_H

#include "cli/data_options.h"
#include "cli/report.h"
#include "files/output/label_job.h"

struct cli_label_parts {
    bool resume, plan;
    const char *shard_text; /* NULL: not given */

    struct shw_listed_files facts; /* of files that are listed */
    struct shw_label_journal *own; /* looked at, and not yet the job's */
};

#define CLI_RESUME_OPTION(parts)                                                                                       \
    SHW_OPTION_FLAG("resume", 0, &(parts).resume,                                                                      \
                    "label only what is missing, new or changed since the last\ncall with it, as a journal in the "    \
                    "output folder says; one\ntable of the areas of classes, shares.csv")
#define CLI_SHARD_OPTION(parts)                                                                                        \
    SHW_OPTION(SHW_VALUE_TEXT, "shard", 0, "I/N", &(parts).shard_text,                                                 \
               "label the I-th of N parts of the images, each of which\nanother process may label, with --resume; "    \
               "merge-shards makes\nthe tables")

/* Takes what is given. Returns SHW_CONTINUE or the exit code. */
int cli_take_parts(const struct shw_command *command, struct cli_label_parts *parts, struct shw_shard *shard);

/* Whether a journal is wanted. */
bool cli_parts_are_wanted(const struct cli_label_parts *parts);

/* Refuses what cannot be labelled in parts. `videos`: how many are given. Returns SHW_CONTINUE or the exit code. */
int cli_check_parts(const struct cli_label_parts *parts, const struct shw_label_job *job,
                    const struct shw_image_list *images, uint32_t videos, bool from_project);

/* Before images are listed: looks at the journals that there are in the output folder, if one is wanted, and which
 * files they know. Returns SHW_CONTINUE or the exit code; close the journals in either case. */
int cli_look_at_parts(struct cli_label_parts *parts, struct shw_label_job *job);
/* What is known of files; NULL if no journal is wanted. */
struct shw_listed_files *cli_parts_files(struct cli_label_parts *parts);

/* Opens the journal of the output folder, which is made if it is missing, and notes what is known of files; for a plan,
 * nothing is made. `model`: the forest's file. Returns SHW_CONTINUE or the exit code. */
int cli_open_parts(struct cli_label_parts *parts, struct cli_report *report, const struct cli_code *code,
                   const struct cli_focal *focal, const char *model, struct shw_label_job *job);
void cli_close_parts(struct cli_label_parts *parts, struct shw_label_job *job);

/* Opens the journal alone. The same exit codes as for other files that are checked. */
int cli_open_journal(struct shw_label_job *job);

#endif
