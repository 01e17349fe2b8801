#include "detection/learn/learn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/detect.h>
#include <shadewood/detect_train.h>

#include "base/array.h"
#include "base/image.h"
#include "base/log.h"
#include "detection/cascade/cascade.h"
#include "detection/learn/ranks.h"
#include "detection/learn/turned.h"

#define LEAST_OBJECTS 4u

/* Training ends when a round finds less than a hundredth of the backgrounds that it needs: of few pictures, few. */
#define BACKGROUND_PIXELS 1000.0 /* of the pictures, for each of them */
#define BACKGROUNDS_LEAST 100.0
#define BACKGROUNDS_MOST  10000.0

#define WINDOW_AREA  370.0
#define WINDOW_LEAST 8u
#define WINDOW_MOST  32u
#define MARGIN       5u                    /* percent of a rectangle, around it: detections have the size of windows */
#define SCORE_LEAST  (-(INT32_C(1) << 30)) /* that all windows have */
#define FOLDS_MAX    10u
#define WRONG_MARGIN 25u /* percent of a false alarm, around it, in pictures that are not complete */

/* Turns of each picture: the first are backgrounds, too; in the last ones, scores of cascades are compared, which none
 * of them has learned from. */
#define TURNS_LEARNED  3u
#define TURNS_COMPARED 4u
#define TURNED_MARGIN  15   /* percent of an object, around it, that is no background */
#define TRAINING       0.85 /* of the time; the rest is measuring */

/* What one cascade is trained on, as a data set: the complete pictures, and the surroundings of false alarms. */
struct set {
    struct shw_image *images;
    struct shw_cascade_object *objects;
    bool *are_backgrounds;
    void **turned; /* pixels of turned pictures */
    uint32_t image_count, image_capacity, object_count, object_capacity, background_capacity;
    uint32_t turned_count, turned_capacity;
    struct shw_cascade_dataset dataset;
};

struct learning {
    const struct shw_learn_params *params;
    const struct shw_learn_picture *pictures;
    uint32_t count;
    uint32_t *folds; /* [picture] */
    uint32_t fold_count;
    uint32_t window_width, window_height;
    uint32_t background_count;            /* windows to train on in each round */
    struct shw_cascade *parts[FOLDS_MAX]; /* of the folds */
    struct shw_learn_progress progress;
    struct shw_detection_tally tally;
};

static enum shw_result read_image(void *user, uint32_t index, struct shw_cascade_image *image)
{
    const struct set *set = user;

    *image = (struct shw_cascade_image){.image = set->images[index]};
    return SHW_OK;
}

static void release_image(void *user, struct shw_cascade_image *image)
{
    (void)user;
    (void)image;
}

static void free_set(struct set *set)
{
    for (uint32_t t = 0; t < set->turned_count; t++)
        free(set->turned[t]);
    free(set->turned);
    free(set->images);
    free(set->objects);
    free(set->are_backgrounds);
    *set = (struct set){0};
}

static bool add_image(struct set *set, const struct shw_image *image, bool is_background)
{
    const size_t count = (size_t)set->image_count + 1;

    if (!SHW_RESERVE(set->images, set->image_capacity, count) ||
        !SHW_RESERVE(set->are_backgrounds, set->background_capacity, count))
        return false;
    set->images[set->image_count] = *image;
    set->are_backgrounds[set->image_count++] = is_background;
    return true;
}

/* Objects of the last image. */
static bool add_objects(struct set *set, const struct shw_true_object *objects, uint32_t count)
{
    if (!SHW_RESERVE(set->objects, set->object_capacity, (size_t)set->object_count + count))
        return false;
    for (uint32_t o = 0; o < count; o++)
        set->objects[set->object_count++] = (struct shw_cascade_object){.image = set->image_count - 1,
                                                                        .x = objects[o].x,
                                                                        .y = objects[o].y,
                                                                        .width = objects[o].width,
                                                                        .height = objects[o].height,
                                                                        .ignored = objects[o].ignored};
    return true;
}

