#include "files/io/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/process.h"
#include "files/io/image_paths.h"

/* Notes the first reason: a file that is there but cannot be used says more than one that is missing elsewhere. */
__attribute__((format(printf, 2, 3))) static void note(struct shw_module *module, const char *format, ...)
{
    va_list arguments;

    if (module->reason[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(module->reason, sizeof module->reason, format, arguments);
    va_end(arguments);
}

/* Loads the file if it is one, and takes its exports if they are this module's. */
static void try(struct shw_module *module, const char *path)
{
    const struct shw_module_exports *found;
    struct stat status;
    void *library;

    if (stat(path, &status) != 0)
        return;
    if (!S_ISREG(status.st_mode)) {
        note(module, "%s is not a file", path);
        return;
    }
    library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        note(module, "%s", dlerror());
        return;
    }
    found = dlsym(library, module->symbol);
    if (found != NULL && found->version != NULL && strcmp(found->version, SHW_MODULE_VERSION) == 0) {
        module->exports = found;
        return;
    }
    if (found == NULL || found->version == NULL)
        note(module, "%s is not a module of this program", path);
    else
        note(module, "%s is of version %s, not %s", module->file, found->version, SHW_MODULE_VERSION);
    dlclose(library);
}

static const char *const folders[] = {"", SHW_MODULE_FOLDER};
#define FOLDERS (sizeof folders / sizeof *folders)

/* A file in one of the folders, which are relative to that of the program. */
static void make_path(const char *file, size_t folder, char *path, size_t size)
{
    char program[PATH_MAX];

    shw_process_path(program, sizeof program);
    snprintf(path, size, "%.*s%s%s", (int)(shw_path_last(program) - program), program, folders[folder], file);
}

bool shw_module_find(const char *file, char path[PATH_MAX])
{
    struct stat status;

    for (size_t i = 0; i < FOLDERS; i++) {
        make_path(file, i, path, PATH_MAX);
        if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
            return true;
    }
    return false;
}

static void load(struct shw_module *module)
{
    char path[2 * PATH_MAX];

    for (size_t i = 0; i < FOLDERS && module->exports == NULL; i++) {
        make_path(module->file, i, path, sizeof path);
        try(module, path);
    }
    if (module->exports == NULL)
        note(module, "%s is neither beside the program nor in %s", module->file, SHW_MODULE_FOLDER);
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
