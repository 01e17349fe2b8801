/* Inspection: the explanation of the pixel under the cursor, channels of the picture, and the forest's texture. For the
 * main thread. */
#ifndef VIEW_INSPECT_INSPECT_H
#define VIEW_INSPECT_INSPECT_H

#include <stdio.h>

#include <shadewood/explain.h>

#include "inspect/channels.h"
#include "inspect/marks.h"
#include "inspect/smoothed.h"
#include "label/label_worker.h"

#define VIEW_ALL_TESTS UINT32_MAX

struct view_inspect {
    bool on;
    bool pinned;                         /* stays at its pixel instead of following the cursor */
    bool pointed;                        /* x and y are within the picture */
    uint32_t x, y;                       /* the pixel */
    struct shw_explanation *explanation; /* of the pixel, or NULL */
    struct view_shared_forest *forest;   /* the forest of the explanation, or of the attempt at one */
    struct view_smoothed smoothed;       /* what smoothing makes of the pixel */
    bool stale;                          /* the explanation is out of date */
    uint64_t picture;                    /* its picture, as the scene's count */
    uint32_t tree, test; /* whose rectangles are drawn; the test is its number on the path from the root, or
                            VIEW_ALL_TESTS */
    struct view_mark marks[SHW_FEATURE_REGIONS_MAX * SHW_DEPTH_MAX + 1];
};

extern const uint8_t view_inspect_colours[2][3]; /* of added and of subtracted regions */

void view_inspect_destroy(struct view_inspect *inspect);

/* Explains that pixel and stays there. */
void view_inspect_pin(struct view_inspect *inspect, uint32_t x, uint32_t y);

/* Follows the cursor, and updates the explanation if pixel, picture or forest has changed. Failures have been logged.
 */
void view_inspect_update(struct view_inspect *inspect, struct view_channels *channels, const struct view_scene *scene,
                         const struct view_cursor *cursor);

/* The chosen tree of the explanation; NULL if there is no explanation. */
const struct shw_explained_tree *view_inspect_tree(const struct view_inspect *inspect);

/* The likeliest class of a distribution; among equals the first. */
uint32_t view_likeliest(const uint16_t *distribution, uint32_t count);

/* Fills in inspect->marks; returns their number. */
uint32_t view_inspect_mark(struct view_inspect *inspect);

/* The stored samples of the inspected pixel, without alpha; returns their number: 1 or 3. */
uint32_t view_inspect_samples(const struct shw_image *image, uint32_t x, uint32_t y, uint16_t samples[3]);

/* Prints pixel, probabilities, before and after smoothing, and leaves, one line each, for scripts. Waits for smoothing.
 */
void view_inspect_print(struct view_inspect *inspect, const struct view_scene *scene, FILE *file);

/* The forest's texture, shown instead of the picture: one pixel per texel. For the main thread. */

/* The scene knows whether it is shown. */
struct view_texture {
    struct view_picture *picture;      /* of the texture; NULL: no forest */
    struct view_shared_forest *forest; /* the forest of the picture */
    bool colour_blind;                 /* the picture's colours, as in the scene */
    struct view_shown shown;
    bool upload;             /* the picture is not on the device yet */
    struct view_place place; /* of the hidden one of picture and texture */
    bool fitted;             /* likewise */
    bool pointed;            /* x and y are within the texture */
    uint32_t x, y;           /* the texel under the cursor, or the one named by an action */
    struct view_mark marks[SHW_DEPTH_MAX + 2];
};

void view_texture_destroy(const struct view_gpu *gpu, struct view_texture *texture);

/* Shows the texture, or the picture again; each keeps its position and zoom. */
void view_texture_switch(struct view_texture *texture, struct view_scene *scene, bool on);

/* Before a frame: updates the picture if the forest has changed, and follows the cursor if there is one. After a
 * failure, which has been logged, nothing is shown. */
void view_texture_update(struct view_texture *texture, struct view_scene *scene, const struct view_cursor *cursor);

/* Fills in texture->marks: the nodes on the path of the explained pixel and the texel under the cursor. Returns their
 * number. */
uint32_t view_texture_mark(struct view_texture *texture, const struct view_inspect *inspect);

/* Describes texel (x, y) of the forest's texture, whose layers are stacked vertically. */
void view_texture_tell(const struct shw_forest *forest, uint32_t x, uint32_t y, char *text, size_t size);

/* Prints the texel under the cursor on one line, for scripts. */
void view_texture_print(const struct view_texture *texture, FILE *file);

struct view_inside {
    struct view_scene *scene; /* borrowed, like the next */
    const struct view_cursor *cursor;
    struct view_channels channels;
    struct view_inspect inspect;
    struct view_texture texture;
    bool wants_panel; /* an action has started to explain pixels */
};

/* Recorded commands must have finished. Accepts zero-initialised ones. */
void view_inside_destroy(struct view_inside *inside);

/* Updates the explanation and the texture's picture after changes of cursor, picture or forest. */
void view_inside_follow(struct view_inside *inside);

/* Actions, on a struct view_inside. */
extern const struct view_action_group view_inspect_group;

#endif
