#include "detect/tracking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "action/action.h"
#include "base/atomic_file.h"
#include "base/log.h"
#include "files/dataset/palette.h"
#include "files/io/output_files.h"
#include "label/classes.h"

#define LEAST     3u
#define GAP       1.0  /* seconds of a video without a picture, after which no track goes on */
#define SKIPPED   10.5 /* pictures of a folder, likewise: those are a second apart */
#define LEAST_MAX 100000

void view_tracking_init(struct view_scene *scene, struct view_detecting *detecting, struct view_tracking *tracking)
{
    *tracking = (struct view_tracking){.scene = scene, .detecting = detecting, .least = LEAST, .chosen = SHW_NO_TRACK};
}

/* Begins anew. */
static void clear(struct view_tracking *tracking)
{
    shw_tracker_clear(&tracking->tracker);
    free(tracking->source);
    tracking->source = NULL;
    tracking->identity_count = 0;
    tracking->picture = NULL;
    tracking->chosen = SHW_NO_TRACK;
    tracking->scene->redraw = true;
}

void view_tracking_destroy(struct view_tracking *tracking)
{
    shw_tracker_clear(&tracking->tracker);
    free(tracking->identities);
    free(tracking->source);
    *tracking = (struct view_tracking){0};
}

/* When the shown picture is in its video, or the number of a folder's picture. */
static double time_of(const struct view_scene *scene)
{
    const struct view_picture *picture = scene->picture;
    const struct view_source_info info = view_player_info(scene->player);

    if (picture->captured > 0.0)
        return picture->captured;
    return info.kind == VIEW_SOURCE_VIDEO ? picture->seconds : info.index;
}

/* Tracks are of one source and the same cascades. */
static enum shw_result follow_source(struct view_tracking *tracking)
{
    const struct view_scene *scene = tracking->scene;
    char *source = scene->player->source != NULL ? view_source_spec(scene->player->source) : strdup("");

    if (source == NULL)
        return shw_fail_memory(&scene->log, "tracks");
    if (tracking->source != NULL && tracking->set == tracking->detecting->set &&
        strcmp(tracking->source, source) == 0) {
        free(source);
        return SHW_OK;
    }
    clear(tracking);
    tracking->source = source;
    tracking->set = tracking->detecting->set;
    tracking->tracker.params.gap = view_player_info(scene->player).kind == VIEW_SOURCE_FOLDER ? SKIPPED : GAP;
    return SHW_OK;
}

static void note_cascades(struct view_tracking *tracking)
{
    const struct view_detecting *detecting = tracking->detecting;

    tracking->cascade_count = detecting->count;
    for (uint32_t d = 0; d < detecting->count; d++) {
        memcpy(tracking->cascades[d].label, detecting->list[d].label, sizeof detecting->list[d].label);
        tracking->cascades[d].fraction_bits = view_detector_info(&detecting->list[d])->fraction_bits;
    }
}

static uint32_t count_places(const struct view_detecting *detecting)
{
    uint32_t count = 0;

    for (uint32_t d = 0; d < detecting->count; d++) {
        const struct view_found_windows *found = view_detecting_found(detecting, d);

        count += found != NULL ? found->groups.count : 0;
    }
    return count;
}

/* What has been clicked away since it was taken is taken from its track. */
static void remove_dismissed(struct view_tracking *tracking)
{
    const struct view_detecting *detecting = tracking->detecting;
    uint32_t place = 0;

    for (uint32_t d = 0; d < detecting->count; d++) {
        const struct view_found_windows *found = view_detecting_found(detecting, d);

        for (uint32_t g = 0; found != NULL && g < found->groups.count && place < tracking->identity_count;
             g++, place++) {
            uint32_t *identity = &tracking->identities[place];

            if (*identity == SHW_NO_TRACK || !view_detecting_is_dismissed(detecting, &found->groups.items[g]))
                continue;
            shw_track_remove(&tracking->tracker.tracks[*identity], time_of(tracking->scene), &found->groups.items[g]);
            *identity = SHW_NO_TRACK;
        }
    }
}

