/* What can be read picture by picture. A reader is used by one thread at a time. */
#ifndef VIEW_SOURCE_READER_H
#define VIEW_SOURCE_READER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/dataset.h>
#include <shadewood/log.h>

#include "image/image_paths.h"
#include "source/other_inputs.h"
#include "source/picture.h"

/* A picture and its place. Ticks order the pictures of a reader. */
struct view_reading {
    struct view_picture *picture;
    int64_t ticks;
};

struct view_reader {
    void *user;
    /* The picture after the one read before. At the end, and when a logged error leaves nothing more to
     * read, reading->picture is NULL. Errors: all told; a picture that cannot be read is passed over and is no
     * error. */
    enum shw_result (*next)(void *user, struct view_reading *reading);
    /* The last picture not after `ticks`, or the first one. Those that cannot be read are passed over towards the end,
     * or with `back` towards the start. NULL as above. A camera has none. */
    enum shw_result (*at)(void *user, int64_t ticks, bool back, struct view_reading *reading);
    const char *(*name)(void *user,
                        uint32_t index); /* of picture `index` below count; NULL where count is 0. From any thread */
    void (*close)(void *user);

    int64_t first_ticks;
    double tick_seconds;
    double duration, frame_rate;     /* 0 where unknown */
    uint32_t count;                  /* 0: not pictures one by one */
    const struct shw_class *classes; /* owned by the reader; NULL: none */
    uint32_t class_count;
};

/* Image files by path; takes the paths over, and frees them when it fails, too. `others` must outlive the reader. A
 * picture is one that cannot be read, too, if a file of its other inputs cannot. Errors: MEMORY. */
enum shw_result view_read_files(struct shw_image_paths *paths, const struct view_other_inputs *others,
                                const struct shw_log *log, struct view_reader *reader);

/* A data set, of `others` with the frames before. Errors: those of shw_dataset_open(). */
struct shw_dataset_params;
enum shw_result view_read_dataset(const struct shw_dataset_params *params, const struct view_other_inputs *others,
                                  const struct shw_log *log, struct view_reader *reader);

/* What libavformat and libavdevice open. `stop` ends reading early when it becomes true, from any thread; it must
 * outlive the reader. Errors, logged: IO, FORMAT, LIMIT, UNSUPPORTED, MEMORY. */
struct view_stream_params {
    const char *url;
    const char *name; /* for messages and pictures */
    bool device;      /* a video device, not a file */
    atomic_bool *stop;
    const struct view_other_inputs *others; /* of these the frames before; must outlive the reader */
    const struct shw_log *log;
};
enum shw_result view_read_stream(const struct view_stream_params *params, struct view_reader *reader);

/* The same for a file, as a camera would show it: next() waits until the picture is due, and begins again after the
 * last one. */
enum shw_result view_read_camera_file(const struct view_stream_params *params, struct view_reader *reader);

#endif
