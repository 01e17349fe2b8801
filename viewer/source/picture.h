/* Pictures of sources: what comes with them, how their files are read, and which samples are shown as black and
 * white. */
#ifndef VIEW_SOURCE_PICTURE_H
#define VIEW_SOURCE_PICTURE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/channels.h>
#include <shadewood/dataset.h>
#include <shadewood/image.h>
#include <shadewood/log.h>

#include "files/dataset/examples.h"
#include "files/image/image_choice.h"
#include "files/image/image_file.h"
#include "files/image/planes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Samples up to `low` are black, those from `high` on are white. low < high. */
struct view_display_range {
    uint16_t low, high;
};

/* The full range: samples are shown as stored. */

#define VIEW_DISPLAY_RANGE_WHOLE ((struct view_display_range){0, 65535})

/* A range that excludes at most the fraction `cut` (0..0.5) of the samples at either end; alpha is ignored; 8-bit
 * images have the full range. If all samples are equal, the range has two values and begins or ends with theirs. Any
 * thread. Errors: MEMORY, not logged; the range is then the full one. */
#define VIEW_DISPLAY_CUT 0.002 /* of pictures that are shown */
enum shw_result view_display_range_find(const struct shw_image *image, double cut, struct view_display_range *range);

#ifdef __cplusplus
}
#endif

/* How the pictures of a source are read: which channels, and which values are black and white
 * (files/image/image_choice.h). Chosen on the main thread, by the user or a project; where no range is chosen, that of
 * the first picture that wants one is found by the source's thread, and holds for all that follow. Any thread. */
struct view_choice {
    pthread_mutex_t lock;
    struct shw_image_choice chosen;
    struct shw_intensity_range found; /* used while none is chosen */
};

void view_choice_init(struct view_choice *choice, const struct shw_image_choice *chosen);
void view_choice_destroy(struct view_choice *choice);

/* What pictures are to be read with. */
struct shw_image_choice view_choice_get(struct view_choice *choice);

/* Forgets what was found. */
void view_choice_set(struct view_choice *choice, const struct shw_image_choice *chosen);

/* What a picture has been read with: its range is found, unless something else has been chosen since. */
void view_choice_offer(struct view_choice *choice, const struct shw_image_choice *used);

/* Numbers of a plane, from at most 2^16 of its pixels: those that are greater than 0.1 %, 1 %, 99 % and 99.9 % of all
 * that are finite. `own`: the plane is from the picture's own file. */
struct view_plane_numbers {
    float least, low, high, greatest;
    bool own;
};

/* Decoded pictures in host memory: what sources make, and what is shown, labelled and painted on. */
struct view_picture {
    struct shw_image image; /* pixels owned by the picture; rows without padding unless stride says so */
    uint16_t *labels;       /* ground truth, width * height, SHW_LABEL_VOID where unknown; or NULL */
    struct shw_input inputs[SHW_INPUTS_MAX - 1]; /* others than the colour image, without padding; pixels owned */
    uint32_t input_count;
    struct view_plane_numbers numbers[SHW_INPUTS_MAX - 1]; /* of each of these that is a plane */
    struct shw_plane_list planes;    /* that its file has, if these are more than grey or colours; otherwise none */
    struct view_display_range range; /* the 16-bit samples worth showing, as found by the source */
    bool shows_range;                /* it is shown in that range unless the user has chosen one */
    bool is_file;                    /* read from an image file, by `choice`; otherwise that is zero, like the next */
    struct shw_image_choice choice;  /* with the range that it was read with, if it wants one */
    struct shw_image_facts facts;
    double pixel_side;         /* as its file states it, in micrometres; 0: it does not */
    uint32_t page, page_count; /* of its file, from 1; both 0: none is named */
    char *name;                /* of the file, frame or example, for window title and project */
    char *file;                /* of an example of a data set: the image file of its colours; otherwise NULL */
    double seconds;            /* position in a video, otherwise 0 */
    double captured;           /* by a camera: when, in seconds of CLOCK_MONOTONIC; 0: by none */
    uint64_t number;           /* increases with every new picture of a source */
    int64_t ticks;             /* order the pictures of a source */
    uint64_t opened;           /* its source, as a player counts them; 0: it comes from no player */
    uint32_t truth_classes; /* one more than the largest class number in `labels`, from view_picture_count_classes() */
    atomic_uint shares;     /* besides the first */
};

