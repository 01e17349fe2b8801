/* A reference-counted forest, shared by the parts of the program that train it, show it and label with it. Any thread.
 */
#ifndef VIEW_LABEL_SHARED_FOREST_H
#define VIEW_LABEL_SHARED_FOREST_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/forest.h>

struct view_shared_forest {
    struct shw_forest *forest;
    bool full;         /* of trained ones: not the small one */
    uint64_t revision; /* of the project when it was trained (shw_project_get_revision()) */
    char *path;        /* of the file that it was loaded from, owned; NULL: it was trained */
    bool for_kinect; /* for pictures SHW_KINECT_WIDTH wide alone (files/formats/kinect_focal.h), and none is known to be
                        of another width */
};

/* Takes ownership of the forest; the caller gets one share. NULL if out of memory; the forest is then still the
 * caller's. */
struct view_shared_forest *view_shared_forest_create(struct shw_forest *forest, bool full, uint64_t revision);

/* Adds a share. Accepts NULL. */
struct view_shared_forest *view_shared_forest_share(struct view_shared_forest *forest);

/* Releases a share and sets *forest to NULL; accepts a pointer to NULL. The last release destroys the forest. */
void view_shared_forest_release(struct view_shared_forest **forest);

/* Whether a labeller can switch from one to the other if it has room: they have the same channel list, feature type and
 * filling. */
bool view_shared_forest_is_alike(const struct view_shared_forest *one, const struct view_shared_forest *other);

#endif
