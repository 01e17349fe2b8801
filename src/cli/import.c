#include <assert.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/import.h>

#include "base/integers.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/detect.h"
#include "cli/report.h"
#include "files/output/cascade_text.h"
#include "formats/cascade_formats.h"
#include "formats/csv_cascade.h"
#include "records/model/doubles.h"

/* Formats of forests, of cascades and of record forests. By default, the format of a cascade or record forest is
 * recognised by the contents. */
enum { TOLD = -1 };

static const char *const predictions[] = {"trained", "cpu", "gpu", NULL}; /* enum shw_curfil_prediction */

#define UNCUT       UINT32_MAX
#define AS_SET      UINT32_MAX /* the bias of the files */
#define FORMATS_MAX 32
#define HELP_WIDTH  58u

/* All of them. */
struct formats {
    const char *names[FORMATS_MAX + 1];
    int count;
    char help[2048];
};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    struct formats formats;
    int format;
    enum shw_model_kind kind;
    uint32_t depth, bias;
    struct cli_focal focal;
    struct shw_import_params params; /* what the options say; `sources` are the files of the command line */
    const char *min_score;           /* a number, "any", or NULL: the format's */
    const char *output;
    char **paths;
    uint32_t count;
};

/* The files that are read: those of a folder, if it is one of CSV files. */
static void add_inputs(struct command *command)
{
    for (uint32_t f = 0; f < command->count; f++)
        shw_output_files_read(&command->files, command->paths[f]);
    for (int f = 0; shw_is_csv_cascade(command->params.format) && f < SHW_CSV_FILE_COUNT; f++) {
        char *path = shw_csv_path(command->paths[0], (enum shw_csv_file)f);
        shw_output_files_read(&command->files, path);
        free(path);
    }
}

/* Applies --min-score to the cascade. */
static enum shw_result set_min_score(const struct command *command, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    struct shw_cascade_info info = *shw_cascade_get_info(*cascade);
    struct shw_cascade *made = NULL;

    if (command->min_score == NULL)
        return SHW_OK;
    SHW_PROPAGATE(cli_cascade_min_score(command->min_score, log, &info));
    SHW_PROPAGATE(shw_cascade_create(&info, log, &made));
    shw_cascade_destroy(cascade);
    *cascade = made;
    return SHW_OK;
}

static int report_cascade(struct command *command, const struct shw_cascade *cascade)
{
    if (command->report.json)
        return cli_print_json(&command->report, shw_cascade_json(cascade, command->output));
    if (!command->report.quiet) {
        printf("%s: ", shw_printable(command->output).text);
        shw_print_cascade_line(cascade);
    }
    return SHW_EXIT_SUCCESS;
}

static int import_cascade(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_cascade *cascade = NULL;
    enum shw_result result = shw_cascade_import(&command->params, &cascade);
    int code;

    if (result == SHW_OK)
        result = set_min_score(command, &log, &cascade);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_cascade_save(cascade, command->output, &log);
    code = result == SHW_OK ? report_cascade(command, cascade) : shw_exit_code(result);
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

static int report_records(struct command *command, const struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    bool classes = info->task == SHW_RECORD_CLASSES;
    const uint32_t doubles = shw_record_forest_count_double_thresholds(forest);
    char hash[20];

    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_record_forest_hash(forest));
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:i, s:i, s:i, s:s, s:i, s:s, s:I}", "forest",
                                        shw_json_text(command->output), "hash", hash, "trees", (int)info->tree_count,
                                        "nodes", (int)info->node_count, "depth", (int)depth_of(info), "attributes",
                                        (int)info->attribute_count, "outputs", (int)info->output_count, "task",
                                        classes ? "classes" : "values", "classes", (int)info->class_count, "link",
                                        shw_record_link_name(info->link), "double_thresholds", (json_int_t)doubles));
    if (!command->report.quiet)
        printf("%s: %s, %s, depth %u, %s, %s (hash %s)\n", shw_printable(command->output).text,
               shw_counted(info->tree_count, "tree", "trees").text, shw_counted(info->node_count, "node", "nodes").text,
               depth_of(info), shw_counted(info->attribute_count, "attribute", "attributes").text,
               classes ? shw_counted(info->class_count, "class", "classes").text
                       : shw_counted(info->output_count, "value", "values").text,
               hash);
    if (!command->report.quiet && doubles > 0)
        printf("%s in double precision, which the forest has in float32: numbers that are not float32 may reach other "
               "leaves than in the model, unless 'shadewood records --double' is given the model itself\n",
               shw_counted(doubles, "threshold is", "thresholds are").text);
    return SHW_EXIT_SUCCESS;
}

