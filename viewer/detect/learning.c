#include "detect/learning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "detection/detect/levels.h"
#include "files/dataset/annotations.h"
#include "files/image/image_file.h"
#include "files/io/output_files.h"
#include "job/times.h"
#include "source/file_place.h"

#define SEED 1u

static void report(void *user, const struct shw_learn_progress *progress)
{
    struct view_learning *learning = user;

    view_job_lock(&learning->job);
    learning->progress = *progress;
    learning->progressed = true;
    view_job_unlock(&learning->job);
}

static bool may_interrupt(void *user, void (*interrupt)(void *subject), void *subject)
{
    struct view_learning *learning = user;

    return view_job_may_interrupt(&learning->job, interrupt, subject);
}

static enum shw_result make_grey(const struct view_learning *learning, const struct shw_image *image,
                                 struct view_learn_picture *picture, struct shw_learn_picture *given)
{
    picture->grey = malloc((size_t)image->width * image->height);
    if (picture->grey == NULL)
        return shw_fail_memory(&learning->log, "a picture");
    shw_grey_make(image, picture->grey, NULL);
    given->image = (struct shw_image){
        .pixels = picture->grey, .width = image->width, .height = image->height, .format = SHW_PIXEL_GREY8};
    return SHW_OK;
}

static enum shw_result read_picture(const struct view_learning *learning, uint32_t number)
{
    struct view_learn_picture *picture = &learning->pictures[number];
    struct shw_image_file file;
    enum shw_result result;

    if (picture->place == NULL)
        return make_grey(learning, &picture->kept->image, picture, &learning->given[number]);
    SHW_PROPAGATE(shw_image_file_read(picture->place, NULL, &learning->log, &file));
    result = make_grey(learning, &file.image, picture, &learning->given[number]);
    shw_image_file_free(&file);
    return result;
}

static enum shw_result work(void *user)
{
    struct view_learning *learning = user;
    const struct shw_learn_params params = {.name = learning->label[0] != '\0' ? learning->label : "object",
                                            .folds = learning->folds,
                                            .stages = learning->stages,
                                            .seed = SEED,
                                            .log = learning->log,
                                            .user = learning,
                                            .may_interrupt = may_interrupt,
                                            .report = report};

    for (uint32_t p = 0; p < learning->count; p++) {
        if (view_job_is_stopped(&learning->job))
            return SHW_ERROR_CANCELLED;
        SHW_PROPAGATE(read_picture(learning, p));
        view_job_lock(&learning->job);
        learning->pictures_read = p + 1;
        learning->progressed = true;
        view_job_unlock(&learning->job);
    }
    return shw_learn(&params, learning->given, learning->count, &learning->made);
}

void view_learning_init(struct view_scene *scene, struct view_annotating *annotating, struct view_detecting *detecting,
                        struct view_learning *learning)
{
    static const struct view_job_kind kind = {"training of a cascade", SHW_PRIORITY_BACKGROUND, work, NULL};

    *learning =
        (struct view_learning){.scene = scene, .annotating = annotating, .detecting = detecting, .log = scene->log};
    view_job_init(&learning->job, &kind, learning);
}

static void free_pictures(struct view_learning *learning)
{
    for (uint32_t p = 0; p < learning->count; p++) {
        free(learning->pictures[p].place);
        view_picture_free(learning->pictures[p].kept);
        free(learning->pictures[p].grey);
        free(learning->pictures[p].objects);
        free(learning->pictures[p].wrong);
    }
    free(learning->pictures);
    free(learning->given);
    learning->pictures = NULL;
    learning->given = NULL;
    learning->count = 0;
}

void view_learning_warn_of_loss(const struct view_learning *learning, const struct view_detector *detector)
{
    shw_log_message(
        &learning->log, SHW_LOG_WARNING, SHW_LOG_FILE_WRITE,
        "the cascade '%s' that was trained here was closed without being saved; its rectangles train it again",
        detector->label);
}

