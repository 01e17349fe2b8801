#include "testing/plugin.h"

#include <dlfcn.h>
#include <string.h>

#include "testing/testing.h"

const struct shw_stage_technique *testing_plugin(const char *path)
{
    shw_stage_techniques_function techniques = NULL;
    const struct shw_stage_technique *const *list;
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol;
    uint32_t count = 0;

    if (object == NULL)
        fail_msg("%s", dlerror());
    symbol = dlsym(object, SHW_STAGE_TECHNIQUES_SYMBOL);
    assert_non_null(symbol);
    memcpy(&techniques, &symbol, sizeof techniques); /* ISO C knows no conversion */
    list = techniques(&count);
    assert_true(count > 0);
    return list[0];
}
