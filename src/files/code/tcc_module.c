/* Compiles C with TinyCC (tcc_module.h). */
#include "files/code/tcc_module.h"

#include <libtcc.h>
#include <stdio.h>
#include <string.h>

/* The first message that is an error, or else the first. */
static void hear(void *user, const char *message)
{
    struct shw_code_object *object = user;
    const bool is_first = object->why[0] == '\0', is_error = strstr(message, "error") != NULL;

    if (is_first || (is_error && strstr(object->why, "error") == NULL))
        snprintf(object->why, sizeof object->why, "%s", message);
}

static bool compile(struct shw_code_object *object)
{
    TCCState *state = tcc_new();
    bool fine;

    if (state == NULL)
        return false;
    tcc_set_error_func(state, object, hear);
    tcc_set_options(state, "-nostdlib -nostdinc -w");
    for (uint32_t i = 0; object->folders[i] != NULL; i++)
        tcc_add_include_path(state, object->folders[i]);
    fine = tcc_set_output_type(state, TCC_OUTPUT_DLL) == 0 && tcc_add_file(state, object->source) == 0 &&
           tcc_output_file(state, object->path) == 0;
    tcc_delete(state);
    return fine;
}

extern const struct shw_tcc_exports shw_tcc_exports;
__attribute__((visibility("default")))
const struct shw_tcc_exports shw_tcc_exports = {.module = {SHW_MODULE_VERSION}, .compile = compile};
