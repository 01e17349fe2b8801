/* Where no compiler is called at run time: files with texts are read, and what they define is refused. */
#include "base/log.h"
#include "files/code/compile.h"

bool shw_code_goes_on(const struct shw_code_patience *patience)
{
    return patience == NULL || patience->go_on(patience->user);
}

void shw_code_compiled_free(struct shw_code_compiled *compiled)
{
    *compiled = (struct shw_code_compiled){0};
}

void shw_code_remember_shaders(const struct shw_code_compiled *compiled)
{
    (void)compiled;
}

uint64_t shw_code_find_missing(const struct shw_code_compiled *compiled, uint64_t set)
{
    (void)compiled;
    return set;
}

void shw_code_add_shaders(struct shw_shader more[SHW_CODE_SHADERS_MAX], struct shw_code_compiled *compiled)
{
    (void)compiled;
    shw_code_free_shaders(more);
}

enum shw_result shw_code_compile(const struct shw_code_text *text, uint64_t set,
                                 const struct shw_code_patience *patience, const struct shw_log *log,
                                 struct shw_code_compiled *compiled)
{
    (void)set, (void)patience;
    *compiled = (struct shw_code_compiled){0};
    return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "%s cannot be compiled: on Windows, feature types and channel kinds from text are not supported",
                    text->file);
}
