/* The compiler of shaders, a module (files/io/module.h), because its library has several megabytes. */
#ifndef SHW_FILES_CODE_MODULE_H
#define SHW_FILES_CODE_MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "files/io/module.h"

#define SHW_CODE_MODULE          "shadewood-shaders.so"
#define SHW_CODE_EXPORTS         "shw_code_exports"
#define SHW_CODE_DEFINITIONS_MAX 3u

/* A shader to compile. */
struct shw_code_shader {
    const char *path; /* in the sources, for includes and messages */
    const char *text;
    const char *definitions[SHW_CODE_DEFINITIONS_MAX]; /* "NAME" or "NAME=VALUE"; NULL after the last */
    /* The text of an included file, and its path; NULL: there is none. `from`: the path of the including file. */
    const char *(*include)(void *user, const char *name, const char *from, const char **path);
    void *user;
    uint32_t *words; /* result, to be freed with free(); NULL: `why` says what is wrong */
    size_t size;
    char why[1024];
};

struct shw_code_exports {
    struct shw_module_exports module;
    /* Any thread. */
    void (*compile)(struct shw_code_shader *shader);
};

#endif
