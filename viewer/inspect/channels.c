#include "inspect/channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "files/code/forest_code.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"

static void view_plane_destroy(const struct view_gpu *gpu, struct view_plane *plane)
{
    view_image_destroy(gpu, &plane->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &plane->staging[s]);
    free(plane->pixels);
    *plane = (struct view_plane){0};
}

/* Makes image and pixels of that size unless they exist. Errors: UNSUPPORTED, MEMORY, DEVICE_MEMORY; then there are
 * none. */
static enum shw_result view_plane_fit(const struct view_gpu *gpu, VkExtent2D extent, struct view_plane *plane)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    size_t size = (size_t)extent.width * extent.height;
    enum shw_result result;

    if (plane->pixels != NULL && plane->image.extent.width == extent.width &&
        plane->image.extent.height == extent.height)
        return SHW_OK;
    view_image_retire(gpu, &plane->image);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_retire(gpu, &plane->staging[s]);
    view_plane_destroy(gpu, plane);
    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8_UINT, extent, 0, usage, &plane->image));
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        SHW_TRY(view_buffer_create(gpu, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &plane->staging[s]));
    plane->pixels = malloc(size);
    if (plane->pixels == NULL) {
        result = shw_fail_memory(&gpu->log, "a channel of the picture");
        goto fail;
    }
    return SHW_OK;

fail:
    view_plane_destroy(gpu, plane);
    return result;
}

bool view_plane_upload(struct view_plane *plane, VkCommandBuffer commands, uint32_t slot)
{
    if (!plane->filled || !plane->upload)
        return false;
    memcpy(plane->staging[slot].mapped, plane->pixels, (size_t)plane->image.extent.width * plane->image.extent.height);
    view_image_copy(commands, &plane->image, plane->staging[slot].handle, 0);
    plane->upload = false;
    return true;
}

static void view_sampled_free(struct view_sampled *sampled)
{
    free(sampled->channel);
    free(sampled->integral);
    free(sampled->sums);
    *sampled = (struct view_sampled){0};
}

/* Begins anew. Integral images are only of parts that begin at (0, 0). False: out of memory. */
static bool view_sampled_begin(const struct shw_part *part, uint32_t width, bool integral, struct view_sampled *sampled)
{
    size_t pixels = (size_t)part->width * part->height;

    view_sampled_free(sampled);
    sampled->part = *part;
    sampled->channel = malloc(pixels * sizeof *sampled->channel);
    if (integral) {
        sampled->integral = malloc(pixels * sizeof *sampled->integral);
        sampled->sums = calloc(width, sizeof *sampled->sums);
    }
    if (sampled->channel != NULL && (!integral || (sampled->integral != NULL && sampled->sums != NULL)))
        return true;
    view_sampled_free(sampled);
    return false;
}

static bool view_sampled_is_complete(const struct view_sampled *sampled)
{
    return sampled->part.width > 0 && sampled->rows == sampled->part.height;
}

/* Adds a row of the channel to the sums. */
static void add_row(uint32_t *sums, const int16_t *values, uint32_t width)
{
    uint32_t row = 0;

    for (uint32_t x = 0; x < width; x++) {
        int32_t value = values[x];
        row += (uint32_t)value;
        sums[x] += row;
    }
}

/* Takes rows y0..y1-1 of the picture from x0 on, of which values has `width` columns. */
static void take_rows(struct view_sampled *sampled, uint32_t y0, uint32_t y1, uint32_t width, const int16_t *values)
{
    const struct shw_part *part = &sampled->part;

    for (uint32_t y = y0; y < y1; y++, values += width) {
        size_t to = (size_t)sampled->rows * part->width;
        if (sampled->sums != NULL)
            add_row(sampled->sums, values, width);
        if ((y - part->y) % part->step != 0)
            continue;
        for (uint32_t i = 0; i < part->width; i++) {
            sampled->channel[to + i] = values[(size_t)i * part->step];
            if (sampled->integral != NULL)
                sampled->integral[to + i] = sampled->sums[(size_t)i * part->step];
        }
        sampled->rows++;
    }
}

/* Computes the next rows, about `pixels` pixels of the picture. `width` is the picture's. Errors: those of
 * shw_channel_reader_get_part(). */
