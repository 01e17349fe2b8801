#include "label/shown.h"

#include <string.h>

#include "base/image.h"
#include "base/log.h"
#include "dense/channels/pixels.h"
#include "gpu/frames.h"
#include "gpu/gpu.h"

#define RUN         256u
#define BAND_TEXELS (1u << 20) /* that are uploaded in a frame, except of whole pictures */
#define ROUND       256u       /* sizes of images that may be larger are multiples of this */

static bool is_whole(const struct shw_part *part)
{
    return part->step == 1 && part->x == 0 && part->y == 0;
}

/* The labeller reads pictures that are there as wholes; what is shown is something else if it has fewer bits, or may be
 * planes. */
static bool needs_source(const struct view_picture *picture, const struct shw_part *part)
{
    return (shw_pixel_is_wide(picture->image.format) || view_picture_has_planes(picture)) && is_whole(part) &&
           part->width == picture->image.width && part->height == picture->image.height;
}

static VkFormat source_format(const struct view_picture *picture)
{
    return shw_pixel_is_wide(picture->image.format) ? VK_FORMAT_R16G16B16A16_UINT : VK_FORMAT_R8G8B8A8_UNORM;
}

const char *const view_array_planes[3] = {"b1", "b2", "b3"};

/* The plane of a file that is shown if nothing is chosen. */
static const char *first_plane(const struct view_picture *picture, uint32_t number)
{
    for (uint32_t i = 0; i < picture->input_count; i++)
        if (picture->numbers[i].own && shw_plane_list_find(&picture->planes, picture->inputs[i].name) == number)
            return picture->inputs[i].name;
    return view_array_planes[number];
}

bool view_display_is_automatic(const struct view_picture *picture)
{
    const bool is_float = !picture->facts.wants_range && shw_intensity_range_is_set(&picture->facts.range),
               is_wide = shw_pixel_is_wide(picture->image.format) && picture->planes.count > 3;

    return picture->planes.count > 0 && picture->is_file && (is_float || is_wide) &&
           !shw_intensity_range_is_set(&picture->choice.range) && picture->choice.channels.count == 0;
}

uint32_t view_display_find(const struct view_display *display, const struct view_picture *picture, bool lacking,
                           struct view_display_plane planes[3])
{
    uint32_t count = display->planes.count, found = 0;
    const bool automatic = count == 0 && view_display_is_automatic(picture);

    if (automatic)
        count = picture->planes.count < 3 ? 1 : 3;
    for (uint32_t i = 0; i < count; i++) {
        const char *name = automatic ? first_plane(picture, i) : display->planes.names[i];
        const struct shw_shown_range *range = shw_shown_planes_range(&display->planes, name);
        const uint32_t input = view_picture_find_plane(picture, name);

        planes[i] = (struct view_display_plane){.name = name, .chosen = range != NULL};
        if (input != UINT32_MAX) {
            planes[i].plane = &picture->inputs[input].image;
            planes[i].low = picture->numbers[input].low;
            planes[i].high = picture->numbers[input].high;
            found++;
        }
        if (range != NULL) {
            planes[i].low = range->low;
            planes[i].high = range->high;
        }
    }
    return found == count || lacking ? count : 0;
}

/* The rows of a band. */
static uint32_t band_rows(const struct view_shown *shown)
{
    const struct shw_part *part = &shown->part;
    uint32_t rows = BAND_TEXELS / part->width;

    if (shown->at_once)
        return part->height;
    return rows == 0 ? 1 : rows < part->height ? rows : part->height;
}

/* Offsets in a staging buffer; the part with the largest texels comes first, for alignment. */
struct parts {
    size_t source, shown, truth, end;
};

static struct parts parts_of(const struct view_picture *picture, const struct shw_part *part, size_t texels)
{
    struct parts parts = {
        .shown = needs_source(picture, part) ? texels * (shw_pixel_is_wide(picture->image.format) ? 8 : 4) : 0};

    parts.truth = parts.shown + texels * 4;
    parts.end = parts.truth + (picture->labels != NULL ? texels * 2 : 0);
    return parts;
}