/* Each cascade's detections become tracks of their own. */
static enum shw_result step(struct view_tracking *tracking)
{
    const uint32_t there = count_places(tracking->detecting);
    struct shw_detection *shown = malloc((there + (size_t)1) * sizeof *shown);
    uint32_t *kinds = malloc((there + (size_t)1) * sizeof *kinds), count = 0;
    uint32_t *numbers = malloc((there + (size_t)1) * sizeof *numbers);
    uint32_t *places = malloc((there + (size_t)1) * sizeof *places);
    struct view_detection detection = {0};
    enum shw_result result = SHW_ERROR_MEMORY;

    free(tracking->identities);
    tracking->identities = malloc((there + (size_t)1) * sizeof *tracking->identities);
    tracking->identity_count = tracking->identities != NULL ? there : 0;
    if (shown != NULL && kinds != NULL && numbers != NULL && places != NULL && tracking->identities != NULL) {
        for (uint32_t p = 0; p < there; p++)
            tracking->identities[p] = SHW_NO_TRACK;
        while (view_detecting_next(tracking->detecting, &detection)) {
            kinds[count] = detection.detector;
            places[count] = detection.place;
            shown[count++] = *detection.item;
        }
        result = shw_tracker_step(&tracking->tracker, time_of(tracking->scene), shown, kinds, count,
                                  &tracking->scene->log, numbers);
    }
    for (uint32_t i = 0; result == SHW_OK && i < count; i++)
        tracking->identities[places[i]] = numbers[i];
    free(places);
    free(numbers);
    free(kinds);
    free(shown);
    tracking->scene->redraw = true;
    return result;
}

/* Whether the shown picture is one of the source that is open: the first of another one may not be there yet. */
static bool is_of_source(const struct view_scene *scene)
{
    struct view_source *source = scene->player->source;
    const char *name = source != NULL ? view_source_name(source, view_player_info(scene->player).index) : NULL;

    return !scene->player->opening && (name == NULL || strcmp(name, scene->picture->name) == 0);
}

enum shw_result view_tracking_poll(struct view_tracking *tracking)
{
    const struct view_detecting *detecting = tracking->detecting;

    if (!tracking->on || !view_detecting_is_there(detecting) || !view_detecting_is_current(detecting))
        return SHW_OK;
    if (tracking->picture == tracking->scene->picture && tracking->results == detecting->results) {
        remove_dismissed(tracking);
        return SHW_OK;
    }
    if (!is_of_source(tracking->scene))
        return SHW_OK;
    SHW_PROPAGATE(follow_source(tracking));
    tracking->picture = tracking->scene->picture;
    tracking->results = detecting->results;
    note_cascades(tracking);
    return step(tracking);
}

uint32_t view_tracking_of(const struct view_tracking *tracking, const struct view_detection *detection)
{
    return tracking->on && tracking->picture == tracking->scene->picture && detection->place < tracking->identity_count
               ? tracking->identities[detection->place]
               : SHW_NO_TRACK;
}

void view_tracking_colour(const struct view_tracking *tracking, uint32_t track, uint8_t colour[3])
{
    uint8_t own[3];

    shw_palette_default_colour(track + 1, own);
    view_shown_colour(tracking->scene->colour_blind, own, colour);
}

uint32_t view_tracking_row(const struct view_tracking *tracking, uint32_t row)
{
    for (uint32_t t = 0; t < tracking->tracker.count; t++)
        if (tracking->tracker.tracks[t].count >= tracking->least && row-- == 0)
            return t;
    return SHW_NO_TRACK;
}

uint32_t view_tracking_rows(const struct view_tracking *tracking)
{
    uint32_t rows = 0;

    for (uint32_t t = 0; t < tracking->tracker.count; t++)
        rows += tracking->tracker.tracks[t].count >= tracking->least;
    return rows;
}

