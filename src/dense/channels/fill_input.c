#include "dense/channels/fill_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint32_t shw_fill_input(const struct shw_channel_list *list)
{
    for (uint32_t i = 1; i < list->input_count; i++)
        if (strcmp(list->inputs[i], SHW_DEPTH) == 0)
            return i;
    return 0;
}

bool shw_fill_affects(enum shw_fill fill, const struct shw_channel_list *list)
{
    return fill == SHW_FILL_SIMPLE && shw_fill_input(list) > 0;
}

bool shw_fill_check(enum shw_fill fill, const struct shw_channel_list *list, char why[SHW_FILL_WHY_SIZE])
{
    if (fill > SHW_FILL_SIMPLE) {
        snprintf(why, SHW_FILL_WHY_SIZE, "%d is not a value of shw_fill", (int)fill);
        return false;
    }
    if (fill <= SHW_FILL_NONE || shw_fill_affects(fill, list))
        return true;
    snprintf(why, SHW_FILL_WHY_SIZE, "there is no depth to fill: the channels %s do not read it", list->name);
    return false;
}

enum shw_result shw_filled_input_make(const struct shw_input *depth, struct shw_rect rect,
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
    return shw_fill_simple(depth, rect, filled->pixels + (size_t)rect.y0 * width + (size_t)rect.x0, width);
}

void shw_filled_input_free(struct shw_filled_input *filled)
{
    free(filled->pixels);
    *filled = (struct shw_filled_input){0};
}
