/* Labels of large pictures: what is seen first, cell by cell, then the overview. Where all of that takes seconds, a
 * sketch comes before. */
#include <stdlib.h>

#include "base/log.h"
#include "label/labelling.h"

#define TILE_BYTES        ((uint64_t)128 << 20) /* larger tiles are slower: planes do not fit into caches */
#define TILE_BYTES_DEVICE ((uint64_t)1 << 30)
#define TILE_SHARE        8     /* of the program's memory, one of so many at most */
#define CELL_SIDE         1024u /* pixels */
#define CELL_SIDE_DEVICE  4096u
#define SKETCHED          ((uint64_t)24 << 20) /* pixels; a device labels as many in a moment */
#define SKETCH_SHARE      5u                   /* of the work, one of so many */
#define BLOCKS_LEAST      64u                  /* fewer show nothing */
#define BLOCKS_MOST       1024u
#define FRAME_SHARE       4.0 /* between frames with new cells is so many times what the last frame took */
#define PLANES_BYTES      ((uint64_t)256 << 20) /* for probabilities; with more classes they are not shown */

bool view_parts_are_large(const struct view_labelled *of)
{
    return of->overview.step > 1;
}

static uint32_t cell_side(const struct view_labelling *labelling)
{
    struct view_label_job job = {0};

    view_labelling_choose(labelling, &job);
    return labelling->parted.side > 0 ? labelling->parted.side : job.on_device ? CELL_SIDE_DEVICE : CELL_SIDE;
}

/* The classes that probabilities are wanted of. */
static uint32_t classes_of(const struct view_labelling *labelling, const struct view_labelled *of,
                           const struct shw_part *part)
{
    uint32_t classes = shw_forest_get_info(of->forest->forest)->class_count;
    uint64_t bytes = (uint64_t)part->width * part->height * classes * sizeof(uint16_t);

    if (!view_overlay_wants_planes(of->mode))
        return 0;
    return bytes <= PLANES_BYTES && classes <= labelling->params.gpu->properties.limits.maxImageArrayLayers ? classes
                                                                                                            : 0;
}

/* Ends the labelling in progress; a picture that waits for it waits for the next one. */
static void stop(struct view_labelling *labelling)
{
    if (labelling->variant != VIEW_LABEL_PARTS || labelling->given_up)
        return;
    view_label_worker_stop(labelling->worker);
    labelling->given_up = true;
    if (labelling->coming == NULL)
        labelling->coming = labelling->picture;
    else
        view_picture_free(labelling->picture);
    labelling->picture = NULL;
}

/* Makes a layer what is drawn now. */
static enum shw_result fit_layer(struct view_labelling *labelling, const struct view_labelled *of, uint32_t layer,
                                 const struct shw_part *part)
{
    struct view_parted *parted = &labelling->parted;
    struct view_part_labels *labels = &parted->layers[layer];
    uint32_t classes = classes_of(labelling, of, part);
    bool has_more = classes == 0 && labels->classes == shw_forest_get_info(of->forest->forest)->class_count;

    if (view_part_equals(&labels->part, part) && (labels->classes == classes || has_more))
        return SHW_OK;
    if (parted->layer == layer || labelling->picture != NULL)
        stop(labelling);
    labelling->changed = true;
    return view_part_labels_set(labelling->params.gpu, part, classes, cell_side(labelling),
                                layer == VIEW_DETAIL ? &parted->layers[VIEW_OVERVIEW] : NULL, labels);
}

static enum shw_result fit_layers(struct view_labelling *labelling, const struct view_labelled *of)
{
    struct view_parted *parted = &labelling->parted;

    SHW_PROPAGATE(fit_layer(labelling, of, VIEW_OVERVIEW, &of->overview));
    parted->has_detail = of->detail != NULL;
    return parted->has_detail ? fit_layer(labelling, of, VIEW_DETAIL, of->detail) : SHW_OK;
}

/* What is seen belongs to another picture or forest now. */
static void expire(struct view_labelling *labelling)
{
    for (uint32_t l = 0; l < VIEW_LAYERS; l++)
        view_part_labels_expire(&labelling->parted.layers[l]);
}

static uint32_t seen_layer(const struct view_labelling *labelling)
{
    return labelling->parted.has_detail ? VIEW_DETAIL : VIEW_OVERVIEW;
}

bool view_parts_are_seen(const struct view_labelling *labelling)
{
    return view_part_labels_are_exact(&labelling->parted.layers[seen_layer(labelling)]);
}

bool view_labelling_is_covered(const struct view_labelling *labelling)
{
    return labelling->parted.on && labelling->parted.layers[seen_layer(labelling)].covered;
}

bool view_parts_are_uploaded(const struct view_labelling *labelling)
{
    const struct view_parted *parted = &labelling->parted;

    return view_part_labels_are_uploaded(&parted->layers[VIEW_OVERVIEW]) &&
           (!parted->has_detail || view_part_labels_are_uploaded(&parted->layers[VIEW_DETAIL]));
}

