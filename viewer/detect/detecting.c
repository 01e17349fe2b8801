#include "detect/detecting.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/log.h"
#include "files/output/detection_text.h"
#include "label/classes.h"

void view_detecting_init(struct view_scene *scene, struct view_annotating *annotating, struct view_detecting *detecting)
{
    *detecting = (struct view_detecting){.scene = scene,
                                         .annotating = annotating,
                                         .compared = true,
                                         .overlap = (uint32_t)(100.0 * SHW_MATCH_OVERLAP + 0.5),
                                         .count = 1,
                                         .chosen = VIEW_NO_DETECTION};
    view_detector_init(0, &detecting->list[0]);
}

void view_detecting_destroy(struct view_detecting *detecting)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        view_detector_destroy(&detecting->list[d]);
    view_picture_free(detecting->searched);
    view_picture_free(detecting->held);
    view_picture_free(detecting->ready);
    free(detecting->matches.list);
    free(detecting->matches.found);
    free(detecting->save_path);
    *detecting = (struct view_detecting){0};
}

struct view_detector *view_detecting_hand(struct view_detecting *detecting)
{
    return &detecting->list[detecting->hand];
}

/* What has been asked for goes with the cascades. */
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

void view_detecting_list_files(const struct view_detecting *detecting, const struct view_detector *written)
{
    for (uint32_t d = 0; d < VIEW_DETECTORS; d++) {
        const struct view_shared_cascade *cascade = d < detecting->count ? detecting->list[d].cascade : NULL;
        const bool is_read = cascade != NULL && cascade->path[0] != '\0' && &detecting->list[d] != written;

        detecting->scene->outputs.cascades[d] = is_read ? cascade->path : NULL;
    }
}

/* After a cascade was opened, which is used at once, or closed. */
static void follow_change(struct view_detecting *detecting, bool opened)
{
    view_detecting_list_files(detecting, NULL);
    forget_requests(detecting);
    detecting->on = opened || (detecting->on && detecting->list[0].cascade != NULL);
    detecting->wants_panel = opened;
    detecting->set++;
    detecting->results++;
    detecting->chosen = VIEW_NO_DETECTION;
    detecting->scene->redraw = true;
}

/* The one in hand; a single one remains, without a cascade. */
static void close_detector(struct view_detecting *detecting)
{
    const uint32_t d = detecting->hand;

    if (detecting->count == 1) {
        view_detector_change(&detecting->list[0], NULL);
    } else {
        view_detector_destroy(&detecting->list[d]);
        detecting->count--;
        memmove(&detecting->list[d], &detecting->list[d + 1], (detecting->count - d) * sizeof *detecting->list);
        detecting->hand = d < detecting->count ? d : detecting->count - 1;
    }
    follow_change(detecting, false);
}

/* Room for one more, which becomes the one in hand; false: there is none. */
static bool add_detector(struct view_detecting *detecting)
{
    const struct view_detector *before = view_detecting_hand(detecting);

    if (detecting->count == 1 && before->cascade == NULL)
        return true;
    if (detecting->count + (detecting->keeps_place ? 1u : 0u) >= VIEW_DETECTORS)
        return false;
    view_detector_init(detecting->count, &detecting->list[detecting->count]);
    detecting->list[detecting->count].settings.technique = before->settings.technique;
    detecting->hand = detecting->count++;
    return true;
}

enum shw_result view_detecting_open(struct view_detecting *detecting, const char *path)
{
    struct view_shared_cascade *cascade = NULL;

    if (path == NULL) {
        close_detector(detecting);
        return SHW_OK;
    }
    SHW_PROPAGATE(view_shared_cascade_load(path, &detecting->scene->log, &cascade));
    view_detector_change(view_detecting_hand(detecting), cascade);
    follow_change(detecting, true);
    return SHW_OK;
}

enum shw_result view_detecting_add(struct view_detecting *detecting, const char *path)
{
    struct view_shared_cascade *cascade = NULL;

    SHW_PROPAGATE(view_shared_cascade_load(path, &detecting->scene->log, &cascade));
    if (!add_detector(detecting)) {
        view_shared_cascade_release(&cascade);
        return shw_fail(&detecting->scene->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%u cascades are open%s, and no more can be: `detect-open none` closes one", detecting->count,
                        detecting->keeps_place ? " and one is being trained" : "");
    }
    view_detector_change(view_detecting_hand(detecting), cascade);
    follow_change(detecting, true);
    return SHW_OK;
}

