/* What is seen of a large picture, on the device: the pixels of the picture itself, finer than its overview. For the
 * main thread. */
#ifndef VIEW_LABEL_DETAIL_H
#define VIEW_LABEL_DETAIL_H

#include "label/shown.h"

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
bool view_detail_upload(struct view_detail *detail, const struct view_picture *picture, struct view_display_range range,
                        VkCommandBuffer commands, uint32_t slot);

/* The images to draw; NULL: only the overview is drawn. */
const struct view_shown *view_detail_shown(const struct view_detail *detail);

/* Whether the last update was for this look, or one like it, and nothing finer than what is drawn is on its way. */
bool view_detail_is_complete(const struct view_detail *detail, const struct view_look *look);

#endif
