#include "cli/data_options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "cli/report.h"
#include "dense/input/inputs.h"
#include "files/code/forest_code.h"
#include "files/dataset/pattern.h"
#include "files/image/image_file.h"
#include "files/io/image_paths.h"

const char *const cli_layouts[] = {"auto", "pairs", "curfil", NULL};

#define DEVICES_MAX 64u

enum layout { LAYOUT_AUTO, LAYOUT_PAIRS, LAYOUT_CURFIL };

const char *const cli_label_kinds[] = {"auto", "index", "colour", NULL};

const char *const cli_combinations[] = {"stored", "mean", "vote", NULL};

const char *const cli_techniques[] = {"auto", "cpu", "fragment", "compute", NULL};

struct shw_image_choice cli_image_choice(const struct cli_reading *reading, const struct shw_forest_info *info)
{
    struct shw_image_choice choice = {.channels = {.count = reading->channels.count},
                                      .range = {reading->range[0], reading->range[1]}};

    memcpy(choice.channels.numbers, reading->channels.items, sizeof choice.channels.numbers);
    if (info != NULL)
        shw_image_choice_recall(info, &choice);
    return choice;
}

static int take_data_inputs(const struct shw_command *command, struct cli_data *data)
{
    struct shw_input_file *files = data->files;

    return files->name == NULL ? shw_input_files_take(command, &data->inputs, files) : SHW_CONTINUE;
}

int cli_check_data_inputs(const struct shw_command *command, struct cli_report *report, struct cli_data *data,
                          const struct shw_channel_list *const *lists, uint32_t count, const char *whose,
                          const char *name)
{
    int code = take_data_inputs(command, data);

    for (uint32_t i = 0; code == SHW_CONTINUE && i < data->inputs.count; i++) {
        bool is_read = false;
        for (uint32_t l = 0; l < count; l++)
            is_read = is_read || shw_channels_read(lists[l], data->files[i].name);
        if (!is_read)
            code = cli_fail(report, "the input %s is not read by %s%s", data->files[i].name, whose, name);
    }
    return code;
}

int cli_check_inputs(struct cli_report *report, const struct shw_channel_list *channels, uint32_t count,
                     const struct shw_input_file files[], const char *frames)
{
    const struct shw_log log = cli_log(report);
    bool has_previous = false;

    for (uint32_t i = 0; i < count; i++) {
        if (!shw_channels_read(channels, files[i].name))
            return cli_fail(report, "the input %s is not read by the forest", files[i].name);
        has_previous = has_previous || strcmp(files[i].name, SHW_PREVIOUS) == 0;
    }
    if (frames != NULL && !has_previous && shw_channels_read(channels, SHW_PREVIOUS))
        shw_log_message(&log, SHW_LOG_WARNING, SHW_LOG_DATASET,
                        "the forest reads the previous frame: without %s all motion is zero", frames);
    return SHW_CONTINUE;
}

static bool has_plane(const struct cli_data *data, const char *name)
{
    for (uint32_t i = 0; i < data->plane_count; i++)
        if (strcmp(data->planes[i], name) == 0)
            return true;
    return false;
}

void cli_need_planes(struct cli_data *data, const struct shw_channel_list *channels)
{
    for (uint32_t i = 1; i < channels->input_count && data->plane_count < SHW_INPUTS_MAX; i++)
        if (channels->is_plane[i] && !has_plane(data, channels->inputs[i]))
            snprintf(data->planes[data->plane_count++], SHW_INPUT_NAME_SIZE, "%s", channels->inputs[i]);
}

/* Adds the heights of CURFIL's layout, if the channels read them, and planes that are not given, which are to be in the
 * images' files. Returns the number of inputs. */
static uint32_t complete_inputs(struct cli_data *data, bool curfil)
{
    uint32_t count = data->inputs.count;

    if (curfil && data->with_height && count < SHW_INPUTS_MAX && !shw_input_files_have(data->files, count, SHW_HEIGHT))
        data->files[count++] = (struct shw_input_file){.name = SHW_HEIGHT, .path = SHW_CURFIL_HEIGHT};
    for (uint32_t i = 0; i < data->plane_count; i++)
        if (count < SHW_INPUTS_MAX && !shw_input_files_have(data->files, count, data->planes[i]))
            data->files[count++] = (struct shw_input_file){.name = data->planes[i], .of_image = true};
    return count;
}

