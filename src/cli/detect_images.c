#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/detecting.h"
#include "cli/outputs.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/io/json_text.h"

static enum shw_result copy(const struct shw_detections *from, const struct shw_log *log, struct shw_detections *to)
{
    *to = (struct shw_detections){.count = from->count, .items = malloc((from->count + (size_t)1) * sizeof *to->items)};
    if (to->items == NULL)
        return shw_fail_memory(log, "detections");
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    return SHW_OK;
}

static enum shw_result run(struct cli_detecting *detecting, const struct shw_image *image,
                           struct cli_detected *detected)
{
    const struct shw_log log = cli_log(&detecting->report);

    SHW_PROPAGATE(shw_detector_run(detecting->detector, image, &detected->found));
    if (detecting->raw)
        SHW_PROPAGATE(copy(&detected->found, &log, &detected->windows));
    return shw_detections_group(&detected->found, detecting->info->kind, &detecting->options.grouping, &log);
}

enum shw_result cli_detect_run(struct cli_detecting *detecting, const char *path, const struct shw_image *image,
                               struct cli_detected *detected)
{
    const double start = shw_clock();
    enum shw_result result;

    *detected = (struct cli_detected){0};
    detecting->report.input = path;
    result = run(detecting, image, detected);
    detecting->report.input = NULL;
    detected->seconds = shw_clock() - start;
    if (result == SHW_OK)
        detected->window_count = shw_detector_count_windows(detecting->detector, image->width, image->height);
    return result;
}

void cli_detected_free(struct cli_detected *detected)
{
    free(detected->windows.items);
    free(detected->found.items);
    *detected = (struct cli_detected){0};
}

char *cli_detect_place(const struct cli_detecting *detecting, const struct cli_image *image, const char *ending)
{
    char *place = shw_path_in(detecting->output, image->place);
    char *path = place != NULL ? shw_path_join(place, ending, "") : NULL;

    free(place);
    return path;
}

/* The folder of the results, which may be below that of the output. */
static int make_folder(struct cli_detecting *detecting, const char *path)
{
    char *folder = strndup(path, (size_t)(shw_path_last(path) - path));
    int code = folder != NULL ? cli_make_folder(&detecting->report, folder) : SHW_EXIT_FAILURE;

    free(folder);
    return code;
}

static int add_image(struct cli_detecting *detecting, const struct cli_image *image)
{
    char *path = cli_detect_place(detecting, image, "_detections.png");
    int code = SHW_CONTINUE;

    if (path == NULL)
        return cli_fail(&detecting->report, "not enough memory for the names of files");
    if (!detecting->no_pictures) {
        code = strchr(image->place, '/') != NULL ? make_folder(detecting, path) : SHW_CONTINUE;
        shw_output_files_write(&detecting->outputs, path, &shw_file_detections);
    }
    shw_output_files_read(&detecting->outputs, image->path);
    free(path);
    return code;
}

int cli_detect_add_images(struct cli_detecting *detecting, const struct cli_image_list *images)
{
    const struct cli_detect_wanted wanted = {detecting->options.csv, detecting->options.coco, detecting->raw};
    char *prefix = shw_path_join(detecting->output, "/", "");
    int code =
        prefix != NULL && cli_detect_tables_name(&detecting->tables, prefix, wanted, &detecting->outputs) == SHW_OK
            ? SHW_CONTINUE
            : SHW_EXIT_FAILURE;

    free(prefix);
    for (uint32_t i = 0; code == SHW_CONTINUE && i < images->count; i++)
        code = add_image(detecting, &images->list[i]);
    if (code == SHW_CONTINUE && detecting->truth.path != NULL)
        code = cli_truth_name_files(&detecting->report, &detecting->truth, detecting->output, &detecting->outputs);
    return code;
}

static enum shw_result write_picture(struct cli_detecting *detecting, const struct cli_image *which,
                                     const struct shw_image *image, const struct cli_detect_shown *shown)
{
    const struct shw_log log = cli_log(&detecting->report);
    char *path = cli_detect_place(detecting, which, "_detections.png");
    uint8_t *pixels = path != NULL ? cli_detect_draw(image, shown) : NULL;
    const struct shw_image drawn = {
        .pixels = pixels, .width = image->width, .height = image->height, .format = SHW_PIXEL_RGB8};
    enum shw_result result =
        pixels != NULL ? shw_output_files_look_again(&detecting->outputs, path) : shw_fail_memory(&log, which->path);

    if (result == SHW_OK)
        result = shw_png_write_marked(path, shw_file_detections.name, &drawn, &log);
    free(pixels);
    free(path);
    return result;
}