/* The first cascade that finds the class, or the number of them. */
static uint32_t find_label(const struct view_detecting *detecting, const char *label)
{
    uint32_t d = 0;

    while (d < detecting->count && strcmp(detecting->list[d].label, label) != 0)
        d++;
    return d;
}

bool view_detecting_keep_place(struct view_detecting *detecting, const char *label)
{
    const bool is_new = label != NULL && find_label(detecting, label) == detecting->count;

    detecting->keeps_place = is_new && detecting->count < VIEW_DETECTORS;
    return !is_new || detecting->keeps_place;
}

enum shw_result view_detecting_use(struct view_detecting *detecting, struct shw_cascade *cascade)
{
    const uint32_t d = find_label(detecting, shw_cascade_get_info(cascade)->name);
    struct view_shared_cascade *shared = NULL;

    SHW_PROPAGATE(view_shared_cascade_make(cascade, &detecting->scene->log, &shared));
    detecting->keeps_place = false;
    if (d < detecting->count)
        detecting->hand = d;
    else
        add_detector(detecting);
    view_detector_change(view_detecting_hand(detecting), shared);
    follow_change(detecting, true);
    return SHW_OK;
}

enum shw_result view_detecting_name(struct view_detecting *detecting, struct view_detector *detector, const char *path)
{
    SHW_PROPAGATE(view_shared_cascade_name(detector->cascade, path, &detecting->scene->log));
    view_detecting_list_files(detecting, NULL);
    return SHW_OK;
}

static bool is_wanted(const struct view_detecting *detecting, uint32_t d)
{
    return (detecting->on || view_detecting_is_awaited(detecting)) && detecting->list[d].on &&
           detecting->list[d].cascade != NULL;
}

static bool is_any_wanted(const struct view_detecting *detecting)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        if (is_wanted(detecting, d))
            return true;
    return false;
}

const struct view_found_windows *view_detecting_found(const struct view_detecting *detecting, uint32_t detector)
{
    return is_wanted(detecting, detector) ? view_detector_found(&detecting->list[detector], detecting->scene->picture)
                                          : NULL;
}

bool view_detecting_is_there(const struct view_detecting *detecting)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        if (view_detecting_found(detecting, d) != NULL)
            return true;
    return false;
}

static bool overlaps(const struct view_detecting *detecting, const struct shw_detection *item,
                     const struct view_box *box)
{
    const struct shw_true_object object = {box->x, box->y, box->width, box->height, false};

    return shw_detection_overlap(item, &object) >= detecting->overlap / 100.0;
}

bool view_detecting_is_dismissed(const struct view_detecting *detecting, const struct shw_detection *group)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    for (uint32_t b = 0; b < count; b++)
        if (view_box_is_false_alarm(&detecting->annotating->work.boxes, &boxes[b]) &&
            overlaps(detecting, group, &boxes[b]))
            return true;
    return false;
}

bool view_detecting_next(const struct view_detecting *detecting, struct view_detection *item)
{
    const bool begins = item->item == NULL;
    const uint32_t number = begins ? 0 : item->number + 1;
    uint32_t place = begins ? 0 : item->place + 1, group = begins ? 0 : item->group + 1;

    for (uint32_t d = item->detector; d < detecting->count; d++, group = 0) {
        const struct view_found_windows *found = view_detecting_found(detecting, d);

        for (; found != NULL && group < found->groups.count; group++, place++)
            if (!view_detecting_is_dismissed(detecting, &found->groups.items[group])) {
                *item = (struct view_detection){number, place, d, group, found, &found->groups.items[group]};
                return true;
            }
    }
    return false;
}

bool view_detecting_item(const struct view_detecting *detecting, uint32_t number, struct view_detection *item)
{
    *item = (struct view_detection){0};
    while (view_detecting_next(detecting, item))
        if (item->number == number)
            return true;
    return false;
}

uint32_t view_detecting_count_of(const struct view_detecting *detecting, uint32_t detector)
{
    const struct view_found_windows *found = view_detecting_found(detecting, detector);
    uint32_t count = 0;

    for (uint32_t g = 0; found != NULL && g < found->groups.count; g++)
        count += !view_detecting_is_dismissed(detecting, &found->groups.items[g]);
    return count;
}