static int import_records(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_forest_import(&command->params, &forest);
    int code;

    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_record_forest_save(forest, command->output, &log);
    code = result == SHW_OK ? report_records(command, forest) : shw_exit_code(result);
    shw_record_forest_destroy(&forest);
    return code;
}

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

    for (uint32_t f = 0; (format = shw_import_format_get(f)) != NULL; f++)
        add_format(formats, format);
    length = strlen(formats->help);
    snprintf(formats->help + length, sizeof formats->help - length, "%s", ending);
    break_lines(formats->help);
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

static int import_forest(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest *forest = NULL;
    enum shw_result result = shw_forest_import(&command->params, &forest);
    int code;

    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, command->output);
    if (result == SHW_OK)
        result = shw_forest_save(forest, command->output, &log);
    code = result == SHW_OK ? report_forest(command, forest) : shw_exit_code(result);
    shw_forest_destroy(&forest);
    return code;
}

static const struct kind {
    int (*import)(struct command *command);
    const struct shw_file_kind *file;
} kinds[] = {
    [SHW_MODEL_FOREST] = {import_forest, &shw_file_forest},
    [SHW_MODEL_CASCADE] = {import_cascade, &shw_file_cascade},
    [SHW_MODEL_RECORDS] = {import_records, &shw_file_record_forest},
};

/* Checks the files, reads and writes. Returns the exit code. */
static int import(struct command *command)
{
    struct shw_import_source *sources = calloc(command->count, sizeof *sources);
    const struct shw_log log = cli_log(&command->report);
    int code;

    if (sources == NULL)
        return shw_exit_code(shw_fail_memory(&log, "the files"));
    for (uint32_t f = 0; f < command->count; f++)
        sources[f].path = command->paths[f];
    command->params.sources = sources;
    command->params.source_count = command->count;
    command->params.log = log;
    add_inputs(command);
    shw_output_files_write(&command->files, command->output, kinds[command->kind].file);
    code = cli_check_outputs(&command->report, &command->files);
    if (code == SHW_CONTINUE)
        code = kinds[command->kind].import(command);
    free(sources);
    return code;
}

/* What is made: as the format that is given says, or the contents of what may be a cascade. */
static void recognise(struct command *command)
{
    struct shw_import_params *params = &command->params;

    if (command->format != TOLD)
        params->format = command->formats.names[command->format];
    else if (command->count == 1)
        params->format = shw_cascade_recognise(&(const struct shw_import_source){.path = command->paths[0]});
    command->kind = params->format != NULL ? shw_import_format_find(params->format)->kind : SHW_MODEL_RECORDS;
}

static int refuse_for_cascades(const struct command *command, const char *option)
{
    if (command->format != TOLD)
        return shw_usage_error(&cli_import, "%s is for cascades, not for the format %s", option,
                               command->params.format);
    return shw_usage_error(&cli_import, "%s is for cascades, and none is recognised%s%s", option,
                           command->count > 0 ? ": " : "", command->count > 0 ? command->paths[0] : "");
}

/* Checks options of cascades, whose format may have been recognised by the contents, and the number of files. */
static int check(const struct command *command)
{
    const bool is_cascade = command->kind == SHW_MODEL_CASCADE;

    if (!is_cascade && command->params.object != NULL)
        return refuse_for_cascades(command, "--name");
    if (!is_cascade && command->min_score != NULL)
        return refuse_for_cascades(command, "--min-score");
    if (is_cascade && command->count != 1)
        return shw_usage_error(&cli_import, "one cascade is needed");
    if (command->kind == SHW_MODEL_RECORDS && command->count != 1)
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
            "whole", 0, &command.params.keeps_all,
            "keep tests of Kinect's trees that change nothing, since all\nleaves below them have the same label"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "focal", 0, "N", &command.focal.given, 1, SHW_FOCAL_MAX,
                          "the focal length in pixels of the camera whose images\nKinect's trees will label (525)"),
        SHW_OPTION_CHOICE("prediction", 0, "NAME", &prediction, predictions,
                          "which of CURFIL's two predictions to reproduce, since they\nread the depth of different "
                          "pixels: gpu, cpu or trained, that\nwith which the trees were trained (trained)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "bias", 0, "PERCENT", &command.bias, 0, 99,
                          "CURFIL's histogramBias: this percentage of a leaf's samples\nis subtracted from those of "
                          "each class (what the files say,\nor 0)"),
        SHW_OPTION(SHW_VALUE_TEXT, "name", 0, "NAME", &command.params.object,
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
    command.params.cuts = command.depth != UNCUT;
    command.params.depth = command.params.cuts ? command.depth : 0;
    command.params.focal_length = command.focal.given;
    command.params.prediction = (enum shw_curfil_prediction)prediction;
    command.params.has_bias = command.bias != AS_SET;
    command.params.bias_percent = command.params.has_bias ? command.bias : 0;
    code = import(&command);
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
