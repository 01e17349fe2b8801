#include "files/project/held_out.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/image.h"
#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/feature/feature_code.h"
#include "dense/input/inputs.h"
#include "dense/integrate/integral.h"
#include "dense/train/params.h"
#include "files/project/level_examples.h"

/* What is processed: the rectangle and what the forest sees around it, in the example. */
static struct shw_rect look_around(const struct shw_forest *forest, const struct shw_image *image, struct shw_rect rect)
{
    int64_t margin = (int64_t)shw_forest_get_reach(forest) + shw_forest_get_info(forest)->channel_list->radius;
    int64_t x0 = rect.x0 - margin, y0 = rect.y0 - margin, x1 = rect.x1 + margin, y1 = rect.y1 + margin;

    return (struct shw_rect){x0 > 0 ? (int32_t)x0 : 0, y0 > 0 ? (int32_t)y0 : 0,
                             x1 < image->width ? (int32_t)x1 : (int32_t)image->width,
                             y1 < image->height ? (int32_t)y1 : (int32_t)image->height};
}

static struct shw_region place(const struct shw_labelled_image *example, struct shw_rect rect)
{
    const struct shw_picture_part *part = &example->part;
    bool whole = part->full_width == 0;

    return (struct shw_region){.width = (uint32_t)(rect.x1 - rect.x0),
                               .height = (uint32_t)(rect.y1 - rect.y0),
                               .x = part->x + (uint32_t)rect.x0,
                               .y = part->y + (uint32_t)rect.y0,
                               .full_width = whole ? example->image.width : part->full_width,
                               .full_height = whole ? example->image.height : part->full_height};
}

/* The planes that the forest reads, to be freed with free(). NULL: out of memory. */
static void *make_planes(const struct shw_forest_info *info, const struct shw_labelled_image *example,
                         const struct shw_chosen_inputs *chosen, struct shw_rect rect, struct shw_thread_pool *pool)
{
    const struct shw_channel_list *list = info->channel_list;
    struct shw_channel_images images = shw_inputs_images(list, chosen);
    struct shw_region region = place(example, rect);
    size_t pixels = (size_t)region.width * region.height;
    struct shw_image pieces[SHW_INPUTS_MAX];
    int16_t *channels = malloc(pixels * list->channel_count * sizeof *channels + sizeof(uint32_t));
    uint32_t *integrals = NULL;

    for (uint32_t i = 0; i < SHW_INPUTS_MAX; i++)
        if (images.of[i] != NULL) {
            pieces[i] = shw_image_part(images.of[i], (uint32_t)rect.x0, (uint32_t)rect.y0, region.width, region.height);
            images.of[i] = &pieces[i];
        }
    if (channels == NULL || shw_channels_cpu(list, &images, &region, channels, pool) != SHW_OK) {
        free(channels);
        return NULL;
    }
    if (info->feature->reads != SHW_FEATURE_READS_INTEGRALS)
        return channels;
    integrals =
        malloc(((size_t)region.width + 1) * ((size_t)region.height + 1) * list->channel_count * sizeof *integrals);
    if (integrals != NULL)
        shw_integrate_cpu(channels, region.width, region.height, list->channel_count, integrals, pool);
    free(channels);
    return integrals;
}

enum shw_result shw_label_part(const struct shw_forest *forest, const struct shw_labelled_image *example,
                               struct shw_rect rect, struct shw_thread_pool *pool, const struct shw_log *log,
                               uint16_t *classes)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    struct shw_rect seen = look_around(forest, &example->image, rect);
    struct shw_evaluate_tile tile = {.forest = forest,
                                     .width = (uint32_t)(seen.x1 - seen.x0),
                                     .height = (uint32_t)(seen.y1 - seen.y0),
                                     .image = {0, 0, seen.x1 - seen.x0, seen.y1 - seen.y0},
                                     .x = (uint32_t)(rect.x0 - seen.x0),
                                     .y = (uint32_t)(rect.y0 - seen.y0),
                                     .tile_width = (uint32_t)(rect.x1 - rect.x0),
                                     .tile_height = (uint32_t)(rect.y1 - rect.y0),
                                     .step = 1,
                                     .out_width = (uint32_t)(rect.x1 - rect.x0),
                                     .out_height = (uint32_t)(rect.y1 - rect.y0),
                                     .out.argmax = classes};
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_chosen_inputs chosen;
    struct shw_filled_input filled = {0};
    uint32_t depth = shw_fill_input(info->channel_list);
    void *planes;
    enum shw_result result;

    SHW_PROPAGATE(shw_inputs_choose_example(example, info->channel_list, log, inputs, &chosen));
    if (shw_fill_affects(info->fill, info->channel_list)) {
        if (shw_filled_input_make(info->fill, chosen.of[depth], seen, &filled) != SHW_OK) {
            shw_filled_input_free(&filled);
            return shw_fail_memory(log, example->name);
        }
        chosen.of[depth] = &filled.input;
    }
    planes = make_planes(info, example, &chosen, seen, pool);
    tile.planes = planes;
    result = planes != NULL ? shw_evaluate_cpu(&tile, pool) : SHW_ERROR_MEMORY;
    free(planes);
    shw_filled_input_free(&filled);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(log, example->name);
}

