#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <shadewood/shadewood.h>

#include "base/clock.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/label_objects.h"
#include "cli/label_parts.h"
#include "cli/label_plan.h"
#include "cli/label_video.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "dense/input/inputs.h"
#include "files/dataset/pattern.h"
#include "files/io/image_paths.h"
#include "files/output/label_job.h"
#include "files/output/label_resume.h"
#include "files/project/project_texts.h"

static const char *const connectivities[] = {"8", "4", NULL};

struct command {
    struct cli_report report;
    struct cli_device device;
    struct cli_reading reading;
    struct cli_focal focal;
    struct cli_label_parts parts;
    struct shw_label_job job;
    struct shw_option_list inputs, objects_classes;
    struct shw_project_files taught; /* patterns of a project's inputs */
    struct shw_own_inputs own;       /* those of its pictures */
    const char *objects_format;      /* as given; NULL: csv */
    int connectivity;                /* 0: 8, 1: 4 */
    struct cli_label_objects taken;
    int combine, fill;
    struct {
        bool flag;  /* of those that are written by default: not */
        int choice; /* of those with several forms */
    } outputs[SHW_LABEL_OUTPUT_COUNT];
    bool checked; /* what is going to be written */
    uint32_t tile[2];
    uint32_t page; /* 0: the first; UINT32_MAX: all */
    bool *chosen;  /* memory of the classes that have objects */
    bool calibrated;
    struct cli_code code;
    struct shw_power *power;
    struct shw_image_list video_list;
    struct cli_label_videos videos;
    json_t *images;
    double start;
};

#define OBJECT_OPTIONS(command)                                                                                        \
    SHW_OPTION_FLAG("objects", 0, &(command).job.each.objects.wanted,                                                  \
                    "also find objects: connected pixels of a class; one table\nof all images' objects, objects.csv"), \
        SHW_OPTION(SHW_VALUE_TEXT, "objects-format", 0, "LIST", &(command).objects_format,                             \
                   "csv, geojson (outlines for QuPath: NAME_objects.geojson),\ninstances (an image of objects' "       \
                   "numbers: NAME_instances.png),\nor several, as csv,geojson (csv)"),                                 \
        SHW_OPTION(SHW_VALUE_LIST, "objects-classes", 0, "LIST", &(command).objects_classes,                           \
                   "classes that have objects, by name or number, as\n'cell,nucleus'; may be repeated (all)"),         \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-area", 0, "N", &(command).job.each.objects.settings.area_min, 1,  \
                          1u << 28, "the smallest area of an object, in pixels (1)"),                                  \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-area-max", 0, "N", &(command).job.each.objects.settings.area_max, \
                          1, 1u << 28, "the largest area of an object, in pixels (any)"),                              \
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "objects-holes", 0, "N", &(command).job.each.objects.settings.hole_max, 0,  \
                          1u << 28, "fill holes of up to N pixels, or 'all' (0)"),                                     \
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "objects-smooth", 0, "N", &(command).job.each.objects.settings.smooth, 0,  \
                          SHW_OBJECT_SMOOTH_MAX,                                                                       \
                          "first give each pixel the most frequent class within N\npixels around it (0)"),             \
        SHW_OPTION_CHOICE("objects-connectivity", 0, "N", &(command).connectivity, connectivities,                     \
                          "pixels are connected to their 8 neighbours, or to 4 (8)"),                                  \
        SHW_OPTION(SHW_VALUE_TEXT, "object-forest", 0, "FILE", &(command).taken.forest_path,                           \
                   "give objects the object classes that this forest predicts,\nwhich shadewood-viewer has written"),  \
        SHW_OPTION(SHW_VALUE_TEXT, "objects-show", 0, "CLASS", &(command).taken.show,                                  \
                   "only objects of this object class (all)"),                                                         \
        SHW_OPTION(SHW_VALUE_TEXT, "pixel-size", 0, "LENGTH", &(command).taken.pixel_size,                             \
                   "the size of pixels, as '0.65 um', or file, as each image\nstates it, or 'file or 0.65 um': areas " \
                   "and lengths of objects\nalso in units (none)")

