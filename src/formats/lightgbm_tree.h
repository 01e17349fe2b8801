/* The text of LightGBM's models: sections of lines KEY=VALUE, in which values are texts or lists of numbers. */
#ifndef SHW_FORMATS_LIGHTGBM_TREE_H
#define SHW_FORMATS_LIGHTGBM_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

#include "formats/record_branches.h"

/* A place in the text, between lines. */
struct shw_lightgbm_text {
    const char *at, *end; /* a zero byte follows the end */
    uint32_t line;        /* that begins at `at`, from 1 */
    const char *name;     /* of the file, for messages */
    const struct shw_log *log;
    int64_t tree; /* that is read, for messages; -1: none */
};

struct shw_lightgbm_value {
    const char *text; /* NULL: the key is not there */
    size_t length;    /* without the end of the line */
    uint32_t line;
};

/* Fails with SHW_ERROR_FORMAT; the message begins with file, line and tree. */
enum shw_result shw_lightgbm_refuse(const struct shw_lightgbm_text *text, uint32_t line, const char *format, ...);

/* Whether the next line begins with `start`. */
bool shw_lightgbm_begins(const struct shw_lightgbm_text *text, const char *start);

/* If the next line begins with `start`, takes it, and *rest is what follows. */
bool shw_lightgbm_take(struct shw_lightgbm_text *text, const char *start, struct shw_lightgbm_value *rest);

/* Skips empty lines. */
void shw_lightgbm_skip_empty(struct shw_lightgbm_text *text);

/* Reads the lines up to an empty one, or to one that begins with "Tree=", and finds the values of `count` keys; a line
 * without '=' is a key with an empty value, and other keys are passed over. Errors: FORMAT, for a key that is there
 * twice, or a line that is cut off. */
enum shw_result shw_lightgbm_section(struct shw_lightgbm_text *text, const char *const *keys, uint32_t count,
                                     struct shw_lightgbm_value *values);

/* A value as one whole number from `low` to `high`, which must be there. */
enum shw_result shw_lightgbm_integer(const struct shw_lightgbm_text *text, const char *key,
                                     const struct shw_lightgbm_value *value, int64_t low, int64_t high,
                                     int64_t *number);

/* A tree of a LightGBM model. */

/* Reads a section after its line "Tree=". The root is the first branch, branches are the splits and then the leaves in
 * LightGBM's order, and their sources are its numbers. The values are to be freed with free(). Errors: FORMAT,
 * also for linear leaves, MEMORY. */
enum shw_result shw_lightgbm_tree_read(struct shw_lightgbm_text *text, uint32_t attribute_count,
                                       struct shw_branches *branches);

#endif