#define CHUNK 512 /* side of what is labelled at once, in pixels: its planes take tens of MiB */

struct measure {
    const struct shw_training_set *set;
    const struct shw_held_out_params *params;
    struct shw_held_out *held_out;
    uint64_t *stroke_pixels, *stroke_right; /* [stroke] */
    struct shw_thread_pool *pool;
};

static bool go_on(const struct measure *measure)
{
    return measure->params->go_on == NULL || measure->params->go_on(measure->params->user);
}

static bool go_on_training(void *user, const struct shw_train_progress *progress)
{
    (void)progress;
    return go_on(user);
}

bool shw_held_out_is_possible(const struct shw_training_set *set)
{
    uint8_t *folds = malloc(set->stroke_count + 1u);
    enum shw_held_out_by *by = calloc(set->class_count + 1u, sizeof *by);
    bool any = set->kept_count > 0;

    if (folds != NULL && by != NULL && shw_stroke_folds(set, NULL, folds, by))
        for (uint32_t c = 0; c < set->class_count; c++)
            any = any || by[c] != SHW_HELD_OUT_NONE;
    free(folds);
    free(by);
    return any;
}

/* Around the labelled pixels of a chunk of the example; empty if there are none. */
static struct shw_rect surround(const struct shw_labelled_image *example, struct shw_rect chunk)
{
    struct shw_rect rect = {chunk.x1, chunk.y1, chunk.x0, chunk.y0};

    for (int32_t y = chunk.y0; y < chunk.y1; y++)
        for (int32_t x = chunk.x0; x < chunk.x1; x++)
            if (example->labels[(size_t)y * example->image.width + (size_t)x] != SHW_LABEL_VOID) {
                rect.x0 = x < rect.x0 ? x : rect.x0;
                rect.y0 = y < rect.y0 ? y : rect.y0;
                rect.x1 = x >= rect.x1 ? x + 1 : rect.x1;
                rect.y1 = y >= rect.y1 ? y + 1 : rect.y1;
            }
    return rect;
}

/* Counts the labelled pixels of a rectangle of a tile. */
static void count_pixels(struct measure *measure, const struct shw_training_tile *tile,
                         const struct shw_taught_picture *picture, const struct shw_labelled_image *example,
                         struct shw_rect rect, const uint16_t *classes)
{
    uint32_t width = (uint32_t)(rect.x1 - rect.x0);

    for (int32_t y = rect.y0; y < rect.y1; y++) {
        const uint16_t *labels = example->labels + (size_t)y * example->image.width + (size_t)rect.x0;
        const uint16_t *row = classes + (size_t)(y - rect.y0) * width;

        shw_accuracy_add(&measure->held_out->matrix, labels, row, width);
        for (uint32_t x = 0; x < width; x++) {
            uint32_t stroke;

            if (labels[x] == SHW_LABEL_VOID)
                continue;
            stroke = picture->first_stroke - 1 +
                     shw_top_strokes_get(&picture->labels->top, (uint32_t)(tile->rect.x0 + rect.x0) + x,
                                         (uint32_t)(tile->rect.y0 + y));
            measure->stroke_pixels[stroke]++;
            measure->stroke_right[stroke] += labels[x] == row[x];
        }
    }
}

