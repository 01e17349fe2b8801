#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/train.h>

#include "base/integers.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/device_list.h"
#include "cli/ranks.h"
#include "cli/report.h"
#include "cli/train_away.h"
#include "cli/train_preset.h"
#include "cli/train_run.h"
#include "dense/channels/channels.h"
#include "dense/forest/forest.h"
#include "dense/input/inputs.h"
#include "dense/samples/images.h"
#include "dense/split/traits.h"
#include "dense/train/params.h"
#include "files/code/code_options.h"
#include "files/project/project_texts.h"

static const char *const techniques[] = {"auto", "cpu", "blend", "compute", NULL};
static const enum shw_technique training_techniques[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND,
                                                         SHW_TECHNIQUE_COMPUTE};
static const char *const flips[] = {"none", "images", "paired", NULL}; /* enum shw_mirroring */
static const char *const combinations[] = {"mean", "vote", NULL};

struct command {
    struct cli_report report;
    struct cli_data data;
    struct shw_trainer_params params;
    bool extremely_random, mirror;
    struct cli_code code;
    const char *feature, *channels; /* as given */
    struct shw_code_channels own_channels;
    int flip, pool, thresholds, score, sampling, weighting, prior, combine, fill, technique;
    struct cli_device_list devices;
    uint64_t memory;
    const char *output, *project, *below, *trainer;
    struct shw_output_files files;
    struct cli_train_run run;
    struct cli_train_preset preset;
};

static json_t *describe(const struct shw_forest *forest, const struct command *command, uint32_t images, double seconds)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    json_int_t nodes = 0, leaves = 0;
    char hash[20];

    for (uint32_t t = 0; t < info->tree_count; t++) {
        struct shw_tree_info tree = shw_forest_get_tree(forest, t);
        nodes += tree.node_count;
        leaves += tree.leaf_count;
    }
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)shw_forest_hash(forest));
    return json_pack("{s:o, s:s, s:i, s:i, s:i, s:I, s:I, s:f}", "forest", shw_json_text(command->output), "hash", hash,
                     "images", (int)images, "classes", (int)info->class_count, "trees", (int)info->tree_count, "nodes",
                     nodes, "leaves", leaves, "seconds", seconds);
}

/* The counts of all trees, if out-of-bag pixels were labelled. */
static json_t *out_of_bag_of(const struct shw_forest *forest)
{
    json_t *training = json_loads(shw_forest_get_info(forest)->training, 0, NULL), *packed;
    const json_t *counts = json_object_get(training, "out_of_bag");
    const json_t *pixels = json_object_get(counts, "pixels"), *correct = json_object_get(counts, "correct");
    const size_t trees = json_array_size(pixels);

    packed = trees > 0 ? json_pack("{s:O, s:O}", "pixels", json_array_get(pixels, trees - 1), "correct",
                                   json_array_get(correct, trees - 1))
                       : NULL;
    json_decref(training);
    return packed;
}

static void print_out_of_bag(const json_t *counts)
{
    json_int_t pixels = json_integer_value(json_object_get(counts, "pixels"));
    json_int_t correct = json_integer_value(json_object_get(counts, "correct"));

    if (pixels > 0)
        printf("out-of-bag accuracy  %.2f %%, %lld of %s\n", 100 * (double)correct / (double)pixels, (long long)correct,
               shw_counted((uint64_t)pixels, "pixel", "pixels").text);
}

/* Notes stored in the forest with its provenance. */
static json_t *name_parameters(const struct command *command)
{
    bool painted = command->project != NULL;
    struct shw_channel_list channels = {.channel_count = 0};

    (void)shw_channel_list_parse(command->params.channels, &command->params.kinds, NULL, &channels);
    return json_pack("{s:o, s:s, s:s}", painted ? "project" : "data", shw_json_text(command->report.data), "channels",
                     channels.name, "feature", command->params.feature->name);
}

/* A count of describe(), whose member is the noun for many. */
static struct shw_counted count_of(const json_t *result, const char *many, const char *one)
{
    return shw_counted((uint64_t)json_integer_value(json_object_get(result, many)), one, many);
}

