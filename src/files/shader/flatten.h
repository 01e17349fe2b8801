/* From the sources of shaders to one text without includes, macros and conditions, and without what is not needed: for
 * people who read it, and for compilers that know nothing of this library. */
#ifndef SHW_FILES_SHADER_FLATTEN_H
#define SHW_FILES_SHADER_FLATTEN_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* A file that is included, in place of one of the sources (files/code/files.h) or beside them. */
struct shw_flat_file {
    const char *name; /* as it is included */
    const char *text;
    /* NULL, or names that begin with shw_user or u_ get this word after their first one, since files of several texts
     * (files/code/text.h) define the same ones. */
    const char *word;
};

struct shw_flat_input {
    const char *path; /* of the source that is flattened: all that it defines is needed, and what that refers to */
    const char *definitions; /* lines before it */
    const struct shw_flat_file *files;
    uint32_t file_count;
    const char *prefix; /* names that begin with shw_ begin with it instead, and those with SHW_ in capital letters */
};

/* Comments in front of what is kept stay, and macros of numbers. In the source itself, lines that begin with '@' are
 * kept without that, for the compiler of the result. The text is to be freed with free(). Errors: MEMORY, and FORMAT
 * for sources that are not as this expects them. */
enum shw_result shw_flatten(const struct shw_flat_input *input, const struct shw_log *log, char **text);

#endif
