/* Options that several commands share: data sets, devices, tables, the focal length. */
#ifndef SHW_CLI_DATA_OPTIONS_H
#define SHW_CLI_DATA_OPTIONS_H

#include <shadewood/label.h>

#include "base/options.h"
#include "cli/report.h"
#include "dense/channels/fill.h"
#include "files/code/plugin.h"
#include "files/dataset/dataset.h"
#include "files/dataset/image_inputs.h"
#include "files/io/output_files.h"
#include "files/output/calibration_file.h"
#include "files/output/image_list.h"
#include "files/tables/table.h"
#include "formats/kinect.h"

/* How images are read. */
struct cli_reading {
    double range[2]; /* both zero: not given */
    struct shw_option_numbers channels;
};

struct cli_data {
    const char *root, *images, *labels, *palette;
    struct shw_option_list splits, inputs, ignored;
    struct shw_input_file files[SHW_INPUTS_MAX]; /* of `inputs`; the functions below fill them in */
    int layout, label_kind;                      /* positions in the lists below; the latter is enum shw_label_kind */
    struct cli_reading reading;
    const struct shw_forest_info
        *info; /* of the forest in use, whose way of reading images and ignored classes apply; NULL: none */
    bool with_previous, with_height; /* the channels read the previous frame, heights */
    uint32_t plane_count;            /* planes that the channels read */
    char planes[SHW_INPUTS_MAX][SHW_INPUT_NAME_SIZE];
    uint64_t cache; /* bytes of decoded images that stay in memory; 0: the default */
};

extern const char *const cli_layouts[], *const cli_label_kinds[];

#define CLI_READING_OPTIONS(reading)                                                                                   \
    SHW_OPTION(                                                                                                        \
        SHW_VALUE_RANGE, "range", 0, "LOW:HIGH", &(reading).range,                                                     \
        "map LOW to black and HIGH to white in images of more than\n8 bits: 0:4095 for 12-bit cameras (that of the "   \
        "training; when\ntraining, 16 bits as stored, floats and 32 bits by the\nfirst image)"),                       \
        SHW_OPTION_WITHIN(                                                                                             \
            SHW_VALUE_NUMBERS, "image-channels", 0, "R,G,B", &(reading).channels, 0, 65535,                            \
            "channels of image files to use as red, green and blue,\nfrom 1, 0 for none, or one as grey "              \
            "(those of the training;\nto train, the first three)")
#define CLI_DATA_OPTIONS(data)                                                                                         \
    SHW_OPTION(SHW_VALUE_TEXT, "data", 'd', "DIR", &(data).root, "the folder of the data set"),                        \
        SHW_OPTION_CHOICE(                                                                                             \
            "layout", 0, "KIND", &(data).layout, cli_layouts,                                                          \
            "pairs (--images and --labels), curfil:\nNAME_colors.png, NAME_ground_truth.png, NAME_depth.png,\n"        \
            "or auto: pairs if --images is given (auto)"),                                                             \
        SHW_OPTION(SHW_VALUE_TEXT, "images", 0, "PATTERN", &(data).images,                                             \
                   "paths of images below DIR; {} stands for the name:\n'images/{}.png'"),                             \
        SHW_OPTION(SHW_VALUE_TEXT, "labels", 0, "PATTERN", &(data).labels,                                             \
                   "paths of label images: 'labels/{}.png', '{}_GT.bmp'"),                                             \
        SHW_INPUT_OPTION((data).inputs, "paths of another input below DIR: 'depth=depth/{}.png';\nmay be repeated"),   \
        SHW_OPTION(SHW_VALUE_TEXT, "palette", 0, "FILE", &(data).palette,                                              \
                   "classes: names, colours and which are void (JSON), or a\nforest to take the classes from; "        \
                   "DIR/palette.json or\nDIR/../palette.json if there is one"),                                        \
        SHW_OPTION(SHW_VALUE_LIST, "ignore", 0, "CLASS", &(data).ignored,                                              \
                   "treat pixels of the class as void: its name, or its\ncolour as R,G,B or #rrggbb; may be repeated " \
                   "(to evaluate, also\nthose ignored in the training)"),                                              \
        SHW_OPTION(SHW_VALUE_LIST, "split", 's', "FILE", &(data).splits,                                               \
                   "use only the names listed in FILE; may be repeated"),                                              \
        SHW_OPTION_CHOICE("label-kind", 0, "KIND", &(data).label_kind, cli_label_kinds,                                \
                          "how label images encode classes: auto, index, colour"),                                     \
        CLI_READING_OPTIONS((data).reading)

