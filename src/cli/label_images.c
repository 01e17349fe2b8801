#include "cli/label_images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/printable.h"
#include "cli/label_listed.h"
#include "cli/label_tables.h"
#include "cli/report.h"
#include "dense/input/inputs.h"
#include "files/io/image_paths.h"
#include "files/io/json_text.h"
#include "files/output/classes_file.h"

/* The result for one image. */
struct result {
    struct shw_label_results images;
    struct shw_objects objects;
    double seconds;
};

/* What is called for each file that is written for an image. */
typedef enum shw_result visit(void *user, const char *path, const struct shw_file_kind *kind);

static void free_result(struct result *result)
{
    shw_label_results_free(&result->images);
    shw_objects_free(&result->objects);
}

uint32_t cli_labelling_outputs(const struct cli_labelling *labelling)
{
    return shw_label_files_outputs(&labelling->written) |
           (labelling->objects.wanted || labelling->record != NULL ? SHW_OUTPUT_ARGMAX : 0u) |
           (labelling->objects.table || labelling->objects.outlines ? SHW_OUTPUT_DISTRIBUTION : 0u);
}

/* Calls `call` for each file of an image, until it fails. */
static enum shw_result list_outputs(const struct cli_labelling *labelling, const struct cli_image *image, visit *call,
                                    void *user)
{
    enum shw_result result = SHW_OK;
    char *place = shw_path_in(labelling->output, image->place);

    for (uint32_t i = 0; place != NULL && i < labelling->written.count && result == SHW_OK; i++) {
        char *path = shw_label_file_path(&labelling->written.entries[i], place);
        result = path != NULL ? call(user, path, labelling->written.entries[i].kind) : SHW_ERROR_MEMORY;
        free(path);
    }
    if (result == SHW_OK)
        result = place != NULL ? cli_objects_list(&labelling->objects, place, &labelling->outputs.log, call, user)
                               : shw_fail_memory(&labelling->outputs.log, "the names of files");
    free(place);
    return result;
}

static enum shw_result write_result(const struct cli_labelling *labelling, const struct cli_image *image,
                                    const struct result *result, const struct shw_log *log)
{
    enum shw_result written = SHW_OK;
    char *place = shw_path_in(labelling->output, image->place);

    if (place == NULL)
        return shw_fail_memory(log, "the names of files");
    for (uint32_t i = 0; i < labelling->written.count && written == SHW_OK; i++) {
        const struct shw_label_file_entry *entry = &labelling->written.entries[i];
        char *path = shw_label_file_path(entry, place);
        written = path != NULL ? shw_label_file_write(&labelling->written, entry, path, &result->images, log)
                               : SHW_ERROR_MEMORY;
        free(path);
    }
    if (written == SHW_OK && labelling->objects.wanted)
        written = cli_objects_write(&labelling->objects, place, &result->objects, log);
    free(place);
    return written;
}

static enum shw_result add_output(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct cli_labelling *labelling = user;

    if (labelling->record != NULL && kind->is_ours == NULL && cli_label_journal_owns(labelling->record, path))
        shw_output_files_replace(&labelling->outputs, path, kind);
    else
        shw_output_files_write(&labelling->outputs, path, kind);
    return SHW_OK;
}

/* Immediately before the files of an image are written. */
static enum shw_result look_again(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct cli_labelling *labelling = user;

    SHW_PROPAGATE(shw_output_files_look_again(&labelling->outputs, path));
    return labelling->record != NULL && kind->is_ours == NULL ? cli_label_journal_note(labelling->record, path, NULL)
                                                              : SHW_OK;
}