/* Compares what was found with what is there, and writes the picture and the rows. */
static enum shw_result keep(struct cli_detecting *detecting, const struct cli_image *which,
                            const struct shw_image *image, const struct cli_detected *detected,
                            const struct cli_true_objects *objects, struct shw_match *matches)
{
    const struct shw_log log = cli_log(&detecting->report);
    const struct cli_detect_shown shown = {&detected->found, detecting->truth.path != NULL ? matches : NULL,
                                           objects->objects, objects->count, detecting->info->fraction_bits};
    const struct shw_detection_place place = {.name = which->path};

    if (detecting->truth.path != NULL)
        SHW_PROPAGATE(shw_detections_match(detected->found.items, detected->found.count, objects->objects,
                                           objects->count, detecting->truth.overlap, &log, matches));
    if (!detecting->no_pictures)
        SHW_PROPAGATE(write_picture(detecting, which, image, &shown));
    if (detecting->truth.path != NULL)
        SHW_PROPAGATE(cli_truth_add(&detecting->truth, which->path, objects, &detected->found, matches,
                                    detected->window_count, &log));
    cli_detect_tables_add(
        &detecting->tables, &place, cli_truth_image_id(&detecting->truth, objects, detecting->searched),
        detecting->truth.path != NULL ? detecting->truth.category : 1, &detected->found, &detected->windows);
    return SHW_OK;
}

static enum shw_result keep_matched(struct cli_detecting *detecting, const struct cli_image *which,
                                    const struct shw_image *image, const struct cli_detected *detected)
{
    const struct shw_log log = cli_log(&detecting->report);
    struct cli_true_objects objects = {.image = UINT32_MAX};
    struct shw_match *matches = malloc((detected->found.count + (size_t)1) * sizeof *matches);
    enum shw_result result = matches != NULL ? SHW_OK : shw_fail_memory(&log, which->path);

    if (result == SHW_OK && detecting->truth.path != NULL)
        result = cli_truth_find(&detecting->truth, which, image->width, image->height, &log, &objects);
    if (result == SHW_OK)
        result = keep(detecting, which, image, detected, &objects, matches);
    free(objects.objects);
    free(matches);
    return result;
}

static void report_image(struct cli_detecting *detecting, const struct cli_image *which, const struct shw_image *image,
                         const struct cli_detected *detected)
{
    detecting->searched++;
    detecting->found += detected->found.count;
    json_array_append_new(detecting->images,
                          json_pack("{s:o, s:i, s:i, s:I, s:i, s:f}", "image", shw_json_text(which->path), "width",
                                    (int)image->width, "height", (int)image->height, "windows",
                                    (json_int_t)detected->window_count, "detections", (int)detected->found.count,
                                    "seconds", detected->seconds));
}

static enum shw_result search(struct cli_detecting *detecting, const struct cli_image *which)
{
    const struct shw_log log = cli_log(&detecting->report);
    struct shw_image_file file;
    struct cli_detected detected;
    enum shw_result result;

    SHW_PROPAGATE(shw_image_file_read(which->path, &detecting->params, &log, &file));
    result = cli_detect_run(detecting, which->path, &file.image, &detected);
    if (result == SHW_OK)
        result = keep_matched(detecting, which, &file.image, &detected);
    if (result == SHW_OK)
        report_image(detecting, which, &file.image, &detected);
    cli_detected_free(&detected);
    shw_image_file_free(&file);
    return result;
}

/* The images have one range: if none is chosen, that of the first one that can be read, if it wants one. */
static void settle_choice(struct cli_detecting *detecting, const struct cli_image_list *images)
{
    const struct shw_log log = cli_log(&detecting->report);

    detecting->params.of_group = images->count > 1;
    detecting->report.failed = true; /* what is wrong with an image is told when it is read */
    for (uint32_t i = 0; i < images->count; i++)
        if (shw_image_choice_settle(&detecting->params.choice, images->list[i].path, &log) == SHW_OK)
            break;
}

void cli_detect_images(struct cli_detecting *detecting, const struct cli_image_list *images)
{
    const double start = shw_clock();

    settle_choice(detecting, images);
    for (uint32_t i = 0; i < images->count; i++) {
        enum shw_result result;
        double seconds;
        char text[160];

        detecting->report.failed = false;
        result = search(detecting, &images->list[i]);
        if (result != SHW_OK) {
            detecting->failed++;
            detecting->code = shw_exit_code(result);
        }
        seconds = shw_clock() - start;
        snprintf(text, sizeof text, "image %u of %u, %.1f images/s", i + 1, images->count, (i + 1) / seconds);
        if (images->count > 1)
            cli_progress(&detecting->report, (double)(i + 1) / images->count, text);
    }
    cli_progress_end();
}
