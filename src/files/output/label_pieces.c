#include "files/output/label_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/input/inputs.h"
#include "dense/label/window.h"
#include "files/io/image_paths.h"

#define SIDE_MIN  64u  /* pixels of a piece, whatever memory there is */
#define ROWS      256u /* bands have a multiple of these, if they can: TIFF files have tiles of so many */
#define CACHE_MIN ((uint64_t)8 << 20) /* bytes */

/* The outputs whose planes objects are found in. */
static uint32_t kept_outputs(const struct shw_label_job *job)
{
    const struct shw_label_objects *objects = &job->each.objects;

    return (objects->wanted ? SHW_OUTPUT_ARGMAX : 0u) |
           (objects->wanted && (objects->table || objects->outlines) ? SHW_OUTPUT_DISTRIBUTION : 0u);
}

static uint64_t bytes_of(const struct shw_label_job *job, uint32_t outputs)
{
    return ((outputs & SHW_OUTPUT_ARGMAX) != 0 ? 2u : 0u) +
           ((outputs & SHW_OUTPUT_DISTRIBUTION) != 0 ? 2ull * job->info->class_count : 0u) +
           ((outputs & SHW_OUTPUT_FOREST_LEAVES) != 0 ? 4ull * job->info->tree_count : 0u);
}

static bool wants_overlay(const struct shw_label_job *job)
{
    return job->content.forms[SHW_LABEL_OUTPUT_OVERLAY] > 0;
}

/* Bytes per pixel of a band: results, and for overlays the image and what is drawn of it. */
static uint64_t band_bytes(const struct shw_label_job *job)
{
    return bytes_of(job, shw_label_job_outputs(job)) + (wants_overlay(job) ? 8u + 3u : 1u);
}

/* Why images must be labelled as a whole; NULL: they need not. */
static const char *why_whole(const struct shw_label_job *job)
{
    if (shw_channels_read(job->info->channel_list, SHW_PREVIOUS))
        return "a forest that reads the previous frame";
    if (job->info->feature->reads_depth || shw_channels_read(job->info->channel_list, SHW_DEPTH) ||
        shw_channels_read(job->info->channel_list, SHW_HEIGHT))
        return "a forest that reads depth";
    if (shw_labeller_reach(job->labellers->list[0].labeller) >= SHW_REACH_ALL)
        return "a forest whose tests reach over the whole image";
    if (job->content.scale_bar && wants_overlay(job))
        return "--scale-bar";
    return job->each.objects.forest != NULL ? "--object-forest" : NULL;
}

static bool is_large(const struct shw_piece_inputs *inputs)
{
    return inputs->width > SHW_IMAGE_SIZE_MAX || inputs->height > SHW_IMAGE_SIZE_MAX ||
           (uint64_t)inputs->width * inputs->height > SHW_IMAGE_PIXELS_MAX;
}

/* Of an image that is larger than what can be read as a whole. */
static enum shw_result refuse(const struct shw_label_job *job, const char *image, const struct shw_piece_inputs *inputs)
{
    const char *whole = why_whole(job);
    bool png = false;

    if (whole != NULL)
        return shw_fail(&job->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "%s has %u x %u pixels and is labelled in pieces, which is not possible with %s", image,
                        inputs->width, inputs->height, whole);
    if (job->each.objects.wanted)
        return shw_fail(&job->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
                        "%s has %u x %u pixels; objects are found in images of up to %u: label it without --objects",
                        image, inputs->width, inputs->height, SHW_IMAGE_PIXELS_MAX);
    for (uint32_t i = 0; i < job->each.labels.count; i++)
        png = png || shw_name_ends_with(job->each.labels.entries[i].ending, ".png");
    if (png)
        return shw_fail(
            &job->log, SHW_ERROR_LIMIT, SHW_LOG_ARGUMENT,
            "%s has %u x %u pixels, too many for PNG files: use --label-tiff with --no-labels, --no-overlay "
            "and no other PNG files",
            image, inputs->width, inputs->height);
    return SHW_OK;
}

