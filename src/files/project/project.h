/* Projects: classes, pictures with strokes, and training parameters, stored in a file (docs/project-format.md).
 *
 * One thread at a time per project. Classes are identified by number: the position among the existing classes, as in
 * label images and forests. Pictures are identified by their position in the project; their names are unique. Functions
 * that fail report the reason through the project's log. */
#ifndef SHW_FILES_PROJECT_PROJECT_H
#define SHW_FILES_PROJECT_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>
#include <shadewood/dataset.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>

#include "files/dataset/examples.h"
#include "files/dataset/own_inputs.h"
#include "files/image/image_choice.h"
#include "files/io/file_kind.h"
#include "files/project/picture_labels.h"
#include "files/project/pixels.h"
#include "files/project/shown_planes.h"
#include "files/project/stroke.h"

#define SHW_PROJECT_FORMAT       "shadewood-project"   /* the member "format" of a project file */
#define SHW_PROJECT_VERSION      6                     /* of the format: the newest that is read */
#define SHW_PROJECT_FILE_MAX     (UINT64_C(256) << 20) /* bytes of a project file; larger ones are not read */
#define SHW_PROJECT_CLASSES_MAX  1024u
#define SHW_PROJECT_PICTURES_MAX 16384u
#define SHW_PROJECT_OFFSET_MAX   16383u

/* What the forests of projects are trained with unless a project says otherwise (docs/teaching-reference.md tells how
 * these were found). */
#define SHW_PROJECT_CHANNELS   "lab,tensor:2,deviation:4"
#define SHW_PROJECT_TREES      16u
#define SHW_PROJECT_DEPTH      12u
#define SHW_PROJECT_CANDIDATES 30u
#define SHW_PROJECT_OFFSET     31u  /* how far tests reach, in pixels */
#define SHW_PROJECT_FAR        200u /* the same of the uppermost of several levels */
#define SHW_PROJECT_SMOOTH     16u  /* the radius of smoothing, in pixels */

/* Training parameters. Zero, or an empty text, means the default above. */
struct shw_project_training {
    char channels[SHW_CHANNEL_LIST_NAME_SIZE]; /* as text */
    uint32_t tree_count, depth, candidates;
    uint64_t seed;
    uint32_t offset; /* tests reach from 1 to this many pixels */
    uint32_t smooth; /* the radius of smoothing; SHW_SMOOTHING_NONE: none */
    uint32_t levels; /* forests one above the other (docs/stacking.md); 0: 1 */
};

/* The channels, or those of the default. */
const char *shw_project_training_channels(const struct shw_project_training *training);

struct shw_project_class {
    char *name; /* unique; base/class.h */
    uint8_t colour[3];
    bool locked; /* later strokes do not cover this class */
};

struct shw_project;

/* Makes an empty project. `log` may be NULL. Errors: MEMORY. */
enum shw_result shw_project_create(const struct shw_log *log, struct shw_project **project);

/* Destroys *project and sets it to NULL; accepts NULL and a pointer to NULL. */
void shw_project_destroy(struct shw_project **project);

/* Increases with every change of strokes, classes or training parameters. */
uint64_t shw_project_get_revision(const struct shw_project *project);
/* Increases with every change that a file has: these, what is taught of objects (project_objects.h), and which planes
 * are shown. */
uint64_t shw_project_get_edition(const struct shw_project *project);
/* The same, except for changes of the smoothing of forests of one level, which change labels but no trees: what has
 * this revision trains the same trees. */
uint64_t shw_project_get_taught(const struct shw_project *project);

/* Reads a project file; names of pictures are relative to its folder. The file is not trusted. Errors: IO, FORMAT,
 * VERSION, LIMIT, MEMORY: one message that names file, place and reason. */
enum shw_result shw_project_read(const char *path, const struct shw_log *log, struct shw_project **project);
/* The same from memory; `name` stands for the path. */
enum shw_result shw_project_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                   struct shw_project **project);

/* Writes the file atomically. History is not stored. Errors: IO, LIMIT (it could not be read again), MEMORY. */
enum shw_result shw_project_write(const struct shw_project *project, const char *path);
/* The same as text, to be freed with free(); NULL if memory is exhausted. */
char *shw_project_encode(const struct shw_project *project);

