/* Explanation of the pixel under the cursor. For the main thread. */
#ifndef VIEW_INSPECT_INSPECT_H
#define VIEW_INSPECT_INSPECT_H

#include <stdio.h>

#include <shadewood/explain.h>

#include "inspect/channels.h"
#include "inspect/marks.h"
#include "label/shared_forest.h"

#define VIEW_ALL_TESTS UINT32_MAX

struct view_inspect {
    bool on;
    bool pinned;                         /* stays at its pixel instead of following the cursor */
    bool pointed;                        /* x and y are within the picture */
    uint32_t x, y;                       /* the pixel */
    struct shw_explanation *explanation; /* of the pixel, or NULL */
    struct view_shared_forest *forest;   /* the forest of the explanation, or of the attempt at one */
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

/* Prints pixel, probabilities and leaves, one line each, for scripts. */
void view_inspect_print(const struct view_inspect *inspect, const struct view_scene *scene, FILE *file);

#endif
