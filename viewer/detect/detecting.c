#include "detect/detecting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "detect/detect_worker.h"
#include "files/output/detection_text.h"
#include "label/classes.h"
#include "label/scene.h"

/* Prints them to standard output. */
static void view_detections_print(const struct view_found_windows *found)
{
    const uint32_t bits = shw_cascade_get_info(found->cascade->cascade)->fraction_bits;

    printf("detections: %u of %u windows\n", found->groups.count, found->windows.count);
    for (uint32_t g = 0; g < found->groups.count; g++) {
        const struct shw_detection *item = &found->groups.items[g];
        char score[SHW_SCORE_TEXT_SIZE];

        shw_score_text(item->score, bits, score);
        printf("detection %u: %d %d %u %u score %s level %u angle %u neighbours %u\n", g + 1, item->x, item->y,
               item->width, item->height, score, item->level, item->angle, item->neighbours);
    }
    fflush(stdout);
}

static enum shw_result write(const struct view_found_windows *found, const char *path, const struct shw_log *log)
{
    const struct shw_detection_columns columns = {.fraction_bits =
                                                      shw_cascade_get_info(found->cascade->cascade)->fraction_bits};
    const struct shw_detection_place place = {.name = found->picture->name != NULL ? found->picture->name : ""};
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    shw_print_detection_header(file.stream, &columns);
    for (uint32_t g = 0; g < found->groups.count; g++)
        shw_print_detection_row(file.stream, &columns, &place, &found->groups.items[g]);
    return shw_atomic_file_commit(&file, log);
}

/* Writes a CSV file with the columns of `shadewood detect`; `said` becomes the line about it. Errors: ARGUMENT, IO,
 * MEMORY. */
static enum shw_result view_detections_save(const struct view_scene *scene, const struct view_found_windows *found,
                                            const char *path, char *said, size_t size)
{
    struct shw_output_files files;
    enum shw_result result;

    view_outputs_begin(scene, &files);
    shw_output_files_write(&files, path, &shw_file_table);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = write(found, path, &scene->log);
    shw_output_files_free(&files);
    if (result == SHW_OK)
        snprintf(said, size, "%u detections written to %s", found->groups.count, path);
    return result;
}

void view_detecting_init(struct view_scene *scene, struct view_annotating *annotating, struct view_detecting *detecting)
{
    *detecting = (struct view_detecting){.scene = scene,
                                         .annotating = annotating,
                                         .compared = true,
                                         .overlap = (uint32_t)(100.0 * SHW_MATCH_OVERLAP + 0.5),
                                         .colour = {86, 180, 233},
                                         .chosen = VIEW_NO_DETECTION};
}

static void forget_found(struct view_detecting *detecting)
{
    for (uint32_t r = 0; r < VIEW_DETECT_RECENT; r++)
        view_found_windows_free(&detecting->recent[r]);
    detecting->count++;
}

void view_detecting_destroy(struct view_detecting *detecting)
{
    view_detect_worker_destroy(&detecting->worker);
    forget_found(detecting);
    view_picture_free(detecting->held);
    view_picture_free(detecting->ready);
    view_shared_cascade_release(&detecting->cascade);
    free(detecting->matches.list);
    free(detecting->matches.found);
    free(detecting->save_path);
    *detecting = (struct view_detecting){0};
}

const struct shw_cascade_info *view_detecting_info(const struct view_detecting *detecting)
{
    return shw_cascade_get_info(detecting->cascade->cascade);
}

void view_detecting_reset_score(struct view_detecting *detecting)
{
    const struct shw_cascade_info *info = detecting->cascade != NULL ? view_detecting_info(detecting) : NULL;

    detecting->settings.group.has_min_score = info != NULL && info->has_min_score;
    detecting->settings.group.min_score = info != NULL ? info->min_score : 0;
}

/* The usual scan and grouping; whatever searches stays. */
static void reset_settings(struct view_detecting *detecting)
{
    detecting->settings = (struct view_detect_settings){.technique = detecting->settings.technique};
    view_detecting_reset_score(detecting);
}

