#include "files/io/file_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "base/input_file.h"
#include "base/ktx2.h"
#include "dense/forest/forest.h"
#include "files/io/mark.h"

#define LINE_BYTES     ((size_t)1 << 16) /* enough for the first line of most logs */
#define METADATA_BYTES (1u << 26)

/* The first bytes of a file; 0 if it cannot be read. */
static size_t read_head(const char *path, void *bytes, size_t size)
{
    FILE *stream;
    uint64_t whole;
    size_t count;

    if (shw_file_open(path, NULL, &stream, &whole) != SHW_OK)
        return 0;
    count = fread(bytes, 1, size, stream);
    fclose(stream);
    return count;
}

/* The provenance of a file that holds a forest or a cascade, or NULL. */
static json_t *read_record(const char *path, enum shw_ktx2_content content)
{
    const struct shw_ktx2_source source = {.name = path, .content = content};
    struct shw_ktx2 image = {0};
    uint8_t head[SHW_KTX2_HEADER_SIZE];
    size_t size = read_head(path, head, sizeof head) == sizeof head ? shw_ktx2_head_size(head) : 0;
    void *bytes = size > 0 && size <= METADATA_BYTES ? malloc(size) : NULL;
    json_t *metadata = NULL, *record = NULL;

    if (bytes != NULL && read_head(path, bytes, size) == size &&
        shw_ktx2_read_metadata(bytes, size, &source, &image) == SHW_OK)
        metadata = json_loadb(image.metadata, image.metadata_length, 0, NULL);
    record = json_incref(json_object_get(metadata, "training"));
    json_decref(metadata);
    free(bytes);
    return record;
}

/* Whether it holds that, and is not the checkpoint of a training. */
static bool is_result_of_training(const char *path, enum shw_ktx2_content content)
{
    json_t *record = read_record(path, content);
    bool found = record != NULL && json_object_get(record, SHW_CHECKPOINT_MEMBER) == NULL;

    json_decref(record);
    return found;
}

static bool is_forest(const char *path, const char *name)
{
    (void)name;
    return is_result_of_training(path, SHW_KTX2_FOREST);
}

static bool is_cascade(const char *path, const char *name)
{
    (void)name;
    return is_result_of_training(path, SHW_KTX2_CASCADE);
}

static bool is_record_forest(const char *path, const char *name)
{
    (void)name;
    return is_result_of_training(path, SHW_KTX2_RECORD_FOREST);
}

static bool is_checkpoint(const char *path, const char *name)
{
    json_t *record = read_record(path, SHW_KTX2_FOREST);
    bool found = json_object_get(record, name) != NULL;

    json_decref(record);
    return found;
}

static bool is_cascade_checkpoint(const char *path, const char *name)
{
    json_t *record = read_record(path, SHW_KTX2_CASCADE);
    bool found = json_object_get(record, name) != NULL;

    json_decref(record);
    return found;
}

/* The command that reads it says what is wrong with it. */
static bool is_read_first(const char *path, const char *name)
{
    (void)path, (void)name;
    return true;
}

static json_t *read_json(const char *path, uint64_t size_max)
{
    struct shw_file_bytes file;
    json_t *document = NULL;

    if (shw_file_bytes_read(path, size_max, NULL, &file) == SHW_OK)
        document = json_loadb(shw_skip_byte_order_mark(file.bytes, &file.size), file.size, 0, NULL);
    shw_file_bytes_free(&file);
    return document;
}

bool shw_json_has_format(const char *path, uint64_t size_max, const char *name)
{
    json_t *document = read_json(path, size_max);
    const char *format = json_string_value(json_object_get(document, "format"));
    bool found = format != NULL && strcmp(format, name) == 0;

    json_decref(document);
    return found;
}

static bool is_marked_json(const char *path, const char *name)
{
    json_t *document = read_json(path, SHW_TEXT_FILE_MAX);
    bool found = shw_json_is_marked(document, name);

    json_decref(document);
    return found;
}

static bool is_marked_text(const char *path, const char *name)
{
    struct shw_file_bytes file;
    bool found = shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, NULL, &file) == SHW_OK &&
                 shw_text_is_marked(file.bytes, file.size, name);

    shw_file_bytes_free(&file);
    return found;
}

/* The beginning of a file with its first line, which ends at *end; NULL if no line of a sensible length ends. */
static void read_first_line(const char *path, struct shw_file_bytes *file, const uint8_t **end)
{
    *end = NULL;
    for (size_t size = LINE_BYTES; *end == NULL && size <= SHW_TEXT_FILE_MAX; size *= 4) {
        if (shw_file_bytes_read_start(path, size, NULL, file) != SHW_OK)
            return;
        *end = memchr(file->bytes, '\n', file->size);
        if (*end != NULL || file->size < size)
            return;
        shw_file_bytes_free(file);
    }
}

/* The first line of a file as JSON; NULL if it is none. */
static json_t *read_first_json(const char *path)
{
    struct shw_file_bytes file = {0};
    const uint8_t *end;
    json_t *line;

    read_first_line(path, &file, &end);
    line = end != NULL ? json_loadb((const char *)file.bytes, (size_t)(end - file.bytes), 0, NULL) : NULL;
    shw_file_bytes_free(&file);
    return line;
}