static int print_result(struct command *command, json_t *result)
{
    if (command->report.json)
        return cli_print_json(&command->report, json_incref(result));
    printf("%s: %s, %s, %s, from %s in %.1f s (hash %s)\n", shw_printable(command->output).text,
           count_of(result, "trees", "tree").text, count_of(result, "leaves", "leaf").text,
           count_of(result, "classes", "class").text, count_of(result, "images", "image").text,
           json_real_value(json_object_get(result, "seconds")), json_string_value(json_object_get(result, "hash")));
    print_out_of_bag(json_object_get(result, "out_of_bag"));
    return SHW_EXIT_SUCCESS;
}

/* Trains the trees of this rank, and takes those of the others. */
static int train_trees(struct command *command, const struct shw_dataset *dataset, struct shw_forest **forest)
{
    struct shw_trainer_params params = command->params;
    struct cli_ranks *ranks = &command->run.ranks;
    int code;

    params.tree_count = params.tree_count > 0 ? params.tree_count : SHW_TREE_COUNT_DEFAULT;
    if (ranks->ranks.count > params.tree_count)
        return cli_fail(&command->report,
                        "%u ranks divide the trees, and there are %u: start fewer, or use --divide "
                        "candidates",
                        ranks->ranks.count, params.tree_count);
    cli_ranks_take_trees(ranks, &params);
    code = cli_train_run(&command->run, &params, dataset, forest);
    return code == SHW_EXIT_SUCCESS ? cli_ranks_join_trees(ranks, &command->report, &params, forest) : code;
}

static int train(struct command *command, const struct shw_dataset *dataset)
{
    struct shw_forest *forest = NULL;
    double start = shw_clock(), seconds;
    json_t *result = NULL;
    int code;

    command->run.parameters = name_parameters(command);
    code = command->run.ranks.divide == CLI_DIVIDE_TREES
               ? train_trees(command, dataset, &forest)
               : cli_train_run(&command->run, &command->params, dataset, &forest);
    seconds = shw_clock() - start;
    if (code == SHW_EXIT_SUCCESS && cli_ranks_write(&command->run.ranks))
        code = cli_train_run_save(&command->run, forest, command->output);
    if (code == SHW_EXIT_SUCCESS)
        result =
            describe(forest, command, dataset->picture_count > 0 ? dataset->picture_count : dataset->count, seconds);
    if (result != NULL && command->params.out_of_bag)
        json_object_set_new(result, "out_of_bag", out_of_bag_of(forest));
    cli_train_run_end(&command->run, &code, result);
    if (code == SHW_EXIT_SUCCESS)
        code = print_result(command, result);
    json_decref(result);
    shw_forest_destroy(&forest);
    return code;
}

/* Checked first, so that hours of training are not lost to a file that cannot be written. */
static int check_files(struct command *command)
{
    struct cli_train_run *run = &command->run;
    struct shw_output_files *files = &command->files;

    if (!cli_ranks_write(&run->ranks))
        return SHW_CONTINUE;
    shw_output_files_read(files, command->project);
    shw_output_files_read(files, command->below);
    shw_output_files_read(files, shw_code_is_file(command->feature) ? command->feature : NULL);
    shw_output_files_read(files, command->preset.option); /* a file, or a name that is none */
    shw_output_files_read(files, command->data.palette);
    for (uint32_t i = 0; i < command->data.splits.count; i++)
        shw_output_files_read(files, command->data.splits.items[i]);
    shw_output_files_write(files, command->output, &shw_file_forest);
    shw_output_files_write_apart(files, run->log_path, &shw_file_training_log);
    return cli_checkpoint_check_files(&run->checkpoint, &shw_file_checkpoint, command->output);
}