int cli_open_data(const struct shw_command *command, struct cli_report *report, struct cli_data *data,
                  struct shw_dataset *dataset)
{
    bool curfil = data->layout == LAYOUT_CURFIL || (data->layout == LAYOUT_AUTO && data->images == NULL);
    int code = take_data_inputs(command, data);
    struct shw_dataset_params params = {.root = data->root,
                                        .layout = curfil ? SHW_DATASET_CURFIL : SHW_DATASET_PATTERNS,
                                        .images = data->images,
                                        .labels = data->labels,
                                        .inputs = data->files,
                                        .input_count = complete_inputs(data, curfil),
                                        .patterns_hint =
                                            curfil ? "--images 'images/{}.png' --labels 'labels/{}.png'" : NULL,
                                        .palette_path = data->palette,
                                        .ignored = {data->ignored.items, data->ignored.count, data->info},
                                        .splits = data->splits.items,
                                        .split_count = data->splits.count,
                                        .label_kind = (enum shw_label_kind)data->label_kind,
                                        .with_previous = data->with_previous,
                                        .cache_bytes = (size_t)data->cache,
                                        .choice = cli_image_choice(&data->reading, data->info),
                                        .log = cli_log(report)};

    if (code != SHW_CONTINUE)
        return code;
    if (data->root == NULL)
        return shw_usage_error(command, "a data set is needed: --data DIR");
    if (data->layout == LAYOUT_CURFIL && (data->images != NULL || data->labels != NULL))
        return shw_usage_error(command, "the layout curfil has its own patterns: omit --images and --labels");
    if ((!curfil || data->labels != NULL) && data->images == NULL)
        return shw_usage_error(command,
                               "pairs of images and labels need a pattern for the images: --images 'images/{}.png'");
    if (!curfil && data->labels == NULL)
        return shw_usage_error(command,
                               "pairs of images and labels need a pattern for the labels: --labels 'labels/{}.png'");
    enum shw_result result = shw_dataset_open(&params, dataset);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

void cli_read_data(const struct cli_data *data, const struct shw_dataset *dataset, struct shw_output_files *files)
{
    for (uint32_t i = 0; i < data->splits.count; i++)
        shw_output_files_read(files, data->splits.items[i]);
    if (shw_dataset_list_files(dataset, cli_add_input, files) != SHW_OK)
        files->incomplete = true;
}

static enum shw_technique stage_technique(int stage, int all)
{
    return (enum shw_technique)(stage != SHW_TECHNIQUE_AUTO ? stage : all);
}

int cli_create_device(struct cli_report *report, uint32_t index, bool wanted, struct shw_device **opened)
{
    struct shw_device_create_params create = {.index = index, .log = cli_log(report)};
    enum shw_result result;

    *opened = NULL;
    if (!wanted) {
        struct shw_device_description devices[DEVICES_MAX];
        uint32_t count;
        if (shw_device_list(NULL, devices, DEVICES_MAX, &count) != SHW_OK)
            return SHW_CONTINUE;
        if (index < count && index < DEVICES_MAX && !devices[index].meets_requirements)
            return SHW_CONTINUE;
    }
    result = shw_device_create(&create, opened);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

const struct shw_calibration *cli_recall_calibration(struct cli_report *report, const struct shw_device *device,
                                                     struct shw_stored_calibration *stored)
{
    const struct shw_log log = cli_log(report);
    struct shw_device_description description;

    if (device == NULL)
        return NULL;
    shw_device_describe(device, &description);
    return shw_calibration_file_load(&description, &log, stored) ? &stored->calibration : NULL;
}

int cli_take_level(const struct shw_command *command, uint32_t level, const struct shw_forest *forest,
                   const struct shw_forest **taken)
{
    const uint32_t levels = shw_forest_get_info(forest)->levels;

    if (level > levels)
        return levels > 1 ? shw_usage_error(command, "the forest has levels 1 to %u", levels)
                          : shw_usage_error(command, "the forest has one level");
    for (*taken = forest; level > 0 && shw_forest_get_info(*taken)->levels > level;)
        *taken = shw_forest_get_info(*taken)->below;
    return SHW_CONTINUE;
}

bool cli_data_is_given(const struct cli_data *data)
{
    return data->root != NULL || data->layout != 0 || data->images != NULL || data->labels != NULL ||
           data->palette != NULL || data->splits.count > 0 || data->inputs.count > 0 || data->ignored.count > 0 ||
           data->label_kind != 0 || data->reading.range[0] != data->reading.range[1] ||
           data->reading.channels.count != 0;
}

int cli_check_smoothing(const struct shw_command *command, struct shw_smoothing *smoothing)
{
    const bool is_given = smoothing->radius > 0 && smoothing->radius < CLI_SMOOTH_UNSET;

    if (!is_given && smoothing->epsilon > 0)
        return shw_usage_error(command, "--smooth-epsilon needs --smooth with a radius above 0");
    if (!is_given)
        smoothing->radius = smoothing->radius == 0 ? SHW_SMOOTHING_NONE : 0;
    return SHW_CONTINUE;
}

int cli_open_device(struct cli_report *report, struct cli_device *device, struct shw_labeller_params *params,
                    struct shw_device **opened)
{
    enum shw_technique *stages[] = {&params->channels, &params->integrate, &params->evaluate};
    bool wanted = false, automatic = false;
    int code;

    params->channels = stage_technique(device->channels, device->technique);
    params->integrate = stage_technique(device->integrate, device->technique);
    params->evaluate = stage_technique(device->evaluate, device->technique);
    params->threads = device->threads;
    for (int i = 0; i < 3; i++) {
        wanted = wanted || shw_technique_needs_device(*stages[i]);
        automatic = automatic || *stages[i] == SHW_TECHNIQUE_AUTO;
    }
    *opened = NULL;
    if (!wanted && !automatic)
        return SHW_CONTINUE;
    code = cli_create_device(report, device->index, wanted, opened);
    params->device = *opened;
    if (code == SHW_CONTINUE && automatic)
        params->calibration = cli_recall_calibration(report, *opened, &device->calibration);
    return code;
}

json_t *cli_techniques_json(const struct shw_labeller *labeller)
{
    enum shw_technique techniques[SHW_STAGE_COUNT];
    json_t *object = json_object();

    shw_labeller_get_techniques(labeller, techniques);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        json_object_set_new(object, shw_stage_name((enum shw_stage)s), json_string(shw_technique_name(techniques[s])));
    return object;
}

enum shw_result cli_focus(const struct cli_focal *focal, const char *path, const struct shw_log *log,
                          struct shw_forest **forest)
{
    return shw_forest_refocus(forest, focal->given, path, log);
}

void cli_check_focal(struct cli_focal *focal, const struct shw_forest_info *info, const char *image, uint32_t width,
                     const struct shw_log *log)
{
    if (!focal->warned && shw_forest_focal_is_assumed(info))
        focal->warned = shw_focal_warn(image, width, "give the camera's with --focal", log);
}

const char *const cli_table_headers[] = {"auto", "yes", "no", NULL};

const char *const cli_first_indices[] = {"1", "0", NULL};

int cli_take_table_options(const struct shw_command *command, const struct cli_table_options *options,
                           struct shw_table_params *params)
{
    const char *delimiter = options->delimiter;

    params->header = (enum shw_table_header)options->header;
    params->class_column = options->class_column;
    params->labels = options->labels;
    params->first_index_is_0 = options->first_index == 1;
    params->by_position = options->by_position;
    params->ignored = options->ignored.items;
    params->ignored_count = options->ignored.count;
    if (delimiter == NULL)
        return SHW_CONTINUE;
    if (strcmp(delimiter, ",") == 0 || strcmp(delimiter, ";") == 0 || strcmp(delimiter, "\t") == 0)
        params->delimiter = *delimiter;
    else if (strcmp(delimiter, "tab") == 0)
        params->delimiter = '\t';
    else
        return shw_usage_error(command, "--delimiter takes ',', ';' or tab, not '%s'", delimiter);
    return SHW_CONTINUE;
}

int cli_check_tables(const struct shw_command *command, const struct cli_table_options *options, char **tables,
                     int count)
{
    int standard = options->labels != NULL && strcmp(options->labels, "-") == 0;

    for (int i = 0; i < count; i++)
        standard += strcmp(tables[i], "-") == 0;
    if (standard > 1)
        return shw_usage_error(command, "standard input can be read once only");
    if (options->labels != NULL && count > 1)
        return shw_usage_error(command, "--labels is for one table, not %d", count);
    return SHW_CONTINUE;
}

int cli_list_images(const struct shw_command *command, struct cli_report *report, char **arguments, int count,
                    const struct shw_image_list_params *params, struct shw_image_list *list)
{
    const struct shw_log log = cli_log(report);
    struct shw_image_list_params how = *params;
    struct shw_image_entry same[2];
    enum shw_result result;

    how.log = &log;
    result = shw_image_list_make(arguments, count, &how, list);

    if (result == SHW_OK)
        result = shw_image_list_find_same(list, &log, same);
    if (result != SHW_OK)
        return shw_exit_code(result);
    if (same[0].path != NULL)
        return shw_usage_error(command,
                               "%s and %s would produce files of the same name: rename one, or pass these files to two "
                               "commands with different --output",
                               same[0].path, same[1].path);
    return SHW_CONTINUE;
}

int cli_take_shard(const struct shw_command *command, const char *text, struct shw_shard *shard)
{
    if (shw_shard_parse(text, shard))
        return SHW_CONTINUE;
    return shw_usage_error(command, "--shard takes the number of a shard and that of all, from 1/1 to %u/%u, not '%s'",
                           SHW_SHARDS_MAX, SHW_SHARDS_MAX, text);
}

bool cli_is_image(const char *path)
{
    return shw_image_has_file(path) && shw_image_file_is_image(path);
}

bool cli_is_video(const char *path)
{
    return shw_is_video_name(path) && !cli_is_image(path);
}

int cli_list_video(struct cli_report *report, const char *path, struct shw_image_list *videos)
{
    char name[SHW_BASE_NAME_SIZE];
    struct shw_image_entry video = {.path = strdup(path), .place = strdup(shw_image_base_name(path, name))};

    if (video.path != NULL && video.place != NULL &&
        SHW_RESERVE(videos->list, videos->capacity, videos->count + (size_t)1)) {
        videos->list[videos->count++] = video;
        return SHW_CONTINUE;
    }
    free(video.path);
    free(video.place);
    return cli_fail(report, "not enough memory for the names of videos");
}

#define SAME_CLASSES                                                                                                   \
    "labels must be of the classes that the forest was trained on; if they are, pass the palette of its training, or " \
    "the forest, with --palette"

const char *cli_find_lacking(const struct shw_class *names, uint32_t count, const struct shw_class *others,
                             uint32_t other_count)
{
    for (uint32_t i = 0; i < count; i++) {
        bool found = false;

        for (uint32_t k = 0; k < other_count && !found; k++)
            found = strcmp(names[i].name, others[k].name) == 0;
        if (!found)
            return names[i].name;
    }
    return NULL;
}

static int fail_count(struct cli_report *report, const struct shw_forest_info *info, const struct shw_dataset *dataset)
{
    const bool more = info->class_count > dataset->class_count; /* which has a class that the other lacks */
    const char *lacking = NULL;

    if (dataset->classes != NULL)
        lacking = more ? cli_find_lacking(info->classes, info->class_count, dataset->classes, dataset->class_count)
                       : cli_find_lacking(dataset->classes, dataset->class_count, info->classes, info->class_count);
    if (lacking == NULL)
        return cli_fail(report, "the forest has %u classes and the data set %u: " SAME_CLASSES, info->class_count,
                        dataset->class_count);
    return cli_fail(report, "the forest has %u classes and the data set %u, and only the %s has '%s': " SAME_CLASSES,
                    info->class_count, dataset->class_count, more ? "forest" : "data set", lacking);
}

int cli_check_classes(struct cli_report *report, const struct shw_forest_info *info, const struct shw_dataset *dataset)
{
    if (info->class_count != dataset->class_count)
        return fail_count(report, info, dataset);
    for (uint32_t c = 0; dataset->classes != NULL && c < info->class_count; c++)
        if (strcmp(info->classes[c].name, dataset->classes[c].name) != 0)
            return cli_fail(report, "class %u is '%s' in the forest and '%s' in the data set: " SAME_CLASSES, c,
                            info->classes[c].name, dataset->classes[c].name);
    return SHW_CONTINUE;
}

int cli_load_plugins(struct cli_report *report, struct cli_code *code)
{
    const struct shw_log log = cli_log(report);
    const enum shw_result result = shw_plugins_load_all(&code->plugins, &code->plugin_paths, &log);

    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

enum shw_result cli_load_forest(const struct cli_code *code, const char *path,
                                const struct shw_forest_load_params *params, struct shw_forest **forest)
{
    struct shw_forest_load_params with = *params;

    with.features = code->plugins.features;
    with.feature_count = code->plugins.feature_count;
    with.kinds = code->plugins.kinds;
    return shw_code_forest_load(path, code->trusts ? SHW_CODE_TRUSTED : SHW_CODE_REFUSED, &with, forest);
}
