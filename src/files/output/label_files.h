/* The files that are written for a labelled image: FOLDER/NAME_labels.png and so on. The program `label` and the
 * viewer's export write them. */
#ifndef SHW_FILES_OUTPUT_LABEL_FILES_H
#define SHW_FILES_OUTPUT_LABEL_FILES_H

#include <shadewood/forest.h>
#include <shadewood/label.h>

#include "files/image/row_writer.h"
#include "files/io/file_kind.h"

/* The outputs of labelling, in the order in which they are offered and written: X(ID, name). Each has its traits in
 * label_files.c, `name_traits`. Those of the first list come from a forest, and `label` has an option for each. */
#define SHW_LABEL_OUTPUTS_OF_FORESTS(X)                                                                                \
    X(LABELS, labels)                                                                                                  \
    X(OVERLAY, overlay)                                                                                                \
    X(MASKS, masks)                                                                                                    \
    X(LEAVES, leaves)                                                                                                  \
    X(PROBABILITIES, probabilities)                                                                                    \
    X(MAP, map)
#define SHW_LABEL_OUTPUTS(X)                                                                                           \
    SHW_LABEL_OUTPUTS_OF_FORESTS(X)                                                                                    \
    X(STROKES, strokes) /* what is painted; SHW_LABEL_VOID elsewhere */

#define SHW_LABEL_OUTPUT_ID(id_, name_) SHW_LABEL_OUTPUT_##id_,
enum shw_label_output { SHW_LABEL_OUTPUTS(SHW_LABEL_OUTPUT_ID) SHW_LABEL_OUTPUT_COUNT };

struct shw_label_files_params;
struct shw_label_results;

enum shw_label_endings {
    SHW_ENDING_FIXED,    /* one file: "_labels.png" */
    SHW_ENDING_NUMBERED, /* a file per class: "_probability-" and 000.png */
    SHW_ENDING_NAMED     /* a file per class: "_" and NAME.png */
};

/* A form in which an output is written. */
struct shw_label_form {
    const char *title; /* "TIFF, a page per class"; NULL: it is the only form */
    const char *ending;
    enum shw_label_endings endings;
    const struct shw_file_kind *kind;

    /* Opens a file for results of that size; `number` is that of the class. Errors: IO, MEMORY, ARGUMENT. */
    enum shw_result (*open)(const struct shw_label_files_params *params, uint32_t number, const char *path,
                            const struct shw_label_results *results, const struct shw_log *log,
                            struct shw_row_writer **rows);
    /* Appends the results of as many rows as they are high. Errors: IO, MEMORY. */
    enum shw_result (*put)(const struct shw_label_files_params *params, uint32_t number,
                           const struct shw_label_results *results, struct shw_row_writer *rows,
                           const struct shw_log *log);
};

struct shw_label_output_traits {
    const char *name, *title, *tip; /* in the viewer's export; title NULL: it does not offer it */
    const char *option;             /* of `label`: "no-labels" for what is written by default; NULL: none */
    char letter;                    /* or 0 */
    const char *help;
    const char *const *choices; /* of the option: "none" and a word for each form, NULL-terminated; NULL: a flag */
    bool by_default;
    bool has_opacity;
    uint32_t needs; /* enum shw_output; 0: strokes are enough */
    const struct shw_label_form *forms;
    uint32_t form_count;
};
extern const struct shw_label_output_traits *const shw_label_outputs[SHW_LABEL_OUTPUT_COUNT];

/* What is written. Borrowed classes, of the forest or, for strokes alone, of the project. */
struct shw_label_files_params {
    uint32_t forms[SHW_LABEL_OUTPUT_COUNT]; /* of each output: 0: none, otherwise the number of a form from 1 */
    uint32_t opacity;                       /* of the overlay, percent */
    bool scale_bar;                         /* in the overlay, if the size of pixels is known */
    const struct shw_class *classes;
    uint32_t class_count, tree_count;
    const struct shw_class *stroke_classes;
    uint32_t stroke_class_count;
};

/* One of the files of each image. */
struct shw_label_file_entry {
    enum shw_label_output output;
    const struct shw_label_form *form;
    uint32_t number; /* of the class */
    char *ending;    /* after the image's name */
};

struct shw_label_files {
    struct shw_label_files_params params;
    struct shw_label_file_entry *entries;
    uint32_t count, capacity;
};

/* Texts in masks, whose names may mean several: the name of the class, and that of the image without folders. */
#define SHW_MASK_CLASS   "Class"
#define SHW_MASK_PICTURE "Picture"

/* Endings that are names of classes have a _ for what file names do not allow, and are unique. Errors: MEMORY. */
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
    double side;                   /* of a pixel, in micrometres; 0: not known */
    double stated;                 /* the same, as files say it */
    const char *name;              /* of the image, for masks */
    const char *path;              /* of its file, whose place TIFF files get; NULL: none */
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

/* The overlay of a picture, 8-bit RGB, to be freed with free(); NULL if memory is exhausted. `side` as above. */
uint8_t *shw_label_overlay_make(const struct shw_label_files_params *params, const struct shw_image *image,
                                const uint16_t *labels, double side);

/* Writes one file, atomically. Errors: IO, MEMORY. Any thread. */
enum shw_result shw_label_file_write(const struct shw_label_files *files, const struct shw_label_file_entry *entry,
                                     const char *path, const struct shw_label_results *results,
                                     const struct shw_log *log);

/* Whether an image is the result of `shadewood label`, of `shadewood detect` or of an export, which may lie among the
 * images to be labelled or searched. A name like that of a result does not tell: it may be the user's image. Any
 * thread. */
bool shw_is_result(const char *path);

#endif
