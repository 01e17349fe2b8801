/* What forests, cascades and record forests have in common: their files, a KTX2 container with JSON metadata, and the
 * order of the nodes of their trees. What a model has of its own is in its traits. */
#ifndef SHW_BASE_MODEL_H
#define SHW_BASE_MODEL_H

#include <jansson.h>

#include "base/ktx2.h"
#include "base/log.h"

#define SHW_MODEL_JSON_FLAGS (JSON_COMPACT | JSON_SORT_KEYS)
#define SHW_PROVENANCE_MAX   (1u << 20) /* bytes */

/* For messages, which begin with the name: the file's path, or what the model is. */
struct shw_model_source {
    const struct shw_model_traits *traits;
    const char *name;
    const struct shw_log *log;
};

struct shw_model_traits {
    enum shw_ktx2_content content;
    int version;                       /* of the format; newer files are refused */
    enum shw_log_item item, tree_item; /* of messages about the metadata, and about trees */

    /* For saving. The metadata is NULL if memory runs out, as are the texels; *own is freed after writing. get_below
     * may be NULL; what it puts in *below is freed after writing; false: memory has run out. */
    json_t *(*format)(const void *model);
    void (*get_texture)(const void *model, struct shw_ktx2 *image, void **own);
    bool (*get_below)(const void *model, void **below, size_t *size);

    /* For loading. `root` is an object with a version that can be read, and lives until `unpack` returns. */
    enum shw_result (*parse)(json_t *root, const struct shw_model_source *source, void *reading);
    enum shw_result (*unpack)(const struct shw_ktx2 *image, const struct shw_model_source *source, void *reading);
};

#define SHW_BAD_MODEL(source, format, ...)                                                                             \
    shw_fail((source)->log, SHW_ERROR_FORMAT, (source)->traits->item, "%s: " format, (source)->name, __VA_ARGS__)
#define SHW_BAD_TREE(source, format, ...)                                                                              \
    shw_fail((source)->log, SHW_ERROR_FORMAT, (source)->traits->tree_item, "%s: " format, (source)->name, __VA_ARGS__)

/* A source without a name (NULL) is called what the model is. */
struct shw_model_source shw_model_source(const struct shw_model_traits *traits, const char *name,
                                         const struct shw_log *log);

/* Makes the bytes of a file, to be freed with free(). Errors: MEMORY. */
enum shw_result shw_model_save_memory(const struct shw_model_traits *traits, const void *model, void **bytes,
                                      size_t *size);
enum shw_result shw_model_save(const struct shw_model_traits *traits, const void *model, const char *path,
                               const struct shw_log *log);

/* Reads the bytes of a file, or, if `bytes` is NULL, the file at source->name. `reading` is passed to the traits'
 * functions; what they allocate there is left to the caller, also on failure. */
enum shw_result shw_model_load(const struct shw_model_source *source, const void *bytes, size_t size, void *reading);

/* How a model was trained, from its metadata; *text, formatted as in files, is to be freed with free(). */
enum shw_result shw_model_parse_provenance(const json_t *object, const struct shw_model_source *source, char **text);

/* The same from the caller of the library; NULL: nothing is known. */
enum shw_result shw_model_read_provenance(const char *given, const struct shw_model_source *source, char **text);

/* Checks that a texture made of what a file says is that of the file: other bits, which have no meaning, are damage. */
enum shw_result shw_model_check_texels(const uint32_t *texels, const struct shw_ktx2 *image, const char *fault,
                                       const struct shw_model_source *source);

/* An array of items, of which `item` makes one. NULL if memory runs out. */
json_t *shw_model_format_array(const void *items, uint32_t count, json_t *(*item)(const void *items, uint32_t index));

/* Adds a member, whose reference is taken. False if it is NULL or cannot be added. */
bool shw_model_add(json_t *root, const char *name, json_t *member);

/* A walk over the nodes of a tree, which checks that they are in breadth-first order: every node from 0 on, as a split
 * or a leaf. After that, there are 1 + 2 * splits nodes. */
struct shw_model_walk {
    const struct shw_model_source *source;
    char where[48];            /* "tree 3" */
    uint32_t node_count;       /* at least 1 */
    uint32_t splits;           /* before the node */
    uint32_t depth, level_end; /* of the node, and the first node after its depth */
};

#define SHW_BAD_NODE(walk, n, format, ...)                                                                             \
    SHW_BAD_TREE((walk)->source, "%s, node %u: " format, (walk)->where, n, __VA_ARGS__)

void shw_model_walk_begin(struct shw_model_walk *walk, uint32_t node_count);
enum shw_result shw_model_walk_node(struct shw_model_walk *walk, uint32_t n);
enum shw_result shw_model_walk_split(struct shw_model_walk *walk, uint32_t n, uint32_t left);
enum shw_result shw_model_walk_leaf(const struct shw_model_walk *walk, uint32_t n, uint32_t left);
enum shw_result shw_model_walk_end(const struct shw_model_walk *walk, uint32_t depth_max);

#endif
