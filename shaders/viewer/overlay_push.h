/* Push constants and bindings of the overlay's shaders. Everything is an integer, so that a screenshot has the same
 * bytes on every device. */
#ifndef VIEW_OVERLAY_PUSH_H
#define VIEW_OVERLAY_PUSH_H

#include "../shared/types.h"
#include "overlay_modes.h"

#define VIEW_BINDING_SHOWN        0
#define VIEW_BINDING_LABELS       1 /* those of struct view_overlay_kind */
#define VIEW_BINDING_DISTRIBUTION 2
#define VIEW_BINDING_TRUTH        3
#define VIEW_BINDING_COMPOSED     4
#define VIEW_BINDING_PLANE        5
#define VIEW_BINDING_PAINTED      6
#define VIEW_BINDING_TABLES       7
#define VIEW_BINDING_TARGET       8  /* the composed image, while it is written */
#define VIEW_BINDING_FINE_SHOWN   9  /* the detail: what is seen of a large picture, with finer steps */
#define VIEW_BINDING_FINE         10 /* the same, composed */

/* Pixels per work group of the composition. */
#define VIEW_COMPOSE_COLUMNS 32
#define VIEW_COMPOSE_ROWS    4

/* Tables: first the contribution of one class to the entropy, by the upper 12 bits of its probability; 2^20 in total is
 * complete uncertainty. Then a word per class: red, green and blue from the lowest byte up, and VIEW_CLASS_HIDDEN. */
#define VIEW_ENTROPY_ENTRIES 4096
#define VIEW_CLASS_HIDDEN    0x01000000

#define VIEW_ZOOM_ONE 256 /* one pixel of the picture per pixel of the canvas */

#define VIEW_BACKGROUND 32 /* grey around the picture */

struct view_overlay_push {
    shw_int offset_x, offset_y; /* of the picture's upper left corner on the canvas, in 1/256 of its pixels */
    shw_uint zoom;              /* side of a picture's pixel on the canvas, in the same units */
    shw_uint width, height;     /* of the picture; while an image is composed, of that */
    shw_uint mode;              /* 0: the picture alone */
    shw_uint planes;            /* classes with a probability */
    shw_uint classes;           /* classes with a colour */
    shw_uint chosen;            /* the class of VIEW_MODE_HEAT */
    shw_uint opacity;           /* 0..255 */
    shw_uint contours;
    shw_uint wipe;    /* columns of the canvas left of this show the picture alone; 0: none */
    shw_uint strokes; /* 0..255: opacity of painted labels; 0 also if there are none */
    shw_uint step;    /* of the overview: it has every step-th pixel of the picture */
    shw_uint fine_x, fine_y, fine_step, fine_width, fine_height; /* pixels of the detail; width 0: there is none */
};

#ifndef SHW_GLSL
_Static_assert(sizeof(struct view_overlay_push) == 19 * 4, "push constants are 19 words in GLSL");
#endif

#endif