/* Pieces whose planes take half of the memory, and bands that take a quarter, next to what is kept of strips and tiles
 * in the last quarter. */
static void plan(const struct shw_label_job *job, uint64_t memory, uint64_t cache, struct shw_label_pieces *pieces)
{
    const struct shw_piece_inputs *inputs = &pieces->inputs;
    const uint64_t reach = pieces->reach, least = SIDE_MIN + 2 * reach;
    const uint64_t pixel =
        shw_labeller_pixel_bytes(job->labellers->list[0].labeller) + inputs->pixel_bytes + band_bytes(job);
    const uint64_t region = memory / 2 / pixel, row = band_bytes(job) * inputs->width;
    uint64_t rows = shw_max_u64((uint64_t)sqrt((double)region), least) - 2 * reach, columns;

    rows = shw_min_u64(rows, memory / 4 / row);
    if (inputs->in_strips && inputs->row_bytes > 0 && cache / inputs->row_bytes > 2 * reach)
        rows = shw_min_u64(rows, cache / inputs->row_bytes - 2 * reach);
    rows = shw_max_u64(rows, SIDE_MIN);
    if (rows >= ROWS)
        rows -= rows % ROWS;
    pieces->height = (uint32_t)shw_min_u64(rows, inputs->height);
    columns = shw_max_u64(region / (pieces->height + 2 * reach), least) - 2 * reach;
    pieces->width = (uint32_t)shw_min_u64(columns, inputs->width);
}

enum shw_result shw_label_pieces_open(const struct shw_label_job *job, const char *image,
                                      const struct shw_input_file *inputs, uint32_t count,
                                      struct shw_label_pieces *pieces, bool *wanted)
{
    const uint64_t memory = shw_label_job_memory(job), cache = shw_max_u64(memory / 4, CACHE_MIN);
    const struct shw_piece_inputs *open = &pieces->inputs;
    uint64_t whole;

    *pieces = (struct shw_label_pieces){.reach = shw_labeller_reach(job->labellers->list[0].labeller)};
    *wanted = !job->frames;
    if (!*wanted)
        return SHW_OK;
    SHW_PROPAGATE(shw_piece_inputs_open(image, inputs, count, &job->params, cache, &job->log, &pieces->inputs, wanted));
    if (!*wanted)
        return SHW_OK;
    if (is_large(open))
        SHW_PROPAGATE(refuse(job, image, open));
    whole = (uint64_t)open->width * open->height * (open->pixel_bytes + band_bytes(job));
    *wanted = is_large(open) || (whole > memory / 2 && why_whole(job) == NULL);
    if (*wanted)
        plan(job, memory, cache, pieces);
    return SHW_OK;
}

void shw_label_pieces_close(struct shw_label_pieces *pieces)
{
    shw_piece_inputs_close(&pieces->inputs);
    free(pieces->counts);
    pieces->counts = NULL;
}

enum shw_result shw_label_writers_commit(struct shw_label_writers *writers)
{
    for (uint32_t i = 0; i < writers->count; i++)
        SHW_PROPAGATE(shw_row_writer_commit(&writers->rows[i]));
    return SHW_OK;
}

void shw_label_writers_abandon(struct shw_label_writers *writers)
{
    for (uint32_t i = 0; i < writers->count; i++)
        shw_row_writer_abandon(&writers->rows[i]);
    free(writers->rows);
    *writers = (struct shw_label_writers){0};
}

static enum shw_result open_writers(const struct shw_label_job *job, const struct shw_picture_files *files,
                                    const struct shw_label_results *results, struct shw_label_writers *writers)
{
    const struct shw_label_files *labels = &job->each.labels;

    *writers = (struct shw_label_writers){shw_zeros(labels->count, sizeof *writers->rows), labels->count};
    if (writers->rows == NULL)
        return shw_fail_memory(&job->log, results->name);
    for (uint32_t i = 0; i < labels->count; i++)
        SHW_PROPAGATE(labels->entries[i].form->open(&labels->params, labels->entries[i].number, files->labels[i],
                                                    results, &job->log, &writers->rows[i]));
    return SHW_OK;
}

