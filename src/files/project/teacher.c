#include "files/project/teacher.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/log.h"
#include "dense/train/params.h"
#include "files/project/level_examples.h"

void shw_taught_release(struct shw_taught *taught)
{
    shw_training_tiles_release(&taught->tiles);
    shw_training_set_destroy(&taught->set);
}

enum shw_result shw_teacher_grow(const struct shw_teacher *teacher, struct shw_training_set *set,
                                 enum shw_lesson lesson, const struct shw_teacher_watch *watch,
                                 struct shw_forest **forest, struct shw_taught *taught)
{
    return teacher->kind->grow(teacher->self, set, lesson, watch, forest, taught);
}

enum shw_result shw_teacher_measure(const struct shw_teacher *teacher, const struct shw_taught *taught,
                                    const struct shw_teacher_watch *watch, struct shw_held_out *held_out)
{
    return teacher->kind->measure(teacher->self, taught, watch, held_out);
}

void shw_teacher_interrupt(const struct shw_teacher *teacher)
{
    if (teacher->kind != NULL)
        teacher->kind->interrupt(teacher->self);
}

void shw_teacher_destroy(struct shw_teacher *teacher)
{
    if (teacher->kind != NULL)
        teacher->kind->destroy(teacher->self);
    *teacher = (struct shw_teacher){NULL, NULL};
}

/* The teacher of this process. */

#define SMALL_TREES   2u
#define SMALL_SAMPLES 16384u /* of the small forest with `cpu`, over all pictures */
#define SMALL_SHARE   512u   /* per picture at least */

/* The tiles that a trainer reads. */
struct training_data {
    struct shw_training_tiles *tiles;
    struct shw_training_choice all;   /* for one level, */
    struct shw_level_examples levels; /* or for several */
};

struct local_teacher {
    struct shw_local_teacher_params params;
    struct shw_trainer *kept;   /* the previous forest's, to be renewed for the next */
    struct training_data *held; /* what it is trained on */
    pthread_mutex_t lock;       /* of what follows */
    struct shw_trainer *busy;   /* to be interrupted */
};

static void set_busy(struct local_teacher *teacher, struct shw_trainer *trainer)
{
    pthread_mutex_lock(&teacher->lock);
    teacher->busy = trainer;
    pthread_mutex_unlock(&teacher->lock);
}

static void interrupt(void *self)
{
    struct local_teacher *teacher = self;

    pthread_mutex_lock(&teacher->lock);
    if (teacher->busy != NULL)
        shw_trainer_interrupt(teacher->busy);
    pthread_mutex_unlock(&teacher->lock);
}

static bool goes_on(const struct shw_teacher_watch *watch)
{
    return watch->go_on == NULL || watch->go_on(watch->user);
}

/* One training. */
struct training {
    struct local_teacher *teacher;
    struct shw_training_set *set;
    const struct shw_teacher_watch *watch;
    struct training_data *data;
    double from, to; /* of the forest's progress: what the level in training is */
};

static void tell_progress(const struct training *training, const struct shw_trainer *trainer)
{
    struct shw_train_progress progress;

    if (training->watch->progress == NULL)
        return;
    shw_trainer_get_progress(trainer, &progress);
    training->watch->progress(training->watch->user,
                              training->from + (training->to - training->from) * progress.fraction);
}

static enum shw_result step_to_the_end(const struct training *training, struct shw_trainer *trainer)
{
    enum shw_result result = SHW_OK;
    bool finished = false;

    set_busy(training->teacher, trainer);
    while (result == SHW_OK && !finished) {
        result = goes_on(training->watch) ? shw_trainer_step(trainer, &finished) : SHW_ERROR_CANCELLED;
        tell_progress(training, trainer);
    }
    set_busy(training->teacher, NULL);
    return result;
}

/* Makes the forest small enough to be ready soon, whatever the full forest is like and however much is painted. On a
 * device, many samples are no problem. */
static void make_small(struct shw_trainer_params *params, uint32_t pictures)
{
    uint32_t share = SMALL_SAMPLES / pictures;

    if (shw_technique_is_host(params->technique))
        params->pixels_per_image = share > SMALL_SHARE ? share : SMALL_SHARE;
    params->tree_count = params->tree_count > 0 && params->tree_count < SMALL_TREES ? params->tree_count : SMALL_TREES;
    params->depth = params->depth > 0 && params->depth < 7 ? params->depth : 7;
    params->candidates = params->candidates > 0 && params->candidates < 50 ? params->candidates : 50;
}

