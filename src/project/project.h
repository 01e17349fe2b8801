/* A project: classes, pictures and what was painted on them, and how to train. Kept in a file (docs/project-format.md).
 *
 * One thread at a time for a project. Classes are told by their number: the position among the classes that there are,
 * as in label images and forests. Pictures are told by their place in the project; their names are unique. Functions
 * that may fail tell the reason through the project's log. */
#ifndef SHW_PROJECT_PROJECT_H
#define SHW_PROJECT_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>
#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "project/pixels.h"
#include "project/stroke.h"

#define SHW_PROJECT_CLASSES_MAX  1024u
#define SHW_PROJECT_PICTURES_MAX 16384u

/* How forests are grown from the strokes. Zero means the trainer's default (shadewood/train.h). */
struct shw_project_training {
    char channels[SHW_CHANNEL_LIST_NAME_SIZE]; /* as text; empty: the default */
    uint32_t tree_count, depth, candidates;
    uint64_t seed;
};

struct shw_project_class {
    char *name; /* unique; base/class_name.h */
    uint8_t colour[3];
    bool locked; /* what is painted from now on does not cover this class */
};

struct shw_project;

/* Makes an empty project. `log` may be NULL. Errors: MEMORY. */
enum shw_result shw_project_create(const struct shw_log *log, struct shw_project **project);

/* Ends *project's life and sets it to NULL; NULL and a pointer to NULL are accepted. */
void shw_project_destroy(struct shw_project **project);

/* Counts up with every change of strokes, classes or training parameters. */
uint64_t shw_project_get_revision(const struct shw_project *project);

/* Reads a project file; names of pictures count from its folder. Nothing in the file is trusted. Errors: IO, FORMAT,
 * VERSION, LIMIT, MEMORY: one message that names file, place and reason. */
enum shw_result shw_project_read(const char *path, const struct shw_log *log, struct shw_project **project);
/* The same from memory; `name` stands for the path. */
enum shw_result shw_project_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_project **project);

/* Writes the file: whole, or what stood there stays. History is not kept. Errors: IO, MEMORY. */
enum shw_result shw_project_write(const struct shw_project *project, const char *path);
/* The same as text, to be freed with free(); NULL when memory is short. */
char *shw_project_encode(const struct shw_project *project);

/* The folder that names of pictures count from; "" at first, which is the working directory. Copied. Errors: MEMORY. */
enum shw_result shw_project_set_folder(struct shw_project *project, const char *folder);

/* Parameters of training; they are not part of the history. */
struct shw_project_training shw_project_get_training(const struct shw_project *project);
/* Errors: ARGUMENT: a parameter is out of the trainer's range; names it. */
enum shw_result shw_project_set_training(struct shw_project *project, const struct shw_project_training *training);

/* Classes. A new one is the last. Errors: ARGUMENT (a name that forests cannot keep, one that another class has, no
 * such number), LIMIT, MEMORY. Strokes of a deleted class do not show any more; what lies below them does. All three
 * can be undone. */
uint32_t shw_project_get_class_count(const struct shw_project *project);
const struct shw_project_class *shw_project_get_class(const struct shw_project *project, uint32_t number);
enum shw_result shw_project_add_class(struct shw_project *project, const char *name, const uint8_t colour[3]);
enum shw_result shw_project_change_class(struct shw_project *project, uint32_t number, const char *name,
                                         const uint8_t colour[3]);
enum shw_result shw_project_delete_class(struct shw_project *project, uint32_t number);
/* Not part of the history; strokes remember which classes were locked. */
void shw_project_lock_class(struct shw_project *project, uint32_t number, bool locked);

/* Pictures. */
struct shw_project_picture {
    const char *name; /* path of the file, from the project's folder; for what is no file any name */
    uint32_t width, height;
    uint32_t stroke_count; /* also those of deleted classes */
    const struct shw_stroke *strokes;
};
uint32_t shw_project_get_picture_count(const struct shw_project *project);
struct shw_project_picture shw_project_get_picture(const struct shw_project *project, uint32_t picture);
/* The picture of that name, made if it is missing. Not part of the history; pictures without strokes are not written
 * into the file. Errors: ARGUMENT (a name that is empty or not UTF-8, another size than before), LIMIT, MEMORY. */
