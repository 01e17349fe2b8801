/* Reading videos with FFmpeg's libraries: files, network streams and devices. */
#ifndef SHW_FILES_VIDEO_DECODER_H
#define SHW_FILES_VIDEO_DECODER_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/frame.h>
#include <libswscale/swscale.h>
#include <stdatomic.h>
#include <stdbool.h>

#include <shadewood/image.h>
#include <shadewood/log.h>

/* Converts decoded frames of one kind to images. Zero: none yet. */
struct shw_frame_converter {
    struct SwsContext *scaler;
    int width, height, format, colour_space, colour_range;
};
void shw_frame_converter_free(struct shw_frame_converter *converter);

/* Makes an image, whose pixels are to be freed with free(): RGB8, GREY16 with the stored values of 16-bit grey, or
 * RGB16 of the full range if another sample has more than 8 bits. A frame gives the same bits on every machine
 * (libswscale's exact arithmetic, with colour interpolated at full resolution). Unless the frame says otherwise, grey
 * is full range and colour limited range. `orientation`, as in EXIF, is that of the frame, and the image is upright.
 * `name` is for messages. Errors, logged: FORMAT, LIMIT, MEMORY. */
enum shw_result shw_frame_image(struct shw_frame_converter *converter, const AVFrame *frame, unsigned orientation,
                                const char *name, const struct shw_log *log, struct shw_image *image);

/* The orientation, 1 to 8 as in EXIF, that a container's display matrix asks for; 1 for NULL. Only turns by right
 * angles and mirroring are supported. */
unsigned shw_matrix_orientation(const int32_t matrix[9]);

/* Which streams of a video have its pictures and their depth. */

/* Pictures: the best stream of those that are not 16-bit grey, or of all if they all are. Depth: one of 16-bit grey,
 * the first that is called so if there are several. Returns its number, with the decoder, or an AVERROR code. */
int shw_track_find(AVFormatContext *container, bool depth, const AVCodec **codec);

/* Decoding the pictures of a video file, a network stream or a video device with FFmpeg's libraries. */

/* What is special about a device. */
struct shw_decoder_device {
    void *user;
    const char *format; /* by libavdevice's name */
    /* Options for avformat_open_input(). Returns an AVERROR code or 0. */
    int (*options)(void *user, AVDictionary **options);
    void (*opened)(void *user); /* perhaps again */
    /* Reads a packet, without waiting for long; false: there is none yet, or is_lost(). */
    bool (*read)(void *user, AVFormatContext *container, enum AVCodecID codec, AVPacket *packet);
    bool (*is_lost)(void *user); /* there will be no more packets */
    /* Notes a picture with that timestamp in seconds, or NAN; returns its time since the first one. */
    double (*note)(void *user, double timestamp);
};

/* Zero-initialise it and set what comes first, which is borrowed; then make it. One thread at a time. */
struct shw_decoder {
    const char *url, *name;                  /* `name`: in messages */
    bool depth;                              /* its 16-bit grey pictures are wanted, even if it has others */
    const struct shw_decoder_device *device; /* NULL: it is a file or a stream */
    const atomic_bool *stop; /* when it becomes true, from any thread, everything here ends early; NULL: never */
    struct shw_log log;

    AVFormatContext *container; /* NULL: closed */
    AVCodecContext *codec;
    AVPacket *packet;
    AVFrame *frame;                                    /* with its ticks in `pts` */
    int index;                                         /* of the stream */
    bool draining, told_damage, told_nothing, decoded; /* `decoded`: a frame, at any time */
    bool stopped_early;                                /* reading failed, which was logged, before the end */
    unsigned damaged;                                  /* consecutive pictures */

    /* Set by shw_decoder_describe(). */
    unsigned orientation; /* as in EXIF */
    int64_t first_ticks, last_ticks, frame_ticks;
    double tick_seconds, frame_rate, duration; /* the last two: 0 if unknown */
};

/* Allocates what it needs. Errors: MEMORY. Free it in either case. */
enum shw_result shw_decoder_make(struct shw_decoder *decoder);
void shw_decoder_free(struct shw_decoder *decoder);

/* Opens the file and its decoder, perhaps again. Errors, logged: IO, FORMAT, UNSUPPORTED, MEMORY; CANCELLED. */
enum shw_result shw_decoder_open(struct shw_decoder *decoder);
void shw_decoder_close(struct shw_decoder *decoder);

/* Reads from the open container what holds for all of the video. */
void shw_decoder_describe(struct shw_decoder *decoder);

/* Decodes the next picture into `frame`. False: there is none any more, or the device is lost. */
bool shw_decoder_next(struct shw_decoder *decoder);

/* Forgets what is decoded, after a jump. */
void shw_decoder_flush(struct shw_decoder *decoder);

/* Says, once, that a file which opens has not had a single picture, and must not look like an empty one. Errors: FORMAT
 * if it had none. */
enum shw_result shw_decoder_check_any(struct shw_decoder *decoder);

#endif
