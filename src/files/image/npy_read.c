/* Images in files of NumPy: arrays (height, width) or (height, width, planes) of 8 or 16 bits or floats. As colours are
 * read the first three planes or, of fewer, the first one; floats from 0 to 1 or by the range that is chosen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/half.h"
#include "files/io/npy_header.h"

struct array {
    const uint8_t *elements;
    uint32_t width, height, planes, size; /* size: bytes of an element */
    char kind;                            /* 'u', 'i' or 'f' */
    bool swapped;
};

static enum shw_result fail(const struct shw_source *source, const char *why)
{
    return shw_decode_fail(source, NULL, "NumPy", why);
}

/* Such as "<u2". */
static bool read_type(const char *type, struct array *array)
{
    const char *at = type + (strchr("<>=|", type[0]) != NULL && type[0] != '\0');

    array->swapped = type[0] == '>';
    array->kind = *at;
    array->size = at[0] != '\0' && at[1] >= '1' && at[1] <= '8' && at[2] == '\0' ? (uint32_t)(at[1] - '0') : 0;
    if (array->kind == 'f')
        return array->size == 2 || array->size == 4 || array->size == 8;
    return (array->kind == 'u' || array->kind == 'i') && (array->size == 1 || array->size == 2 || array->size == 4);
}

static enum shw_result open_array(const struct shw_source *source, struct array *array)
{
    const size_t start = source->size >= SHW_NPY_START_SIZE ? shw_npy_header_size(source->bytes) : 0;
    struct shw_npy_header header;
    const uint64_t size = source->file_size > 0 ? source->file_size : source->size;
    uint64_t planes;

    if (start == 0 || start > source->size || !shw_npy_header_parse(source->bytes, start, &header))
        return fail(source, "its header is invalid");
    if (header.structured || !read_type(header.type, array))
        return fail(source, "its elements are neither integers of 8 to 32 bits nor floats");
    if (header.dimensions != 2 && header.dimensions != 3)
        return fail(source, "it has not two or three dimensions: height, width, planes");
    if (header.fortran)
        return fail(source, "it is in Fortran order");
    planes = header.dimensions == 3 ? header.shape[2] : 1;
    SHW_PROPAGATE(shw_decoded_check_size(source, header.shape[1], header.shape[0]));
    if (planes == 0 || planes > SHW_FILE_PLANES_MAX)
        return fail(source, "it has no planes, or too many: dimensions are height, width, planes");
    if ((size - start) / array->size / planes != header.shape[0] * header.shape[1] ||
        (size - start) % (array->size * planes) != 0)
        return fail(source, "it has not as many elements as its header says");
    array->elements = source->bytes + start;
    array->height = (uint32_t)header.shape[0];
    array->width = (uint32_t)header.shape[1];
    array->planes = (uint32_t)planes;
    return SHW_OK;
}

/* The bytes of an element in the order of this machine, which is little-endian. */
static void read_element(const struct array *array, size_t pixel, uint32_t plane, uint8_t bytes[8])
{
    const uint8_t *at = array->elements + (pixel * array->planes + plane) * array->size;

    for (uint32_t i = 0; i < array->size; i++)
        bytes[i] = at[array->swapped ? array->size - 1 - i : i];
}

static double number_of(const struct array *array, size_t pixel, uint32_t plane)
{
    uint8_t bytes[8] = {0};
    uint32_t word;
    float single;
    double number;

    read_element(array, pixel, plane, bytes);
    memcpy(&word, bytes, sizeof word);
    if (array->kind == 'f' && array->size == 8) {
        memcpy(&number, bytes, sizeof number);
        return number;
    }
    if (array->kind == 'f' && array->size == 4) {
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    }
    if (array->kind == 'f')
        return shw_half_value((uint16_t)word);
    if (array->kind == 'u')
        return word;
    return array->size == 1 ? (double)(int8_t)word : array->size == 2 ? (double)(int16_t)word : (double)(int32_t)word;
}

/* Whether elements are samples as they are. */
static bool is_plain(const struct array *array)
{
    return array->kind == 'u' && array->size <= 2;
}

/* The planes that are read as grey or colours, from 1; 0 is black. Returns their number, or 0 if one is not there. */
static uint32_t choose_planes(const struct shw_source *source, const struct array *array, uint32_t numbers[4])
{
    const struct shw_image_channels *chosen = &source->choice.channels;
    uint32_t count = array->planes >= 3 && !source->stored ? 3 : 1;

    for (uint32_t c = 0; c < 4; c++)
        numbers[c] = c + 1;
    if (chosen->count == 0 || source->stored)
        return count;
    for (uint32_t c = 0; c < chosen->count; c++) {
        numbers[c] = chosen->numbers[c];
        if (numbers[c] > array->planes)
            return 0;
    }
    return chosen->count;
}

