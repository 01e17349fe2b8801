#include "formats/import.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "formats/cascade_formats.h"
#include "formats/forest_formats.h"
#include "formats/record_formats.h"
#include "formats/source.h"

typedef const struct shw_import_format *list_function(size_t index);

static list_function *const lists[] = {
    [SHW_MODEL_FOREST] = shw_forest_format,
    [SHW_MODEL_CASCADE] = shw_cascade_format,
    [SHW_MODEL_RECORDS] = shw_record_format,
};

static const char *const kinds[] = {
    [SHW_MODEL_FOREST] = "a forest",
    [SHW_MODEL_CASCADE] = "a cascade",
    [SHW_MODEL_RECORDS] = "a record forest",
};

#define KIND_COUNT (sizeof lists / sizeof *lists)

const struct shw_import_format *shw_import_format_get(uint32_t index)
{
    for (size_t kind = 0; kind < KIND_COUNT; kind++)
        for (size_t f = 0; lists[kind](f) != NULL; f++)
            if (index-- == 0)
                return lists[kind](f);
    return NULL;
}

const struct shw_import_format *shw_import_format_find(const char *name)
{
    const struct shw_import_format *format = NULL;

    for (uint32_t f = 0; name != NULL && (format = shw_import_format_get(f)) != NULL; f++)
        if (strcmp(format->name, name) == 0)
            break;
    return format;
}

/* The part after the last slash, unless nothing follows it. */
static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

json_t *shw_import_provenance(const char *format, const struct shw_import_source *sources, uint32_t count)
{
    json_t *names = json_array();

    for (uint32_t s = 0; s < count; s++)
        json_array_append_new(names, shw_json_text(last_part(shw_source_name(&sources[s]))));
    return json_pack("{s:s, s:o}", "imported_from", format, "files", names);
}

enum shw_result shw_import_record(const struct shw_import_params *params, const char *name, json_t *member,
                                  char **record)
{
    json_t *object = shw_import_provenance(params->format, params->sources, params->source_count);

    if (member != NULL)
        json_object_set_new(object, name, member);
    *record = object != NULL ? json_dumps(object, JSON_COMPACT) : NULL;
    json_decref(object);
    return *record != NULL ? SHW_OK : shw_fail_memory(&params->log, "a model");
}

static enum shw_result check_format(const struct shw_import_params *params, enum shw_model_kind kind)
{
    const struct shw_import_format *format = shw_import_format_find(params->format);

    if (params->format == NULL)
        return SHW_OK;
    if (format == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no format '%s' to import",
                        params->format);
    return format->kind == kind
               ? SHW_OK
               : shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the format %s is that of %s, not of %s",
                          params->format, kinds[format->kind], kinds[kind]);
}

static enum shw_result check_source(const struct shw_import_params *params, uint32_t index)
{
    const struct shw_import_source *source = &params->sources[index];

    if (source->path == NULL && source->bytes == NULL)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "source %u has neither a path nor bytes",
                        index);
    return SHW_OK;
}

static enum shw_result check(const struct shw_import_params *params, enum shw_model_kind kind)
{
    SHW_PROPAGATE(check_format(params, kind));
    if (params->sources == NULL || params->source_count == 0)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is nothing to import");
    for (uint32_t s = 0; s < params->source_count; s++)
        SHW_PROPAGATE(check_source(params, s));
    return SHW_OK;
}

static enum shw_result check_one(const struct shw_import_params *params, enum shw_model_kind kind)
{
    SHW_PROPAGATE(check(params, kind));
    return params->source_count == 1
               ? SHW_OK
               : shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%s is imported from one source, not %u",
                          kinds[kind], params->source_count);
}

static enum shw_result check_trees(const struct shw_import_params *params)
{
    const struct shw_log *log = &params->log;

