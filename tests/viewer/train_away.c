/* Teaching with a trainer in another program: the same forests, and none less when the connection ends. */
#include "testing/testing.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "files/serve/remote.h"
#include "teach/train_worker.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36, FRAMES_MAX = 400000 };

static struct {
    pthread_mutex_t lock;
    char all[8192];
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void tell(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)level, (void)item;
    pthread_mutex_lock(&told.lock);
    snprintf(told.all + strlen(told.all), sizeof told.all - strlen(told.all), "%s\n", text);
    pthread_mutex_unlock(&told.lock);
}

static const struct shw_log log_of_all = {tell, NULL, SHW_LOG_WARNING};

static bool was_told(const char *text)
{
    bool was;

    pthread_mutex_lock(&told.lock);
    was = strstr(told.all, text) != NULL;
    pthread_mutex_unlock(&told.lock);
    return was;
}

static void forget_told(void)
{
    pthread_mutex_lock(&told.lock);
    told.all[0] = '\0';
    pthread_mutex_unlock(&told.lock);
}

static void paint(struct shw_project *project, uint32_t place)
{
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, place);
}

/* `before`: words of a shell before the program's. */
static struct shw_remote *connect_to(const char *before)
{
    struct shw_remote *remote = NULL;
    char command[2048];

    snprintf(command, sizeof command, "sh -c '%s \"%s\" serve -t cpu --threads 2'", before,
             getenv("SHADEWOOD_PROGRAM"));
    assert_int_equal(shw_remote_connect(command, &log_of_all, &remote), SHW_OK);
    return remote;
}

static struct view_train_worker *make_worker(struct shw_remote *remote, bool judges)
{
    const struct view_train_worker_params params = {
        .judges = judges, .threads = 2, .remote = remote, .log = log_of_all};
    struct view_train_worker *worker = NULL;

    assert_int_equal(view_train_worker_create(&params, &worker), SHW_OK);
    return worker;
}

/* As a frame loop does, until there is nothing more to do; `each` is called in every frame. */
static enum view_train_state follow(struct view_train_worker *worker, struct shw_project *project,
                                    void (*each)(void *user), void *user)
{
    struct view_train_status status = {0};

    for (uint32_t frame = 0; frame < FRAMES_MAX; frame++) {
        assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
        view_train_worker_get_status(worker, &status);
        assert_true(status.fraction >= 0 && status.fraction <= 1);
        if (status.state >= VIEW_TRAIN_DONE || status.state == VIEW_TRAIN_IDLE)
            break;
        if (each != NULL)
            each(user);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return status.state;
}

static uint64_t shown_hash(struct view_train_worker *worker)
{
    struct view_shared_forest *forest = view_train_worker_share_forest(worker);
    uint64_t hash;

    assert_non_null(forest);
    assert_true(forest->full);
    hash = shw_forest_hash(forest->forest);
    view_shared_forest_release(&forest);
    return hash;
}

static uint64_t requests_of(struct shw_remote *remote)
{
    struct shw_remote_status status;

    shw_remote_get_status(remote, &status);
    return status.requests;
}

TESTING_CASE(strokes_become_the_forest_of_the_project)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to("exec");
    struct view_train_worker *worker = make_worker(remote, true);
    struct shw_held_out accuracy;
    uint64_t revision;

    paint(project, 20);
    paint(project, 50);
    assert_int_equal(follow(worker, project, NULL, NULL), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker) == testing_paint_train(project));
    assert_true(view_train_worker_get_accuracy(worker, &accuracy, &revision));
    assert_int_equal(accuracy.class_count, 3);
    assert_true(accuracy.classes[0].pixels > 0);
    shw_held_out_free(&accuracy);
    assert_int_equal(requests_of(remote), 3); /* two forests and their accuracy */
    testing_paint_area(project, 1, 0, 65);
    assert_int_equal(follow(worker, project, NULL, NULL), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker) == testing_paint_train(project));
    view_train_worker_destroy(&worker);
    worker = make_worker(remote, false); /* another project on the same connection */
    assert_true(shw_project_undo(project, NULL));
    assert_int_equal(follow(worker, project, NULL, NULL), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker) == testing_paint_train(project));
    view_train_worker_destroy(&worker);
    shw_remote_destroy(&remote, 5);
    assert_string_equal(told.all, "");
    shw_project_destroy(&project);
}