/* How images are read: as the options say, otherwise as in the training of the forest (or NULL). */
struct shw_image_choice cli_image_choice(const struct cli_reading *reading, const struct shw_forest_info *info);

/* Fails if the forest does not read one of the inputs, and warns if it reads the previous frame, which is not among
 * them; `frames` names the option that gives it; NULL if it is given. Returns SHW_CONTINUE or the exit code. */
int cli_check_inputs(struct cli_report *report, const struct shw_channel_list *channels, uint32_t count,
                     const struct shw_input_file files[], const char *frames);

/* Fails if none of the `count` lists of channels reads one of the data set's inputs; `whose` and `name`
 * say, one after the other, whose they are: "the forest", "". Returns SHW_CONTINUE or the exit code. */
int cli_check_data_inputs(const struct shw_command *command, struct cli_report *report, struct cli_data *data,
                          const struct shw_channel_list *const *lists, uint32_t count, const char *whose,
                          const char *name);

/* Notes the planes that the channels read: those that are not given by --input are to be in the images' files. To be
 * called before cli_open_data(). */
void cli_need_planes(struct cli_data *data, const struct shw_channel_list *channels);

/* Checks the options and opens the data set; may be called again for another forest. Returns SHW_CONTINUE or the exit
 * code. */
int cli_open_data(const struct shw_command *command, struct cli_report *report, struct cli_data *data,
                  struct shw_dataset *dataset);

/* Adds the files of the data set, which is open, to those that the command reads. */
void cli_read_data(const struct cli_data *data, const struct shw_dataset *dataset, struct shw_output_files *files);

/* Feature types and channel kinds that the library does not have. Zero-initialised. */
struct cli_code {
    bool trusts; /* code that comes inside a file may run */
    struct shw_option_list plugin_paths;
    struct shw_plugins plugins;
};

#define CLI_TRUST_OPTION(code)                                                                                         \
    SHW_OPTION_FLAG("trust-code", 0, &(code).trusts,                                                                   \
                    "run the feature type and the channel kinds that a forest\nor a project brings as text; "          \
                    "'shadewood inspect' shows those\nof a forest")

#define CLI_PLUGIN_OPTION(code)                                                                                        \
    SHW_OPTION(SHW_VALUE_LIST, "plugin", 0, "FILE", &(code).plugin_paths,                                              \
               "a shared object with feature types and channel kinds;\nmay be repeated")

#define CLI_CODE_OPTIONS(code) CLI_TRUST_OPTION(code), CLI_PLUGIN_OPTION(code)

/* Loads the plugins. Returns SHW_CONTINUE or the exit code. */
int cli_load_plugins(struct cli_report *report, struct cli_code *code);

/* shw_forest_load() for a forest that may bring code, or need that of a plugin. */
enum shw_result cli_load_forest(const struct cli_code *code, const char *path,
                                const struct shw_forest_load_params *params, struct shw_forest **forest);

extern const char *const cli_combinations[]; /* in the order of enum shw_combine */

/* How the trees of a loaded forest are combined; `value`: int. */
#define CLI_COMBINE_OPTION(value)                                                                                      \
    SHW_OPTION_CHOICE(                                                                                                 \
        "combine", 0, "NAME", &(value), cli_combinations,                                                              \
        "how trees determine a pixel's class: mean of distributions, vote,\nor stored: as the forest says "            \
        "(stored)")

/* How missing depth is filled for a forest that is read; `value`: int. */
#define CLI_FILL_OPTION(value)                                                                                         \
    SHW_OPTION_CHOICE("fill", 0, "NAME", &(value), shw_fill_names,                                                     \
                      "how missing depth is filled: " SHW_FILL_HELP ";\nor stored: as the forest says (stored)")