void view_learning_destroy(struct view_learning *learning)
{
    for (uint32_t d = 0; learning->scene != NULL && d < learning->detecting->count; d++)
        if (view_detector_is_unsaved(&learning->detecting->list[d]) && !learning->question.passed)
            view_learning_warn_of_loss(learning, &learning->detecting->list[d]);
    view_question_free(&learning->question);
    view_job_free(&learning->job);
    free_pictures(learning);
    shw_learned_free(&learning->made);
    *learning = (struct view_learning){0};
}

/* Takes the rectangles of the label, and false alarms. All objects of a picture with any rectangle of an object are
 * known, and those of one that is listed as empty. */
static bool take_boxes(const struct view_boxes *boxes, const struct view_boxes_picture *from, uint32_t label,
                       struct view_learn_picture *picture, struct shw_learn_picture *given)
{
    uint32_t objects = 0;

    picture->objects = calloc(from->count + (size_t)1, sizeof *picture->objects);
    picture->wrong = calloc(from->count + (size_t)1, sizeof *picture->wrong);
    if (picture->objects == NULL || picture->wrong == NULL)
        return false;
    for (uint32_t b = 0; b < from->count; b++) {
        const struct view_box *box = &from->items[b];
        const struct shw_true_object object = {box->x, box->y, box->width, box->height, false};
        const bool is_wrong = view_box_is_false_alarm(boxes, box);

        objects += !is_wrong;
        if (is_wrong)
            picture->wrong[given->wrong_count++] = object;
        else if (box->label == label)
            picture->objects[given->object_count++] = object;
    }
    given->objects = picture->objects;
    given->wrong = picture->wrong;
    given->is_complete = objects > 0 || from->count == 0;
    return true;
}

static bool take_picture(struct view_learning *learning, uint32_t number, uint32_t label)
{
    const struct view_boxes *boxes = &learning->annotating->work.boxes;
    const struct view_boxes_picture *from = &boxes->pictures[number];
    struct view_learn_picture *picture = &learning->pictures[learning->count];

    if (!view_boxes_is_listed(boxes, number) || (from->place == NULL && from->kept == NULL))
        return true;
    learning->count++;
    if (from->place != NULL && (picture->place = strdup(from->place)) == NULL)
        return false;
    if (from->place == NULL)
        picture->kept = view_picture_share(from->kept);
    return take_boxes(boxes, from, label, picture, &learning->given[learning->count - 1]);
}

static enum shw_result take_pictures(struct view_learning *learning, uint32_t label)
{
    const uint32_t count = learning->annotating->work.boxes.picture_count;
    bool fine;

    free_pictures(learning);
    learning->pictures = calloc(count + (size_t)1, sizeof *learning->pictures);
    learning->given = calloc(count + (size_t)1, sizeof *learning->given);
    fine = learning->pictures != NULL && learning->given != NULL;
    for (uint32_t p = 0; p < count && fine; p++)
        fine = take_picture(learning, p, label);
    return fine ? SHW_OK : shw_fail_memory(&learning->log, "rectangles");
}

static bool has_objects(const struct view_learning *learning)
{
    bool any = false;

    for (uint32_t p = 0; p < learning->count; p++)
        any = any || learning->given[p].object_count > 0;
    return any;
}

enum shw_result view_learning_begin(struct view_learning *learning, const char *label)
{
    struct view_boxes *boxes = &learning->annotating->work.boxes;
    uint32_t number, pictures;
    enum shw_result result;

