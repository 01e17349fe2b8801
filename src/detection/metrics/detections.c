#include "detection/metrics/detections.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"

/* The length that two intervals share. */
static uint64_t shared(int32_t a, uint32_t a_length, int32_t b, uint32_t b_length)
{
    int64_t begin = shw_max_i32(a, b), a_end = (int64_t)a + a_length, b_end = (int64_t)b + b_length;
    int64_t end = a_end < b_end ? a_end : b_end;

    return end > begin ? (uint64_t)(end - begin) : 0;
}

static double intersection(const struct shw_detection *detection, const struct shw_true_object *object)
{
    return (double)shared(detection->x, detection->width, object->x, object->width) *
           (double)shared(detection->y, detection->height, object->y, object->height);
}

static double ratio(double part, double whole)
{
    return whole > 0.0 ? part / whole : 0.0;
}

double shw_detection_overlap(const struct shw_detection *detection, const struct shw_true_object *object)
{
    double both = intersection(detection, object);

    return ratio(both, (double)detection->width * (double)detection->height +
                           (double)object->width * (double)object->height - both);
}

/* The part of it that lies in the object. */
static double part_inside(const struct shw_detection *detection, const struct shw_true_object *object)
{
    return ratio(intersection(detection, object), (double)detection->width * (double)detection->height);
}

/* A detection's turn. */
struct turn {
    int32_t score;
    uint32_t index;
};

static int compare_turns(const void *a, const void *b)
{
    const struct turn *first = a, *second = b;

    if (first->score != second->score)
        return first->score > second->score ? -1 : 1;
    return first->index < second->index ? -1 : first->index > second->index;
}

/* The object that it overlaps most: 0: of those that are left, 1: of those to be ignored; the first of several. 2: no
 * object, and the largest overlap with any of the others. */
static void look(const struct shw_detection *detection, const struct shw_true_object *objects, uint32_t object_count,
                 const bool *taken, struct shw_match best[3])
{
    for (int kind = 0; kind < 3; kind++)
        best[kind] = (struct shw_match){.object = SHW_MATCH_NONE};
    for (uint32_t k = 0; k < object_count; k++) {
        const bool ignored = objects[k].ignored;
        struct shw_match match = {
            k, ignored ? part_inside(detection, &objects[k]) : shw_detection_overlap(detection, &objects[k]), ignored};

        if (!taken[k] && match.overlap > best[ignored].overlap)
            best[ignored] = match;
        if (!ignored)
            best[2].overlap = fmax(best[2].overlap, match.overlap);
    }
}

enum shw_result shw_detections_match(const struct shw_detection *found, uint32_t found_count,
                                     const struct shw_true_object *objects, uint32_t object_count, double overlap,
                                     const struct shw_log *log, struct shw_match *matches)
{
    struct turn *turns = malloc((found_count + (size_t)1) * sizeof *turns);
    bool *taken = calloc(object_count + (size_t)1, sizeof *taken);
    enum shw_result result = turns != NULL && taken != NULL ? SHW_OK : shw_fail_memory(log, "detections");

    for (uint32_t i = 0; i < found_count && result == SHW_OK; i++)
        turns[i] = (struct turn){found[i].score, i};
    if (result == SHW_OK)
        qsort(turns, found_count, sizeof *turns, compare_turns);
    for (uint32_t i = 0; i < found_count && result == SHW_OK; i++) {
        struct shw_match best[3];

        look(&found[turns[i].index], objects, object_count, taken, best);
        matches[turns[i].index] = best[0].overlap >= overlap ? best[0] : best[1].overlap >= overlap ? best[1] : best[2];
        if (best[0].overlap >= overlap)
            taken[best[0].object] = true;
    }
    free(turns);
    free(taken);
    return result;
}

enum shw_result shw_detection_tally_add(struct shw_detection_tally *tally, const struct shw_detection *found,
                                        const struct shw_match *matches, uint32_t found_count,
                                        const struct shw_true_object *objects, uint32_t object_count, uint64_t windows,
                                        const struct shw_log *log)
{
    if (!SHW_RESERVE(tally->scored, tally->capacity, tally->count + (size_t)found_count))
        return shw_fail_memory(log, "detections");
    for (uint32_t i = 0; i < found_count; i++)
        if (!matches[i].ignored)
            tally->scored[tally->count++] = (struct shw_scored){found[i].score, matches[i].object != SHW_MATCH_NONE};
    for (uint32_t k = 0; k < object_count; k++)
        tally->objects += !objects[k].ignored;
    tally->images++;
    tally->windows += windows;
    return SHW_OK;
}

void shw_detection_tally_free(struct shw_detection_tally *tally)
{
    free(tally->scored);
    *tally = (struct shw_detection_tally){0};
}

static int compare_scored(const void *a, const void *b)
{
    int32_t first = ((const struct shw_scored *)a)->score, second = ((const struct shw_scored *)b)->score;

    return first > second ? -1 : first < second;
}

enum shw_result shw_detection_curve_make(struct shw_detection_tally *tally, const struct shw_log *log,
                                         struct shw_detection_curve *curve)
{
    struct shw_detection_point point = {0};

    *curve =
        (struct shw_detection_curve){.objects = tally->objects, .images = tally->images, .windows = tally->windows};
    curve->points = malloc((tally->count + (size_t)1) * sizeof *curve->points);
    if (curve->points == NULL)
        return shw_fail_memory(log, "a curve of detections");
    if (tally->count > 0)
        qsort(tally->scored, tally->count, sizeof *tally->scored, compare_scored);
    for (uint32_t i = 0; i < tally->count; i++) {
        point.score = tally->scored[i].score;
        point.right += tally->scored[i].right;
        point.wrong += !tally->scored[i].right;
        if (i + 1 == tally->count || tally->scored[i + 1].score != point.score)
            curve->points[curve->count++] = point;
    }
    return SHW_OK;
}

void shw_detection_curve_free(struct shw_detection_curve *curve)
{
    free(curve->points);
    *curve = (struct shw_detection_curve){0};
}

static double quotient(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

struct shw_detection_rates shw_detection_rates_at(const struct shw_detection_curve *curve,
                                                  const struct shw_detection_point *point)
{
    return (struct shw_detection_rates){.precision = quotient(point->right, point->right + point->wrong),
                                        .recall = quotient(point->right, curve->objects),
                                        .wrong_per_image = quotient(point->wrong, curve->images),
                                        .wrong_per_window = quotient(point->wrong, curve->windows)};
}

double shw_detection_average_precision(const struct shw_detection_curve *curve)
{
    double area = 0.0, best = 0.0;

    if (curve->objects == 0)
        return NAN;
    for (uint32_t i = curve->count; i-- > 0;) {
        uint64_t before = i > 0 ? curve->points[i - 1].right : 0;

        best = fmax(best, shw_detection_rates_at(curve, &curve->points[i]).precision);
        area += best * (double)(curve->points[i].right - before);
    }
    return area / (double)curve->objects;
}