/* Labels a rectangle of a whole picture. */
static enum shw_result label_levels(struct shw_labeller *labeller, const struct shw_forest *forest,
                                    const struct shw_labelled_image *example, struct shw_rect rect, uint16_t *classes)
{
    const struct shw_part part = {(uint32_t)rect.x0, (uint32_t)rect.y0, (uint32_t)(rect.x1 - rect.x0),
                                  (uint32_t)(rect.y1 - rect.y0), 1};
    struct shw_input read[SHW_INPUTS_MAX];
    const struct shw_inputs inputs = shw_example_inputs(example, shw_forest_get_info(forest)->channel_list, read);

    return shw_labeller_run_part(labeller, &inputs, &part, &(struct shw_labelling){.argmax = classes});
}

/* Labels what the choice has of a tile, and counts. `labeller`: of a forest with several levels, or NULL. */
static enum shw_result measure_tile(struct measure *measure, const struct shw_training_choice *choice, uint32_t index,
                                    const struct shw_forest *forest, struct shw_labeller *labeller)
{
    const struct shw_training_tile *tile = &choice->tiles->tiles[index];
    const struct shw_taught_picture *picture = &choice->tiles->pictures[tile->picture];
    uint16_t *classes = malloc((size_t)CHUNK * CHUNK * sizeof *classes);
    struct shw_labelled_image example;
    enum shw_result result;

    if (classes == NULL)
        return shw_fail_memory(&measure->set->log, "accuracy");
    result = choice->dataset.read(choice->dataset.user, index, &example);
    if (result != SHW_OK) {
        free(classes);
        return result;
    }
    for (int32_t y = 0; y < (int32_t)example.image.height && result == SHW_OK; y += CHUNK)
        for (int32_t x = 0; x < (int32_t)example.image.width && result == SHW_OK; x += CHUNK) {
            int32_t right = x + CHUNK, bottom = y + CHUNK;
            struct shw_rect rect;

            right = right < (int32_t)example.image.width ? right : (int32_t)example.image.width;
            bottom = bottom < (int32_t)example.image.height ? bottom : (int32_t)example.image.height;
            rect = surround(&example, (struct shw_rect){x, y, right, bottom});
            if (rect.x0 >= rect.x1)
                continue;
            result = !go_on(measure) ? SHW_ERROR_CANCELLED
                     : labeller != NULL
                         ? label_levels(labeller, forest, &example, rect, classes)
                         : shw_label_part(forest, &example, rect, measure->pool, &measure->set->log, classes);
            if (result == SHW_OK)
                count_pixels(measure, tile, picture, &example, rect, classes);
        }
    choice->dataset.release(choice->dataset.user, &example);
    free(classes);
    return result;
}

static enum shw_result measure_choice(struct measure *measure, const struct shw_training_choice *choice,
                                      const struct shw_forest *forest)
{
    const struct shw_labeller_params params = {.forest = forest,
                                               .outputs = SHW_OUTPUT_ARGMAX,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .smoothing = {.radius = SHW_SMOOTHING_NONE},
                                               .threads = measure->params->threads,
                                               .log = measure->set->log};
    struct shw_labeller *labeller = NULL;
    enum shw_result result = SHW_OK;

    if (shw_forest_get_info(forest)->levels > 1)
        SHW_PROPAGATE(shw_labeller_create(&params, &labeller));
    for (uint32_t t = 0; t < choice->tiles->count && result == SHW_OK; t++)
        result = measure_tile(measure, choice, t, forest, labeller);
    shw_labeller_destroy(&labeller);
    return result;
}

/* The parameters of the forests, without what does not affect them. Labels are measured before smoothing: tiles have
 * only what the tests read around the strokes. Levels see the ones below smoothed. */
static struct shw_trainer_params parameters_of(const struct measure *measure)
{
    struct shw_trainer_params params =
        measure->params->training != NULL ? *measure->params->training : shw_training_set_level_params(measure->set);

    if (params.levels <= 1)
        params.smoothing = (struct shw_smoothing){.radius = SHW_SMOOTHING_NONE};
    return params;
}

/* A data set that is read only while the measurement goes on: labelling it with a lower level takes long. */
struct watched {
    const struct measure *measure;
    const struct shw_dataset *of;
    struct shw_dataset dataset;
};

static enum shw_result read_watched(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct watched *watched = user;

    return go_on(watched->measure) ? watched->of->read(watched->of->user, index, example) : SHW_ERROR_CANCELLED;
}

static void release_watched(void *user, struct shw_labelled_image *example)
{
    const struct watched *watched = user;

    watched->of->release(watched->of->user, example);
}

