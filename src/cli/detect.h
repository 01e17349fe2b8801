/* A search for objects in images and videos: its options, and what it works with. */
#ifndef SHW_CLI_DETECT_H
#define SHW_CLI_DETECT_H

#include <stdbool.h>

#include <shadewood/detect.h>

#include "base/atomic_file.h"
#include "cli/data_options.h"
#include "cli/parts.h"
#include "detection/detect/detector.h"
#include "detection/detect/group.h"
#include "detection/metrics/detections.h"
#include "files/dataset/annotations.h"
#include "files/io/output_files.h"
#include "files/output/detection_tables.h"
#include "files/output/image_list.h"

/* Zero-initialise it, and set the first three. */
struct cli_truth {
    const char *path;  /* of the annotations; NULL: nothing is measured */
    const char *label; /* of the objects that count; NULL: that of the cascade if there are several */
    double overlap;    /* least overlap of a detection and its object */

    struct shw_annotations annotations;  /* joined */
    bool *searched;                      /* which of their images were */
    const struct shw_image_list *images; /* that are searched */
    uint32_t *annotated;                 /* which of the annotated images they are, or UINT32_MAX */
    int64_t category;                    /* COCO's, of the objects; 1 if there is none */
    uint32_t fraction_bits;
    struct shw_detection_tally tally;
    char *paths[5]; /* of the files that are written */
    struct shw_atomic_file matches_table, images_table;
};

/* Reads the annotations; `name`: what the cascade finds. Returns SHW_CONTINUE or the exit code. */
int cli_truth_read(struct cli_report *report, struct cli_truth *truth, const char *name);

/* Lists the annotated images. Their places are their names in the annotations without extensions, or the last part of
 * names that lead out of the folder. Returns SHW_CONTINUE or the exit code. */
int cli_truth_list_images(struct cli_report *report, const struct cli_truth *truth, struct shw_image_list *list);

/* Matches the images to be searched with the annotated ones: by file, or, if none of the annotated images exists as a
 * file, by the longest common end of the path and the name in the annotations. Images that are given twice are removed
 * with a warning. The list must not change afterwards. Returns SHW_CONTINUE or the exit code; ambiguous matches are an
 * error. */
int cli_truth_match_images(struct cli_report *report, struct cli_truth *truth, struct shw_image_list *images);

/* Names the files that are written into a folder, and adds them to those that are checked. Returns SHW_CONTINUE or the
 * exit code. */
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

enum shw_result cli_truth_find(const struct cli_truth *truth, const struct shw_image_entry *which, uint32_t width,
                               uint32_t height, const struct shw_log *log, struct cli_true_objects *found);

/* The image's number for COCO: that of the annotations, or, for image `number` (from 0) of the search, one beyond all
 * of those. */
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

#define CLI_ANGLES_MAX 32u

/* Options, and the values parsed from them. */
struct cli_detect_options {
    uint32_t min_size, max_size, levels_per_octave, step, min_neighbours;
    struct shw_option_reals scale_factor, stride, overlap, epsilon;
    const char *min_score; /* a number, "any", or NULL: the cascade's */
    const char *angles, *regroup, *format;
    int group, variant, technique; /* enum shw_group_method, enum shw_detect_variant, enum shw_technique */
    uint32_t device, threads;

    uint32_t angle_numbers[CLI_ANGLES_MAX], regroup_stages[SHW_DETECT_REGROUP_MAX];
    bool csv, coco; /* of `format` */
    struct shw_detector_params params;
    struct shw_group_params grouping; /* except the score, which needs the cascade */
};

