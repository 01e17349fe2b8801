#include "output/file_kind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "forest/ktx2.h"
#include "image/file_bytes.h"
#include "image/image_write.h"
#include "image/png_mark.h"
#include "output/mark.h"

#define HEAD_BYTES     (1u << 16) /* enough for the first line of a log */
#define METADATA_BYTES (1u << 26)
#define TEXT_BYTES     (1u << 26)

/* The first bytes of a file; 0 if it cannot be read. */
static size_t read_head(const char *path, void *bytes, size_t size)
{
    FILE *stream = fopen(path, "rbe");
    size_t count = stream != NULL ? fread(bytes, 1, size, stream) : 0;

    if (stream != NULL)
        fclose(stream);
    return count;
}

/* The training record of a forest file, or NULL. */
static json_t *read_record(const char *path)
{
    const struct shw_forest_source source = {.name = path};
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

static bool is_forest(const char *path, const char *name)
{
    json_t *record = read_record(path);
    bool found = record != NULL && json_object_get(record, shw_file_checkpoint.name) == NULL;

    (void)name;
    json_decref(record);
    return found;
}

static bool is_checkpoint(const char *path, const char *name)
{
    json_t *record = read_record(path);
    bool found = json_object_get(record, name) != NULL;

    json_decref(record);
    return found;
}

static bool read_text(const char *path, struct shw_file_bytes *file)
{
    struct stat status;

    *file = (struct shw_file_bytes){0};
    return stat(path, &status) == 0 && status.st_size <= TEXT_BYTES && shw_file_bytes_read(path, NULL, file) == SHW_OK;
}

static json_t *read_json(const char *path)
{
    struct shw_file_bytes file;
    json_t *document = NULL;

    if (read_text(path, &file))
        document = json_loadb(shw_skip_byte_order_mark(file.bytes, &file.size), file.size, 0, NULL);
    shw_file_bytes_free(&file);
    return document;
}

static bool has_format(const char *path, const char *name)
{
    json_t *document = read_json(path);
    const char *format = json_string_value(json_object_get(document, "format"));
    bool found = format != NULL && strcmp(format, name) == 0;

    json_decref(document);
    return found;
}

static bool is_marked_json(const char *path, const char *name)
{
    json_t *document = read_json(path);
    bool found = shw_json_is_marked(document, name);

    json_decref(document);
    return found;
}

static bool is_marked_text(const char *path, const char *name)
{
    struct shw_file_bytes file;
    bool found = read_text(path, &file) && shw_text_is_marked(file.bytes, file.size, name);

    shw_file_bytes_free(&file);
    return found;
}

/* A log begins with the event "start"; an earlier run may have been killed in its first line. */
static bool is_training_log(const char *path, const char *name)
{
    char *head = malloc(HEAD_BYTES);
    size_t size = head != NULL ? read_head(path, head, HEAD_BYTES) : 0;
    const char *end = size > 0 ? memchr(head, '\n', size) : NULL;
    json_t *line = end != NULL ? json_loadb(head, (size_t)(end - head), 0, NULL) : NULL;
    const char *event = json_string_value(json_object_get(line, "event"));
    bool found = event != NULL && strcmp(event, name) == 0 && json_object_get(line, "version") != NULL;

    json_decref(line);
    free(head);
    return found;
}

const struct shw_file_kind shw_file_forest = {"forest", "a forest", is_forest, false};
const struct shw_file_kind shw_file_checkpoint = {"checkpoint", "a checkpoint", is_checkpoint, false};
const struct shw_file_kind shw_file_training_log = {"start", "a training log", is_training_log, true};

const struct shw_file_kind shw_file_labels = {SHW_MARK_LABELS, "a label image of this program", shw_png_is_marked,
                                              false};
const struct shw_file_kind shw_file_overlay = {"overlay", "an overlay", shw_png_is_marked, false};
const struct shw_file_kind shw_file_probabilities = {SHW_MARK_PROBABILITIES, "an image of probabilities",
                                                     shw_png_is_marked, false};
const struct shw_file_kind shw_file_probability_pages = {SHW_MARK_PROBABILITIES, "an image of probabilities",
                                                         shw_tiff_is_marked, false};
const struct shw_file_kind shw_file_array = {NULL, "an array", NULL, false};
const struct shw_file_kind shw_file_texture = {"texture", "an image of a forest's texture", shw_png_is_marked, false};

const struct shw_file_kind shw_file_scene_image = {"synthetic image", "a synthetic image", shw_png_is_marked, false};
const struct shw_file_kind shw_file_scene_depth = {"synthetic depth", "a synthetic depth image", shw_png_is_marked,
                                                   false};
const struct shw_file_kind shw_file_scene_labels = {"synthetic labels", "a synthetic label image", shw_png_is_marked,
                                                    false};
const struct shw_file_kind shw_file_palette = {"palette", "a palette", is_marked_json, false};
const struct shw_file_kind shw_file_sequences = {"sequences", "a list of sequences", is_marked_text, false};

const struct shw_file_kind shw_file_bench_report = {"shadewood-bench", "a report of the bench", has_format, false};
const struct shw_file_kind shw_file_table = {NULL, "a table", NULL, false};

const struct shw_file_kind shw_file_project = {"shadewood-project", "a project", has_format, false};
const struct shw_file_kind shw_file_screenshot = {"screenshot", "a screenshot", shw_png_is_marked, false};