/* The project as it is now, with the pictures that a file would have, for another thread: without history and pixels.
 * Points of strokes are shared, so this takes time for the number of strokes, not for what they consist of. Errors:
 * MEMORY. */
enum shw_result shw_project_snapshot(struct shw_project *project, const struct shw_log *log,
                                     struct shw_project **snapshot);

/* The folder that names of pictures are relative to; initially "", the working directory. Copied. Errors: MEMORY. */
enum shw_result shw_project_set_folder(struct shw_project *project, const char *folder);

/* The picture to show when the project is opened: a path from its folder, which need not be one of its pictures; NULL:
 * not known. Neither part of the history nor a change. Copied. Errors: MEMORY. */
enum shw_result shw_project_set_shown(struct shw_project *project, const char *name);
const char *shw_project_get_shown(const struct shw_project *project);

/* Which planes of pictures are shown as colours. Not part of the history, and nothing is trained again for it. */
void shw_project_set_shown_planes(struct shw_project *project, const struct shw_shown_planes *shown);
const struct shw_shown_planes *shw_project_get_shown_planes(const struct shw_project *project);

/* Parameters of training; they are not part of the history. */
struct shw_project_training shw_project_get_training(const struct shw_project *project);
/* Errors: ARGUMENT: a parameter is out of the trainer's range, or the channels read an input that a project does not
 * keep; names it. */
enum shw_result shw_project_set_training(struct shw_project *project, const struct shw_project_training *training);

/* How image files are read for all pictures. Not part of the history; a change drops the pixels of pictures that are
 * files, so that they are read again. Errors: ARGUMENT, MEMORY. */
struct shw_image_choice shw_project_get_choice(const struct shw_project *project);
enum shw_result shw_project_set_choice(struct shw_project *project, const struct shw_image_choice *choice);

/* What pictures have besides their colours, where the channels of training read it: depth and height have files beside
 * the pictures (files/dataset/pattern.h), and planes are those of the picture's own file, unless the project has a
 * pattern for them, from its folder, in which {} stands for the picture's name; single pictures may have files of their
 * own, also for the previous frame. None of this is part of the history. */

/* Those that pictures may have which are no files, such as frames of videos. */
#define SHW_PROJECT_INPUTS 3u
extern const char *const shw_project_input_names[SHW_PROJECT_INPUTS];

/* Whether it is one of these. */
bool shw_project_keeps_input(const char *name);
/* Whether training reads it. */
bool shw_project_reads(const struct shw_project *project, const char *name);
/* What training reads; valid until the next call of a function of the project. */
const struct shw_channel_list *shw_project_get_channels(const struct shw_project *project);

/* Depth, height and planes have patterns. NULL: no pattern, no file. A change of the pattern drops the pixels of
 * pictures that are files. Errors: ARGUMENT (another input), MEMORY. */
enum shw_result shw_project_set_input(struct shw_project *project, const char *name, const char *pattern);
const char *shw_project_get_input(const struct shw_project *project, const char *name);
enum shw_result shw_project_set_picture_input(struct shw_project *project, uint32_t picture, const char *name,
                                              const char *path);
const char *shw_project_get_picture_input(const struct shw_project *project, uint32_t picture, const char *name);

/* The files of the inputs that training reads, of a picture of the project (UINT32_MAX: of any other), for
 * shw_image_inputs_read(): those that are not there are left out. Errors: MEMORY. */
struct shw_project_files {
    struct shw_input_file files[SHW_INPUTS_MAX]; /* their names stay for good */
    char *paths[SHW_INPUTS_MAX];
    uint32_t count;
};
enum shw_result shw_project_list_inputs(const struct shw_project *project, uint32_t picture,
                                        struct shw_project_files *files);
void shw_project_files_free(struct shw_project_files *files);

/* The files that single pictures have as inputs, for whoever reads these pictures by their paths; sorted. `read`: only
 * of inputs that training reads. Free them. Errors: MEMORY. */
enum shw_result shw_project_list_own_inputs(const struct shw_project *project, bool read, struct shw_own_inputs *own);

/* Whether a picture's inputs, as they were read, have the depth, the height and the planes that training reads. Errors,
 * logged: FORMAT. */
