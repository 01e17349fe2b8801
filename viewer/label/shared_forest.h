/* A forest that several parts of the program hold: those who teach it, who show it and who label by it. Any thread. */
#ifndef VIEW_LABEL_SHARED_FOREST_H
#define VIEW_LABEL_SHARED_FOREST_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/forest.h>

struct view_shared_forest {
    struct shw_forest *forest;
    bool full;         /* of taught ones: not the small one */
    uint64_t revision; /* of the project when it was taught (shw_project_get_revision()) */
};

/* Takes the forest over, with one share of it. NULL when memory is short; the forest is then still the caller's. */
struct view_shared_forest *view_shared_forest_create(struct shw_forest *forest, bool full, uint64_t revision);

/* Another share of it. Accepts NULL. */
struct view_shared_forest *view_shared_forest_share(struct view_shared_forest *forest);

/* Ends a share and sets *forest to NULL; accepts NULL in it. With the last share the forest goes. */
void view_shared_forest_release(struct view_shared_forest **forest);

/* Whether a labeller of one takes the other in its place, if it has room: they have the same channel set and feature
 * type. */
bool view_shared_forest_is_alike(const struct view_shared_forest *one, const struct view_shared_forest *other);

#endif
