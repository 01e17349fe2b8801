#include "detection/track/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/log.h"
#include "base/text.h"

#define OVERLAP  0.3
#define PATIENCE 10u
#define GAP      1.0
#define FRESH    0.5 /* part of a new measurement in what is known of size and motion */

/* The detections of a picture. */
struct seen {
    double seconds;
    const struct shw_detection *found;
    const uint32_t *kinds; /* NULL: all are 0 */
    uint32_t count;
};

static uint32_t kind_of(const struct seen *seen, uint32_t i)
{
    return seen->kinds != NULL ? seen->kinds[i] : 0;
}

/* A track and a detection that may belong together. */
struct pair {
    double overlap;
    bool is_single; /* the track was seen once: its motion is not known, and it may be a false alarm */
    uint32_t track, found;
};

static double common(double low, double length, double other, double other_length)
{
    return fmax(fmin(low + length, other + other_length) - fmax(low, other), 0.0);
}

/* Of the detection and of where the track is expected at that time. */
static double overlap_of(const struct shw_track *track, double seconds, const struct shw_detection *found)
{
    const double past = seconds - track->points[track->count - 1].seconds;
    const double x = track->x + past * track->across - track->width / 2.0;
    const double y = track->y + past * track->down - track->height / 2.0;
    const double both =
        common(x, track->width, found->x, found->width) * common(y, track->height, found->y, found->height);

    return both / (track->width * track->height + (double)found->width * found->height - both);
}

static int compare_pairs(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;

    if (one->is_single != other->is_single)
        return one->is_single ? 1 : -1;
    if (one->overlap != other->overlap)
        return one->overlap > other->overlap ? -1 : 1;
    if (one->track != other->track)
        return one->track < other->track ? -1 : 1;
    return one->found < other->found ? -1 : one->found > other->found;
}

static bool add_point(struct shw_tracker *tracker, uint32_t number, double seconds, const struct shw_detection *found)
{
    struct shw_track *track = &tracker->tracks[number];
    const double x = found->x + found->width / 2.0, y = found->y + found->height / 2.0;

    if (!SHW_RESERVE(track->points, track->capacity, (size_t)track->count + 1))
        return false;
    if (track->count == 0) {
        track->width = found->width;
        track->height = found->height;
    } else {
        const double past = seconds - track->points[track->count - 1].seconds;
        const double part = track->count == 1 ? 1.0 : FRESH; /* the first motion is all that is known of it */

        track->across += part * ((x - track->x) / past - track->across);
        track->down += part * ((y - track->y) / past - track->down);
        track->width += FRESH * (found->width - track->width);
        track->height += FRESH * (found->height - track->height);
    }
    track->x = x;
    track->y = y;
    track->missed = 0;
    track->points[track->count++] = (struct shw_track_point){.picture = tracker->pictures,
                                                             .seconds = seconds,
                                                             .x = found->x,
                                                             .y = found->y,
                                                             .width = found->width,
                                                             .height = found->height,
                                                             .score = found->score};
    return true;
}

static bool begin_track(struct shw_tracker *tracker, uint32_t kind)
{
    if (!SHW_RESERVE(tracker->tracks, tracker->capacity, (size_t)tracker->count + 1))
        return false;
    tracker->tracks[tracker->count++] = (struct shw_track){.kind = kind};
    return true;
}

/* Those that have been missed for too long, or before too long a gap. */
static void end_tracks(struct shw_tracker *tracker, double seconds)
{
    const uint32_t patience = tracker->params.patience > 0 ? tracker->params.patience : PATIENCE;
    const double gap = tracker->params.gap > 0.0 ? tracker->params.gap : GAP;
    const bool jumped = tracker->pictures > 0 && seconds - tracker->seconds > gap;

    for (uint32_t t = 0; t < tracker->count; t++)
        tracker->tracks[t].ended |= jumped || tracker->tracks[t].missed > patience;
}

/* The pairs that overlap enough, those of tracks that were seen once last, by falling overlap; NULL if memory is
 * exhausted. */
static struct pair *find_pairs(const struct shw_tracker *tracker, const struct seen *seen, uint32_t *pair_count)
{
    const double least = tracker->params.overlap > 0.0 ? tracker->params.overlap : OVERLAP;
    struct pair *pairs = NULL;
    uint32_t capacity = 0;

    *pair_count = 0;
    if (!SHW_RESERVE(pairs, capacity, 1))
        return NULL;
    for (uint32_t t = 0; t < tracker->count; t++)
        for (uint32_t f = 0; f < seen->count && !tracker->tracks[t].ended; f++) {
            const double overlap = overlap_of(&tracker->tracks[t], seen->seconds, &seen->found[f]);

            if (overlap <= least || tracker->tracks[t].kind != kind_of(seen, f))
                continue;
            if (!SHW_RESERVE(pairs, capacity, (size_t)*pair_count + 1)) {
                free(pairs);
                return NULL;
            }
            pairs[(*pair_count)++] = (struct pair){overlap, tracker->tracks[t].count == 1, t, f};
        }
    qsort(pairs, *pair_count, sizeof *pairs, compare_pairs);
    return pairs;
}