enum shw_result shw_project_check_inputs(const struct shw_project *project, const char *picture,
                                         const struct shw_inputs *given, const struct shw_log *log);

/* The same of the files beside all pictures with strokes that are files. */
enum shw_result shw_project_check_files(const struct shw_project *project, const struct shw_log *log);

/* Replaces all patterns and paths, those of texts included, by what `rename` makes of them, to be freed with free():
 * for another folder. Not a change. Errors: MEMORY. */
enum shw_result shw_project_move_inputs(struct shw_project *project,
                                        char *(*rename)(const void *user, const char *given), const void *user);

/* Classes. A new one is the last. Errors: ARGUMENT (a name that forests cannot store or that another class has, no such
 * number), LIMIT, MEMORY. Strokes of a deleted class disappear and uncover those below. All three can be undone. */
uint32_t shw_project_get_class_count(const struct shw_project *project);
const struct shw_project_class *shw_project_get_class(const struct shw_project *project, uint32_t number);
enum shw_result shw_project_add_class(struct shw_project *project, const char *name, const uint8_t colour[3]);
enum shw_result shw_project_change_class(struct shw_project *project, uint32_t number, const char *name,
                                         const uint8_t colour[3]);
enum shw_result shw_project_delete_class(struct shw_project *project, uint32_t number);
/* Not part of the history; strokes store which classes were locked. */
void shw_project_lock_class(struct shw_project *project, uint32_t number, bool locked);

/* Pictures. */
struct shw_project_picture {
    const char *name; /* path of the image (files/io/image_paths.h), from the project's folder; any name for a picture
                         that is not a file */
    uint32_t width, height;
    bool kept;             /* for testing */
    uint32_t stroke_count; /* including those of deleted classes */
    const struct shw_stroke *strokes;
    double pixel_side; /* in micrometres, of a picture that is not a file; 0: not known. Not stored */
};
uint32_t shw_project_get_picture_count(const struct shw_project *project);
struct shw_project_picture shw_project_get_picture(const struct shw_project *project, uint32_t picture);
/* The picture of that name, created if it is missing. Not part of the history; pictures without strokes are not written
 * to the file. Errors: ARGUMENT (a name that is empty or not UTF-8, a changed size), LIMIT, MEMORY. */
enum shw_result shw_project_find_picture(struct shw_project *project, const char *name, uint32_t width, uint32_t height,
                                         uint32_t *picture);
/* Keeps a picture for testing, or no longer: its strokes are not trained on, but accuracy is measured on them. Not part
 * of the history; changes the revision. */
void shw_project_keep_for_test(struct shw_project *project, uint32_t picture, bool kept);
/* The side of the pixels of a picture that is not a file, as its source stated it; 0: not known. */
void shw_project_set_pixel_side(struct shw_project *project, uint32_t picture, double side);
/* Copies the pixels of a picture that is not a file, or is already in memory, and of its other inputs: colour first,
 * names are borrowed. Errors: ARGUMENT (another size), MEMORY. */
enum shw_result shw_project_set_pixels(struct shw_project *project, uint32_t picture, const struct shw_inputs *inputs);
/* The same of a picture in memory that has got more inputs, on which it is trained anew: changes the revision. */
enum shw_result shw_project_add_inputs(struct shw_project *project, uint32_t picture, const struct shw_inputs *inputs);
/* Shares a whole picture with the project instead, unless it has the picture's pixels. Training forgets pictures that
 * are files, except the parts that it needs, so this is cheaper than reading them again. Errors: the same. */
enum shw_result shw_project_lend_pixels(struct shw_project *project, uint32_t picture, struct shw_pixels_part *whole);
/* Whether all of the picture's pixels are in memory. */
bool shw_project_has_pixels(const struct shw_project *project, uint32_t picture);
/* Renames pictures, by their position in the project, NULL for those that keep their name: for paths of the same files
 * from another folder, or of files that now store their pixels. Not part of the history; changes the revision if it
 * changes the order of names, in which pictures are trained on. Errors: ARGUMENT (an empty name, one that is not UTF-8,
 * duplicates), MEMORY; the project is then unchanged. */