uint64_t view_parts_tile_memory(const struct view_labelling *labelling, bool on_device)
{
    uint64_t most = on_device ? TILE_BYTES_DEVICE : TILE_BYTES, share = labelling->params.memory / TILE_SHARE;

    return share > 0 && share < most ? share : most;
}

/* The number of blocks in the sketch of a layer; 0: none. For each, all pixels within the forest's reach are read. */
static uint32_t count_blocks(const struct view_labelling *labelling, const struct view_part_labels *labels,
                             const struct view_labelled *of, bool on_device)
{
    const struct shw_forest *forest = of->forest->forest;
    uint64_t pixels = (uint64_t)labels->part.width * labels->part.height * labels->part.step * labels->part.step;
    uint64_t side =
        2 * ((uint64_t)shw_forest_get_reach(forest) + shw_forest_get_info(forest)->channel_list->radius) + 1;
    uint64_t count = pixels / SKETCH_SHARE / (side * side);

    if (labels->covered || labelling->picture != NULL)
        return 0;
    if (labelling->parted.sketch > 0)
        return labelling->parted.sketch;
    if (on_device || pixels < SKETCHED || count < BLOCKS_LEAST)
        return 0;
    return count < BLOCKS_MOST ? (uint32_t)count : BLOCKS_MOST;
}

/* Lists the blocks of the sketch, if there is one, and the cells. */
static uint32_t list_parts(struct view_labelling *labelling, const struct view_labelled *of, uint32_t layer,
                           uint32_t blocks, struct shw_part *parts)
{
    struct view_parted *parted = &labelling->parted;
    const struct view_part_labels *labels = &parted->layers[layer];

    parted->blocks = 0;
    if (blocks > 0) {
        parted->block_side = view_part_labels_block_side(&labels->part, blocks);
        parted->blocks = view_part_labels_sketch(labels, parted->block_side, of->x, of->y, parted->cells, parts);
    }
    return parted->blocks +
           view_part_labels_list(labels, of->x, of->y, parted->cells + parted->blocks, parts + parted->blocks);
}

/* Begins to label the cells of a layer, of the picture that waits for its labels or else of the shown one. */
static enum shw_result label_layer(struct view_labelling *labelling, const struct view_labelled *of, uint32_t layer)
{
    struct view_parted *parted = &labelling->parted;
    const struct view_part_labels *labels = &parted->layers[layer];
    const struct view_picture *picture = labelling->picture != NULL ? labelling->picture : of->picture;
    const struct shw_forest_info *info = shw_forest_get_info(of->forest->forest);
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct view_label_job job = {.forest = of->forest,
                                 .inputs = view_picture_inputs(picture, info->channel_list, inputs),
                                 .planes = labels->classes};
    uint32_t blocks, room;
    struct shw_part *parts;
    enum shw_result result;

    view_labelling_choose(labelling, &job);
    blocks = count_blocks(labelling, labels, of, job.on_device);
    room = blocks + view_part_labels_cells(labels);
    free(parted->cells);
    parted->cells = malloc(room * sizeof *parted->cells);
    job.parts = parts = malloc(room * sizeof *parts);
    if (parts == NULL || parted->cells == NULL) {
        free(parts);
        return shw_fail_memory(&labelling->params.log, "labels");
    }
    job.memory = view_parts_tile_memory(labelling, job.on_device);
    job.part_count = parted->count = list_parts(labelling, of, layer, blocks, parts);
    parted->layer = layer;
    parted->taken = 0;
    view_labelling_give(picture, &job);
    result = view_label_worker_begin(labelling->worker, &job);
    free(parts);
    if (result == SHW_OK)
        labelling->variant = VIEW_LABEL_PARTS;
    return result;
}

/* Labels what is seen of the picture that waits for that; it is shown when all of it is known. */
static enum shw_result label_coming(struct view_labelling *labelling, const struct view_labelled *of)
{
    labelling->picture = labelling->coming;
    labelling->coming = NULL;
    labelling->began = view_clock();
    expire(labelling);
    return label_layer(labelling, of, seen_layer(labelling));
}

static enum shw_result begin_next(struct view_labelling *labelling, const struct view_labelled *of)
{
    uint32_t layer = view_parts_are_seen(labelling) ? VIEW_OVERVIEW : seen_layer(labelling);

    SHW_PROPAGATE(view_labelling_need_worker(labelling));
    if (labelling->coming != NULL)
        return label_coming(labelling, of);
    return view_part_labels_are_exact(&labelling->parted.layers[layer]) ? SHW_OK : label_layer(labelling, of, layer);
}

/* There will be a forest, perhaps: the worker gets ready. */
static enum shw_result prepare(struct view_labelling *labelling)
{
    struct view_label_job job = {0};

    if (labelling->parted.prepared)
        return SHW_OK;
    labelling->parted.prepared = true;
    view_labelling_choose(labelling, &job);
    if (!job.on_device)
        return SHW_OK;
    SHW_PROPAGATE(view_labelling_need_worker(labelling));
    view_label_worker_prepare(labelling->worker, job.device);
    return SHW_OK;
}