void view_shown_destroy(const struct view_gpu *gpu, struct view_shown *shown)
{
    view_image_destroy(gpu, &shown->shown);
    view_image_destroy(gpu, &shown->source);
    view_image_destroy(gpu, &shown->truth);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_destroy(gpu, &shown->staging[s]);
    *shown = (struct view_shown){0};
}

void view_shown_retire(const struct view_gpu *gpu, struct view_shown *shown)
{
    view_image_retire(gpu, &shown->shown);
    view_image_retire(gpu, &shown->source);
    view_image_retire(gpu, &shown->truth);
    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        view_buffer_retire(gpu, &shown->staging[s]);
    *shown = (struct view_shown){0};
}

static enum shw_result create(const struct view_gpu *gpu, const struct view_picture *picture,
                              const struct shw_part *part, VkExtent2D extent, struct view_shown *shown)
{
    const VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    enum shw_result result;

    SHW_TRY(view_image_create(gpu, VK_FORMAT_R8G8B8A8_UNORM, extent, 0, usage, &shown->shown));
    if (needs_source(picture, part))
        SHW_TRY(view_image_create(gpu, source_format(picture), extent, 0, usage, &shown->source));
    if (picture->labels != NULL)
        SHW_TRY(view_image_create(gpu, VK_FORMAT_R16_UINT, extent, 0, usage, &shown->truth));
    return SHW_OK;

fail:
    view_shown_destroy(gpu, shown);
    return result;
}

/* Staging buffers for a band. */
static enum shw_result fit_staging(const struct view_gpu *gpu, const struct view_picture *picture,
                                   struct view_shown *shown)
{
    size_t size = parts_of(picture, &shown->part, (size_t)band_rows(shown) * shown->part.width).end;

    for (uint32_t s = 0; s < VIEW_SLOTS; s++)
        if (shown->staging[s].size < size) {
            view_buffer_retire(gpu, &shown->staging[s]);
            SHW_PROPAGATE(view_buffer_create(gpu, size, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, false, &shown->staging[s]));
        }
    return SHW_OK;
}

static uint32_t round_up(uint32_t size)
{
    return (size + ROUND - 1) / ROUND * ROUND;
}

enum shw_result view_shown_fit(const struct view_gpu *gpu, const struct view_picture *picture,
                               const struct shw_part *part, bool larger, struct view_shown *shown, bool *renewed)
{
    VkExtent2D extent = {part->width, part->height};
    enum shw_result result;

    *renewed = !view_image_holds(&shown->shown, extent, larger) ||
               (shown->source.handle != VK_NULL_HANDLE) != needs_source(picture, part) ||
               (needs_source(picture, part) && shown->source.format != source_format(picture)) ||
               (shown->truth.handle != VK_NULL_HANDLE) != (picture->labels != NULL);
    if (larger)
        extent = (VkExtent2D){round_up(part->width), round_up(part->height)};
    if (*renewed) {
        view_shown_retire(gpu, shown);
        SHW_TRY(create(gpu, picture, part, extent, shown));
    }
    shown->part = *part;
    shown->at_once = part->step == 1 && !larger;
    shown->rows = 0;
    SHW_TRY(fit_staging(gpu, picture, shown));
    return SHW_OK;

fail:
    view_shown_retire(gpu, shown);
    return result;
}

enum shw_result view_shown_fit_whole(const struct view_gpu *gpu, const struct view_picture *picture,
                                     struct view_shown *shown, bool *renewed)
{
    const struct shw_part whole = {.width = picture->image.width, .height = picture->image.height, .step = 1};

    return view_shown_fit(gpu, picture, &whole, false, shown, renewed);
}

static uint8_t shown_sample(uint16_t sample, struct view_display_range range)
{
    uint32_t span = range.high > range.low ? (uint32_t)range.high - range.low : 1;
    uint32_t above = sample > range.low ? (uint32_t)sample - range.low : 0;

    return (uint8_t)(((above < span ? above : span) * 255 + span / 2) / span);
}

/* 16-bit samples as they are, if `source` is not NULL, and as they are shown. */
static void fill_wide(const uint16_t *texels, uint32_t count, struct view_display_range range, uint16_t *source,
                      uint8_t *shown)
{
    if (source != NULL)
        memcpy(source, texels, 4 * count * sizeof *texels);
    for (uint32_t i = 0; i < 4 * count; i++)
        shown[i] = i % 4 < 3 ? shown_sample(texels[i], range) : 255;
}

