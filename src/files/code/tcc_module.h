/* A small C compiler, for computers without one: a module (files/io/module.h), because its library, TinyCC, has another
 * licence. */
#ifndef SHW_FILES_CODE_TCC_MODULE_H
#define SHW_FILES_CODE_TCC_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "files/io/module.h"

#define SHW_TCC_MODULE  "shadewood-tcc.so"
#define SHW_TCC_EXPORTS "shw_tcc_exports"

/* A shared object to make. */
struct shw_code_object {
    const char *source, *path;  /* the file, and the one that is written */
    const char *const *folders; /* for includes; NULL after the last */
    char why[1024];             /* result, if it was not made; "" at first */
};

struct shw_tcc_exports {
    struct shw_module_exports module;
    /* Whether the object was made. One thread at a time. */
    bool (*compile)(struct shw_code_object *object);
};

#endif