enum shw_result view_parts_begin(struct view_labelling *labelling, const struct view_labelled *of)
{
    struct view_parted *parted = &labelling->parted;
    enum shw_result result = SHW_OK;

    if (of->forest == NULL)
        return prepare(labelling);
    SHW_TRY(fit_layers(labelling, of));
    if (labelling->wanted) {
        labelling->wanted = labelling->new_techniques = parted->late = false;
        stop(labelling);
        expire(labelling);
    }
    if (!parted->late && !view_parts_are_seen(labelling)) {
        parted->late = true;
        labelling->began = view_clock();
    }
    if (labelling->variant == VIEW_LABEL_PARTS && labelling->picture == NULL && parted->layer == VIEW_OVERVIEW &&
        parted->has_detail && !view_parts_are_seen(labelling))
        stop(labelling); /* what is seen goes first */
    if (labelling->variant == VIEW_LABEL_NOTHING)
        SHW_TRY(begin_next(labelling, of));
    return SHW_OK;

fail:
    view_labelling_clear(labelling);
    return result;
}

static void take_cells(struct view_labelling *labelling, uint32_t ready)
{
    struct view_parted *parted = &labelling->parted;
    struct view_part_labels *labels = &parted->layers[parted->layer];

    for (; parted->taken < ready; parted->taken++) {
        const uint16_t *results = view_label_worker_part(labelling->worker, parted->taken);
        if (parted->taken < parted->blocks)
            view_part_labels_take_block(labels, parted->block_side, parted->cells[parted->taken], results);
        else
            view_part_labels_take(labels, parted->cells[parted->taken], results);
    }
    parted->took = view_clock();
    labels->covered = labels->covered || (parted->blocks > 0 && parted->taken >= parted->blocks);
    labelling->changed = true;
}

static enum shw_result finish(struct view_labelling *labelling, struct view_label_news *news)
{
    bool given_up = labelling->given_up;
    const uint16_t *results;
    double milliseconds;
    enum shw_result result = view_label_worker_take(labelling->worker, &results, &milliseconds);

    labelling->variant = VIEW_LABEL_NOTHING;
    labelling->given_up = false;
    if (given_up || result == SHW_ERROR_CANCELLED)
        return SHW_OK;
    if (result != SHW_OK) {
        view_labelling_clear(labelling);
        return result;
    }
    view_times_add(&labelling->params.frames->times, VIEW_TIME_WORKER, milliseconds);
    if (labelling->picture == NULL)
        return SHW_OK;
    take_cells(labelling, labelling->parted.count);
    news->labelled = labelling->picture;
    news->upload = true;
    labelling->picture = NULL;
    return SHW_OK;
}

/* Whether results are to be shown now. Where frames are drawn by the same processors, each of them delays the labels.
 */
static bool takes(const struct view_labelling *labelling)
{
    const struct view_parted *parted = &labelling->parted;
    const struct view_ring *rings = labelling->params.frames->times.rings;
    double frame = view_ring_last(&rings[VIEW_TIME_COMPOSE]) + view_ring_last(&rings[VIEW_TIME_DRAW]);

    return !labelling->given_up && labelling->picture == NULL &&
           view_label_worker_ready(labelling->worker) > parted->taken &&
           (view_clock() - parted->took) * 1e3 >= FRAME_SHARE * frame;
}

enum shw_result view_parts_collect(struct view_labelling *labelling, const struct view_labelled *of,
                                   struct view_label_news *news)
{
    struct view_parted *parted = &labelling->parted;
    bool done;

    (void)of;
    if (labelling->budget <= 0.0 && view_labelling_is_late(labelling))
        view_label_worker_wait(labelling->worker);
    done = view_label_worker_done(labelling->worker);
    if (takes(labelling)) {
        take_cells(labelling, view_label_worker_ready(labelling->worker));
        news->changed = true;
    }
    if (done) {
        news->changed = true;
        SHW_PROPAGATE(finish(labelling, news));
    }
    if (parted->late && view_parts_are_seen(labelling)) {
        parted->late = false;
        view_times_add(&labelling->params.frames->times, VIEW_TIME_LABELS, (view_clock() - labelling->began) * 1e3);
    }
    return SHW_OK;
}

enum shw_result view_parts_record(struct view_labelling *labelling, VkCommandBuffer commands, uint32_t slot,
                                  bool *uploaded)
{
    struct view_parted *parted = &labelling->parted;

    for (uint32_t l = 0; l < VIEW_LAYERS; l++) {
        if (l == VIEW_DETAIL && !parted->has_detail)
            continue;
        SHW_PROPAGATE(view_part_labels_fit(labelling->params.gpu, l == VIEW_DETAIL, &parted->layers[l]));
        *uploaded = view_part_labels_upload(&parted->layers[l], commands, slot) || *uploaded;
    }
    labelling->changed = labelling->changed || *uploaded;
    return SHW_OK;
}
