/* What a teacher's threads do: one grows forests, the other judges them, so that a new stroke need not wait for
 * that. */
#include "teach/lesson.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "base/log.h"
#include "teach/label_pipelines.h"

#define SMALL_TREES   2u
#define USUAL_TREES   8u     /* of the full forest, unless the project says otherwise */
#define SMALL_SAMPLES 16384u /* of the small forest by `cpu`, over all pictures */
#define SMALL_SHARE   512u   /* of a picture at least */

/* Whether to give up; the small forest is finished even if there are newer strokes, unless a stroke has ended that it
 * has only the beginning of. Under the lock. */
bool view_lesson_is_over(const struct view_teacher *teacher)
{
    bool ended = teacher->painting && !teacher->wanted_painting;

    return teacher->quit || teacher->cancelled ||
           (teacher->wanted != NULL && (ended || teacher->state != VIEW_TEACHER_SMALL));
}

double view_lesson_clock(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool go_on(void *user)
{
    struct view_teacher *teacher = user;
    bool over;

    pthread_mutex_lock(&teacher->lock);
    while (teacher->stopped && !view_lesson_is_over(teacher))
        pthread_cond_wait(&teacher->changed, &teacher->lock);
    over = view_lesson_is_over(teacher);
    pthread_mutex_unlock(&teacher->lock);
    return !over;
}

void view_lesson_take_fraction(struct view_teacher *teacher, const struct shw_trainer *trainer)
{
    struct shw_train_progress progress;

    shw_trainer_get_progress(trainer, &progress);
    teacher->fraction = progress.fraction;
}

void view_lesson_stir(struct view_teacher *teacher)
{
    if (teacher->stepping != NULL && view_lesson_is_over(teacher))
        shw_trainer_interrupt(teacher->stepping);
    pthread_cond_broadcast(&teacher->changed);
}

static void set_stepping(struct view_teacher *teacher, struct shw_trainer *trainer)
{
    pthread_mutex_lock(&teacher->lock);
    teacher->stepping = trainer;
    pthread_mutex_unlock(&teacher->lock);
}

static enum shw_result step_to_the_end(struct view_teacher *teacher, struct shw_trainer *trainer)
{
    enum shw_result result = SHW_OK;
    bool finished = false;

    set_stepping(teacher, trainer);
    while (result == SHW_OK && !finished) {
        result = go_on(teacher) ? shw_trainer_step(trainer, &finished) : SHW_ERROR_CANCELLED;
        pthread_mutex_lock(&teacher->lock);
        view_lesson_take_fraction(teacher, trainer);
        pthread_mutex_unlock(&teacher->lock);
    }
    set_stepping(teacher, NULL);
    return result;
}

/* Leaves the trainer to the frame loop until it is finished or not wanted any more. */
static enum shw_result lend_to_the_frames(struct view_teacher *teacher, struct shw_trainer *trainer)
{
    enum shw_result result;

    pthread_mutex_lock(&teacher->lock);
    teacher->trainer = trainer;
    teacher->finished = false;
    teacher->recorded_result = SHW_OK;
    pthread_cond_broadcast(&teacher->changed);
    while (teacher->in_flight ||
           (!teacher->finished && teacher->recorded_result == SHW_OK && !view_lesson_is_over(teacher)))
        pthread_cond_wait(&teacher->changed, &teacher->lock);
    teacher->trainer = NULL;
    result = teacher->recorded_result;
    if (result == SHW_OK && !teacher->finished)
        result = SHW_ERROR_CANCELLED;
    pthread_mutex_unlock(&teacher->lock);
    return result;
}

/* Small enough to be there soon, whatever the full forest is like and however much is painted. A device does not mind
 * many samples. */
static void make_small(struct shw_trainer_params *params, uint32_t pictures)
{
    uint32_t share = SMALL_SAMPLES / pictures;

    if (params->technique == SHW_TECHNIQUE_CPU)
        params->pixels_per_image = share > SMALL_SHARE ? share : SMALL_SHARE;
    params->tree_count = params->tree_count > 0 && params->tree_count < SMALL_TREES ? params->tree_count : SMALL_TREES;
    params->depth = params->depth > 0 && params->depth < 7 ? params->depth : 7;
    params->candidates = params->candidates > 0 && params->candidates < 50 ? params->candidates : 50;
}

/* Makes the kept trainer one for the lesson. */
static enum shw_result take_trainer(const struct view_lesson_plan *lesson, const struct shw_trainer_params *params)
{
    struct view_teacher *teacher = lesson->teacher;
    enum shw_result result = teacher->kept != NULL ? shw_trainer_renew(teacher->kept, params, &lesson->set->dataset)
                                                   : shw_trainer_create(params, &lesson->set->dataset, &teacher->kept);

    /* the data set of the training before may go only now */
    shw_training_set_destroy(&teacher->held);
    teacher->held = shw_training_set_share(lesson->set);
    return result;
}

static enum shw_result grow(const struct view_lesson_plan *lesson, bool full, struct shw_forest **forest)
{
    struct view_teacher *teacher = lesson->teacher;
    struct shw_trainer_params params = shw_training_set_params(lesson->set);
    enum shw_result result;

    params.device = teacher->params.device;
    params.work_max = teacher->params.work_max;
    params.memory = teacher->params.memory;
    params.threads = teacher->params.threads;
    params.log = teacher->params.log;
    if (params.device == NULL)
        params.technique = SHW_TECHNIQUE_CPU;
    else if (teacher->params.recorded)
        params.technique = SHW_TECHNIQUE_COMPUTE;
    if (!full)
        make_small(&params, lesson->set->picture_count);
    SHW_TRY(take_trainer(lesson, &params));
    SHW_TRY(shw_trainer_prepare(teacher->kept));
    teacher->times.prepared = view_lesson_clock();
    SHW_TRY(teacher->params.recorded ? lend_to_the_frames(teacher, teacher->kept)
                                     : step_to_the_end(teacher, teacher->kept));
    SHW_TRY(shw_trainer_get_forest(teacher->kept, forest));
    teacher->times.grown = view_lesson_clock();
    return SHW_OK;

fail:
    if (result != SHW_ERROR_CANCELLED) {
        shw_trainer_destroy(&teacher->kept);
        shw_training_set_destroy(&teacher->held);
    }
    return result;
}

/* Shows a forest, which is the teacher's from now on. */
static enum shw_result publish(const struct view_lesson_plan *lesson, bool full, struct shw_forest *forest)
{
    struct view_teacher *teacher = lesson->teacher;
    struct view_shared_forest *shared = view_shared_forest_create(forest, full, lesson->revision);

    if (shared == NULL) {
        shw_forest_destroy(&forest);
        return shw_fail_memory(&teacher->params.log, "forest");
    }
    pthread_mutex_lock(&teacher->lock);
    if (teacher->cancelled) {
        pthread_mutex_unlock(&teacher->lock);
        view_shared_forest_release(&shared);
        return SHW_ERROR_CANCELLED;
    }
    if (teacher->current != NULL && teacher->current->full) {
        view_shared_forest_release(&teacher->previous);
        teacher->previous = teacher->current;
        teacher->current = NULL;
    }
    view_shared_forest_release(&teacher->current);
    teacher->current = shared;
    teacher->current_times = teacher->times;
    teacher->number++;
    pthread_cond_broadcast(&teacher->changed);
    pthread_mutex_unlock(&teacher->lock);
    return SHW_OK;
}

static bool enter(struct view_teacher *teacher, enum view_teacher_state state)
{
    bool over;

    pthread_mutex_lock(&teacher->lock);
    teacher->state = state;
    teacher->fraction = 0;
    over = view_lesson_is_over(teacher);
    pthread_mutex_unlock(&teacher->lock);
    return !over;
}

static enum shw_result teach(const struct view_lesson_plan *lesson)
{
    for (int full = 0; full < 2; full++) {
        struct shw_forest *forest = NULL;
        enum shw_result result;

        if (!enter(lesson->teacher, full ? VIEW_TEACHER_FULL : VIEW_TEACHER_SMALL))
            return SHW_ERROR_CANCELLED;
        result = grow(lesson, full, &forest);
        if (result == SHW_OK)
            result = publish(lesson, full, forest);
        if (result != SHW_OK)
            return result;
    }
    return SHW_OK;
}

/* The forests are there. Under the lock. */
static void hand_to_judge(const struct view_lesson_plan *lesson)
{
    struct view_teacher *teacher = lesson->teacher;

    teacher->state = teacher->params.out_of_bag ? VIEW_TEACHER_JUDGING : VIEW_TEACHER_DONE;
    if (!teacher->params.out_of_bag)
        return;
    shw_training_set_destroy(&teacher->to_judge);
    teacher->to_judge = shw_training_set_share(lesson->set);
    pthread_cond_broadcast(&teacher->changed);
}

/* The window comes first where both want the processor; threads that are made here inherit it. */
static void step_back(void)
{
    setpriority(PRIO_PROCESS, 0, 5); /* of this thread alone, on Linux */
}

/* A training set that there is always: nothing is learned from it, but what makes it makes pipelines for the next
 * one. */
enum { SIDE = 16 };

static enum shw_result read_nothing(void *user, uint32_t index, struct shw_labelled_image *example)
{
    static const uint8_t pixels[SIDE * SIDE * 3];
    static const uint16_t labels[SIDE * SIDE];

    (void)user, (void)index;
    *example = (struct shw_labelled_image){
        .name = "nothing", .image = {pixels, SIDE, SIDE, 0, SHW_PIXEL_RGB8}, .labels = labels};
    return SHW_OK;
}

static void release_nothing(void *user, struct shw_labelled_image *example)
{
    (void)user, (void)example;
}

/* Pipelines take long to make: some time passes until the first stroke. */
static void make_pipelines(struct view_teacher *teacher)
{
    static const struct shw_dataset nothing = {
        .count = 1, .class_count = 1, .read = read_nothing, .release = release_nothing};
    struct shw_trainer_params params = {.tree_count = 1,
                                        .depth = 1,
                                        .device = teacher->params.device,
                                        .technique = SHW_TECHNIQUE_COMPUTE,
                                        .memory = teacher->params.memory,
                                        .threads = teacher->params.threads,
                                        .log = teacher->params.log};

    if (shw_trainer_create(&params, &nothing, &teacher->kept) != SHW_OK || shw_trainer_prepare(teacher->kept) != SHW_OK)
        shw_trainer_destroy(&teacher->kept); /* the first training will tell */
    view_label_pipelines_make(params.device, SMALL_TREES);
    view_label_pipelines_make(params.device, USUAL_TREES);
}

void *view_teacher_work(void *user)
{
    struct view_teacher *teacher = user;

    if (teacher->params.device == NULL)
        step_back();
    else if (teacher->params.recorded)
        make_pipelines(teacher);
    pthread_mutex_lock(&teacher->lock);
    while (!teacher->quit) {
        struct view_lesson_plan lesson = {teacher, teacher->wanted, teacher->wanted_revision};
        enum shw_result result;

        if (lesson.set == NULL || teacher->stopped) {
            pthread_cond_wait(&teacher->changed, &teacher->lock);
            continue;
        }
        teacher->wanted = NULL;
        teacher->painting = teacher->wanted_painting;
        teacher->times = (struct view_teacher_times){.wanted = teacher->wanted_time, .begun = view_lesson_clock()};
        teacher->cancelled = false;
        teacher->state = VIEW_TEACHER_SMALL;
        teacher->accuracy_count = 0;
        teacher->lessons++;
        pthread_mutex_unlock(&teacher->lock);
        result = teach(&lesson);
        pthread_mutex_lock(&teacher->lock);
        if (result == SHW_OK)
            hand_to_judge(&lesson);
        else if (result == SHW_ERROR_CANCELLED)
            teacher->state = VIEW_TEACHER_IDLE;
        else
            teacher->state = VIEW_TEACHER_FAILED;
        shw_training_set_destroy(&lesson.set);
    }
    pthread_mutex_unlock(&teacher->lock);
    shw_trainer_destroy(&teacher->kept);
    shw_training_set_destroy(&teacher->held);
    return NULL;
}

/* What is judged. */
struct trial {
    struct view_teacher *teacher;
    uint64_t lesson; /* by the count of lessons */
};

static bool goes_on(void *user)
{
    const struct trial *trial = user;
    struct view_teacher *teacher = trial->teacher;
    bool over;

    pthread_mutex_lock(&teacher->lock);
    do {
        over = teacher->quit || teacher->cancelled || teacher->wanted != NULL || teacher->lessons != trial->lesson;
    } while (teacher->stopped && !over && pthread_cond_wait(&teacher->changed, &teacher->lock) == 0);
    pthread_mutex_unlock(&teacher->lock);
    return !over;
}

/* Under the lock, but for the measurement. */
static void judge(struct view_teacher *teacher)
{
    struct trial trial = {teacher, teacher->lessons};
    struct shw_training_set *set = teacher->to_judge;
    struct shw_out_of_bag *classes;
    enum shw_result result;

    teacher->to_judge = NULL;
    pthread_mutex_unlock(&teacher->lock);
    classes = calloc(set->class_count + 1u, sizeof *classes);
    result = classes != NULL ? shw_out_of_bag_measure(set, teacher->params.threads, goes_on, &trial, classes)
                             : shw_fail_memory(&teacher->params.log, "accuracy");
    pthread_mutex_lock(&teacher->lock);
    if (trial.lesson == teacher->lessons && teacher->state == VIEW_TEACHER_JUDGING) {
        if (result == SHW_OK && teacher->cancelled)
            result = SHW_ERROR_CANCELLED;
        teacher->state = result == SHW_OK                ? VIEW_TEACHER_DONE
                         : result == SHW_ERROR_CANCELLED ? VIEW_TEACHER_IDLE
                                                         : VIEW_TEACHER_FAILED;
        if (result == SHW_OK) {
            free(teacher->accuracy);
            teacher->accuracy = classes;
            teacher->accuracy_count = set->class_count;
            classes = NULL;
        }
    }
    free(classes);
    shw_training_set_destroy(&set);
}

void *view_teacher_judge(void *user)
{
    struct view_teacher *teacher = user;

    step_back();
    pthread_mutex_lock(&teacher->lock);
    while (!teacher->quit)
        if (teacher->to_judge != NULL)
            judge(teacher);
        else
            pthread_cond_wait(&teacher->changed, &teacher->lock);
    pthread_mutex_unlock(&teacher->lock);
    return NULL;
}