/* A brush that paints on while the trainer is at work. */
static void paint_more(void *user)
{
    static struct testing_random random = {4};
    static uint32_t frames, strokes;

    if (++frames % 7 == 0 && strokes < 12) {
        testing_paint_stroke(user, 1, &random);
        strokes++;
    }
}

TESTING_CASE(strokes_during_training)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_remote *remote = connect_to("exec");
    struct view_train_worker *worker = make_worker(remote, true);
    struct shw_project_training training = shw_project_get_training(project);

    training.tree_count = 6;
    training.candidates = 60;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    paint(project, 20);
    assert_int_equal(follow(worker, project, paint_more, project), VIEW_TRAIN_DONE);
    assert_true(shown_hash(worker) == testing_paint_train(project));
    assert_true(shw_remote_is_connected(remote));
    view_train_worker_destroy(&worker);
    shw_remote_destroy(&remote, 5);
    assert_string_equal(told.all, "");
    shw_project_destroy(&project);
}

/* The connection ends after so many bytes, in the middle of whatever that is. */
TESTING_CASE(without_the_connection_training_goes_on_here)
{
    static const unsigned bytes[] = {0, 10, 100, 700, 6000, 6160, 11000};
    unsigned lost = 0;

    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
        struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
        struct shw_remote *remote;
        struct view_train_worker *worker;
        struct shw_held_out accuracy;
        uint64_t revision;
        char before[64];

        forget_told();
        snprintf(before, sizeof before, "dd bs=1 count=%u 2>/dev/null |", bytes[i]); /* which buffers nothing */
        remote = connect_to(before);
        worker = make_worker(remote, true);
        paint(project, 20);
        paint(project, 50);
        assert_int_equal(follow(worker, project, NULL, NULL), VIEW_TRAIN_DONE);
        assert_true(shown_hash(worker) == testing_paint_train(project));
        assert_true(view_train_worker_get_accuracy(worker, &accuracy, &revision));
        shw_held_out_free(&accuracy);
        testing_paint_area(project, 1, 0, 65);
        assert_int_equal(follow(worker, project, NULL, NULL), VIEW_TRAIN_DONE);
        assert_true(shown_hash(worker) == testing_paint_train(project));
        lost += !shw_remote_is_connected(remote);
        view_train_worker_destroy(&worker);
        shw_remote_destroy(&remote, 5);
        if (was_told("training goes on here"))
            assert_true(was_told("the trainer 'sh -c"));
        shw_project_destroy(&project);
    }
    assert_true(lost >= 4);
}

/* The worker ends at once whatever the network does: here, nothing. */
TESTING_CASE(nobody_waits_for_a_network_that_hangs)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);

    for (uint32_t run = 0; run < 3; run++) {
        static const char *const commands[] = {"sleep 1000", "sh -c 'printf SHWSERVE; exec sleep 1000'",
                                               "sh -c 'cat >/dev/null'"};
        struct shw_remote *remote = NULL;
        struct view_train_worker *worker;
        struct timespec begin, end;

        assert_int_equal(shw_remote_connect(commands[run], &log_of_all, &remote), SHW_OK);
        worker = make_worker(remote, true);
        paint(project, 20);
        for (uint32_t frame = 0; frame < 30; frame++) {
            assert_int_equal(view_train_worker_update(worker, project), SHW_OK);
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        }
        clock_gettime(CLOCK_MONOTONIC, &begin);
        view_train_worker_destroy(&worker);
        shw_remote_destroy(&remote, 0.1);
        clock_gettime(CLOCK_MONOTONIC, &end);
        assert_true(end.tv_sec - begin.tv_sec < 20); /* and not the 30 or 120 seconds of a silent peer */
    }
    shw_project_destroy(&project);
}
