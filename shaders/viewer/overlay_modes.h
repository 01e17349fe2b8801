/* The modes of the overlay: each has a row in viewer/label/overlay_kinds.h and, in compose.comp, a function
 * LAYER(place) that gives the colour over a pixel. */
#ifndef VIEW_OVERLAY_MODES_H
#define VIEW_OVERLAY_MODES_H

#define VIEW_OVERLAY_MODES(MODE)                                                                                       \
    MODE(VIEW_MODE_NONE, 0, no_layer)                                                                                  \
    MODE(VIEW_MODE_ARGMAX, 1, class_layer)                                                                             \
    MODE(VIEW_MODE_HEAT, 2, heat_layer)                                                                                \
    MODE(VIEW_MODE_BLEND, 3, blend_layer)                                                                              \
    MODE(VIEW_MODE_ENTROPY, 4, entropy_layer)                                                                          \
    MODE(VIEW_MODE_TRUTH, 5, class_layer)                                                                              \
    MODE(VIEW_MODE_ERRORS, 6, error_layer)                                                                             \
    MODE(VIEW_MODE_CHANNEL, 7, plane_layer)                                                                            \
    MODE(VIEW_MODE_INTEGRAL, 8, plane_layer)                                                                           \
    MODE(VIEW_MODE_DEPTH, 9, plane_layer)

#ifndef SHW_GLSL
#define VIEW_MODE_NUMBER(mode, number, layer) mode = number,
enum { VIEW_OVERLAY_MODES(VIEW_MODE_NUMBER) VIEW_MODE_COUNT };
#endif

#endif