/* What has been asked for goes with the cascade. */
static void forget_requests(struct view_detecting *detecting)
{
    if (detecting->save_path != NULL)
        shw_log_message(&detecting->scene->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE,
                        "%s has not been written: the cascade was closed before its detections were there",
                        detecting->save_path);
    free(detecting->save_path);
    detecting->save_path = NULL;
    detecting->list_wanted = detecting->accept.wanted = false;
}

/* Takes over the cascade; NULL: none. */
static void change_cascade(struct view_detecting *detecting, struct view_shared_cascade *cascade)
{
    view_detect_worker_cancel(detecting->worker);
    view_shared_cascade_release(&detecting->cascade);
    detecting->cascade = cascade;
    detecting->scene->outputs.cascade = cascade != NULL && cascade->path[0] != '\0' ? cascade->path : NULL;
    reset_settings(detecting);
    forget_found(detecting);
    forget_requests(detecting);
    detecting->on = detecting->wants_panel = cascade != NULL;
    detecting->failed = false;
    detecting->scene->redraw = true;
}

enum shw_result view_detecting_open(struct view_detecting *detecting, const char *path)
{
    struct view_shared_cascade *cascade = NULL;

    if (path != NULL)
        SHW_PROPAGATE(view_shared_cascade_load(path, &detecting->scene->log, &cascade));
    change_cascade(detecting, cascade);
    return SHW_OK;
}

enum shw_result view_detecting_use(struct view_detecting *detecting, struct shw_cascade *cascade)
{
    struct view_shared_cascade *shared = NULL;

    SHW_PROPAGATE(view_shared_cascade_make(cascade, &detecting->scene->log, &shared));
    change_cascade(detecting, shared);
    return SHW_OK;
}

enum shw_result view_detecting_name(struct view_detecting *detecting, const char *path)
{
    SHW_PROPAGATE(view_shared_cascade_name(detecting->cascade, path, &detecting->scene->log));
    detecting->scene->outputs.cascade = detecting->cascade->path;
    return SHW_OK;
}

static bool is_wanted(const struct view_detecting *detecting)
{
    return (detecting->on || view_detecting_is_awaited(detecting)) && detecting->cascade != NULL;
}

static const struct view_found_windows *found_in(const struct view_detecting *detecting,
                                                 const struct view_picture *picture)
{
    for (uint32_t r = 0; r < VIEW_DETECT_RECENT && picture != NULL; r++)
        if (detecting->recent[r].picture == picture)
            return &detecting->recent[r];
    return NULL;
}

const struct view_found_windows *view_detecting_found(const struct view_detecting *detecting)
{
    return is_wanted(detecting) ? found_in(detecting, detecting->scene->picture) : NULL;
}

bool view_detecting_is_awaited(const struct view_detecting *detecting)
{
    return detecting->list_wanted || detecting->save_path != NULL || detecting->accept.wanted;
}

static bool is_current(const struct view_detecting *detecting)
{
    const struct view_found_windows *found = found_in(detecting, detecting->scene->picture);

    return found != NULL && found->cascade == detecting->cascade &&
           view_detect_same_scan(&found->settings, &detecting->settings) &&
           view_detect_same_groups(&found->settings, &detecting->settings);
}

bool view_detecting_is_current(const struct view_detecting *detecting)
{
    return !is_wanted(detecting) || detecting->scene->picture == NULL || detecting->failed || is_current(detecting);
}

bool view_detecting_is_busy(const struct view_detecting *detecting)
{
    return detecting->running || detecting->held != NULL || detecting->ready != NULL ||
           !view_detecting_is_current(detecting);
}

static bool plays(const struct view_detecting *detecting)
{
    return view_player_info(detecting->scene->player).playing;
}

