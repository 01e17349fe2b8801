/* The texts of feature types and channel kinds in files of forests, which the library stores but never runs. */
#ifndef SHW_DENSE_FOREST_CODE_H
#define SHW_DENSE_FOREST_CODE_H

#include <jansson.h>

#include <shadewood/forest.h>

#include "base/model.h"

struct shw_forest_code {
    char *name, *text;
    char hash[33]; /* XXH3-128 of the text */
    bool is_feature;
    bool is_used; /* by the forest or a level below, as its metadata says */
};

/* No forest can use more texts. */
#define SHW_FOREST_CODE_MAX (SHW_LEVELS_MAX * (1 + SHW_CHANNEL_KINDS_MAX))

/* Lists the texts of a file in memory and of the levels below, each once, at most one more than a forest can use; NULL
 * and *count = 0 if there are none, or if the file is not a forest, which loading reports. Damaged entries are left to
 * loading, too. False if memory runs out. */
bool shw_forest_code_list(const void *bytes, size_t size, struct shw_forest_code **list, uint32_t *count);
void shw_forest_code_free(struct shw_forest_code **list, uint32_t count);

/* The member "code" of the metadata: the texts of the feature type and of the kinds in the list; NULL: there is none.
 */
json_t *shw_forest_code_format(const struct shw_forest_info *info);
bool shw_forest_has_code(const struct shw_forest_info *info);

/* Checks that the member of a file, which may be NULL, is a list of texts. Errors: FORMAT. */
enum shw_result shw_forest_code_check_list(json_t *code, const struct shw_model_source *source);

/* Checks such a list against the types and kinds that the forest has got: those with a
 * text must have the same. Errors: FORMAT. */
enum shw_result shw_forest_code_check(json_t *code, const struct shw_forest_info *info,
                                      const struct shw_model_source *source);

/* Whether it has the text of a feature type (or else a kind) of that name. */
bool shw_forest_code_names(json_t *code, bool is_feature, const char *name);

#endif