/* Adds what is read and what is going to be written for an image, and makes its folder. */
static int add_image(struct cli_labelling *labelling, const struct cli_image *image)
{
    const struct shw_log log = cli_log(&labelling->report);
    const char *slash = strrchr(image->place, '/');

    if (slash != NULL) {
        char *below = strndup(image->place, (size_t)(slash - image->place));
        char *folder = below != NULL ? shw_path_in(labelling->output, below) : NULL;
        int code = folder != NULL ? cli_make_folder(&labelling->report, folder) : SHW_EXIT_FAILURE;

        free(below);
        free(folder);
        if (code != SHW_CONTINUE)
            return code;
    }
    if (shw_image_inputs_list(image->path, labelling->files, labelling->inputs.count, cli_add_input,
                              &labelling->outputs, &log) != SHW_OK)
        return SHW_EXIT_FAILURE;
    return list_outputs(labelling, image, add_output, labelling) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;
}

static int add_table(struct cli_labelling *labelling, const char *name)
{
    char *path = shw_path_in(labelling->output, name);
    enum shw_result result = path != NULL ? add_output(labelling, path, &shw_file_table) : SHW_ERROR_MEMORY;

    free(path);
    return result == SHW_OK ? SHW_CONTINUE : cli_fail(&labelling->report, "not enough memory for the names of files");
}

int cli_labelling_choose(const struct shw_command *command, struct cli_labelling *labelling,
                         const struct shw_class *classes, uint32_t class_count, uint32_t tree_count)
{
    const struct shw_log log = cli_log(&labelling->report);
    const struct shw_label_files_params params = {.labels = !labelling->no_labels,
                                                  .overlay = !labelling->no_overlay,
                                                  .leaves = labelling->leaves,
                                                  .masks = labelling->masks,
                                                  .probabilities = (enum shw_probability_files)labelling->probabilities,
                                                  .opacity = labelling->opacity,
                                                  .classes = classes,
                                                  .class_count = class_count,
                                                  .tree_count = tree_count};
    int code;

    cli_labelling_free(labelling);
    labelling->classes = shw_path_in(labelling->output, SHW_CLASSES_FILE);
    if (labelling->classes == NULL)
        return cli_fail(&labelling->report, "not enough memory for the names of files");
    code = cli_objects_take_classes(command, &labelling->objects, classes, class_count);
    if (code != SHW_CONTINUE)
        return code;
    return shw_label_files_make(&params, &log, &labelling->written) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;
}

int cli_labelling_check(struct cli_labelling *labelling, const char *model, const struct cli_image_list *images)
{
    int code = SHW_CONTINUE;

    if (labelling->checked)
        return SHW_CONTINUE;
    labelling->checked = true;
    code = cli_make_folder(&labelling->report, labelling->output);
    shw_output_files_read(&labelling->outputs, model);
    shw_output_files_write(&labelling->outputs, labelling->classes, &shw_file_classes);
    if (code == SHW_CONTINUE && labelling->objects.table)
        code = add_table(labelling, CLI_OBJECTS_TABLE);
    if (code == SHW_CONTINUE && labelling->record != NULL)
        code = add_table(labelling, CLI_SHARES_TABLE);
    for (uint32_t i = 0; code == SHW_CONTINUE && i < images->count; i++)
        code = add_image(labelling, &images->list[i]);
    return code == SHW_CONTINUE ? cli_check_outputs(&labelling->report, &labelling->outputs) : code;
}

static void keep_frame(struct cli_labelling *labelling, const char *path, struct shw_image_inputs *inputs)
{
    shw_image_file_free(&labelling->frame);
    labelling->frame = inputs->files[0];
    labelling->frame_path = path;
    inputs->files[0] = (struct shw_image_file){0};
}

/* Adds the previous frame, which must be as large as the image. */
static enum shw_result add_frame(struct cli_labelling *labelling, const char *path, struct shw_image_inputs *inputs)
{
    const struct shw_image *image = &inputs->files[0].image, *frame = &labelling->frame.image;

