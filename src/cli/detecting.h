/* A search for objects in images and videos: its options, and what it works with. */
#ifndef SHW_CLI_DETECTING_H
#define SHW_CLI_DETECTING_H

#include <shadewood/detect.h>

#include "cli/data_options.h"
#include "cli/detect_tables.h"
#include "cli/detect_truth.h"
#include "cli/image_list.h"

#define CLI_ANGLES_MAX 32u

/* The options that need reading, and what they say. */
struct cli_detect_options {
    uint32_t min_size, max_size, levels_per_octave, step, min_neighbours;
    struct shw_option_reals scale_factor, stride, overlap, epsilon;
    const char *min_score; /* a number, "any", or NULL: the cascade's */
    const char *angles, *regroup, *format;
    int group, way, technique; /* enum shw_group_method, enum shw_detect_variant, enum shw_technique */
    uint32_t device, threads;

    uint32_t angle_numbers[CLI_ANGLES_MAX], regroup_stages[SHW_DETECT_REGROUP_MAX];
    bool csv, coco; /* of `format` */
    struct shw_detector_params params;
    struct shw_group_params grouping; /* but for the score, which needs the cascade */
};

#define CLI_DETECT_OPTIONS(options)                                                                                    \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "min-size", 0, "N", &(options).min_size, 1, SHW_IMAGE_SIZE_MAX,                \
                      "the smallest windows, in pixels of the image (those of the\ncascade)"),                         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "max-size", 0, "N", &(options).max_size, 1, SHW_IMAGE_SIZE_MAX,            \
                          "the largest windows (the image)"),                                                          \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "levels-per-octave", 0, "N", &(options).levels_per_octave, 1, 16,          \
                          "cascades of pixels: sizes between one and its half (the\ncascade's)"),                      \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "scale-factor", 0, "F", &(options).scale_factor, 1, 1,                      \
                          "other cascades: ratio of successive sizes (the cascade's)"),                                \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "stride", 0, "F", &(options).stride, 1, 1,                                  \
                          "cascades of pico: from window to window, as a part of\ntheir size (0.1)"),                  \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "step", 0, "N", &(options).step, 1, SHW_IMAGE_SIZE_MAX,                    \
                          "other cascades: from window to window, in pixels of the\nscaled image (1; haar and lbp: "   \
                          "as OpenCV does)"),                                                                          \
        SHW_OPTION(SHW_VALUE_TEXT, "angles", 0, "A,...", &(options).angles,                                            \
                   "by how many degrees objects may be turned, counter-\nclockwise, in steps of 11.25; or all (0)"),   \
        SHW_OPTION_CHOICE("group", 0, "KIND", &(options).group, cli_groupings,                                         \
                          "how windows that show the same object become one: mean,\ncluster, suppress or none "        \
                          "(default: by the cascade's kind)"),                                                         \
        SHW_OPTION_WITHIN(                                                                                             \
            SHW_VALUE_NUMBER, "min-neighbours", 0, "N", &(options).min_neighbours, 1, 65535,                           \
            "with mean and cluster: drop groups of fewer windows (4 for\nmean, which is OpenCV's 3; otherwise 1)"),    \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "overlap", 0, "F", &(options).overlap, 1, 1,                                \
                          "intersection over union above which windows show the same\nobject, with cluster and "       \
                          "suppress (0.3)"),                                                                           \
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "epsilon", 0, "F", &(options).epsilon, 1, 1,                                \
                          "by which part of their size sides may differ, with mean\n(0.2)"),                           \
        SHW_OPTION(SHW_VALUE_TEXT, "min-score", 0, "S", &(options).min_score,                                          \
                   "drop detections with a lower score; any: keep all (the\ncascade's, if its file has one)"),         \
        SHW_OPTION_CHOICE("technique", 't', "NAME", &(options).technique, cli_techniques,                              \
                          "auto, cpu, fragment or compute; same result (auto)"),                                       \
        SHW_OPTION_CHOICE("way", 0, "NAME", &(options).way, cli_detect_variants,                                       \
                          "how compute runs: best, global, shared, mipmap or regroup;\nsame result (best)"),           \
        SHW_OPTION(SHW_VALUE_TEXT, "regroup", 0, "N,...", &(options).regroup,                                          \
                   "stages after which compute regroups the windows that are\nleft (chosen from the cascade)"),        \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "device", 0, "N", &(options).device, 0, 255,                               \
                          "the Vulkan device, as 'shadewood devices' numbers them (0)"),                               \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &(options).threads, 1, 1024,                            \
                          "threads of the technique cpu (one per processor)")