static struct watched watch(const struct measure *measure, const struct shw_dataset *of)
{
    struct watched watched = {measure, of, *of};

    watched.dataset.read = read_watched;
    watched.dataset.release = release_watched;
    return watched;
}

/* Trains all levels. The trainer is kept from fold to fold, with the planes of the tiles. */
static enum shw_result train(struct measure *measure, struct shw_trainer_params params, struct watched *watched,
                             struct shw_trainer **trainer, struct shw_forest **forest)
{
    enum shw_result result;

    watched->dataset.user = watched;
    params.technique = SHW_TECHNIQUE_CPU;
    params.threads = measure->params->threads;
    params.memory = measure->params->memory;
    params.progress = go_on_training;
    params.progress_user = measure;
    params.log = measure->set->log;
    do {
        struct shw_forest *below = *forest;
        const struct shw_trainer_params of_level = shw_level_params(&params, below);
        bool finished = false;

        *forest = NULL;
        result = *trainer == NULL ? shw_trainer_create(&of_level, &watched->dataset, trainer)
                                  : shw_trainer_renew(*trainer, &of_level, &watched->dataset);
        while (result == SHW_OK && !finished)
            result = shw_trainer_step(*trainer, &finished);
        if (result == SHW_OK)
            result = shw_trainer_get_forest(*trainer, forest);
        shw_forest_destroy(&below);
    } while (result == SHW_OK && shw_forest_get_info(*forest)->levels < params.levels);
    measure->held_out->folds++;
    return result;
}

/* Trains on the strokes that are not held out, and measures those that are. `tested`: NULL: the tiles trained on. */
static enum shw_result run_fold(struct measure *measure, const struct shw_training_tiles *tiles,
                                const struct shw_training_tiles *tested, const bool *trained, const bool *measured,
                                struct shw_trainer **trainer)
{
    struct shw_trainer_params params = parameters_of(measure);
    struct shw_training_choice training = {0}, testing = {0};
    struct shw_level_examples levels = {.folds = 0};
    struct shw_forest *forest = NULL;
    struct watched watched;
    enum shw_result result;

    if (params.levels > 1)
        SHW_TRY(shw_level_examples_make(tiles, trained, &params, &levels));
    else
        SHW_TRY(shw_training_choice_make(tiles, trained, &training));
    watched = watch(measure, params.levels > 1 ? &levels.dataset : &training.dataset);
    SHW_TRY(shw_training_choice_make(tested, measured, &testing));
    SHW_TRY(train(measure, params, &watched, trainer, &forest));
    SHW_TRY(measure_choice(measure, &testing, forest));

fail:
    shw_forest_destroy(&forest);
    if (result != SHW_OK)
        shw_trainer_destroy(trainer);
    shw_training_choice_free(&training);
    shw_training_choice_free(&testing);
    shw_level_examples_free(&levels);
    return result;
}

static enum shw_result cross_validate(struct measure *measure, const struct shw_training_tiles *tiles)
{
    const struct shw_training_set *set = measure->set;
    uint8_t *folds = malloc(set->stroke_count + 1u);
    bool *flags = malloc(2 * ((size_t)set->stroke_count + 1));
    enum shw_held_out_by *by = calloc(set->class_count + 1u, sizeof *by);
    struct shw_trainer *trainer = NULL;
    enum shw_result result = SHW_OK;

    if (folds == NULL || flags == NULL || by == NULL || !shw_stroke_folds(set, NULL, folds, by))
        result = shw_fail_memory(&set->log, "accuracy");
    for (uint32_t f = 0; f < SHW_FOLDS && result == SHW_OK; f++) {
        if (measure->params->fold > 0 && measure->params->fold != f + 1)
            continue;
        bool *measured = flags + set->stroke_count, any = false;

        for (uint32_t s = 0; s < set->stroke_count; s++) {
            measured[s] = folds[s] == f;
            flags[s] = !measured[s];
            any = any || measured[s];
        }
        if (any)
            result = run_fold(measure, tiles, tiles, flags, measured, &trainer);
    }
    for (uint32_t c = 0; c < set->class_count && result == SHW_OK; c++)
        measure->held_out->classes[c].by = by[c];
    shw_trainer_destroy(&trainer);
    free(folds);
    free(flags);
    free(by);
    return result;
}

