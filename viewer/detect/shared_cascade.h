/* A reference-counted cascade, shared by what shows it and the thread that detects with it. Any thread. */
#ifndef VIEW_DETECT_SHARED_CASCADE_H
#define VIEW_DETECT_SHARED_CASCADE_H

#include <stdatomic.h>

#include <shadewood/cascade.h>

struct view_shared_cascade {
    struct shw_cascade *cascade;
    char *path; /* of its file */
    atomic_uint shares;
};

/* Reads a file of any format that `shadewood detect` reads. Errors: those of shw_cascade_open(), MEMORY. */
enum shw_result view_shared_cascade_load(const char *path, const struct shw_log *log,
                                         struct view_shared_cascade **cascade);

/* Adds a share. */
struct view_shared_cascade *view_shared_cascade_share(struct view_shared_cascade *cascade);

/* Releases a share and sets *cascade to NULL; accepts a pointer to NULL. The last release destroys the cascade. */
void view_shared_cascade_release(struct view_shared_cascade **cascade);

#endif
