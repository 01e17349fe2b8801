#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/tiff.h"

/* Of a larger page, every n-th pixel of every n-th row counts. */
#define PIXELS_MAX (1u << 18)

struct search {
    const struct shw_tiff_layout *layout;
    uint32_t step;
    double *values; /* finite ones of the pixels that count */
    size_t count;
};

static uint64_t pixels_at(const struct shw_tiff_layout *layout, uint32_t step)
{
    return (uint64_t)((layout->width + step - 1) / step) * ((layout->height + step - 1) / step);
}

static void take_value(struct search *search, double value)
{
    if (!isfinite(value))
        return;
    search->values[search->count++] = value;
}

static void search_block(void *user, const struct shw_tiff_block *block)
{
    struct search *search = user;
    const struct shw_tiff_layout *layout = search->layout;
    bool separate = layout->planar == PLANARCONFIG_SEPARATE;
    uint32_t first = separate ? block->channel : 0, last = separate ? block->channel : layout->channel_count - 1;

    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = block->bytes + y * block->stride;
        if ((block->top + y) % search->step != 0)
            continue;
        for (uint32_t x = 0; x < block->width; x++)
            for (uint32_t c = first; (block->left + x) % search->step == 0 && c <= last; c++)
                if (layout->channels[c] != SHW_TIFF_BLACK)
                    take_value(search, shw_tiff_number_at(layout, row,
                                                          separate ? block->first + x
                                                                   : (size_t)(block->first + x) * layout->samples +
                                                                         layout->channels[c]));
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of values in ascending order. */
static struct shw_intensity_range choose(const double *values, size_t count)
{
    size_t cut = count / 1000;
    struct shw_intensity_range range;

    if (count == 0)
        return (struct shw_intensity_range){0.0, 1.0};
    range = (struct shw_intensity_range){values[cut], values[count - 1 - cut]};
    if (range.low == range.high)
        range = (struct shw_intensity_range){values[0], values[count - 1]};
    if (range.low == range.high)
        range.high = range.low + fmax(1.0, fabs(range.low));
    return range;
}

/* The range of the page (image_choice.h). Reads the page. Errors: FORMAT, MEMORY, CANCELLED, as of
 * shw_tiff_read_blocks(). */
static enum shw_result tiff_find_range(struct shw_tiff_reading *reading, struct shw_intensity_range *range)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    struct search search = {.layout = layout, .step = 1};
    enum shw_result result;

    while (pixels_at(layout, search.step) > PIXELS_MAX)
        search.step++;
    search.values = malloc((size_t)pixels_at(layout, search.step) * layout->channel_count * sizeof *search.values);
    if (search.values == NULL)
        return shw_fail_memory(reading->source->log, reading->source->name);
    result = shw_tiff_read_blocks(reading, search_block, &search);
    qsort(search.values, search.count, sizeof *search.values, compare);
    *range = choose(search.values, search.count);
    free(search.values);
    return result;
}

/* Where samples go, and how. */
struct filling {
    const struct shw_source *source;
    const struct shw_tiff_layout *layout;
    struct shw_decoded *decoded;
    const struct shw_tiff_mapping *mapping;
    double least, largest; /* finite ones */
};

static enum shw_result fail(const struct shw_tiff_reading *reading, const char *reason)
{
    return shw_decode_fail(reading->source, NULL, "TIFF", reason);
}

static uint16_t map(struct filling *filling, double value)
{
    const struct shw_tiff_layout *layout = filling->layout;
    const struct shw_intensity_range *range = &filling->mapping->range;
    uint16_t mapped;

    if (layout->inverted && layout->kind == SHW_SAMPLES_UNSIGNED)
        value = shw_tiff_type_range(layout).high - value;
    mapped = shw_intensity_range_map(range, value);
    filling->decoded->taken += value == value; /* false for what is not a number */
    if (value < filling->least && value > -INFINITY)
        filling->least = value;
    if (value > filling->largest && value < INFINITY)
        filling->largest = value;
    filling->decoded->outside += value < range->low || value > range->high;
    return layout->inverted && layout->kind != SHW_SAMPLES_UNSIGNED ? (uint16_t)(UINT16_MAX - mapped) : mapped;
}