/* One labelling of an image. */
struct run {
    const struct shw_label_job *job;
    struct shw_labeller *labeller;
    struct shw_label_pieces *pieces;
    const struct shw_label_results *whole; /* with the planes that are kept */
    struct shw_label_results band;
    struct shw_image image; /* of the band, for overlays */
    uint8_t *pixels;
    struct shw_label_writers *writers;
    uint32_t outputs;
};

/* Copies planes of a piece to (x, y) of larger planes. */
static void place(void *to, uint32_t to_width, uint32_t to_height, uint32_t x, uint32_t y, const void *from,
                  const struct shw_label_results *piece, uint32_t count, size_t size)
{
    for (uint32_t p = 0; to != NULL && from != NULL && p < count; p++)
        for (uint32_t row = 0; row < piece->height; row++)
            memcpy((char *)to + (((size_t)p * to_height + y + row) * to_width + x) * size,
                   (const char *)from + ((size_t)p * piece->height + row) * piece->width * size, piece->width * size);
}

static void place_labelling(const struct run *run, const struct shw_label_results *to, uint32_t x, uint32_t y,
                            const struct shw_label_results *piece)
{
    const struct shw_labelling *a = &to->labelling, *b = &piece->labelling;
    const struct shw_forest_info *info = run->job->info;

    place(a->argmax, to->width, to->height, x, y, b->argmax, piece, 1, sizeof *a->argmax);
    place(a->distribution, to->width, to->height, x, y, b->distribution, piece, info->class_count,
          sizeof *a->distribution);
    place(a->forest_leaves, to->width, to->height, x, y, b->forest_leaves, piece, info->tree_count,
          sizeof *a->forest_leaves);
}

/* The image of the piece itself, without what is around it. */
static void place_image(struct run *run, const struct shw_image *image, uint32_t left, uint32_t top, uint32_t x,
                        const struct shw_label_results *piece)
{
    const size_t pixel = shw_pixel_size(image->format), row = (size_t)image->width * pixel;

    for (uint32_t y = 0; y < piece->height; y++)
        memcpy(run->pixels + ((size_t)y * run->band.width + x) * pixel,
               (const char *)image->pixels + (top + y) * row + left * pixel, piece->width * pixel);
}

static enum shw_result need_pixels(struct run *run, enum shw_pixel_format format)
{
    if (!wants_overlay(run->job) || run->pixels != NULL)
        return SHW_OK;
    run->pixels = malloc((size_t)run->band.width * run->pieces->height * shw_pixel_size(format));
    run->image = (struct shw_image){.pixels = run->pixels, .width = run->band.width, .format = format};
    return run->pixels != NULL ? SHW_OK : shw_fail_memory(&run->job->log, run->whole->name);
}

/* Labels the piece at (x, y), as large as its results. */
static enum shw_result label_read(struct run *run, const struct shw_region *window, uint32_t x, uint32_t y,
                                  const struct shw_image_inputs *read, struct shw_label_results *piece)
{
    const struct shw_part part = {x, y, piece->width, piece->height, 1};
    const struct shw_image *image = &read->files[0].image;

    SHW_PROPAGATE(shw_labeller_run_window(run->labeller, &read->all, window, &part, &piece->labelling));
    shw_label_job_calibrate(run->job, piece);
    for (size_t i = 0; piece->labelling.argmax != NULL && i < (size_t)piece->width * piece->height; i++)
        if (piece->labelling.argmax[i] != SHW_LABEL_VOID)
            run->pieces->counts[piece->labelling.argmax[i]]++;
    place_labelling(run, &run->band, x, 0, piece);
    place_labelling(run, run->whole, x, y, piece);
    SHW_PROPAGATE(need_pixels(run, image->format));
    if (run->pixels != NULL)
        place_image(run, image, x - window->x, y - window->y, x, piece);
    return SHW_OK;
}

