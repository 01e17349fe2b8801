/* Overlays: what can be shown over the picture, or instead of it. One row each; docs/extending.md says how to add one.
 */
#ifndef VIEW_LABEL_OVERLAY_KINDS_H
#define VIEW_LABEL_OVERLAY_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "viewer/overlay_modes.h"

/* The labels that an overlay shows, and whose contours can be drawn. */
enum view_overlay_labels {
    VIEW_NO_LABELS,
    VIEW_OWN_LABELS,  /* the likeliest classes */
    VIEW_TRUE_LABELS, /* ground truth */
};

/* What an overlay shows instead of the picture, in grey. */
enum view_overlay_plane { VIEW_NO_PLANE, VIEW_CHANNEL_PLANE, VIEW_INTEGRAL_PLANE, VIEW_DEPTH_PLANE };

/* What else it needs. */

#define VIEW_NEEDS_NOTHING       0u
#define VIEW_NEEDS_PROBABILITIES 1u
#define VIEW_NEEDS_CLASS         2u /* the chosen one */
#define VIEW_NEEDS_TRUTH         4u

/* The panel that has its button. */
enum view_overlay_panel { VIEW_ON_OVERLAY_PANEL, VIEW_ON_INSPECT_PANEL };

/* Mode, argument of the action `overlay`; the button's panel, text and tooltip; labels, plane, needs; both ends of the
 * scale of its colours, or NULL; its key, or VIEW_WITHOUT_KEY. In the order of the modes. */

#define VIEW_OVERLAY_KINDS(KIND)                                                                                       \
    KIND(NONE, "none", ON_OVERLAY_PANEL, "Picture", "the picture alone", NO_LABELS, NO_PLANE, NEEDS_NOTHING, NULL,     \
         NULL, VIEW_WITH_KEY("0", "overlay none", "picture alone"))                                                    \
    KIND(ARGMAX, "argmax", ON_OVERLAY_PANEL, "Classes", "the most likely class of each pixel", OWN_LABELS, NO_PLANE,   \
         NEEDS_NOTHING, NULL, NULL, VIEW_WITH_KEY("1", "overlay argmax", "most likely class"))                         \
    KIND(HEAT, "heat", ON_OVERLAY_PANEL, "Heat", "the probability of the chosen class", OWN_LABELS, NO_PLANE,          \
         NEEDS_PROBABILITIES | VIEW_NEEDS_CLASS, "0 %", "100 %",                                                       \
         VIEW_WITH_KEY("2", "overlay heat", "one class's probability"))                                                \
    KIND(BLEND, "blend", ON_OVERLAY_PANEL, "Blend", "all classes' colours, by probability", OWN_LABELS, NO_PLANE,      \
         NEEDS_PROBABILITIES, NULL, NULL, VIEW_WITH_KEY("3", "overlay blend", "all classes by probability"))           \
    KIND(ENTROPY, "entropy", ON_OVERLAY_PANEL, "Entropy", "how uncertain each pixel is", OWN_LABELS, NO_PLANE,         \
         NEEDS_PROBABILITIES, "certain", "uncertain", VIEW_WITH_KEY("4", "overlay entropy", "uncertainty"))            \
    KIND(TRUTH, "truth", ON_OVERLAY_PANEL, "Truth", "ground truth that came with the picture", TRUE_LABELS, NO_PLANE,  \
         NEEDS_TRUTH, NULL, NULL, VIEW_WITH_KEY("5", "overlay truth", "ground truth"))                                 \
    KIND(ERRORS, "errors", ON_OVERLAY_PANEL, "Errors", "where the most likely class is wrong", OWN_LABELS, NO_PLANE,   \
         NEEDS_TRUTH, NULL, NULL, VIEW_WITH_KEY("6", "overlay errors", "errors"))                                      \
    KIND(CHANNEL, "channel", ON_INSPECT_PANEL, "Channel", "show it instead of the picture", NO_LABELS, CHANNEL_PLANE,  \
         NEEDS_NOTHING, NULL, NULL, VIEW_WITHOUT_KEY)                                                                  \
    KIND(INTEGRAL, "integral", ON_INSPECT_PANEL, "Integral", "show its integral image", NO_LABELS, INTEGRAL_PLANE,     \
         NEEDS_NOTHING, NULL, NULL, VIEW_WITHOUT_KEY)                                                                  \
    KIND(DEPTH, "depth", ON_OVERLAY_PANEL, "Depth", "depth that came with the picture", NO_LABELS, DEPTH_PLANE,        \
         NEEDS_NOTHING, NULL, NULL, VIEW_WITHOUT_KEY)

struct view_overlay_kind {
    const char *name, *button, *tip;
    enum view_overlay_panel panel;
    enum view_overlay_labels labels;
    enum view_overlay_plane plane;
    unsigned needs;                        /* VIEW_NEEDS_... */
    const char *scale_begins, *scale_ends; /* NULL: its colours have no scale */
};

extern const struct view_overlay_kind view_overlay_kinds[VIEW_MODE_COUNT];

/* Whether an overlay shows the labels that the program computes, and whether it needs their probabilities. */
bool view_overlay_shows_labels(uint32_t mode);
bool view_overlay_wants_planes(uint32_t mode);

/* The mode of a name; VIEW_MODE_COUNT: there is none. */
uint32_t view_overlay_find(const char *name);

#endif
