#include "files/video/video_read.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/io/image_paths.h"
#include "files/video/decoder.h"
#include "files/video/frame_image.h"

struct shw_video_reader {
    struct shw_decoder decoder;
    struct shw_frame_converter converter;
    char *url, *name;
};

enum shw_result shw_video_open(const char *path, const struct shw_log *log, struct shw_video_reader **handle)
{
    struct shw_video_reader *reader = calloc(1, sizeof *reader);
    enum shw_result result = SHW_ERROR_MEMORY;

    *handle = NULL;
    if (reader == NULL)
        return shw_fail_memory(log, path);
    reader->url = shw_path_join("file:", path, ""); /* a name may have a colon */
    reader->name = strdup(path);
    reader->decoder = (struct shw_decoder){.url = reader->url, .name = reader->name, .log = *log};
    if (reader->url == NULL || reader->name == NULL)
        SHW_TRY(shw_fail_memory(log, path));
    SHW_TRY(shw_decoder_make(&reader->decoder));
    SHW_TRY(shw_decoder_open(&reader->decoder));
    shw_decoder_describe(&reader->decoder);
    *handle = reader;
    return SHW_OK;

fail:
    shw_video_close_reader(&reader);
    return result;
}

double shw_video_frame_rate(const struct shw_video_reader *reader)
{
    return reader->decoder.frame_rate;
}

double shw_video_duration(const struct shw_video_reader *reader)
{
    return reader->decoder.duration;
}

enum shw_result shw_video_next(struct shw_video_reader *reader, struct shw_video_frame *frame)
{
    struct shw_decoder *decoder = &reader->decoder;
    enum shw_result result;

    *frame = (struct shw_video_frame){0};
    if (!shw_decoder_next(decoder))
        return decoder->stopped_early ? SHW_ERROR_IO : shw_decoder_check_any(decoder);
    result = shw_frame_image(&reader->converter, decoder->frame, decoder->orientation, decoder->name, &decoder->log,
                             &frame->image);
    frame->seconds = (double)(decoder->frame->pts - decoder->first_ticks) * decoder->tick_seconds;
    av_frame_unref(decoder->frame);
    return result;
}

void shw_video_close_reader(struct shw_video_reader **handle)
{
    struct shw_video_reader *reader = *handle;

    *handle = NULL;
    if (reader == NULL)
        return;
    shw_decoder_free(&reader->decoder);
    shw_frame_converter_free(&reader->converter);
    free(reader->url);
    free(reader->name);
    free(reader);
}