/* The part of a false alarm, and of what is around it, that lies in the picture; false: none. */
static bool crop(const struct shw_image *image, const struct shw_true_object *object, struct shw_image *part)
{
    const int64_t across = (int64_t)object->width * WRONG_MARGIN / 100,
                  down = (int64_t)object->height * WRONG_MARGIN / 100;
    const int64_t left = object->x - across > 0 ? object->x - across : 0;
    const int64_t top = object->y - down > 0 ? object->y - down : 0;
    int64_t right = object->x + (int64_t)object->width + across, bottom = object->y + (int64_t)object->height + down;
    const size_t size = shw_pixel_size(image->format), stride = shw_image_stride(image);

    right = right < image->width ? right : image->width;
    bottom = bottom < image->height ? bottom : image->height;
    if (right <= left || bottom <= top)
        return false;
    *part = (struct shw_image){.pixels = (const uint8_t *)image->pixels + (size_t)top * stride + (size_t)left * size,
                               .width = (uint32_t)(right - left),
                               .height = (uint32_t)(bottom - top),
                               .stride = stride,
                               .format = image->format};
    return true;
}

/* An object in a turned picture, and what is around it: no background, and not to be found. */
static struct shw_true_object turned_object(const struct shw_image *image, uint32_t turn,
                                            const struct shw_true_object *object)
{
    struct shw_true_object turned = shw_turned_object(image, turn, object);
    const int32_t across = (int32_t)turned.width * TURNED_MARGIN / 100,
                  down = (int32_t)turned.height * TURNED_MARGIN / 100;

    turned.x -= across;
    turned.y -= down;
    turned.width += 2 * (uint32_t)across;
    turned.height += 2 * (uint32_t)down;
    turned.ignored = true;
    return turned;
}

static bool add_turned(struct set *set, const struct shw_learn_picture *picture, uint32_t turn)
{
    struct shw_image image;

    if (!SHW_RESERVE(set->turned, set->turned_capacity, (size_t)set->turned_count + 1))
        return false;
    image = shw_turned_image(&picture->image, turn);
    if (image.pixels == NULL)
        return false;
    set->turned[set->turned_count++] = (void *)(uintptr_t)image.pixels;
    if (!add_image(set, &image, true))
        return false;
    for (uint32_t o = 0; o < picture->object_count; o++) {
        const struct shw_true_object turned = turned_object(&picture->image, turn, &picture->objects[o]);

        if (!add_objects(set, &turned, 1))
            return false;
    }
    return true;
}

/* All pictures but those of a fold; UINT32_MAX: all. */
static enum shw_result make_set(const struct learning *learning, uint32_t without, struct set *set)
{
    bool fine = true;

    for (uint32_t p = 0; p < learning->count && fine; p++) {
        const struct shw_learn_picture *picture = &learning->pictures[p];
        struct shw_image part;

        if (learning->folds[p] == without)
            continue;
        if (picture->is_complete || picture->object_count > 0)
            fine = add_image(set, &picture->image, picture->is_complete) &&
                   add_objects(set, picture->objects, picture->object_count);
        /* the trainer turns pictures without objects itself */
        for (uint32_t t = 1; t < TURNS_LEARNED && fine && picture->is_complete && picture->object_count > 0; t++)
            fine = add_turned(set, picture, t);
        for (uint32_t w = 0; w < picture->wrong_count && fine && !picture->is_complete; w++)
            if (crop(&picture->image, &picture->wrong[w], &part))
                fine = add_image(set, &part, true);
    }
    set->dataset = (struct shw_cascade_dataset){.image_count = set->image_count,
                                                .object_count = set->object_count,
                                                .objects = set->objects,
                                                .backgrounds = set->are_backgrounds,
                                                .user = set,
                                                .read = read_image,
                                                .release = release_image};
    return fine ? SHW_OK : shw_fail_memory(&learning->params->log, "the pictures");
}

static int compare_numbers(const void *a, const void *b)
{
    const double one = *(const double *)a, other = *(const double *)b;

    return one < other ? -1 : one > other;
}

/* The value that `part` of all are below. */
static double quantile(double *values, uint32_t count, double part)
{
    qsort(values, count, sizeof *values, compare_numbers);
    return values[(uint32_t)(part * (count - 1))];
}