uint32_t view_detecting_count(const struct view_detecting *detecting)
{
    uint32_t count = 0;

    for (uint32_t d = 0; d < detecting->count; d++)
        count += view_detecting_count_of(detecting, d);
    return count;
}

bool view_detecting_is_awaited(const struct view_detecting *detecting)
{
    return detecting->list_wanted || detecting->save_path != NULL || detecting->accept.wanted;
}

/* Whether a picture has the detections of all cascades that are wanted, as far as they do not fail. */
static bool is_searched(const struct view_detecting *detecting, const struct view_picture *picture)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        if (is_wanted(detecting, d) && !detecting->list[d].failed &&
            !view_detector_is_current(&detecting->list[d], picture))
            return false;
    return true;
}

bool view_detecting_is_current(const struct view_detecting *detecting)
{
    return detecting->scene->picture == NULL || is_searched(detecting, detecting->scene->picture);
}

static bool is_running(const struct view_detecting *detecting)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        if (detecting->list[d].running)
            return true;
    return false;
}

bool view_detecting_is_busy(const struct view_detecting *detecting)
{
    return is_running(detecting) || detecting->held != NULL || detecting->searched != NULL ||
           detecting->ready != NULL || !view_detecting_is_current(detecting);
}

static bool plays(const struct view_detecting *detecting)
{
    return view_player_info(detecting->scene->player).playing;
}

bool view_detecting_hold(struct view_detecting *detecting, struct view_picture *picture)
{
    if (!is_any_wanted(detecting) || detecting->complete || detecting->scene->picture == NULL || !plays(detecting))
        return false;
    view_picture_free(detecting->held);
    detecting->held = picture;
    detecting->stays = detecting->scene->stays;
    return true;
}

void view_detecting_drop_held(struct view_detecting *detecting)
{
    view_picture_free(detecting->searched);
    view_picture_free(detecting->held);
    view_picture_free(detecting->ready);
    detecting->searched = detecting->held = detecting->ready = NULL;
}

static enum shw_result take(struct view_detecting *detecting, bool waits)
{
    enum shw_result result = SHW_OK;

    for (uint32_t d = 0; d < detecting->count && result == SHW_OK; d++) {
        bool taken;

        result = view_detector_take(&detecting->list[d], waits, &taken);
        if (taken) {
            detecting->results++;
            detecting->scene->redraw = true;
        }
    }
    return result;
}

/* All cascades that are wanted begin with the picture that waits, or else with the shown one. */
static enum shw_result begin_next(struct view_detecting *detecting)
{
    struct view_picture *picture = detecting->scene->picture;

    if (detecting->searched != NULL && !is_running(detecting) && is_searched(detecting, detecting->searched)) {
        view_picture_free(detecting->ready);
        detecting->ready = detecting->searched;
        detecting->searched = NULL;
    }
    if (detecting->ready != NULL)
        return SHW_OK;
    if (detecting->searched == NULL && detecting->held != NULL && is_any_wanted(detecting) && !is_running(detecting)) {
        detecting->searched = detecting->held;
        detecting->held = NULL;
    }
    picture = detecting->searched != NULL ? detecting->searched : picture;
    for (uint32_t d = 0; d < detecting->count && picture != NULL; d++) {
        struct view_detector *detector = &detecting->list[d];

        if (!detector->running && is_wanted(detecting, d) && !view_detector_is_current(detector, picture) &&
            !view_detector_has_failed(detector, picture))
            SHW_PROPAGATE(view_detector_begin(detector, detecting->scene, picture));
    }
    return SHW_OK;
}

/* Whether a rectangle is one of what a cascade finds. False alarms are of none. */
static bool is_of(const struct view_detecting *detecting, const struct view_box *box, uint32_t detector)
{
    const struct view_boxes *boxes = &detecting->annotating->work.boxes;
    const char *label = view_boxes_label_name(boxes, box->label);

    if (view_box_is_false_alarm(boxes, box))
        return false;
    if (strcmp(detecting->list[detector].label, label) == 0)
        return true;
    for (uint32_t d = 0; d < detecting->count; d++)
        if (view_detecting_found(detecting, d) != NULL && strcmp(detecting->list[d].label, label) == 0)
            return false;
    return true;
}