/* Measures on the pictures that are kept for testing. */
static enum shw_result measure_kept(struct measure *measure, const struct shw_training_tiles *tiles)
{
    const struct shw_training_set *set = measure->set;
    struct shw_trainer_params params = parameters_of(measure);
    struct shw_training_tiles *kept = NULL;
    struct shw_trainer *trainer = NULL;
    enum shw_result result;

    SHW_TRY(shw_training_tiles_make_kept(tiles->set, shw_level_margin(&params), measure->params->go_on,
                                         measure->params->user, &kept));
    SHW_TRY(run_fold(measure, tiles, kept, NULL, NULL, &trainer));
    measure->held_out->kept_pictures = set->kept_count;
    for (uint32_t s = shw_trained_strokes(set); s < set->stroke_count; s++)
        if (set->stroke_labels[s] != SHW_LABEL_VOID)
            measure->held_out->classes[set->stroke_labels[s]].by = SHW_HELD_OUT_KEPT;

fail:
    shw_trainer_destroy(&trainer);
    shw_training_tiles_release(&kept);
    return result;
}

static void sum_up(const struct measure *measure)
{
    const struct shw_training_set *set = measure->set;

    for (uint32_t s = 0; s < set->stroke_count; s++) {
        struct shw_held_out_class *class = &measure->held_out->classes[set->stroke_labels[s]];

        if (set->stroke_labels[s] == SHW_LABEL_VOID)
            continue;
        class->painted_strokes += s < shw_trained_strokes(set);
        class->pixels += measure->stroke_pixels[s];
        class->right += measure->stroke_right[s];
        class->strokes += measure->stroke_pixels[s] > 0;
        class->strokes_right +=
            measure->stroke_pixels[s] > 0 && 2 * measure->stroke_right[s] >= measure->stroke_pixels[s];
    }
}

enum shw_result shw_held_out_measure(const struct shw_training_tiles *tiles, const struct shw_held_out_params *params,
                                     struct shw_held_out *held_out)
{
    const struct shw_training_set *set = tiles->set;
    struct measure measure = {.set = set, .params = params, .held_out = held_out};
    enum shw_result result;

    *held_out = (struct shw_held_out){.class_count = set->class_count,
                                      .classes = calloc(set->class_count + 1u, sizeof *held_out->classes)};
    measure.stroke_pixels = calloc(set->stroke_count + 1u, sizeof *measure.stroke_pixels);
    measure.stroke_right = calloc(set->stroke_count + 1u, sizeof *measure.stroke_right);
    SHW_TRY(shw_accuracy_create(&held_out->matrix, set->class_count, &set->log));
    if (held_out->classes == NULL || measure.stroke_pixels == NULL || measure.stroke_right == NULL ||
        shw_thread_pool_create(params->threads, &measure.pool) != SHW_OK)
        SHW_TRY(shw_fail_memory(&set->log, "accuracy"));
    SHW_TRY((set->kept_count > 0 ? measure_kept : cross_validate)(&measure, tiles));
    sum_up(&measure);

fail:
    shw_thread_pool_destroy(&measure.pool);
    free(measure.stroke_pixels);
    free(measure.stroke_right);
    if (result != SHW_OK)
        shw_held_out_free(held_out);
    return result;
}

void shw_held_out_free(struct shw_held_out *held_out)
{
    shw_accuracy_destroy(&held_out->matrix);
    free(held_out->classes);
    *held_out = (struct shw_held_out){0};
}

bool shw_held_out_copy(const struct shw_held_out *from, struct shw_held_out *to)
{
    size_t classes = from->class_count;

    *to = *from;
    to->classes = malloc((classes + 1) * sizeof *to->classes);
    if (!shw_accuracy_copy(&from->matrix, &to->matrix) || to->classes == NULL) {
        shw_held_out_free(to);
        return false;
    }
    memcpy(to->classes, from->classes, classes * sizeof *to->classes);
    return true;
}

double shw_held_out_mean(const struct shw_held_out *held_out)
{
    double sum = 0;
    uint32_t count = 0;

    for (uint32_t c = 0; c < held_out->class_count; c++)
        if (held_out->classes[c].pixels > 0) {
            sum += (double)held_out->classes[c].right / (double)held_out->classes[c].pixels;
            count++;
        }
    return count > 0 ? sum / count : NAN;
}
