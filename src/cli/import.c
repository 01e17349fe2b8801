#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/forest.h>
#include <shadewood/record_forest.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/detect.h"
#include "cli/report.h"
#include "files/formats/cascade_formats.h"
#include "files/formats/csv_cascade.h"
#include "files/formats/curfil.h"
#include "files/formats/kinect.h"
#include "files/formats/record_formats.h"
#include "files/io/json_text.h"
#include "files/output/cascade_text.h"
#include "records/model/doubles.h"

struct cli_cascade_import {
    struct cli_report *report;
    struct shw_output_files *files;
    shw_cascade_read_function *read;
    const char *format;    /* its name */
    const char *object;    /* NULL: as the file says */
    const char *min_score; /* a number, "any", or NULL: the format's */
    const char *path, *output;
};

struct cli_record_import {
    struct cli_report *report;
    struct shw_output_files *files;
    const char *format; /* its name; NULL: recognised by the contents */
    const char *path, *output;
};

/* The provenance stored with the cascade; NULL if memory is exhausted. */
static char *make_cascade_provenance(const struct cli_cascade_import *import)
{
    const char *slash = strrchr(import->path, '/');
    const char *name = slash != NULL && slash[1] != '\0' ? slash + 1 : import->path;
    json_t *record = json_pack("{s:s, s:[o]}", "imported_from", import->format, "files", shw_json_text(name));
    char *text = record != NULL ? json_dumps(record, JSON_COMPACT) : NULL;

    json_decref(record);
    return text;
}

/* The files that are read: those of a folder, if it is one of CSV files. */
static void add_inputs(const struct cli_cascade_import *import)
{
    shw_output_files_read(import->files, import->path);
    for (int f = 0; import->read == shw_csv_cascade_read && f < SHW_CSV_FILE_COUNT; f++) {
        char *path = shw_csv_path(import->path, (enum shw_csv_file)f);
        shw_output_files_read(import->files, path);
        free(path);
    }
}

/* Applies --min-score to the cascade. */
static enum shw_result set_min_score(const struct cli_cascade_import *import, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    struct shw_cascade_info info = *shw_cascade_get_info(*cascade);
    struct shw_cascade *made = NULL;

    SHW_PROPAGATE(cli_cascade_min_score(import->min_score, log, &info));
    SHW_PROPAGATE(shw_cascade_create(&info, log, &made));
    shw_cascade_destroy(cascade);
    *cascade = made;
    return SHW_OK;
}

static enum shw_result read_cascade(const struct cli_cascade_import *import, const struct shw_log *log,
                                    struct shw_cascade **cascade)
{
    char *record = make_cascade_provenance(import);
    const struct shw_cascade_import made = {.object = import->object, .training = record};
    enum shw_result result =
        record != NULL ? import->read(import->path, &made, log, cascade) : shw_fail_memory(log, "a cascade");

    free(record);
    return result == SHW_OK && import->min_score != NULL ? set_min_score(import, log, cascade) : result;
}

static int report_cascade(const struct cli_cascade_import *import, const struct shw_cascade *cascade)
{
    if (import->report->json)
        return cli_print_json(import->report, shw_cascade_json(cascade, import->output));
    if (!import->report->quiet) {
        printf("%s: ", shw_printable(import->output).text);
        shw_print_cascade_line(cascade);
    }
    return SHW_EXIT_SUCCESS;
}

/* Checks the files, reads and writes. Returns the exit code. */
static int cli_import_cascade(const struct cli_cascade_import *import)
{
    const struct shw_log log = cli_log(import->report);
    struct shw_cascade *cascade = NULL;
    enum shw_result result;
    int code;

    add_inputs(import);
    shw_output_files_write(import->files, import->output, &shw_file_cascade);
    code = cli_check_outputs(import->report, import->files);
    if (code != SHW_CONTINUE)
        return code;
    result = read_cascade(import, &log, &cascade);
    if (result == SHW_OK)
        result = shw_output_files_look_again(import->files, import->output);
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, import->output, &log);
    code = result == SHW_OK ? report_cascade(import, cascade) : shw_exit_code(result);
    shw_cascade_destroy(&cascade);
    return code;
}

static uint32_t depth_of(const struct shw_record_forest_info *info)
{
    uint32_t depth = 0;

    for (uint32_t t = 0; t < info->tree_count; t++)
        depth = shw_max_u32(depth, info->trees[t].depth);
    return depth;
}