    if (learning->running)
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a cascade is being trained: `detect-train-cancel` stops that");
    if (label == NULL || *label == '\0')
        label = learning->annotating->label;
    number = view_boxes_label(boxes, label);
    if (view_boxes_count(boxes, &pictures) == 0)
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "there are no rectangles to train with: draw some around objects (D)");
    SHW_PROPAGATE(take_pictures(learning, number));
    if (!has_objects(learning))
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "no rectangle is of the class '%s', with which to train: draw some (D), or name another class",
                        label);
    if (!view_detecting_keep_place(learning->detecting, label))
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%u cascades are open, and a trained one has no place: `detect-open none` closes one",
                        learning->detecting->count);
    snprintf(learning->label, sizeof learning->label, "%s", label);
    learning->progress = (struct shw_learn_progress){.part_count = 1};
    learning->pictures_read = 0;
    learning->cancelled = false;
    result = view_job_begin(&learning->job, &learning->log);
    if (result != SHW_OK)
        view_detecting_keep_place(learning->detecting, NULL);
    SHW_PROPAGATE(result);
    learning->running = true;
    learning->begun = view_clock();
    learning->scene->redraw = true;
    return SHW_OK;
}

void view_learning_cancel(struct view_learning *learning)
{
    if (!learning->running)
        return;
    learning->cancelled = true;
    view_job_stop(&learning->job);
}

/* What was made becomes what is shown. */
static enum shw_result use(struct view_learning *learning)
{
    struct shw_cascade *cascade = learning->made.cascade;
    struct view_detector *detector;

    learning->made.cascade = NULL;
    SHW_PROPAGATE(view_detecting_use(learning->detecting, cascade));
    detector = view_detecting_hand(learning->detecting);
    detector->learned = learning->made;
    learning->made = (struct shw_learned){0};
    learning->latest = detector->cascade;
    return SHW_OK;
}

static void tell_progress(struct view_learning *learning)
{
    const struct shw_learned *learned = &view_detecting_hand(learning->detecting)->learned;
    const uint32_t point = shw_learn_point_at(&learned->curve, learned->min_score);
    struct shw_detection_rates rates;

    if (point == UINT32_MAX) {
        snprintf(learning->said, sizeof learning->said,
                 "trained with %u rectangles on %u picture%s; too few pictures to hold some out", learned->objects,
                 learned->pictures, learned->pictures == 1 ? "" : "s");
        return;
    }
    rates = shw_detection_rates_at(&learned->curve, &learned->curve.points[point]);
    snprintf(
        learning->said, sizeof learning->said,
        "trained with %u rectangles: finds %.0f %% in pictures that were held out, with %.2f false alarms per picture",
        learned->objects, 100.0 * rates.recall, rates.wrong_per_image);
}

static void show_progress(struct view_learning *learning)
{
    view_job_lock(&learning->job);
    learning->scene->redraw = learning->scene->redraw || learning->progressed;
    learning->progressed = false;
    view_job_unlock(&learning->job);
}

static enum shw_result take(struct view_learning *learning)
{
    enum shw_result result = view_job_take(&learning->job);

    learning->running = false;
    learning->scene->redraw = true;
    free_pictures(learning);
    if (result == SHW_ERROR_CANCELLED && learning->cancelled) {
        view_detecting_keep_place(learning->detecting, NULL);
        snprintf(learning->said, sizeof learning->said, "training was cancelled");
        return SHW_OK;
    }
    if (result == SHW_OK)
        result = use(learning);
    view_detecting_keep_place(learning->detecting, NULL);
    if (result == SHW_OK)
        tell_progress(learning);
    return result;
}

/* Prints what the last training is worth. */
static enum shw_result print(const struct view_learning *learning)
{
    const struct shw_learned *learned = NULL;
    uint32_t point;

    for (uint32_t d = 0; d < learning->detecting->count; d++)
        if (learning->latest != NULL && learning->detecting->list[d].cascade == learning->latest)
            learned = &learning->detecting->list[d].learned;
    if (learned == NULL)
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no cascade that was trained is open");
    point = shw_learn_point_at(&learned->curve, learned->min_score);
    printf("trained: %u rectangles, %u pictures, %u false alarms, %u folds\n", learned->objects, learned->pictures,
           learned->wrong, learned->folds);
    if (point != UINT32_MAX) {
        const struct shw_detection_rates rates = shw_detection_rates_at(&learned->curve, &learned->curve.points[point]);

        printf("held out: %.3f found, %.3f false alarms per picture\n", rates.recall, rates.wrong_per_image);
    }
    fflush(stdout);
    return SHW_OK;
}

