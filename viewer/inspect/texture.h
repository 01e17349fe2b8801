/* The forest's texture, shown instead of the picture: one pixel per texel. For the main thread. */
#ifndef VIEW_INSPECT_TEXTURE_H
#define VIEW_INSPECT_TEXTURE_H

#include "inspect/inspect.h"

/* Whether it is shown is in the scene. */
struct view_texture {
    struct view_picture *picture;      /* of the texture; NULL: there is no forest */
    struct view_shared_forest *forest; /* that it is of */
    struct view_shown shown;
    bool upload;             /* the picture is not on the device yet */
    struct view_place place; /* of the one that is not looked at: the picture, or the texture */
    bool fitted;             /* likewise */
    bool pointed;            /* x and y are of the texture */
    uint32_t x, y;           /* the texel under the cursor, or that an action has named */
    struct view_mark marks[SHW_DEPTH_MAX + 2];
};

void view_texture_destroy(const struct view_gpu *gpu, struct view_texture *texture);

/* Shows the texture, or the picture again; each keeps its position and zoom. */
void view_texture_switch(struct view_texture *texture, struct view_scene *scene, bool on);

/* Before a frame: updates the picture if the forest has changed, and follows the cursor if there is one. What fails
 * has told why, and leaves nothing to be seen. */
void view_texture_update(struct view_texture *texture, struct view_scene *scene, const struct view_cursor *cursor);

/* Fills in texture->marks, the nodes on the path of the explained pixel and the texel under the cursor; returns how
 * many. */
uint32_t view_texture_mark(struct view_texture *texture, const struct view_inspect *inspect);

/* The meaning of texel (x, y) of the forest's texture, with layers stacked vertically. */
void view_texture_tell(const struct shw_forest *forest, uint32_t x, uint32_t y, char *text, size_t size);

/* The texel under the cursor, on one line, for scripts. */
void view_texture_print(const struct view_texture *texture, FILE *file);

#endif
