#include "formats/cascade_formats.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "formats/csv_cascade.h"
#include "formats/source.h"

bool shw_score_bits(double bound, uint32_t count, uint32_t *bits)
{
    for (uint32_t b = 31; b-- > 0;)
        if (ldexp(bound, (int)b) + count / 2.0 <= INT32_MAX) {
            *bits = b;
            return true;
        }
    return false;
}

static int32_t limit(double value)
{
    return value <= INT32_MIN ? INT32_MIN : value >= INT32_MAX ? INT32_MAX : (int32_t)value;
}

int32_t shw_score_round(double value, uint32_t bits)
{
    return limit(round(ldexp(value, (int)bits)));
}

int32_t shw_score_floor(double value, uint32_t bits)
{
    return limit(floor(ldexp(value, (int)bits)));
}

#define START_BYTES 512u

/* What a format is recognised by. */
struct start {
    const char *path; /* NULL: it is in memory */
    bool is_folder;
    uint64_t size;
    struct shw_file_bytes bytes; /* the first of them */
};

static bool is_table_folder(const struct start *start)
{
    char *path = start->is_folder ? shw_csv_path(start->path, SHW_CSV_CASCADE) : NULL;
    struct stat status;
    bool found = path != NULL && stat(path, &status) == 0;

    free(path);
    return found;
}

static uint32_t little_endian(const uint8_t *bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Pico's files have no magic number, but the size follows from the depth and the number of trees. */
static bool is_pico(const struct start *start)
{
    const uint8_t *bytes = start->bytes.bytes;
    uint32_t depth, trees;

    if (start->bytes.size < 16)
        return false;
    depth = little_endian(bytes + 8);
    trees = little_endian(bytes + 12);
    return depth >= 1 && depth <= 16 && trees > 0 &&
           start->size == 16 + (uint64_t)trees * (4 * ((UINT64_C(1) << depth) - 1) + 4 * (UINT64_C(1) << depth) + 4);
}

static bool is_xml(const struct start *start)
{
    size_t size = start->bytes.size;
    const char *text = size > 0 ? shw_skip_byte_order_mark(start->bytes.bytes, &size) : "";

    text += strspn(text, " \t\r\n"); /* a zero byte follows */
    return *text == '<';
}

static const struct {
    struct shw_import_format format;
    bool (*is_this)(const struct start *start);
    shw_cascade_read_function *read;
} formats[] = {
    {{"csv", "a folder of tables that are a cascade", SHW_MODEL_CASCADE}, is_table_folder, shw_csv_cascade_read},
    {{"opencv", "a cascade of OpenCV's, in XML", SHW_MODEL_CASCADE}, is_xml, shw_opencv_cascade_read},
    {{"pico", "a cascade of pico's", SHW_MODEL_CASCADE}, is_pico, shw_pico_cascade_read}};

#define FORMAT_COUNT (sizeof formats / sizeof *formats)

const struct shw_import_format *shw_cascade_format(size_t index)
{
    return index < FORMAT_COUNT ? &formats[index].format : NULL;
}

shw_cascade_read_function *shw_cascade_reader(const char *format)
{
    for (size_t f = 0; f < FORMAT_COUNT; f++)
        if (strcmp(formats[f].format.name, format) == 0)
            return formats[f].read;
    return NULL;
}

static bool begin(const struct shw_import_source *source, struct start *start)
{
    struct stat status;

    *start = (struct start){.path = source->path, .size = source->size};
    if (source->path == NULL) {
        const struct shw_import_source first = {.bytes = source->bytes,
                                                .size = source->size < START_BYTES ? source->size : START_BYTES};
        return shw_source_read(&first, START_BYTES, NULL, &start->bytes) == SHW_OK;
    }
    /* a pipe would lose its first bytes */
    if (stat(source->path, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return false;
    start->is_folder = S_ISDIR(status.st_mode);
    start->size = (uint64_t)status.st_size;
    return start->is_folder || shw_file_bytes_read_start(source->path, START_BYTES, NULL, &start->bytes) == SHW_OK;
}

const char *shw_cascade_recognise(const struct shw_import_source *source)
{
    struct start start;
    size_t format = 0;

    if (!begin(source, &start))
        return NULL;
    while (format < FORMAT_COUNT && !formats[format].is_this(&start))
        format++;
    shw_file_bytes_free(&start.bytes);
    return format < FORMAT_COUNT ? formats[format].format.name : NULL;
}

bool shw_is_csv_cascade(const char *format)
{
    return format != NULL && shw_cascade_reader(format) == shw_csv_cascade_read;
}
