#include "formats/record_formats.h"

#include <stdio.h>
#include <string.h>

#include "base/ktx2.h"
#include "base/log.h"
#include "formats/import.h"
#include "formats/json_model.h"
#include "formats/onnx_nodes.h"
#include "formats/source.h"

#define MODEL_MAX ((size_t)1 << 30) /* bytes, unpacked */

static bool is_xgboost(const uint8_t *bytes, size_t size)
{
    return shw_ubjson_begins(bytes, size) || shw_json_has_member(bytes, size, "learner");
}

static bool is_lightgbm(const uint8_t *bytes, size_t size)
{
    const char *text = shw_skip_byte_order_mark(bytes, &size);
    const size_t length = strcspn(text, "\r\n"); /* a zero byte follows */

    return length == 4 && memcmp(text, "tree", length) == 0;
}

/* There is no magic number, but every model has a graph, field 7. */
static bool is_onnx(const uint8_t *bytes, size_t size)
{
    struct shw_protobuf model = {bytes, bytes + size};
    struct shw_protobuf_field field;
    enum shw_protobuf_step step;
    bool found = false;

    while ((step = shw_protobuf_next(&model, &field)) == SHW_PROTOBUF_FIELD)
        found |= field.number == 7 && field.type == SHW_PROTOBUF_BYTES;
    return found && step == SHW_PROTOBUF_END;
}

static bool is_tree_arrays(const uint8_t *bytes, size_t size)
{
    return shw_json_has_member(bytes, size, "format");
}

static const struct {
    struct shw_import_format format;
    bool (*is_this)(const uint8_t *bytes, size_t size);
    shw_record_read_function *read;
} formats[] = {
    {{"xgboost", "a model in JSON or UBJSON", SHW_MODEL_RECORDS}, is_xgboost, shw_xgboost_read},
    {{"lightgbm", "a model in text", SHW_MODEL_RECORDS}, is_lightgbm, shw_lightgbm_read},
    {{"onnx", "an ensemble of trees", SHW_MODEL_RECORDS}, is_onnx, shw_onnx_read},
    {{"trees", "trees as arrays in JSON, as of scikit-learn", SHW_MODEL_RECORDS}, is_tree_arrays, shw_tree_arrays_read},
};

#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct shw_import_format *shw_record_format(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index].format : NULL;
}

static size_t find_format(const char *name)
{
    size_t f = 0;

    while (f < FORMAT_COUNT && strcmp(formats[f].format.name, name) != 0)
        f++;
    return f;
}

static size_t recognise(const uint8_t *bytes, size_t size)
{
    size_t f = 0;

    while (f < FORMAT_COUNT && !formats[f].is_this(bytes, size))
        f++;
    return f;
}

/* Files that hold a model, but not in the form that it is read in. */
static enum shw_result refuse_dumps(const struct shw_record_import *import)
{
    size_t size = import->size;
    const char *text = shw_skip_byte_order_mark(import->bytes, &size);
    const char *way_out = NULL;

    if (shw_json_has_member(import->bytes, import->size, "tree_info"))
        way_out = "a dump of a LightGBM model in JSON, of dump_model(): save the model as text by "
                  "save_model(), which is read";
    else if (strncmp(text, "booster[", 8) == 0 || (*text == '[' && strstr(text, "\"nodeid\"") != NULL))
        way_out = "a dump of an XGBoost model, of dump_model() or get_dump(), which lacks part of it: save the model "
                  "by save_model() as .json or .ubj, which is read";
    return way_out != NULL ? shw_fail(import->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s: %s", import->name, way_out)
                           : SHW_OK;
}

static enum shw_result refuse_format(const struct shw_record_import *import)
{
    char names[256] = "";

    SHW_PROPAGATE(refuse_dumps(import));
    if (shw_ktx2_begins(import->bytes, import->size))
        return shw_fail(import->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
                        "%s: a file of Shadewood's own, which is not imported", import->name);
    for (size_t f = 0; f < FORMAT_COUNT; f++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", f > 0 ? ", " : "",
                 formats[f].format.name);
    return shw_fail(
        import->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ,
        "%s: neither a record forest nor a model of a format that is recognised by its contents (%s); models of "
        "XGBoost are saved as .json or .ubj, and those of scikit-learn exported by export_sklearn.py",
        import->name, names);
}

static enum shw_result parse(const struct shw_import_source *source, const struct shw_file_bytes *bytes, size_t packed,
                             const char *format, const struct shw_log *log, struct shw_record_forest **forest)
{
    size_t f = format != NULL ? find_format(format) : recognise(bytes->bytes, bytes->size);
    struct shw_record_import import = {
        .name = shw_source_name(source), .bytes = bytes->bytes, .size = bytes->size, .packed = packed, .log = log};
    enum shw_result result;

    if (f == FORMAT_COUNT)
        return refuse_format(&import);
    import.training = shw_import_provenance(formats[f].format.name, source, 1);
    if (import.training == NULL)
        return shw_fail_memory(log, import.name);
    result = formats[f].read(&import, forest);
    json_decref(import.training);
    return result;
}

enum shw_result shw_record_model_read(const struct shw_import_source *source, const char *format,
                                      const struct shw_log *log, struct shw_record_forest **forest)
{
    struct shw_file_bytes bytes;
    size_t packed;
    enum shw_result result;

    SHW_PROPAGATE(shw_source_unpack(source, MODEL_MAX, log, &bytes, &packed));
    result = parse(source, &bytes, packed, format, log, forest);
    shw_file_bytes_free(&bytes);
    return result;
}

const char *shw_record_recognise(const struct shw_import_source *source)
{
    struct shw_file_bytes bytes;
    size_t format = FORMAT_COUNT;

    if (shw_source_unpack(source, MODEL_MAX, NULL, &bytes, NULL) == SHW_OK)
        format = recognise(bytes.bytes, bytes.size);
    shw_file_bytes_free(&bytes);
    return format < FORMAT_COUNT ? formats[format].format.name : NULL;
}