static enum shw_result view_sampled_continue(struct view_sampled *sampled, struct shw_channel_reader *reader,
                                             uint32_t channel, uint32_t width, uint32_t pixels)
{
    const struct shw_part *part = &sampled->part;
    uint32_t across = sampled->sums != NULL ? width : (part->width - 1) * part->step + 1;
    uint32_t left = part->height - sampled->rows, rows = pixels / across / part->step;
    struct shw_image_rectangle band = {.x0 = part->x, .x1 = part->x + across};
    int16_t *values;
    enum shw_result result;

    rows = rows == 0 ? 1 : rows < left ? rows : left;
    /* from the row after the last one that was taken to the last one that is taken now */
    band.y0 = sampled->rows == 0 ? part->y : part->y + (sampled->rows - 1) * part->step + 1;
    band.y1 = part->y + (sampled->rows + rows - 1) * part->step + 1;
    values = malloc((size_t)across * (band.y1 - band.y0) * sizeof *values);
    if (values == NULL)
        return SHW_ERROR_MEMORY;
    result = shw_channel_reader_get_part(reader, channel, &band, values);
    if (result == SHW_OK)
        take_rows(sampled, band.y0, band.y1, across, values);
    free(values);
    return result;
}

#define BAND_PIXELS (1u << 20) /* of a large picture, that a frame has time for */

static void drop_reader(struct view_channels *channels)
{
    if (channels->reader == NULL)
        return;
    shw_channel_reader_destroy(&channels->reader);
    shw_code_let_go_list(&channels->list);
}

/* The list of the plane that is shown, whose kinds stay what they are. */
static void keep_list(struct view_channels *channels, const struct shw_channel_list *list)
{
    if (list != NULL)
        shw_code_hold_list(list);
    if (channels->made_list.entry_count > 0)
        shw_code_let_go_list(&channels->made_list);
    channels->made_list = list != NULL ? *list : (struct shw_channel_list){.entry_count = 0};
}

void view_channels_destroy(const struct view_gpu *gpu, struct view_channels *channels)
{
    drop_reader(channels);
    keep_list(channels, NULL);
    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        view_plane_destroy(gpu, &channels->planes[l]);
        view_sampled_free(&channels->sampled[l]);
    }
}

const struct shw_channel_list *view_channels_list(const struct view_scene *scene)
{
    static struct shw_channel_list wide;

    if (scene->own_channels != NULL)
        return scene->own_channels;
    if (scene->forest != NULL)
        return shw_forest_get_info(scene->forest->forest)->channel_list;
    if (wide.channel_count == 0)
        (void)shw_channel_list_parse(SHW_CHANNELS_WIDE, NULL, NULL, &wide);
    return &wide;
}

static enum shw_fill fill_of(const struct view_scene *scene)
{
    return scene->forest != NULL ? shw_forest_get_info(scene->forest->forest)->fill : SHW_FILL_NONE;
}

static const struct shw_forest *below_of(const struct view_scene *scene)
{
    return scene->forest != NULL ? shw_forest_get_info(scene->forest->forest)->below : NULL;
}