void shw_learn_window(const uint32_t *widths, const uint32_t *heights, uint32_t count, uint32_t *width,
                      uint32_t *height)
{
    const double least = WINDOW_LEAST, most = WINDOW_MOST;
    double *values = count > 0 ? malloc(count * sizeof *values) : NULL;
    double shape, side, across;

    *width = *height = 16;
    if (values == NULL)
        return;
    for (uint32_t o = 0; o < count; o++)
        values[o] = (double)widths[o] / heights[o];
    shape = quantile(values, count, 0.5);
    for (uint32_t o = 0; o < count; o++)
        values[o] = sqrt((double)widths[o] * heights[o]);
    side = fmin(sqrt(WINDOW_AREA), quantile(values, count, 0.05) * (1.0 + 2.0 * MARGIN / 100.0));
    free(values);
    across = fmin(fmax(side * sqrt(shape), least), most);
    *width = (uint32_t)lround(across);
    *height = (uint32_t)lround(fmin(fmax(across / shape, least), most));
}

/* Deals the pictures with objects and those without to the folds, evenly and in an order that is drawn. */
static void deal(struct learning *learning, uint32_t seed)
{
    uint32_t next[2] = {0, 0};
    uint64_t state = seed + UINT64_C(0x9e3779b97f4a7c15);
    uint32_t *order = learning->folds; /* becomes the folds in the end */
    uint32_t *shuffled = malloc(((size_t)learning->count + 1) * sizeof *shuffled);

    for (uint32_t p = 0; shuffled != NULL && p < learning->count; p++)
        shuffled[p] = p;
    for (uint32_t p = learning->count; shuffled != NULL && p > 1; p--) {
        uint32_t other, kept = shuffled[p - 1];

        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        other = (uint32_t)((state >> 33) % p);
        shuffled[p - 1] = shuffled[other];
        shuffled[other] = kept;
    }
    for (uint32_t i = 0; i < learning->count; i++) {
        const uint32_t p = shuffled != NULL ? shuffled[i] : i;

        order[p] = next[learning->pictures[p].object_count > 0]++ % learning->fold_count;
    }
    free(shuffled);
}

static bool may_interrupt(const struct learning *learning, void (*interrupt)(void *subject), void *subject)
{
    return learning->params->may_interrupt == NULL ||
           learning->params->may_interrupt(learning->params->user, interrupt, subject);
}

static void interrupt_trainer(void *trainer)
{
    shw_cascade_trainer_interrupt(trainer);
}

static void interrupt_detector(void *detector)
{
    shw_detector_interrupt(detector);
}

static void report(struct learning *learning, double done)
{
    learning->progress.done = fmin(done, 1.0);
    if (learning->params->report != NULL)
        learning->params->report(learning->params->user, &learning->progress);
}

static struct shw_cascade_trainer_params trainer_params(const struct learning *learning)
{
    const struct shw_learn_params *params = learning->params;

    return (struct shw_cascade_trainer_params){
        .name = params->name,
        .window_width = learning->window_width,
        .window_height = learning->window_height,
        .planes = {.shrink = 1, .blur_after = true, .octaves = true},
        .levels_per_octave = 8,
        .margin = MARGIN,
        .boosting = SHW_BOOSTING_REAL,
        .depth = 2,
        .stage_count = params->stages != 0 ? params->stages : SHW_LEARN_STAGES,
        .candidates = 300,
        .copies = 40,
        .variation = {.mirror = true, .shift = 3, .scale = 8, .turn = 10, .contrast = 40},
        .background_count = learning->background_count,
        .pass_percent = 50,
        .round_stages = 32,
        .turned_backgrounds = true,
        .calibration_percent = 10,
        .loss_permille = 30,
        .target_pass = 10,
        .target_recall = 80,
        .seed = params->seed,
        .technique = SHW_TECHNIQUE_CPU,
        .threads = params->threads,
        .notes = "{\"learned\": \"few rectangles\"}",
        .log = params->log};
}

/* A cascade from a data set. */
static enum shw_result train(struct learning *learning, const struct set *set, struct shw_cascade **cascade)
{
    const struct shw_cascade_trainer_params params = trainer_params(learning);
    struct shw_cascade_trainer *trainer = NULL;
    struct shw_cascade_progress progress;
    bool finished = false;
    enum shw_result result = shw_cascade_trainer_create(&params, &set->dataset, &trainer);

