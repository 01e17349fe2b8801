/* Feature types and channel kinds in shared objects, for the option --plugin: what texts cannot say. */
#ifndef SHW_FILES_CODE_PLUGIN_H
#define SHW_FILES_CODE_PLUGIN_H

#include <shadewood/channel_kind.h>
#include <shadewood/feature.h>
#include <shadewood/forest.h>
#include <shadewood/log.h>

#include "base/options.h"

#define SHW_PLUGIN_FEATURES_MAX 16u

/* Zero: none. */
struct shw_plugins {
    const struct shw_feature_type *features[SHW_PLUGIN_FEATURES_MAX];
    uint32_t feature_count, kind_count;
    struct shw_channel_kinds kinds;
};

/* Loads an object, which stays loaded, and adds what it exports (SHW_FEATURE_TYPES_SYMBOL, SHW_CHANNEL_KINDS_SYMBOL).
 * Errors: IO, FORMAT for an object without them, VERSION for one that was built for another version, LIMIT. */
enum shw_result shw_plugins_load(struct shw_plugins *plugins, const char *path, const struct shw_log *log);

/* Loads all files of an option. Errors: as above. */
enum shw_result shw_plugins_load_all(struct shw_plugins *plugins, const struct shw_option_list *paths,
                                     const struct shw_log *log);

/* For forests that may have what the plugins export. `plugins` must stay where it is while they are loaded. */
struct shw_forest_load_params shw_plugins_params(const struct shw_plugins *plugins, const struct shw_log *log);

/* NULL: there is none of that name. */
const struct shw_feature_type *shw_plugins_find(const struct shw_plugins *plugins, const char *name);

#endif