/* Smoothing of distributions; `value`: struct shw_smoothing, and `unless` what the radius is without the option. */
#define CLI_SMOOTH_OPTIONS(value, unless)                                                                              \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "smooth", 0, "RADIUS", &(value).radius, 0, SHW_SMOOTHING_RADIUS_MAX,           \
                      "smooth class probabilities over windows of this radius, in\npixels, up to the edges that the "  \
                      "image's colours have; 0: do not\n(" unless ")"),                                                \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "smooth-epsilon", 0, "N", &(value).epsilon, 1, SHW_SMOOTHING_EPSILON_MAX,  \
                          "the variance of colours, in squares of an 8-bit value, that\n--smooth takes for texture "   \
                          "and not for an edge (7)")

/* Whether there are options for images and labels, which a project defines itself. */
bool cli_data_is_given(const struct cli_data *data);

#define CLI_SMOOTH_STORED "as the forest says"
#define CLI_SMOOTH_UNSET  (SHW_SMOOTHING_RADIUS_MAX + 1) /* the radius before options are read */

/* Makes of the options' values what a labeller wants. Refuses an epsilon without a radius, which would do nothing.
 * Returns SHW_CONTINUE or the exit code. */
int cli_check_smoothing(const struct shw_command *command, struct shw_smoothing *smoothing);

/* --level of a forest of several; 0: not given. */
#define CLI_LEVEL_OPTION(value)                                                                                        \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "level", 0, "N", &(value), 1, SHW_LEVELS_MAX,                                  \
                      "of a forest of several levels, the one to look at: 1 is\nthe lowest (the uppermost)")

/* Finds that level of a forest. Returns SHW_CONTINUE or the exit code. */
int cli_take_level(const struct shw_command *command, uint32_t level, const struct shw_forest *forest,
                   const struct shw_forest **taken);

struct cli_device {
    uint32_t index, threads;
    int technique, channels, integrate, evaluate; /* enum shw_technique; stages: 0 means `technique` */
    struct shw_stored_calibration calibration;    /* for `auto`; filled in when the device is opened */
};

extern const char *const cli_techniques[]; /* for labelling, in the order of enum shw_technique */

#define CLI_STAGE_OPTIONS(device)                                                                                      \
    SHW_OPTION_CHOICE("technique", 't', "NAME", &(device).technique, cli_techniques,                                   \
                      "auto, cpu, fragment or compute; same result (auto)"),                                           \
        SHW_OPTION_CHOICE("channels-technique", 0, "NAME", &(device).channels, cli_techniques,                         \
                          "technique of the stage channels"),                                                          \
        SHW_OPTION_CHOICE("integrate-technique", 0, "NAME", &(device).integrate, cli_techniques,                       \
                          "technique of the stage integrate"),                                                         \
        SHW_OPTION_CHOICE("evaluate-technique", 0, "NAME", &(device).evaluate, cli_techniques,                         \
                          "technique of the stage evaluate"),                                                          \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &(device).threads, 1, 1024,                             \
                          "threads of the technique cpu (one per processor)")

#define CLI_DEVICE_OPTIONS(device) CLI_STAGE_OPTIONS(device), CLI_DEVICE_OPTION((device).index)

/* Opens a device. Without `wanted`, a machine without a suitable device is no error, and *opened is NULL. Returns
 * SHW_CONTINUE or the exit code. */
int cli_create_device(struct cli_report *report, uint32_t index, bool wanted, struct shw_device **opened);

/* The stored calibration of an open device, read into *stored; NULL if there is none, or no device. */
const struct shw_calibration *cli_recall_calibration(struct cli_report *report, const struct shw_device *device,
                                                     struct shw_stored_calibration *stored);

/* Opens the device if any stage needs one; *opened is NULL if all run on the CPU, which is what `auto` means on a
 * machine without a device. Sets the techniques of the stages in `params`, with the stored calibration if any is
 * `auto`. Returns SHW_CONTINUE or the exit code. */
int cli_open_device(struct cli_report *report, struct cli_device *device, struct shw_labeller_params *params,
                    struct shw_device **opened);

/* The technique of each stage, as JSON. */
json_t *cli_techniques_json(const struct shw_labeller *labeller);

/* Zero-initialised. */
struct cli_focal {
    uint32_t given; /* pixels; 0: not given */
    bool warned;
};

#define CLI_FOCAL_OPTION(focal)                                                                                        \
    SHW_OPTION_WITHIN(                                                                                                 \
        SHW_VALUE_NUMBER, "focal", 0, "N", &(focal).given, 1, SHW_FOCAL_MAX,                                           \
        "the focal length of the images' camera in pixels, for forests\nof Kinect's trees (the one that "              \
        "was given to import, or 525)")