    if (result == SHW_OK && !may_interrupt(learning, interrupt_trainer, trainer))
        result = SHW_ERROR_CANCELLED;
    while (result == SHW_OK && !finished) {
        SHW_TRY(shw_cascade_trainer_step(trainer, &finished));
        shw_cascade_trainer_get_progress(trainer, &progress);
        learning->progress.stages = progress.stages;
        report(learning, TRAINING * (learning->progress.part + (double)progress.stages / progress.stage_count) /
                             learning->progress.part_count);
    }
    if (result == SHW_OK)
        result = shw_cascade_trainer_get_cascade(trainer, cascade);

fail:
    may_interrupt(learning, NULL, NULL);
    shw_cascade_trainer_destroy(&trainer);
    return result;
}

/* The best score that a window can have. */
static double best_score(const struct shw_cascade *cascade)
{
    const struct shw_cascade_info *info = shw_cascade_get_info(cascade);
    double sum = 0.0;

    for (uint32_t t = 0; t < info->tree_count; t++) {
        int32_t best = INT32_MIN;

        for (uint32_t n = 0; n < info->trees[t].node_count; n++) {
            const struct shw_cascade_node *node = &info->nodes[info->trees[t].first_node + n];

            best = !node->is_split && node->value > best ? node->value : best;
        }
        sum += best;
    }
    return sum > 1.0 ? sum : 1.0;
}

/* Detections in an image, grouped. */
static enum shw_result search(struct learning *learning, struct shw_detector *detector, const struct shw_image *image,
                              struct shw_detections *found)
{
    const struct shw_group_params group = {0};

    SHW_PROPAGATE(shw_detector_run(detector, image, found));
    return shw_detections_group(found, SHW_CASCADE_PIXELS, &group, &learning->params->log);
}

/* What a fold's cascade and the final one take for objects in a picture that is turned, away from its objects. */
static enum shw_result compare_turned(struct learning *learning, struct shw_detector *detector,
                                      const struct shw_learn_picture *picture, uint32_t turn, struct shw_ranks *ranks)
{
    struct shw_image image = shw_turned_image(&picture->image, turn);
    struct shw_detections found = {0};
    enum shw_result result = image.pixels != NULL ? SHW_OK : SHW_ERROR_MEMORY;

    if (result != SHW_OK)
        return shw_fail_memory(&learning->params->log, "a picture");
    SHW_TRY(search(learning, detector, &image, &found));
    for (uint32_t i = 0; i < found.count; i++) {
        bool is_object = false;

        for (uint32_t o = 0; o < picture->object_count && !is_object; o++) {
            const struct shw_true_object object = turned_object(&picture->image, turn, &picture->objects[o]);

            is_object = shw_detection_overlap(&found.items[i], &object) > 0.1;
        }
        if (!is_object && !shw_ranks_add(ranks, found.items[i].score))
            SHW_TRY(shw_fail_memory(&learning->params->log, "detections"));
    }

fail:
    free(found.items);
    free((void *)(uintptr_t)image.pixels);
    return result;
}

/* Scores of a fold's cascade in those of the final one. */
struct scale {
    struct shw_ranks fold, final;
    double ratio;
};

static enum shw_result measure_picture(struct learning *learning, struct shw_detector *detector,
                                       const struct scale *scale, const struct shw_learn_picture *picture)
{
    const struct shw_log *log = &learning->params->log;
    struct shw_detections found = {0};
    struct shw_match *matches = NULL;
    enum shw_result result;

    SHW_TRY(search(learning, detector, &picture->image, &found));
    for (uint32_t i = 0; i < found.count; i++)
        found.items[i].score = shw_ranks_map(&scale->fold, &scale->final, scale->ratio, found.items[i].score);
    matches = malloc((found.count + (size_t)1) * sizeof *matches);
    if (matches == NULL) {
        result = shw_fail_memory(log, "detections");
        goto fail;
    }
    SHW_TRY(shw_detections_match(found.items, found.count, picture->objects, picture->object_count, SHW_LEARN_OVERLAP,
                                 log, matches));
    SHW_TRY(shw_detection_tally_add(
        &learning->tally, found.items, matches, found.count, picture->objects, picture->object_count,
        shw_detector_count_windows(detector, picture->image.width, picture->image.height), log));

fail:
    free(matches);
    free(found.items);
    return result;
}

