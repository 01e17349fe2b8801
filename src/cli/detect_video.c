#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "cli/detecting.h"
#include "files/io/image_name.h"
#include "files/io/image_paths.h"
#include "files/io/json_text.h"
#include "files/video/video_name.h"
#include "files/video/video_read.h"
#include "files/video/video_write.h"

/* A video that is being searched. */
struct searching {
    struct cli_detecting *detecting;
    const struct cli_image *which;
    struct shw_video_reader *reader;
    struct cli_detect_tables tables;
    char *path; /* of the video that is written */
    struct shw_atomic_file written;
    struct shw_video_file *file;
    uint32_t width, height;
    uint64_t frames, found, windows;
    double start, seconds; /* `seconds`: of detection */
};

/* With the container of the video if that can be written. */
static char *video_path(const struct cli_detecting *detecting, const struct cli_image *video)
{
    char ending[32];

    snprintf(ending, sizeof ending, "_detections%s",
             shw_video_can_be_written(video->path) ? strrchr(video->path, '.') : ".mkv");
    return cli_detect_place(detecting, video, ending);
}

static enum shw_result name_tables(struct cli_detecting *detecting, const struct cli_image *video,
                                   struct shw_output_files *files, struct cli_detect_tables *tables)
{
    const struct cli_detect_wanted wanted = {detecting->options.csv, detecting->options.coco, detecting->raw};
    char *prefix = cli_detect_place(detecting, video, "_");
    enum shw_result result = prefix != NULL ? cli_detect_tables_name(tables, prefix, wanted, files)
                                            : shw_fail_memory(&detecting->outputs.log, "the names of files");

    free(prefix);
    return result;
}

static int add_video(struct cli_detecting *detecting, const struct cli_image *video)
{
    struct cli_detect_tables tables = {0};
    enum shw_result result = name_tables(detecting, video, &detecting->outputs, &tables);
    char *path = video_path(detecting, video);

    if (result == SHW_OK && path == NULL)
        result = shw_fail_memory(&detecting->outputs.log, "the names of files");
    if (result == SHW_OK && !detecting->no_pictures)
        shw_output_files_write(&detecting->outputs, path, &shw_file_video);
    shw_output_files_read(&detecting->outputs, video->path);
    cli_detect_tables_free(&tables);
    free(path);
    return result == SHW_OK ? SHW_CONTINUE : shw_exit_code(result);
}

int cli_detect_add_videos(struct cli_detecting *detecting, const struct cli_image_list *videos)
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
    pixels = cli_detect_draw(&frame->image, &shown);
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
    enum shw_result result = cli_detect_run(detecting, searching->which->path, &frame->image, &detected);

    if (result == SHW_OK && !detecting->no_pictures)
        result = draw(searching, frame, &detected);
    if (result == SHW_OK) {
        cli_detect_tables_add(&searching->tables, &place, (int64_t)searching->frames + 1, 1, &detected.found,
                              &detected.windows);
        searching->width = frame->image.width;
        searching->height = frame->image.height;
        searching->frames++;
        searching->found += detected.found.count;
        searching->windows += detected.window_count;
        searching->seconds += detected.seconds;
    }
    cli_detected_free(&detected);
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
    return cli_detect_tables_commit(&searching->tables, &detecting->outputs, &log);
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
    SHW_PROPAGATE(cli_detect_tables_open(&searching->tables, &columns, &log));
    SHW_PROPAGATE(search_frames(searching));
    SHW_PROPAGATE(complete(searching));
    report_video(searching);
    return SHW_OK;
}

void cli_detect_videos(struct cli_detecting *detecting, const struct cli_image_list *videos)
{
    for (uint32_t i = 0; i < videos->count; i++) {
        struct searching searching = {.detecting = detecting, .which = &videos->list[i], .start = shw_clock()};
        enum shw_result result;

        detecting->report.failed = false;
        result = search_video(&searching);
        if (result != SHW_OK) {
            detecting->failed++;
            /* what is not supported is the video, not the device */
            detecting->code = result == SHW_ERROR_UNSUPPORTED ? SHW_EXIT_FAILURE : shw_exit_code(result);
        }
        shw_video_close(&searching.file);
        shw_atomic_file_abandon(&searching.written);
        cli_detect_tables_free(&searching.tables);
        shw_video_close_reader(&searching.reader);
        free(searching.path);
        cli_progress_end();
    }
}
