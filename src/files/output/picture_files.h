/* Labelling one picture, and its files: of its labels, FOLDER/NAME_labels.png and so on, and of its objects. */
#ifndef SHW_FILES_OUTPUT_PICTURE_FILES_H
#define SHW_FILES_OUTPUT_PICTURE_FILES_H

#include "files/objects/object_files.h"
#include "files/objects/object_forest.h"
#include "files/objects/pixel_size.h"
#include "files/output/label_files.h"

/* Which objects are found in labelled pictures, and what is written of them. */
struct shw_label_objects {
    bool wanted;
    bool table, outlines, instances; /* the formats */
    struct shw_object_settings settings;
    struct shw_pixel_size pixel_size;       /* also of pictures whose objects are not wanted */
    const struct shw_object_forest *forest; /* gives objects their object classes; or NULL */
    const bool *kinds;                      /* those object classes that are kept; NULL: all */
    const struct shw_class *names;
    uint32_t class_count;
};

/* What is told of them. */
struct shw_object_columns shw_label_objects_columns(const struct shw_label_objects *objects);

/* What is written for each picture. */
struct shw_picture_content {
    struct shw_label_files labels;
    struct shw_label_objects objects;
};

/* The outputs (enum shw_output) that the labeller needs for it. */
uint32_t shw_picture_outputs(const struct shw_picture_content *content);

/* Allocates the planes of these outputs, or more, and labels a picture, whose file says that its pixels have that side
 * (or 0). `name` and the image are borrowed. Free the planes in either case. Errors: those of shw_labeller_run(),
 * MEMORY. */
enum shw_result shw_picture_label(const struct shw_picture_content *content, uint32_t outputs,
                                  struct shw_labeller *labeller, const struct shw_image *image,
                                  const struct shw_inputs *inputs, double of_file, const char *name,
                                  const struct shw_log *log, struct shw_label_results *results);

/* Finds the objects in a labelled picture, if they are wanted; otherwise there are none. Errors: MEMORY, ARGUMENT. */
enum shw_result shw_picture_find_objects(const struct shw_picture_content *content,
                                         const struct shw_label_results *results, const struct shw_log *log,
                                         struct shw_objects *found);

/* The paths of one picture's files. NULL: not written; callers may free and clear further ones. */
struct shw_picture_files {
    char **labels; /* by the entries of the content's `labels` */
    struct shw_object_paths objects;
};

/* `place`: FOLDER/NAME. Free them in either case. Errors: MEMORY. */
enum shw_result shw_picture_files_make(const struct shw_picture_content *content, const char *place,
                                       const struct shw_log *log, struct shw_picture_files *files);
void shw_picture_files_free(const struct shw_picture_content *content, struct shw_picture_files *files);

/* Called for a file of a picture. */
typedef enum shw_result shw_visit_file(void *user, const char *path, const struct shw_file_kind *kind);

/* Calls `visit` for each path, until it fails. */
enum shw_result shw_picture_files_visit(const struct shw_picture_content *content,
                                        const struct shw_picture_files *files, shw_visit_file *visit, void *user);

/* Writes them, each atomically. `before`, unless NULL, is called immediately before each, and may fail; *written is
 * increased by each that was written. Errors: those of `before`, IO, MEMORY. */
enum shw_result shw_picture_files_write(const struct shw_picture_content *content,
                                        const struct shw_picture_files *files, const struct shw_label_results *results,
                                        const struct shw_objects *found, shw_visit_file *before, void *user,
                                        const struct shw_log *log, uint32_t *written);

#endif