/* Checked here because the trainer's message would name its parameters, not the options. */
static int check_offset(const struct shw_trainer_params *params)
{
    const uint32_t offset = shw_offset_max(params), below = params->below_offset_max;

    if (below > offset)
        return shw_usage_error(&cli_train, "--below-offset %u is more than --offset %u", below, offset);
    if (below > 0 && params->below_size_max > 2 * below + 1)
        return shw_usage_error(&cli_train, "rectangles of --below-size %u do not fit within --below-offset %u",
                               params->below_size_max, below);
    if (params->below_size_max > 2 * (below > 0 ? below : shw_min_u32(SHW_NEAR_OFFSET_MAX, offset)) + 1)
        return shw_usage_error(&cli_train, "rectangles of --below-size %u need a --below-offset of %u or more",
                               params->below_size_max, params->below_size_max / 2);
    if (params->offset_min > offset)
        return shw_usage_error(&cli_train, "--offset-min %u is more than --offset %u", params->offset_min, offset);
    if (params->size_max <= 2 * offset + 1)
        return SHW_CONTINUE;
    return shw_usage_error(&cli_train, "rectangles of --size %u do not fit within --offset %u: use --size %u or less",
                           params->size_max, offset, 2 * offset + 1);
}

/* The level below, for --below. */
static int load_below(struct command *command, struct shw_forest **below)
{
    const struct shw_forest_load_params load = {.log = cli_log(&command->report)};
    const enum shw_result result = cli_load_forest(&command->code, command->below, &load, below);

    command->params.below = *below;
    if (result != SHW_OK)
        return shw_exit_code(result);
    return shw_forest_is_checkpoint(*below)
               ? cli_fail(&command->report, "%s is a checkpoint: finish its training first", command->below)
               : SHW_CONTINUE;
}

/* Joins the other ranks, of which each has one of the devices. */
static int take_ranks(struct command *command)
{
    struct shw_trainer_params *params = &command->params;
    struct cli_ranks *ranks = &command->run.ranks;
    const int code = cli_ranks_begin(&cli_train, &command->report, ranks);

    if (code != SHW_CONTINUE || !ranks->joined)
        return code;
    if (ranks->divide != CLI_DIVIDE_TREES && params->candidates > 0 && ranks->ranks.count > params->candidates)
        return shw_usage_error(&cli_train, "%u ranks score the candidates of a node, and --candidates %u is fewer",
                               ranks->ranks.count, params->candidates);
    cli_take_turn(&command->devices, ranks->ranks.place);
    if (ranks->divide != CLI_DIVIDE_TREES)
        params->exchange = &ranks->exchange;
    if (params->threads == 0)
        params->threads = ranks->ranks.processors;
    if (!cli_ranks_write(ranks)) {
        command->run.log_path = NULL;
        command->run.checkpoint.elsewhere = true;
    }
    return SHW_CONTINUE;
}

static void take_choices(struct command *command)
{
    struct shw_trainer_params *params = &command->params;

    params->pool = (enum shw_candidate_pool)command->pool;
    params->thresholds = (enum shw_threshold_scheme)command->thresholds;
    params->score = (enum shw_score)command->score;
    params->sampling = (enum shw_pixel_sampling)command->sampling;
    params->weighting = (enum shw_class_weighting)command->weighting;
    params->prior = (enum shw_leaf_prior)command->prior;
    params->mirror = command->mirror ? SHW_MIRROR_IMAGES : (enum shw_mirroring)command->flip;
    params->combine = (enum shw_combine)(SHW_COMBINE_MEAN + command->combine);
    params->fill = (enum shw_fill)(SHW_FILL_NONE + command->fill);
    params->technique = training_techniques[command->technique];
}

/* Feature types and channel kinds: the library's, and those that files define, which are compiled. */
static int take_code(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_trainer_params *params = &command->params;
    const char *name = command->feature;
    struct shw_code_made made = {NULL, NULL};
    enum shw_result result;
    int code = cli_load_plugins(&command->report, &command->code);

    if (code != SHW_CONTINUE)
        return code;
    command->own_channels.kinds = command->code.plugins.kinds;
    result = shw_code_channels_take(command->channels, &log, &command->own_channels);
    params->channels = command->own_channels.text;
    params->kinds = command->own_channels.kinds;
    params->feature = name != NULL ? shw_feature_type_by_name(name) : shw_feature_type_get(0);
    if (params->feature == NULL)
        params->feature = shw_plugins_find(&command->code.plugins, name);
    if (result == SHW_OK && params->feature == NULL && shw_code_is_file(name)) {
        result = shw_code_make_file(name, &log, &made);
        params->feature = made.feature;
        if (result == SHW_OK && made.feature == NULL)
            return cli_fail(&command->report, "%s defines a channel kind: it belongs to --channels", name);
    }
    if (result != SHW_OK)
        return shw_exit_code(result);
    if (params->feature == NULL)
        return shw_usage_error(&cli_train,
                               "--feature takes the name of a feature type, or a file with the ending " SHW_CODE_ENDING
                               ", not '%s'",
                               name);
    return SHW_CONTINUE;
}

