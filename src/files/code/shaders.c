/* The shaders of a text: those that shadewood_feature() and shadewood_channel_kind() in cmake compile of headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "files/code/compile.h"
#include "files/code/files.h"
#include "files/code/module.h"

static const struct {
    enum shw_feature_role role;
    const char *path, *definition;
} feature_shaders[] = {
    {SHW_ROLE_EVALUATE_TREES, "shaders/dense/traverse/evaluate_trees.comp", NULL},
    {SHW_ROLE_EVALUATE_LEAVES1, "shaders/dense/traverse/evaluate_leaves.frag", "GROUP=1"},
    {SHW_ROLE_EVALUATE_LEAVES4, "shaders/dense/traverse/evaluate_leaves.frag", "GROUP=4"},
    {SHW_ROLE_CANDIDATES, "shaders/dense/train/candidates.comp", NULL},
    {SHW_ROLE_PROBES, "shaders/dense/train/probes.comp", NULL},
    {SHW_ROLE_HISTOGRAM, "shaders/dense/train/histogram.comp", NULL},
    {SHW_ROLE_SIDES, "shaders/dense/train/sides.comp", NULL},
    {SHW_ROLE_PROBES_WINDOWS, "shaders/dense/train/probes.comp", "WINDOWS"},
    {SHW_ROLE_HISTOGRAM_WINDOWS, "shaders/dense/train/histogram.comp", "WINDOWS"},
    {SHW_ROLE_SIDES_WINDOWS, "shaders/dense/train/sides.comp", "WINDOWS"},
    {SHW_ROLE_BLEND_LEAVES, "shaders/dense/train/blend_leaves.frag", NULL},
    {SHW_ROLE_BLEND_RESPOND, "shaders/dense/train/blend_respond.frag", NULL},
};
_Static_assert(sizeof feature_shaders / sizeof *feature_shaders == SHW_ROLE_COUNT, "every role has a shader");

#define KIND_HEADER "own.h"

const struct shw_code_file *shw_code_file_find(const char *path)
{
    for (uint32_t i = 0; i < shw_code_file_count; i++)
        if (strcmp(shw_code_files[i].path, path) == 0)
            return &shw_code_files[i];
    return NULL;
}

/* Beside the including file, or else in the folders of cmake/shaders.cmake. */
static const char *include(void *user, const char *name, const char *from, const char **path)
{
    static const char *const folders[] = {"shaders/shared/", "shaders/dense/feature/", "shaders/"};
    const char *slash = strrchr(from, '/');
    const struct shw_code_file *file;
    char full[256];

    if (strcmp(name, "feature_type.h") == 0 || strcmp(name, KIND_HEADER) == 0) {
        *path = name;
        return user;
    }
    snprintf(full, sizeof full, "%.*s%s", slash != NULL ? (int)(slash + 1 - from) : 0, from, name);
    file = shw_code_file_find(full);
    for (int i = 0; i < 3 && file == NULL; i++) {
        snprintf(full, sizeof full, "%s%s", folders[i], name);
        file = shw_code_file_find(full);
    }
    *path = file != NULL ? file->path : "";
    return file != NULL ? file->text : NULL;
}

/* A template with its places filled in, to be freed. */
static char *fill_in(const char *path)
{
    static const char header[] = "@SHW_HEADER@";
    const struct shw_code_file *file = shw_code_file_find(path);
    const char *place = file != NULL ? strstr(file->text, header) : NULL;
    char *text = place != NULL ? malloc(file->size + sizeof KIND_HEADER) : NULL;

    if (text != NULL)
        snprintf(text, file->size + sizeof KIND_HEADER, "%.*s%s%s", (int)(place - file->text), file->text, KIND_HEADER,
                 place + sizeof header - 1);
    return text;
}

/* `user` of a shader is the header for includes; the exports are passed beside it. */
struct work {
    const struct shw_code_exports *exports;
    const struct shw_code_patience *patience;
    struct shw_code_shader shaders[SHW_CODE_SHADERS_MAX];
};

static void compile(void *user, uint32_t index, uint32_t thread)
{
    struct work *work = user;

    (void)thread;
    if (shw_code_goes_on(work->patience))
        work->exports->compile(&work->shaders[index]);
}