    if (!labelling->frames || labelling->frame_path == NULL || !shw_names_same_folder(labelling->frame_path, path))
        return SHW_OK;
    if (frame->width != image->width || frame->height != image->height) {
        cli_fail(&labelling->report, "%s: the frame has %u x %u pixels, the previous one %u x %u", path, image->width,
                 image->height, frame->width, frame->height);
        return SHW_ERROR_FORMAT;
    }
    inputs->input[inputs->all.count++] = (struct shw_input){.name = SHW_PREVIOUS, .image = *frame};
    return SHW_OK;
}

/* Once there is a labelled image. */
static enum shw_result write_classes(struct cli_labelling *labelling)
{
    const struct shw_classes_file file = {
        .classes = labelling->info->classes, .count = labelling->info->class_count, .forest = labelling->forest};
    const struct shw_log log = cli_log(&labelling->report);

    if (labelling->has_classes)
        return SHW_OK;
    labelling->has_classes = true;
    SHW_PROPAGATE(shw_output_files_look_again(&labelling->outputs, labelling->classes));
    return shw_classes_file_write(labelling->classes, &file, &log);
}

static enum shw_result find_objects(struct cli_labelling *labelling, const struct shw_image *image,
                                    struct result *result)
{
    const struct shw_object_picture picture = {result->images.labelling.argmax, result->images.labelling.distribution,
                                               image->width, image->height, labelling->info->class_count};
    const struct shw_log log = cli_log(&labelling->report);

    return labelling->objects.wanted ? shw_objects_find(&picture, &labelling->objects.settings, &log, &result->objects)
                                     : SHW_OK;
}

/* Adds the image to the table and to the report. */
static void report_image(struct cli_labelling *labelling, const struct cli_image *which, const struct shw_image *image,
                         const struct result *result)
{
    json_t *entry = json_pack("{s:o, s:i, s:i, s:f}", "image", shw_json_text(which->path), "width", (int)image->width,
                              "height", (int)image->height, "seconds", result->seconds);

    if (labelling->objects.wanted)
        json_object_set_new(entry, "objects", cli_objects_json(&labelling->objects, &result->objects));
    json_array_append_new(labelling->images, entry);
    if (labelling->objects.table && labelling->record == NULL)
        shw_object_table_add(&labelling->table, which->path, which->place, &result->objects, labelling->info->classes);
}

/* The digests of files, collected. */
struct digests {
    const struct cli_labelling *labelling;
    json_t *files;
};

static enum shw_result add_digest(void *user, const char *path, const struct shw_file_kind *kind)
{
    struct digests *digests = user;
    struct shw_digest digest;
    json_t *name;

    (void)kind;
    if (access(path, F_OK) != 0) /* of the two images of objects' numbers one is written */
        return SHW_OK;
    if (!shw_digest_file(path, &digest))
        return shw_fail(&digests->labelling->outputs.log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN,
                        "cannot read %s, which was just written", path);
    name = shw_json_text(path + strlen(digests->labelling->output) + 1);
    json_object_set_new(digests->files, json_string_value(name), json_string(digest.text));
    json_decref(name);
    return SHW_OK;
}

/* Records an image whose files are complete. */
static enum shw_result record_image(struct cli_labelling *labelling, const struct cli_image *image,
                                    const struct shw_digest *key, const struct result *result)
{
    struct digests digests = {labelling, json_object()};
    const struct cli_label_rows rows = {.width = result->images.width,
                                        .height = result->images.height,
                                        .class_count = labelling->info->class_count,
                                        .labels = result->images.labelling.argmax,
                                        .objects = labelling->objects.wanted ? &result->objects : NULL};
    const struct shw_digest way = cli_label_settings_digest(labelling), file = cli_label_file(image->path);
    enum shw_result recorded = list_outputs(labelling, image, add_digest, &digests);
    json_t *entry;

    if (recorded != SHW_OK) {
        json_decref(digests.files);
        return recorded;
    }
    entry = cli_label_rows_pack(&rows);
    json_object_set_new(entry, "key", json_string(key->text));
    json_object_set_new(entry, "way", json_string(way.text));
    json_object_set_new(entry, "file", json_string(file.text));
    json_object_set_new(entry, "path", shw_json_text(image->path));
    json_object_set_new(entry, "files", digests.files);
    recorded = cli_label_journal_add(labelling->record, image->place, entry);
    json_decref(entry);
    return recorded;
}

