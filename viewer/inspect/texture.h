/* The forest's texture, shown instead of the picture: one pixel per texel. For the main thread. */
#ifndef VIEW_INSPECT_TEXTURE_H
#define VIEW_INSPECT_TEXTURE_H

#include "inspect/inspect.h"

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

#endif
