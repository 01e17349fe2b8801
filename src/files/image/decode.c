#include "files/image/decode.h"

#include <libexif/exif-data.h>
#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"

enum shw_result shw_decoded_check_size(const struct shw_source *source, uint64_t width, uint64_t height)
{
    if (width == 0 || height == 0)
        return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: the image has no pixels",
                        source->name);
    if (source->in_pieces && (width > SHW_PIECES_SIDE_MAX || height > SHW_PIECES_SIDE_MAX))
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT,
                        "cannot read %s: %llu x %llu pixels are too many (at most %u a side)", source->name,
                        (unsigned long long)width, (unsigned long long)height, SHW_PIECES_SIDE_MAX);
    if (!source->in_pieces &&
        (width > SHW_IMAGE_SIZE_MAX || height > SHW_IMAGE_SIZE_MAX || width * height > SHW_IMAGE_PIXELS_MAX))
        return shw_fail(source->log, SHW_ERROR_LIMIT, SHW_LOG_IMAGE_FORMAT,
                        "cannot read %s: %llu x %llu pixels are too many (at most %u a side and %u in total)",
                        source->name, (unsigned long long)width, (unsigned long long)height, SHW_IMAGE_SIZE_MAX,
                        SHW_IMAGE_PIXELS_MAX);
    return SHW_OK;
}

enum shw_result shw_decoded_allocate(const struct shw_source *source, uint64_t width, uint64_t height,
                                     enum shw_pixel_format format, struct shw_decoded *decoded)
{
    SHW_PROPAGATE(shw_decoded_check_size(source, width, height));
    decoded->pixels = calloc((size_t)(width * height), shw_pixel_size(format));
    if (decoded->pixels == NULL)
        return shw_fail_memory(source->log, source->name);
    decoded->width = (uint32_t)width;
    decoded->height = (uint32_t)height;
    decoded->format = format;
    return SHW_OK;
}

enum shw_result shw_decode_fail(const struct shw_source *source, struct shw_decoded *decoded, const char *kind,
                                const char *reason)
{
    if (decoded != NULL) {
        free(decoded->pixels);
        decoded->pixels = NULL;
    }
    if (shw_source_is_stopped(source))
        return SHW_ERROR_CANCELLED;
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s as a %s file: %s",
                    source->name, kind, reason);
}

bool shw_source_is_stopped(const struct shw_source *source)
{
    return source->stop != NULL && atomic_load_explicit(source->stop, memory_order_relaxed);
}

unsigned shw_exif_orientation(const uint8_t *block, size_t size)
{
    static const uint8_t signature[6] = "Exif\0";
    unsigned orientation = 0;
    ExifData *data = NULL;
    ExifEntry *entry;
    uint8_t *signed_block;

    /* libexif recognises a block by its signature, which PNG omits. */
    if (size < 8 || size > 65535 || (signed_block = malloc(size + sizeof signature)) == NULL)
        return 0;
    memcpy(signed_block, signature, sizeof signature);
    memcpy(signed_block + sizeof signature, block, size);
    data = exif_data_new_from_data(signed_block, (unsigned)(size + sizeof signature));
    if (data != NULL) {
        entry = exif_content_get_entry(data->ifd[EXIF_IFD_0], EXIF_TAG_ORIENTATION);
        if (entry != NULL && entry->format == EXIF_FORMAT_SHORT && entry->size >= 2)
            orientation = exif_get_short(entry->data, exif_data_get_byte_order(data));
        exif_data_unref(data);
    }
    free(signed_block);
    return orientation;
}

/* Transposing goes through squares of this side, which caches hold. */
#define SQUARE 32u

/* The orientations 1 to 8 as EXIF numbers them: whether the upright picture's x runs along the stored y, and whether
 * the stored x and y run backwards. */
static const struct turn {
    bool transposed, x_backwards, y_backwards;
} turns[9] = {
    [2] = {false, true, false}, [3] = {false, true, true}, [4] = {false, false, true}, [5] = {true, false, false},
    [6] = {true, false, true},  [7] = {true, true, true},  [8] = {true, true, false},
};

/* Copies the part of a row of the upright picture from `first` to before `last`; stored pixels are `step` bytes apart.
 * The sizes are those of pixels, constant so that copies need no calls. */
static void copy_pixels(uint8_t *to, const uint8_t *from, ptrdiff_t step, uint32_t first, uint32_t last, size_t pixel)
{
#define COPY(size)                                                                                                     \
    case size:                                                                                                         \
        for (uint32_t x = first; x < last; x++)                                                                        \
            memcpy(to + (size_t)x * (size), from + (ptrdiff_t)x * step, size);                                         \
        break;
    switch (pixel) {
        COPY(1)
        COPY(2)
        COPY(3)
        COPY(4)
        COPY(6)
        COPY(8)
    }
#undef COPY
}

/* `width` and `height` are those of the upright picture. */
static void turn(const struct shw_decoded *decoded, const struct turn *how, uint32_t width, uint32_t height,
                 uint8_t *upright)
{
    size_t pixel = shw_pixel_size(decoded->format);
    ptrdiff_t right = (ptrdiff_t)pixel, down = (ptrdiff_t)(decoded->width * pixel); /* in what is stored */
    const uint8_t *first = decoded->pixels;
    uint32_t square = how->transposed ? SQUARE : width;

    if (how->x_backwards) {
        first += right * (ptrdiff_t)(decoded->width - 1);
        right = -right;
    }
    if (how->y_backwards) {
        first += down * (ptrdiff_t)(decoded->height - 1);
        down = -down;
    }
    for (uint32_t top = 0; top < height; top += SQUARE)
        for (uint32_t left = 0; left < width; left += square)
            for (uint32_t y = top; y < shw_min_u32(top + SQUARE, height); y++)
                copy_pixels(upright + (size_t)y * width * pixel,
                            first + (ptrdiff_t)y * (how->transposed ? right : down), how->transposed ? down : right,
                            left, shw_min_u32(left + square, width), pixel);
}

