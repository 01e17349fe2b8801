#include "bench/bench.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "bench/document.h"

int shw_bench_plugins_find(const struct shw_bench_plugins *plugins, const char *name, size_t length)
{
    for (uint32_t i = 0; i < plugins->technique_count; i++)
        if (strlen(plugins->techniques[i]->name) == length && strncmp(plugins->techniques[i]->name, name, length) == 0)
            return (int)i;
    return -1;
}

static enum shw_result take(struct shw_bench_plugins *plugins, const char *path, void *object,
                            const struct shw_log *log)
{
    void *symbol = dlsym(object, SHW_STAGE_TECHNIQUES_SYMBOL);
    shw_stage_techniques_function techniques;
    const struct shw_stage_technique *const *list;
    uint32_t count = 0;

    if (symbol == NULL)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s exports no %s (shadewood/stage.h)", path,
                        SHW_STAGE_TECHNIQUES_SYMBOL);
    memcpy(&techniques, &symbol, sizeof techniques); /* ISO C does not convert object pointers to function pointers */
    list = techniques(&count);
    if (list == NULL || count == 0)
        return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s has no techniques", path);
    for (uint32_t i = 0; i < count; i++) {
        SHW_PROPAGATE(shw_stage_technique_check(list[i], log));
        if (shw_bench_plugins_find(plugins, list[i]->name, strlen(list[i]->name)) >= 0)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: there is already a technique %s", path,
                            list[i]->name);
        if (plugins->technique_count == SHW_BENCH_CUSTOM_MAX)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: more than %u techniques", path,
                            SHW_BENCH_CUSTOM_MAX);
        plugins->techniques[plugins->technique_count++] = list[i];
    }
    return SHW_OK;
}

enum shw_result shw_bench_plugins_load(struct shw_bench_plugins *plugins, const char *path, const struct shw_log *log)
{
    char file[4096];
    void *object;

    /* dlopen() searches the system's libraries for a name without a slash */
    snprintf(file, sizeof file, "%s%s", strchr(path, '/') == NULL ? "./" : "", path);
    if (plugins->object_count == SHW_BENCH_CUSTOM_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ, "%s: more than %u shared objects", path,
                        SHW_BENCH_CUSTOM_MAX);
    object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_READ, "%s cannot be loaded: %s", path, dlerror());
    plugins->objects[plugins->object_count++] = object;
    return take(plugins, path, object, log);
}

void shw_bench_plugins_unload(struct shw_bench_plugins *plugins)
{
    while (plugins->object_count > 0)
        dlclose(plugins->objects[--plugins->object_count]);
    *plugins = (struct shw_bench_plugins){0};
}

const struct shw_bench_suite shw_bench_suites[] = {
    {"roofline", "peak rates of the device and the processor: the limits of the other suites", shw_bench_roofline},
    {"pipeline", "every stage with every technique, over sizes, trees, depth, classes and outputs", shw_bench_pipeline},
    {"planes", "every stage of pictures of 3 to 64 planes", shw_bench_planes},
    {"shapes", "every stage of forests whose rectangles are of any shape, or of few", shw_bench_shapes},
    {"smoothing", "labelling with and without smoothing, smoothing alone, and two levels", shw_bench_smoothing},
    {"sharp", "Figures 8, 9 and 10 of Sharp 2008", shw_bench_sharp},
    {"ferns", "evaluation of ferns, and of trees of the same depth", shw_bench_ferns},
    {"curfil", "prediction and the split of a root in CURFIL's settings", shw_bench_curfil},
    {"detect", "cascades over windows, in the variants of Jurak 2015, and a given cascade", shw_bench_detect},
    {"embed", "a frame in an engine: recording, frame, device", shw_bench_embed},
    {"viewer", "from a stroke in the viewer to its overlay, on a small picture and on one of 12 megapixels",
     shw_bench_viewer},
    {"texts", "feature types and a channel kind as text, beside the library's", shw_bench_texts},
    {"training", "training in the settings of Sharp and CURFIL, and with less memory than images need",
     shw_bench_training},
    {"records", "record forests over attribute records: Spencer's experiment, shapes, sizes, where speculation wins",
     shw_bench_records},
    {"blending", "histograms by blended points, against the device's blending rate", shw_bench_blending},
    {"boosting", "histograms of the training of cascades", shw_bench_boosting},
    {0},
};

/* An error of a setting is shown in its row, so it is stored here. */
static void receive(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct shw_bench *bench = user;

    if (level == SHW_LOG_ERROR)
        snprintf(bench->message, sizeof bench->message, "%s", text);
    else if (bench->outer.function != NULL)
        bench->outer.function(bench->outer.user, level, item, text);
}

enum shw_result shw_bench_open(struct shw_bench *bench, const struct shw_bench_options *options, uint32_t index,
                               bool device_needed, const char *command)
{
    struct shw_device_create_params params = {.index = index};
    enum shw_result result;

    bench->log = (struct shw_log){.function = receive, .user = bench, .level = bench->outer.level};
    bench->options = *options;
    bench->has_runs = options->runs > 0;
    bench->device_index = index;
    params.log = bench->log;
    result = shw_device_create(&params, &bench->device);
    if (result != SHW_OK && (device_needed || (result != SHW_ERROR_NO_DEVICE && result != SHW_ERROR_UNSUPPORTED)))
        return result;
    if (bench->device != NULL)
        shw_device_describe(bench->device, &bench->description);
    bench->options.quick = options->quick || bench->device == NULL || bench->description.is_cpu;
    if (bench->options.runs == 0)
        bench->options.runs = bench->options.quick ? 21 : 51;
    if (!(bench->options.seconds > 0))
        bench->options.seconds = !bench->options.quick ? 5 : shw_bench_is_small(bench) ? 0.25 : 1;
    if (shw_thread_pool_create(0, &bench->pool) != SHW_OK)
        return shw_fail_memory(&bench->log, "threads");
    bench->document = shw_bench_document(bench->device != NULL ? &bench->description : NULL,
                                         shw_thread_pool_size(bench->pool), command);
    return bench->document != NULL ? SHW_OK : shw_fail_memory(&bench->log, "the bench's document");
}

void shw_bench_close(struct shw_bench *bench)
{
    json_decref(bench->document);
    bench->document = NULL;
    shw_thread_pool_destroy(&bench->pool);
    shw_device_destroy(&bench->device);
}

bool shw_bench_wants(const struct shw_bench *bench, enum shw_technique technique)
{
    if (shw_technique_needs_device(technique) && bench->device == NULL)
        return false;
    if ((technique == SHW_TECHNIQUE_FRAGMENT || technique == SHW_TECHNIQUE_BLEND) && !bench->device->has_graphics)
        return false;
    return bench->options.techniques == 0 || (bench->options.techniques >> technique & 1) != 0;
}

bool shw_bench_is_small(const struct shw_bench *bench)
{
    return bench->options.quick && (bench->device == NULL || bench->description.is_cpu);
}

void shw_bench_say(const struct shw_bench *bench, const char *format, ...)
{
    char text[256];
    va_list arguments;

    if (bench->say == NULL)
        return;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    bench->say(bench->user, text);
}

bool shw_bench_is_skip(enum shw_result result)
{
    return result == SHW_ERROR_MEMORY || result == SHW_ERROR_DEVICE_MEMORY || result == SHW_ERROR_LIMIT ||
           result == SHW_ERROR_UNSUPPORTED;
}
