/* `--preset` of `train`: settings under a name (files/tune/preset.h), before which explicit options go. */
#ifndef SHW_CLI_TRAIN_PRESET_H
#define SHW_CLI_TRAIN_PRESET_H

#include <shadewood/train.h>

#include "base/options.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "files/tune/preset.h"

#define CLI_PRESET_OPTION(preset)                                                                                      \
    SHW_OPTION(SHW_VALUE_TEXT, "preset", 0, "NAME", &(preset).option,                                                  \
               "settings found for such data, for what other options do not\nsay: " SHW_PRESETS_HELP                   \
               "; a file of 'shadewood tune';\nor auto: the one that the data look like")

struct cli_train_preset {
    const char *option; /* NULL: not given */
    struct shw_preset preset;
    char *notes; /* for the provenance */
};

/* The options of the command, and which were given (cli_parse_texts()). */
struct cli_train_options {
    const struct shw_option *options;
    uint32_t count;
    const char *const *texts;
};

/* The text of an option that was given, or NULL. */
const char *cli_train_option(const struct cli_train_options *options, const char *name);

/* Loads the preset and sets the parameters that no option gives or excludes. Channels, feature type and filling go
 * together: if the channels or the feature type are given, none is taken from it. `of_strokes`: the data are those of a
 * project, which has pixels and weights of its own. Without the option, does nothing. Returns SHW_CONTINUE or the exit
 * code. */
int cli_train_preset_take(struct cli_train_preset *preset, struct cli_report *report, struct cli_data *data,
                          bool of_strokes, const struct cli_train_options *options, struct shw_trainer_params *params);

/* Replaces *notes, which stay the caller's, by notes with the preset's name, which stay until the preset is freed.
 * Returns SHW_CONTINUE or the exit code. */
int cli_train_preset_note(struct cli_train_preset *preset, const char **notes);

void cli_train_preset_free(struct cli_train_preset *preset);

#endif