static void free_data(struct training_data **data)
{
    if (*data == NULL)
        return;
    shw_training_choice_free(&(*data)->all);
    shw_level_examples_free(&(*data)->levels);
    shw_training_tiles_release(&(*data)->tiles);
    free(*data);
    *data = NULL;
}

static const struct shw_dataset *dataset_of(const struct training_data *data)
{
    return data->levels.folds > 0 ? &data->levels.dataset : &data->all.dataset;
}

/* Cuts the pictures into tiles, and reads what has not been read yet. */
static enum shw_result make_data(struct training *training, struct shw_trainer_params *params)
{
    const struct shw_teacher_watch *watch = training->watch;
    struct training_data *data = calloc(1, sizeof *data);
    enum shw_result result;

    if (data == NULL)
        return shw_fail_memory(&training->teacher->params.log, "training");
    result = shw_training_tiles_make(training->set, shw_level_margin(params), watch->go_on, watch->user, &data->tiles);
    if (result == SHW_OK)
        result = params->levels > 1 ? shw_level_examples_make(data->tiles, NULL, params, &data->levels)
                                    : shw_training_choice_make(data->tiles, NULL, &data->all);
    if (result == SHW_OK)
        training->data = data;
    else
        free_data(&data);
    return result;
}

/* Renews the kept trainer. The previous one's data are not used any more; those of this training are kept with it. */
static enum shw_result take_trainer(const struct training *training, const struct shw_trainer_params *params)
{
    struct local_teacher *teacher = training->teacher;
    const struct shw_dataset *dataset = dataset_of(training->data);
    enum shw_result result = teacher->kept != NULL ? shw_trainer_renew(teacher->kept, params, dataset)
                                                   : shw_trainer_create(params, dataset, &teacher->kept);

    if (teacher->held != training->data)
        free_data(&teacher->held);
    teacher->held = training->data;
    return result;
}

/* The level above `below`, or the lowest. */
static enum shw_result grow_level(struct training *training, const struct shw_trainer_params *all,
                                  const struct shw_forest *below, struct shw_forest **forest)
{
    struct local_teacher *teacher = training->teacher;
    const struct shw_teacher_watch *watch = training->watch;
    const struct shw_trainer_params params = shw_level_params(all, below);
    const uint32_t level = below != NULL ? shw_forest_get_info(below)->levels : 0;
    const uint32_t levels = all->levels > 1 ? all->levels : 1;
    enum shw_result result;

    training->from = (double)level / levels; /* each taking as long */
    training->to = (level + 1.0) / levels;
    SHW_PROPAGATE(take_trainer(training, &params));
    set_busy(teacher, teacher->kept); /* what the level below says takes time */
    result = shw_trainer_prepare(teacher->kept);
    set_busy(teacher, NULL);
    SHW_PROPAGATE(result);
    if (watch->prepared != NULL)
        watch->prepared(watch->user);
    SHW_PROPAGATE(watch->run != NULL ? watch->run(watch->user, teacher->kept, training->from, training->to)
                                     : step_to_the_end(training, teacher->kept));
    return shw_trainer_get_forest(teacher->kept, forest);
}

static struct shw_trainer_params params_of(const struct training *training, enum shw_lesson lesson)
{
    const struct shw_local_teacher_params *own = &training->teacher->params;
    struct shw_trainer_params params = lesson == SHW_LESSON_FULL ? shw_training_set_level_params(training->set)
                                                                 : shw_training_set_params(training->set);

    params.device = own->device;
    params.technique = own->device != NULL ? own->technique : SHW_TECHNIQUE_CPU;
    params.work_max = own->work_max;
    params.memory = own->memory;
    params.threads = own->threads;
    params.log = own->log;
    if (lesson == SHW_LESSON_SMALL)
        make_small(&params, training->set->picture_count);
    return params;
}

static enum shw_result grow_levels(struct training *training, struct shw_trainer_params *params,
                                   struct shw_forest **forest)
{
    struct training_data *held = training->teacher->held;
    const struct shw_dataset classes = {.class_count = training->set->class_count};
    struct shw_forest *grown = NULL, *below;
    enum shw_result result;