/* Replaces *forest by one for the focal length, if that is given; on failure *forest stays. `path` begins messages.
 * Errors: those of shw_forest_focus(). */
enum shw_result cli_focus(const struct cli_focal *focal, const char *path, const struct shw_log *log,
                          struct shw_forest **forest);

/* Warns once about an image whose width differs from the one that the assumed focal length of the forest is for. */
void cli_check_focal(struct cli_focal *focal, const struct shw_forest_info *info, const char *image, uint32_t width,
                     const struct shw_log *log);

struct cli_table_options {
    const char *class_column, *labels, *delimiter;
    bool by_position;
    int header; /* enum shw_table_header */
    int first_index;
    struct shw_option_list ignored;
};

extern const char *const cli_table_headers[], *const cli_first_indices[];

#define CLI_TABLE_OPTIONS(options)                                                                                     \
    SHW_OPTION(SHW_VALUE_TEXT, "target", 0, "COLUMN", &(options).class_column,                                         \
               "the column of classes, or of values to compare with: a\nname, a number from 1, or none (that called "  \
               "class, label\nor target, otherwise the last one)"),                                                    \
        SHW_OPTION(SHW_VALUE_TEXT, "class-column", 0, "COLUMN", &(options).class_column,                               \
                   "the former name of --target"),                                                                     \
        SHW_OPTION(SHW_VALUE_TEXT, "labels", 0, "FILE", &(options).labels,                                             \
                   "another table, of one column, with the classes of\nthe table"),                                    \
        SHW_OPTION(SHW_VALUE_LIST, "ignore", 0, "COLUMN", &(options).ignored,                                          \
                   "leave out a column: its name or number; may be repeated"),                                         \
        SHW_OPTION(SHW_VALUE_TEXT, "delimiter", 0, "CHAR", &(options).delimiter,                                       \
                   "separates fields of text: ',' ';' or tab (recognised)"),                                           \
        SHW_OPTION_FLAG("by-position", 0, &(options).by_position, "match columns by position, not by name"),           \
        SHW_OPTION_CHOICE("first-index", 0, "N", &(options).first_index, cli_first_indices,                            \
                          "first index of libsvm files: 0 or 1 (1)"),                                                  \
        SHW_OPTION_CHOICE("header", 0, "WHICH", &(options).header, cli_table_headers,                                  \
                          "whether the first record names the columns, also of labels:\nauto, yes, no (auto)")

/* Checks the options and stores them; other members stay. Returns SHW_CONTINUE or the exit code. */
int cli_take_table_options(const struct shw_command *command, const struct cli_table_options *options,
                           struct shw_table_params *params);

/* Checks them with the tables that the command names. Returns SHW_CONTINUE or the exit code. */
int cli_check_tables(const struct shw_command *command, const struct cli_table_options *options, char **tables,
                     int count);

/* Lists the images that arguments stand for (shw_image_list_make()), and refuses two whose results would have the same
 * names. The log is the report's. Returns SHW_CONTINUE or the exit code; free the list in either case. */
int cli_list_images(const struct shw_command *command, struct cli_report *report, char **arguments, int count,
                    const struct shw_image_list_params *params, struct shw_image_list *list);

/* Takes the text of --shard. Returns SHW_CONTINUE or the exit code. */
int cli_take_shard(const struct shw_command *command, const char *text, struct shw_shard *shard);

/* The first name among `names` that is not among `others`, or NULL. */
const char *cli_find_lacking(const struct shw_class *names, uint32_t count, const struct shw_class *others,
                             uint32_t other_count);

/* The forest and the data set must have the same class names in the same order. Returns SHW_CONTINUE or the exit code.
 */
int cli_check_classes(struct cli_report *report, const struct shw_forest_info *info, const struct shw_dataset *dataset);

/* Whether an argument names an image; or a video, by a name like one's. A pipe is not opened to find out, since it can
 * be opened only once. */
bool cli_is_image(const char *path);
bool cli_is_video(const char *path);

/* Adds a video. Returns SHW_CONTINUE or the exit code. */
int cli_list_video(struct cli_report *report, const char *path, struct shw_image_list *videos);

#endif
