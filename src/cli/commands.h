/* The commands, one file each, and the rules of their options: which exclude each other, and which need another one.
 * cli_parse() checks them, so that no option is silently ignored. Rules that depend on files are checked by the
 * commands. */
#ifndef SHW_CLI_COMMANDS_H
#define SHW_CLI_COMMANDS_H

#include <stddef.h>

#include "base/options.h"

extern const struct shw_command cli_devices, cli_synth, cli_convert, cli_depth, cli_train, cli_tune, cli_train_cascade,
    cli_train_records, cli_label, cli_detect, cli_records, cli_evaluate, cli_explain, cli_inspect, cli_import,
    cli_export, cli_merge, cli_merge_shards, cli_calibrate, cli_serve, cli_bench, cli_bench_compare;

enum cli_relation {
    CLI_EXCLUDES, /* both cannot be given */
    CLI_NEEDS,    /* the first cannot be given alone */
    CLI_IDLE_WITH /* the first changes nothing: a warning */
};

/* An option that is given, with one of these values if there are some. */
struct cli_given {
    const char *name;
    const char *values; /* separated by commas; NULL: any */
    const char *sample; /* an argument that it takes, for tests; NULL: a flag, or one of the values */
};

struct cli_rule {
    const char *command; /* NULL: each that has both options */
    struct cli_given first;
    enum cli_relation relation;
    struct cli_given second;
    const char *why; /* follows a colon; NULL: the names say it */
};

/* All rules, in the order in which they are checked. */
const struct cli_rule *cli_rules(size_t *count);

/* shw_options_parse(), and after it the rules: usage after one message if options contradict each other. */
int cli_parse(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
              char **argv, int *first);

/* The same, and texts[i] becomes the last argument of options[i], "" for a flag, NULL if it was not given. */
int cli_parse_texts(const struct shw_command *command, const struct shw_option *options, uint32_t count, int argc,
                    char **argv, int *first, const char *texts[SHW_OPTIONS_MAX]);

/* Whether a rule excludes an option with a value because of the options that were given. */
bool cli_is_excluded(const struct shw_command *command, const struct shw_option *options, uint32_t count,
                     const char *const *texts, const char *name, const char *value);

#endif