enum shw_result view_channels_reader(struct view_channels *channels, const struct view_scene *scene,
                                     const struct shw_channel_list *list, struct shw_channel_reader **reader)
{
    struct shw_input inputs[SHW_INPUTS_MAX];
    const struct shw_inputs given = view_picture_inputs(scene->picture, list, inputs);
    enum shw_fill fill = fill_of(scene);
    struct shw_channel_reader_params params = {
        .inputs = &given, .channels = list->name, .fill = fill, .log = scene->log, .below = below_of(scene)};

    *reader = NULL;
    if (channels->reader != NULL && (!shw_channel_lists_equal(&channels->list, list) || channels->fill != fill ||
                                     channels->below != shw_forest_hash(params.below)))
        drop_reader(channels);
    if (channels->reader == NULL) {
        shw_code_list_kinds(list, &params.kinds);
        SHW_PROPAGATE(shw_channel_reader_create(&params, &channels->reader));
        shw_code_hold_list(list);
        channels->list = *list;
        channels->fill = fill;
        channels->below = shw_forest_hash(params.below);
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
    const uint16_t *depth_mm; /* of the whole picture, which is that wide: */
    uint32_t picture_width;
    const uint32_t *integral, *sums; /* with a row and a column of zeros, or without */
    const int16_t *channel;          /* also set with an integral image */
    struct shw_part part;
    uint32_t width, height; /* of the part */
    bool negative;          /* the channel has negative values */
};

/* For integral images, converts to the sums over each pixel of the row and all pixels to the left and above. */
static void read_row(const struct values *values, uint32_t y, double *row)
{
    size_t first = (size_t)y * values->width, width = values->width;
    const uint32_t *sums = values->integral != NULL ? values->integral + ((size_t)y + 1) * (width + 1) + 1
                           : values->sums != NULL   ? values->sums + first
                                                    : NULL;

    if (values->depth_mm != NULL)
        for (size_t x = 0; x < width; x++)
            row[x] = values->depth_mm[(values->part.y + (size_t)y * values->part.step) * values->picture_width +
                                      values->part.x + x * values->part.step];
    else if (sums == NULL)
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
    if (channels->levels == VIEW_LEVELS_FULL && values->integral == NULL && values->sums == NULL)
        largest = max_abs;
    channels->high = (int64_t)largest;
    channels->low = values->negative ? -channels->high : 0;
}

/* The grey of a value is 255 times its relative position between the levels, rounded to nearest. All numbers are
 * integers below 2^42, so truncating a double's quotient is exact. */
static enum shw_result fill(const struct values *values, uint32_t max_abs, uint32_t layer,
                            struct view_channels *channels)
{
    double *row = malloc(values->width * sizeof *row), low, span, half;
    struct view_plane *plane = &channels->planes[layer];
    uint8_t *pixels = plane->pixels;

    if (row == NULL)
        return SHW_ERROR_MEMORY;
    if (layer == VIEW_OVERVIEW || !channels->planes[VIEW_OVERVIEW].filled) /* those of the overview are for both */
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
    plane->upload = plane->filled = true;
    free(row);
    return SHW_OK;
}

static void make_depth_plane(struct view_channels *channels, const struct view_scene *scene, uint32_t layer)
{
    const struct shw_part part = view_scene_part(scene, layer);
    struct values values = {.part = part,
                            .width = part.width,
                            .height = part.height,
                            .picture_width = scene->picture->image.width,
                            .depth_mm = view_picture_depth(scene->picture)};

    if (view_plane_fit(scene->labelling.params.gpu, (VkExtent2D){values.width, values.height},
                       &channels->planes[layer]) == SHW_OK &&
        fill(&values, UINT16_MAX, layer, channels) != SHW_OK)
        shw_fail_memory(&scene->log, "the depth of the picture");
}

static enum view_overlay_plane plane_of(const struct view_scene *scene)
{
    return view_overlay_kinds[scene->settings.mode].plane;
}

static void make_channel_plane(struct view_channels *channels, const struct view_scene *scene, uint32_t max_abs)
{
    struct values values = {.width = scene->picture->image.width, .height = scene->picture->image.height};
    size_t pixels = (size_t)values.width * values.height;
    int16_t *channel = malloc(pixels * sizeof *channel);
    uint32_t *integral = NULL;
    struct shw_channel_reader *reader;
    enum shw_result result;

    if (plane_of(scene) == VIEW_INTEGRAL_PLANE)
        integral = malloc(((size_t)values.width + 1) * ((size_t)values.height + 1) * sizeof *integral);
    if (channel == NULL || (plane_of(scene) == VIEW_INTEGRAL_PLANE && integral == NULL)) {
        shw_fail_memory(&scene->log, "a channel of the picture");
        goto fail;
    }
    SHW_TRY(view_channels_reader(channels, scene, view_channels_list(scene), &reader));
    SHW_TRY(view_plane_fit(scene->labelling.params.gpu, (VkExtent2D){values.width, values.height},
                           &channels->planes[VIEW_OVERVIEW]));
    SHW_TRY(shw_channel_reader_get_channel(reader, channels->chosen, channel));
    if (integral != NULL)
        SHW_TRY(shw_channel_reader_get_integral(reader, channels->chosen, integral));
    values.channel = channel;
    values.integral = integral;
    for (size_t i = 0; i < pixels; i++)
        values.negative = values.negative || channel[i] < 0;
    if (fill(&values, max_abs, VIEW_OVERVIEW, channels) != SHW_OK)
        shw_fail_memory(&scene->log, "a channel of the picture");

fail:
    free(integral);
    free(channel);
}

/* Makes a plane of what has been sampled. */
static enum shw_result show_sampled(struct view_channels *channels, const struct view_scene *scene, uint32_t layer,
                                    uint32_t max_abs)
{
    const struct view_sampled *sampled = &channels->sampled[layer];
    const struct shw_part *part = &sampled->part;
    struct values values = {.part = *part,
                            .width = part->width,
                            .height = part->height,
                            .channel = sampled->channel,
                            .sums = sampled->integral};

    for (size_t i = 0; i < (size_t)part->width * part->height; i++)
        values.negative = values.negative || sampled->channel[i] < 0;
    SHW_PROPAGATE(
        view_plane_fit(scene->labelling.params.gpu, (VkExtent2D){part->width, part->height}, &channels->planes[layer]));
    return fill(&values, max_abs, layer, channels);
}

/* One layer of a large picture; a band of it, unless every frame must be complete. */
static enum shw_result sample_layer(struct view_channels *channels, const struct view_scene *scene, uint32_t layer,
                                    uint32_t max_abs)
{
    const struct shw_part part = view_scene_part(scene, layer);
    struct view_sampled *sampled = &channels->sampled[layer];
    uint32_t width = scene->picture->image.width;
    struct shw_channel_reader *reader;

    if (!view_part_equals(&channels->parts[layer], &part)) {
        channels->planes[layer].filled = false;
        channels->parts[layer] = part;
        if (!view_sampled_begin(&part, width, plane_of(scene) == VIEW_INTEGRAL_PLANE, sampled))
            return shw_fail_memory(&scene->log, "a channel of the picture");
    }
    if (channels->planes[layer].filled || sampled->part.width == 0) /* it is complete, or has failed */
        return SHW_OK;
    SHW_PROPAGATE(view_channels_reader(channels, scene, view_channels_list(scene), &reader));
    do
        SHW_PROPAGATE(view_sampled_continue(sampled, reader, channels->chosen, width, BAND_PIXELS));
    while (scene->labelling.budget <= 0.0 && !view_sampled_is_complete(sampled));
    channels->pending = !view_sampled_is_complete(sampled);
    if (channels->pending)
        return SHW_OK;
    SHW_PROPAGATE(show_sampled(channels, scene, layer, max_abs));
    return layer == VIEW_OVERVIEW && channels->planes[VIEW_DETAIL].filled
               ? show_sampled(channels, scene, VIEW_DETAIL, max_abs)
               : SHW_OK;
}

static void update_large_depth(struct view_channels *channels, const struct view_scene *scene)
{
    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        const struct shw_part part = view_scene_part(scene, l);
        if (part.width > 0 && !view_part_equals(&channels->parts[l], &part))
            make_depth_plane(channels, scene, l);
        channels->parts[l] = part;
    }
}