/* Runs a cascade over the pictures of a fold (`held`), which are measured, or, turned, over the others. */
static enum shw_result run_pictures(struct learning *learning, uint32_t fold, const struct shw_cascade *cascade,
                                    bool held, struct scale *scale, struct shw_ranks *ranks)
{
    const struct shw_detector_params params = {.cascade = cascade,
                                               .technique = SHW_TECHNIQUE_CPU,
                                               .threads = learning->params->threads,
                                               .log = learning->params->log};
    struct shw_detector *detector = NULL;
    enum shw_result result = shw_detector_create(&params, &detector);

    if (result == SHW_OK && !may_interrupt(learning, interrupt_detector, detector))
        result = SHW_ERROR_CANCELLED;
    for (uint32_t p = 0; p < learning->count && result == SHW_OK; p++) {
        if ((learning->folds[p] == fold) != held || !learning->pictures[p].is_complete)
            continue;
        if (held)
            result = measure_picture(learning, detector, scale, &learning->pictures[p]);
        for (uint32_t t = SHW_TURNS - TURNS_COMPARED; t < SHW_TURNS && result == SHW_OK && !held; t++)
            result = compare_turned(learning, detector, &learning->pictures[p], t, ranks);
    }
    may_interrupt(learning, NULL, NULL);
    shw_detector_destroy(&detector);
    return result;
}

/* Searches the pictures of a fold by the cascade that was trained without them. */
static enum shw_result measure(struct learning *learning, uint32_t fold, const struct shw_cascade *final)
{
    const struct shw_cascade *cascade = learning->parts[fold];
    struct scale scale = {.ratio = best_score(final) / best_score(cascade)};
    enum shw_result result;

    learning->progress.measures = true;
    report(learning, TRAINING + (1.0 - TRAINING) * fold / learning->fold_count);
    SHW_TRY(run_pictures(learning, fold, cascade, false, NULL, &scale.fold));
    SHW_TRY(run_pictures(learning, fold, final, false, NULL, &scale.final));
    shw_ranks_sort(&scale.fold);
    shw_ranks_sort(&scale.final);
    SHW_TRY(run_pictures(learning, fold, cascade, true, &scale, NULL));

fail:
    free(scale.fold.scores);
    free(scale.final.scores);
    return result;
}

static enum shw_result run_part(struct learning *learning, uint32_t fold, struct shw_cascade **cascade)
{
    struct set set = {0};
    enum shw_result result = make_set(learning, fold, &set);

    if (result == SHW_OK)
        result = train(learning, &set, cascade);
    free_set(&set);
    return result;
}

static enum shw_result hold_out(struct learning *learning)
{
    enum shw_result result = SHW_OK;

    for (uint32_t f = 0; f < learning->fold_count && learning->fold_count > 1 && result == SHW_OK; f++) {
        learning->progress.part = f;
        result = run_part(learning, f, &learning->parts[f]);
    }
    return result;
}

/* Space for the cascades of all parts after one another. */
struct joined {
    struct shw_cascade_info info;
    struct shw_cascade_stage *stages;
    struct shw_cascade_tree *trees;
    struct shw_cascade_node *nodes;
};

/* Appends a cascade. What has passed the first one is rejected by none of the others: their scores are added. */
static void append(struct joined *joined, const struct shw_cascade_info *part, bool rejects)
{
    struct shw_cascade_info *info = &joined->info;

    for (uint32_t s = 0; s < part->stage_count; s++) {
        struct shw_cascade_stage stage = part->stages[s];

        stage.first_tree += info->tree_count;
        stage.threshold = rejects ? stage.threshold : SCORE_LEAST;
        joined->stages[info->stage_count + s] = stage;
    }
    for (uint32_t t = 0; t < part->tree_count; t++) {
        joined->trees[info->tree_count + t] = part->trees[t];
        joined->trees[info->tree_count + t].first_node += info->node_count;
    }
    memcpy(joined->nodes + info->node_count, part->nodes, part->node_count * sizeof *part->nodes);
    info->stage_count += part->stage_count;
    info->tree_count += part->tree_count;
    info->node_count += part->node_count;
}