/* Options may not repeat what the project defines. */
static int check_project(const struct command *command)
{
    const struct shw_trainer_params *params = &command->params;
    const struct cli_data *data = &command->data;
    const struct {
        bool given;
        const char *name;
    } options[] = {
        {cli_data_is_given(data), "the images and labels"},
        {command->channels != NULL, "--channels"},
        {params->tree_count != 0, "--trees"},
        {params->depth != 0, "--depth"},
        {params->candidates != 0, "--candidates"},
        {command->extremely_random, "the candidates of --extremely-random"},
        {params->seed != 0, "--seed"},
        {params->pixels_per_image != 0, "--pixels"},
        {command->weighting != 0, "--weights"},
    };

    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (options[i].given)
            return shw_usage_error(&cli_train, "the project '%s' defines %s; omit the options for it", command->project,
                                   options[i].name);
    return SHW_CONTINUE;
}

/* Extremely randomised trees: one threshold per candidate, the response of a random sample, and one candidate unless
 * more are wanted. */
static void take_extremely_random(struct command *command)
{
    struct shw_trainer_params *params = &command->params;

    if (!command->extremely_random)
        return;
    params->thresholds = SHW_THRESHOLDS_RANDOM;
    params->bins = 2;
    params->candidates = params->candidates > 0 ? params->candidates : 1;
}

/* What all projects have in common, where neither options nor a preset say otherwise. */
static void take_project_params(struct command *command, const struct cli_train_options *options)
{
    const struct shw_trainer_params usual = shw_project_params();
    struct shw_trainer_params *params = &command->params;

    if (cli_train_option(options, "single") == NULL)
        params->single_percent = usual.single_percent;
    if (cli_train_option(options, "thresholds") != NULL || command->extremely_random)
        return;
    params->thresholds = usual.thresholds;
    if (cli_train_option(options, "bins") == NULL)
        params->bins = usual.bins;
}

/* Trains on the strokes of a project. */
static int train_project(struct command *command)
{
    struct shw_log log = cli_log(&command->report);
    struct shw_project *project = NULL;
    struct shw_project_data data = {0};
    enum shw_result result = shw_project_read(command->project, &log, &project);
    int code = shw_exit_code(result);

    if (code == SHW_EXIT_SUCCESS) {
        cli_project_list_files(command->project, project, &command->files);
        code = cli_check_outputs(&command->report, &command->files);
    }
    if (code == SHW_CONTINUE && command->feature != NULL && shw_project_get_feature(project) != NULL)
        code =
            shw_usage_error(&cli_train, "the project '%s' defines the feature type; omit --feature", command->project);
    if (code == SHW_CONTINUE)
        code = cli_project_run_texts(&command->report, &command->code, command->project, project);
    if (code == SHW_CONTINUE) {
        result = shw_project_data_make(project, &log, &command->params, &data);
        code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
    }
    if (code == SHW_CONTINUE)
        code = check_offset(&command->params);
    shw_project_destroy(&project);
    if (code == SHW_CONTINUE)
        code = cli_train_preset_note(&command->preset, &command->params.notes);
    if (code == SHW_CONTINUE)
        code = train(command, data.dataset);
    shw_project_data_free(&data);
    return code;
}

