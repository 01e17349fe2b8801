/* Modules: parts of the programs that are loaded when they are needed, because the libraries that they are linked with
 * would make every start several times as slow: FFmpeg's, with those that they need, are two hundred. */
#ifndef SHW_FILES_IO_MODULE_H
#define SHW_FILES_IO_MODULE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>

#include <shadewood/log.h>

/* What a module exports begins with this. */
struct shw_module_exports {
    const char *version; /* of the project: a module of another version is refused */
};

/* One per module, static: SHW_MODULE(file, symbol). */
struct shw_module {
    const char *file;   /* "shadewood-video.so" */
    const char *symbol; /* of its exports */
    pthread_mutex_t mutex;
    const struct shw_module_exports *exports; /* NULL: not loaded, and `reason` says why once that was tried */
    char reason[512];
};
#define SHW_MODULE(file_name, symbol_name)                                                                             \
    {                                                                                                                  \
        .file = file_name, .symbol = symbol_name, .mutex = PTHREAD_MUTEX_INITIALIZER                                   \
    }

/* Returns the module's exports, and loads it first if that has not been tried: the file beside the program, or else the
 * one in the folder where it is installed. It stays loaded. Any thread. Errors, logged as "PATH cannot be VERB:
 * REASON": UNSUPPORTED. */
enum shw_result shw_module_load(struct shw_module *module, const char *path, const char *verb,
                                const struct shw_log *log, const struct shw_module_exports **exports);

/* Writes the path of a file that comes with the program: the one beside it, or else the one in the folder where modules
 * are installed. False: there is none. Any thread. */
bool shw_module_find(const char *file, char path[PATH_MAX]);

#endif