/* The number of the point at that time with that rectangle; track->count: there is none. */
static uint32_t find_point(const struct shw_track *track, double seconds, const struct shw_detection *found)
{
    uint32_t low = 0, high = track->count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;

        if (track->points[middle].seconds < seconds)
            low = middle + 1;
        else
            high = middle;
    }
    return low < track->count && track->points[low].seconds == seconds && track->points[low].x == found->x &&
                   track->points[low].y == found->y && track->points[low].width == found->width &&
                   track->points[low].height == found->height
               ? low
               : track->count;
}

bool shw_track_is_at(const struct shw_track *track, double seconds, const struct shw_detection *found)
{
    return find_point(track, seconds, found) < track->count;
}

void shw_track_remove(struct shw_track *track, double seconds, const struct shw_detection *found)
{
    const uint32_t point = find_point(track, seconds, found);

    if (point == track->count)
        return;
    track->count--;
    memmove(track->points + point, track->points + point + 1, (track->count - point) * sizeof *track->points);
    track->ended = track->ended || track->count == 0;
}

/* What is known of a picture that was seen before. */
static void recall(const struct shw_tracker *tracker, const struct seen *seen, uint32_t *identities)
{
    for (uint32_t f = 0; f < seen->count; f++)
        for (uint32_t t = 0; t < tracker->count && identities[f] == SHW_NO_TRACK; t++)
            if (tracker->tracks[t].kind == kind_of(seen, f) &&
                shw_track_is_at(&tracker->tracks[t], seen->seconds, &seen->found[f]))
                identities[f] = t;
}

enum shw_result shw_tracker_step(struct shw_tracker *tracker, double seconds, const struct shw_detection *found,
                                 const uint32_t *kinds, uint32_t count, const struct shw_log *log, uint32_t *identities)
{
    const struct seen seen = {seconds, found, kinds, count};
    const uint32_t before = tracker->count;
    struct pair *pairs;
    uint32_t pair_count;
    bool fine = true;

    for (uint32_t f = 0; f < count; f++)
        identities[f] = SHW_NO_TRACK;
    if (tracker->pictures > 0 && seconds <= tracker->seconds) {
        recall(tracker, &seen, identities);
        return SHW_OK;
    }
    end_tracks(tracker, seconds);
    pairs = find_pairs(tracker, &seen, &pair_count);
    if (pairs == NULL)
        return shw_fail_memory(log, "tracks");
    for (uint32_t t = 0; t < before; t++)
        tracker->tracks[t].missed++;
    for (uint32_t p = 0; p < pair_count && fine; p++)
        if (identities[pairs[p].found] == SHW_NO_TRACK && tracker->tracks[pairs[p].track].missed > 0) {
            identities[pairs[p].found] = pairs[p].track;
            fine = add_point(tracker, pairs[p].track, seconds, &found[pairs[p].found]);
        }
    for (uint32_t f = 0; f < count && fine; f++)
        if (identities[f] == SHW_NO_TRACK) {
            identities[f] = tracker->count;
            fine = begin_track(tracker, kind_of(&seen, f)) && add_point(tracker, identities[f], seconds, &found[f]);
        }
    free(pairs);
    tracker->seconds = seconds;
    tracker->pictures++;
    return fine ? SHW_OK : shw_fail_memory(log, "tracks");
}

double shw_track_length(const struct shw_track *track)
{
    double sum = 0.0;

    for (uint32_t p = 1; p < track->count; p++) {
        const struct shw_track_point *from = &track->points[p - 1], *to = &track->points[p];

        sum += hypot(to->x + to->width / 2.0 - from->x - from->width / 2.0,
                     to->y + to->height / 2.0 - from->y - from->height / 2.0);
    }
    return sum;
}

void shw_tracker_print(FILE *stream, const struct shw_tracker *tracker, uint32_t least,
                       const struct shw_track_kind *kinds, uint32_t kind_count)
{
    fprintf(stream, "track,picture,seconds,x,y,width,height,score%s" SHW_CSV_END, kind_count > 1 ? ",label" : "");
    for (uint32_t t = 0; t < tracker->count; t++)
        for (uint32_t p = 0; p < tracker->tracks[t].count && tracker->tracks[t].count >= least; p++) {
            const struct shw_track_kind *kind = &kinds[tracker->tracks[t].kind];
            const struct shw_track_point *point = &tracker->tracks[t].points[p];

            fprintf(stream, "%u,%llu,%.3f,%d,%d,%u,%u,%.4f", t + 1, (unsigned long long)point->picture + 1,
                    point->seconds, point->x, point->y, point->width, point->height,
                    ldexp(point->score, -(int)kind->fraction_bits));
            if (kind_count > 1) {
                fputc(',', stream);
                shw_print_csv_text(stream, kind->name);
            }
            fputs(SHW_CSV_END, stream);
        }
}

void shw_tracker_clear(struct shw_tracker *tracker)
{
    for (uint32_t t = 0; t < tracker->count; t++)
        free(tracker->tracks[t].points);
    free(tracker->tracks);
    *tracker = (struct shw_tracker){.params = tracker->params};
}
