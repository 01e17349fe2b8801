/* The lists of a folder as TUM's RGB-D benchmark publishes them, and which colour image and depth image belong
 * together. */
#ifndef SHW_FILES_CONVERT_TUM_H
#define SHW_FILES_CONVERT_TUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <shadewood/log.h>

/* An image, with its time in nanoseconds. */
struct shw_timed {
    int64_t time;
    char *path;
};

struct shw_timed_list {
    struct shw_timed *list; /* in ascending order of time */
    uint32_t count, capacity;
};

/* The positions of two images that belong together. */
struct shw_timed_pair {
    uint32_t colours, depth;
};

/* Reads a list with a line "TIME PATH" per image: seconds with up to nine decimals, and a path; fields are separated by
 * spaces, tabs or commas. Empty lines and those that begin with # are ignored. Errors: FORMAT (also for a time that
 * occurs twice), MEMORY. `name` is for messages. */
enum shw_result shw_timed_list_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_timed_list *list);

/* Reads a list of pairs with lines "TIME PATH TIME PATH": colour and depth, or depth and colour if the first path
 * begins with "depth" and the second does not. Images are in the order of the lines, and those of one position belong
 * together. Errors: FORMAT, MEMORY. */
enum shw_result shw_timed_pairs_decode(const void *bytes, size_t size, const char *name, const struct shw_log *log,
                                       struct shw_timed_list *colours, struct shw_timed_list *depth);

/* Which images belong together: of all pairs less than `apart` from each other, the closest, ties to the earliest
 * colour and then depth image; then again among the rest. The pairs, in order of the colour images, are to be freed
 * with free(). Errors: LIMIT if there are too many possible pairs, MEMORY. `name` is for messages. */
enum shw_result shw_timed_match(const struct shw_timed_list *colours, const struct shw_timed_list *depth, int64_t apart,
                                const char *name, const struct shw_log *log, struct shw_timed_pair **pairs,
                                uint32_t *count);

/* Accepts zero-initialised and freed ones. */
void shw_timed_list_free(struct shw_timed_list *list);

#endif
