/* Finding the files of a data set. */
#ifndef SHW_FILES_DATASET_EXAMPLES_H
#define SHW_FILES_DATASET_EXAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/input.h>
#include <shadewood/log.h>

/* An input's name, and the pattern or path of its file. Of single images (image_inputs.h), NULL: the file beside it
 * (pattern.h), if there is one; and `optional`: images without the file are read without it. `of_image`: a plane of the
 * image's own file (files/image/planes.h), without a path. */
struct shw_input_file {
    const char *name, *path;
    bool optional, of_image;
};

/* Full patterns: root and pattern joined. */
struct shw_example_patterns {
    char *images;
    char *labels; /* NULL: none */
    struct shw_input_file inputs[SHW_INPUTS_MAX];
    uint32_t input_count;
    const char *hint; /* how the user can state other patterns, for the message that none matches; NULL: not */
};

#define SHW_NO_NAME UINT32_MAX

struct shw_name {
    char *text;
    uint32_t sequence; /* number of its sequence, if split files state sequences */
    uint32_t line;     /* among all that split files list; 0: none does */
    uint32_t place;    /* among all in `order` */
    uint32_t previous; /* the name of the previous frame of its sequence, or SHW_NO_NAME */
};

struct shw_names {
    struct shw_name *names; /* in bytewise order, each once */
    uint32_t *order;        /* for people: their numbers in the order of the split files, or in natural order */
    size_t count;
    uint32_t capacity;
    bool has_sequences; /* stated by split files; otherwise those of one folder are frames of one sequence */
    uint32_t sequence;  /* of the names being read */
};

/* Whether the path is a regular file. */
bool shw_is_file(const char *path);

/* Whether both names have the same folder. */
bool shw_names_same_folder(const char *a, const char *b);

/* The names of all examples with complete files. Examples without a label file or an input are skipped with a warning.
 * Errors: IO if the folder cannot be read, FORMAT if nothing is found, MEMORY. */
enum shw_result shw_names_find(const struct shw_example_patterns *patterns, const struct shw_log *log,
                               struct shw_names *names);

/* The names that the split files list, each of which must have all its files. Errors: IO, FORMAT, MEMORY. */
enum shw_result shw_names_read_splits(const struct shw_example_patterns *patterns, const char *const *splits,
                                      uint32_t split_count, const struct shw_log *log, struct shw_names *names);

/* Accepts zero-initialised and freed ones. */
void shw_names_free(struct shw_names *names);

#endif