static int report_records(const struct cli_record_import *import, const struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    bool classes = info->task == SHW_RECORD_CLASSES;
    const uint32_t doubles = shw_record_forest_count_double_thresholds(forest);
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_record_forest_hash(forest));
    if (import->report->json)
        return cli_print_json(import->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:s, s:I}", "forest",
                                        shw_json_text(import->output), "hash", hash, "trees", (int)info->tree_count,
                                        "nodes", (int)info->node_count, "depth", (int)depth_of(info), "attributes",
                                        (int)info->attribute_count, "outputs", (int)info->output_count, "task",
                                        classes ? "classes" : "values", "classes", (int)info->class_count, "link",
                                        shw_record_link_name(info->link), "double_thresholds", (json_int_t)doubles));
    if (!import->report->quiet)
        printf("%s: %s, %s, depth %u, %s, %s (hash %s)\n", shw_printable(import->output).text,
               shw_counted(info->tree_count, "tree", "trees").text, shw_counted(info->node_count, "node", "nodes").text,
               depth_of(info), shw_counted(info->attribute_count, "attribute", "attributes").text,
               classes ? shw_counted(info->class_count, "class", "classes").text
                       : shw_counted(info->output_count, "value", "values").text,
               hash);
    if (!import->report->quiet && doubles > 0)
        printf("%s in double precision, which the forest has in float32: numbers that are not float32 may reach other "
               "leaves than in the model, unless 'shadewood records --double' is given the model itself\n",
               shw_counted(doubles, "threshold is", "thresholds are").text);
    return SHW_EXIT_SUCCESS;
}

/* Checks the files, reads and writes. Returns the exit code. */
static int cli_import_records(const struct cli_record_import *import)
{
    const struct shw_log log = cli_log(import->report);
    struct shw_record_forest *forest = NULL;
    enum shw_result result;
    int code;

    shw_output_files_read(import->files, import->path);
    shw_output_files_write(import->files, import->output, &shw_file_record_forest);
    code = cli_check_outputs(import->report, import->files);
    if (code != SHW_CONTINUE)
        return code;
    result = shw_record_model_read(import->path, import->format, &log, &forest);
    if (result == SHW_OK)
        result = shw_output_files_look_again(import->files, import->output);
    if (result == SHW_OK)
        result = shw_record_forest_save(forest, import->output, &log);
    code = result == SHW_OK ? report_records(import, forest) : shw_exit_code(result);
    shw_record_forest_destroy(&forest);
    return code;
}

/* Formats of forests. Those of cascades follow, listed by files/formats/cascade_formats.c, then those of record
 * forests, listed by files/formats/record_formats.c. By default, the format of a cascade or record forest is recognised
 * by the contents. */
enum { TOLD = -1, KINECT, CURFIL, FOREST_FORMAT_COUNT };

static const struct shw_import_format forest_formats[FOREST_FORMAT_COUNT] = {
    {"kinect", "text trees of the Point Cloud Library's module people"},
    {"curfil", "CURFIL's JSON trees; both also compressed with bzip2 or gzip"},
};

static const char *const predictions[] = {"trained", "cpu", "gpu", NULL}; /* enum shw_curfil_prediction */

#define UNCUT       UINT32_MAX
#define AS_SET      UINT32_MAX /* the bias of the files */
#define FORMATS_MAX 32
#define HELP_WIDTH  58u

/* All of them. */
struct formats {
    const char *names[FORMATS_MAX + 1];
    int count, first_of_records;
    char help[2048];
};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    struct formats formats;
    int format;
    uint32_t depth, bias;
    bool whole;
    struct cli_focal focal;
    struct shw_curfil_settings curfil;
    const char *object;    /* NULL: as the file says */
    const char *min_score; /* NULL: the format's */
    const char *output;
    char **paths;
    uint32_t count;
};

static void add_format(struct formats *formats, const struct shw_import_format *format)
{
    const size_t length = strlen(formats->help);

    assert(formats->count < FORMATS_MAX);
    formats->names[formats->count] = format->name;
    snprintf(formats->help + length, sizeof formats->help - length, "%s%s: %s", formats->count > 0 ? "; " : "",
             format->name, format->description);
    formats->count++;
}