/* How the data set is read, for the provenance; NULL if memory is exhausted. */
static char *describe_reading(const struct shw_dataset *dataset)
{
    const struct shw_image_choice choice = shw_dataset_get_choice(dataset);
    json_t *notes = shw_image_choice_pack(&choice), *ignored = shw_ignored_pack(shw_dataset_get_palette(dataset));
    char *text = NULL;

    if (json_array_size(ignored) == 0 || json_object_set(notes, SHW_IGNORED_KEY, ignored) == 0)
        text = ignored != NULL ? json_dumps(notes, 0) : NULL;
    json_decref(ignored);
    json_decref(notes);
    return text;
}

static int train_data(struct command *command)
{
    struct shw_dataset dataset = {0};
    char *notes = NULL;
    int code = cli_open_data(&cli_train, &command->report, &command->data, &dataset);

    if (code == SHW_CONTINUE) {
        command->params.notes = notes = describe_reading(&dataset);
        if (notes == NULL)
            code = cli_fail(&command->report, "not enough memory for the provenance");
    }
    if (code == SHW_CONTINUE)
        code = cli_train_preset_note(&command->preset, &command->params.notes);
    if (code == SHW_CONTINUE) {
        cli_read_data(&command->data, &dataset, &command->files);
        code = cli_check_outputs(&command->report, &command->files);
    }
    if (code == SHW_CONTINUE)
        code = train(command, &dataset);
    free(notes);
    shw_dataset_close(&dataset);
    return code;
}

/* --trainer: another program trains the project. */
static int run_away(struct command *command, const struct cli_train_options *given)
{
    const double start = shw_clock();
    struct shw_forest *forest = NULL;
    uint32_t images = 0;
    json_t *result;
    int code = cli_check_away(&cli_train, given);

    if (code == SHW_CONTINUE && command->project == NULL)
        code = shw_usage_error(&cli_train, "--trainer trains projects: name one");
    if (code != SHW_CONTINUE)
        return code;
    command->report.data = command->project;
    command->report.data_has_settings = true;
    cli_train_run_begin(&command->run, &command->report, &command->files);
    code = check_files(command);
    if (code == SHW_CONTINUE)
        code = cli_train_away(&command->report, &command->code, command->trainer, command->project, &command->files,
                              &forest, &images);
    if (code == SHW_EXIT_SUCCESS)
        code = cli_train_run_save(&command->run, forest, command->output);
    if (code == SHW_EXIT_SUCCESS) {
        result = describe(forest, command, images, shw_clock() - start);
        code = print_result(command, result);
        json_decref(result);
    }
    shw_forest_destroy(&forest);
    shw_output_files_free(&command->files);
    return code;
}

#define NUMBER(option_name, target, first, last, text)                                                                 \
    SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, option_name, 0, "N", &(target), first, last, text)
#define OPTION_COUNT                            ((uint32_t)(sizeof options / sizeof *options))
#define CHOICE(option_name, target, list, text) SHW_OPTION_CHOICE(option_name, 0, "NAME", &(target), list, text)

