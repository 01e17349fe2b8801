/* Patterns: paths in which {} stands for the name of an example. */
#ifndef SHW_FILES_DATASET_PATTERN_H
#define SHW_FILES_DATASET_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

#endif