/* Breaks lines at the last space before the limit. */
static void break_lines(char *text)
{
    char *line = text, *space = NULL;

    for (char *at = text; *at != '\0'; at++) {
        if (*at == ' ')
            space = at;
        if (at - line >= (ptrdiff_t)HELP_WIDTH && space != NULL) {
            *space = '\n';
            line = space + 1;
            space = NULL;
        }
    }
}

static void list_formats(struct formats *formats)
{
    static const char ending[] = "; without it, the contents show what a cascade or a record forest's model is";
    const struct shw_import_format *format;
    size_t length;

    for (int f = 0; f < FOREST_FORMAT_COUNT; f++)
        add_format(formats, &forest_formats[f]);
    for (size_t f = 0; (format = shw_cascade_format(f)) != NULL; f++)
        add_format(formats, format);
    formats->first_of_records = formats->count;
    for (size_t f = 0; (format = shw_record_format(f)) != NULL; f++)
        add_format(formats, format);
    length = strlen(formats->help);
    snprintf(formats->help + length, sizeof formats->help - length, "%s", ending);
    break_lines(formats->help);
}

/* NULL: recognised by the contents. */
static const char *format_name(const struct command *command)
{
    return command->format != TOLD ? command->formats.names[command->format] : NULL;
}

/* The provenance stored with the forest, with `member` under its name, whose reference is taken. */
static char *make_provenance(const struct command *command, const char *name, json_t *member)
{
    json_t *names = json_array(), *record;
    char *text;

    for (uint32_t i = 0; i < command->count; i++) {
        const char *slash = strrchr(command->paths[i], '/');
        json_array_append_new(names, shw_json_text(slash != NULL ? slash + 1 : command->paths[i]));
    }
    record = json_pack("{s:s, s:o}", "imported_from", format_name(command), "files", names);
    if (member != NULL)
        json_object_set_new(record, name, member);
    text = record != NULL ? json_dumps(record, JSON_COMPACT) : NULL;
    json_decref(record);
    return text;
}

static enum shw_result make_kinect_forest(const struct command *command, const struct shw_kinect_tree *trees,
                                          const struct shw_log *log, struct shw_forest **forest)
{
    char *record = make_provenance(command, "depth", command->depth != UNCUT ? json_integer(command->depth) : NULL);
    enum shw_result result = record != NULL ? shw_kinect_forest_make(trees, command->count, record, log, forest)
                                            : shw_fail_memory(log, "a forest");

    free(record);
    return result;
}

static enum shw_result import_kinect(const struct command *command, const struct shw_log *log,
                                     struct shw_forest **forest)
{
    struct shw_kinect_tree *trees = calloc(command->count, sizeof *trees);
    enum shw_result result = trees != NULL ? SHW_OK : shw_fail_memory(log, "the trees");

    for (uint32_t t = 0; t < command->count && result == SHW_OK; t++) {
        result = shw_kinect_tree_read(command->paths[t], log, &trees[t]);
        trees[t].keeps_all = command->whole;
        if (result == SHW_OK)
            shw_kinect_tree_cut(&trees[t], command->depth);
    }
    if (result == SHW_OK)
        result = make_kinect_forest(command, trees, log, forest);
    for (uint32_t t = 0; trees != NULL && t < command->count; t++)
        shw_kinect_tree_free(&trees[t]);
    free(trees);
    return result == SHW_OK ? cli_focus(&command->focal, command->paths[0], log, forest) : result;
}

static enum shw_result make_curfil_forest(const struct command *command, const struct shw_curfil_tree *trees,
                                          const struct shw_log *log, struct shw_forest **forest)
{
    char *record = make_provenance(command, SHW_CURFIL_MEMBER, json_incref(trees[0].configuration));
    enum shw_result result = record != NULL
                                 ? shw_curfil_forest_make(trees, (const char *const *)command->paths, command->count,
                                                          &command->curfil, record, log, forest)
                                 : shw_fail_memory(log, "a forest");

    free(record);
    return result;
}

static enum shw_result import_curfil(const struct command *command, const struct shw_log *log,
                                     struct shw_forest **forest)
{
    struct shw_curfil_tree *trees = calloc(command->count, sizeof *trees);
    enum shw_result result = trees != NULL ? SHW_OK : shw_fail_memory(log, "the trees");