bool view_detecting_hold(struct view_detecting *detecting, struct view_picture *picture)
{
    if (!is_wanted(detecting) || detecting->complete || detecting->scene->picture == NULL || !plays(detecting))
        return false;
    view_picture_free(detecting->held);
    detecting->held = picture;
    detecting->stays = detecting->scene->stays;
    return true;
}

void view_detecting_drop_held(struct view_detecting *detecting)
{
    view_picture_free(detecting->held);
    view_picture_free(detecting->ready);
    detecting->held = detecting->ready = NULL;
    detecting->under_way_held = false;
}

/* Begins with a picture; only groups again where its windows are known. */
static enum shw_result begin(struct view_detecting *detecting, struct view_picture *picture)
{
    const struct view_labelling_params *labelling = &detecting->scene->labelling.params;
    const struct view_found_windows *known = found_in(detecting, picture);
    struct view_found_windows job = {0};
    bool scans = known == NULL || known->cascade != detecting->cascade ||
                 !view_detect_same_scan(&known->settings, &detecting->settings);

    if (detecting->worker == NULL)
        SHW_PROPAGATE(view_detect_worker_create(labelling->device,
                                                labelling->gpu->properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
                                                &detecting->scene->log, &detecting->worker));
    if (!scans && !view_found_windows_copy(known, &job))
        return shw_fail_memory(&detecting->scene->log, "detections");
    if (scans)
        job = (struct view_found_windows){.picture = view_picture_share(picture),
                                          .cascade = view_shared_cascade_share(detecting->cascade)};
    job.settings = detecting->begun = detecting->settings;
    detecting->begun_picture = picture;
    detecting->begun_cascade = detecting->cascade;
    SHW_PROPAGATE(view_detect_worker_begin(detecting->worker, &job, scans));
    detecting->running = true;
    return SHW_OK;
}

/* Puts a result before the others, of which the oldest goes. */
static void keep(struct view_detecting *detecting, const struct view_found_windows *found)
{
    uint32_t place = 0;

    while (place < VIEW_DETECT_RECENT - 1 && detecting->recent[place].picture != found->picture)
        place++;
    view_found_windows_free(&detecting->recent[place]);
    memmove(detecting->recent + 1, detecting->recent, place * sizeof *detecting->recent);
    detecting->recent[0] = *found;
    detecting->count++;
    detecting->scene->redraw = true;
}

static enum shw_result take(struct view_detecting *detecting)
{
    const bool held = detecting->under_way_held && detecting->stays == detecting->scene->stays;
    struct view_found_windows found;
    enum shw_result result = view_detect_worker_take(detecting->worker, &found);

    detecting->running = detecting->under_way_held = false;
    detecting->failed = result != SHW_OK && result != SHW_ERROR_CANCELLED;
    if (result != SHW_OK)
        return detecting->failed ? result : SHW_OK;
    if (held && found.cascade == detecting->cascade) {
        view_picture_free(detecting->ready);
        detecting->ready = view_picture_share(found.picture);
    }
    keep(detecting, &found);
    return SHW_OK;
}

/* Whether a failure with the same picture, cascade and settings would come again. */
static bool has_failed(struct view_detecting *detecting)
{
    detecting->failed = detecting->failed && detecting->begun_picture == detecting->scene->picture &&
                        detecting->begun_cascade == detecting->cascade &&
                        view_detect_same_scan(&detecting->begun, &detecting->settings) &&
                        view_detect_same_groups(&detecting->begun, &detecting->settings);
    return detecting->failed;
}

static enum shw_result begin_next(struct view_detecting *detecting)
{
    struct view_picture *held = detecting->held;
    enum shw_result result;

    if (detecting->running || !is_wanted(detecting) || detecting->ready != NULL)
        return SHW_OK;
    if (held != NULL) {
        detecting->held = NULL;
        detecting->under_way_held = true;
        result = begin(detecting, held);
        view_picture_free(held);
        return result;
    }
    return detecting->scene->picture == NULL || is_current(detecting) || has_failed(detecting)
               ? SHW_OK
               : begin(detecting, detecting->scene->picture);
}