static int take_formats(struct command *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    const struct {
        const char *name;
        bool *wanted;
    } formats[] = {{"csv", &objects->table}, {"geojson", &objects->outlines}, {"instances", &objects->instances}};
    const char *text = command->objects_format != NULL ? command->objects_format : "csv";

    for (;; text++) {
        size_t length = strcspn(text, ","), i = 0;

        while (i < 3 && (strlen(formats[i].name) != length || strncmp(formats[i].name, text, length) != 0))
            i++;
        if (i == 3)
            return shw_usage_error(&cli_label, "--objects-format takes csv, geojson and instances, not '%.*s'",
                                   (int)length, text);
        *formats[i].wanted = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

static int take_object_options(struct command *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    const struct shw_log log = cli_log(&command->report);
    int code;

    if (command->taken.pixel_size != NULL && !objects->wanted && !command->job.content.scale_bar)
        return shw_usage_error(&cli_label, "--pixel-size is for objects and scale bars: add --objects or --scale-bar");
    objects->settings.four = command->connectivity == 1;
    code = cli_label_objects_take(&command->taken, &log, objects);
    return code == SHW_CONTINUE && objects->wanted ? take_formats(command) : code;
}

/* The class of that name or number; UINT32_MAX: none. */
static uint32_t find_class(const struct shw_label_objects *objects, const char *text, size_t length)
{
    char name[512];
    uint64_t number;

    if (length >= sizeof name)
        return UINT32_MAX;
    memcpy(name, text, length);
    name[length] = '\0';
    for (uint32_t c = 0; c < objects->class_count; c++)
        if (strcmp(objects->names[c].name, name) == 0)
            return c;
    return objects->class_count > 0 && shw_parse_number(name, 0, objects->class_count - 1, &number) ? (uint32_t)number
                                                                                                    : UINT32_MAX;
}

/* A class, or several with commas between them. */
static int take_item(struct command *command, const char *text)
{
    const struct shw_label_objects *objects = &command->job.each.objects;
    uint32_t whole = find_class(objects, text, strlen(text));

    if (whole != UINT32_MAX) {
        command->chosen[whole] = true;
        return SHW_CONTINUE;
    }
    for (;; text++) {
        size_t length = strcspn(text, ",");
        uint32_t number = find_class(objects, text, length);

        if (number == UINT32_MAX)
            return shw_usage_error(&cli_label, "--objects-classes: there is no class '%.*s'", (int)length, text);
        command->chosen[number] = true;
        text += length;
        if (*text == '\0')
            return SHW_CONTINUE;
    }
}

/* The class of the project's settings. */
static int take_class(struct command *command, const char *name)
{
    const struct shw_label_objects *objects = &command->job.each.objects;

    for (uint32_t c = 0; c < objects->class_count; c++)
        if (strcmp(objects->names[c].name, name) == 0) {
            command->chosen[c] = true;
            return SHW_CONTINUE;
        }
    return cli_fail(&command->report,
                    "%s: its objects are those of a class '%s', which it has not: choose another in shadewood-viewer, "
                    "or with --objects-classes",
                    command->taken.project, name);
}

static int take_object_classes(struct command *command)
{
    struct shw_label_objects *objects = &command->job.each.objects;
    int code = SHW_CONTINUE;

    if (!objects->wanted)
        return SHW_CONTINUE;
    code = cli_label_objects_choose(&command->taken, &command->report, objects);
    if (code != SHW_CONTINUE || (command->objects_classes.count == 0 && command->taken.class_name == NULL))
        return code;
    free(command->chosen);
    command->chosen = calloc(objects->class_count, sizeof *command->chosen);
    if (command->chosen == NULL)
        return shw_usage_error(&cli_label, "not enough memory for the names of classes");
    objects->settings.classes = command->chosen;
    if (command->objects_classes.count == 0)
        code = take_class(command, command->taken.class_name);
    for (uint32_t i = 0; i < command->objects_classes.count && code == SHW_CONTINUE; i++)
        code = take_item(command, command->objects_classes.items[i]);
    return code;
}

/* The number of objects of each chosen class, by name. */
static json_t *pack_objects(const struct shw_label_objects *options, const struct shw_objects *found)
{
    json_t *counts = json_object();

    for (uint32_t c = 0; c < options->class_count; c++)
        if (options->settings.classes == NULL || options->settings.classes[c])
            json_object_set_new(counts, options->names[c].name, json_integer(0));
    for (uint32_t n = 0; n < found->count; n++) {
        json_t *count = json_object_get(counts, options->names[found->list[n].label].name);

        json_integer_set(count, json_integer_value(count) + 1);
    }
    return counts;
}

/* The form in which an output is written, from 1; 0: it is not. */
static uint32_t form_of(const struct command *command, enum shw_label_output output)
{
    const struct shw_label_output_traits *traits = shw_label_outputs[output];

    if (traits->choices != NULL)
        return (uint32_t)command->outputs[output].choice;
    return traits->option != NULL && command->outputs[output].flag != traits->by_default;
}

/* Chooses what is written with these classes, which must stay, and trees; may be called again with others. Returns
 * SHW_CONTINUE or the exit code. */
static int choose(struct command *command, const struct shw_class *classes, uint32_t class_count, uint32_t tree_count)
{
    struct shw_label_job *job = &command->job;

    for (int o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        job->content.forms[o] = form_of(command, (enum shw_label_output)o);
    job->content.classes = classes;
    job->content.class_count = class_count;
    job->content.tree_count = tree_count;
    if (shw_label_job_choose(job) != SHW_OK)
        return SHW_EXIT_FAILURE;
    return take_object_classes(command);
}

/* The folder of an image, which may be below that of the output. */
static int make_folder(struct command *command, const struct shw_image_entry *image)
{
    const char *slash = strrchr(image->place, '/');
    char *below, *folder;
    int code;

    if (slash == NULL)
        return SHW_CONTINUE;
    below = strndup(image->place, (size_t)(slash - image->place));
    folder = below != NULL ? shw_path_in(command->job.output, below) : NULL;
    code = folder != NULL ? cli_make_folder(&command->report, folder)
                          : cli_fail(&command->report, "not enough memory for the names of files");
    free(below);
    free(folder);
    return code;
}

/* Makes the folders, and checks once what is going to be written there. `model`: a file that is read. Returns
 * SHW_CONTINUE or the exit code. */
static int check_files(struct command *command, const char *model, const struct shw_image_list *images)
{
    int code;

    if (command->checked)
        return SHW_CONTINUE;
    command->checked = true;
    code = cli_make_folder(&command->report, command->job.output);
    for (uint32_t i = 0; code == SHW_CONTINUE && i < images->count; i++)
        code = make_folder(command, &images->list[i]);
    if (code == SHW_CONTINUE && shw_label_job_list_files(&command->job, model, images) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE)
        code = cli_label_videos_add(&command->videos, &command->video_list);
    return code == SHW_CONTINUE ? cli_check_outputs(&command->report, &command->job.outputs) : code;
}

static bool is_project(const char *path)
{
    struct stat status;

    return shw_name_ends_with(path, ".json") || (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
                                                 shw_file_project.is_ours(path, shw_file_project.name));
}

static bool add_picture(void *digester, const char *picture)
{
    return shw_digester_add_file(digester, picture);
}

/* The digest of everything that the forest depends on: the project, the bytes of its pictures, and the version of the
 * program. Empty if a picture cannot be read. */
static struct shw_digest digest_training(const char *path, const struct shw_project *project)
{
    struct shw_digester *digester = shw_digester_create();
    char *text = shw_project_encode(project), version[64];
    struct shw_digest digest;
    bool complete = digester != NULL && text != NULL;

    snprintf(version, sizeof version, "shadewood %d.%d.%d", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
    if (complete) {
        shw_digester_add_text(digester, version);
        shw_digester_add_text(digester, text);
        complete = cli_project_visit_pictures(path, project, add_picture, digester);
    }
    digest = shw_digester_end(&digester);
    free(text);
    return complete ? digest : (struct shw_digest){""};
}

/* The forest of an earlier call, if the journal says that it was trained from the same. */
static bool recall(struct command *command, const struct shw_digest *from, const struct shw_project *project,
                   const char *path, struct shw_forest **forest)
{
    const struct shw_feature_type *feature = shw_project_get_feature(project);
    uint64_t hash = from->text[0] != '\0' ? shw_label_journal_forest(command->job.journal, from) : 0;
    const struct shw_forest_load_params load = {
        .features = &feature, .feature_count = feature != NULL, .kinds = *shw_project_get_kinds(project)};

    if (hash == 0 || shw_forest_load(path, &load, forest) != SHW_OK)
        return false;
    if (shw_forest_hash(*forest) == hash)
        return true;
    shw_forest_destroy(forest);
    return false;
}

static int train(struct command *command, const struct shw_dataset *dataset, struct shw_trainer_params *params,
                 const struct shw_digest *from, const char *path, struct shw_forest **forest)
{
    struct cli_train_run run = {0};
    double start = shw_clock();
    int code;

    cli_train_run_begin(&run, &command->report, &command->job.outputs);
    params->technique = command->device.technique == SHW_TECHNIQUE_CPU ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_AUTO;
    params->threads = command->device.threads;
    code = cli_train_run_choose(&run, command->device.index, 0, false, params);
    if (code == SHW_CONTINUE)
        code = cli_train_run(&run, params, dataset, forest);
    if (code == SHW_EXIT_SUCCESS)
        code = cli_train_run_save(&run, *forest, path);
    cli_train_run_end(&run, &code, NULL);
    shw_device_destroy(&params->device);
    if (code == SHW_EXIT_SUCCESS)
        code = shw_exit_code(shw_label_journal_add_forest(command->job.journal, from, shw_forest_hash(*forest)));
    if (code == SHW_EXIT_SUCCESS)
        cli_say(&command->report, "trained %s in %.1f s", path, shw_clock() - start);
    return code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
}

/* Trains, after everything was checked that is going to be written. */
static int train_project(struct command *command, const char *path, struct shw_project *project,
                         const struct shw_image_list *images, const struct shw_digest *from, const char *forest_path,
                         struct shw_forest **forest)
{
    struct shw_trainer_params params = shw_project_params();
    const struct shw_log log = cli_log(&command->report);
    struct shw_project_data data;
    const enum shw_result result = shw_project_data_make(project, &log, &params, &data);
    int code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);

    if (params.feature == NULL)
        params.feature = shw_feature_type_get(0);
    if (code == SHW_CONTINUE)
        code = choose(command, data.set->classes, data.set->class_count, params.tree_count);
    if (code == SHW_CONTINUE) {
        shw_output_files_write(&command->job.outputs, forest_path, &shw_file_forest);
        code = check_files(command, path, images);
    }
    if (code == SHW_CONTINUE)
        code = train(command, data.dataset, &params, from, forest_path, forest);
    shw_label_job_free(&command->job); /* it borrows the set's classes */
    shw_project_data_free(&data);
    return code;
}

/* OUTPUT/NAME.ktx2 for NAME.json. */
static char *forest_path_of(const struct command *command, const char *project)
{
    char name[SHW_BASE_NAME_SIZE], *file = shw_path_join(shw_image_base_name(project, name), ".ktx2", "");
    char *path = file != NULL ? shw_path_in(command->job.output, file) : NULL;

    free(file);
    return path;
}

static int find_forest(struct command *command, const char *path, struct shw_project *project,
                       const struct shw_image_list *images, const char *forest_path, struct shw_forest **forest)
{
    struct shw_digest from = digest_training(path, project);
    const int code = cli_project_run_texts(&command->report, &command->code, path, project);

    if (code != SHW_CONTINUE)
        return code;
    cli_project_list_files(path, project, &command->job.outputs);
    if (!recall(command, &from, project, forest_path, forest))
        return train_project(command, path, project, images, &from, forest_path, forest);
    shw_output_files_read(&command->job.outputs, forest_path);
    if (command->report.verbose)
        cli_say(&command->report, "%s was trained from this project", forest_path);
    return SHW_CONTINUE;
}

/* The project's patterns are those of the images, too, where no option says otherwise; its pictures have theirs. */
static int take_inputs(struct command *command, const struct shw_project *project)
{
    struct shw_label_job *job = &command->job;

    job->given_inputs = job->input_count;
    job->own = &command->own;
    if (shw_project_list_inputs(project, UINT32_MAX, &command->taught) != SHW_OK ||
        shw_project_list_own_inputs(project, true, &command->own) != SHW_OK)
        return shw_exit_code(SHW_ERROR_MEMORY);
    for (uint32_t i = 0; i < command->taught.count; i++) {
        const struct shw_input_file *file = &command->taught.files[i];
        if (file->path != NULL && !shw_input_files_have(job->inputs, job->input_count, file->name) &&
            job->input_count < SHW_INPUTS_MAX - 1)
            job->inputs[job->input_count++] = *file;
    }
    return SHW_CONTINUE;
}

static int check_scale_bar(const struct command *command)
{
    return !command->job.content.scale_bar || shw_pixel_size_has_units(&command->job.each.objects.pixel_size)
               ? SHW_CONTINUE
               : shw_usage_error(&cli_label, "--scale-bar needs the size of pixels: add --pixel-size");
}

/* Opens the journal of the output folder, and finds or trains the forest of the project, which stays there; the caller
 * destroys it. What is going to be written is checked before training. Returns SHW_CONTINUE or the exit code. */
static int find_or_train(struct command *command, const char *path, const struct shw_image_list *images,
                         struct shw_forest **forest)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_project *project = NULL;
    char *forest_path = forest_path_of(command, path);
    int code = forest_path != NULL ? shw_exit_code(shw_project_read(path, &log, &project))
                                   : cli_fail(&command->report, "not enough memory for the names of files");

    command->report.data = path;
    command->report.data_has_settings = true;
    if (code == SHW_EXIT_SUCCESS)
        code = take_inputs(command, project);
    if (code == SHW_CONTINUE)
        code = cli_make_folder(&command->report, command->job.output);
    command->taken.project = path;
    if (code == SHW_CONTINUE && (command->job.each.objects.wanted || command->job.content.scale_bar))
        code = cli_label_objects_from_project(&command->taken, project, images, &command->report,
                                              &command->job.each.objects);
    if (code == SHW_CONTINUE)
        code = check_scale_bar(command);
    if (code == SHW_CONTINUE)
        code = cli_open_journal(&command->job);
    if (code == SHW_CONTINUE)
        code = find_forest(command, path, project, images, forest_path, forest);
    command->report.data = NULL;
    command->report.data_has_settings = false;
    shw_project_destroy(&project);
    free(forest_path);
    return code;
}

static void begin_image(void *user)
{
    struct command *command = user;

    command->report.failed = false;
}

static void report_image(void *user, const struct shw_image_entry *image, const struct shw_label_done *done)
{
    struct command *command = user;
    json_t *entry = done->up_to_date
                        ? json_pack("{s:o, s:b}", "image", shw_json_text(image->path), "up_to_date", 1)
                        : json_pack("{s:o, s:i, s:i, s:f}", "image", shw_json_text(image->path), "width",
                                    (int)done->width, "height", (int)done->height, "seconds", done->seconds);

    if (!done->up_to_date && command->job.each.objects.wanted)
        json_object_set_new(entry, "objects", pack_objects(&command->job.each.objects, done->objects));
    json_array_append_new(command->images, entry);
}

static void show_progress(void *user, uint32_t ended, uint32_t count)
{
    struct command *command = user;
    char text[160];

    snprintf(text, sizeof text, "image %u of %u, %.1f images/s", ended, count, ended / (shw_clock() - command->start));
    if (count > 1)
        cli_progress(&command->report, (double)ended / count, text);
    if (ended == count)
        cli_progress_end();
}

static void print_images(const struct command *command, uint32_t count, const struct shw_label_tally *tally)
{
    const struct shw_label_job *job = &command->job;
    uint32_t labelled = count - tally->failed - tally->up_to_date;

    printf("%u %s labelled, ", labelled, labelled == 1 ? "image" : "images");
    if (tally->up_to_date > 0)
        printf("%u %s up to date, ", tally->up_to_date, tally->up_to_date == 1 ? "was" : "were");
    if (job->journal != NULL && tally->failed > 0)
        printf("%u failed, ", tally->failed);
}

static int report_all(struct command *command, uint32_t count, const struct shw_label_tally *tally)
{
    const struct shw_label_job *job = &command->job;
    const struct cli_label_videos *videos = &command->videos;

    if (command->report.json) {
        json_t *document =
            json_pack("{s:O, s:o, s:i, s:o}", "images", command->images, "output", shw_json_text(job->output), "failed",
                      (int)(tally->failed + videos->failed), "techniques", cli_techniques_json(job->labeller));
        if (command->video_list.count > 0)
            json_object_set(document, "videos", videos->videos);
        return cli_print_json(&command->report, document);
    }
    if (command->report.quiet)
        return SHW_EXIT_SUCCESS;
    if (job->shard.count > 0 && count == 0)
        printf("shard %u of %u has no images\n", job->shard.number, job->shard.count);
    if (count == tally->failed && videos->labelled == 0)
        return SHW_EXIT_SUCCESS;
    if (count > tally->failed)
        print_images(command, count, tally);
    if (videos->labelled > 0)
        printf("%u %s with %llu %s labelled, ", videos->labelled, videos->labelled == 1 ? "video" : "videos",
               (unsigned long long)videos->frames, videos->frames == 1 ? "frame" : "frames");
    printf("in %s\n", shw_printable(job->output).text);
    return SHW_EXIT_SUCCESS;
}

/* Failures of images and videos are reported at once and determine the exit code, which is returned. */
static int label_all(struct command *command, const struct shw_image_list *images)
{
    struct shw_label_tally tally = {.image = SHW_OK, .tables = SHW_OK};
    int code = SHW_EXIT_SUCCESS, reported;

    command->images = json_array();
    command->videos.videos = json_array();
    command->start = shw_clock();
    if (images->count > 0 || command->job.shard.count > 0)
        code = shw_exit_code(shw_label_job_run(&command->job, images, &tally));
    if (code == SHW_EXIT_SUCCESS) {
        cli_label_videos_run(&command->videos, &command->video_list);
        reported = report_all(command, images->count, &tally);
        code = shw_exit_code(tally.image != SHW_OK ? tally.image : tally.tables);
        code = code != SHW_EXIT_SUCCESS ? code : command->videos.code;
        code = code != SHW_EXIT_SUCCESS ? code : reported;
    }
    json_decref(command->images);
    json_decref(command->videos.videos);
    return tally.failed + command->videos.failed > 0 && images->count + command->video_list.count > 1 &&
                   code != SHW_EXIT_NO_DEVICE
               ? SHW_EXIT_FAILURE
               : code;
}

static void set_callbacks(struct command *command)
{
    struct shw_label_job *job = &command->job;

    job->log = cli_log(&command->report);
    job->user = command;
    job->begin = begin_image;
    job->report = report_image;
    job->progress = show_progress;
}

/* Whether no image has a previous frame. */
static bool wants_frames(const struct command *command, const struct shw_image_list *images)
{
    bool any = command->job.frames;

    for (uint32_t i = 0; i < images->count && !any; i++)
        any = shw_own_inputs_have(command->job.own, images->list[i].path, SHW_PREVIOUS);
    return !any && images->count > 0;
}

/* Labels with a forest, which is that of the file `model` or was made from it. */
static int label_with(struct command *command, const struct shw_forest *forest, const char *model,
                      const struct shw_image_list *images)
{
    struct shw_labeller_params params = {
        .forest = forest, .smoothing = command->job.smoothing, .log = cli_log(&command->report)};
    struct shw_device *device = NULL;
    int code;

    command->job.forest = forest;
    command->job.info = shw_forest_get_info(forest);
    if (images->count > 0)
        shw_input_files_add_beside(command->job.info->channel_list, &command->job.input_count, command->job.inputs);
    code = cli_label_videos_check(&command->videos, &command->video_list);
    if (code == SHW_CONTINUE)
        code = cli_check_inputs(&command->report, command->job.info->channel_list, command->job.input_count,
                                command->job.inputs, wants_frames(command, images) ? "--frames" : NULL);
    if (code == SHW_CONTINUE && command->job.frames &&
        !shw_channels_read(command->job.info->channel_list, SHW_PREVIOUS))
        code = cli_fail(&command->report, "--frames: the previous frame is not read by the forest");
    command->job.params = (struct shw_image_params){.choice = cli_image_choice(&command->reading, command->job.info),
                                                    .of_group = images->count > 1 || images->whole.count > 1};
    params.width = command->tile[0];
    params.height = command->tile[1];
    params.memory = command->job.memory / 2;
    if (code == SHW_CONTINUE)
        code =
            choose(command, command->job.info->classes, command->job.info->class_count, command->job.info->tree_count);
    params.outputs = shw_label_job_outputs(&command->job);
    if (code == SHW_CONTINUE && (command->job.journal != NULL || command->parts.plan) &&
        shw_label_job_look(&command->job, images) != SHW_OK)
        code = SHW_EXIT_FAILURE;
    if (code == SHW_CONTINUE)
        code = cli_open_device(&command->report, &command->device, &params, &device);
    if (code == SHW_CONTINUE && !command->parts.plan)
        code = check_files(command, model, images);
    if (code == SHW_CONTINUE) {
        code = shw_exit_code(shw_labeller_create(&params, &command->job.labeller));
        if (code == SHW_EXIT_SUCCESS)
            code = command->parts.plan ? cli_label_plan(&command->report, &command->job, images)
                                       : label_all(command, images);
    }
    shw_labeller_destroy(&command->job.labeller);
    shw_device_destroy(&device);
    return code;
}

static int label(struct command *command, const char *model, bool from_project, const struct shw_image_list *images)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_forest *forest = NULL;
    int code;

    if (from_project) {
        code = find_or_train(command, model, images, &forest);
    } else if ((code = cli_load_plugins(&command->report, &command->code)) == SHW_CONTINUE) {
        code = shw_exit_code(cli_load_forest(
            &command->code, model,
            &(struct shw_forest_load_params){
                .combine = (enum shw_combine)command->combine, .fill = (enum shw_fill)command->fill, .log = log},
            &forest));
        if (code == SHW_EXIT_SUCCESS)
            code = shw_exit_code(cli_focus(&command->focal, model, &log, &forest));
        code = code == SHW_EXIT_SUCCESS ? SHW_CONTINUE : code;
    }
    if (code == SHW_CONTINUE && command->calibrated) {
        enum shw_result result =
            shw_forest_power_make(shw_forest_get_info(forest), &command->job.smoothing, model, &log, &command->power);

        code = result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
        command->job.power = command->power;
    }
    if (code == SHW_CONTINUE && cli_parts_are_wanted(&command->parts))
        code = cli_open_parts(&command->parts, &command->report, &command->code, &command->focal, model, &command->job);
    if (code == SHW_CONTINUE)
        code = label_with(command, forest, model, images);
    shw_label_journal_close(&command->job.journal);
    shw_forest_destroy(&forest);
    return code;
}

/* Lists what the arguments stand for. Returns SHW_CONTINUE or the exit code. */
static int list_inputs(struct command *command, char **arguments, int count, bool from_project,
                       struct shw_image_list *images)
{
    char **others = calloc((size_t)count, sizeof *others);
    int other_count = 0,
        code = others != NULL ? SHW_CONTINUE : cli_fail(&command->report, "not enough memory for the names of images");

    for (int i = 0; i < count && code == SHW_CONTINUE; i++)
        if (!cli_is_video(arguments[i]))
            others[other_count++] = arguments[i];
        else
            code = cli_list_video(&command->report, arguments[i], &command->video_list);
    if (code == SHW_CONTINUE && from_project && command->video_list.count > 0)
        code = shw_usage_error(&cli_label,
                               "%s is a video: label it with the project's forest, which is in the output folder "
                               "once images were labelled",
                               command->video_list.list[0].path);
    if (code == SHW_CONTINUE)
        code = cli_look_at_parts(&command->parts, &command->job);
    if (code == SHW_CONTINUE && (other_count > 0 || command->video_list.count == 0))
        code = cli_list_images(&cli_label, &command->report, others, other_count,
                               &(struct shw_image_list_params){.page = command->page,
                                                               .in_folders = from_project,
                                                               .shard = command->job.shard,
                                                               .facts = cli_parts_files(&command->parts)},
                               images);
    free(others);
    if (code == SHW_CONTINUE)
        code = cli_check_parts(&command->parts, &command->job, images, command->video_list.count, from_project);
    return code;
}

/* Of several images, each needs files of its own. */
static int check_patterns(const struct command *command, const struct shw_image_list *images)
{
    for (uint32_t i = 0; i < command->job.input_count && images->count > 1; i++)
        if (shw_pattern_places(command->job.inputs[i].path) == 0)
            return shw_usage_error(
                &cli_label, "--input %s=%s would be the %s of all %u images: write {} for the image's name",
                command->job.inputs[i].name, command->job.inputs[i].path, command->job.inputs[i].name, images->count);
    return SHW_CONTINUE;
}

/* The option of an output. */
static struct shw_option option_of(struct command *command, enum shw_label_output output)
{
    const struct shw_label_output_traits *traits = shw_label_outputs[output];

    return traits->choices != NULL
               ? (struct shw_option)SHW_OPTION_CHOICE(traits->option, traits->letter, "KIND",
                                                      &command->outputs[output].choice, traits->choices, traits->help)
               : (struct shw_option)SHW_OPTION_FLAG(traits->option, traits->letter, &command->outputs[output].flag,
                                                    traits->help);
}
#define OPTION_OF(id_, name_) option_of(&command, SHW_LABEL_OUTPUT_##id_),

static int check_areas(const struct shw_object_settings *settings)
{
    return settings->area_max == 0 || settings->area_min <= settings->area_max
               ? SHW_CONTINUE
               : shw_usage_error(&cli_label, "--objects-area %u is larger than --objects-area-max %u",
                                 settings->area_min, settings->area_max);
}

static bool writes_anything(const struct command *command)
{
    bool any = command->job.each.objects.wanted;

    for (int o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++)
        any = any || form_of(command, (enum shw_label_output)o) > 0;
    return any;
}

static int refuse_nothing(void)
{
    char left_out[256] = "", others[256] = "";

    for (uint32_t o = 0; o < SHW_LABEL_OUTPUT_COUNT; o++) {
        const struct shw_label_output_traits *traits = shw_label_outputs[o];
        char *list = traits->by_default ? left_out : others;
        size_t length = strlen(list);

        if (traits->option != NULL)
            snprintf(list + length, sizeof others - length, "%s--%s",
                     length == 0          ? ""
                     : traits->by_default ? " and "
                                          : ", ",
                     traits->option);
    }
    return shw_usage_error(&cli_label, "nothing to write with %s: add %s or --objects", left_out, others);
}

static int run(int argc, char **argv)
{
    struct command command = {
        .job = {.output = "labelled", .content = {.opacity = 60}, .smoothing = {.radius = CLI_SMOOTH_UNSET}}};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &command.job.output,
                   "the output folder, created if missing (labelled)"),
        CLI_OVERWRITE_OPTION(command.job.outputs),
        CLI_RESUME_OPTION(command.parts),
        CLI_SHARD_OPTION(command.parts),
        CLI_PLAN_OPTION(command.parts.plan),
        SHW_LABEL_OUTPUTS_OF_FORESTS(OPTION_OF) CLI_COMBINE_OPTION(command.combine),
        CLI_FILL_OPTION(command.fill),
        CLI_CODE_OPTIONS(command.code),
        CLI_SMOOTH_OPTIONS(command.job.smoothing, CLI_SMOOTH_STORED),
        SHW_OPTION_FLAG("calibrated", 0, &command.calibrated,
                        "raise probabilities to the power that calibrate has found for\nthe forest; labels stay"),
        CLI_FOCAL_OPTION(command.focal),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "opacity", 0, "PERCENT", &command.job.content.opacity, 0, 100,
                          "opacity of the class colours in the overlay (60)"),
        OBJECT_OPTIONS(command),
        SHW_OPTION_FLAG("scale-bar", 0, &command.job.content.scale_bar,
                        "draw a scale bar into overlays, of images and of videos,\nwhere the size of pixels is known"),
        SHW_OPTION_WITHIN(
            SHW_VALUE_EXTENT, "max-tile", 0, "WxH", command.tile, 1, SHW_IMAGE_SIZE_MAX,
            "process larger images in tiles of at most this size,\nincluding the surroundings that tests read (the "
            "device's\nlimit)"),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.job.memory,
                   "memory that an image may take, such as 512M or 2G: larger TIFF\nimages are labelled in pieces (a "
                   "quarter of the machine's)"),
        SHW_INPUT_OPTION(command.inputs, "the files of another input; {} stands for the image's name:\n"
                                         "'depth=depth/{}.png'; may be repeated"),
        SHW_OPTION_FLAG("frames", 0, &command.job.frames,
                        "the images of a folder are frames of a video: each is\nlabelled with the previous one"),
        CLI_READING_OPTIONS(command.reading),
        SHW_OPTION_WITHIN(SHW_VALUE_COUNT, "page", 0, "N", &command.page, 1, SHW_IMAGE_PAGES_MAX,
                          "page of files with several, from 1, or 'all'; IMAGE#N\nalso names one (the first)"),
        CLI_DEVICE_OPTIONS(command.device),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_image_list images = {.list = NULL};
    bool from_project;
    int first, code = cli_parse(&cli_label, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (argc - first < 2)
        return shw_usage_error(&cli_label, "a forest or a project, and at least one image or video are needed");
    if (!writes_anything(&command))
        return refuse_nothing();
    code = take_object_options(&command);
    if (code == SHW_CONTINUE)
        code = shw_input_files_take(&cli_label, &command.inputs, command.job.inputs);
    command.job.input_count = command.inputs.count;
    set_callbacks(&command);
    if (code == SHW_CONTINUE)
        code = check_areas(&command.job.each.objects.settings);
    if (code != SHW_CONTINUE)
        return code;
    for (uint32_t i = 0; command.job.frames && i < command.job.input_count; i++)
        if (strcmp(command.job.inputs[i].name, SHW_PREVIOUS) == 0)
            return shw_usage_error(&cli_label, "the previous frame is given twice: by --frames and by --input");
    code = cli_check_smoothing(&cli_label, &command.job.smoothing);
    if (code == SHW_CONTINUE)
        code = cli_take_parts(&cli_label, &command.parts, &command.job.shard);
    if (code != SHW_CONTINUE)
        return code;
    from_project = is_project(argv[first]);
    if (!from_project)
        code = check_scale_bar(&command);
    if (code != SHW_CONTINUE)
        return code;
    if (from_project && command.focal.given != 0)
        return shw_usage_error(&cli_label, "--focal is for forests of Kinect's trees, not for projects");
    if (from_project && command.calibrated)
        return shw_usage_error(&cli_label, "--calibrated is for forests, not for projects");
    if (from_project && (command.combine != SHW_COMBINE_DEFAULT || command.fill != SHW_FILL_DEFAULT))
        return shw_usage_error(&cli_label, "%s is for forests: name that of the project, which is in the output folder",
                               command.combine != SHW_COMBINE_DEFAULT ? "--combine" : "--fill");
    command.videos.report = &command.report;
    command.videos.job = &command.job;
    code = list_inputs(&command, argv + first + 1, argc - first - 1, from_project, &images);
    if (code == SHW_CONTINUE)
        code = check_patterns(&command, &images);
    if (code == SHW_CONTINUE)
        code = label(&command, argv[first], from_project, &images);
    shw_image_list_free(&images);
    shw_image_list_free(&command.video_list);
    cli_close_parts(&command.parts, &command.job);
    shw_label_job_free(&command.job);
    free(command.power);
    free(command.chosen);
    cli_label_objects_free(&command.taken);
    shw_project_files_free(&command.taught);
    shw_own_inputs_free(&command.own);
    shw_output_files_free(&command.job.outputs);
    return code;
}