/* What is seen first; integral images only of the overview. */
static void update_large_channel(struct view_channels *channels, const struct view_scene *scene, uint32_t max_abs)
{
    for (uint32_t l = VIEW_LAYERS; l-- > 0 && !channels->pending;)
        if (view_scene_part(scene, l).width == 0 || (plane_of(scene) == VIEW_INTEGRAL_PLANE && l == VIEW_DETAIL)) {
            channels->planes[l].filled = false;
            channels->parts[l].width = 0;
        } else if (sample_layer(channels, scene, l, max_abs) != SHW_OK) {
            view_sampled_free(&channels->sampled[l]);
            return;
        }
}

static void update_large(struct view_channels *channels, const struct view_scene *scene,
                         const struct shw_channel_list *list)
{
    channels->pending = false;
    if (plane_of(scene) != VIEW_DEPTH_PLANE && channels->chosen < list->channel_count)
        update_large_channel(channels, scene, list->channels[channels->chosen].max_abs);
    else if (plane_of(scene) == VIEW_DEPTH_PLANE && view_picture_depth(scene->picture) != NULL)
        update_large_depth(channels, scene);
}

void view_channels_update(struct view_channels *channels, const struct view_scene *scene)
{
    const struct shw_channel_list *list = view_channels_list(scene);
    const uint32_t mode = scene->settings.mode;
    const enum view_overlay_plane plane = plane_of(scene);
    bool large = scene->shown.part.step > 1;

    if (scene->picture == NULL || plane == VIEW_NO_PLANE)
        return;
    if (channels->stale || channels->made_picture != scene->picture_count || channels->made_mode != mode ||
        !shw_channel_lists_equal(&channels->made_list, list) || channels->made_fill != fill_of(scene)) {
        for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
            channels->planes[l].filled = false;
            channels->parts[l].width = 0;
        }
        channels->stale = false;
        channels->made_picture = scene->picture_count;
        channels->made_mode = mode;
        keep_list(channels, list);
        channels->made_fill = fill_of(scene);
        if (!large && plane == VIEW_DEPTH_PLANE && view_picture_depth(scene->picture) != NULL)
            make_depth_plane(channels, scene, VIEW_OVERVIEW);
        else if (!large && plane != VIEW_DEPTH_PLANE && channels->chosen < list->channel_count)
            make_channel_plane(channels, scene, list->channels[channels->chosen].max_abs);
    }
    if (large)
        update_large(channels, scene, list);
}