/* Actions. */

static enum shw_result switch_on(void *user, const char *argument)
{
    struct view_tracking *tracking = user;

    tracking->scene->redraw = true;
    return view_parse_switch(&tracking->scene->log, argument, &tracking->on);
}

static enum shw_result forget(void *user, const char *argument)
{
    (void)argument;
    clear(user);
    return SHW_OK;
}

static enum shw_result set_least(void *user, const char *argument)
{
    struct view_tracking *tracking = user;
    int64_t number;

    if (!view_parse_number(argument, 1, LEAST_MAX, &number))
        return view_action_refuse(&tracking->scene->log, "a number of pictures from 1", argument);
    tracking->least = (uint32_t)number;
    return SHW_OK;
}

static enum shw_result choose(void *user, const char *argument)
{
    struct view_tracking *tracking = user;
    int64_t number;

    tracking->chosen = SHW_NO_TRACK;
    tracking->scene->redraw = true;
    if (strcmp(argument, "none") == 0)
        return SHW_OK;
    if (!view_parse_number(argument, 1, (int64_t)tracking->tracker.count, &number))
        return view_action_refuse(&tracking->scene->log, "the number of a track, or none", argument);
    tracking->chosen = (uint32_t)number - 1;
    return SHW_OK;
}

static enum shw_result list(void *user, const char *argument)
{
    const struct view_tracking *tracking = user;

    (void)argument;
    for (uint32_t r = 0, t; (t = view_tracking_row(tracking, r)) != SHW_NO_TRACK; r++) {
        const struct shw_track *track = &tracking->tracker.tracks[t];

        printf("track %u: %u pictures, %.3f to %.3f s, %.1f pixels", t + 1, track->count, track->points[0].seconds,
               track->points[track->count - 1].seconds, shw_track_length(track));
        if (tracking->cascade_count > 1)
            printf(", %s", tracking->cascades[track->kind].label);
        printf("\n");
    }
    fflush(stdout);
    return SHW_OK;
}

static enum shw_result write_tracks(const struct view_tracking *tracking, const char *path, const struct shw_log *log)
{
    struct shw_track_kind kinds[VIEW_DETECTORS];
    struct shw_atomic_file file;

    for (uint32_t d = 0; d < tracking->cascade_count; d++)
        kinds[d] = (struct shw_track_kind){tracking->cascades[d].label, tracking->cascades[d].fraction_bits};
    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    shw_tracker_print(file.stream, &tracking->tracker, tracking->least, kinds, tracking->cascade_count);
    return shw_atomic_file_commit(&file, log);
}

static enum shw_result save(void *user, const char *argument)
{
    struct view_tracking *tracking = user;
    const struct shw_log *log = &tracking->scene->log;
    struct shw_output_files files;
    enum shw_result result;

    if (view_tracking_rows(tracking) == 0)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there are no tracks: `track on` follows detections through a video that plays");
    view_outputs_begin(tracking->scene, &files);
    shw_output_files_write(&files, argument, &shw_file_table);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = write_tracks(tracking, argument, log);
    shw_output_files_free(&files);
    if (result == SHW_OK)
        snprintf(tracking->said, sizeof tracking->said, "%u tracks written to %s", view_tracking_rows(tracking),
                 argument);
    return result;
}

static const struct view_action actions[] = {
    {"track", "on|off|toggle", "follow detections through a video: each object keeps its number", switch_on},
    {"track-least", "NUMBER", "list and save tracks of at least so many pictures (3)", set_least},
    {"track-choose", "NUMBER|none", "choose a track, whose way is drawn", choose},
    {"track-clear", NULL, "forget all tracks", forget},
    {"track-list", NULL, "print the tracks", list},
    {"track-save", "FILE", "write the tracks as a CSV file, a line for each picture of each track", save},
    {0}};

static const struct view_key keys[] = {{0}};

const struct view_action_group view_track_group = {"Tracks", actions, keys};