static int run(int argc, char **argv)
{
    struct command command = {.params = {.smoothing = {.radius = CLI_SMOOTH_UNSET}},
                              .run = {.checkpoint = {.minutes = CLI_SAVE_MINUTES}}};
    struct shw_trainer_params *params = &command.params;
    char feature_help[512] = "what tests look at:";
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "FILE", &command.output, "the forest to write (.ktx2)"),
        CLI_OVERWRITE_RESULT_OPTION(command.files, "forest"),
        CLI_DATA_OPTIONS(command.data),
        SHW_OPTION(SHW_VALUE_TEXT, "channels", 0, "LIST", &command.channels,
                   "winn16, winn17, wide, rgb, lab or a list of these and\nof kinds, as wide,lab or gauss:1,position, "
                   "also of your own, in\nfiles with the ending .glsl; of planes, as\n"
                   "gauss:2@nir,ndiff:nir,red,range:nir=0..10000 (winn16)"),
        SHW_OPTION(SHW_VALUE_TEXT, "feature", 0, "NAME", &command.feature, feature_help),
        CLI_CODE_OPTIONS(command.code),
        CLI_PRESET_OPTION(command.preset),
        NUMBER("trees", params->tree_count, 1, SHW_TREES_MAX, "trees (8)"),
        NUMBER("first-tree", params->first_tree, 0, SHW_TREES_MAX - 1,
               "number of the first tree: with 10, the trees are those that\na training of more would have from the "
               "eleventh on; for\nmerge (0)"),
        NUMBER("depth", params->depth, 1, SHW_DEPTH_MAX, "maximum tests on a path (12)"),
        NUMBER("leaves", params->leaf_max, 1, SHW_NODES_MAX / 2, "maximum leaves per tree (no limit)"),
        NUMBER("candidates", params->candidates, 1, 1u << 20, "features tried per node (300)"),
        CHOICE("pool", command.pool, shw_pool_names, "whether " SHW_POOLS(SHW_TRAIT_HELP) ": node, round (node)"),
        CHOICE("thresholds", command.thresholds, shw_threshold_names,
               "best: many bins, the best boundary; random: few bins\nwith random bounds (best; a project: random)"),
        NUMBER("bins", params->bins, 2, 256, "bins of a candidate's histogram (32; random: 3; a project: 10)"),
        SHW_OPTION_FLAG("ferns", 0, &command.params.ferns,
                        "ferns: all nodes of a level share one test, the one with the\ngreatest total gain; faster to "
                        "evaluate, and less accurate"),
        SHW_OPTION_FLAG("extremely-random", 0, &command.extremely_random,
                        "extremely randomised trees: one candidate, or as many as\n--candidates says, each with one "
                        "random threshold"),
        CHOICE("score", command.score, shw_score_names,
               "information-gain, gini, misclassification,\nnormalised-gain or gain-ratio (information-gain)"),
        NUMBER("offset", params->offset_max, 1, 16383,
               "maximum distance of rectangles from the pixel, in pixels\n(95; a project: what it says, or 31)"),
        NUMBER("offset-min", params->offset_min, 0, 16383,
               "tests of distances from this to --offset, each power of\ntwo as often as the others, near ones "
               "preferred; a\n"
               "project: 1 (0: all tests with one limit)"),
        NUMBER("size", params->size_max, 1, 32767,
               "largest side of a rectangle, in pixels (31; at most\n2 * offset + 1)"),
        NUMBER("shapes", params->shapes, 0, SHW_SHAPES_MAX,
               "rectangles are squares of so many sizes; 2 to 4 make\nlabelling and training by compute faster (0: of "
               "any\n"
               "size)"),
        NUMBER("single", params->single_percent, 0, 100,
               "percentage of candidates with a single rectangle\n(0; a project: 50)"),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "pixels", 0, "N", &params->pixels_per_image, 1, 1u << 30,
                          "pixels drawn per image and tree, or 'all' (1000)"),
        CHOICE("sampling", command.sampling, shw_sampling_names, "pixels: " SHW_SAMPLINGS(SHW_TRAIT_HELP) " (uniform)"),
        NUMBER("images-percent", params->images_percent, 1, 100, "percentage of the images per tree (100)"),
        SHW_OPTION_FLAG("replacement", 0, &params->replacement, "draw images with replacement (bagging)"),
        SHW_OPTION_FLAG("same-samples", 0, &params->same_samples, "all trees have the same images and pixels"),
        SHW_OPTION_FLAG("out-of-bag", 0, &params->out_of_bag,
                        "also measure the trees on images that they were not trained\non, with --images-percent or "
                        "--replacement"),
        NUMBER("min-samples", params->samples_min, 1, 1u << 30, "minimum samples in each child (8)"),
        CHOICE("weights", command.weighting, shw_weighting_names,
               "of classes: " SHW_WEIGHTINGS(SHW_TRAIT_HELP) " of their\nfrequency (none)"),
        CHOICE("prior", command.prior, shw_prior_names,
               "how frequent classes are in the leaves' distributions:\n" SHW_PRIORS(SHW_TRAIT_HELP) " (samples)"),
        NUMBER("bias", params->bias_percent, 0, 99,
               "percentage of a leaf's samples to subtract from those of\neach class: histogram bias (0)"),
        CHOICE("combine", command.combine, combinations,
               "how trees determine a pixel's class: by the mean of their\ndistributions, or by vote (mean)"),
        CHOICE("fill", command.fill, shw_fill_names + SHW_FILL_NONE,
               "how missing depth is filled, here and when the forest\nlabels: " SHW_FILL_HELP " (none)"),
        CLI_SMOOTH_OPTIONS(params->smoothing, "0; a project: what it says, or 16"),
        CHOICE("flip", command.flip, flips,
               "also train on mirrored images: images: on mirrored images,\nwith pixels drawn for them; paired: on the "
               "mirrored twin of\nevery sample, which needs no other images (none)"),
        SHW_OPTION_FLAG("mirror", 0, &command.mirror, "the same as --flip images"),
        NUMBER("levels", params->levels, 1, SHW_LEVELS_MAX,
               "forests one above the other, each of which sees what the\none below says: stacking (1)"),
        NUMBER("folds", params->folds, 2, SHW_TREES_MAX,
               "parts of the images, one of which each tree does not see,\nfor a level above; of --levels all but the "
               "uppermost have\nthem (5)"),
        NUMBER("fold-run", params->fold_run, 1, 1u << 24,
               "images that follow each other and are in the same part:\nmore than 1 for frames that look alike (1)"),
        NUMBER("below-offset", params->below_offset_max, 1, 16383,
               "--offset of all --levels but the uppermost (20, or --offset\nif that is less; the uppermost: 200)"),
        NUMBER("below-size", params->below_size_max, 1, 32767,
               "--size of all --levels but the uppermost (21, or --size if\nthat is less; the uppermost: 160)"),
        SHW_OPTION(SHW_VALUE_TEXT, "below", 0, "FOREST", &command.below,
                   "train a level above this forest, for levels with different\noptions"),
        SHW_OPTION(SHW_VALUE_SEED, "seed", 0, "N", &params->seed, "seed of all random choices (0)"),
        SHW_OPTION_CHOICE(
            "technique", 't', "NAME", &command.technique, techniques,
            "cpu, blend, compute or auto: compute on a graphics card,\notherwise cpu; the forest is the same (auto)"),
        CLI_DEVICE_LIST_OPTION(command.devices),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.memory,
                   "memory that training may use, such as 512M or 2G: each\ndevice's and, with cpu, that of the whole "
                   "process; integral\nimages that do not fit are recomputed (most of the device's\nmemory, three "
                   "quarters of the machine's)"),
        NUMBER("threads", params->threads, 1, 1024, "threads; does not affect the forest (one per processor)"),
        CLI_TRAINER_OPTION(command.trainer),
        CLI_RANKS_OPTION(command.run.ranks, "train"),
        CLI_DIVISION_OPTION(command.run.ranks),
        CLI_CHECKPOINT_OPTIONS(command.run.checkpoint, "forest", "round"),
        SHW_OPTION(SHW_VALUE_TEXT, "log", 0, "FILE", &command.run.log_path,
                   "write statistics of every round to FILE, one JSON object\nper line; with --resume, append"),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_channel_list channels;
    const struct shw_channel_list *const list = &channels;
    struct shw_forest *below = NULL;
    const char *texts[SHW_OPTIONS_MAX];
    const struct cli_train_options given = {options, OPTION_COUNT, texts};
    char why[SHW_CHANNEL_WHY_SIZE];
    int first, code;

    for (uint32_t i = 0; shw_feature_type_get(i) != NULL; i++)
        snprintf(feature_help + strlen(feature_help), sizeof feature_help - strlen(feature_help), "%s%s,",
                 i % 3 == 0 ? "\n" : " ", shw_feature_type_get(i)->name);
    snprintf(feature_help + strlen(feature_help), sizeof feature_help - strlen(feature_help),
             "\nor a file with the ending .glsl that defines one\n(%s)", shw_feature_type_get(0)->name);
    cli_ranks_hush();
    code = cli_parse_texts(&cli_train, options, OPTION_COUNT, argc, argv, &first, texts);
    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        command.project = argv[first++];
    if (first < argc)
        return shw_usage_error(&cli_train, "unexpected argument '%s'", argv[first]);
    code = take_code(&command);
    if (code == SHW_CONTINUE && !shw_channel_list_read(params->channels, &params->kinds, &channels, why))
        code = shw_usage_error(&cli_train, "--channels: %s", why);
    if (code != SHW_CONTINUE)
        return code;
    code = cli_check_smoothing(&cli_train, &params->smoothing);
    if (code == SHW_CONTINUE && command.project != NULL)
        code = check_project(&command);
    if (code != SHW_CONTINUE)
        return code;
    if (command.project != NULL && (params->levels > 1 || command.below != NULL || params->folds > 0))
        return shw_usage_error(&cli_train,
                               "a project says itself how many levels its forests have: omit --levels, --folds and "
                               "--below");
    if (command.output == NULL)
        return shw_usage_error(&cli_train, "an output file is needed: --output FILE");
    if (command.trainer != NULL)
        return run_away(&command, &given);
    take_choices(&command);
    take_extremely_random(&command);
    if (command.project != NULL && command.preset.option == NULL)
        take_project_params(&command, &given);
    code =
        cli_train_preset_take(&command.preset, &command.report, &command.data, command.project != NULL, &given, params);
    if (code != SHW_CONTINUE) {
        cli_train_preset_free(&command.preset);
        return code;
    }
    (void)shw_channel_list_read(params->channels, &params->kinds, &channels, why);
    command.data.with_previous = shw_channels_read(&channels, SHW_PREVIOUS);
    command.data.with_height = shw_channels_read(&channels, SHW_HEIGHT);
    cli_need_planes(&command.data, &channels);
    command.report.data = command.project != NULL     ? command.project
                          : command.data.root != NULL ? command.data.root
                                                      : ".";
    command.report.data_has_settings = command.project != NULL;
    cli_train_run_begin(&command.run, &command.report, &command.files);
    code = check_offset(params);
    if (code == SHW_CONTINUE)
        code = cli_take_device_list(&cli_train, params->technique, params->candidates, &command.devices);
    if (code == SHW_CONTINUE)
        code = take_ranks(&command);
    if (code == SHW_CONTINUE)
        code = cli_check_data_inputs(&cli_train, &command.report, &command.data, &list, 1, "the channels ", list->name);
    if (code == SHW_CONTINUE)
        code = check_files(&command);
    if (code == SHW_CONTINUE && command.below != NULL)
        code = load_below(&command, &below);
    if (code == SHW_CONTINUE)
        code =
            cli_train_run_choose_all(&command.run, &command.devices, command.memory, command.project == NULL, params);
    command.data.cache = command.run.memory.cache;
    if (code == SHW_CONTINUE)
        code = command.project != NULL ? train_project(&command) : train_data(&command);
    cli_helpers_free(&command.run.helpers);
    shw_device_destroy(&params->device);
    shw_forest_destroy(&below);
    shw_output_files_free(&command.files);
    cli_train_preset_free(&command.preset);
    return cli_ranks_end(&command.run.ranks, code);
}

const struct shw_command cli_train = {
    .name = "train",
    .summary = "train a forest on labelled images",
    .arguments = "{--data DIR | PROJECT} --output FOREST [OPTION...]",
    .text =
        "Trains a decision forest on the labelled images of a data set, or on the strokes of a project of "
        "shadewood-viewer,\n"
        "on a graphics card or on the CPU. The same options, data and seed give the same file, with every technique "
        "and any\n"
        "number of threads. A project defines channels, trees, depth, candidates, smoothing and seed; all its labelled "
        "pixels\n"
        "are used, with classes of equal weight.",
    .examples = "  shadewood train --data scenes -o scenes.ktx2\n"
                "  shadewood train --data scenes --trees 4 --depth 10 --pixels 300 --seed 7 -o small.ktx2\n"
                "  shadewood train --data msrc --images 'images/{}.png' --labels 'labels/{}.png' --split Train.txt \\\n"
                "      --channels wide --weights inverse-root -o msrc.ktx2\n"
                "  shadewood train --data scenes --checkpoint scenes.part --resume --log scenes.jsonl -o scenes.ktx2\n"
                "  shadewood train meadow.json -o meadow.ktx2",
    .run = run,
};
