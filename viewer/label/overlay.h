/* The picture with its overlay: composed in one pass over the picture's pixels when something has changed
 * (shaders/viewer/compose.comp), and drawn onto the canvas (shaders/viewer/canvas.frag). Of large pictures there are
 * two layers: an overview, which has every so-manyth pixel, and a detail, which covers what is seen. */
#ifndef VIEW_LABEL_OVERLAY_H
#define VIEW_LABEL_OVERLAY_H

#include <shadewood/dataset.h>
#include <shadewood/label.h>

#include "gpu/gpu.h"
#include "label/overlay_kinds.h"
#include "label/parts.h"
#include "viewer/overlay_push.h"

struct view_overlay;

/* Settings of the overlay. */
struct view_overlay_settings {
    uint32_t mode;    /* VIEW_MODE_... */
    uint32_t chosen;  /* class of VIEW_MODE_HEAT */
    uint32_t opacity; /* percent */
    uint32_t wipe;    /* percent of the width, from the left, that shows no overlay */
    bool contours;
    uint32_t strokes; /* percent: opacity of strokes; 0: hidden */
};

/* Images to read, in use view_use_shown. NULL for missing ones. */
struct view_overlay_images {
    const struct view_image *shown, *argmax, *distribution, *truth, *plane, *painted;
};

/* Draws in `pass`, whose only attachment is the canvas. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_overlay_create(const struct view_gpu *gpu, VkRenderPass pass, struct view_overlay **overlay);
void view_overlay_destroy(const struct view_gpu *gpu, struct view_overlay **overlay);

/* Makes room and tables for `classes` classes, of which `planes` have probabilities. Errors: MEMORY, DEVICE_MEMORY. */
enum shw_result view_overlay_set_classes(const struct view_gpu *gpu, struct view_overlay *overlay, uint32_t classes,
                                         uint32_t planes);

/* Sets the colour of a class and whether its pixels are coloured, for frames recorded from now on. */
void view_overlay_set_class(struct view_overlay *overlay, uint32_t number, const uint8_t colour[3], bool visible);

enum { VIEW_OVERVIEW, VIEW_DETAIL, VIEW_LAYERS };

/* Makes room for a layer whose images have that size. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY. */
enum shw_result view_overlay_fit(const struct view_gpu *gpu, struct view_overlay *overlay, uint32_t layer,
                                 VkExtent2D extent);

/* What a frame draws of a layer. */
struct view_overlay_layer {
    struct view_overlay_images images; /* `shown` NULL: there is no such layer */
    struct shw_part part;              /* of the picture; the images may be larger */
    bool changed;                      /* the images have changed since the last frame */
};

/* What a frame draws. */
struct view_overlay_frame {
    VkExtent2D canvas;
    VkExtent2D picture;
    struct view_overlay_layer layers[VIEW_LAYERS]; /* the overview is always there */
    struct view_overlay_settings settings;
    struct view_place place;
    VkRect2D area;        /* the part of the canvas to draw into */
    uint32_t wipe_column; /* of the canvas; left of it there is no overlay */
};

/* Before the canvas's render pass: composes the overlay if something has changed; returns whether it has. The slot's
 * last frame must have finished. Modes that lack an image show the picture alone. */
bool view_overlay_compose(const struct view_gpu *gpu, struct view_overlay *overlay, VkCommandBuffer commands,
                          uint32_t slot, const struct view_overlay_frame *frame);

/* In the render pass: draws the overlay composed for this frame. */
void view_overlay_draw(const struct view_overlay *overlay, VkCommandBuffer commands, uint32_t slot);

#endif
