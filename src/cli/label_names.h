/* Labelling images whose names are read one after the other while the program runs, such as those that another process
 * writes: what is made once, as devices, is made before the first. */
#ifndef SHW_CLI_LABEL_NAMES_H
#define SHW_CLI_LABEL_NAMES_H

#include <stdbool.h>

struct cli_labelling;

struct cli_label_names {
    const char *path; /* where names are, one per line; "-" is standard input. NULL: images are arguments */
    bool null;        /* names, and the lines that answer them, end with a zero byte instead */
};

#define CLI_NAMES_OPTIONS(names)                                                                                       \
    SHW_OPTION(SHW_VALUE_TEXT, "files-from", 'T', "FILE", &(names).path,                                               \
               "label the images whose names are in FILE, one per line; - for\nstandard input: each when its name "    \
               "arrives, with a line on\nstandard output when it is done"),                                            \
        SHW_OPTION_FLAG("null", '0', &(names).null,                                                                    \
                        "names of --files-from, and lines about them, end with a\nzero byte")

/* Refuses what images that come later exclude. Returns SHW_CONTINUE or the exit code. */
int cli_label_names_check(const struct cli_labelling *command, bool from_project, int arguments);

/* Labels them until the names end, answers each with one line, and writes the tables; the job is ready, without images.
 * Returns the exit code. */
int cli_label_names_run(struct cli_labelling *command);

#endif
