/* The shaders of a text: those that shadewood_feature() and shadewood_channel_kind() in cmake compile of headers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/technique.h>

#include "base/log.h"
#include "base/thread_pool.h"
#include "dense/channels/channel_maker.h"
#include "files/code/compile.h"
#include "files/code/files.h"
#include "files/code/module.h"

#define BIT(technique) (1u << SHW_TECHNIQUE_##technique)

/* `evaluate`, `training`: the techniques that need the shader; of images in several windows, only some trainings do. */
static const struct {
    enum shw_feature_role role;
    const char *path, *definition;
    uint32_t evaluate, training;
} feature_shaders[] = {
    {SHW_ROLE_EVALUATE_TREES, "shaders/dense/traverse/evaluate_trees.comp", NULL, BIT(COMPUTE), 0},
    {SHW_ROLE_EVALUATE_LEAVES1, "shaders/dense/traverse/evaluate_leaves.frag", "GROUP=1", BIT(FRAGMENT), 0},
    {SHW_ROLE_EVALUATE_LEAVES4, "shaders/dense/traverse/evaluate_leaves.frag", "GROUP=4", BIT(FRAGMENT), 0},
    {SHW_ROLE_CANDIDATES, "shaders/dense/train/candidates.comp", NULL, 0, BIT(COMPUTE) | BIT(BLEND)},
    {SHW_ROLE_PROBES, "shaders/dense/train/probes.comp", NULL, 0, BIT(COMPUTE) | BIT(BLEND)},
    {SHW_ROLE_HISTOGRAM, "shaders/dense/train/histogram.comp", NULL, 0, BIT(COMPUTE) | BIT(BLEND)},
    {SHW_ROLE_SIDES, "shaders/dense/train/sides.comp", NULL, 0, BIT(COMPUTE) | BIT(BLEND)},
    {SHW_ROLE_PROBES_WINDOWS, "shaders/dense/train/probes.comp", "WINDOWS", 0, 0},
    {SHW_ROLE_HISTOGRAM_WINDOWS, "shaders/dense/train/histogram.comp", "WINDOWS", 0, 0},
    {SHW_ROLE_SIDES_WINDOWS, "shaders/dense/train/sides.comp", "WINDOWS", 0, 0},
    {SHW_ROLE_BLEND_LEAVES, "shaders/dense/train/blend_leaves.frag", NULL, 0, BIT(BLEND)},
    {SHW_ROLE_BLEND_RESPOND, "shaders/dense/train/blend_respond.frag", NULL, 0, BIT(BLEND)},
};
_Static_assert(sizeof feature_shaders / sizeof *feature_shaders == SHW_ROLE_COUNT, "every role has a shader");

uint32_t shw_code_variants(const struct shw_code_text *text, uint32_t pass)
{
    const bool reads_inputs =
        text->pass_count == 0 || (pass < text->pass_count ? &text->passes[pass].reading : &text->reading)->inputs;

    return shw_channel_variants(reads_inputs, text->input[0] != '\0');
}

uint32_t shw_code_first_shader(const struct shw_code_text *text, uint32_t pass, bool is_fragment)
{
    uint32_t first = 0;

    for (uint32_t p = 0; p < pass; p++)
        first += 2 * shw_code_variants(text, p);
    return is_fragment ? first : first + shw_code_variants(text, pass);
}

/* The numbers from `first` on, `count` < 64 of them. */
static uint64_t numbers(uint32_t first, uint32_t count)
{
    return ((UINT64_C(1) << count) - 1) << first;
}

uint64_t shw_code_all_shaders(const struct shw_code_text *text)
{
    _Static_assert(SHW_CODE_SHADERS_MAX < 64, "a set has 64 bits");
    return numbers(0, text->subject == SHW_CODE_FEATURE ? SHW_ROLE_COUNT
                                                        : shw_code_first_shader(text, text->pass_count + 1, true));
}

uint64_t shw_code_shaders_for(const struct shw_code_text *text, const struct shw_code_needs *needs)
{
    uint64_t set = 0;

    if (needs == NULL)
        return 0;
    for (uint32_t p = 0; p <= text->pass_count && text->subject == SHW_CODE_CHANNEL; p++)
        for (int stage = 0; stage < 2; stage++)
            if ((needs->channels & (stage == 0 ? BIT(FRAGMENT) : BIT(COMPUTE))) != 0)
                set |= numbers(shw_code_first_shader(text, p, stage == 0), shw_code_variants(text, p));
    for (uint32_t i = 0; i < SHW_ROLE_COUNT && text->subject == SHW_CODE_FEATURE; i++)
        if ((feature_shaders[i].evaluate & needs->evaluate) != 0 ||
            (feature_shaders[i].training & needs->training) != 0)
            set |= UINT64_C(1) << feature_shaders[i].role;
    return set;
}

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
    uint32_t count, numbers[SHW_CODE_SHADERS_MAX]; /* the shaders to compile */
    struct shw_code_shader shaders[SHW_CODE_SHADERS_MAX];
};