    SHW_PROPAGATE(check(params, SHW_MODEL_FOREST));
    if (params->format == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the format of the trees must be given");
    if (params->source_count > SHW_TREES_MAX)
        return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT, "a forest has at most %u trees", SHW_TREES_MAX);
    if (params->cuts && params->depth > SHW_KINECT_DEPTH_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the depth %u is greater than %u", params->depth,
                        SHW_KINECT_DEPTH_MAX);
    if (params->focal_length > SHW_FOCAL_MAX)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the focal length %u is greater than %u",
                        params->focal_length, SHW_FOCAL_MAX);
    if (params->has_bias && params->bias_percent > 99)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a bias of %u per cent is greater than 99",
                        params->bias_percent);
    if ((uint32_t)params->prediction > SHW_CURFIL_GPU)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no prediction %d",
                        (int)params->prediction);
    return SHW_OK;
}

enum shw_result shw_forest_import_abi(uint32_t abi, const struct shw_import_params *params, struct shw_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, forest);
    SHW_PROPAGATE(check_trees(params));
    return shw_forest_model_read(params, forest);
}

/* `params` with a format. */
static enum shw_result read_cascade(const struct shw_import_params *params, struct shw_cascade **cascade)
{
    struct shw_cascade_import import = {.object = params->object};
    char *record = NULL;
    enum shw_result result;

    SHW_PROPAGATE(shw_import_record(params, NULL, NULL, &record));
    import.training = record;
    result = shw_cascade_reader(params->format)(&params->sources[0], &import, &params->log, cascade);
    free(record);
    return result;
}

enum shw_result shw_cascade_import_abi(uint32_t abi, const struct shw_import_params *params,
                                       struct shw_cascade **cascade)
{
    struct shw_import_params made;

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, cascade);
    SHW_PROPAGATE(check_one(params, SHW_MODEL_CASCADE));
    made = *params;
    if (made.format == NULL)
        made.format = shw_cascade_recognise(&params->sources[0]);
    return made.format != NULL
               ? read_cascade(&made, cascade)
               : shw_fail(&params->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                          "%s: not a cascade of a format that is recognised", shw_source_name(&params->sources[0]));
}

enum shw_result shw_record_forest_import_abi(uint32_t abi, const struct shw_import_params *params,
                                             struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, forest);
    SHW_PROPAGATE(check_one(params, SHW_MODEL_RECORDS));
    return shw_record_model_read(&params->sources[0], params->format, &params->log, forest);
}

const char *shw_import_recognise(const struct shw_import_source *source)
{
    const char *name;

    if (source == NULL || (source->path == NULL && source->bytes == NULL))
        return NULL;
    name = shw_cascade_recognise(source);
    return name != NULL ? name : shw_record_recognise(source);
}

enum shw_result shw_cascade_open_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                     struct shw_cascade **cascade)
{
    const struct shw_import_source source = {.path = path};
    struct shw_import_params params = {.sources = &source, .source_count = 1};

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, cascade);
    if (log != NULL)
        params.log = *log;
    params.format = shw_cascade_recognise(&source);
    return params.format != NULL ? read_cascade(&params, cascade) : shw_cascade_load(path, log, cascade);
}

/* Whether a file begins as those of Shadewood do. */
static enum shw_result look(const char *path, const struct shw_log *log, bool *is_own)
{
    struct shw_file_bytes start;

    SHW_PROPAGATE(shw_file_bytes_read_start(path, SHW_KTX2_START, log, &start));
    *is_own = shw_ktx2_begins(start.bytes, start.size);
    shw_file_bytes_free(&start);
    return SHW_OK;
}

enum shw_result shw_record_forest_open_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                           struct shw_record_forest **forest)
{
    bool is_own;

    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, forest);
    SHW_PROPAGATE(look(path, log, &is_own));
    return is_own ? shw_record_forest_load(path, log, forest)
                  : shw_record_model_read(&(const struct shw_import_source){.path = path}, NULL, log, forest);
}
