/* The part of C's preprocessor that the sources of shaders use. */
#ifndef SHW_FILES_SHADER_PREPROCESS_H
#define SHW_FILES_SHADER_PREPROCESS_H

#include "files/code/reader.h"
#include "files/shader/flatten.h"

/* What stands between declarations in the result, in front of a line: what follows is of the source itself, and kept;
 * or of an included file, and kept if it is needed; a line of the source that is kept as it is; a macro, which is kept
 * if it is needed. */
enum shw_flat_mark { SHW_FLAT_OWN = 1, SHW_FLAT_INCLUDED = 2, SHW_FLAT_LINE = 3, SHW_FLAT_MACRO = 4 };

/* Writes the source with its marks; names are as they were, but for the words of struct shw_flat_file. False after
 * `why` was written, or if memory runs out. */
bool shw_flat_preprocess(const struct shw_flat_input *input, struct shw_code_buffer *out, char why[256]);

/* A letter, digit or '_'. */
static inline bool shw_flat_is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static inline bool shw_flat_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The end of the comment at a place; that place if there is none. */
const char *shw_flat_comment_end(const char *at);

#endif