/* A plain sample as it is shown; indices and stored values as they are. */
static uint32_t show(const struct filling *filling, uint32_t value)
{
    const struct shw_tiff_layout *layout = filling->layout;
    uint32_t largest = (1u << layout->bits) - 1, full = layout->bits > 8 ? UINT16_MAX : UINT8_MAX;

    if (filling->source->stored || layout->has_palette)
        return value;
    return ((layout->inverted ? largest - value : value) * full + largest / 2) / largest;
}

static void put(struct filling *filling, size_t at, const uint8_t *row, size_t index, bool alpha)
{
    const struct shw_tiff_layout *layout = filling->layout;
    uint16_t *wide = (uint16_t *)(void *)filling->decoded->pixels;

    if (filling->mapping->mapped && !alpha)
        wide[at] = map(filling, shw_tiff_number_at(layout, row, index));
    else if (layout->bits > 8)
        wide[at] = (uint16_t)show(filling, shw_tiff_integer_at(layout, row, index));
    else
        filling->decoded->pixels[at] = (uint8_t)show(filling, shw_tiff_integer_at(layout, row, index));
}

/* Whether rows of the block are rows of the image, byte by byte. */
static bool is_copied(const struct filling *filling)
{
    const struct shw_tiff_layout *layout = filling->layout;
    bool in_order = layout->samples == layout->channel_count && layout->planar != PLANARCONFIG_SEPARATE;

    for (uint32_t c = 0; c < layout->channel_count; c++)
        in_order = in_order && layout->channels[c] == c;
    return in_order && !filling->mapping->mapped && layout->bits % 8 == 0 && layout->kind == SHW_SAMPLES_UNSIGNED &&
           (!layout->inverted || filling->source->stored);
}

static void take_block(void *user, const struct shw_tiff_block *block)
{
    struct filling *filling = user;
    const struct shw_tiff_layout *layout = filling->layout;
    bool separate = layout->planar == PLANARCONFIG_SEPARATE, copied = is_copied(filling);
    uint32_t count = layout->channel_count, first = separate ? block->channel : 0, last = separate ? first + 1 : count;
    size_t pixel = shw_pixel_size(filling->decoded->format);

    for (uint32_t y = 0; y < block->height; y++) {
        const uint8_t *row = block->bytes + y * block->stride;
        size_t to = (size_t)(block->top + y) * filling->decoded->width + block->left;

        if (copied) {
            memcpy(filling->decoded->pixels + to * pixel, row + block->first * pixel, block->width * pixel);
            continue;
        }
        for (uint32_t x = 0; x < block->width; x++)
            for (uint32_t c = first; c < last; c++)
                if (layout->channels[c] != SHW_TIFF_BLACK)
                    put(filling, (to + x) * count + c, row,
                        separate ? block->first + x
                                 : (size_t)(block->first + x) * layout->samples + layout->channels[c],
                        c == 3);
    }
}

static enum shw_result resolve_palette(const struct shw_tiff_reading *reading, struct shw_decoded *decoded)
{
    struct shw_decoded colours = {.orientation = decoded->orientation};
    uint16_t *palette[3];
    enum shw_result result;

    if (TIFFGetField(reading->tiff, TIFFTAG_COLORMAP, &palette[0], &palette[1], &palette[2]) == 0)
        return fail(reading, "its palette is missing");
    result = shw_decoded_allocate(reading->source, decoded->width, decoded->height, SHW_PIXEL_RGB8, &colours);
    if (result != SHW_OK)
        return result;
    for (size_t i = 0; i < (size_t)decoded->width * decoded->height; i++)
        for (size_t c = 0; c < 3; c++)
            colours.pixels[3 * i + c] = (uint8_t)(palette[c][decoded->pixels[i]] >> 8);
    free(decoded->pixels);
    *decoded = colours;
    return SHW_OK;
}

static enum shw_pixel_format format_of(const struct shw_tiff_layout *layout)
{
    bool wide = layout->bits > 8;

    if (layout->channel_count == 1)
        return wide ? SHW_PIXEL_GREY16 : SHW_PIXEL_GREY8;
    if (layout->channel_count == 3)
        return wide ? SHW_PIXEL_RGB16 : SHW_PIXEL_RGB8;
    return wide ? SHW_PIXEL_RGBA16 : SHW_PIXEL_RGBA8;
}