extern const char *const cli_groupings[], *const cli_detect_variants[];

/* Checks the options and fills in the rest. Returns SHW_CONTINUE or the exit code. */
int cli_detect_take_options(const struct shw_command *command, struct cli_detect_options *options);

/* Takes the score of --min-score, or the cascade's own, with which the grouping is complete, and refuses options
 * that are not for its kind. The same. */
int cli_detect_take_cascade(const struct shw_command *command, struct cli_detect_options *options,
                            const struct shw_cascade_info *info, const struct shw_log *log);

struct cli_detecting {
    struct cli_report report;
    struct cli_detect_options options;
    struct cli_reading reading;
    struct cli_truth truth;
    const char *output;
    const char *survivors; /* the cascade to write with the record of survivors; NULL: none */
    uint32_t page;
    bool raw, no_pictures;
    struct shw_output_files outputs;

    const struct shw_cascade_info *info;
    struct shw_detector *detector;
    struct shw_image_params params; /* how images are read */
    struct cli_detect_tables tables;
    json_t *images, *videos; /* of the report */
    uint64_t found, frames;  /* in all images and videos; frames of videos */
    uint32_t searched, searched_videos, failed;
    int code; /* of what failed */
};

/* Lists what the arguments stand for: images and folders, lists, videos. Returns SHW_CONTINUE or the exit code; free
 * the lists in either case. */
int cli_detect_list(const struct shw_command *command, struct cli_detecting *detecting, char **arguments, int count,
                    struct cli_image_list *images, struct cli_image_list *videos);

/* Makes the technique one that counts survivors, if they are wanted. */
void cli_survivors_take_options(struct cli_detecting *detecting);

/* Writes the cascade with how many windows were left after each stage in all that was searched. Returns the exit code.
 */
int cli_survivors_save(struct cli_detecting *detecting);

/* What was found in an image. */
struct cli_detected {
    struct shw_detections windows; /* as found, with --raw alone */
    struct shw_detections found;   /* in groups */
    uint64_t window_count;         /* that were tested */
    double seconds;
};

/* Finds objects in an image of the file `path`. Free in either case. Errors: those of the detector, logged. */
enum shw_result cli_detect_run(struct cli_detecting *detecting, const char *path, const struct shw_image *image,
                               struct cli_detected *detected);
void cli_detected_free(struct cli_detected *detected);

/* Detections beside what was to be found, by which they are coloured. */
struct cli_detect_shown {
    const struct shw_detections *found;
    const struct shw_match *matches; /* NULL: nothing is known, and all have one colour */
    const struct shw_true_object *objects;
    uint32_t object_count, fraction_bits;
};

/* The image in RGB with rectangles and scores in it, to be freed with free(); NULL if memory is exhausted. */
uint8_t *cli_detect_draw(const struct shw_image *image, const struct cli_detect_shown *shown);

/* Where the results of an image or a video are, below the output folder, to be freed with free(); NULL if memory is
 * exhausted. */
char *cli_detect_place(const struct cli_detecting *detecting, const struct cli_image *image, const char *ending);

/* Adds the files of the images, and those for all of them, to what is checked. Returns SHW_CONTINUE or the exit code.
 */
int cli_detect_add_images(struct cli_detecting *detecting, const struct cli_image_list *images);

/* Searches the images, and writes their files. Those that fail are counted. */
void cli_detect_images(struct cli_detecting *detecting, const struct cli_image_list *images);

/* The same for videos. */
int cli_detect_add_videos(struct cli_detecting *detecting, const struct cli_image_list *videos);
void cli_detect_videos(struct cli_detecting *detecting, const struct cli_image_list *videos);

/* Sets the least score of `info` by the text of --min-score, a number or "any"; NULL leaves it. Errors: ARGUMENT. */
enum shw_result cli_cascade_min_score(const char *text, const struct shw_log *log, struct shw_cascade_info *info);

#endif