/* Memory for one match of each detection, and for whether each rectangle is found. */
static bool reserve(struct view_detecting *detecting, uint32_t detections, uint32_t boxes)
{
    free(detecting->matches.list);
    free(detecting->matches.found);
    detecting->matches.list = calloc(detections + (size_t)1, sizeof *detecting->matches.list);
    detecting->matches.found = calloc(boxes + (size_t)1, sizeof *detecting->matches.found);
    return detecting->matches.list != NULL && detecting->matches.found != NULL;
}

/* Compares the detections of a cascade, `items`, with the rectangles of it; the matches begin at `first`. `objects` is
 * memory. */
static bool match_one(struct view_detecting *detecting, uint32_t detector, uint32_t first,
                      const struct shw_detection *items, uint32_t item_count, const struct view_box *boxes,
                      uint32_t count, struct shw_true_object *objects)
{
    uint32_t right = 0, real = 0;

    for (uint32_t b = 0; b < count; b++) {
        objects[b] = (struct shw_true_object){0}; /* others have no pixel */
        if (is_of(detecting, &boxes[b], detector)) {
            objects[b] = (struct shw_true_object){boxes[b].x, boxes[b].y, boxes[b].width, boxes[b].height, false};
            real++;
        }
    }
    if (shw_detections_match(items, item_count, objects, count, detecting->overlap / 100.0, &detecting->scene->log,
                             detecting->matches.list + first) != SHW_OK)
        return false;
    for (uint32_t i = 0; i < item_count; i++) {
        const uint32_t object = detecting->matches.list[first + i].object;

        right += object != SHW_MATCH_NONE;
        if (object != SHW_MATCH_NONE)
            detecting->matches.found[object] = true;
    }
    detecting->matches.counts[detector].right = right;
    detecting->matches.counts[detector].wrong = item_count - right;
    detecting->matches.counts[detector].missed = real - right;
    return true;
}

static bool match(struct view_detecting *detecting, const struct view_box *boxes, uint32_t count)
{
    const uint32_t there = view_detecting_count(detecting);
    struct shw_true_object *objects = calloc(count + (size_t)1, sizeof *objects);
    struct shw_detection *items = calloc(there + (size_t)1, sizeof *items);
    bool fine = objects != NULL && items != NULL && reserve(detecting, there, count);
    uint32_t first = 0;

    for (struct view_detection next = {0}; fine && view_detecting_next(detecting, &next);)
        items[next.number] = *next.item;
    for (uint32_t d = 0; d < detecting->count && fine; d++) {
        const uint32_t own = view_detecting_count_of(detecting, d);

        fine = view_detecting_found(detecting, d) == NULL ||
               match_one(detecting, d, first, items + first, own, boxes, count, objects);
        first += own;
    }
    free(items);
    free(objects);
    detecting->matches.boxes = count;
    return fine;
}

bool view_detecting_compare(struct view_detecting *detecting)
{
    const struct view_picture *picture = detecting->scene->picture;
    const uint64_t state = view_boxes_state(&detecting->annotating->work.boxes);
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    if (!detecting->compared || !view_detecting_is_there(detecting) || boxes == NULL)
        return false;
    if (detecting->matches.list != NULL && detecting->matches.results == detecting->results &&
        detecting->matches.picture == picture && detecting->matches.state == state &&
        detecting->matches.overlap == detecting->overlap && detecting->matches.boxes == count)
        return true;
    detecting->matches.results = detecting->results;
    detecting->matches.picture = picture;
    detecting->matches.state = state;
    detecting->matches.overlap = detecting->overlap;
    return match(detecting, boxes, count);
}

uint32_t view_detecting_at(const struct view_detecting *detecting, double x, double y)
{
    struct view_detection detection = {0};
    uint32_t best = VIEW_NO_DETECTION;
    uint64_t smallest = UINT64_MAX;

    while (view_detecting_next(detecting, &detection)) {
        const struct shw_detection *item = detection.item;
        const uint64_t area = (uint64_t)item->width * item->height;

        if (x >= item->x && y >= item->y && x < item->x + (double)item->width && y < item->y + (double)item->height &&
            area < smallest) {
            smallest = area;
            best = detection.number;
        }
    }
    return best;
}

