#include "bench/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"

int shw_bench_plugins_find(const struct shw_bench_plugins *plugins, const char *name, size_t length)
{
    for (uint32_t i = 0; i < plugins->technique_count; i++)
        if (strlen(plugins->techniques[i]->name) == length && strncmp(plugins->techniques[i]->name, name, length) == 0)
            return (int)i;
    return -1;
}

static enum shw_result take(struct shw_bench_plugins *plugins, const char *path, void *object,
                            const struct shw_log *log)
{
    void *symbol = dlsym(object, SHW_STAGE_TECHNIQUES_SYMBOL);
    shw_stage_techniques_function techniques;
    const struct shw_stage_technique *const *list;
    uint32_t count = 0;

    if (symbol == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s exports no %s (shadewood/stage.h)", path,
                        SHW_STAGE_TECHNIQUES_SYMBOL);
    memcpy(&techniques, &symbol, sizeof techniques); /* ISO C does not convert object pointers to function pointers */
    list = techniques(&count);
    if (list == NULL || count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s has no techniques", path);
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(shw_stage_technique_check(list[i], log));
        if (shw_bench_plugins_find(plugins, list[i]->name, strlen(list[i]->name)) >= 0)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: there is already a technique %s", path,
                            list[i]->name);
        if (plugins->technique_count == SHW_BENCH_CUSTOM_MAX)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: more than %u techniques", path,
                            SHW_BENCH_CUSTOM_MAX);
        plugins->techniques[plugins->technique_count++] = list[i];
    }
    return SHW_OK;
}

enum shw_result shw_bench_plugins_load(struct shw_bench_plugins *plugins, const char *path, const struct shw_log *log)
{
    char file[4096];
    void *object;

    /* dlopen() searches the system's libraries for a name without a slash */
    snprintf(file, sizeof file, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (plugins->object_count == SHW_BENCH_CUSTOM_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: more than %u shared objects", path,
                        SHW_BENCH_CUSTOM_MAX);
    object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "%s cannot be loaded: %s", path, dlerror());
    plugins->objects[plugins->object_count++] = object;
    return take(plugins, path, object, log);
}

void shw_bench_plugins_unload(struct shw_bench_plugins *plugins)
{
    while (plugins->object_count > 0)
        dlclose(plugins->objects[--plugins->object_count]);
    *plugins = (struct shw_bench_plugins){0};
}