static enum shw_result label_image(struct cli_labelling *labelling, const struct cli_image *which,
                                   const struct shw_digest *key, const struct shw_image_inputs *inputs,
                                   struct result *result)
{
    const struct shw_log log = cli_log(&labelling->report);
    const struct shw_image *image = &inputs->files[0].image;
    double start = shw_clock();

    cli_check_focal(&labelling->focal, labelling->info, which->path, image->width, &log);
    result->images.image = image;
    result->images.width = image->width;
    result->images.height = image->height;
    SHW_PROPAGATE(shw_label_results_make(&labelling->written, cli_labelling_outputs(labelling), which->path, &log,
                                         &result->images));
    SHW_PROPAGATE(shw_labeller_run(labelling->labeller, &inputs->all, &result->images.labelling));
    result->seconds = shw_clock() - start;
    SHW_PROPAGATE(find_objects(labelling, image, result));
    SHW_PROPAGATE(list_outputs(labelling, which, look_again, labelling));
    SHW_PROPAGATE(write_result(labelling, which, result, &log));
    SHW_PROPAGATE(write_classes(labelling));
    return labelling->record != NULL ? record_image(labelling, which, key, result) : SHW_OK;
}

static enum shw_result label_one(struct cli_labelling *labelling, const struct cli_image *image,
                                 const struct shw_digest *key)
{
    struct shw_log log = cli_log(&labelling->report);
    struct shw_image_inputs inputs;
    struct result result = {0};
    enum shw_result done = shw_image_inputs_read(image->path, labelling->files, labelling->inputs.count,
                                                 &labelling->params, &log, &inputs);

    if (done == SHW_OK)
        done = shw_image_inputs_complete(labelling->info->channel_list, image->path, &inputs, &log);
    if (done != SHW_OK) {
        shw_image_inputs_free(&inputs);
        labelling->frame_path = NULL; /* the next frame does not follow the one that is kept */
        return done;
    }
    done = add_frame(labelling, image->path, &inputs);
    if (done == SHW_OK)
        done = label_image(labelling, image, key, &inputs, &result);
    if (done == SHW_OK)
        report_image(labelling, image, &inputs.files[0].image, &result);
    free_result(&result);
    if (labelling->frames)
        keep_frame(labelling, image->path, &inputs);
    shw_image_inputs_free(&inputs);
    return done;
}

/* Whether what the record has for the tables can be right. */
static bool are_rows_sound(const struct cli_labelling *labelling, const char *place)
{
    json_t *entry = cli_label_journal_read(labelling->record, place);
    bool sound = cli_label_rows_are_sound(labelling, entry);

    json_decref(entry);
    if (!sound)
        cli_label_journal_warn(labelling->record, place);
    return sound;
}

/* Whether the record has the image as it would be labelled now; *key becomes the digest of that. */
static bool is_up_to_date(struct cli_labelling *labelling, const struct cli_image *image, struct shw_digest *key)
{
    if (labelling->record == NULL)
        return false;
    *key = cli_label_key(labelling, image->path);
    if (key->text[0] == '\0' || !cli_label_journal_has(labelling->record, image->place, key) ||
        !are_rows_sound(labelling, image->place) || write_classes(labelling) != SHW_OK)
        return false;
    json_array_append_new(labelling->images,
                          json_pack("{s:o, s:b}", "image", shw_json_text(image->path), "up_to_date", 1));
    return true;
}