enum shw_result view_learning_poll(struct view_learning *learning)
{
    enum shw_result result = SHW_OK;

    if (learning->running) {
        show_progress(learning);
        if (!view_job_is_done(&learning->job))
            return SHW_OK;
        result = take(learning);
    }
    if (result == SHW_OK && learning->result_wanted)
        result = print(learning);
    learning->result_wanted = false;
    return result;
}

bool view_learning_is_awaited(const struct view_learning *learning)
{
    return learning->result_wanted;
}

struct shw_learn_progress view_learning_progress(struct view_learning *learning, bool *reads, uint32_t *pictures)
{
    struct shw_learn_progress progress;

    view_job_lock(&learning->job);
    progress = learning->progress;
    *pictures = learning->pictures_read;
    view_job_unlock(&learning->job);
    *reads = *pictures < learning->count;
    return progress;
}

struct view_detector *view_learning_detector(const struct view_learning *learning)
{
    struct view_detector *detector = view_detecting_hand(learning->detecting);

    return detector->learned.objects > 0 ? detector : NULL;
}

struct view_detector *view_learning_unsaved(const struct view_learning *learning)
{
    for (uint32_t d = 0; d < learning->detecting->count; d++)
        if (view_detector_is_unsaved(&learning->detecting->list[d]))
            return &learning->detecting->list[d];
    return NULL;
}

bool view_learning_replaces(const struct view_learning *learning, const char *path)
{
    const struct view_detector *detector = view_learning_detector(learning);
    const char *own = detector != NULL ? detector->cascade->path : "";

    return access(path, F_OK) == 0 && (own[0] == '\0' || !view_is_same_file(own, path));
}

static enum shw_result write_cascade(const struct view_learning *learning, const struct view_detector *detector,
                                     const char *path)
{
    struct shw_cascade_info info = *view_detector_info(detector);
    struct shw_cascade *scored = NULL;
    enum shw_result result;

    info.name = detector->label;
    info.has_min_score = detector->settings.group.has_min_score;
    info.min_score = info.has_min_score ? detector->settings.group.min_score : 0;
    SHW_PROPAGATE(shw_cascade_create(&info, &learning->log, &scored));
    result = shw_cascade_save(scored, path, &learning->log);
    shw_cascade_destroy(&scored);
    return result;
}

enum shw_result view_learning_save(struct view_learning *learning, const char *path, bool replace)
{
    struct view_detector *detector = view_learning_detector(learning);
    struct shw_output_files files;
    enum shw_result result;

    if (detector == NULL)
        return shw_fail(&learning->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the chosen cascade was not trained here: `detect-train` trains one");
    view_detecting_list_files(learning->detecting, detector); /* its own file may be written */
    view_outputs_begin(learning->scene, &files);
    files.overwrite = files.overwrite || replace;
    if (detector->cascade->path[0] != '\0' && strcmp(detector->cascade->path, path) == 0)
        shw_output_files_replace(&files, path, &shw_file_cascade);
    else
        shw_output_files_write(&files, path, &shw_file_cascade);
    result = shw_output_files_check(&files);
    if (result == SHW_OK)
        result = write_cascade(learning, detector, path);
    shw_output_files_free(&files);
    view_detecting_list_files(learning->detecting, NULL);
    SHW_PROPAGATE(result);
    SHW_PROPAGATE(view_detecting_name(learning->detecting, detector, path));
    snprintf(learning->said, sizeof learning->said, "the cascade is written to %s", path);
    return SHW_OK;
}
