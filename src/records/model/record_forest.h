/* The record forest in memory: what it says of itself, and its texture. */
#ifndef SHW_RECORDS_MODEL_RECORD_FOREST_H
#define SHW_RECORDS_MODEL_RECORD_FOREST_H

#include <shadewood/record_forest.h>

#include "base/model.h"
#include "shared/record_texture.h"

#define SHW_RECORD_CATEGORIES ((SHW_RECORD_SET_FIRST + 1) * 32) /* from 0 on, that a set can have: 2^24 */

struct shw_record_forest {
    struct shw_record_forest_info info;                          /* points into the members below */
    const char **attribute_names, **class_names, **output_names; /* NULL where info has none */
    int64_t *base;
    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    int32_t *leaf_values;
    uint32_t *sets; /* NULL without */
    char *training;
    double *limits; /* of each node, if it was imported: the greatest double that goes left; NaN where none is known.
                       NULL: none is. No file has them */
    bool compares_doubles; /* the program whose model it is does, and all limits are known */

    uint32_t *texels;
    uint32_t width, height, layers; /* of the texture */
    uint64_t hash;
};

/* What is known of a link besides its formula. */
struct shw_record_link_traits {
    const char *name;
    bool is_probability;
    bool sums_to_one; /* over the outputs of a record, which it takes together */
    bool has_scale;   /* which multiplies outputs */
};

/* `link` must be valid. */
const struct shw_record_link_traits *shw_record_link_get_traits(enum shw_record_link link);

/* "classes", "values"; NULL for other values. */
const char *shw_record_task_name(enum shw_record_task task);

extern const struct shw_model_traits shw_record_forest_model;

/* shw_record_forest_create() with messages that begin with a name, or "record forest" if it is NULL. */
enum shw_result shw_record_forest_make(const struct shw_record_forest_info *info, const char *name,
                                       const struct shw_log *log, struct shw_record_forest **forest);

/* Copies of names, or their numbers if `names` is NULL; one block, to be freed with free(). NULL if out of memory. */
const char **shw_record_names_copy(const char *const *names, uint32_t count);

/* Of class names that are not all different, which another program may have: those that an earlier class has get the
 * number of their class, after a warning. *distinct has pointers to `names` and is freed with free(), or is NULL if all
 * are different. Errors: FORMAT (there is no room for the number), MEMORY. */
enum shw_result shw_record_names_make_distinct(const char *const *names, uint32_t count,
                                               const struct shw_model_source *source, const char ***distinct);

/* The texels that the counts take, of which the first ones are those of the header. */
uint64_t shw_record_forest_count_texels(const struct shw_record_forest_info *info);

/* The texel where the sets begin; 0: there are none. */
uint32_t shw_record_forest_get_sets_texel(const struct shw_record_forest_info *info);

/* Makes the texture of a checked record forest. False if out of memory. */
bool shw_record_forest_pack(struct shw_record_forest *forest);

#endif