/* The images have one range: if none is chosen, that of the first one that can be read, if it wants one. */
static void settle_choice(struct cli_labelling *labelling, const struct cli_image_list *images)
{
    const struct shw_log log = cli_log(&labelling->report);

    labelling->report.failed = true; /* what is wrong with an image is told when it is read */
    for (uint32_t i = 0; i < images->count; i++)
        if (shw_image_choice_settle(&labelling->params.choice, images->list[i].path, &log) == SHW_OK)
            break;
}

/* How the images went. */
struct tally {
    uint32_t failed, up_to_date;
    bool *done; /* of each image */
    int code;
};

static void label_each(struct cli_labelling *labelling, const struct cli_image_list *images, struct tally *tally)
{
    double start = shw_clock(), seconds;
    uint32_t count = images->count;
    char text[160];

    for (uint32_t i = 0; i < count; i++) {
        struct shw_digest key = {""};
        enum shw_result result = SHW_OK;

        labelling->report.failed = false;
        if (is_up_to_date(labelling, &images->list[i], &key))
            tally->up_to_date++;
        else
            result = label_one(labelling, &images->list[i], &key);
        tally->done[i] = result == SHW_OK;
        if (result != SHW_OK) {
            tally->failed++;
            tally->code = shw_exit_code(result);
        }
        seconds = shw_clock() - start;
        snprintf(text, sizeof text, "image %u of %u, %.1f images/s", i + 1, count, (i + 1) / seconds);
        if (count > 1)
            cli_progress(&labelling->report, (double)(i + 1) / count, text);
    }
    cli_progress_end();
}

static int report_all(struct cli_labelling *labelling, uint32_t count, const struct tally *tally)
{
    uint32_t labelled = count - tally->failed - tally->up_to_date;
    const char *output = labelling->output;

    if (labelling->report.json) {
        json_t *document =
            json_pack("{s:O, s:o, s:i, s:o}", "images", labelling->images, "output", shw_json_text(output), "failed",
                      (int)tally->failed, "techniques", cli_techniques_json(labelling->labeller));
        return cli_print_json(&labelling->report, document);
    }
    if (labelling->report.quiet || count == tally->failed)
        return SHW_EXIT_SUCCESS;
    printf("%u %s labelled, ", labelled, labelled == 1 ? "image" : "images");
    if (tally->up_to_date > 0)
        printf("%u %s up to date, ", tally->up_to_date, tally->up_to_date == 1 ? "was" : "were");
    if (labelling->record != NULL && tally->failed > 0)
        printf("%u failed, ", tally->failed);
    printf("in %s\n", shw_printable(output).text);
    return SHW_EXIT_SUCCESS;
}

int cli_labelling_run(struct cli_labelling *labelling, const struct cli_image_list *images)
{
    struct tally tally = {.done = calloc(images->count, sizeof *tally.done)};
    int code;

    if (tally.done == NULL)
        return cli_fail(&labelling->report, "not enough memory for %u images", images->count);
    labelling->images = json_array();
    tally.code = cli_label_tables_open(labelling);
    if (tally.code == SHW_EXIT_SUCCESS) {
        settle_choice(labelling, images);
        label_each(labelling, images, &tally);
        labelling->report.failed = false;
        code = tally.failed < images->count ? cli_label_tables_write(labelling, images, tally.done) : SHW_EXIT_SUCCESS;
        tally.code = tally.code != SHW_EXIT_SUCCESS ? tally.code : code;
        code = report_all(labelling, images->count, &tally);
        tally.code = tally.code != SHW_EXIT_SUCCESS ? tally.code : code;
    }
    json_decref(labelling->images);
    free(tally.done);
    return tally.failed > 0 && images->count > 1 && tally.code != SHW_EXIT_NO_DEVICE ? SHW_EXIT_FAILURE : tally.code;
}

void cli_labelling_free(struct cli_labelling *labelling)
{
    shw_label_files_free(&labelling->written);
    cli_objects_free(&labelling->objects);
    free(labelling->classes);
    labelling->classes = NULL;
}