enum shw_result shw_decoded_turn_upright(const struct shw_source *source, struct shw_decoded *decoded)
{
    unsigned orientation = decoded->orientation;
    uint32_t width = decoded->width, height = decoded->height;
    uint8_t *upright;

    decoded->orientation = 1;
    if (orientation < 2 || orientation > 8)
        return SHW_OK;
    if (turns[orientation].transposed) {
        width = decoded->height;
        height = decoded->width;
    }
    upright = malloc((size_t)width * height * shw_pixel_size(decoded->format));
    if (upright != NULL)
        turn(decoded, &turns[orientation], width, height, upright);
    free(decoded->pixels);
    decoded->pixels = upright;
    if (upright == NULL)
        return shw_fail_memory(source->log, source->name);
    decoded->width = width;
    decoded->height = height;
    return SHW_OK;
}

void shw_no_such_channel(uint32_t number, uint32_t count, char *why, size_t size)
{
    snprintf(why, size, "there is no channel %u, it has %u", number, count);
}

static uint32_t channels_of(enum shw_pixel_format format)
{
    return (uint32_t)(shw_pixel_size(format) / (shw_pixel_is_wide(format) ? 2 : 1));
}

static enum shw_result fail(const struct shw_source *source, struct shw_decoded *decoded, const char *reason)
{
    free(decoded->pixels);
    decoded->pixels = NULL;
    return shw_fail(source->log, SHW_ERROR_FORMAT, SHW_LOG_IMAGE_FORMAT, "cannot read %s: %s", source->name, reason);
}

/* Copies the samples of the chosen channels. Pixels do not get more samples, unless they were grey. */
static enum shw_result choose_channels(const struct shw_source *source, struct shw_decoded *decoded)
{
    static const enum shw_pixel_format formats[2][2] = {{SHW_PIXEL_GREY8, SHW_PIXEL_RGB8},
                                                        {SHW_PIXEL_GREY16, SHW_PIXEL_RGB16}};
    const struct shw_image_channels *chosen = &source->choice.channels;
    uint32_t count = channels_of(decoded->format);
    size_t sample = shw_pixel_is_wide(decoded->format) ? 2 : 1;
    size_t pixels = (size_t)decoded->width * decoded->height;
    uint8_t *taken;
    char why[64];

    for (uint32_t c = 0; c < chosen->count; c++)
        if (chosen->numbers[c] > count) {
            shw_no_such_channel(chosen->numbers[c], count, why, sizeof why);
            return fail(source, decoded, why);
        }
    taken = calloc(pixels, chosen->count * sample);
    if (taken == NULL) {
        free(decoded->pixels);
        decoded->pixels = NULL;
        return shw_fail_memory(source->log, source->name);
    }
    for (size_t p = 0; p < pixels; p++)
        for (uint32_t c = 0; c < chosen->count; c++)
            if (chosen->numbers[c] > 0)
                memcpy(taken + (p * chosen->count + c) * sample,
                       decoded->pixels + (p * count + chosen->numbers[c] - 1) * sample, sample);
    free(decoded->pixels);
    decoded->pixels = taken;
    decoded->format = formats[sample - 1][chosen->count == 3];
    return SHW_OK;
}

void shw_decoded_check_range(const struct shw_source *source, const struct shw_decoded *decoded)
{
    const struct shw_intensity_range *range = &decoded->facts.range;

    if (decoded->outside == 0 || decoded->outside < decoded->taken / 50)
        return;
    shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT,
                    "%s: %.3g %% of its values are outside the range from %g to %g with which it is read", source->name,
                    100.0 * (double)decoded->outside / (double)decoded->taken, range->low, range->high);
}

static enum shw_result map_samples(const struct shw_source *source, struct shw_decoded *decoded)
{
    size_t channels = channels_of(decoded->format), count = (size_t)decoded->width * decoded->height * channels;
    const struct shw_intensity_range *range = &source->choice.range;
    uint16_t *samples = (uint16_t *)(void *)decoded->pixels, *table = malloc((UINT16_MAX + 1) * sizeof *table);

    if (table == NULL) {
        free(decoded->pixels);
        decoded->pixels = NULL;
        return shw_fail_memory(source->log, source->name);
    }
    for (uint32_t value = 0; value <= UINT16_MAX; value++)
        table[value] = shw_intensity_range_map(range, value);
    for (size_t i = 0; i < count; i++)
        if (channels != 4 || i % 4 != 3) { /* alpha stays */
            decoded->outside += samples[i] < range->low || samples[i] > range->high;
            decoded->taken++;
            samples[i] = table[samples[i]];
        }
    free(table);
    return SHW_OK;
}

enum shw_result shw_decoded_choose(const struct shw_source *source, struct shw_decoded *decoded)
{
    if (source->stored)
        return SHW_OK;
    if (decoded->facts.channel_count == 0)
        decoded->facts.channel_count = channels_of(decoded->format);
    if (!decoded->chosen && source->choice.channels.count > 0)
        SHW_PROPAGATE(choose_channels(source, decoded));
    if (decoded->mapped || !shw_pixel_is_wide(decoded->format) || !shw_intensity_range_is_set(&source->choice.range))
        return SHW_OK;
    decoded->facts.range = source->choice.range;
    return map_samples(source, decoded);
}
