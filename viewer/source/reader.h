/* Readers of pictures. A reader is used by one thread at a time. */
#ifndef VIEW_SOURCE_READER_H
#define VIEW_SOURCE_READER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "files/io/image_paths.h"
#include "source/picture.h"

/* A picture and its position. Ticks order the pictures of a reader. */
struct view_reading {
    struct view_picture *picture;
    int64_t ticks;
};

struct view_reader {
    void *user;
    /* Reads the next picture. At the end, or when a logged error leaves nothing to read, reading->picture is NULL. All
     * errors are logged; pictures that cannot be read are skipped without an error. */
    enum shw_result (*next)(void *user, struct view_reading *reading);
    /* Reads the last picture not after `ticks`, or the first one. Skips pictures that cannot be read, towards the end
     * or, with `back`, towards the start. NULL as above. Cameras do not have this. */
    enum shw_result (*at)(void *user, int64_t ticks, bool back, struct view_reading *reading);
    /* Reads picture `index` below count, and no other; NULL: it cannot be read, which is logged. NULL if count is 0. */
    struct view_picture *(*one)(void *user, uint32_t index);
    /* Reads the picture at `ticks` in advance, without messages; NULL: that does not help. */
    void (*warm)(void *user, int64_t ticks);
    const char *(*name)(void *user,
                        uint32_t index);       /* for picture `index` below count; NULL if count is 0. Any thread */
    char *(*file)(void *user, uint32_t index); /* as above: the image file of its colours, to be freed; NULL: memory */
    /* Calls `visit` with the paths of all files of its pictures; NULL: there is but the file that was opened. Errors:
     * MEMORY. Any thread. */
    enum shw_result (*list_files)(void *user, void (*visit)(void *to, const char *path), void *to);
    void (*close)(void *user);

    int64_t first_ticks;
    double tick_seconds;
    double duration, frame_rate;     /* 0 if unknown */
    bool has_depth;                  /* a video with a track of 16-bit grey besides its pictures */
    uint32_t count;                  /* 0: pictures have no numbers */
    const struct shw_class *classes; /* owned by the reader; NULL: none */
    uint32_t class_count;
};

/* How image files are read, for the two below. What is pointed to must outlive the reader. */
struct view_files_params {
    const struct view_other_inputs *others; /* of data sets, the previous frames */
    struct view_choice *choice;             /* which is asked for each picture */
    bool pages;                             /* all pages of the files are pictures */
    bool depth;                             /* of files: those that are not 16-bit grey are refused */
    bool recent;                            /* the last ones read are kept */
    const atomic_bool *stop;                /* set by any thread, ends reading early; NULL: never */
    const struct shw_log *log;
};

/* Image files by path (files/io/image_paths.h); takes ownership of the paths even if it fails. A picture whose other
 * inputs cannot be read counts as unreadable. Errors: MEMORY; FORMAT if `depth` is wanted and the first is none. */
enum shw_result view_read_files(struct shw_image_paths *paths, const struct view_files_params *params,
                                struct view_reader *reader);

/* A data set. Errors: those of shw_dataset_open(). */
struct shw_dataset_params;
enum shw_result view_read_dataset(const struct shw_dataset_params *dataset, const struct view_files_params *params,
                                  struct view_reader *reader);

/* What a video device is asked for. */
struct view_camera_choice {
    uint32_t width, height; /* 0 x 0: as the device is set */
    double rate;            /* pictures per second; 0: as the device is set */
    char format[16];        /* of its pixels, as FFmpeg calls it; "": any */
};

/* What libavformat and libavdevice can open. Of a device only the newest picture is read; one that vanishes is opened
 * again when it is back. Setting `stop`, from any thread, ends reading early; it must outlive the
 * reader. Errors, logged: IO, FORMAT, LIMIT, UNSUPPORTED, MEMORY. */
struct view_stream_params {
    const char *url;
    const char *name;                 /* for messages and pictures */
    bool device;                      /* a video device, not a file */
    bool depth;                       /* its 16-bit grey pictures are wanted, even if it has others */
    struct view_camera_choice choice; /* of a device */
    atomic_bool *stop;
    const struct view_other_inputs *others; /* must outlive the reader; of its files, view_read_video() reads depth */
    const struct shw_log *log;
};
enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader);

/* The same for a file or a network stream; its pictures come with depth if it has a track of that, or if a file of
 * params->others has. */
enum shw_result view_read_video(const struct view_stream_params *params, struct view_reader *reader);

/* Whether a video can have these inputs: depth, if that `may` be a file. Errors, logged: ARGUMENT. */
enum shw_result view_check_video_inputs(const struct view_other_inputs *others, bool may, const char *name,
                                        const struct shw_log *log);

/* The same for a file used as a camera: next() waits until the picture is due, and begins again after the last one. */
enum shw_result view_read_camera_file(const struct view_stream_params *params, struct view_reader *reader);

#endif
