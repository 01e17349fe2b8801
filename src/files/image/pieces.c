#include "files/image/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "files/image/decode.h"
#include "files/image/opened.h"
#include "files/image/tiff.h"

/* A page that is open: libtiff has one directory at a time, and reading it takes long where there are many tiles. */
struct part {
    struct shw_tiff_reading reading;
    struct shw_tiff_mapping mapping;
    uint32_t first, count; /* its images */
};

struct shw_image_pieces {
    struct shw_opened opened;
    struct shw_source plain; /* of planes: without a choice */
    struct shw_pieces_info info;
    struct shw_tiff_cache cache;
    struct part *parts; /* the colours first */
    uint32_t part_count;
    bool has_colours;
    uint32_t places[SHW_INPUTS_MAX]; /* in the caller's order, of the images in that of the parts */
    struct shw_decoded seen;         /* of all pieces: what has been outside the range */
};

const struct shw_pieces_info *shw_image_pieces_info(const struct shw_image_pieces *pieces)
{
    return &pieces->info;
}

void shw_image_pieces_close(struct shw_image_pieces **handle)
{
    struct shw_image_pieces *pieces = *handle;

    if (pieces == NULL)
        return;
    if (pieces->opened.source.log != NULL)
        shw_decoded_check_range(&pieces->opened.source, &pieces->seen);
    for (uint32_t p = 0; p < pieces->part_count; p++)
        shw_tiff_reading_close(&pieces->parts[p].reading);
    free(pieces->parts);
    shw_tiff_cache_free(&pieces->cache);
    shw_opened_close(&pieces->opened);
    free(pieces);
    *handle = NULL;
}

/* The bytes that are kept of each of the page's rows of pixels; 0: blocks are too large to be kept. */
static uint64_t row_bytes(const struct shw_tiff_layout *layout, uint64_t cache)
{
    const uint64_t planes = layout->planar == PLANARCONFIG_SEPARATE ? layout->channel_count : 1;
    const uint64_t across = (layout->width - 1) / layout->block_width + 1;

    if (layout->blocks == SHW_TIFF_ROWS)
        return 1;
    return layout->block_size <= cache / 2 ? across * planes * layout->block_stride : 0;
}

/* Whether the page that a reading is at can be read in pieces; notes what is known of it. */
static bool take_page(struct shw_image_pieces *pieces, const struct part *part)
{
    const struct shw_tiff_layout *layout = &part->reading.layout;
    const uint64_t bytes = row_bytes(layout, pieces->cache.limit);
    uint16_t orientation = ORIENTATION_TOPLEFT;

    TIFFGetFieldDefaulted(part->reading.tiff, TIFFTAG_ORIENTATION, &orientation);
    pieces->info.width = layout->width;
    pieces->info.height = layout->height;
    pieces->info.in_strips = pieces->info.in_strips || layout->blocks == SHW_TIFF_STRIPS;
    pieces->info.row_bytes += bytes;
    return bytes > 0 && (orientation < 2 || orientation > 8);
}

static struct part *add_part(struct shw_image_pieces *pieces, const struct shw_source *source, enum shw_result *result)
{
    struct part *part = &pieces->parts[pieces->part_count];

    *part = (struct part){.first = pieces->info.image_count};
    *result = shw_tiff_reading_open(source, &part->reading);
    if (*result != SHW_OK)
        return NULL;
    part->reading.cache = &pieces->cache;
    pieces->part_count++;
    return part;
}

static enum shw_result read_part(struct shw_image_pieces *pieces, struct part *part,
                                 const struct shw_tiff_window *window, struct shw_decoded *decoded)
{
    if (part->first > 0 || !pieces->has_colours)
        return shw_tiff_read_channels(&part->reading, window, decoded);
    SHW_PROPAGATE(shw_tiff_read_image(&part->reading, &part->mapping, window, decoded));
    SHW_PROPAGATE(shw_decoded_choose(&pieces->opened.source, decoded));
    pieces->seen.outside += decoded->outside;
    pieces->seen.taken += decoded->taken;
    pieces->seen.facts = decoded->facts;
    return SHW_OK;
}