/* Every step-th pixel of a row, as an image without gaps. */
static struct shw_image pick(const struct shw_image *image, uint32_t x, uint32_t y, uint32_t count, uint32_t step,
                             uint8_t *pixels)
{
    size_t size = shw_pixel_size(image->format);
    const uint8_t *from = shw_image_part(image, x, y, 1, 1).pixels;
    uint8_t *to = pixels;

    for (uint32_t i = 0; i < count; i++, from += step * size)
        for (size_t b = 0; b < size; b++)
            *to++ = from[b];
    return (struct shw_image){.pixels = pixels, .width = count, .height = 1, .format = image->format};
}

/* Planes as colours. */
static void fill_planes(const struct view_display_plane *planes, uint32_t plane_count, size_t first, uint32_t count,
                        uint32_t step, uint8_t *shown)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            const struct view_display_plane *plane = &planes[plane_count == 1 ? 0 : c];
            const float number = view_plane_number(plane->plane, first + (size_t)i * step);
            const float place =
                plane->high > plane->low ? (number - plane->low) / (plane->high - plane->low) : number > plane->low;

            shown[4 * i + c] = (uint8_t)(place > 0.0f ? (place < 1.0f ? place : 1.0f) * 255.0f + 0.5f : 0.0f);
        }
        shown[4 * i + 3] = 255;
    }
}

/* A run of pixels of a row; the staging buffer is slow to read. */
static void fill_run(const struct shw_image *image, uint32_t x, uint32_t y, uint32_t count, uint32_t step,
                     struct view_display_range range, void *source, uint8_t *shown)
{
    const struct shw_region region = {.width = count, .height = 1};
    bool wide = shw_pixel_is_wide(image->format);
    uint16_t texels[4 * RUN];
    _Alignas(8) uint8_t picked[8 * RUN];
    const struct shw_image run =
        step == 1 ? shw_image_part(image, x, y, count, 1) : pick(image, x, y, count, step, picked);

    shw_source_pixels_expand(&run, &region, wide || source != NULL ? (void *)texels : (void *)shown);
    if (wide) {
        fill_wide(texels, count, range, source, shown);
    } else if (source != NULL) {
        memcpy(source, texels, 4 * (size_t)count);
        memcpy(shown, texels, 4 * (size_t)count);
    }
}

static void fill(const struct view_shown *shown, const struct view_picture *picture, uint32_t rows,
                 const struct view_display *display, uint8_t *staging)
{
    struct view_display_plane planes[3];
    const uint32_t plane_count = view_display_find(display, picture, false, planes);
    const size_t texel = shw_pixel_is_wide(picture->image.format) ? 8 : 4;
    const struct shw_part *part = &shown->part;
    const struct parts parts = parts_of(picture, part, (size_t)rows * part->width);
    uint8_t *source = needs_source(picture, part) ? staging + parts.source : NULL;
    uint16_t *truth = (uint16_t *)(void *)(staging + parts.truth);

    for (uint32_t j = 0; j < rows; j++) {
        uint32_t y = part->y + (shown->rows + j) * part->step;
        size_t row = (size_t)j * part->width;
        for (uint32_t i = 0; i < part->width; i += RUN) {
            uint32_t count = part->width - i < RUN ? part->width - i : RUN;
            const uint32_t x = part->x + i * part->step;
            fill_run(&picture->image, x, y, count, part->step, display->range,
                     source != NULL ? source + texel * (row + i) : NULL, staging + parts.shown + 4 * (row + i));
            if (plane_count > 0)
                fill_planes(planes, plane_count, (size_t)y * picture->image.width + x, count, part->step,
                            staging + parts.shown + 4 * (row + i));
        }
        for (uint32_t i = 0; picture->labels != NULL && i < part->width; i++)
            truth[row + i] = picture->labels[(size_t)y * picture->image.width + part->x + (size_t)i * part->step];
    }
}