    SHW_PROPAGATE(shw_levels_check(params, &classes));
    /* what the small forest was trained on does for one level */
    if (held != NULL && held->tiles->set == training->set && held->levels.folds == 0 && params->levels <= 1)
        training->data = held;
    else
        SHW_PROPAGATE(make_data(training, params));
    do {
        below = grown;
        grown = NULL;
        result = grow_level(training, params, below, &grown);
        shw_forest_destroy(&below);
    } while (result == SHW_OK && shw_forest_get_info(grown)->levels < params->levels);
    *forest = grown;
    return result;
}

static enum shw_result grow(void *self, struct shw_training_set *set, enum shw_lesson lesson,
                            const struct shw_teacher_watch *watch, struct shw_forest **forest,
                            struct shw_taught *taught)
{
    struct local_teacher *teacher = self;
    struct training training = {.teacher = teacher, .set = set, .watch = watch};
    struct shw_trainer_params params = params_of(&training, lesson);
    enum shw_result result = grow_levels(&training, &params, forest);

    if (result == SHW_OK && taught != NULL)
        *taught = (struct shw_taught){shw_training_set_share(set), shw_training_tiles_share(training.data->tiles)};
    if (result != SHW_OK && result != SHW_ERROR_CANCELLED) {
        shw_trainer_destroy(&teacher->kept);
        free_data(&teacher->held);
    }
    return result;
}

static enum shw_result make_tiles(struct shw_training_set *set, const struct shw_teacher_watch *watch,
                                  struct shw_training_tiles **tiles)
{
    const struct shw_trainer_params params = shw_training_set_level_params(set);

    return shw_training_tiles_make(set, shw_level_margin(&params), watch->go_on, watch->user, tiles);
}

static enum shw_result measure(void *self, const struct shw_taught *taught, const struct shw_teacher_watch *watch,
                               struct shw_held_out *held_out)
{
    const struct local_teacher *teacher = self;
    const struct shw_held_out_params params = {.memory = teacher->params.judge_memory,
                                               .threads = teacher->params.threads,
                                               .go_on = watch->go_on,
                                               .user = watch->user};

    struct shw_training_tiles *made = NULL;
    enum shw_result result;

    if (taught->tiles != NULL)
        return shw_held_out_measure(taught->tiles, &params, held_out);
    result = make_tiles(taught->set, watch, &made); /* it was trained elsewhere */
    if (result == SHW_OK)
        result = shw_held_out_measure(made, &params, held_out);
    shw_training_tiles_release(&made);
    return result;
}

static void destroy(void *self)
{
    struct local_teacher *teacher = self;

    shw_trainer_destroy(&teacher->kept);
    free_data(&teacher->held);
    pthread_mutex_destroy(&teacher->lock);
    free(teacher);
}

enum shw_result shw_local_teacher_create(const struct shw_local_teacher_params *params, struct shw_teacher *teacher)
{
    static const struct shw_teacher_kind kind = {grow, measure, interrupt, destroy};
    struct local_teacher *made = calloc(1, sizeof *made);

    if (made == NULL || pthread_mutex_init(&made->lock, NULL) != 0) {
        free(made);
        return shw_fail_memory(&params->log, "training");
    }
    made->params = *params;
    *teacher = (struct shw_teacher){&kind, made};
    return SHW_OK;
}

/* A dummy training set: training on it creates the pipelines for the next one. */

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

void shw_local_teacher_warm_up(const struct shw_teacher *teacher)
{
    static const struct shw_dataset nothing = {
        .count = 1, .class_count = 1, .read = read_nothing, .release = release_nothing};
    struct local_teacher *own = teacher->self;
    struct shw_trainer_params params = shw_project_params(); /* programs depend on some of them */

    params.channels = SHW_PROJECT_CHANNELS;
    params.tree_count = params.depth = 1;
    params.device = own->params.device;
    params.technique = own->params.technique;
    params.memory = own->params.memory;
    params.threads = own->params.threads;
    if (own->params.device == NULL || own->kept != NULL)
        return;
    if (shw_trainer_create(&params, &nothing, &own->kept) != SHW_OK || shw_trainer_prepare(own->kept) != SHW_OK)
        shw_trainer_destroy(&own->kept); /* the first training will report it */
}