/* Memory for one match of each group, and for whether each rectangle is found. */
static bool reserve(struct view_detecting *detecting, uint32_t groups, uint32_t boxes)
{
    free(detecting->matches.list);
    free(detecting->matches.found);
    detecting->matches.list = calloc(groups + (size_t)1, sizeof *detecting->matches.list);
    detecting->matches.found = calloc(boxes + (size_t)1, sizeof *detecting->matches.found);
    return detecting->matches.list != NULL && detecting->matches.found != NULL;
}

static bool match(struct view_detecting *detecting, const struct shw_detections *groups, const struct view_box *boxes,
                  uint32_t count)
{
    struct shw_true_object *objects = calloc(count + (size_t)1, sizeof *objects);
    bool fine = objects != NULL && reserve(detecting, groups->count, count);
    uint32_t real = 0;

    for (uint32_t b = 0; fine && b < count; b++)
        if (!view_box_is_false_alarm(&detecting->annotating->work.boxes, &boxes[b])) { /* others have no pixel */
            objects[b] = (struct shw_true_object){boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height, false};
            real++;
        }
    fine = fine && shw_detections_match(groups->items, groups->count, objects, count, detecting->overlap / 100.0,
                                        &detecting->scene->log, detecting->matches.list) == SHW_OK;
    free(objects);
    detecting->matches.right = detecting->matches.wrong = 0;
    for (uint32_t g = 0; fine && g < groups->count; g++) {
        const uint32_t object = detecting->matches.list[g].object;

        detecting->matches.right += object != SHW_MATCH_NONE;
        detecting->matches.wrong += object == SHW_MATCH_NONE;
        if (object != SHW_MATCH_NONE)
            detecting->matches.found[object] = true;
    }
    detecting->matches.boxes = count;
    detecting->matches.missed = real - detecting->matches.right;
    return fine;
}

bool view_detecting_compare(struct view_detecting *detecting)
{
    const struct view_found_windows *found = view_detecting_found(detecting);
    const uint64_t state = view_boxes_state(&detecting->annotating->work.boxes);
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    if (!detecting->compared || found == NULL || boxes == NULL)
        return false;
    if (detecting->matches.list != NULL && detecting->matches.count == detecting->count &&
        detecting->matches.picture == found->picture && detecting->matches.state == state &&
        detecting->matches.overlap == detecting->overlap && detecting->matches.boxes == count)
        return true;
    detecting->matches.count = detecting->count;
    detecting->matches.picture = found->picture;
    detecting->matches.state = state;
    detecting->matches.overlap = detecting->overlap;
    return match(detecting, &found->groups, boxes, count);
}

uint32_t view_detecting_at(const struct view_detecting *detecting, double x, double y)
{
    const struct view_found_windows *found = view_detecting_found(detecting);
    uint32_t best = VIEW_NO_DETECTION;
    uint64_t smallest = UINT64_MAX;

    for (uint32_t g = 0; found != NULL && g < found->groups.count; g++) {
        const struct shw_detection *item = &found->groups.items[g];
        const uint64_t area = (uint64_t)item->width * item->height;

        if (x >= item->x && y >= item->y && x < item->x + (double)item->width && y < item->y + (double)item->height &&
            area < smallest) {
            smallest = area;
            best = g;
        }
    }
    return best;
}

/* Whether a rectangle is where the detection is: `wrong`: a false alarm, otherwise an object. */
static bool has_box(const struct view_detecting *detecting, const struct shw_detection *item, bool wrong)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    for (uint32_t b = 0; b < count; b++) {
        const struct shw_true_object object = {boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height, false};

        if (view_box_is_false_alarm(&detecting->annotating->work.boxes, &boxes[b]) == wrong &&
            shw_detection_overlap(item, &object) >= detecting->overlap / 100.0)
            return true;
    }
    return false;
}

bool view_detecting_is_dismissed(const struct view_detecting *detecting, const struct shw_detection *group)
{
    return has_box(detecting, group, true);
}

