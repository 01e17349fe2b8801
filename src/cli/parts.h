/* Working on a part of the images: what is missing (--resume), or that of a shard (--shard). */
#ifndef SHW_CLI_PARTS_H
#define SHW_CLI_PARTS_H

#include "cli/data_options.h"
#include "cli/report.h"
#include "files/output/resume.h"

struct cli_parts {
    bool resume;
    const char *shard_text; /* NULL: not given */

    struct shw_listed_files files;  /* that are listed */
    struct shw_result_journal *own; /* looked at, and not yet that of the call */
};

#define CLI_RESUME_OPTION(parts, help) SHW_OPTION_FLAG("resume", 0, &(parts).resume, help)
#define CLI_SHARD_OPTION(parts, help)  SHW_OPTION(SHW_VALUE_TEXT, "shard", 0, "I/N", &(parts).shard_text, help)

/* Takes what is given. Returns SHW_CONTINUE or the exit code. */
int cli_take_parts(const struct shw_command *command, struct cli_parts *parts, struct shw_shard *shard);

/* Whether a journal is wanted. */
bool cli_parts_are_wanted(const struct cli_parts *parts);

/* Before images are listed: looks at the journals that there are in the output folder, if one is wanted, and which
 * files they know. `read_only`: also that of the call itself, which nothing will be written into. Returns SHW_CONTINUE
 * or the exit code; close them in either case. */
int cli_look_at_parts(struct cli_parts *parts, struct shw_resume *resume, bool read_only);

/* What is known of files; NULL if no journal is wanted. */
struct shw_listed_files *cli_parts_files(struct cli_parts *parts);

/* Refuses a shard whose output folder is that of the images. Returns SHW_CONTINUE or the exit code. */
int cli_check_parts_folder(const struct shw_command *command, const struct shw_resume *resume,
                           const struct shw_image_list *images);

/* Opens the journal of the output folder, which is there, and notes what is known of files. Returns SHW_CONTINUE or the
 * exit code; the same as for other files that are checked. */
int cli_open_journal(struct cli_parts *parts, struct shw_resume *resume, bool overwrite);

void cli_close_parts(struct cli_parts *parts, struct shw_resume *resume);

#endif
