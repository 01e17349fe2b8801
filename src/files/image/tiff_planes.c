/* The planes of TIFF files: the samples of their pages, with the names that OME, GDAL or the pages give them. */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/tiff.h"

#define TAG_GDAL_METADATA 42112

/* The value of an attribute of an element of XML, which ends with '>'; NULL: there is none. */
static const char *find_attribute(const char *element, const char *name, size_t *length)
{
    const char *end = strchr(element, '>');
    size_t size = strlen(name);

    for (const char *at = strstr(element, name); at != NULL && end != NULL && at < end; at = strstr(at + 1, name)) {
        char quote = at[size] == '=' ? at[size + 1] : '\0';
        const char *stop = quote == '"' || quote == '\'' ? strchr(at + size + 2, quote) : NULL;
        if (stop == NULL || (at > element && at[-1] != ' ' && at[-1] != '\t' && at[-1] != '\n'))
            continue;
        *length = (size_t)(stop - at) - size - 2;
        return at + size + 2;
    }
    return NULL;
}

static uint32_t count_of(const char *element, const char *name)
{
    size_t length;
    const char *text = find_attribute(element, name, &length);
    unsigned long count = text != NULL ? strtoul(text, NULL, 10) : 1;

    return count < 1 || count > SHW_IMAGE_PAGES_MAX ? 1 : (uint32_t)count;
}

/* The element of OME's description that tells how pages are ordered; NULL: the file is not OME's. */
static const char *find_ome(TIFF *tiff)
{
    const char *text = NULL;

    if (TIFFGetField(tiff, TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == NULL || strstr(text, "<OME") == NULL)
        return NULL;
    return strstr(text, "<Pixels ");
}

/* Pages are in the order of three dimensions, of which the first changes fastest. */
static void order_by_ome(const char *pixels, struct shw_tiff_order *order)
{
    size_t length;
    const char *dimensions = find_attribute(pixels, "DimensionOrder", &length);
    uint32_t sections = count_of(pixels, "SizeZ"), times = count_of(pixels, "SizeT");

    order->step = 1;
    for (size_t i = 2; dimensions != NULL && i < length && dimensions[i] != 'C'; i++)
        order->step *= dimensions[i] == 'Z' ? sections : dimensions[i] == 'T' ? times : 1;
    if (sections * (uint64_t)times > order->pages) /* pages are missing */
        order->step = 1;
    else
        order->pages /= sections * times;
    if (order->pages == 0)
        order->pages = 1;
}

static void name_by_ome(const char *pixels, struct shw_plane_list *planes)
{
    const char *end = strstr(pixels, "</Pixels>"), *at = pixels;
    size_t length;

    for (uint32_t number = 0; number < planes->count; number++) {
        const char *name;
        at = strstr(at, "<Channel ");
        if (at == NULL || (end != NULL && at > end))
            return;
        name = find_attribute(at, "Name", &length);
        if (name != NULL)
            shw_plane_list_name(planes, number, name, length);
        number += count_of(at, "SamplesPerPixel") - 1;
        at++;
    }
}

/* <Item name="DESCRIPTION" sample="0" role="description">B02</Item> */
static void name_by_gdal(TIFF *tiff, uint32_t first, struct shw_plane_list *planes)
{
    const char *text = NULL, *at;
    uint32_t size = 0;

    if (TIFFGetField(tiff, TAG_GDAL_METADATA, &size, &text) == 0 || text == NULL || size == 0 || text[size - 1] != '\0')
        return;
    for (at = strstr(text, "<Item "); at != NULL; at = strstr(at + 1, "<Item ")) {
        const char *value = strchr(at, '>'), *end = value != NULL ? strchr(value, '<') : NULL, *role, *sample;
        size_t length, role_length;
        if (end == NULL)
            return;
        role = find_attribute(at, "role", &role_length);
        sample = find_attribute(at, "sample", &length);
        if (role != NULL && sample != NULL && role_length == 11 && memcmp(role, "description", 11) == 0) {
            unsigned long number = strtoul(sample, NULL, 10);
            if (number < planes->count - first)
                shw_plane_list_name(planes, first + (uint32_t)number, value + 1, (size_t)(end - value - 1));
        }
    }
}

enum shw_result shw_tiff_find_order(struct shw_tiff_reading *reading, struct shw_tiff_order *order)
{
    const uint32_t page = reading->source->page;
    const char *pixels;
    struct shw_tiff_layout first;

    SHW_PROPAGATE(shw_tiff_reading_go(reading, page > 0 ? page : 1));
    first = reading->layout;
    *order = (struct shw_tiff_order){.first = page > 0 ? page : 1,
                                     .step = 1,
                                     .pages = 1,
                                     .samples = first.samples,
                                     .width = first.width,
                                     .height = first.height};
    if (page > 0)
        return SHW_OK;
    order->pages = shw_tiff_count_pages(reading->tiff);
    SHW_PROPAGATE(shw_tiff_reading_go(reading, 1));
    pixels = find_ome(reading->tiff);
    if (pixels != NULL)
        order_by_ome(pixels, order);
    if (order->pages > SHW_FILE_PLANES_MAX / order->samples)
        order->pages = SHW_FILE_PLANES_MAX / order->samples > 0 ? SHW_FILE_PLANES_MAX / order->samples : 1;
    for (uint32_t p = 1; p < order->pages; p++) {
        SHW_PROPAGATE(shw_tiff_reading_go(reading, order->first + p * order->step));
        if (reading->layout.width != first.width || reading->layout.height != first.height ||
            reading->layout.samples != first.samples)
            order->pages = p;
    }
    return SHW_OK;
}

static enum shw_result list(struct shw_tiff_reading *reading, void *user)
{
    struct shw_plane_list *planes = user;
    struct shw_tiff_order order;
    const char *pixels, *name = NULL;

    SHW_PROPAGATE(shw_tiff_find_order(reading, &order));
    SHW_PROPAGATE(shw_plane_list_make(order.pages * order.samples, order.width, order.height, planes) == SHW_OK
                      ? SHW_OK
                      : shw_fail_memory(reading->source->log, reading->source->name));
    for (uint32_t p = 0; p < order.pages; p++) {
        if (shw_tiff_reading_go(reading, order.first + p * order.step) != SHW_OK)
            break;
        pixels = p == 0 ? find_ome(reading->tiff) : NULL;
        if (pixels != NULL && reading->source->page == 0) {
            name_by_ome(pixels, planes);
            return SHW_OK;
        }
        name_by_gdal(reading->tiff, p * order.samples, planes);
        if (order.samples == 1 && planes->names[p][0] == '\0' &&
            TIFFGetField(reading->tiff, TIFFTAG_PAGENAME, &name) != 0 && name != NULL)
            shw_plane_list_name(planes, p, name, strlen(name));
    }
    return SHW_OK;
}

enum shw_result shw_tiff_list_planes(const struct shw_source *source, struct shw_plane_list *planes)
{
    return shw_tiff_use(source, list, planes);
}

/* Some planes of a page. */
struct filling {
    const struct shw_tiff_layout *layout;
    struct shw_decoded *planes; /* as many as the layout has channels */
};

static void put(const struct shw_tiff_layout *layout, const struct shw_decoded *plane, size_t to, const uint8_t *row,
                size_t index)
{
    float number;

    if (plane->format == SHW_PIXEL_GREY8) {
        plane->pixels[to] = row[index];
    } else if (plane->format == SHW_PIXEL_GREY16) {
        memcpy(plane->pixels + 2 * to, row + 2 * index, 2);
    } else {
        number = (float)shw_tiff_number_at(layout, row, index);
        memcpy(plane->pixels + sizeof number * to, &number, sizeof number);
    }
}

static void take_block(void *user, const struct shw_tiff_block *block)
{
    const struct filling *filling = user;
    const struct shw_tiff_layout *layout = filling->layout;
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;
    uint32_t first = separate ? block->channel : 0, last = separate ? first + 1 : layout->channel_count;

    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = block->bytes + y * block->stride;
        size_t to = (size_t)(block->top + y) * filling->planes->width + block->left;
        for (uint32_t x = block->first; x < block->first + block->width; x++, to++)
            for (uint32_t c = first; c < last; c++)
                put(layout, &filling->planes[c], to, row,
                    separate ? x : (size_t)x * layout->samples + layout->channels[c]);
    }
}