/* What pictures of a source have besides their colour. */
struct view_other_inputs {
    /* Fewer than SHW_INPUTS_MAX. Paths are patterns, {} standing for a picture's name without folder and extension;
     * those of data sets count from their root. Names are kept in pictures, so they must stay for good. */
    const struct shw_input_file *files;
    uint32_t count;
    _Atomic(const struct shw_own_inputs *) own; /* of single image files, instead of those; or NULL. Any thread */
    uint32_t beside; /* further `files` after these, for image files alone, which do without where there are none */
    bool frames;     /* the pictures of one folder are frames of a video */
    atomic_bool previous; /* frames come with the previous frame, as SHW_PREVIOUS. Any thread */
    _Atomic(const struct view_plane_names *) planes; /* which pictures that are files come with, besides; or NULL */
};

/* Names of planes, which stay for good, that pictures come with if their own files have them. */
struct view_plane_names {
    struct view_plane_names *before; /* another list */
    uint32_t count;
    const char *names[SHW_INPUTS_MAX];
};

/* Adds a copy of an input without padding, unless the picture has one of that name, or more than forests read. The name
 * is borrowed. Returns false if memory is short. */
bool view_picture_add(struct view_picture *picture, const char *name, const struct shw_image *image);

/* Its depth image: millimetres, 0 where missing; NULL: it has none. */
const uint16_t *view_picture_depth(const struct view_picture *picture);

/* Whether it has planes besides grey or colours, in its own file or in others. */
bool view_picture_has_planes(const struct view_picture *picture);

/* The number at a pixel of a plane without padding, as its file stores it. */
float view_plane_number(const struct shw_image *plane, size_t pixel);

/* Finds the numbers of the inputs from number `first` on that are planes. False: out of memory. */
bool view_picture_find_numbers(struct view_picture *picture, uint32_t first);

/* The number of the input that is that plane, or has that name in the picture's file; UINT32_MAX: none is. */
uint32_t view_picture_find_plane(const struct view_picture *picture, const char *name);

/* What a labeller with such channels is given (NULL: all that there is), colour first, valid as long as the picture.
 * Depth, height, the previous frame and planes of the picture's own file, which pictures may just have, are left out
 * where they are not read; another that is not read, which a user asked for, is among them, so that it is refused. A
 * 16-bit grey picture is its own depth for those that read nothing else. */
struct shw_inputs view_picture_inputs(const struct view_picture *picture, const struct shw_channel_list *list,
                                      struct shw_input inputs[SHW_INPUTS_MAX]);

/* The first of depth and height that these channels read and the picture lacks; NULL: it has what they read, but for
 * what else was named by the user. */
const char *view_picture_lacks(const struct view_picture *picture, const struct shw_channel_list *list);

/* Splits the name of a frame, "VIDEO @ SECONDS s", in place, into that of its video and its time. False: it is the name
 * of something else, and stays. */
bool view_picture_split_name(char *name, double *seconds);

/* Whether images have the same size, format and pixels. */
bool view_has_same_pixels(const struct shw_image *one, const struct shw_image *other);

/* Sets `truth_classes`, which takes as long as the picture is large. */
void view_picture_count_classes(struct view_picture *picture);

/* The image file that the picture is, also of a data set, valid as long as the picture; NULL: it is a frame. */
const char *view_picture_file(const struct view_picture *picture);

/* Another share of a picture, which nobody may change from now on. */
struct view_picture *view_picture_share(struct view_picture *picture);

/* A copy that owns what it has; NULL if memory is exhausted. */
struct view_picture *view_picture_copy(const struct view_picture *picture);

/* Releases a share. With the last one, releases what the picture owns, by free(), and the picture itself, which must
 * come from malloc(). Accepts NULL. Any thread. */
void view_picture_free(struct view_picture *picture);

#endif
