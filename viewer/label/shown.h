/* The shown picture on the device, or a part of it; of large pictures also the detail that is seen. */
#ifndef VIEW_LABEL_SHOWN_H
#define VIEW_LABEL_SHOWN_H

#include "files/project/shown_planes.h"
#include "gpu/gpu.h"
#include "label/parts.h"
#include "source/picture.h"

/* How a picture is shown, which changes no labels: planes instead of colours, where the picture has them; or colours,
 * those of 16 bits in a range. Where neither the user nor a project has chosen planes, the first are shown of arrays
 * of floats, whose colours are in no known range, and of 16 bits with more than three planes, which rarely use all of
 * it. */
struct view_display {
    struct view_display_range range;
    struct shw_shown_planes planes;
};

/* Whether its first planes are shown if none are chosen; and their names. */
bool view_display_is_automatic(const struct view_picture *picture);
extern const char *const view_array_planes[3];

/* Which planes a picture is shown by, and their ranges: those that are chosen, or else from 1 % to 99 % of the numbers
 * that occur. */
struct view_display_plane {
    const char *name;              /* as in the display, or that of the file's plane */
    const struct shw_image *plane; /* NULL: it has not been read with the picture */
    float low, high;
    bool chosen;
};

/* Returns their number, 3, 1, or 0: none are shown. `lacking`: also if the picture lacks some. */
uint32_t view_display_find(const struct view_display *display, const struct view_picture *picture, bool lacking,
                           struct view_display_plane planes[3]);

struct view_shown {
    struct shw_part part;     /* what the images hold */
    struct view_image shown;  /* RGBA8, for display */
    struct view_image source; /* RGBA16 or RGBA8, for labelling; only of pictures that have 16 bits or planes, and are
                                 there as wholes */
    struct view_image truth;  /* R16; only for pictures with ground truth */
    struct view_buffer staging[VIEW_SLOTS];
    bool at_once;  /* all of it is uploaded in one frame, not in bands */
    uint32_t rows; /* of the part, uploaded so far */
    bool filled;   /* the images hold a picture */
};

/* Makes images for a part of a picture, unless they are that already; *renewed: they are new. `larger`: they may be
 * larger than the part. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there are none. */
enum shw_result view_shown_fit(const struct view_gpu *gpu, const struct view_picture *picture,
                               const struct shw_part *part, bool larger, struct view_shown *shown, bool *renewed);

/* The same for all of a picture, however large. */
enum shw_result view_shown_fit_whole(const struct view_gpu *gpu, const struct view_picture *picture,
                                     struct view_shown *shown, bool *renewed);
void view_shown_destroy(const struct view_gpu *gpu, struct view_shown *shown);
/* The same while frames in flight may use the images. */
void view_shown_retire(const struct view_gpu *gpu, struct view_shown *shown);

/* Copies a picture of that size and kind into the images, through the slot's staging buffer, whose last frame must have
 * finished: the next rows, as many as there is time for in a frame. True: that was the last of them, and the next call
 * begins again. `display` affects what is shown, not what is labelled. */
bool view_shown_upload(struct view_shown *shown, const struct view_picture *picture, const struct view_display *display,
                       VkCommandBuffer commands, uint32_t slot);

/* The image that a labeller reads. */
const struct view_image *view_shown_source(const struct view_shown *shown);

/* What is seen of a large picture, on the device: the pixels of the picture itself, finer than its overview. For the
 * main thread. */
struct view_detail {
    struct view_shown images[2]; /* the drawn ones and those being filled, by turns */
    uint32_t front;
    bool wanted;          /* the overview is too coarse */
    bool valid;           /* the front images hold pixels of the shown picture */
    bool loading, loaded; /* the other images are being filled; they are full, and drawn from the next frame on */
    bool changed;         /* other front images than in the frame before */
    struct shw_part seen; /* what is seen at least; if wanted */
    uint64_t picture;     /* whose pixels these are: a count of pictures */
};

/* What is looked at. */
struct view_look {
    const struct view_picture *picture; /* NULL: none */
    uint32_t coarse;                    /* the step of the overview */
    uint32_t longest;                   /* what sides of images may be */
    const struct view_place *place;
    const struct view_area *area;
};

void view_detail_destroy(const struct view_gpu *gpu, struct view_detail *detail);

/* Before a frame: begins to load another part if what is seen is not there. `count` counts pictures; `anew`: the
 * picture is to be loaded again. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there is no detail. */
enum shw_result view_detail_update(const struct view_gpu *gpu, struct view_detail *detail, const struct view_look *look,
                                   uint64_t count, bool anew);

/* In a frame: uploads the next band. Returns whether it did. */
bool view_detail_upload(struct view_detail *detail, const struct view_picture *picture,
                        const struct view_display *display, VkCommandBuffer commands, uint32_t slot);

/* The images to draw; NULL: only the overview is drawn. */
const struct view_shown *view_detail_shown(const struct view_detail *detail);

/* Whether the last update was for this look, or one like it, and nothing finer than what is drawn is on its way. */
bool view_detail_is_complete(const struct view_detail *detail, const struct view_look *look);

#endif