/* Whether a rectangle of what the cascade finds is where the detection is. */
static bool is_known(const struct view_detecting *detecting, const struct view_detection *detection)
{
    uint32_t count;
    const struct view_box *boxes = view_annotating_boxes(detecting->annotating, &count);

    for (uint32_t b = 0; b < count; b++)
        if (is_of(detecting, &boxes[b], detection->detector) && overlaps(detecting, detection->item, &boxes[b]))
            return true;
    return false;
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
static enum shw_result accept(struct view_detecting *detecting)
{
    const struct shw_log *log = &detecting->scene->log;
    const bool all = !detecting->accept.at && detecting->accept.number == VIEW_NO_DETECTION;
    const uint32_t number = detecting->accept.at
                                ? view_detecting_at(detecting, detecting->accept.x, detecting->accept.y)
                                : detecting->accept.number;
    struct view_detection detection = {0};
    struct view_box *boxes;
    uint32_t count = 0, there = view_detecting_count(detecting);
    enum shw_result result;

    if (!all && detecting->accept.at && number == VIEW_NO_DETECTION)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no detection at %.0f, %.0f",
                        detecting->accept.x, detecting->accept.y);
    if (!all && number >= there)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there is no detection %u in this picture: it has %u", number + 1, there);
    boxes = calloc(there + (size_t)1, sizeof *boxes);
    if (boxes == NULL)
        return shw_fail_memory(log, "rectangles");
    while (view_detecting_next(detecting, &detection)) {
        const char *label =
            detecting->accept.label != NULL ? detecting->accept.label : detecting->list[detection.detector].label;

        if ((all || detection.number == number) && !is_known(detecting, &detection))
            boxes[count++] =
                box_of(detecting, detection.item, view_boxes_label(&detecting->annotating->work.boxes, label));
    }
    result = count > 0 ? view_annotating_add(detecting->annotating, boxes, count) : SHW_OK;
    free(boxes);
    return result;
}

/* Prints what was found to standard output, and how it agrees with ground truth. */
static void print(struct view_detecting *detecting)
{
    struct view_detection detection;
    uint32_t number = 0;
    const bool compared = view_detecting_compare(detecting);

    for (uint32_t d = 0; d < detecting->count; d++) {
        const struct view_found_windows *found = view_detecting_found(detecting, d);

        if (found == NULL)
            continue;
        if (detecting->count > 1)
            printf("cascade %u: %s\n", d + 1, detecting->list[d].label);
        printf("detections: %u of %u windows\n", view_detecting_count_of(detecting, d), found->windows.count);
        while (view_detecting_item(detecting, number, &detection) && detection.detector == d) {
            const struct shw_detection *item = detection.item;
            char score[SHW_SCORE_TEXT_SIZE];

            shw_score_text(item->score, view_detector_info(&detecting->list[d])->fraction_bits, score);
            printf("detection %u: %d %d %u %u score %s level %u angle %u neighbours %u\n", ++number, item->x, item->y,
                   item->width, item->height, score, item->level, item->angle, item->neighbours);
        }
        if (compared)
            printf("found %u, false %u, missed %u\n", detecting->matches.counts[d].right,
                   detecting->matches.counts[d].wrong, detecting->matches.counts[d].missed);
    }
    fflush(stdout);
}

static enum shw_result write_found(const struct view_detecting *detecting, const char *path)
{
    const struct shw_log *log = &detecting->scene->log;
    const char *name = detecting->scene->picture->name;
    struct shw_detection_columns columns = {.labels = detecting->count > 1};
    struct view_detection detection = {0};
    struct shw_atomic_file file;

    SHW_PROPAGATE(shw_atomic_file_open(&file, path, log));
    shw_print_detection_header(file.stream, &columns);
    while (view_detecting_next(detecting, &detection)) {
        const struct view_detector *detector = &detecting->list[detection.detector];
        const struct shw_detection_place place = {.name = name != NULL ? name : "", .label = detector->label};

        columns.fraction_bits = view_detector_info(detector)->fraction_bits;
        shw_print_detection_row(file.stream, &columns, &place, detection.item);
    }
    return shw_atomic_file_commit(&file, log);
}