#define CLI_DETECT_OPTIONS(options)                                                                                    \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "min-size", 0, "N", &(options).min_size, 1, SHW_IMAGE_SIZE_MAX,                \
                      "the smallest windows, in pixels of the image (those of the\ncascade)"),                         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "max-size", 0, "N", &(options).max_size, 1, SHW_IMAGE_SIZE_MAX,            \
                          "the largest windows (the image)"),                                                          \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "levels-per-octave", 0, "N", &(options).levels_per_octave, 1, 16,          \
                          "cascades of pixels: sizes per octave (the\ncascade's)"),                                    \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "scale-factor", 0, "F", &(options).scale_factor, 1, 1,                      \
                          "other cascades: ratio of successive sizes (the cascade's)"),                                \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "stride", 0, "F", &(options).stride, 1, 1,                                  \
                          "cascades of pico: step between windows, as a fraction of\ntheir size (0.1)"),               \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "step", 0, "N", &(options).step, 1, SHW_IMAGE_SIZE_MAX,                    \
                          "other cascades: step between windows, in pixels of the\nscaled image (1; haar and lbp: "    \
                          "as OpenCV does)"),                                                                          \
        SHW_OPTION(SHW_VALUE_TEXT, "angles", 0, "A,...", &(options).angles,                                            \
                   "by how many degrees objects may be turned, counter-\nclockwise, in steps of 11.25; or all (0)"),   \
        SHW_OPTION_CHOICE("group", 0, "KIND", &(options).group, shw_group_names,                                       \
                          "how windows that show the same object become one: mean,\ncluster, suppress or none "        \
                          "(default: by the cascade's kind)"),                                                         \
        SHW_OPTION_WITHIN(                                                                                             \
            SHW_VALUE_NUMBER, "min-neighbours", 0, "N", &(options).min_neighbours, 1, 65535,                           \
            "with mean and cluster: drop groups of fewer windows (4 for\nmean, which is OpenCV's 3; otherwise 1)"),    \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "overlap", 0, "F", &(options).overlap, 1, 1,                                \
                          "intersection over union above which windows show the same\nobject, with cluster and "       \
                          "suppress (0.3)"),                                                                           \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "epsilon", 0, "F", &(options).epsilon, 1, 1,                                \
                          "fraction of their size by which sides may differ, with\nmean (0.2)"),                       \
        SHW_OPTION(SHW_VALUE_TEXT, "min-score", 0, "S", &(options).min_score,                                          \
                   "drop detections with a lower score; any: keep all (the\ncascade's, if its file has one)"),         \
        SHW_OPTION_CHOICE("technique", 't', "NAME", &(options).technique, cli_techniques,                              \
                          "auto, cpu, fragment or compute; same result (auto)"),                                       \
        SHW_OPTION_RENAMED("variant", "way", "NAME", &(options).variant, shw_detect_variant_names,                     \
                           "variant of compute: best, global, shared, mipmap or regroup;\nsame result (best)"),        \
        SHW_OPTION(SHW_VALUE_TEXT, "regroup", 0, "N,...", &(options).regroup,                                          \
                   "stages after which compute regroups the remaining windows\n(chosen from the cascade)"),            \
        CLI_DEVICE_OPTION((options).device),                                                                           \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &(options).threads, 1, 1024,                            \
                          "threads of the technique cpu (one per processor)")

struct cli_detecting {
    struct cli_report report;
    struct cli_detect_options options;
    struct cli_reading reading;
    struct cli_truth truth;
    const char *output;
    const char *survivors; /* the cascade to write with the record of survivors; NULL: none */
    uint32_t page;
    bool raw, no_pictures;
    struct cli_parts parts;
    struct shw_resume resume;
    uint64_t model; /* the hash of the cascade */
    struct shw_output_files outputs;

    const struct shw_cascade_info *info;
    struct shw_detector *detector;
    struct shw_image_params params; /* how images are read */
    struct shw_detection_tables tables;
    json_t *images, *videos; /* of the report */
    uint64_t found, frames;  /* in all images and videos; frames of videos */
    uint32_t searched, searched_videos, failed, up_to_date;
    int code; /* of what failed */
};

/* The tables that options want. */
struct shw_detection_wanted cli_detect_wanted(const struct cli_detecting *detecting);

/* The picture of an image with what was found, to be freed with free(); NULL if memory is exhausted. */
char *cli_detect_picture_path(const struct cli_detecting *detecting, const struct shw_image_entry *image);

/* detect_parts.c: searching what is missing, or a shard. */

/* Sets how detection asks what is up to date; `detecting` must not move. */
void cli_detect_begin_parts(struct cli_detecting *detecting);

/* Refuses what cannot be searched in parts. Returns SHW_CONTINUE or the exit code. */
int cli_detect_check_parts(const struct cli_detecting *detecting, const struct shw_image_list *images,
                           const struct shw_image_list *videos);

/* Opens the journal in the output folder, if one is wanted, and looks at the images. Returns SHW_CONTINUE or the exit
 * code. */
int cli_detect_open_parts(struct cli_detecting *detecting, const struct shw_image_list *images);

/* Lists what the arguments stand for: images and folders, lists, videos. Returns SHW_CONTINUE or the exit code; free
 * the lists in either case. */
int cli_detect_list(const struct shw_command *command, struct cli_detecting *detecting, char **arguments, int count,
                    struct shw_image_list *images, struct shw_image_list *videos);

/* What was found in an image. */
struct cli_detected {
    struct shw_detections windows; /* as found, with --raw alone */
    struct shw_detections found;   /* in groups */
    uint64_t window_count;         /* that were tested */
    double seconds;
};

/* Detections, coloured by whether they match the annotations. */
struct cli_detect_shown {
    const struct shw_detections *found;
    const struct shw_match *matches; /* NULL: there are no annotations, and all have one colour */
    const struct shw_true_object *objects;
    uint32_t object_count, fraction_bits;
};

/* Adds the files of the images, and those for all of them, to what is checked. Returns SHW_CONTINUE or the exit code.
 */
int cli_detect_add_images(struct cli_detecting *detecting, const struct shw_image_list *images);

/* Searches the images, and writes their files. Those that fail are counted, and are not `done`. */
void cli_detect_images(struct cli_detecting *detecting, const struct shw_image_list *images, bool *done);

/* The same for videos. */
int cli_detect_add_videos(struct cli_detecting *detecting, const struct shw_image_list *videos);
void cli_detect_videos(struct cli_detecting *detecting, const struct shw_image_list *videos);

/* Sets the least score of `info` by the text of --min-score, a number or "any"; NULL leaves it. Errors: ARGUMENT. */
enum shw_result cli_cascade_min_score(const char *text, const struct shw_log *log, struct shw_cascade_info *info);

#endif