static enum shw_pixel_format format_of(const struct array *array, uint32_t count)
{
    bool narrow = array->size == 1 && is_plain(array);

    if (count == 1)
        return narrow ? SHW_PIXEL_GREY8 : SHW_PIXEL_GREY16;
    return narrow ? SHW_PIXEL_RGB8 : SHW_PIXEL_RGB16;
}

static void fill(const struct array *array, const uint32_t *numbers, uint32_t count,
                 const struct shw_intensity_range *range, struct shw_decoded *decoded)
{
    size_t size = is_plain(array) ? array->size : sizeof(uint16_t);
    uint8_t *to = decoded->pixels;

    for (size_t p = 0; p < (size_t)array->width * array->height; p++)
        for (uint32_t c = 0; c < count; c++, to += size) {
            uint8_t bytes[8];
            uint16_t mapped;
            if (numbers[c] == 0)
                continue;
            read_element(array, p, numbers[c] - 1, bytes);
            if (!is_plain(array)) {
                mapped = shw_intensity_range_map(range, number_of(array, p, numbers[c] - 1));
                memcpy(bytes, &mapped, sizeof mapped);
            }
            memcpy(to, bytes, size);
        }
}

static enum shw_result decode(const struct shw_source *source, struct shw_decoded *decoded)
{
    struct array array = {.size = 0};
    struct shw_intensity_range range = source->choice.range;
    uint32_t numbers[4], count;

    SHW_PROPAGATE(open_array(source, &array));
    if (!shw_intensity_range_is_set(&range))
        range = (struct shw_intensity_range){0, 1};
    if (source->stored && !is_plain(&array))
        return fail(source, "its elements are not unsigned integers of 8 or 16 bits");
    count = choose_planes(source, &array, numbers);
    if (count == 0)
        return fail(source, "it has fewer planes than are chosen");
    SHW_PROPAGATE(shw_decoded_allocate(source, array.width, array.height, format_of(&array, count), decoded));
    fill(&array, numbers, count, &range, decoded);
    decoded->chosen = true;
    decoded->mapped = !is_plain(&array);
    decoded->facts.channel_count = array.planes;
    if (decoded->mapped)
        decoded->facts.range = range;
    return SHW_OK;
}

static enum shw_result list_planes(const struct shw_source *source, struct shw_plane_list *planes)
{
    struct array array = {.size = 0};

    SHW_PROPAGATE(open_array(source, &array));
    return shw_plane_list_make(array.planes, array.width, array.height, planes) == SHW_OK
               ? SHW_OK
               : shw_fail_memory(source->log, source->name);
}

static enum shw_result read_planes(const struct shw_source *source, const uint32_t *numbers, uint32_t count,
                                   struct shw_decoded *planes)
{
    struct array array = {.size = 0};
    size_t pixels;

    SHW_PROPAGATE(open_array(source, &array));
    pixels = (size_t)array.width * array.height;
    for (uint32_t i = 0; i < count; i++)
        SHW_PROPAGATE(shw_decoded_allocate(source, array.width, array.height,
                                           is_plain(&array) ? format_of(&array, 1) : SHW_PIXEL_GREY32_FLOAT,
                                           &planes[i]));
    for (size_t p = 0; p < pixels; p++)
        for (uint32_t i = 0; i < count; i++) {
            uint8_t bytes[8];
            float number;
            if (is_plain(&array)) {
                read_element(&array, p, numbers[i], bytes);
                memcpy(planes[i].pixels + p * array.size, bytes, array.size);
                continue;
            }
            number = (float)number_of(&array, p, numbers[i]);
            memcpy(planes[i].pixels + p * sizeof number, &number, sizeof number);
        }
    return SHW_OK;
}

const struct shw_image_format shw_image_format_npy = {.name = "NumPy",
                                                      .signatures = {SHW_SIGNATURE(SHW_NPY_MAGIC)},
                                                      .access = SHW_READ_WHOLE,
                                                      .decode = decode,
                                                      .list_planes = list_planes,
                                                      .list_start = SHW_NPY_HEADER_MAX,
                                                      .read_planes = read_planes};
