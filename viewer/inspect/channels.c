#include "inspect/channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

void view_channels_destroy(const struct view_gpu *gpu, struct view_channels *channels)
{
    shw_channel_reader_destroy(&channels->reader);
    view_plane_destroy(gpu, &channels->plane);
}

const struct shw_channel_list *view_channels_list(const struct view_scene *scene)
{
    static struct shw_channel_list wide;

    if (scene->forest != NULL)
        return shw_forest_get_info(scene->forest->forest)->channel_list;
    if (wide.channel_count == 0)
        (void)shw_channel_list_parse(SHW_CHANNELS_WIDE, NULL, NULL, &wide);
    return &wide;
}

enum shw_result view_channels_reader(struct view_channels *channels, const struct view_scene *scene,
                                     struct shw_channel_reader **reader)
{
    const struct shw_channel_list *list = view_channels_list(scene);
    struct shw_input inputs[SHW_INPUTS_MAX];
    const struct shw_inputs given = view_picture_inputs(scene->picture, list, inputs);
    struct shw_channel_reader_params params = {.inputs = &given, .channels = list->name, .log = scene->log};

    *reader = NULL;
    if (channels->reader != NULL && strcmp(channels->list, params.channels) != 0)
        shw_channel_reader_destroy(&channels->reader);
    if (channels->reader == NULL) {
        SHW_PROPAGATE(shw_channel_reader_create(&params, &channels->reader));
        snprintf(channels->list, sizeof channels->list, "%s", params.channels);
    } else if (channels->picture != scene->picture_count) {
        SHW_PROPAGATE(shw_channel_reader_set_inputs(channels->reader, params.inputs));
    }
    channels->picture = scene->picture_count;
    *reader = channels->reader;
    return SHW_OK;
}

/* Values as stored; one of the three pointers is set. Numbers of integral images are unsigned unless the channel has
 * negative values. */
struct values {
    const uint16_t *depth_mm;
    const uint32_t *integral;
    const int16_t *channel; /* also set with an integral image */
    uint32_t width, height;
    bool negative; /* the channel has negative values */
};

/* For integral images, converts to the sums over each pixel of the row and all pixels to the left and above. */
static void read_row(const struct values *values, uint32_t y, double *row)
{
    size_t first = (size_t)y * values->width, width = values->width;
    const uint32_t *sums = values->integral != NULL ? values->integral + ((size_t)y + 1) * (width + 1) + 1 : NULL;

    if (values->depth_mm != NULL)
        for (size_t x = 0; x < width; x++)
            row[x] = values->depth_mm[first + x];
    else if (values->integral == NULL)
        for (size_t x = 0; x < width; x++)
            row[x] = values->channel[first + x];
    else if (values->negative)
        for (size_t x = 0; x < width; x++)
            row[x] = (int32_t)sums[x];
    else
        for (size_t x = 0; x < width; x++)
            row[x] = sums[x];
}

static void find_levels(const struct values *values, uint32_t max_abs, double *row, struct view_channels *channels)
{
    double largest = 1.0;

    if (channels->levels == VIEW_LEVELS_GIVEN)
        return;
    for (uint32_t y = 0; y < values->height; y++) {
        read_row(values, y, row);
        for (uint32_t x = 0; x < values->width; x++)
            largest = fabs(row[x]) > largest ? fabs(row[x]) : largest;
    }
    if (channels->levels == VIEW_LEVELS_FULL && values->integral == NULL)
        largest = max_abs;
    channels->high = (int64_t)largest;
    channels->low = values->negative ? -channels->high : 0;
}

/* The grey of a value is 255 times its relative position between the levels, rounded to nearest. All numbers are
 * integers below 2^42, so truncating a double's quotient is exact. */
static enum shw_result fill(const struct values *values, uint32_t max_abs, struct view_channels *channels)
{
    double *row = malloc(values->width * sizeof *row), low, span, half;
    uint8_t *pixels = channels->plane.pixels;

    if (row == NULL)
        return SHW_ERROR_MEMORY;
    find_levels(values, max_abs, row, channels);
    low = (double)channels->low;
    span = (double)(channels->high - channels->low);
    half = floor(span / 2.0);
    for (uint32_t y = 0; y < values->height; y++, pixels += values->width) {
        read_row(values, y, row);
        for (uint32_t x = 0; x < values->width; x++) {
            double above = row[x] - low;
            above = above < 0.0 ? 0.0 : above > span ? span : above;
            pixels[x] = (uint8_t)(int)((above * 255.0 + half) / span);
        }
    }
    channels->plane.upload = channels->plane.filled = true;
    free(row);
    return SHW_OK;
}

static void make_depth_plane(struct view_channels *channels, const struct view_scene *scene)
{
    struct values values = {.width = scene->picture->image.width,
                            .height = scene->picture->image.height,
                            .depth_mm = view_picture_depth(scene->picture)};

    if (view_plane_fit(scene->labelling.params.gpu, (VkExtent2D){values.width, values.height}, &channels->plane) ==
            SHW_OK &&
        fill(&values, UINT16_MAX, channels) != SHW_OK)
        shw_fail_memory(&scene->log, "the depth of the picture");
}

static void make_channel_plane(struct view_channels *channels, const struct view_scene *scene, uint32_t max_abs)
{
    struct values values = {.width = scene->picture->image.width, .height = scene->picture->image.height};
    size_t pixels = (size_t)values.width * values.height;
    int16_t *channel = malloc(pixels * sizeof *channel);
    uint32_t *integral = NULL;
    struct shw_channel_reader *reader;
    enum shw_result result;

    if (scene->settings.mode == VIEW_MODE_INTEGRAL)
        integral = malloc(((size_t)values.width + 1) * ((size_t)values.height + 1) * sizeof *integral);
    if (channel == NULL || (scene->settings.mode == VIEW_MODE_INTEGRAL && integral == NULL)) {
        shw_fail_memory(&scene->log, "a channel of the picture");
        goto fail;
    }
    SHW_TRY(view_channels_reader(channels, scene, &reader));
    SHW_TRY(view_plane_fit(scene->labelling.params.gpu, (VkExtent2D){values.width, values.height}, &channels->plane));
    SHW_TRY(shw_channel_reader_get_channel(reader, channels->chosen, channel));
    if (integral != NULL)
        SHW_TRY(shw_channel_reader_get_integral(reader, channels->chosen, integral));
    values.channel = channel;
    values.integral = integral;
    for (size_t i = 0; i < pixels; i++)
        values.negative = values.negative || channel[i] < 0;
    if (fill(&values, max_abs, channels) != SHW_OK)
        shw_fail_memory(&scene->log, "a channel of the picture");

fail:
    free(integral);
    free(channel);
}

void view_channels_update(struct view_channels *channels, const struct view_scene *scene)
{
    const struct shw_channel_list *list = view_channels_list(scene);
    uint32_t mode = scene->settings.mode;

    if (scene->picture == NULL || mode < VIEW_MODE_CHANNEL ||
        (!channels->stale && channels->made_picture == scene->picture_count && channels->made_mode == mode &&
         strcmp(channels->made_list, list->name) == 0))
        return;
    channels->plane.filled = channels->stale = false;
    channels->made_picture = scene->picture_count;
    channels->made_mode = mode;
    snprintf(channels->made_list, sizeof channels->made_list, "%s", list->name);
    if (mode == VIEW_MODE_DEPTH && view_picture_depth(scene->picture) != NULL)
        make_depth_plane(channels, scene);
    else if (mode != VIEW_MODE_DEPTH && channels->chosen < list->channel_count)
        make_channel_plane(channels, scene, list->channels[channels->chosen].max_abs);
}