enum shw_pixel_format shw_tiff_image_format(const struct shw_tiff_layout *layout)
{
    return layout->has_palette ? SHW_PIXEL_RGB8 : format_of(layout);
}

enum shw_result shw_tiff_reading_go(struct shw_tiff_reading *reading, uint32_t page)
{
    const struct shw_source *source = reading->source;
    struct shw_tiff_layout *layout = &reading->layout;
    uint32_t image;
    const char *wrong;
    char why[64];

    if (!shw_tiff_go_to_page(reading->tiff, page, &image)) {
        snprintf(why, sizeof why, "there is no page %u, the last is %u", page, shw_tiff_count_pages(reading->tiff));
        return fail(reading, reading->memory.reason[0] != '\0' ? reading->memory.reason : why);
    }
    wrong = shw_tiff_read_layout(reading->tiff, source, layout);
    if (wrong != NULL)
        return fail(reading, wrong);
    SHW_PROPAGATE(shw_decoded_check_size(source, layout->width, layout->height));
    wrong = shw_tiff_read_block_layout(reading->tiff, &reading->memory, layout);
    if (wrong == NULL && image > 0 && !shw_tiff_take_image(&reading->memory, image, layout))
        wrong = "the file is truncated";
    if (wrong != NULL)
        return fail(reading, wrong);
    reading->page = page;
    reading->memory.reason[0] = '\0'; /* what follows the page may be damaged */
    return SHW_OK;
}

enum shw_result shw_tiff_find_mapping(struct shw_tiff_reading *reading, struct shw_tiff_mapping *mapping)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    const struct shw_intensity_range *chosen = &reading->source->choice.range;
    bool set = shw_intensity_range_is_set(chosen);

    *mapping = (struct shw_tiff_mapping){.mapped = false};
    if (reading->source->stored || layout->bits <= 8 ||
        (layout->bits == 16 && layout->kind == SHW_SAMPLES_UNSIGNED)) /* ranges of those are for shw_decoded_choose() */
        return SHW_OK;
    mapping->mapped = set || !shw_tiff_is_plain(layout);
    if (!set && shw_tiff_wants_range(layout))
        return tiff_find_range(reading, &mapping->range);
    mapping->range = set ? *chosen : shw_tiff_type_range(layout);
    return SHW_OK;
}

static enum shw_result decode_pixels(struct shw_tiff_reading *reading, const struct shw_tiff_window *window,
                                     struct filling *filling)
{
    struct shw_decoded *decoded = filling->decoded;
    uint16_t orientation = ORIENTATION_TOPLEFT;

    SHW_PROPAGATE(shw_tiff_read_window(reading, window, take_block, filling));
    TIFFGetFieldDefaulted(reading->tiff, TIFFTAG_ORIENTATION, &orientation);
    decoded->orientation = orientation;
    if (reading->layout.has_palette && !reading->source->stored)
        return resolve_palette(reading, decoded);
    decoded->chosen = true;
    decoded->mapped = filling->mapping->mapped;
    decoded->facts.channel_count = reading->layout.samples;
    decoded->facts.only_first = reading->layout.only_first ? reading->layout.channel_count : 0;
    decoded->facts.wants_range = shw_tiff_wants_range(&reading->layout);
    if (filling->mapping->mapped)
        decoded->facts.range = filling->mapping->range;
    decoded->facts.least = filling->least;
    decoded->facts.largest = filling->largest;
    return SHW_OK;
}

enum shw_result shw_tiff_read_image(struct shw_tiff_reading *reading, const struct shw_tiff_mapping *mapping,
                                    const struct shw_tiff_window *window, struct shw_decoded *decoded)
{
    struct filling filling = {.source = reading->source,
                              .layout = &reading->layout,
                              .decoded = decoded,
                              .mapping = mapping,
                              .least = INFINITY,
                              .largest = -INFINITY};
    enum shw_result result;

    SHW_PROPAGATE(
        shw_decoded_allocate(reading->source, window->width, window->height, format_of(&reading->layout), decoded));
    result = decode_pixels(reading, window, &filling);
    if (result != SHW_OK) {
        free(decoded->pixels);
        decoded->pixels = NULL;
    }
    return result;
}

/* From 1. */
static uint32_t page_of(const struct shw_source *source)
{
    return source->page > 0 ? source->page : 1;
}

