/* Lists of channels in which files with text stand for the kinds that they define. */
#ifndef SHW_FILES_CODE_CODE_OPTIONS_H
#define SHW_FILES_CODE_CODE_OPTIONS_H

#include <shadewood/channels.h>

#include "files/code/code.h"

/* Whether it is the name of a file with text, by its ending; false for NULL. */
bool shw_code_is_file(const char *name);

struct shw_code_channels {
    const char *text; /* NULL: the usual channels; the given one, or `own`, so that the struct must not move */
    char own[SHW_CHANNEL_LIST_NAME_SIZE];
    struct shw_channel_kinds kinds; /* those that there are already, before; others are added */
};

/* Makes the kinds of a list such as "gauss:1,mine.glsl,other.glsl:3", or NULL, and replaces files by their names.
 * Errors: those of shw_code_make_file(), and LIMIT; ARGUMENT for a feature type. */
enum shw_result shw_code_channels_take(const char *list, const struct shw_log *log, struct shw_code_channels *channels);

#endif
