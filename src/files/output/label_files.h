/* The files that are written for a labelled image: FOLDER/NAME_labels.png and so on. The program `label` and the
 * viewer's export write them. */
#ifndef SHW_FILES_OUTPUT_LABEL_FILES_H
#define SHW_FILES_OUTPUT_LABEL_FILES_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "files/io/file_kind.h"

enum shw_probability_files {
    SHW_PROBABILITIES_NONE,
    SHW_PROBABILITIES_PNG,  /* a file per class */
    SHW_PROBABILITIES_TIFF, /* a page per class */
    SHW_PROBABILITIES_NPY
};

/* What is written. Borrowed classes, of the forest or, for strokes alone, of the project. */
struct shw_label_files_params {
    bool labels, overlay, leaves;
    bool masks;   /* a file per class: 255 where an image has it, otherwise 0 */
    bool strokes; /* what is painted; SHW_LABEL_VOID elsewhere */
    enum shw_probability_files probabilities;
    uint32_t opacity; /* of the overlay, percent */
    const struct shw_class *classes;
    uint32_t class_count, tree_count;
    const struct shw_class *stroke_classes;
    uint32_t stroke_class_count;
};

enum shw_label_file_content {
    SHW_FILE_LABELS,
    SHW_FILE_OVERLAY,
    SHW_FILE_MASK,
    SHW_FILE_PROBABILITY,
    SHW_FILE_PROBABILITY_PAGES,
    SHW_FILE_PROBABILITY_ARRAY,
    SHW_FILE_LEAVES,
    SHW_FILE_STROKES
};

/* One of the files of each image. */
struct shw_label_file_entry {
    enum shw_label_file_content content;
    const struct shw_file_kind *kind;
    uint32_t number; /* of the class, for MASK and PROBABILITY */
    char *ending;    /* "_labels.png", after the image's name */
};

struct shw_label_files {
    struct shw_label_files_params params;
    struct shw_label_file_entry *entries;
    uint32_t count, capacity;
};

/* Texts in masks, whose names may mean several: the name of the class, and that of the image without folders. */
#define SHW_MASK_CLASS   "Class"
#define SHW_MASK_PICTURE "Picture"

/* The endings of masks are names of classes, as far as file names allow, and unique. Errors: MEMORY. */
enum shw_result shw_label_files_make(const struct shw_label_files_params *params, const struct shw_log *log,
                                     struct shw_label_files *files);
/* Accepts zero-initialised and freed ones. */
void shw_label_files_free(struct shw_label_files *files);

/* The outputs (enum shw_output) that a labeller needs for them. */
uint32_t shw_label_files_outputs(const struct shw_label_files *files);

/* The path of a file: `place` is FOLDER/NAME. To be freed with free(); NULL if memory is exhausted. */
char *shw_label_file_path(const struct shw_label_file_entry *entry, const char *place);

/* The results for an image; those of what is not written may be NULL. */
struct shw_label_results {
    const struct shw_image *image; /* for the overlay */
    const char *name;              /* of the image, for masks */
    uint32_t width, height;
    struct shw_labelling labelling;
    const uint16_t *strokes;
};

/* Allocates the planes of these outputs: those of shw_label_files_outputs(), or more. `name` is borrowed. Errors:
 * MEMORY. */
enum shw_result shw_label_results_make(const struct shw_label_files *files, uint32_t outputs, const char *name,
                                       const struct shw_log *log, struct shw_label_results *results);
/* Frees the planes. */
void shw_label_results_free(struct shw_label_results *results);

/* Writes one file, atomically. Errors: IO, MEMORY. Any thread. */
enum shw_result shw_label_file_write(const struct shw_label_files *files, const struct shw_label_file_entry *entry,
                                     const char *path, const struct shw_label_results *results,
                                     const struct shw_log *log);

/* Whether an image is the result of `shadewood label`, of `shadewood detect` or of an export, which may lie among the
 * images to be labelled or searched. A name like that of a result does not tell: it may be the user's image. Any
 * thread. */
bool shw_is_result(const char *path);

#endif