static enum shw_result decode(struct shw_tiff_reading *reading, void *decoded)
{
    struct shw_tiff_mapping mapping;
    struct shw_tiff_window whole;

    SHW_PROPAGATE(shw_tiff_reading_go(reading, page_of(reading->source)));
    SHW_PROPAGATE(shw_tiff_find_mapping(reading, &mapping));
    whole = shw_tiff_whole(&reading->layout);
    return shw_tiff_read_image(reading, &mapping, &whole, decoded);
}

enum shw_result shw_tiff_reading_open(const struct shw_source *source, struct shw_tiff_reading *reading)
{
    bool streamed = source->stream != NULL;

    *reading = (struct shw_tiff_reading){.source = source,
                                         .memory = {.bytes = source->bytes,
                                                    .size = streamed ? source->file_size : source->size,
                                                    .stream = source->stream}};
    if (streamed)
        rewind(source->stream);
    reading->tiff = shw_tiff_open(&reading->memory, source->name, "rm");
    if (reading->tiff != NULL)
        return SHW_OK;
    return fail(reading, reading->memory.reason[0] != '\0' ? reading->memory.reason : "it is invalid");
}

void shw_tiff_reading_close(struct shw_tiff_reading *reading)
{
    shw_tiff_close(reading->tiff, &reading->memory);
}

enum shw_result shw_tiff_use(const struct shw_source *source,
                             enum shw_result (*use)(struct shw_tiff_reading *reading, void *user), void *user)
{
    struct shw_tiff_reading reading;
    enum shw_result result;

    SHW_PROPAGATE(shw_tiff_reading_open(source, &reading));
    result = use(&reading, user);
    shw_tiff_reading_close(&reading);
    return result;
}

static enum shw_result decode_file(const struct shw_source *source, struct shw_decoded *decoded)
{
    return shw_tiff_use(source, decode, decoded);
}

static enum shw_result count(struct shw_tiff_reading *reading, void *number)
{
    const struct shw_source *source = reading->source;
    uint32_t pages = *(uint32_t *)number = shw_tiff_count_pages(reading->tiff);

    if (reading->memory.reason[0] != '\0')
        shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT,
                        "%s: what follows page %u cannot be read: %s", source->name, pages, reading->memory.reason);
    return SHW_OK;
}

static enum shw_result count_pages(const struct shw_source *source, uint32_t *number)
{
    return shw_tiff_use(source, count, number);
}

/* Once for the images of a group. */
static void report_channels(const struct shw_tiff_reading *reading)
{
    const struct shw_tiff_layout *layout = &reading->layout;
    const struct shw_image_facts facts = {.channel_count = layout->samples,
                                          .only_first = layout->only_first ? layout->channel_count : 0};

    shw_image_report_channels(reading->source->name, &facts, reading->source->log);
}

static enum shw_result settle_range(struct shw_tiff_reading *reading, void *user)
{
    const struct shw_source *source = reading->source;
    struct shw_intensity_range *range = &((struct shw_image_choice *)user)->range;

    SHW_PROPAGATE(shw_tiff_reading_go(reading, page_of(source)));
    report_channels(reading);
    if (!shw_tiff_wants_range(&reading->layout) || shw_intensity_range_is_set(range))
        return SHW_OK;
    SHW_PROPAGATE(tiff_find_range(reading, range));
    shw_log_message(source->log, SHW_LOG_INFO, SHW_LOG_IMAGE_FORMAT,
                    "the values from %g to %g become black to white, by %s", range->low, range->high, source->name);
    return SHW_OK;
}

static enum shw_result settle(const struct shw_source *source, struct shw_image_choice *choice)
{
    return shw_tiff_use(source, settle_range, choice);
}

const struct shw_image_format shw_image_format_tiff = {
    .name = "TIFF",
    .signatures = {SHW_SIGNATURE("II*\0"), SHW_SIGNATURE("MM\0*"), SHW_SIGNATURE("II+\0"), SHW_SIGNATURE("MM\0+")},
    .access = SHW_READ_PARTS,
    .decode = decode_file,
    .count_pages = count_pages,
    .settle = settle,
    .list_planes = shw_tiff_list_planes,
    .read_planes = shw_tiff_read_planes};
