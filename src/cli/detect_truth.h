/* Detections measured by annotations: what is there to be found, and what came of it. */
#ifndef SHW_CLI_DETECT_TRUTH_H
#define SHW_CLI_DETECT_TRUTH_H

#include "base/atomic_file.h"
#include "cli/image_list.h"
#include "detection/metrics/detections.h"
#include "files/dataset/annotations.h"
#include "files/io/output_files.h"

/* Zero-initialise it, and set the first three. */
struct cli_truth {
    const char *path;  /* of the annotations; NULL: none, and nothing is measured */
    const char *label; /* of the objects that count; NULL: that of the cascade if there are several */
    double overlap;    /* by which a detection and an object match */

    struct shw_annotations annotations;  /* joined */
    bool *searched;                      /* which of their images were */
    const struct cli_image_list *images; /* that are searched */
    uint32_t *annotated;                 /* which of the annotated images they are, or UINT32_MAX */
    int64_t category;                    /* COCO's, of the objects; 1 if there is none */
    uint32_t fraction_bits;
    struct shw_detection_tally tally;
    char *paths[5]; /* of the files that are written */
    struct shw_atomic_file matches_table, images_table;
};

/* Reads the annotations; `name`: what the cascade finds. Returns SHW_CONTINUE or the exit code. */
int cli_truth_read(struct cli_report *report, struct cli_truth *truth, const char *name);

/* Lists the annotated images. Their places are their names in the annotations without endings, or the last part of
 * those that lead out of the folder. The same. */
int cli_truth_list_images(struct cli_report *report, const struct cli_truth *truth, struct cli_image_list *list);

/* Finds out which of the images, to be searched, are annotated: those of the same file; or, if none of the annotated
 * images is a file, those whose path ends like the name in the annotations by the most folders. Images that are given
 * twice are removed with a warning. The list must not change any more. The same; it is an error if the ends of paths
 * allow several choices. */
int cli_truth_match_images(struct cli_report *report, struct cli_truth *truth, struct cli_image_list *images);

/* Names the files that are written into a folder, and adds them to those that are checked. The same. */
int cli_truth_name_files(struct cli_report *report, struct cli_truth *truth, const char *folder,
                         struct shw_output_files *files);

/* Begins them. Errors: IO, MEMORY. */
enum shw_result cli_truth_begin(struct cli_truth *truth, uint32_t fraction_bits, const struct shw_log *log);

/* The objects of an image of the list, of that size, to be freed with free(). An image that is not annotated has none,
 * and those wholly outside of it are left out with a warning. Errors: MEMORY. */
struct cli_true_objects {
    struct shw_true_object *objects;
    uint32_t count;
    uint32_t image; /* index into the annotations; UINT32_MAX: it is not annotated */
};
enum shw_result cli_truth_find(const struct cli_truth *truth, const struct cli_image *which, uint32_t width,
                               uint32_t height, const struct shw_log *log, struct cli_true_objects *found);

/* The image's number for COCO: that of the annotations, or for image `number`, from 0, of a search one beyond all of
 * those. */
int64_t cli_truth_image_id(const struct cli_truth *truth, const struct cli_true_objects *objects, uint32_t number);

/* Counts the detections of an image, which were matched. Errors: MEMORY. */
enum shw_result cli_truth_add(struct cli_truth *truth, const char *path, const struct cli_true_objects *objects,
                              const struct shw_detections *found, const struct shw_match *matches, uint64_t windows,
                              const struct shw_log *log);

/* Writes the files, unless something has appeared in their places, and prints the result, or adds it to the JSON
 * document. Returns the exit code. */
int cli_truth_finish(struct cli_report *report, struct cli_truth *truth, const struct shw_output_files *files,
                     json_t *document);

void cli_truth_free(struct cli_truth *truth);

#endif
