/* The space that `shadewood tune` searches: of each setting of a training the choices or the range, as in Table 5.1 of
 * Waldvogel's thesis (2013) for the parameters that it has. */
#ifndef SHW_FILES_TUNE_SPACE_H
#define SHW_FILES_TUNE_SPACE_H

#include <jansson.h>

#include <shadewood/channels.h>
#include <shadewood/feature.h>
#include <shadewood/log.h>

#include "files/tune/search.h"

#define SHW_SPACE_CHOICES_MAX 16u
#define SHW_SPACE_TEXT_SIZE   192u

struct shw_space_dimension {
    const char *name; /* of the setting */
    struct shw_dimension range;
    char choices[SHW_SPACE_CHOICES_MAX][SHW_SPACE_TEXT_SIZE];
    bool is_given; /* by shw_space_change() */
};

struct shw_space {
    uint32_t count;
    struct shw_space_dimension dimensions[SHW_DIMENSIONS_MAX];
    bool of_strokes;
    struct shw_channel_kinds kinds;         /* besides the library's, which channels may name; borrowed */
    const struct shw_feature_type *feature; /* one besides the library's that the setting may have; NULL: none */
};

/* The default space: for strokes of a project without what a project defines, and with depth with lists of channels
 * that read it. */
void shw_space_make(bool of_strokes, bool has_depth, bool has_height, struct shw_space *space);

/* Changes a dimension as the user says: "depth=5:20" a range, "depth=14" a number, "channels=wide|lab" choices, which
 * may be any values of the setting. False, with a reason that follows the text in a message. */
bool shw_space_change(struct shw_space *space, const char *text, char *why, size_t size);

/* Widens the space so that the setting is in it, but for what shw_space_change() has said and for choices without room.
 */
void shw_space_widen(struct shw_space *space, const json_t *setting);

/* Lessens candidates and then pixels of a setting, but to no less than 100 each, until it is no more work than that
 * (shw_space_work()), if possible. False if memory is exhausted. */
bool shw_space_lighten(const struct shw_space *space, json_t *setting, double work);

/* The setting of a point: whole, so that a training needs nothing else. What has no effect has the value that it then
 * would have anyway. NULL if memory is exhausted. */
json_t *shw_space_setting(const struct shw_space *space, const double *values);

/* The point of a setting, or the nearest one, with the first choice instead of one that is not in the space; the result
 * is then false. Members that the setting lacks have the trainer's default. */
bool shw_space_point(const struct shw_space *space, const json_t *setting, double *values);

/* The nearest setting in the space, with the members for which the space has no dimension. NULL if memory is exhausted.
 */
json_t *shw_space_nearest(const struct shw_space *space, const json_t *setting);

/* About how much more a training costs than with the defaults: candidates, pixels and depth in proportion, and twice as
 * much with mirror images. */
double shw_space_work(const struct shw_space *space, const double *values);

#endif
