#include "dense/channels/fill.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE(...)                                  +1
#define FILL_COUNT                                (2 SHW_FILLINGS(ONE)) /* with DEFAULT and NONE */
#define NAME(value, name, ...)                    [SHW_FILL_##value] = #name,
#define TRAITS(value, name, help, curfil, passes) [SHW_FILL_##value] = {#name, curfil, shw_fill_##name, passes},

const char *const shw_fill_names[FILL_COUNT + 1] = {
    [SHW_FILL_DEFAULT] = "stored", [SHW_FILL_NONE] = "none", SHW_FILLINGS(NAME)};

static const struct shw_filling fillings[FILL_COUNT] = {
    [SHW_FILL_DEFAULT] = {.name = "none"}, [SHW_FILL_NONE] = {.name = "none", .curfil = "false"}, SHW_FILLINGS(TRAITS)};

/* A value of enum shw_fill that is not in SHW_FILLINGS does not compile. */
#pragma GCC diagnostic push
#pragma GCC diagnostic error "-Wswitch"
bool shw_fill_is_known(enum shw_fill fill)
{
#define KNOWN(value, ...) case SHW_FILL_##value:
    switch (fill) {
    case SHW_FILL_DEFAULT:
    case SHW_FILL_NONE: SHW_FILLINGS(KNOWN) return true;
    }
    return false;
}
#pragma GCC diagnostic pop

const struct shw_filling *shw_filling_of(enum shw_fill fill)
{
    return &fillings[shw_fill_is_known(fill) ? fill : SHW_FILL_NONE];
}

enum shw_fill shw_fill_by_name(const char *name)
{
    for (uint32_t f = SHW_FILL_NONE; f < FILL_COUNT; f++)
        if (strcmp(fillings[f].name, name) == 0)
            return (enum shw_fill)f;
    return SHW_FILL_DEFAULT;
}

enum shw_fill shw_fill_by_curfil(const char *flag)
{
    for (uint32_t f = SHW_FILL_NONE; f < FILL_COUNT; f++)
        if (fillings[f].curfil != NULL && strcmp(fillings[f].curfil, flag) == 0)
            return (enum shw_fill)f;
    return SHW_FILL_DEFAULT;
}

uint32_t shw_fill_input(const struct shw_channel_list *list)
{
    for (uint32_t i = 1; i < list->input_count; i++)
        if (strcmp(list->inputs[i], SHW_DEPTH) == 0)
            return i;
    return 0;
}

bool shw_fill_affects(enum shw_fill fill, const struct shw_channel_list *list)
{
    return shw_filling_of(fill)->make != NULL && shw_fill_input(list) > 0;
}

bool shw_fill_check(enum shw_fill fill, const struct shw_channel_list *list, char why[SHW_FILL_WHY_SIZE])
{
    if (!shw_fill_is_known(fill)) {
        snprintf(why, SHW_FILL_WHY_SIZE, "%d is not a value of shw_fill", (int)fill);
        return false;
    }
    if (shw_filling_of(fill)->make == NULL || shw_fill_affects(fill, list))
        return true;
    snprintf(why, SHW_FILL_WHY_SIZE, "there is no depth to fill: the channels %s do not read it", list->name);
    return false;
}

enum shw_result shw_filled_input_make(enum shw_fill fill, const struct shw_input *depth, struct shw_rect rect,
                                      struct shw_filled_input *filled)
{
    uint32_t width = depth->image.width, height = depth->image.height;
    size_t pixels = (size_t)width * height;

    if (filled->capacity < pixels) {
        free(filled->pixels);
        filled->pixels = malloc(pixels * sizeof *filled->pixels);
        filled->capacity = filled->pixels != NULL ? pixels : 0;
        if (filled->pixels == NULL)
            return SHW_ERROR_MEMORY;
    }
    filled->input = (struct shw_input){
        .name = SHW_DEPTH,
        .image = {.pixels = filled->pixels, .width = width, .height = height, .format = SHW_PIXEL_GREY16}};
    return shw_filling_of(fill)->make(depth, rect, filled->pixels + (size_t)rect.y0 * width + (size_t)rect.x0, width);
}

void shw_filled_input_free(struct shw_filled_input *filled)
{
    free(filled->pixels);
    *filled = (struct shw_filled_input){0};
}
