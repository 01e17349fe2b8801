#include "dense/channels/posterior.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {"posterior-0", "posterior-1", "posterior-2", "posterior-3", "posterior-4",
                                    "posterior-5", "posterior-6", "posterior-7", "posterior-8", "posterior-9"};

_Static_assert(sizeof names / sizeof *names == SHW_POSTERIOR_INPUTS, "each input has a name");

const char *shw_posterior_name(uint32_t number)
{
    return names[number];
}

bool shw_posterior_is_name(const char *input)
{
    return input != NULL && strncmp(input, "posterior-", strlen("posterior-")) == 0;
}

uint32_t shw_posterior_number(const char *input)
{
    uint32_t number = 0;

    while (number + 1 < SHW_POSTERIOR_INPUTS && strcmp(names[number], input) != 0)
        number++;
    return number;
}

uint32_t shw_posterior_count(const struct shw_channel_list *list)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < list->input_count; i++)
        count += shw_posterior_is_name(list->inputs[i]);
    return count;
}

#define REFUSE(why, ...) (snprintf(why, SHW_CHANNEL_WHY_SIZE, __VA_ARGS__), false)

/* Appends an entry of the kind posterior; false if there is no room. */
static bool append(char text[SHW_CHANNEL_LIST_NAME_SIZE], uint32_t number)
{
    const size_t length = strlen(text), room = SHW_CHANNEL_LIST_NAME_SIZE - length;

    return (size_t)snprintf(text + length, room, ",posterior:%u", number) < room;
}

bool shw_posterior_add(const struct shw_channel_list *image, const struct shw_channel_kinds *kinds, uint32_t classes,
                       struct shw_channel_list *list, char why[SHW_CHANNEL_WHY_SIZE])
{
    const uint32_t inputs = shw_posterior_inputs(classes);
    char text[SHW_CHANNEL_LIST_NAME_SIZE];
    bool fits = image->channel_count + SHW_POSTERIOR_CLASSES * inputs <= SHW_CHANNELS_MAX &&
                inputs <= SHW_POSTERIOR_INPUTS && image->input_count + inputs <= SHW_INPUTS_MAX;

    snprintf(text, sizeof text, "%s", image->name);
    for (uint32_t i = 0; i < inputs && fits; i++)
        fits = append(text, i);
    if (!fits)
        return REFUSE(why,
                      "%u channels of %u inputs, and those of %u classes of the level below, are more than %u channels "
                      "of %u inputs with %u classes each: use fewer channels, or fewer classes",
                      image->channel_count, image->input_count, classes, SHW_CHANNELS_MAX, SHW_INPUTS_MAX,
                      SHW_POSTERIOR_CLASSES);
    return shw_channel_list_read(text, kinds, list, why);
}

static bool reads(const struct shw_channel_list *list, const char *input)
{
    for (uint32_t i = 0; i < list->input_count; i++)
        if (strcmp(list->inputs[i], input) == 0)
            return true;
    return false;
}

bool shw_posterior_check(const struct shw_channel_list *list, uint32_t classes, char why[SHW_CHANNEL_WHY_SIZE])
{
    const uint32_t count = shw_posterior_count(list);

    if (classes == 0 && count > 0)
        return REFUSE(why, "%s", "the kind posterior needs a level below");
    if (classes > 0 && count == 0)
        return REFUSE(why, "%s", "there is a level below, but none is of the kind posterior");
    for (uint32_t i = 0; i < count; i++)
        if (!reads(list, names[i]))
            return REFUSE(why, "those of the level below are not posterior:0 to posterior:%u", count - 1);
    if (count > 0 && count != shw_posterior_inputs(classes))
        return REFUSE(why, "%u entries of the kind posterior, but the level below has %u classes and needs %u", count,
                      classes, shw_posterior_inputs(classes));
    return true;
}

enum shw_result shw_posteriors_make(const uint16_t *distribution, uint32_t classes, struct shw_rect rect,
                                    uint32_t width, uint32_t height, struct shw_posteriors *posteriors)
{
    const uint32_t columns = (uint32_t)(rect.x1 - rect.x0), rows = (uint32_t)(rect.y1 - rect.y0);
    const size_t pixels = (size_t)columns * rows, stride = (size_t)SHW_POSTERIOR_CLASSES * columns;
    const size_t before = (size_t)rect.y0 * stride + (size_t)SHW_POSTERIOR_CLASSES * (size_t)rect.x0;

    *posteriors =
        (struct shw_posteriors){.rect = rect, .width = width, .height = height, .count = shw_posterior_inputs(classes)};
    posteriors->pixels = calloc(posteriors->count * pixels, SHW_POSTERIOR_CLASSES);
    if (posteriors->pixels == NULL)
        return SHW_ERROR_MEMORY;
    for (uint32_t c = 0; c < classes; c++) {
        uint8_t *to = posteriors->pixels + SHW_POSTERIOR_CLASSES * pixels * (c / SHW_POSTERIOR_CLASSES) +
                      c % SHW_POSTERIOR_CLASSES;
        for (size_t i = 0; i < pixels; i++)
            to[SHW_POSTERIOR_CLASSES * i] = (uint8_t)shw_posterior_share(distribution[c * pixels + i]);
    }
    for (uint32_t i = 0; i < posteriors->count; i++) {
        /* as an integer, since the image's first pixel may not be there */
        const uintptr_t first = (uintptr_t)(posteriors->pixels + SHW_POSTERIOR_CLASSES * pixels * i) - before;
        posteriors->inputs[i] =
            (struct shw_input){.name = names[i], .image = {(const void *)first, width, height, stride, SHW_PIXEL_RGB8}};
    }
    return SHW_OK;
}

void shw_posteriors_free(struct shw_posteriors *posteriors)
{
    free(posteriors->pixels);
    *posteriors = (struct shw_posteriors){0};
}
