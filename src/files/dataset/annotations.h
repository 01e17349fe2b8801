/* Rectangles that people have drawn around objects: files of annotations, as CSV or as COCO's JSON. */
#ifndef SHW_FILES_DATASET_ANNOTATIONS_H
#define SHW_FILES_DATASET_ANNOTATIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* The largest side and the largest absolute coordinate of a rectangle, in pixels. */
#define SHW_ANNOTATION_MAX 65535

#define SHW_NO_OBJECT_LABEL UINT32_MAX

/* The label of what is no object: where a cascade has seen one by mistake. */
#define SHW_FALSE_ALARM "false-alarm"

/* In pixels of the image; x and y may be negative, and it may reach beyond the image. */
struct shw_annotated_object {
    int32_t x, y;
    uint32_t width, height; /* at least 1 */
    uint32_t label;         /* index into the labels, or SHW_NO_OBJECT_LABEL */
    bool is_crowd;          /* COCO's iscrowd: not one object, and neither right nor wrong to be found */
    bool is_wrong;          /* its label is SHW_FALSE_ALARM: not an object */
    const char *file;       /* that has it, as the caller has named it; borrowed */
    uint32_t line, entry;   /* of CSV the line, from 1; otherwise 0, and the entry of COCO's list, from 0 */
};

struct shw_annotated_image {
    char *name; /* as in the file */
    char *path; /* in the folder */
    char *real; /* of what shw_annotations_join() makes: shw_image_real_path() of it; NULL if there is no file */
    int64_t id; /* COCO's; in CSV the number of the image, from 1 */
    uint32_t first_object, object_count;
};

/* Images in the order in which the file names them first, each once; of the objects those of each image in a row, in
 * the order of the file. */
struct shw_annotations {
    struct shw_annotated_image *images;
    struct shw_annotated_object *objects;
    char **labels;      /* in the order in which they occur; of COCO, all categories */
    int64_t *label_ids; /* COCO's, of each label; of CSV NULL */
    uint32_t image_count, object_count, label_count;
};

/* Reads a file. Its format is recognised by its contents: JSON begins with '{'.
 *
 * CSV (RFC 4180, also with LF alone): a line is `image,x,y,width,height` or `image,x,y,width,height,label`; numbers are
 * rounded to whole pixels at both ends. An image alone on its line, or with empty fields after it, is one without
 * objects. Rectangles with the label SHW_FALSE_ALARM are none. The first line may be these words. Lines that are empty
 * or begin with '#' are skipped.
 *
 * COCO: `images` with `id` and `file_name`, `annotations` with `image_id`, `bbox` and `category_id`, `categories` with
 * `id` and `name`; the rest is not read.
 *
 * `folder`: that of the images; NULL: that of the file. `label`: other objects are left out, their images stay; NULL:
 * all objects. The file is not trusted. Errors: IO, FORMAT (the message names line or entry, and what is wrong; also if
 * nothing has the label), LIMIT, MEMORY. Any thread. */
enum shw_result shw_annotations_read(const char *path, const char *folder, const char *label, const struct shw_log *log,
                                     struct shw_annotations *annotations);

/* The same from memory; `name` is for messages, and the images are in `folder`. */
enum shw_result shw_annotations_decode(const void *bytes, size_t size, const char *name, const char *folder,
                                       const char *label, const struct shw_log *log,
                                       struct shw_annotations *annotations);

/* Joins what was read: images of one file, whatever they are called in which of the files, become one, which has the
 * name and the number of the first, and the objects of all. Of those with the same rectangle all but the first are left
 * out, with a warning, and what is no object without one. There are no labels any more. Errors: MEMORY. */
enum shw_result shw_annotations_join(const struct shw_annotations *files, uint32_t count, const struct shw_log *log,
                                     struct shw_annotations *joined);

/* Warns of objects of an image, which has that size, that lie wholly outside of it, and returns their number. */
uint32_t shw_annotations_report_outside(const struct shw_annotations *annotations,
                                        const struct shw_annotated_image *image, uint32_t width, uint32_t height,
                                        const struct shw_log *log);

/* Accepts zero-initialised and freed ones. */
void shw_annotations_free(struct shw_annotations *annotations);

#endif