    for (uint32_t t = 0; t < command->count && result == SHW_OK; t++)
        result = shw_curfil_tree_read(command->paths[t], log, &trees[t]);
    if (result == SHW_OK)
        result = make_curfil_forest(command, trees, log, forest);
    for (uint32_t t = 0; trees != NULL && t < command->count; t++)
        shw_curfil_tree_free(&trees[t]);
    free(trees);
    return result;
}

static int report_forest(struct command *command, const struct shw_forest *forest)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    json_int_t nodes = 0;
    char hash[20];

    for (uint32_t t = 0; t < info->tree_count; t++)
        nodes += shw_forest_get_tree(forest, t).node_count;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_forest_hash(forest));
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:i, s:I, s:i, s:s, s:s}", "forest", shw_json_text(command->output),
                                        "hash", hash, "trees", (int)info->tree_count, "nodes", nodes, "classes",
                                        (int)info->class_count, "feature", info->feature->name, "channels",
                                        info->channels));
    if (!command->report.quiet)
        printf("%s: %s, %s, %s, feature %s, channels %s (hash %s)\n", shw_printable(command->output).text,
               shw_counted(info->tree_count, "tree", "trees").text, shw_counted((uint64_t)nodes, "node", "nodes").text,
               shw_counted(info->class_count, "class", "classes").text, info->feature->name, info->channels, hash);
    return SHW_EXIT_SUCCESS;
}

static int import(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest *forest = NULL;
    enum shw_result result =
        command->format == KINECT ? import_kinect(command, &log, &forest) : import_curfil(command, &log, &forest);
    int code;

    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_forest_save(forest, command->output, &log);
    code = result == SHW_OK ? report_forest(command, forest) : shw_exit_code(result);
    shw_forest_destroy(&forest);
    return code;
}

static int import_forest(struct command *command)
{
    int code;

    for (uint32_t t = 0; t < command->count; t++)
        shw_output_files_read(&command->files, command->paths[t]);
    shw_output_files_write(&command->files, command->output, &shw_file_forest);
    code = cli_check_outputs(&command->report, &command->files);
    return code == SHW_CONTINUE ? import(command) : code;
}

static int import_cascade(struct command *command)
{
    return cli_import_cascade(&(struct cli_cascade_import){.report = &command->report,
                                                           .files = &command->files,
                                                           .read = shw_cascade_reader(format_name(command)),
                                                           .format = format_name(command),
                                                           .object = command->object,
                                                           .min_score = command->min_score,
                                                           .path = command->paths[0],
                                                           .output = command->output});
}

static int import_records(struct command *command)
{
    return cli_import_records(&(struct cli_record_import){.report = &command->report,
                                                          .files = &command->files,
                                                          .format = format_name(command),
                                                          .path = command->paths[0],
                                                          .output = command->output});
}

static bool is_cascade(const struct command *command)
{
    return command->format >= FOREST_FORMAT_COUNT && command->format < command->formats.first_of_records;
}

static bool is_record_forest(const struct command *command)
{
    return command->format == TOLD || command->format >= command->formats.first_of_records;
}

/* Finds the format of a cascade by its contents. */
static void recognise(struct command *command)
{
    const char *name = command->format == TOLD && command->count == 1 ? shw_cascade_recognise(command->paths[0]) : NULL;

    for (int f = 0; name != NULL && f < command->formats.count; f++)
        if (strcmp(command->formats.names[f], name) == 0)
            command->format = f;
}

static int refuse_for_cascades(const struct command *command, const char *option)
{
    if (command->format != TOLD)
        return shw_usage_error(&cli_import, "%s is for cascades, not for the format %s", option, format_name(command));
    return shw_usage_error(&cli_import, "%s is for cascades, and none is recognised%s%s", option,
                           command->count > 0 ? ": " : "", command->count > 0 ? command->paths[0] : "");
}

