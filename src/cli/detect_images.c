#include "cli/detect.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/class.h"
#include "base/file_bytes.h"
#include "base/integers.h"
#include "base/json_text.h"
#include "base/log.h"
#include "cli/report.h"
#include "files/image/draw.h"
#include "files/image/image_file.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"

/* Numbers of class colours (base/class.h) that people with any kind of colour blindness can tell apart. */
enum { UNKNOWN = 0, RIGHT = 2, MISSED = 3, WRONG = 5 };

static const double pi = 3.14159265358979323846;

/* The sides of a square turned around its centre. */
static void draw_turned(const struct shw_canvas *canvas, const struct shw_detection *item, uint32_t thickness,
                        const uint8_t colour[3])
{
    const double turn = 2.0 * pi * item->angle / 32.0, half_x = item->width / 2.0, half_y = item->height / 2.0;
    int64_t corners[4][2];

    for (int i = 0; i < 4; i++) {
        double x = i == 0 || i == 3 ? -half_x : half_x, y = i < 2 ? -half_y : half_y;
        /* counter-clockwise as seen, with y down */
        corners[i][0] = llround(item->x + half_x + x * cos(turn) + y * sin(turn));
        corners[i][1] = llround(item->y + half_y - x * sin(turn) + y * cos(turn));
    }
    for (int i = 0; i < 4; i++)
        shw_draw_line(canvas, corners[i][0], corners[i][1], corners[(i + 1) % 4][0], corners[(i + 1) % 4][1], thickness,
                      colour);
}

/* In a box of the colour above the rectangle, or inside it at the image's upper border. */
static void draw_label(const struct shw_canvas *canvas, int64_t x, int64_t y, const char *text, uint32_t scale,
                       const uint8_t colour[3])
{
    static const uint8_t inks[2][3] = {{255, 255, 255}, {0, 0, 0}};
    const uint32_t light = 299u * colour[0] + 587u * colour[1] + 114u * colour[2];
    const int64_t width = shw_text_width(text, scale) + scale, height = shw_text_height(scale) + scale;
    const int64_t left = shw_clamp_i64(x, 0, shw_clamp_i64(canvas->width - width, 0, canvas->width));
    const int64_t top = shw_clamp_i64(y - height, 0, shw_clamp_i64(canvas->height - height, 0, canvas->height));

    shw_draw_block(canvas, left, top, width, height, colour);
    shw_draw_text(canvas, left + scale, top + scale, text, scale, inks[light > 128000u]);
}

static int colour_of(const struct cli_detect_shown *shown, uint32_t i)
{
    if (shown->matches == NULL || shown->matches[i].ignored)
        return UNKNOWN;
    return shown->matches[i].object != SHW_MATCH_NONE ? RIGHT : WRONG;
}

static void draw_detection(const struct shw_canvas *canvas, const struct cli_detect_shown *shown, uint32_t i,
                           uint32_t thickness, uint32_t scale)
{
    const struct shw_detection *item = &shown->found->items[i];
    uint8_t colour[3];
    char text[32];

    shw_class_colour((uint32_t)colour_of(shown, i), colour);
    if (item->angle != 0)
        draw_turned(canvas, item, thickness, colour);
    else
        shw_draw_rectangle(canvas, item->x, item->y, item->width, item->height, thickness, colour);
    snprintf(text, sizeof text, "%.2f", ldexp(item->score, -(int)shown->fraction_bits));
    draw_label(canvas, item->x, item->y, text, scale, colour);
}

static bool is_found(const struct cli_detect_shown *shown, uint32_t object)
{
    for (uint32_t i = 0; i < shown->found->count; i++)
        if (shown->matches[i].object == object)
            return true;
    return false;
}

