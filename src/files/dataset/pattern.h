/* Patterns: paths in which {} stands for the name of an example. */
#ifndef SHW_FILES_DATASET_PATTERN_H
#define SHW_FILES_DATASET_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/dataset/examples.h"

/* The folder and the pattern as one path, with single slashes; an absolute pattern is used alone, an empty or NULL root
 * is ".". NULL if memory is exhausted; to be released with free(). */
char *shw_pattern_join(const char *root, const char *pattern);

/* The number of occurrences of {}. */
size_t shw_pattern_places(const char *pattern);

/* The pattern with `name` (of `length` bytes) for each {}. NULL if memory is exhausted; to be released with free(). */
char *shw_pattern_fill(const char *pattern, const char *name, size_t length);

/* Whether `path` is the pattern with some non-empty name for each {}. The name points into `path`. The pattern has at
 * least one {}. */
bool shw_pattern_match(const char *pattern, const char *path, const char **name, size_t *length);

/* CURFIL's layout of folders: NAME_colors.png, and beside it NAME_depth.png, NAME_height.png (which CURFIL does not
 * have) and NAME_ground_truth.png. Everything that pairs these files does it by what is here. */

#define SHW_CURFIL_COLOURS "{}_colors.png" /* patterns */
#define SHW_CURFIL_DEPTH   "{}_depth.png"
#define SHW_CURFIL_HEIGHT  "{}_height.png"
#define SHW_CURFIL_LABELS  "{}_ground_truth.png"

/* The inputs that are beside a colour image. */
#define SHW_CURFIL_INPUTS 2u
extern const struct shw_input_file shw_curfil_inputs[SHW_CURFIL_INPUTS];

/* Whether the path is that of a colour image, NAME_colors with any extension. */
bool shw_curfil_is_colours(const char *path);

/* The length of NAME in the name of an image without folder and extension; 0 if that is not NAME_colors. */
size_t shw_curfil_name_length(const char *base_name);

/* The path of an input's file beside a colour image; NULL if there is no such file or memory is exhausted; to be freed
 * with free(). */
char *shw_curfil_beside(const char *image, const char *input);

#endif