enum shw_result shw_project_find_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height,
                                         uint32_t *picture);
/* Copies the pixels of a picture that is no file, or that is in memory anyhow. Errors: ARGUMENT (another size),
 * MEMORY. */
enum shw_result shw_project_set_pixels(struct shw_project *project, uint32_t picture, const struct shw_image *image);
/* Whether the picture's pixels are in memory, or were asked for. */
bool shw_project_has_pixels(const struct shw_project *project, uint32_t picture);
/* Gives pictures other names, by their place in the project, NULL for those that keep theirs: of the same files as they
 * are called from another folder, or of files that now keep their pixels. Not part of the history; changes the revision
 * if that changes the order of names, in which pictures are trained on. Errors: ARGUMENT (an empty name, one that is
 * not UTF-8, two that are the same), MEMORY: nothing has changed then. */
enum shw_result shw_project_rename_pictures(struct shw_project *project, const char *const *names);
/* A share of the picture's pixels, to be released. NULL when memory is short. */
struct shw_pixels *shw_project_share_pixels(struct shw_project *project, uint32_t picture);

/* Painting: begin with a point, go on point by point, end. Every stroke is one step of the history. `number` is a
 * class, or SHW_LABEL_VOID for the eraser. Errors: ARGUMENT (no such class or picture, radius), LIMIT, MEMORY. */
enum shw_result shw_project_begin_stroke(struct shw_project *project, uint32_t picture, uint32_t number,
                                         uint32_t radius, struct shw_point point);
enum shw_result shw_project_extend_stroke(struct shw_project *project, struct shw_point point);
void shw_project_end_stroke(struct shw_project *project);
/* Whether a stroke has begun and not ended. */
bool shw_project_is_painting(const struct shw_project *project);

/* Takes labels over from a label image: width * height class numbers, row by row, SHW_LABEL_VOID where nothing is
 * known. One area (stroke.h) for each class that occurs, all of them one step of the history. Errors: ARGUMENT (a
 * number that no class has), LIMIT (an area of more than SHW_STROKE_POINTS_MAX / 2 runs of pixels), MEMORY: nothing has
 * changed then. */
enum shw_result shw_project_import_labels(struct shw_project *project, uint32_t picture, const uint16_t *labels);

/* The same from a file: values are class numbers, or colours those of the classes; the value after the last class, and
 * black where no class has it, are not labelled. Errors: also IO, and FORMAT: another size than the picture, a value or
 * colour that no class has, two classes of one colour. */
enum shw_result shw_project_import_label_file(struct shw_project *project, uint32_t picture, const char *path);

/* Writes what is painted on a picture as a PNG file that import gives back: palette indices, the one after the last
 * class where nothing is painted; from 256 classes on 16-bit grey values, there 65535. Errors: IO, MEMORY. */
enum shw_result shw_project_export_labels(struct shw_project *project, uint32_t picture, const char *path);

/* Undoes or redoes one step; false if there is none. An open stroke ends before. *picture (or NULL) becomes the picture
 * of the stroke, UINT32_MAX for a change of classes. */
bool shw_project_undo(struct shw_project *project, uint32_t *picture);
bool shw_project_redo(struct shw_project *project, uint32_t *picture);

/* What the strokes make of a picture, width * height, row by row: class numbers, SHW_LABEL_VOID where nothing is
 * painted; and the stroke that shows at each pixel, counted from 1 in shw_project_picture.strokes, or 0. Either may be
 * NULL. Valid until the project changes; a stroke that is being painted changes them in place. Errors: MEMORY. */
enum shw_result shw_project_get_labels(struct shw_project *project, uint32_t picture, const uint16_t **labels,
                                       const uint32_t **owners);

/* How many pixels each class has in a picture: class_count numbers. Errors: MEMORY. */
enum shw_result shw_project_count_labels(struct shw_project *project, uint32_t picture, uint64_t *counts);

#endif
