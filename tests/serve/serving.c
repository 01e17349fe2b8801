#include "serving.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <shadewood/input.h>

#include "testing/painting.h"

struct heard heard;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void hear(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    (void)user, (void)item;
    pthread_mutex_lock(&lock);
    if (level == SHW_LOG_ERROR) {
        snprintf(heard.last, sizeof heard.last, "%s", text);
        heard.errors++;
    }
    pthread_mutex_unlock(&lock);
}

struct shw_log heard_log(void)
{
    return (struct shw_log){hear, NULL, SHW_LOG_WARNING};
}

const char *serve_command(const char *options)
{
    static char command[1024];

    snprintf(command, sizeof command, "'%s' serve -t cpu --threads 2 %s", getenv("SHADEWOOD_PROGRAM"), options);
    return command;
}

const char *serve_command_with_pid(void)
{
    static char command[2048];

    snprintf(command, sizeof command, "sh -c 'echo $$ > %s; exec \"%s\" serve -t cpu --threads 2'", testing_path("pid"),
             getenv("SHADEWOOD_PROGRAM"));
    return command;
}

int served_pid(void)
{
    FILE *file = fopen(testing_path("pid"), "r");
    int pid = 0;

    if (file == NULL)
        return 0;
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    if (pid != 0)
        unlink(testing_path("pid"));
    return pid;
}

void assert_ends(int pid)
{
    for (int tries = 0; tries < 60000; tries++) {
        if (kill(pid, 0) != 0 && errno == ESRCH)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fail_msg("process %d has not ended", pid);
}

struct shw_remote *connect_to(const char *command)
{
    const struct shw_log log = heard_log();
    struct shw_remote *remote = NULL;

    assert_int_equal(shw_remote_connect(command, &log, &remote), SHW_OK);
    return remote;
}

void give_frame(struct shw_project *project, const char *name, uint32_t width, uint32_t height, uint64_t seed,
                bool with_inputs)
{
    uint8_t *colours = testing_paint_scene(testing_path("frame.png"), width, height, seed);
    uint8_t *before = testing_paint_scene(testing_path("frame.png"), width, height, seed + 100);
    uint16_t *depth = malloc(width * height * sizeof *depth);
    struct testing_random random = {seed};
    uint32_t picture;

    for (uint32_t i = 0; i < width * height; i++)
        depth[i] = (uint16_t)(1000 + i % width * 9 + testing_random_below(&random, 50));
    const struct shw_input inputs[] = {{.name = SHW_COLOUR, .image = {colours, width, height, 0, SHW_PIXEL_RGB8}},
                                       {.name = SHW_DEPTH, .image = {depth, width, height, 0, SHW_PIXEL_GREY16}},
                                       {.name = SHW_PREVIOUS, .image = {before, width, height, 0, SHW_PIXEL_RGB8}}};
    assert_int_equal(shw_project_find_picture(project, name, width, height, &picture), SHW_OK);
    assert_int_equal(shw_project_set_pixels(project, picture, &(struct shw_inputs){with_inputs ? 3 : 1, inputs}),
                     SHW_OK);
    free(colours);
    free(before);
    free(depth);
}

struct shw_training_set *set_of(struct shw_project *project)
{
    const struct shw_log log = heard_log();
    struct shw_training_set *set = NULL;

    assert_int_equal(shw_training_set_make(project, &log, &set), SHW_OK);
    return set;
}

void *grow_bytes(const struct shw_teacher *teacher, struct shw_training_set *set, enum shw_lesson lesson,
                 struct shw_taught *taught, size_t *size)
{
    const struct shw_teacher_watch watch = {NULL};
    struct shw_forest *forest = NULL;
    void *bytes = NULL;
    enum shw_result result = shw_teacher_grow(teacher, set, lesson, &watch, &forest, taught);

    if (result != SHW_OK)
        fail_msg("training has failed: %s", shw_last_error());
    assert_int_equal(shw_forest_save_memory(forest, &bytes, size), SHW_OK);
    shw_forest_destroy(&forest);
    return bytes;
}

static void assert_same_accuracy(const struct shw_held_out *one, const struct shw_held_out *other)
{
    assert_int_equal(one->class_count, other->class_count);
    assert_int_equal(one->folds, other->folds);
    assert_int_equal(one->kept_pictures, other->kept_pictures);
    for (uint32_t c = 0; c < one->class_count; c++) {
        assert_int_equal(one->classes[c].by, other->classes[c].by);
        assert_true(one->classes[c].pixels == other->classes[c].pixels);
        assert_true(one->classes[c].right == other->classes[c].right);
        assert_int_equal(one->classes[c].strokes, other->classes[c].strokes);
        assert_int_equal(one->classes[c].strokes_right, other->classes[c].strokes_right);
        assert_int_equal(one->classes[c].painted_strokes, other->classes[c].painted_strokes);
    }
    assert_memory_equal(one->matrix.confusion, other->matrix.confusion,
                        one->class_count * (one->class_count + (size_t)1) * sizeof(uint64_t));
}

void assert_same_forests(struct shw_remote *remote, struct shw_project *project, bool measured)
{
    const struct shw_local_teacher_params params = {.threads = 2};
    const struct shw_teacher_watch watch = {NULL};
    const struct shw_teacher there = shw_remote_teacher(remote);
    struct shw_training_set *set = set_of(project);
    struct shw_taught taught_here = {NULL, NULL}, taught_there = {NULL, NULL};
    struct shw_held_out one = {0}, other = {0};
    struct shw_teacher here;

    assert_int_equal(shw_local_teacher_create(&params, &here), SHW_OK);
    for (int lesson = SHW_LESSON_SMALL; lesson <= SHW_LESSON_FULL; lesson++) {
        size_t size, other_size;
        void *expected, *bytes;

        shw_taught_release(&taught_here);
        shw_taught_release(&taught_there);
        expected = grow_bytes(&here, set, (enum shw_lesson)lesson, &taught_here, &size);
        bytes = grow_bytes(&there, set, (enum shw_lesson)lesson, &taught_there, &other_size);
        assert_int_equal(size, other_size);
        assert_memory_equal(expected, bytes, size);
        free(expected);
        free(bytes);
    }
    if (measured) {
        assert_int_equal(shw_teacher_measure(&here, &taught_here, &watch, &one), SHW_OK);
        assert_int_equal(shw_teacher_measure(&there, &taught_there, &watch, &other), SHW_OK);
        assert_same_accuracy(&one, &other);
        shw_held_out_free(&other);
        /* also of what was trained there and is measured here, since the connection has ended */
        assert_int_equal(shw_teacher_measure(&here, &taught_there, &watch, &other), SHW_OK);
        assert_same_accuracy(&one, &other);
        shw_held_out_free(&one);
        shw_held_out_free(&other);
    }
    shw_taught_release(&taught_here);
    shw_taught_release(&taught_there);
    shw_training_set_destroy(&set);
    shw_teacher_destroy(&here);
}

uint64_t sent_bytes(struct shw_remote *remote)
{
    struct shw_remote_status status;

    shw_remote_get_status(remote, &status);
    return status.sent;
}