static enum shw_result open_colours(struct shw_image_pieces *pieces, const struct shw_pieces_params *params,
                                    bool *possible)
{
    const struct shw_source *source = &pieces->opened.source;
    enum shw_result result;
    struct part *part = add_part(pieces, source, &result);

    if (part == NULL)
        return result;
    pieces->has_colours = true;
    SHW_PROPAGATE(shw_tiff_reading_go(&part->reading, source->page > 0 ? source->page : 1));
    *possible = take_page(pieces, part);
    if (!*possible)
        return SHW_OK;
    if (params->image.of_group && shw_tiff_wants_range(&part->reading.layout) &&
        !shw_intensity_range_is_set(&source->choice.range))
        return shw_image_refuse_range(source->name, source->log);
    part->count = 1;
    pieces->info.image_count = 1;
    pieces->info.pixel_bytes = shw_pixel_size(shw_tiff_image_format(&part->reading.layout));
    return shw_tiff_find_mapping(&part->reading, &part->mapping);
}

static enum shw_result open_planes(struct shw_image_pieces *pieces, const struct shw_pieces_params *params,
                                   bool *possible)
{
    uint32_t numbers[SHW_INPUTS_MAX], colours = pieces->info.image_count;
    struct shw_wanted_plane wanted[SHW_INPUTS_MAX];
    struct shw_tiff_order order = {0};

    SHW_PROPAGATE(shw_opened_find_planes(&pieces->opened, params->names, params->name_count, params->any_name, wanted));
    for (uint32_t i = 0; i < params->name_count; i++) {
        numbers[i] = wanted[i].number;
        pieces->places[colours + i] = colours + wanted[i].place;
    }
    for (uint32_t i = 0; i < params->name_count && *possible;) {
        enum shw_result result;
        struct part *part = add_part(pieces, &pieces->plain, &result);

        if (part == NULL)
            return result;
        if (i == 0)
            SHW_PROPAGATE(shw_tiff_find_order(&part->reading, &order));
        part->count = params->name_count - i;
        SHW_PROPAGATE(shw_tiff_go_to_planes(&part->reading, &order, numbers + i, &part->count));
        *possible = take_page(pieces, part);
        pieces->info.image_count += part->count;
        pieces->info.pixel_bytes += part->count * shw_pixel_size(shw_tiff_plane_format(&part->reading.layout));
        i += part->count;
    }
    return SHW_OK;
}

static enum shw_result open_parts(struct shw_image_pieces *pieces, const struct shw_pieces_params *params,
                                  const struct shw_log *log, bool *possible)
{
    struct shw_source *source = &pieces->opened.source;

    SHW_PROPAGATE(shw_image_choice_check(&params->image.choice, log));
    pieces->plain = *source;
    pieces->plain.in_pieces = source->in_pieces = true;
    pieces->plain.stop = source->stop = params->image.stop;
    source->choice = params->image.choice;
    pieces->cache.limit = params->cache;
    pieces->parts = calloc(params->name_count + (size_t)1, sizeof *pieces->parts);
    if (pieces->parts == NULL)
        return shw_fail_memory(log, params->path);
    if (params->colours)
        SHW_PROPAGATE(open_colours(pieces, params, possible));
    if (params->name_count > 0 && *possible)
        SHW_PROPAGATE(open_planes(pieces, params, possible));
    return SHW_OK;
}

enum shw_result shw_image_pieces_open(const struct shw_pieces_params *params, const struct shw_log *log,
                                      struct shw_image_pieces **handle)
{
    struct shw_image_pieces *pieces = *handle = calloc(1, sizeof **handle);
    enum shw_result result;
    bool possible = true;

    if (pieces == NULL)
        return shw_fail_memory(log, params->path);
    result = shw_opened_open(params->path, false, log, &pieces->opened);
    if (result != SHW_OK) {
        free(pieces);
        *handle = NULL;
        return result;
    }
    if (pieces->opened.format != &shw_image_format_tiff)
        possible = false;
    else
        result = open_parts(pieces, params, log, &possible);
    if (result != SHW_OK || !possible)
        shw_image_pieces_close(handle);
    return result;
}

enum shw_result shw_image_pieces_read(struct shw_image_pieces *pieces, uint32_t x, uint32_t y, uint32_t width,
                                      uint32_t height, struct shw_image_file files[])
{
    const struct shw_tiff_window window = {x, y, width, height};
    struct shw_decoded decoded[SHW_INPUTS_MAX] = {{.pixels = NULL}};
    enum shw_result result = SHW_OK;

    for (uint32_t p = 0; p < pieces->part_count && result == SHW_OK; p++)
        result = read_part(pieces, &pieces->parts[p], &window, &decoded[pieces->parts[p].first]);
    for (uint32_t i = 0; i < pieces->info.image_count; i++)
        if (result == SHW_OK)
            files[pieces->places[i]] = (struct shw_image_file){
                .image = {decoded[i].pixels, width, height, 0, decoded[i].format}, .pixels = decoded[i].pixels};
        else
            free(decoded[i].pixels);
    return result;
}
