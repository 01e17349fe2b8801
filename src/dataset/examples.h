/* Finding the files of a data set. */
#ifndef SHW_DATASET_EXAMPLES_H
#define SHW_DATASET_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

/* An input's name, and the pattern or path of its file. Of single images (image_inputs.h), NULL: the file beside it
 * (curfil_files.h), if there is one. */
struct shw_input_file {
    const char *name, *path;
};

/* Full patterns: root and pattern joined. */
struct shw_example_patterns {
    char *images;
    char *labels; /* NULL: none */
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    uint32_t input_count;
    const char *hint; /* how the user can state other patterns, for the message that none matches; NULL: not */
};

struct shw_name {
    char *text;
    uint32_t sequence; /* number of its sequence, if split files state sequences */
};

struct shw_names {
    struct shw_name *names; /* in bytewise order, each once */
    size_t count;
    uint32_t capacity;
    bool has_sequences; /* stated by split files; otherwise those of one folder are frames of one sequence */
    uint32_t sequence;  /* of the names being read */
};

/* Whether the path is a regular file. */
bool shw_is_file(const char *path);

/* Whether both names have the same folder. */
bool shw_names_same_folder(const char *a, const char *b);

/* Whether example `index` is the frame that follows the previous example. */
bool shw_names_continue(const struct shw_names *names, size_t index);

/* The names of all examples with complete files. Examples without a label file or an input are skipped with a warning.
 * Errors: IO if the folder cannot be read, FORMAT if nothing is found, MEMORY. */
enum shw_result shw_names_find(const struct shw_example_patterns *patterns, const struct shw_log *log,
                               struct shw_names *names);

/* The names that the split files list, each of which must have all its files. Errors: IO, FORMAT, MEMORY. */
enum shw_result shw_names_read_splits(const struct shw_example_patterns *patterns, const char *const *splits,
                                      uint32_t split_count, const struct shw_log *log, struct shw_names *names);

/* Appends a copy of the name. Errors: MEMORY. */
enum shw_result shw_names_append(struct shw_names *names, const char *name, size_t length, const struct shw_log *log);

/* Sorts the names, removes duplicates and returns how many were removed. */
size_t shw_names_sort(struct shw_names *names);

/* Accepts zero-initialised and freed ones. */
void shw_names_free(struct shw_names *names);

#endif