static enum shw_result compile_all(const struct shw_code_text *text, struct work *work, uint32_t count,
                                   const struct shw_log *log, struct shw_code_compiled *compiled)
{
    static struct shw_module module = SHW_MODULE(SHW_CODE_MODULE, SHW_CODE_EXPORTS);
    const struct shw_module_exports *exports;
    struct shw_thread_pool *pool = NULL;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(shw_module_load(&module, text->file, "compiled", log, &exports));
    work->exports = (const struct shw_code_exports *)exports;
    (void)shw_thread_pool_create(0, &pool); /* without one, on this thread */
    shw_thread_pool_run(pool, count, compile, work);
    shw_thread_pool_destroy(&pool);
    compiled->shader_count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct shw_code_shader *shader = &work->shaders[i];

        if (shader->words == NULL && result == SHW_OK && !shw_code_goes_on(work->patience))
            result = SHW_ERROR_CANCELLED;
        if (shader->words == NULL && result == SHW_OK)
            result = shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s: %s: %s", text->file, shader->path,
                              shader->why);
        compiled->shaders[i] = (struct shw_shader){shader->words, shader->size};
    }
    return result;
}

uint32_t shw_code_variants(const struct shw_code_text *text, uint32_t pass)
{
    const bool reads_inputs =
        text->pass_count == 0 || (pass < text->pass_count ? &text->passes[pass].reading : &text->reading)->inputs;

    return !reads_inputs ? 1 : text->input[0] == '\0' ? SHW_CHANNEL_VIEWS / 2 : SHW_CHANNEL_VIEWS;
}

/* The shaders of a pass; returns their number. */
static uint32_t describe_pass(const struct shw_code_text *text, uint32_t pass, char *const stages[2],
                              struct shw_code_shader *shaders)
{
    static const char *const numbers[] = {"SHW_PASS=0", "SHW_PASS=1", "SHW_PASS=2", "SHW_PASS=3",
                                          "SHW_PASS=4", "SHW_PASS=5", "SHW_PASS=6"};
    const uint32_t variants = shw_code_variants(text, pass);

    _Static_assert(sizeof numbers / sizeof *numbers == SHW_CHANNEL_PASSES_MAX + 1, "every pass has a number");
    for (uint32_t i = 0; i < 2 * variants; i++) {
        struct shw_code_shader *shader = &shaders[i];
        const uint32_t views = i % variants, stage = i / variants;

        shader->path = stage == 0 ? "shaders/dense/channels/kind.frag" : "shaders/dense/channels/kind.comp";
        shader->text = stages[stage];
        shader->definitions[0] = (views & 1) != 0 ? "COLOUR_IS_UINT" : "COLOUR_IS_FLOAT";
        shader->definitions[1] = (views & 2) != 0 ? "OTHER_IS_UINT" : "OTHER_IS_FLOAT";
        shader->definitions[2] = numbers[pass];
    }
    return 2 * variants;
}

static enum shw_result compile_kind(const struct shw_code_text *text, struct work *work, const struct shw_log *log,
                                    struct shw_code_compiled *compiled)
{
    char *stages[2] = {fill_in("shaders/dense/channels/kind.frag.in"), fill_in("shaders/dense/channels/kind.comp.in")};
    enum shw_result result = SHW_OK;
    uint32_t count = 0;

    for (uint32_t p = 0; p <= text->pass_count; p++)
        count += describe_pass(text, p, stages, work->shaders + count);
    if (stages[0] == NULL || stages[1] == NULL)
        result = shw_fail_memory(log, text->file);
    if (result == SHW_OK)
        result = compile_all(text, work, count, log, compiled);
    free(stages[0]);
    free(stages[1]);
    return result;
}

enum shw_result shw_code_compile_shaders(const struct shw_code_text *text, const char *header,
                                         const struct shw_code_patience *patience, const struct shw_log *log,
                                         struct shw_code_compiled *compiled)
{
    struct work *work = calloc(1, sizeof *work);
    enum shw_result result;

    if (work == NULL)
        return shw_fail_memory(log, text->file);
    work->patience = patience;
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++) {
        work->shaders[i].include = include;
        work->shaders[i].user = (void *)(uintptr_t)header;
    }
    for (uint32_t i = 0; i < SHW_ROLE_COUNT && text->subject == SHW_CODE_FEATURE; i++) {
        struct shw_code_shader *shader = &work->shaders[feature_shaders[i].role];

        shader->path = feature_shaders[i].path;
        shader->text = shw_code_file_find(shader->path)->text;
        shader->definitions[0] = feature_shaders[i].definition;
    }
    result = text->subject == SHW_CODE_FEATURE ? compile_all(text, work, SHW_ROLE_COUNT, log, compiled)
                                               : compile_kind(text, work, log, compiled);
    free(work);
    return result;
}