/* Puts the cascades of the folds behind the one of all pictures: they were trained anyway, and what several of them
 * take for an object is rarely none. */
static enum shw_result join(const struct learning *learning, struct shw_cascade **cascade)
{
    const struct shw_cascade_info *first = shw_cascade_get_info(*cascade);
    struct joined joined = {.info = *first};
    uint32_t stages = first->stage_count, trees = first->tree_count, nodes = first->node_count;
    struct shw_cascade *made = NULL;
    enum shw_result result = SHW_ERROR_MEMORY;

    for (uint32_t f = 0; f < learning->fold_count && learning->parts[f] != NULL; f++) {
        const struct shw_cascade_info *part = shw_cascade_get_info(learning->parts[f]);

        stages += part->stage_count;
        trees += part->tree_count;
        nodes += part->node_count;
    }
    joined.stages = malloc(stages * sizeof *joined.stages);
    joined.trees = malloc(trees * sizeof *joined.trees);
    joined.nodes = malloc(nodes * sizeof *joined.nodes);
    joined.info.stage_count = joined.info.tree_count = joined.info.node_count = 0;
    joined.info.stages = joined.stages;
    joined.info.trees = joined.trees;
    joined.info.nodes = joined.nodes;
    joined.info.survivors = NULL;
    if (joined.stages != NULL && joined.trees != NULL && joined.nodes != NULL) {
        append(&joined, first, true);
        for (uint32_t f = 0; f < learning->fold_count && learning->parts[f] != NULL; f++)
            append(&joined, shw_cascade_get_info(learning->parts[f]), false);
        result = shw_cascade_create(&joined.info, &learning->params->log, &made);
    } else {
        shw_fail_memory(&learning->params->log, "a cascade");
    }
    free(joined.stages);
    free(joined.trees);
    free(joined.nodes);
    SHW_PROPAGATE(result);
    shw_cascade_destroy(cascade);
    *cascade = made;
    return SHW_OK;
}

uint32_t shw_learn_choose(const struct shw_detection_curve *curve, double wrong)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t p = 0; p < curve->count; p++)
        if ((double)curve->points[p].wrong <= wrong * (double)curve->images &&
            (best == UINT32_MAX || curve->points[p].right > curve->points[best].right))
            best = p;
    return best;
}

uint32_t shw_learn_point_at(const struct shw_detection_curve *curve, int32_t score)
{
    uint32_t at = UINT32_MAX;

    for (uint32_t p = 0; p < curve->count && curve->points[p].score >= score; p++)
        at = p;
    return at;
}

/* Puts the least score into the cascade, which does not change otherwise. */
static enum shw_result set_score(struct shw_learned *learned, int32_t score, const struct shw_log *log)
{
    struct shw_cascade_info info = *shw_cascade_get_info(learned->cascade);
    struct shw_cascade *scored = NULL;

    info.min_score = score;
    info.has_min_score = true;
    SHW_PROPAGATE(shw_cascade_create(&info, log, &scored));
    shw_cascade_destroy(&learned->cascade);
    learned->cascade = scored;
    return SHW_OK;
}

/* By the curve, if something was held out; otherwise what training measured. */
static enum shw_result choose_score(struct learning *learning, struct shw_learned *learned)
{
    const double wrong = learning->params->wrong > 0.0 ? learning->params->wrong : SHW_LEARN_WRONG;
    const struct shw_cascade_info *info = shw_cascade_get_info(learned->cascade);
    uint32_t point;

    learned->min_score = info->min_score;
    if (learning->fold_count < 2)
        return SHW_OK;
    for (uint32_t f = 0; f < learning->fold_count; f++)
        SHW_PROPAGATE(measure(learning, f, learned->cascade));
    SHW_PROPAGATE(shw_detection_curve_make(&learning->tally, &learning->params->log, &learned->curve));
    point = shw_learn_choose(&learned->curve, wrong);
    if (learned->curve.count == 0)
        return SHW_OK;
    point = point != UINT32_MAX ? point : 0; /* none is as good as that: the best scores */
    learned->min_score = learned->curve.points[point].score;
    return set_score(learned, learned->min_score, &learning->params->log);
}