/* A log begins with the event "start"; an earlier run may have been killed in its first line. */
static bool is_training_log(const char *path, const char *name)
{
    json_t *line = read_first_json(path);
    const char *event = json_string_value(json_object_get(line, "event"));
    bool found = event != NULL && strcmp(event, name) == 0 && json_object_get(line, "version") != NULL;

    json_decref(line);
    return found;
}

static bool is_journal(const char *path, const char *name)
{
    json_t *line = read_first_json(path);
    const char *text = json_string_value(json_object_get(line, "shadewood"));
    bool found = text != NULL && strcmp(text, name) == 0;

    json_decref(line);
    return found;
}

const struct shw_file_kind shw_file_forest = {"forest", "a forest", is_forest, false};
const struct shw_file_kind shw_file_cascade = {"cascade", "a cascade", is_cascade, false};
const struct shw_file_kind shw_file_record_forest = {"record forest", "a record forest", is_record_forest, false};
const struct shw_file_kind shw_file_cascade_table = {"cascade table", "a table of a cascade", is_marked_text, false};
const struct shw_file_kind shw_file_checkpoint = {SHW_CHECKPOINT_MEMBER, "a checkpoint", is_checkpoint, false};
const struct shw_file_kind shw_file_cascade_checkpoint = {SHW_CHECKPOINT_MEMBER, "a checkpoint", is_cascade_checkpoint,
                                                          false};
const struct shw_file_kind shw_file_resumed = {SHW_CHECKPOINT_MEMBER, "a checkpoint", is_read_first, false};
const struct shw_file_kind shw_file_training_log = {"start", "a training log", is_training_log, true};

const struct shw_file_kind shw_file_labels = {SHW_MARK_LABELS, "a label image of this program", shw_png_is_marked,
                                              false};
const struct shw_file_kind shw_file_overlay = {"overlay", "an overlay", shw_png_is_marked, false};
const struct shw_file_kind shw_file_probabilities = {SHW_MARK_PROBABILITIES, "an image of probabilities",
                                                     shw_png_is_marked, false};
const struct shw_file_kind shw_file_mask = {"mask", "a mask of a class", shw_png_is_marked, false};
const struct shw_file_kind shw_file_classes = {"classes", "a list of classes", is_marked_json, false};
const struct shw_file_kind shw_file_array = {NULL, "an array", NULL, false};
const struct shw_file_kind shw_file_texture = {"texture", "an image of a texture", shw_png_is_marked, false};
const struct shw_file_kind shw_file_instances = {SHW_MARK_INSTANCES, "an image of objects' numbers", shw_png_is_marked,
                                                 false};

const struct shw_file_kind shw_file_evaluation = {"evaluation shard", "a shard of evaluate", is_marked_json, false};
const struct shw_file_kind shw_file_detections = {"detections", "a picture of detections", shw_png_is_marked, false};
const struct shw_file_kind shw_file_plot = {"plot", "a plot", shw_png_is_marked, false};

const struct shw_file_kind shw_file_scene_image = {"synthetic image", "a synthetic image", shw_png_is_marked, false};
const struct shw_file_kind shw_file_scene_depth = {"synthetic depth", "a synthetic depth image", shw_png_is_marked,
                                                   false};
const struct shw_file_kind shw_file_scene_labels = {"synthetic labels", "a synthetic label image", shw_png_is_marked,
                                                    false};
const struct shw_file_kind shw_file_converted_image = {"converted image", "a converted image", shw_png_is_marked,
                                                       false};
const struct shw_file_kind shw_file_converted_depth = {"converted depth", "a converted depth image", shw_png_is_marked,
                                                       false};
const struct shw_file_kind shw_file_converted_labels = {"converted labels", "a converted label image",
                                                        shw_png_is_marked, false};
const struct shw_file_kind shw_file_palette = {"palette", "a palette", is_marked_json, false};
const struct shw_file_kind shw_file_sequences = {"sequences", "a list of sequences", is_marked_text, false};

const struct shw_file_kind shw_file_depth = {"prepared depth", "a depth image of this program", shw_png_is_marked,
                                             false};
const struct shw_file_kind shw_file_height = {"height", "an image of heights", shw_png_is_marked, false};

const struct shw_file_kind shw_file_table = {NULL, "a table", NULL, false};
const struct shw_file_kind shw_file_label_journal = {"record of label", "a record of label", is_journal, false};
const struct shw_file_kind shw_file_detect_journal = {"record of detect", "a record of detect", is_journal, false};
const struct shw_file_kind shw_file_export_journal = {"record of label", "the record of exports", is_journal, false};
const struct shw_file_kind shw_file_tuning_journal = {"tuning journal", "a journal of tune", is_journal, false};
const struct shw_file_kind shw_file_shader_passes = {"shader passes", "a description of a shader", is_marked_json,
                                                     false};
const struct shw_file_kind shw_file_preset = {"preset", "a preset", is_marked_json, false};

const struct shw_file_kind shw_file_frame = {SHW_MARK_FRAME, "a picture of a project", shw_png_is_marked, false};
const struct shw_file_kind shw_file_screenshot = {"screenshot", "a screenshot", shw_png_is_marked, false};
const struct shw_file_kind shw_file_video = {NULL, "a video", NULL, false};
