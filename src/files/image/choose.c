#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "files/image/decode.h"

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

void shw_decoded_check_range(const struct shw_source *source, const struct shw_intensity_range *range, uint64_t outside,
                             uint64_t taken)
{
    if (outside == 0 || outside < taken / 50)
        return;
    shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_IMAGE_FORMAT,
                    "%s: %.3g %% of its values are outside the range from %g to %g with which it is read", source->name,
                    100.0 * (double)outside / (double)taken, range->low, range->high);
}

static enum shw_result map_samples(const struct shw_source *source, struct shw_decoded *decoded)
{
    size_t channels = channels_of(decoded->format), count = (size_t)decoded->width * decoded->height * channels;
    const struct shw_intensity_range *range = &source->choice.range;
    uint64_t outside = 0, taken = 0;
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
            outside += samples[i] < range->low || samples[i] > range->high;
            taken++;
            samples[i] = table[samples[i]];
        }
    free(table);
    shw_decoded_check_range(source, range, outside, taken);
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
