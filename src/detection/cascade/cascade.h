/* The cascade in memory: what it says of itself, and its texture. */
#ifndef SHW_DETECTION_CASCADE_CASCADE_H
#define SHW_DETECTION_CASCADE_CASCADE_H

#include <shadewood/cascade.h>

#include "base/ktx2.h"
#include "shared/cascade_texture.h"

struct shw_cascade {
    struct shw_cascade_info info; /* points into the members below */
    char *name, *training;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
    struct shw_cascade_feature *features; /* NULL if there are none */
    uint64_t *survivors;                  /* NULL if unknown */

    uint8_t *depths; /* [tree] tests on the longest path */
    uint32_t depth;  /* of all trees */

    uint32_t *texels;
    uint32_t width, height; /* of the texture */
    uint64_t hash;
};

/* For messages: they begin with the file's path, or with "cascade" if there is none. */
struct shw_cascade_source {
    const char *name;
    const struct shw_log *log;
};

#define SHW_BAD_CASCADE(source, format, ...)                                                                           \
    shw_fail((source)->log, SHW_ERROR_FORMAT, SHW_LOG_CASCADE, "%s: " format, (source)->name, __VA_ARGS__)

/* Checks the counts and that nothing that they count is NULL, which must precede copying. */
enum shw_result shw_cascade_check_counts(const struct shw_cascade_info *info, const struct shw_cascade_source *source);

/* Checks everything else but the training record; fills in the depths. */
enum shw_result shw_cascade_check(struct shw_cascade *cascade, const struct shw_cascade_source *source);

/* shw_cascade_create() with messages that begin with the source's name. */
enum shw_result shw_cascade_make(const struct shw_cascade_info *info, const struct shw_cascade_source *source,
                                 struct shw_cascade **cascade);

/* Makes the texture of a checked cascade. False if out of memory. */
bool shw_cascade_pack(struct shw_cascade *cascade);

/* The arrays of a texture that is not trusted, to be freed with shw_cascade_free_arrays(), and what else it says, for
 * the kind that `info` has. They need not be a cascade. */
enum shw_result shw_cascade_unpack(const struct shw_ktx2 *image, const struct shw_cascade_source *source,
                                   struct shw_cascade_info *info);
void shw_cascade_free_arrays(struct shw_cascade_info *info);

/* The metadata as JSON, to be freed with free(); NULL if out of memory. */
char *shw_cascade_format_metadata(const struct shw_cascade_info *info);

/* What a file's metadata says. */
struct shw_cascade_metadata {
    char *name, *training;
    uint64_t *survivors; /* NULL if unknown */
    uint32_t survivor_count;
};

/* Parses `length` bytes of JSON, the version first, and sets what it says in `info`, which then points into *metadata;
 * that is to be freed with shw_cascade_metadata_free(), also on failure. */
enum shw_result shw_cascade_parse_metadata(const char *text, size_t length, const struct shw_cascade_source *source,
                                           struct shw_cascade_metadata *metadata, struct shw_cascade_info *info);
void shw_cascade_metadata_free(struct shw_cascade_metadata *metadata);

#endif