/* The part of a detection in the picture. */
static struct view_box box_of(const struct view_detecting *detecting, const struct shw_detection *item, uint32_t label)
{
    const struct shw_image *image = &detecting->scene->picture->image;
    const int64_t left = item->x > 0 ? item->x : 0, top = item->y > 0 ? item->y : 0;
    int64_t right = item->x + (int64_t)item->width, bottom = item->y + (int64_t)item->height;

    right = right < image->width ? right : image->width;
    bottom = bottom < image->height ? bottom : image->height;
    return (struct view_box){(int32_t)left, (int32_t)top, (uint32_t)(right - left), (uint32_t)(bottom - top), label};
}

/* Adds detections to the ground truth, but not those that a rectangle overlaps already. */
static enum shw_result accept(struct view_detecting *detecting, const struct view_found_windows *found)
{
    const struct shw_log *log = &detecting->scene->log;
    const bool all = !detecting->accept.at && detecting->accept.number == VIEW_NO_DETECTION;
    const uint32_t number = detecting->accept.at
                                ? view_detecting_at(detecting, detecting->accept.x, detecting->accept.y)
                                : detecting->accept.number;
    struct view_box *boxes;
    uint32_t count = 0, label;
    enum shw_result result;

    if (!all && detecting->accept.at && number == VIEW_NO_DETECTION)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no detection at %.0f, %.0f",
                        detecting->accept.x, detecting->accept.y);
    if (!all && number >= found->groups.count)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no detection %u in this picture: it has %u", number + 1, found->groups.count);
    boxes = calloc(found->groups.count + (size_t)1, sizeof *boxes);
    if (boxes == NULL)
        return shw_fail_memory(log, "rectangles");
    view_annotating_poll(detecting->annotating);
    label = view_boxes_label(&detecting->annotating->work.boxes,
                             detecting->accept.label != NULL ? detecting->accept.label
                                                             : shw_cascade_get_info(found->cascade->cascade)->name);
    for (uint32_t g = 0; g < found->groups.count; g++)
        if ((all || g == number) && !has_box(detecting, &found->groups.items[g], false) &&
            !has_box(detecting, &found->groups.items[g], true))
            boxes[count++] = box_of(detecting, &found->groups.items[g], label);
    result = count > 0 ? view_annotating_add(detecting->annotating, boxes, count) : SHW_OK;
    free(boxes);
    return result;
}

/* Prints what was found, and how it agrees with ground truth. */
static void print(struct view_detecting *detecting, const struct view_found_windows *found)
{
    view_detections_print(found);
    view_annotating_poll(detecting->annotating);
    if (view_detecting_compare(detecting))
        printf("found %u, false %u, missed %u\n", detecting->matches.right, detecting->matches.wrong,
               detecting->matches.missed);
    fflush(stdout);
}

/* What scripts and the panel asked for is done once everything is there. A failure ends it. */
static enum shw_result serve(struct view_detecting *detecting)
{
    const struct view_found_windows *found = found_in(detecting, detecting->scene->picture);
    const bool lists = detecting->list_wanted, accepts = detecting->accept.wanted;
    char *path = detecting->save_path;
    enum shw_result result = SHW_OK;

    if (!view_detecting_is_awaited(detecting) || (!is_current(detecting) && !detecting->failed))
        return SHW_OK;
    if (lists && found != NULL && !detecting->failed)
        print(detecting, found);
    detecting->save_path = NULL;
    detecting->list_wanted = detecting->accept.wanted = false;
    if (accepts && found != NULL && !detecting->failed)
        result = accept(detecting, found);
    if (result == SHW_OK && path != NULL && found != NULL && !detecting->failed)
        result = view_detections_save(detecting->scene, found, path, detecting->said, sizeof detecting->said);
    free(path);
    return result;
}

/* Those that were held back are not shown after the shown one was to stay, nor without detection. */
static void drop_late(struct view_detecting *detecting)
{
    if (detecting->stays != detecting->scene->stays)
        view_detecting_drop_held(detecting);
    detecting->stays = detecting->scene->stays;
}

