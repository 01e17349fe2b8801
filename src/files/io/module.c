#include "files/io/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/io/image_paths.h"

/* The last place that is tried says why there is none. */
static void *find(const char *file)
{
    static const char *const folders[] = {"", SHW_MODULE_FOLDER};
    char program[PATH_MAX], path[2 * PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    void *library = NULL;

    if (length <= 0)
        return NULL;
    program[length] = '\0';
    length = shw_path_last(program) - program;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && library == NULL; i++) {
        snprintf(path, sizeof path, "%.*s%s%s", (int)length, program, folders[i], file);
        if (i == 1 || access(path, F_OK) == 0)
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return library;
}

static void load(struct shw_module *module)
{
    void *library = find(module->file);
    const struct shw_module_exports *found = library != NULL ? dlsym(library, module->symbol) : NULL;
    const char *error = found == NULL ? dlerror() : NULL;

    if (found != NULL && strcmp(found->version, SHW_MODULE_VERSION) == 0)
        module->exports = found;
    else if (found != NULL)
        snprintf(module->reason, sizeof module->reason, "%s is of version %s, not %s", module->file, found->version,
                 SHW_MODULE_VERSION);
    else if (error != NULL)
        snprintf(module->reason, sizeof module->reason, "%s", error);
    else
        snprintf(module->reason, sizeof module->reason, "%s is not found", module->file);
}

enum shw_result shw_module_load(struct shw_module *module, const char *path, const char *verb,
                                const struct shw_log *log, const struct shw_module_exports **exports)
{
    pthread_mutex_lock(&module->mutex);
    if (module->exports == NULL && module->reason[0] == '\0')
        load(module);
    pthread_mutex_unlock(&module->mutex);
    *exports = module->exports;
    if (*exports != NULL)
        return SHW_OK;
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT, "%s cannot be %s: %s", path, verb, module->reason);
}