static void compile(void *user, uint32_t index, uint32_t thread)
{
    struct work *work = user;

    (void)thread;
    if (shw_code_goes_on(work->patience))
        work->exports->compile(&work->shaders[work->numbers[index]]);
}

static void compile_all(struct work *work)
{
    struct shw_thread_pool *pool = NULL;

    if (work->count > 1)
        (void)shw_thread_pool_create(0, &pool); /* without one, on this thread */
    shw_thread_pool_run(pool, work->count, compile, work);
    shw_thread_pool_destroy(&pool);
}

static enum shw_result take_all(const struct work *work, const char *file, const struct shw_log *log,
                                struct shw_shader shaders[SHW_CODE_SHADERS_MAX])
{
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; i < work->count; i++) {
        const struct shw_code_shader *shader = &work->shaders[work->numbers[i]];

        if (shader->words == NULL && result == SHW_OK && !shw_code_goes_on(work->patience))
            result = SHW_ERROR_CANCELLED;
        if (shader->words == NULL && result == SHW_OK)
            result =
                shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s: %s: %s", file, shader->path, shader->why);
        shaders[work->numbers[i]] = (struct shw_shader){shader->words, shader->size};
    }
    if (result != SHW_OK)
        shw_code_free_shaders(shaders);
    return result;
}

static void describe_feature(struct work *work)
{
    for (uint32_t i = 0; i < SHW_ROLE_COUNT; i++) {
        struct shw_code_shader *shader = &work->shaders[feature_shaders[i].role];

        shader->path = feature_shaders[i].path;
        shader->text = shw_code_file_find(shader->path)->text;
        shader->definitions[0] = feature_shaders[i].definition;
    }
}

/* The shaders of a pass, from number `first` on; `stages`: the texts of the fragment and the compute shader. */
static void describe_pass(const struct shw_code_text *text, uint32_t pass, char *const stages[2],
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
}

static enum shw_result compile_set(const struct shw_code_text *text, struct work *work, const struct shw_log *log,
                                   struct shw_shader shaders[SHW_CODE_SHADERS_MAX])
{
    char *stages[2] = {NULL, NULL};
    enum shw_result result = SHW_OK;

    if (text->subject == SHW_CODE_FEATURE) {
        describe_feature(work);
    } else {
        stages[0] = fill_in("shaders/dense/channels/kind.frag.in");
        stages[1] = fill_in("shaders/dense/channels/kind.comp.in");
        if (stages[0] == NULL || stages[1] == NULL)
            result = shw_fail_memory(log, text->file);
        for (uint32_t p = 0; p <= text->pass_count; p++)
            describe_pass(text, p, stages, work->shaders + shw_code_first_shader(text, p, true));
    }
    if (result == SHW_OK) {
        compile_all(work);
        result = take_all(work, text->file, log, shaders);
    }
    free(stages[0]);
    free(stages[1]);
    return result;
}

enum shw_result shw_code_compile_shaders(const struct shw_code_text *text, const char *header, uint64_t set,
                                         const struct shw_code_patience *patience, const struct shw_log *log,
                                         struct shw_shader shaders[SHW_CODE_SHADERS_MAX])
{
    static struct shw_module module = SHW_MODULE(SHW_CODE_MODULE, SHW_CODE_EXPORTS);
    const struct shw_module_exports *exports;
    struct work *work;
    enum shw_result result;

    memset(shaders, 0, SHW_CODE_SHADERS_MAX * sizeof *shaders);
    SHW_PROPAGATE(shw_module_load(&module, text->file, "compiled", log, &exports));
    work = calloc(1, sizeof *work);
    if (work == NULL)
        return shw_fail_memory(log, text->file);
    work->exports = (const struct shw_code_exports *)exports;
    work->patience = patience;
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++) {
        work->shaders[i].include = include;
        work->shaders[i].user = (void *)(uintptr_t)header;
        if ((set >> i & 1) != 0)
            work->numbers[work->count++] = i;
    }
    result = work->count > 0 ? compile_set(text, work, log, shaders) : SHW_OK;
    free(work);
    return result;
}

void shw_code_free_shaders(struct shw_shader shaders[SHW_CODE_SHADERS_MAX])
{
    for (uint32_t i = 0; i < SHW_CODE_SHADERS_MAX; i++) {
        free((void *)(uintptr_t)shaders[i].words);
        shaders[i] = (struct shw_shader){NULL, 0};
    }
}