/* Writes a CSV file with the columns of `shadewood detect`, and the class where several cascades are open. Errors:
 * ARGUMENT, IO, MEMORY. */
static enum shw_result save(struct view_detecting *detecting, const char *path)
{
    struct shw_output_files files;
    enum shw_result result;

    view_outputs_begin(detecting->scene, &files);
    shw_output_files_write(&files, path, &shw_file_table);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = write_found(detecting, path);
    shw_output_files_free(&files);
    if (result == SHW_OK)
        snprintf(detecting->said, sizeof detecting->said, "%u detections written to %s",
                 view_detecting_count(detecting), path);
    return result;
}

static bool has_failed(const struct view_detecting *detecting)
{
    for (uint32_t d = 0; d < detecting->count; d++)
        if (is_wanted(detecting, d) && detecting->list[d].failed)
            return true;
    return false;
}

/* What scripts and the panel asked for is done once everything is there. A failure ends it. */
static enum shw_result serve(struct view_detecting *detecting)
{
    char *path = detecting->save_path;
    bool there;
    enum shw_result result = SHW_OK;

    if (!view_detecting_is_awaited(detecting) || detecting->scene->picture == NULL ||
        !view_detecting_is_current(detecting))
        return SHW_OK;
    there = view_detecting_is_there(detecting) && !has_failed(detecting);
    view_annotating_poll(detecting->annotating); /* for what was clicked away */
    if (detecting->list_wanted && there)
        print(detecting);
    if (detecting->accept.wanted && there)
        result = accept(detecting);
    if (result == SHW_OK && path != NULL && there)
        result = save(detecting, path);
    detecting->save_path = NULL;
    detecting->list_wanted = detecting->accept.wanted = false;
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
    SHW_PROPAGATE(take(detecting, waits));
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
    if (*picture == NULL && !is_any_wanted(detecting)) {
        *picture = detecting->held;
        detecting->held = NULL;
    }
    return result;
}

enum shw_result view_detecting_finish(struct view_detecting *detecting)
{
    SHW_PROPAGATE(advance(detecting, true));
    while (is_running(detecting))
        SHW_PROPAGATE(advance(detecting, true));
    return SHW_OK;
}

/* How detections look over the picture. */

#define WINDOWS_MAX 4000u /* that are drawn */

/* Colour-blind people can distinguish them, too (Okabe and Ito). */
const uint8_t view_detect_right[3] = {0, 180, 120}, view_detect_wrong[3] = {230, 80, 20},
              view_detect_missed[3] = {240, 228, 66};

bool view_detecting_is_drawn(const struct view_detecting *detecting)
{
    return detecting->on && !detecting->scene->instead.on && view_detecting_is_there(detecting);
}

uint32_t view_detecting_chosen(const struct view_detecting *detecting)
{
    struct view_detection detection = {0};

    if (detecting->chosen_picture != detecting->scene->picture || detecting->chosen == VIEW_NO_DETECTION)
        return VIEW_NO_DETECTION;
    while (view_detecting_next(detecting, &detection))
        if (detection.place == detecting->chosen)
            return detection.number;
    return VIEW_NO_DETECTION;
}

void view_detecting_colour(const struct view_detecting *detecting, bool compared,
                           const struct view_detection *detection, uint8_t colour[3])
{
    const uint8_t *own = view_detect_wrong;

    if (!compared)
        own = detecting->list[detection->detector].colour;
    else if (detecting->matches.list[detection->number].object != SHW_MATCH_NONE)
        own = view_detect_right;
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
    const uint32_t chosen = view_detecting_chosen(detecting);
    struct view_detection detection = {0};
    bool compared;

    if (!view_detecting_is_drawn(detecting))
        return;
    compared = view_detecting_compare(detecting);
    for (uint32_t d = 0; d < detecting->count && detecting->windows; d++)
        if (view_detecting_found(detecting, d) != NULL)
            draw_windows(view_detecting_found(detecting, d), borders);
    if (compared)
        draw_missed(detecting, borders);
    while (view_detecting_next(detecting, &detection)) {
        const struct shw_detection *item = detection.item;
        uint8_t colour[3];

        view_detecting_colour(detecting, compared, &detection, colour);
        view_borders_add(borders, item->x, item->y, item->width, item->height, colour,
                         detection.number == chosen ? 4 : 2);
    }
}