enum shw_pixel_format shw_tiff_plane_format(const struct shw_tiff_layout *layout)
{
    if (layout->kind == SHW_SAMPLES_UNSIGNED && layout->bits == 8)
        return SHW_PIXEL_GREY8;
    return layout->kind == SHW_SAMPLES_UNSIGNED && layout->bits == 16 ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY32_FLOAT;
}

enum shw_result shw_tiff_go_to_planes(struct shw_tiff_reading *reading, const struct shw_tiff_order *order,
                                      const uint32_t *numbers, uint32_t *count)
{
    struct shw_tiff_layout *layout = &reading->layout;
    const uint32_t page = numbers[0] / order->samples, most = *count;

    SHW_PROPAGATE(shw_tiff_reading_go(reading, order->first + page * order->step));
    layout->channel_count = 0;
    for (*count = 0; *count < most && numbers[*count] / order->samples == page; ++*count)
        layout->channels[layout->channel_count++] = numbers[*count] % order->samples;
    return SHW_OK;
}

enum shw_result shw_tiff_read_channels(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                       struct shw_decoded *planes)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    struct filling filling = {layout, planes};
    uint16_t orientation = ORIENTATION_TOPLEFT;

    TIFFGetFieldDefaulted(reading->tiff, TIFFTAG_ORIENTATION, &orientation);
    for (uint32_t c = 0; c < layout->channel_count; c++) {
        SHW_PROPAGATE(shw_decoded_allocate(reading->source, window->width, window->height,
                                           shw_tiff_plane_format(layout), &planes[c]));
        planes[c].orientation = orientation;
    }
    return shw_tiff_read_window(reading, window, take_block, &filling);
}

/* Planes that are wanted whole. */
struct wanted {
    const uint32_t *numbers;
    uint32_t count;
    struct shw_decoded *planes;
};

static enum shw_result read_whole(struct shw_tiff_reading *reading, void *user)
{
    const struct wanted *wanted = user;
    struct shw_tiff_order order;

    SHW_PROPAGATE(shw_tiff_find_order(reading, &order));
    for (uint32_t i = 0, read; i < wanted->count; i += read) {
        struct shw_tiff_window whole;

        read = wanted->count - i;
        SHW_PROPAGATE(shw_tiff_go_to_planes(reading, &order, wanted->numbers + i, &read));
        whole = shw_tiff_whole(&reading->layout);
        SHW_PROPAGATE(shw_tiff_read_channels(reading, &whole, wanted->planes + i));
    }
    return SHW_OK;
}

enum shw_result shw_tiff_read_planes(const struct shw_source *source, const uint32_t *numbers, uint32_t count,
                                     struct shw_decoded *planes)
{
    return shw_tiff_use(source, read_whole, &(struct wanted){numbers, count, planes});
}