enum shw_result shw_project_rename_pictures(struct shw_project *project, const char *const *names);
/* A share of the picture's pixels, to be released. NULL if memory is exhausted. */
struct shw_pixels *shw_project_share_pixels(struct shw_project *project, uint32_t picture);

/* Painting: begin with a point, add points, end. Every stroke is a step of the history. `number` is a class, or
 * SHW_LABEL_VOID for the eraser. Errors: ARGUMENT (no such class or picture, radius), LIMIT, MEMORY. */
enum shw_result shw_project_begin_stroke(struct shw_project *project, uint32_t picture, uint32_t number,
                                         uint32_t radius, struct shw_point point);
enum shw_result shw_project_extend_stroke(struct shw_project *project, struct shw_point point);
void shw_project_end_stroke(struct shw_project *project);
/* Whether a stroke is in progress. */
bool shw_project_is_painting(const struct shw_project *project);

/* Labels runs of pixels as one stroke, an area (stroke.h): `runs` has 2 * count points, the first and the last pixel of
 * each run, which are copied. `number` as above. Errors: ARGUMENT (no such class or picture, no runs), LIMIT (more than
 * SHW_STROKE_POINTS_MAX / 2 runs), MEMORY. */
enum shw_result shw_project_add_area(struct shw_project *project, uint32_t picture, uint32_t number,
                                     const struct shw_point *runs, uint32_t count);

/* Imports a label image: width * height class numbers, row by row, SHW_LABEL_VOID for unlabelled pixels. Adds an area
 * (stroke.h) for each class that occurs, as one step of the history. Errors: ARGUMENT (a number that no class has),
 * LIMIT (an area of more than SHW_STROKE_POINTS_MAX / 2 runs of pixels), MEMORY; the project is then unchanged. */
enum shw_result shw_project_import_labels(struct shw_project *project, uint32_t picture, const uint16_t *labels);
/* The same of labels whose runs have been found, of the picture's size; takes them, also if it fails. Errors: ARGUMENT,
 * MEMORY. */
enum shw_result shw_project_import_runs(struct shw_project *project, uint32_t picture, struct shw_label_runs *runs);

/* The same from a file: values are class numbers, or colours those of the classes; the value after the last class, and
 * black if no class has it, are unlabelled. Errors: also IO, and FORMAT: a size other than the picture's, a value or
 * colour that no class has, two classes of the same colour. */
enum shw_result shw_project_import_label_file(struct shw_project *project, uint32_t picture, const char *path);

/* Undoes or redoes a step; false if there is none. A stroke in progress is ended first. *picture (or NULL) becomes the
 * picture of the stroke or of the object that was taught, UINT32_MAX for a change of classes. */
bool shw_project_undo(struct shw_project *project, uint32_t *picture);
bool shw_project_redo(struct shw_project *project, uint32_t *picture);

/* Labels are painted when they are needed, which takes long for many strokes. prepare: paints for about `seconds`, at
 * least one segment of a stroke, beginning with picture `first` if it exists; returns whether all pictures have their
 * labels. has: whether a picture has them. */
bool shw_project_prepare_labels(struct shw_project *project, uint32_t first, double seconds);
bool shw_project_has_labels(const struct shw_project *project, uint32_t picture);

/* A snapshot of a picture's labels, including a stroke in progress, to be released with shw_picture_labels_release().
 * Takes time for what has changed, not for the size of the picture. Errors: MEMORY. */
enum shw_result shw_project_share_labels(struct shw_project *project, uint32_t picture,
                                         struct shw_picture_labels **labels);

/* The labels of the pixels (x + step * i, y + step * j), i < width, j < height, row by row: class numbers,
 * SHW_LABEL_VOID for unlabelled pixels and outside the picture. With x = y = 0, the picture's size and step 1: its
 * label image. Errors: MEMORY. */
enum shw_result shw_project_copy_labels(struct shw_project *project, uint32_t picture, int64_t x, int64_t y,
                                        uint32_t width, uint32_t height, uint32_t step, uint16_t *labels);

/* The number of pixels of each class in a picture: class_count numbers. Errors: MEMORY. */
enum shw_result shw_project_count_labels(struct shw_project *project, uint32_t picture, uint64_t *counts);

extern const struct shw_file_kind shw_file_project;

#endif
