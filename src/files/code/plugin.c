#include "files/code/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

const struct shw_feature_type *shw_plugins_find(const struct shw_plugins *plugins, const char *name)
{
    for (uint32_t i = 0; i < plugins->feature_count; i++)
        if (strcmp(plugins->features[i]->name, name) == 0)
            return plugins->features[i];
    return NULL;
}

/* What was compiled with other headers has other layouts and other shaders. Types and kinds begin with their version.
 */
static enum shw_result check_version(const char *path, const char *what, const void *entry, uint32_t expected,
                                     const struct shw_log *log)
{
    uint32_t version = 0;

    if (entry != NULL)
        memcpy(&version, entry, sizeof version);
    if (version == expected)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_VERSION, SHW_LOG_FEATURE_TYPE,
                    "%s was built for another version of Shadewood: its %s have version %u, and this program takes %u; "
                    "build it again",
                    path, what, version, expected);
}

static enum shw_result add(struct shw_plugins *plugins, const char *path, const void *types, const void *kinds,
                           const struct shw_log *log)
{
    shw_feature_types_function get_types;
    shw_channel_kinds_function get_kinds;
    uint32_t count = 0;

    /* ISO C does not convert object pointers to function pointers */
    memcpy(&get_types, &types, sizeof get_types);
    memcpy(&get_kinds, &kinds, sizeof get_kinds);
    if (get_types != NULL) {
        const struct shw_feature_type *const *list = get_types(&count);

        if (count > SHW_PLUGIN_FEATURES_MAX - plugins->feature_count)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FEATURE_TYPE, "%s: more than %u feature types", path,
                            SHW_PLUGIN_FEATURES_MAX);
        for (uint32_t i = 0; i < count; i++) {
            SHW_PROPAGATE(check_version(path, "feature types", list[i], SHW_FEATURE_TYPE_VERSION, log));
            plugins->features[plugins->feature_count++] = list[i];
        }
    }
    if (get_kinds != NULL) {
        const struct shw_channel_kind *const *list = get_kinds(&count);

        if (count > SHW_CHANNEL_KINDS_MAX - plugins->kind_count)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_CHANNELS, "%s: more than %u channel kinds", path,
                            SHW_CHANNEL_KINDS_MAX);
        for (uint32_t i = 0; i < count; i++) {
            SHW_PROPAGATE(check_version(path, "channel kinds", list[i], SHW_CHANNEL_KIND_VERSION, log));
            plugins->kinds.kinds[plugins->kind_count++] = list[i];
        }
    }
    return SHW_OK;
}

struct shw_forest_load_params shw_plugins_params(const struct shw_plugins *plugins, const struct shw_log *log)
{
    return (struct shw_forest_load_params){
        .features = plugins->features, .feature_count = plugins->feature_count, .kinds = plugins->kinds, .log = *log};
}

enum shw_result shw_plugins_load_all(struct shw_plugins *plugins, const struct shw_option_list *paths,
                                     const struct shw_log *log)
{
    for (uint32_t i = 0; i < paths->count; i++)
        SHW_PROPAGATE(shw_plugins_load(plugins, paths->items[i], log));
    return SHW_OK;
}

enum shw_result shw_plugins_load(struct shw_plugins *plugins, const char *path, const struct shw_log *log)
{
    const void *types, *kinds;
    char file[4096];
    void *object;

    /* dlopen() searches the system's libraries for a name without a slash */
    snprintf(file, sizeof file, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "%s cannot be loaded: %s", path, dlerror());
    types = dlsym(object, SHW_FEATURE_TYPES_SYMBOL);
    kinds = dlsym(object, SHW_CHANNEL_KINDS_SYMBOL);
    if (types == NULL && kinds == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s exports neither %s nor %s (docs/extending.md)",
                        path, SHW_FEATURE_TYPES_SYMBOL, SHW_CHANNEL_KINDS_SYMBOL);
    return add(plugins, path, types, kinds, log);
}