const struct shw_command cli_label = {
    .name = "label",
    .summary = "label images and videos with a forest, or images with a project",
    .arguments = "[OPTION...] {FOREST | PROJECT} IMAGE...",
    .text =
        "Labels every pixel of images. For IMAGE.png it writes IMAGE_labels.png (palette indices in the classes' "
        "colours) and\n"
        "IMAGE_overlay.png (the image overlaid with them); class probabilities, masks and leaves on request. They go "
        "to\n"
        "the folder labelled, or to that of --output, with classes.json, which names the classes. With --objects, it "
        "also\n"
        "finds connected pixels of a class. An IMAGE that is a folder stands for the images in it, except those that "
        "this\n"
        "command has written, or for its NAME_colors images if it has any. Reads PNG, JPEG, TIFF, WebP, BMP, PPM and "
        "PGM.\n"
        "A video becomes VIDEO_overlay with its ending (or .mkv), and its frames VIDEO-000001_labels.png and so on.\n"
        "A PROJECT of shadewood-viewer is trained first; the next call with the same output folder labels what is new "
        "or changed.",
    .examples =
        "  shadewood label scenes.ktx2 photo.jpg\n"
        "  shadewood label scenes.ktx2 *.png -o results --probabilities png\n"
        "  shadewood label scenes.ktx2 photo.jpg --technique fragment --max-tile 512x512\n"
        "  shadewood label scenes.ktx2 photo.jpg -o counted --objects --objects-area 50 --objects-holes all \\\n"
        "      --objects-format csv,geojson\n"
        "  shadewood label scenes.ktx2 walk.mp4 --no-labels -o walked\n"
        "  shadewood label meadow.json pairs -o meadow",
    .run = run,
};