static enum shw_result advance(struct view_detecting *detecting, bool waits)
{
    if (detecting->running && view_detect_worker_done(detecting->worker, waits))
        SHW_PROPAGATE(take(detecting));
    SHW_PROPAGATE(begin_next(detecting));
    return serve(detecting);
}

enum shw_result view_detecting_poll(struct view_detecting *detecting, struct view_picture **picture)
{
    enum shw_result result;

    drop_late(detecting);
    result = advance(detecting, false);
    *picture = detecting->ready;
    detecting->ready = NULL;
    if (*picture == NULL && !is_wanted(detecting)) {
        *picture = detecting->held;
        detecting->held = NULL;
    }
    return result;
}

enum shw_result view_detecting_finish(struct view_detecting *detecting)
{
    SHW_PROPAGATE(advance(detecting, true));
    while (detecting->running)
        SHW_PROPAGATE(advance(detecting, true));
    return SHW_OK;
}

/* How detections look over the picture. */

#define WINDOWS_MAX 4000u /* that are drawn */

/* Colour-blind people can distinguish them, too (Okabe and Ito). */
const uint8_t view_detect_right[3] = {0, 180, 120}, view_detect_wrong[3] = {230, 80, 20},
              view_detect_missed[3] = {240, 228, 66};

const struct view_found_windows *view_detecting_drawn(const struct view_detecting *detecting)
{
    return detecting->on && !detecting->scene->instead.on ? view_detecting_found(detecting) : NULL;
}

uint32_t view_detecting_chosen(const struct view_detecting *detecting, const struct view_found_windows *found)
{
    return detecting->chosen_picture == found->picture && detecting->chosen < found->groups.count ? detecting->chosen
                                                                                                  : VIEW_NO_DETECTION;
}

void view_detecting_colour(const struct view_detecting *detecting, bool compared, uint32_t group, uint8_t colour[3])
{
    const uint8_t *own = !compared                                                 ? detecting->colour
                         : detecting->matches.list[group].object != SHW_MATCH_NONE ? view_detect_right
                                                                                   : view_detect_wrong;

    view_shown_colour(detecting->scene->colour_blind && !compared, own, colour);
}

static void draw_windows(const struct view_found_windows *found, struct view_borders *borders)
{
    static const uint8_t grey[3] = {190, 190, 190};
    const uint32_t count = found->windows.count < WINDOWS_MAX ? found->windows.count : WINDOWS_MAX;

    for (uint32_t w = 0; w < count; w++) {
        const struct shw_detection *item = &found->windows.items[w];

        view_borders_add(borders, item->x, item->y, item->width, item->height, grey, 1);
    }
}

/* Rectangles that nothing has found, around what is drawn of them as ground truth. */
static void draw_missed(const struct view_detecting *detecting, struct view_borders *borders)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    for (uint32_t b = 0; b < count && b < detecting->matches.boxes; b++)
        if (!detecting->matches.found[b] && !view_box_is_false_alarm(&detecting->annotating->work.boxes, &boxes[b]))
            view_borders_add(borders, boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height, view_detect_missed, 4);
}

void view_detecting_draw(struct view_detecting *detecting, struct view_borders *borders)
{
    const struct view_found_windows *found = view_detecting_drawn(detecting);
    bool compared;

    if (found == NULL)
        return;
    compared = view_detecting_compare(detecting);
    if (detecting->windows)
        draw_windows(found, borders);
    if (compared)
        draw_missed(detecting, borders);
    for (uint32_t g = 0; g < found->groups.count; g++) {
        const struct shw_detection *item = &found->groups.items[g];
        uint8_t colour[3];

        if (view_detecting_is_dismissed(detecting, item))
            continue;
        view_detecting_colour(detecting, compared, g, colour);
        view_borders_add(borders, item->x, item->y, item->width, item->height, colour,
                         g == view_detecting_chosen(detecting, found) ? 4 : 2);
    }
}