/* Checks options of cascades, whose format may have been recognised by the contents, and the number of files. */
static int check(const struct command *command)
{
    if (!is_cascade(command) && command->object != NULL)
        return refuse_for_cascades(command, "--name");
    if (!is_cascade(command) && command->min_score != NULL)
        return refuse_for_cascades(command, "--min-score");
    if (is_cascade(command) && command->count != 1)
        return shw_usage_error(&cli_import, "one cascade is needed");
    if (is_record_forest(command) && command->count != 1)
        return shw_usage_error(&cli_import, "one model is needed%s",
                               command->format == TOLD ? ", or the format of trees: --from FORMAT" : "");
    if (command->count < 1)
        return shw_usage_error(&cli_import, "at least one tree is needed");
    if (command->count > SHW_TREES_MAX)
        return shw_usage_error(&cli_import, "a forest has at most %u trees", SHW_TREES_MAX);
    return SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct command command = {.format = TOLD, .depth = UNCUT, .bias = AS_SET};
    int prediction = SHW_CURFIL_AS_TRAINED;
    const struct shw_option options[] = {
        SHW_OPTION_CHOICE("from", 0, "FORMAT", &command.format, command.formats.names, command.formats.help),
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output,
                   "the forest, cascade or record forest to write"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "depth", 0, "N", &command.depth, 0, SHW_KINECT_DEPTH_MAX,
                          "cut deeper trees: a node at that depth votes as most\nleaves below it do (do not cut)"),
        SHW_OPTION_FLAG(
            "whole", 0, &command.whole,
            "keep tests of Kinect's trees that change nothing, since all\nleaves below them have the same label"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "focal", 0, "N", &command.focal.given, 1, SHW_FOCAL_MAX,
                          "the focal length in pixels of the camera whose images\nKinect's trees will label (525)"),
        SHW_OPTION_CHOICE("prediction", 0, "NAME", &prediction, predictions,
                          "which of CURFIL's two predictions to reproduce, since they\nread the depth of different "
                          "pixels: gpu, cpu or trained, that\nwith which the trees were trained (trained)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "bias", 0, "PERCENT", &command.bias, 0, 99,
                          "CURFIL's histogramBias: this percentage of a leaf's samples\nis subtracted from those of "
                          "each class (what the files say,\nor 0)"),
        SHW_OPTION(SHW_VALUE_TEXT, "name", 0, "NAME", &command.object,
                   "what a cascade finds (what the files say, or object)"),
        SHW_OPTION(SHW_VALUE_TEXT, "min-score", 0, "S", &command.min_score,
                   "the lowest score, which the cascade keeps as the default of\ndetect, or any (pico: 5; opencv: what "
                   "passes all stages;\ncsv: what the tables say, or any)"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    list_formats(&command.formats);
    code = cli_parse(&cli_import, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (command.output == NULL)
        return shw_usage_error(&cli_import, "an output file is needed: --output FILE");
    command.paths = argv + first;
    command.count = (uint32_t)(argc - first);
    recognise(&command);
    code = check(&command);
    if (code != SHW_CONTINUE)
        return code;
    command.curfil = (struct shw_curfil_settings){.prediction = (enum shw_curfil_prediction)prediction,
                                                  .has_bias = command.bias != AS_SET,
                                                  .bias = command.bias != AS_SET ? command.bias / 100.0 : 0};
    code = is_cascade(&command)         ? import_cascade(&command)
           : is_record_forest(&command) ? import_records(&command)
                                        : import_forest(&command);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_import = {
    .name = "import",
    .summary = "convert another program's model to a forest, cascade or record forest",
    .arguments = "[--from FORMAT] --output FILE [OPTION...] TREE...",
    .text = "Converts trees that another program has trained, one per file, to a forest that gives the same labels; or "
            "another\nprogram's cascade, which finds objects; or a model of XGBoost, LightGBM, scikit-learn or ONNX to "
            "a record forest,\nwhose trees test rows of attributes. docs/exchange.md and docs/record-import.md "
            "describe the formats, and what\ndiffers.",
    .examples = "  shadewood import --from kinect tree1.txt.bz2 tree2.txt.bz2 tree3.txt.bz2 -o people.ktx2\n"
                "  shadewood import --from kinect tree1.txt.bz2 --depth 14 -o small.ktx2\n"
                "  shadewood import --from curfil tree0.json.gz tree1.json.gz tree2.json.gz -o rooms.ktx2\n"
                "  shadewood import --from pico facefinder --name face -o face.ktx2\n"
                "  shadewood import haarcascade_fullbody.xml --name body -o body.ktx2\n"
                "  shadewood import detector/ -o detector.ktx2\n"
                "  shadewood import model.json -o model.ktx2",
    .run = run,
};