static enum shw_result choose_window(struct learning *learning, const struct shw_learned *learned)
{
    uint32_t *sizes = malloc(2 * ((size_t)learned->objects + 1) * sizeof *sizes), count = 0;

    if (sizes == NULL)
        return shw_fail_memory(&learning->params->log, "objects");
    for (uint32_t p = 0; p < learning->count; p++)
        for (uint32_t o = 0; o < learning->pictures[p].object_count; o++) {
            sizes[count] = learning->pictures[p].objects[o].width;
            sizes[learned->objects + count++] = learning->pictures[p].objects[o].height;
        }
    shw_learn_window(sizes, sizes + learned->objects, count, &learning->window_width, &learning->window_height);
    free(sizes);
    return SHW_OK;
}

/* Counts what there is. */
static enum shw_result survey(struct learning *learning, struct shw_learned *learned)
{
    double pixels = 0.0;
    uint32_t backgrounds = 0, folds = learning->params->folds != 0 ? learning->params->folds : SHW_LEARN_FOLDS;

    folds = folds < FOLDS_MAX ? folds : FOLDS_MAX;
    for (uint32_t p = 0; p < learning->count; p++) {
        learned->objects += learning->pictures[p].object_count;
        learned->wrong += learning->pictures[p].wrong_count;
        learned->pictures += learning->pictures[p].object_count > 0;
        backgrounds += learning->pictures[p].is_complete;
        pixels += (double)learning->pictures[p].image.width * learning->pictures[p].image.height;
    }
    if (learned->objects < LEAST_OBJECTS)
        return shw_fail(&learning->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "there %s %u rectangle%s: at least %u are needed to train, 40 or more are better",
                        learned->objects == 1 ? "is" : "are", learned->objects, learned->objects == 1 ? "" : "s",
                        LEAST_OBJECTS);
    if (backgrounds == 0)
        return shw_fail(&learning->params->log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                        "there is no picture whose objects all have rectangles");
    while (folds > 1 && (learned->pictures < folds || learned->objects - learned->objects / folds < LEAST_OBJECTS))
        folds--;
    learning->background_count = (uint32_t)fmin(fmax(pixels / BACKGROUND_PIXELS, BACKGROUNDS_LEAST), BACKGROUNDS_MOST);
    learning->fold_count = learned->folds = folds;
    learning->progress.part_count = folds > 1 ? folds + 1 : 1;
    return SHW_OK;
}

enum shw_result shw_learn(const struct shw_learn_params *params, const struct shw_learn_picture *pictures,
                          uint32_t count, struct shw_learned *learned)
{
    struct learning learning = {.params = params, .pictures = pictures, .count = count};
    enum shw_result result;

    *learned = (struct shw_learned){0};
    learning.folds = calloc((size_t)count + 1, sizeof *learning.folds);
    if (learning.folds == NULL)
        SHW_TRY(shw_fail_memory(&params->log, "pictures"));
    SHW_TRY(survey(&learning, learned));
    SHW_TRY(choose_window(&learning, learned));
    deal(&learning, params->seed);
    SHW_TRY(hold_out(&learning));
    learning.progress.part = learning.progress.part_count - 1;
    SHW_TRY(run_part(&learning, UINT32_MAX, &learned->cascade));
    if (learning.fold_count > 1)
        SHW_TRY(join(&learning, &learned->cascade));
    SHW_TRY(choose_score(&learning, learned));

fail:
    for (uint32_t f = 0; f < FOLDS_MAX; f++)
        shw_cascade_destroy(&learning.parts[f]);
    shw_detection_tally_free(&learning.tally);
    free(learning.folds);
    if (result != SHW_OK)
        shw_learned_free(learned);
    return result;
}

void shw_learned_free(struct shw_learned *learned)
{
    shw_cascade_destroy(&learned->cascade);
    shw_detection_curve_free(&learned->curve);
    *learned = (struct shw_learned){0};
}