/* The image in RGB with rectangles and scores in it, to be freed with free(); NULL if memory is exhausted. */
static uint8_t *detect_draw(const struct shw_image *image, const struct cli_detect_shown *shown)
{
    const struct shw_canvas canvas = {shw_overlay_image(image, NULL, NULL, 0), image->width, image->height};
    const uint32_t side = shw_min_u32(image->width, image->height), thickness = 1 + side / 300, scale = 1 + side / 600;
    uint8_t colour[3];

    if (canvas.rgb == NULL)
        return NULL;
    shw_class_colour(MISSED, colour);
    for (uint32_t k = 0; shown->matches != NULL && k < shown->object_count; k++)
        if (!shown->objects[k].ignored && !is_found(shown, k))
            shw_draw_rectangle(&canvas, shown->objects[k].x, shown->objects[k].y, shown->objects[k].width,
                               shown->objects[k].height, thickness, colour);
    for (uint32_t i = shown->found->count; i-- > 0;) /* the best ones on top */
        draw_detection(&canvas, shown, i, thickness, scale);
    return canvas.rgb;
}

#define LIST_BYTES (UINT64_C(1) << 26)

static bool is_list(const char *path)
{
    return shw_name_ends_with(path, ".txt") && !cli_is_image(path);
}

/* Adds what a line of a list names, relative to the folder of the list. */
static int add_line(struct cli_detecting *detecting, const char *list, unsigned number, const char *name,
                    struct shw_image_paths *images, struct shw_image_list *videos)
{
    char *folder = strndup(list, (size_t)(shw_path_last(list) - list));
    char *path = folder != NULL ? shw_path_in(folder, name) : NULL;
    int code = path != NULL ? SHW_CONTINUE : cli_fail(&detecting->report, "not enough memory for the names of images");

    if (code == SHW_CONTINUE && !shw_image_has_file(path))
        code = cli_fail(&detecting->report, "%s, line %u: there is no file %s", list, number, path);
    else if (code == SHW_CONTINUE && cli_is_video(path))
        code = cli_list_video(&detecting->report, path, videos);
    else if (code == SHW_CONTINUE && !shw_image_paths_add(images, "", path))
        code = cli_fail(&detecting->report, "not enough memory for the names of images");
    free(folder);
    free(path);
    return code;
}

/* A list has a path per line; empty lines and those that begin with # are skipped. */
static int add_list(struct cli_detecting *detecting, const char *list, struct shw_image_paths *images,
                    struct shw_image_list *videos)
{
    static const char space[] = " \t\r\f\v";
    const struct shw_log log = cli_log(&detecting->report);
    struct shw_file_bytes file;
    char *text, *rest;
    int code = SHW_CONTINUE;

    if (shw_file_bytes_read(list, LIST_BYTES, &log, &file) != SHW_OK)
        return SHW_EXIT_FAILURE;
    text = strndup((const char *)file.bytes, file.size);
    shw_file_bytes_free(&file);
    if (text == NULL)
        return cli_fail(&detecting->report, "not enough memory for %s", list);
    rest = text;
    for (unsigned number = 1; rest != NULL && code == SHW_CONTINUE; number++) {
        char *line = strsep(&rest, "\n");
        size_t length;

        line += strspn(line, space);
        for (length = strlen(line); length > 0 && strchr(space, line[length - 1]) != NULL; length--)
            line[length - 1] = '\0';
        if (line[0] != '\0' && line[0] != '#')
            code = add_line(detecting, list, number, line, images, videos);
    }
    free(text);
    return code;
}

int cli_detect_list(const struct shw_command *command, struct cli_detecting *detecting, char **arguments, int count,
                    struct shw_image_list *images, struct shw_image_list *videos)
{
    struct shw_image_paths paths = {0};
    int code = SHW_CONTINUE;

    for (int i = 0; i < count && code == SHW_CONTINUE; i++)
        if (is_list(arguments[i]))
            code = add_list(detecting, arguments[i], &paths, videos);
        else if (cli_is_video(arguments[i]))
            code = cli_list_video(&detecting->report, arguments[i], videos);
        else if (!shw_image_paths_add(&paths, "", arguments[i]))
            code = cli_fail(&detecting->report, "not enough memory for the names of images");
    if (code == SHW_CONTINUE && paths.count > 0)
        code = cli_list_images(command, &detecting->report, paths.paths, (int)paths.count,
                               &(struct shw_image_list_params){.page = detecting->page,
                                                               .shard = detecting->resume.shard,
                                                               .files = cli_parts_files(&detecting->parts)},
                               images);
    if (code == SHW_CONTINUE && count > 0 && images->count + images->whole.count + videos->count == 0)
        code = shw_usage_error(command, "there are no images in %s", arguments[0]);
    shw_image_paths_free(&paths);
    return code;
}

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