bool view_shown_upload(struct view_shown *shown, const struct view_picture *picture, const struct view_display *display,
                       VkCommandBuffer commands, uint32_t slot)
{
    const struct shw_part *part = &shown->part;
    const struct view_buffer *staging = &shown->staging[slot];
    uint32_t first = shown->rows, left = part->height - first, rows = band_rows(shown);
    bool begun = first > 0 || shown->filled;
    struct parts parts;

    rows = rows < left ? rows : left;
    parts = parts_of(picture, part, (size_t)rows * part->width);
    fill(shown, picture, rows, display, staging->mapped);
    view_image_copy_rows(commands, &shown->shown, staging->handle, parts.shown, first, rows, part->width, begun);
    if (shown->source.handle != VK_NULL_HANDLE)
        view_image_copy_rows(commands, &shown->source, staging->handle, parts.source, first, rows, part->width, begun);
    if (shown->truth.handle != VK_NULL_HANDLE)
        view_image_copy_rows(commands, &shown->truth, staging->handle, parts.truth, first, rows, part->width, begun);
    shown->rows = first + rows < part->height ? first + rows : 0;
    shown->filled = shown->filled || shown->rows == 0;
    return shown->rows == 0;
}

const struct view_image *view_shown_source(const struct view_shown *shown)
{
    return shown->source.handle != VK_NULL_HANDLE ? &shown->source : &shown->shown;
}

void view_detail_destroy(const struct view_gpu *gpu, struct view_detail *detail)
{
    for (uint32_t i = 0; i < 2; i++)
        view_shown_destroy(gpu, &detail->images[i]);
    memset(detail, 0, sizeof *detail);
}

static struct view_shown *back_of(struct view_detail *detail)
{
    return &detail->images[1 - detail->front];
}

static enum shw_result load(const struct view_gpu *gpu, struct view_detail *detail, const struct view_picture *picture,
                            const struct shw_part *part)
{
    bool renewed;

    detail->loading = false;
    SHW_PROPAGATE(view_shown_fit(gpu, picture, part, true, back_of(detail), &renewed));
    detail->loading = true;
    return SHW_OK;
}

/* False: the overview is fine enough. */
static bool find_seen(const struct view_look *look, struct shw_part *seen, struct shw_part *part)
{
    const struct view_picture *picture = look->picture;

    return picture != NULL && view_part_detail(picture->image.width, picture->image.height, look->coarse, look->longest,
                                               look->place, look->area, seen, part);
}

static bool has(const struct view_detail *detail, const struct shw_part *seen)
{
    return detail->valid && view_part_covers(&detail->images[detail->front].part, seen);
}

enum shw_result view_detail_update(const struct view_gpu *gpu, struct view_detail *detail, const struct view_look *look,
                                   uint64_t count, bool anew)
{
    struct shw_part part;
    bool before = detail->wanted;

    if (anew || count != detail->picture)
        detail->valid = detail->loading = detail->loaded = false;
    if (detail->loaded) {
        detail->front = 1 - detail->front;
        detail->loaded = false;
        detail->valid = detail->changed = true;
    }
    detail->picture = count;
    detail->wanted = find_seen(look, &detail->seen, &part);
    detail->changed = detail->changed || detail->wanted != before;
    if (!detail->wanted)
        detail->loading = detail->loaded = false;
    if (!detail->wanted || has(detail, &detail->seen) ||
        (detail->loading && view_part_covers(&back_of(detail)->part, &detail->seen)))
        return SHW_OK;
    return load(gpu, detail, look->picture, &part);
}

bool view_detail_upload(struct view_detail *detail, const struct view_picture *picture,
                        const struct view_display *display, VkCommandBuffer commands, uint32_t slot)
{
    if (!detail->loading)
        return false;
    detail->loaded = view_shown_upload(back_of(detail), picture, display, commands, slot);
    detail->loading = !detail->loaded;
    return true;
}

const struct view_shown *view_detail_shown(const struct view_detail *detail)
{
    return detail->wanted && detail->valid ? &detail->images[detail->front] : NULL;
}

bool view_detail_is_complete(const struct view_detail *detail, const struct view_look *look)
{
    struct shw_part seen, part;
    bool wanted = find_seen(look, &seen, &part);

    return wanted == detail->wanted && (!wanted || has(detail, &seen));
}