static enum shw_result label_piece(struct run *run, uint32_t x, uint32_t y)
{
    struct shw_label_pieces *pieces = run->pieces;
    const uint32_t full_width = run->whole->width, full_height = run->whole->height;
    struct shw_label_results piece = {.width = shw_min_u32(pieces->width, full_width - x), .height = run->band.height};
    const struct shw_pixel_range across = shw_within_reach(x, piece.width, pieces->reach, full_width);
    const struct shw_pixel_range down = shw_within_reach(y, piece.height, pieces->reach, full_height);
    const struct shw_region window = {.width = across.end - across.begin,
                                      .height = down.end - down.begin,
                                      .x = across.begin,
                                      .y = down.begin,
                                      .full_width = full_width,
                                      .full_height = full_height};
    struct shw_image_inputs read;
    enum shw_result result;

    SHW_PROPAGATE(
        shw_label_results_make(&run->job->each.labels, run->outputs, run->whole->name, &run->job->log, &piece));
    result = shw_piece_inputs_read(&pieces->inputs, window.x, window.y, window.width, window.height, &read);
    if (result == SHW_OK)
        result = label_read(run, &window, x, y, &read, &piece);
    shw_image_inputs_free(&read);
    shw_label_results_free(&piece);
    return result;
}

static enum shw_result label_band(struct run *run, uint32_t y)
{
    const struct shw_label_files *labels = &run->job->each.labels;

    run->band.height = shw_min_u32(run->pieces->height, run->whole->height - y);
    for (uint32_t x = 0; x < run->whole->width; x += run->pieces->width)
        SHW_PROPAGATE(label_piece(run, x, y));
    run->image.height = run->band.height;
    run->band.image = &run->image;
    for (uint32_t i = 0; i < labels->count; i++)
        SHW_PROPAGATE(labels->entries[i].form->put(&labels->params, labels->entries[i].number, &run->band,
                                                   run->writers->rows[i], &run->job->log));
    return SHW_OK;
}

static enum shw_result label_bands(struct run *run)
{
    const struct shw_label_results *whole = run->whole;
    enum shw_result result;

    run->band = *whole;
    run->band.height = run->pieces->height;
    result = shw_label_results_make(&run->job->each.labels, shw_label_files_outputs(&run->job->each.labels),
                                    whole->name, &run->job->log, &run->band);
    for (uint32_t y = 0; y < whole->height && result == SHW_OK; y += run->pieces->height)
        result = label_band(run, y);
    shw_label_results_free(&run->band);
    free(run->pixels);
    return result;
}

enum shw_result shw_label_pieces_run(const struct shw_label_job *job, struct shw_label_pieces *pieces,
                                     const struct shw_picture_files *files, struct shw_label_results *results,
                                     struct shw_label_writers *writers)
{
    struct run run = {
        .job = job, .pieces = pieces, .whole = results, .writers = writers, .outputs = shw_label_job_outputs(job)};
    enum shw_result result;

    shw_log_message(&job->log, SHW_LOG_INFO, SHW_LOG_TILING, "%s: %u x %u pixels in pieces of %u x %u, with %u around",
                    results->name, results->width, results->height, pieces->width, pieces->height, pieces->reach);
    pieces->counts = shw_zeros(job->info->class_count, sizeof *pieces->counts);
    if (pieces->counts == NULL)
        return shw_fail_memory(&job->log, results->name);
    SHW_PROPAGATE(open_writers(job, files, results, writers));
    SHW_PROPAGATE(shw_label_results_make(&job->each.labels, kept_outputs(job), results->name, &job->log, results));
    run.labeller = shw_labellers_take(job->labellers, &job->log);
    result = label_bands(&run);
    shw_labellers_give(job->labellers, run.labeller);
    return result;
}