/* Finds objects in an image of the file `path`. Free in either case. Errors: those of the detector, logged. */
static enum shw_result detect_run(struct cli_detecting *detecting, const char *path, const struct shw_image *image,
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

static void detected_free(struct cli_detected *detected)
{
    free(detected->windows.items);
    free(detected->found.items);
    *detected = (struct cli_detected){0};
}

/* Where the results of an image or a video are, below the output folder, to be freed with free(); NULL if memory is
 * exhausted. */
static char *detect_place(const struct cli_detecting *detecting, const struct shw_image_entry *image,
                          const char *ending)
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

char *cli_detect_picture_path(const struct cli_detecting *detecting, const struct shw_image_entry *image)
{
    return detect_place(detecting, image, "_detections.png");
}

struct shw_detection_wanted cli_detect_wanted(const struct cli_detecting *detecting)
{
    return (struct shw_detection_wanted){detecting->options.csv, detecting->options.coco, detecting->raw};
}

static int add_image(struct cli_detecting *detecting, const struct shw_image_entry *image, bool up_to_date)
{
    char *path = cli_detect_picture_path(detecting, image);
    int code = SHW_CONTINUE;

    if (path == NULL)
        return cli_fail(&detecting->report, "not enough memory for the names of files");
    if (!detecting->no_pictures && !up_to_date) {
        code = strchr(image->place, '/') != NULL ? make_folder(detecting, path) : SHW_CONTINUE;
        shw_output_files_write(&detecting->outputs, path, &shw_file_detections);
    }
    shw_output_files_read(&detecting->outputs, image->path);
    free(path);
    return code;
}

static bool owns(const void *resume, const char *path)
{
    return shw_resume_owns(resume, path);
}

/* A shard has none; with a journal, those of earlier calls are known. */
static enum shw_result add_tables(struct cli_detecting *detecting)
{
    struct shw_resume *resume = &detecting->resume;
    char *prefix;
    json_t *columns;
    enum shw_result result;

    if (resume->shard.count > 0)
        return SHW_OK;
    if (resume->journal != NULL) {
        columns = resume->kind->columns(detecting);
        result =
            shw_result_tables_list(resume->kind->tables, columns, detecting->output, owns, resume, &detecting->outputs);
        json_decref(columns);
        return result;
    }
    prefix = shw_path_join(detecting->output, "/", "");
    result = prefix != NULL ? shw_detection_tables_name(&detecting->tables, prefix, cli_detect_wanted(detecting),
                                                        &detecting->outputs)
                            : shw_fail_memory(&resume->log, "the names of files");
    free(prefix);
    return result;
}

int cli_detect_add_images(struct cli_detecting *detecting, const struct shw_image_list *images)
{
    int code = add_tables(detecting) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;

    for (uint32_t i = 0; code == SHW_CONTINUE && i < images->count; i++)
        code = add_image(detecting, &images->list[i], shw_resume_is_up_to_date(&detecting->resume, i));
    if (code == SHW_CONTINUE && detecting->truth.path != NULL)
        code = cli_truth_name_files(&detecting->report, &detecting->truth, detecting->output, &detecting->outputs);
    return code;
}

static enum shw_result write_picture(struct cli_detecting *detecting, const struct shw_image_entry *which,
                                     const struct shw_image *image, const struct cli_detect_shown *shown)
{
    const struct shw_log log = cli_log(&detecting->report);
    char *path = cli_detect_picture_path(detecting, which);
    uint8_t *pixels = path != NULL ? detect_draw(image, shown) : NULL;
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
static enum shw_result keep(struct cli_detecting *detecting, const struct shw_image_entry *which,
                            const struct shw_image *image, const struct cli_detected *detected,
                            const struct cli_true_objects *objects, struct shw_match *matches,
                            const struct shw_resume_stamp *stamp)
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
    if (detecting->resume.journal != NULL)
        return shw_resume_add(&detecting->resume, which, stamp,
                              shw_detection_rows_pack(&detected->found, &detected->windows));
    shw_detection_tables_add(
        &detecting->tables, &place, cli_truth_image_id(&detecting->truth, objects, detecting->searched),
        detecting->truth.path != NULL ? detecting->truth.category : 1, &detected->found, &detected->windows);
    return SHW_OK;
}

static enum shw_result keep_matched(struct cli_detecting *detecting, const struct shw_image_entry *which,
                                    const struct shw_image *image, const struct cli_detected *detected,
                                    const struct shw_resume_stamp *stamp)
{
    const struct shw_log log = cli_log(&detecting->report);
    struct cli_true_objects objects = {.image = UINT32_MAX};
    struct shw_match *matches = malloc((detected->found.count + (size_t)1) * sizeof *matches);
    enum shw_result result = matches != NULL ? SHW_OK : shw_fail_memory(&log, which->path);

    if (result == SHW_OK && detecting->truth.path != NULL)
        result = cli_truth_find(&detecting->truth, which, image->width, image->height, &log, &objects);
    if (result == SHW_OK)
        result = keep(detecting, which, image, detected, &objects, matches, stamp);
    free(objects.objects);
    free(matches);
    return result;
}

static void report_image(struct cli_detecting *detecting, const struct shw_image_entry *which,
                         const struct shw_image *image, const struct cli_detected *detected)
{
    detecting->searched++;
    detecting->found += detected->found.count;
    json_array_append_new(detecting->images,
                          json_pack("{s:o, s:i, s:i, s:I, s:i, s:f}", "image", shw_json_text(which->path), "width",
                                    (int)image->width, "height", (int)image->height, "windows",
                                    (json_int_t)detected->window_count, "detections", (int)detected->found.count,
                                    "seconds", detected->seconds));
}

static enum shw_result search(struct cli_detecting *detecting, const struct shw_image_entry *which)
{
    const struct shw_log log = cli_log(&detecting->report);
    struct shw_resume_stamp stamp = {{""}, {""}};
    struct shw_image_file file;
    struct cli_detected detected;
    enum shw_result result;

    if (detecting->resume.journal != NULL)
        stamp = shw_resume_stamp(&detecting->resume, which->path);
    SHW_PROPAGATE(shw_image_file_read(which->path, &detecting->params, &log, &file));
    result = detect_run(detecting, which->path, &file.image, &detected);
    if (result == SHW_OK)
        result = keep_matched(detecting, which, &file.image, &detected, &stamp);
    if (result == SHW_OK)
        report_image(detecting, which, &file.image, &detected);
    detected_free(&detected);
    shw_image_file_free(&file);
    return result;
}

/* An image that is up to date. */
static enum shw_result pass_over(struct cli_detecting *detecting, const struct shw_image_entry *image, uint32_t i)
{
    SHW_PROPAGATE(shw_resume_renew(&detecting->resume, image, i));
    detecting->up_to_date++;
    json_array_append_new(detecting->images,
                          json_pack("{s:o, s:b}", "image", shw_json_text(image->path), "up_to_date", 1));
    return SHW_OK;
}

void cli_detect_images(struct cli_detecting *detecting, const struct shw_image_list *images, bool *done)
{
    const struct shw_log log = cli_log(&detecting->report);
    const double start = shw_clock();

    detecting->params.of_group = images->count > 1 || images->whole.count > 1;
    if (detecting->resume.journal == NULL)
        shw_image_list_settle_choice(images, &detecting->params.choice, &log);
    for (uint32_t i = 0; i < images->count; i++) {
        enum shw_result result;
        double seconds;
        char text[160];

        detecting->report.failed = false;
        result = shw_resume_is_up_to_date(&detecting->resume, i) ? pass_over(detecting, &images->list[i], i)
                                                                 : search(detecting, &images->list[i]);
        done[i] = result == SHW_OK;
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

/* A video that is being searched. */
struct searching {
    struct cli_detecting *detecting;
    const struct shw_image_entry *which;
    struct shw_video_reader *reader;
    struct shw_detection_tables tables;
    char *path; /* of the video that is written */
    struct shw_atomic_file written;
    struct shw_video_file *file;
    uint32_t width, height;
    uint64_t frames, found, windows;
    double start, seconds; /* `seconds`: of detection */
};

/* In the container of the input video if that can be written. */
static char *video_path(const struct cli_detecting *detecting, const struct shw_image_entry *video)
{
    char ending[32];

    snprintf(ending, sizeof ending, "_detections%s",
             shw_video_can_be_written(video->path) ? strrchr(video->path, '.') : ".mkv");
    return detect_place(detecting, video, ending);
}

static enum shw_result name_tables(struct cli_detecting *detecting, const struct shw_image_entry *video,
                                   struct shw_output_files *files, struct shw_detection_tables *tables)
{
    const struct shw_detection_wanted wanted = {detecting->options.csv, detecting->options.coco, detecting->raw};
    char *prefix = detect_place(detecting, video, "_");
    enum shw_result result = prefix != NULL ? shw_detection_tables_name(tables, prefix, wanted, files)
                                            : shw_fail_memory(&detecting->outputs.log, "the names of files");

    free(prefix);
    return result;
}

static int add_video(struct cli_detecting *detecting, const struct shw_image_entry *video)
{
    struct shw_detection_tables tables = {0};
    enum shw_result result = name_tables(detecting, video, &detecting->outputs, &tables);
    char *path = video_path(detecting, video);

    if (result == SHW_OK && path == NULL)
        result = shw_fail_memory(&detecting->outputs.log, "the names of files");
    if (result == SHW_OK && !detecting->no_pictures)
        shw_output_files_write(&detecting->outputs, path, &shw_file_video);
    shw_output_files_read(&detecting->outputs, video->path);
    shw_detection_tables_free(&tables);
    free(path);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

int cli_detect_add_videos(struct cli_detecting *detecting, const struct shw_image_list *videos)
{
    int code = SHW_CONTINUE;

    for (uint32_t i = 0; code == SHW_CONTINUE && i < videos->count; i++)
        code = add_video(detecting, &videos->list[i]);
    return code;
}

/* The file has the size of the first frame. */
static enum shw_result need_file(struct searching *searching, const struct shw_image *image)
{
    const struct shw_log log = cli_log(&searching->detecting->report);
    struct shw_video_params params = {.path = searching->path,
                                      .width = image->width,
                                      .height = image->height,
                                      .frame_rate = shw_video_frame_rate(searching->reader)};

    if (searching->file != NULL)
        return shw_video_check_size(searching->file, image->width, image->height);
    SHW_PROPAGATE(shw_atomic_file_open(&searching->written, searching->path, &log));
    params.stream = searching->written.stream;
    return shw_video_create(&params, &log, &searching->file);
}

static enum shw_result draw(struct searching *searching, const struct shw_video_frame *frame,
                            const struct cli_detected *detected)
{
    const struct shw_log log = cli_log(&searching->detecting->report);
    const struct cli_detect_shown shown = {.found = &detected->found,
                                           .fraction_bits = searching->detecting->info->fraction_bits};
    uint8_t *pixels;
    enum shw_result result;

    SHW_PROPAGATE(need_file(searching, &frame->image));
    pixels = detect_draw(&frame->image, &shown);
    result = pixels != NULL ? shw_video_add(searching->file, pixels, frame->seconds)
                            : shw_fail_memory(&log, searching->which->path);
    free(pixels);
    return result;
}

static enum shw_result search_frame(struct searching *searching, const struct shw_video_frame *frame)
{
    struct cli_detecting *detecting = searching->detecting;
    const struct shw_detection_place place = {.name = searching->which->path,
                                              .frame = searching->frames,
                                              .milliseconds =
                                                  (uint32_t)fmin(fmax(round(frame->seconds * 1e3), 0.0), 4e9)};
    struct cli_detected detected;
    enum shw_result result = detect_run(detecting, searching->which->path, &frame->image, &detected);

    if (result == SHW_OK && !detecting->no_pictures)
        result = draw(searching, frame, &detected);
    if (result == SHW_OK) {
        shw_detection_tables_add(&searching->tables, &place, (int64_t)searching->frames + 1, 1, &detected.found,
                                 &detected.windows);
        searching->width = frame->image.width;
        searching->height = frame->image.height;
        searching->frames++;
        searching->found += detected.found.count;
        searching->windows += detected.window_count;
        searching->seconds += detected.seconds;
    }
    detected_free(&detected);
    return result;
}

static void show_progress(const struct searching *searching, double position)
{
    const double duration = shw_video_duration(searching->reader), seconds = shw_clock() - searching->start;
    char text[160];

    snprintf(text, sizeof text, "frame %llu, %.1f frames/s", (unsigned long long)searching->frames,
             (double)searching->frames / seconds);
    if (duration > 0.0)
        cli_progress(&searching->detecting->report, fmin(position / duration, 0.999), text);
}

static enum shw_result search_frames(struct searching *searching)
{
    struct shw_video_frame frame;

    for (;;) {
        enum shw_result result = shw_video_next(searching->reader, &frame);

        if (result != SHW_OK || frame.image.pixels == NULL)
            return result;
        result = search_frame(searching, &frame);
        free((void *)(uintptr_t)frame.image.pixels);
        if (result != SHW_OK)
            return result;
        show_progress(searching, frame.seconds);
    }
}

/* The files get their names, all of them complete. */
static enum shw_result complete(struct searching *searching)
{
    const struct cli_detecting *detecting = searching->detecting;
    const struct shw_log log = detecting->outputs.log;

    if (searching->file != NULL) {
        SHW_PROPAGATE(shw_video_close(&searching->file));
        SHW_PROPAGATE(shw_output_files_look_again(&detecting->outputs, searching->path));
        SHW_PROPAGATE(shw_atomic_file_commit(&searching->written, &log));
    }
    return shw_detection_tables_commit(&searching->tables, &detecting->outputs, &log);
}

static void report_video(const struct searching *searching)
{
    struct cli_detecting *detecting = searching->detecting;

    detecting->searched_videos++;
    detecting->frames += searching->frames;
    detecting->found += searching->found;
    json_array_append_new(detecting->videos,
                          json_pack("{s:o, s:i, s:i, s:I, s:I, s:I, s:f}", "video",
                                    shw_json_text(searching->which->path), "width", (int)searching->width, "height",
                                    (int)searching->height, "frames", (json_int_t)searching->frames, "windows",
                                    (json_int_t)searching->windows, "detections", (json_int_t)searching->found,
                                    "seconds", searching->seconds));
}

static enum shw_result search_video(struct searching *searching)
{
    struct cli_detecting *detecting = searching->detecting;
    const struct shw_detection_columns columns = {.frames = true, .fraction_bits = detecting->info->fraction_bits};
    const struct shw_log log = cli_log(&detecting->report);
    struct shw_output_files unchecked = {.log = log}; /* they were checked at the start */
    enum shw_result result = name_tables(detecting, searching->which, &unchecked, &searching->tables);

    shw_output_files_free(&unchecked);
    SHW_PROPAGATE(result);
    searching->path = video_path(detecting, searching->which);
    if (searching->path == NULL)
        return shw_fail_memory(&log, searching->which->path);
    SHW_PROPAGATE(shw_video_open(searching->which->path, &log, &searching->reader));
    SHW_PROPAGATE(shw_detection_tables_open(&searching->tables, &columns, &log));
    SHW_PROPAGATE(search_frames(searching));
    SHW_PROPAGATE(complete(searching));
    report_video(searching);
    return SHW_OK;
}

void cli_detect_videos(struct cli_detecting *detecting, const struct shw_image_list *videos)
{
    for (uint32_t i = 0; i < videos->count; i++) {
        struct searching searching = {.detecting = detecting, .which = &videos->list[i], .start = shw_clock()};
        enum shw_result result;

        detecting->report.failed = false;
        result = search_video(&searching);
        if (result != SHW_OK) {
            detecting->failed++;
            /* the video is unsupported, not the device */
            detecting->code = result == SHW_ERROR_UNSUPPORTED ? SHW_EXIT_FAILURE : shw_exit_code(result);
        }
        shw_video_close(&searching.file);
        shw_atomic_file_abandon(&searching.written);
        shw_detection_tables_free(&searching.tables);
        shw_video_close_reader(&searching.reader);
        free(searching.path);
        cli_progress_end();
    }
}
