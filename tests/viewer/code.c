/* Feature types and channel kinds as text in the viewer: the example of docs/shader-features.md is opened, changed
 * while the program runs, broken and mended; nothing that comes inside a file runs unasked. */
#include "open_app.h"
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/project/project_texts.h"
#include "job/times.h"
#include "testing/doc_example.h"
#include "testing/painting.h"
#include "testing/testing.h"

enum { WIDTH = 120, HEIGHT = 90 };

#define RING "work/ring.glsl"

static int prepare(void **state)
{
    (void)state;
    assert_int_equal(setenv("XDG_CACHE_HOME", testing_path("cache"), 1), 0);
    assert_int_equal(mkdir(testing_path("cache"), 0700), 0);
    assert_int_equal(mkdir(testing_path("work"), 0700), 0);
    free(testing_paint_scene(testing_path("work/a.png"), WIDTH, HEIGHT, 3));
    testing_write_doc_example(testing_path(RING));
    return 0;
}

static void run(struct view_app *app, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void run(struct view_app *app, const char *format, ...)
{
    char line[4096];
    va_list values;

    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    if (view_app_run(app, line) != SHW_OK)
        fail_msg("%s", line);
}

static uint32_t count_shaders(const struct view_app *app)
{
    const struct shw_code_made made = {.feature = shw_forest_get_info(app->scene.forest->forest)->feature};

    return shw_code_shader_count(&made);
}

/* One round of the program's loop. */
static void turn(struct view_app *app)
{
    bool waits;

    assert_int_equal(view_teaching_waits(&app->teaching, &waits), SHW_OK);
    assert_int_equal(view_app_poll(app, (double)app->frames.count / 60.0), SHW_OK);
    if (view_app_needs_frame(app)) {
        app->scene.redraw = false;
        assert_int_equal(view_app_frame(app, NULL), SHW_OK);
    }
    usleep(2000);
}

static void go_on_until(struct view_app *app, bool (*done)(struct view_app *app))
{
    const double end = view_clock() + 600.0;

    while (!done(app)) {
        if (view_clock() > end)
            fail_msg("it does not come to an end");
        turn(app);
    }
}

static bool is_settled(struct view_app *app)
{
    return !view_app_script_waits(app);
}

static bool is_trained(struct view_app *app)
{
    const struct view_shared_forest *forest = app->scene.forest;

    return is_settled(app) && forest != NULL && forest->full &&
           forest->revision == shw_project_get_taught(app->teaching.project.data) && view_scene_is_current(&app->scene);
}

static bool has_error(struct view_app *app)
{
    return app->coding.error.message[0] != '\0';
}

static char *wanted; /* the text that is waited for */

static bool is_taken(struct view_app *app)
{
    return is_trained(app) && strcmp(shw_forest_get_info(app->scene.forest->forest)->feature->text, wanted) == 0;
}

static void open_app(struct view_app_params params, struct view_app *app)
{
    params.canvas = (VkExtent2D){320, 240};
    params.complete = true;
    open_app_with(params, app);
}

static void close_app(struct view_app *app)
{
    assert_int_equal(view_app_destroy(app), 0);
}

/* A text, changed at one place. */
static char *change(const char *text, const char *what, const char *by)
{
    const char *at = strstr(text, what);
    char *changed = malloc(strlen(text) + strlen(by) + 1);

    assert_non_null(at);
    assert_non_null(changed);
    sprintf(changed, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    return changed;
}

/* As editors do: another file takes the place of the old one, or its contents are written anew. */
static void save_text(const char *path, const char *text, bool replace)
{
    FILE *stream = fopen(replace ? testing_path("work/new") : path, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    if (replace)
        assert_int_equal(rename(testing_path("work/new"), path), 0);
}

static void paint(struct view_app *app)
{
    run(app, "open %s", testing_path("work/a.png"));
    go_on_until(app, is_settled);
    run(app, "project new");
    run(app, "add-class left");
    run(app, "add-class right");
    run(app, "training trees 3");
    run(app, "stroke left 3 4 10 20 70");
    run(app, "stroke right 3 100 10 110 70");
}

/* The hash of what the project trains, in one go. */
static uint64_t train_here(struct view_app *app)
{
    return testing_paint_train(app->teaching.project.data);
}

TESTING_CASE(the_documents_feature_is_opened_changed_broken_and_mended)
{
    char *text = testing_doc_example(), *doubled = change(text, "total += value", "total += 2 * value"),
         *tripled = change(text, "total += value", "total += 3 * value"),
         *broken = change(doubled, "-radius; dx", "-raduis; dx");
    struct view_app app;
    uint64_t hash, revision;
    double seconds;

    open_app((struct view_app_params){.memory = 0}, &app);
    paint(&app);
    run(&app, "technique cpu");
    run(&app, "trainer cpu");
    run(&app, "code %s", testing_path(RING));
    wanted = text;
    go_on_until(&app, is_taken);
    hash = shw_forest_hash(app.scene.forest->forest);
    assert_true(hash == train_here(&app));

    save_text(testing_path(RING), doubled, true);
    wanted = doubled;
    go_on_until(&app, is_taken);
    seconds = view_clock() - app.coding.live.noticed;
    printf("from a saved text to labels: %.2f s, of which compiling %.2f s\n", seconds,
           app.coding.live.compiled - app.coding.live.noticed);
    assert_true(shw_forest_hash(app.scene.forest->forest) != hash);
    assert_true(shw_forest_hash(app.scene.forest->forest) == train_here(&app));
    hash = shw_forest_hash(app.scene.forest->forest);
    assert_int_equal(count_shaders(&app), 0);

    /* Only what labels is compiled, and nothing else by a save. */
    run(&app, "technique compute");
    go_on_until(&app, is_taken);
    assert_int_equal(count_shaders(&app), 1);
    save_text(testing_path(RING), tripled, true);
    wanted = tripled;
    go_on_until(&app, is_taken);
    assert_int_equal(count_shaders(&app), 1);
    run(&app, "technique cpu");
    save_text(testing_path(RING), doubled, true);
    wanted = doubled;
    go_on_until(&app, is_taken);
    assert_true(shw_forest_hash(app.scene.forest->forest) == hash);

    /* What there was goes on, and is painted on. */
    save_text(testing_path(RING), broken, false);
    go_on_until(&app, has_error);
    assert_int_equal(app.coding.error.line, 14);
    assert_non_null(strstr(app.coding.error.message, "ring.glsl:14: there is no 'raduis'"));
    assert_string_equal(app.coding.error.text, "    for (int dx = -raduis; dx <= radius; dx++)");
    assert_true(shw_forest_hash(app.scene.forest->forest) == hash);
    run(&app, "stroke left 2 30 20 34 60");
    go_on_until(&app, is_taken); /* with the text before */
    assert_true(shw_forest_hash(app.scene.forest->forest) == train_here(&app));
    assert_true(has_error(&app));

    revision = shw_project_get_revision(app.teaching.project.data);
    save_text(testing_path(RING), text, true);
    wanted = text;
    go_on_until(&app, is_taken);
    assert_false(has_error(&app));
    assert_true(shw_project_get_revision(app.teaching.project.data) > revision);
    run(&app, "code-remove ring");
    go_on_until(&app, is_trained);
    assert_null(shw_forest_get_info(app.scene.forest->forest)->feature->text);
    close_app(&app);
    free(text);
    free(doubled);
    free(tripled);
    free(broken);
}

static const char edge[] = "//!CHANNEL own\n//!REACH 1\n//!OUTPUT own\n//!MAXIMUM 4080\n\nint own()\n{\n"
                           "    return abs(luma(1, 0) - luma(-1, 0));\n}\n";
static uint32_t shown; /* saved texts so far */

static bool is_shown(struct view_app *app)
{
    return app->coding.live.count > shown && app->inside.channels.planes[VIEW_OVERVIEW].filled &&
           app->scene.own_channels != NULL && !app->scene.redraw;
}

/* The channel's picture follows what is saved, also before anything is painted. */
TESTING_CASE(a_channel_is_shown_while_it_is_written)
{
    char *vertical = change(edge, "luma(1, 0) - luma(-1, 0)", "luma(0, 1) - luma(0, -1)");
    const size_t pixels = (size_t)WIDTH * HEIGHT;
    uint8_t *before = malloc(pixels);
    struct view_app app;

    save_text(testing_path("work/own.glsl"), edge, false);
    open_app((struct view_app_params){.memory = 0}, &app);
    run(&app, "open %s", testing_path("work/a.png"));
    go_on_until(&app, is_settled);
    run(&app, "code %s", testing_path("work/own.glsl"));
    go_on_until(&app, is_settled);
    run(&app, "channel own");
    turn(&app);
    turn(&app);
    assert_non_null(before);
    assert_true(app.inside.channels.planes[VIEW_OVERVIEW].filled);
    memcpy(before, app.inside.channels.planes[VIEW_OVERVIEW].pixels, pixels);
    shown = app.coding.live.count;
    save_text(testing_path("work/own.glsl"), vertical, true);
    go_on_until(&app, is_shown);
    turn(&app);
    assert_memory_not_equal(before, app.inside.channels.planes[VIEW_OVERVIEW].pixels, pixels);

    /* A parameter comes, another name, and back. */
    shown = app.coding.live.count;
    free(vertical);
    vertical = change(edge, "//!CHANNEL own\n", "//!CHANNEL mine\n//!PARAM gain\n//!MINIMUM 1\n//!MAXIMUM 3\n");
    save_text(testing_path("work/own.glsl"), vertical, false);
    go_on_until(&app, has_error); /* the channels say own, without a parameter */
    assert_string_equal(shw_project_get_text(app.teaching.project.data, 0).name, "own");
    shown = app.coding.live.count;
    save_text(testing_path("work/own.glsl"), edge, true);
    go_on_until(&app, is_settled);
    close_app(&app);
    free(vertical);
    free(before);
}

static bool is_asked(struct view_app *app)
{
    return view_coding_asks(&app->coding);
}

/* A project is whole when it is moved, and its text runs only when that is allowed. */
TESTING_CASE(nothing_that_comes_inside_a_project_runs_unasked)
{
    struct view_app app;
    uint64_t hash;

    testing_write_doc_example(testing_path(RING));
    open_app((struct view_app_params){.memory = 0}, &app);
    paint(&app);
    run(&app, "code %s", testing_path(RING));
    go_on_until(&app, is_trained);
    hash = shw_forest_hash(app.scene.forest->forest);
    run(&app, "save %s", testing_path("work/p.json"));
    assert_int_equal(shw_forest_save(app.scene.forest->forest, testing_path("work/p.ktx2"), NULL), SHW_OK);
    close_app(&app);
    assert_int_equal(mkdir(testing_path("moved"), 0700), 0);
    assert_int_equal(rename(testing_path("work/p.json"), testing_path("moved/p.json")), 0);
    assert_int_equal(rename(testing_path("work/a.png"), testing_path("moved/a.png")), 0);
    assert_int_equal(remove(testing_path(RING)), 0);

    /* In a script: it does not run until it is told to. */
    open_app((struct view_app_params){.memory = 0}, &app);
    run(&app, "open %s", testing_path("moved/p.json"));
    go_on_until(&app, is_settled);
    for (int i = 0; i < 20; i++)
        turn(&app);
    assert_null(app.scene.forest);
    assert_true(shw_project_is_held_back(app.teaching.project.data));
    run(&app, "add-class third"); /* all else works */
    run(&app, "undo");
    run(&app, "code-list");
    run(&app, "code-run");
    go_on_until(&app, is_trained);
    assert_true(shw_forest_hash(app.scene.forest->forest) == hash);
    close_app(&app);

    /* In a window: it asks. */
    open_app((struct view_app_params){.memory = 0}, &app);
    run(&app, "panels on");
    run(&app, "open %s", testing_path("moved/p.json"));
    go_on_until(&app, is_asked);
    for (int i = 0; i < 20; i++)
        turn(&app);
    run(&app, "code-refuse");
    assert_false(is_asked(&app));
    for (int i = 0; i < 20; i++)
        turn(&app);
    assert_null(app.scene.forest);
    assert_false(view_project_is_unsaved(&app.teaching.project));
    run(&app, "code-run");
    go_on_until(&app, is_trained);
    assert_true(shw_forest_hash(app.scene.forest->forest) == hash);
    assert_false(view_project_is_unsaved(&app.teaching.project));
    close_app(&app);

    /* Allowed beforehand. */
    open_app((struct view_app_params){.trusts_code = true}, &app);
    run(&app, "open %s", testing_path("moved/p.json"));
    go_on_until(&app, is_trained);
    assert_true(shw_forest_hash(app.scene.forest->forest) == hash);
    close_app(&app);
}

static bool has_forest(struct view_app *app)
{
    return app->scene.forest != NULL;
}

TESTING_CASE(nor_does_what_comes_inside_a_forest)
{
    char line[600];
    struct view_app app;

    open_app((struct view_app_params){.memory = 0}, &app);
    snprintf(line, sizeof line, "forest %s", testing_path("work/p.ktx2"));
    assert_int_equal(view_app_run(&app, line), SHW_ERROR_ARGUMENT);
    assert_null(app.scene.forest);
    run(&app, "trust-code on");
    run(&app, "%s", line);
    go_on_until(&app, has_forest);
    assert_non_null(shw_forest_get_info(app.scene.forest->forest)->feature->text);
    close_app(&app);

    open_app((struct view_app_params){.memory = 0}, &app);
    run(&app, "panels on");
    run(&app, "%s", line);
    turn(&app);
    assert_true(is_asked(&app));
    run(&app, "code-refuse");
    turn(&app);
    assert_false(is_asked(&app));
    assert_null(app.scene.forest);
    run(&app, "%s", line);
    go_on_until(&app, is_asked);
    run(&app, "code-run");
    go_on_until(&app, has_forest);
    close_app(&app);
}

/* The option of the program, and a script's end where it is missing. */
TESTING_CASE(scripts_are_told_beforehand)
{
    const char *said;

    script("forest %s\nlabels", testing_path("work/p.ktx2"));
    assert_int_equal(run_script(40, 30, &said), 1);
    assert_non_null(strstr(said, "p.ktx2 brings code of its own as text: the feature type ring (17 lines)"));
    script("forest %s\nopen %s\nwait labels", testing_path("work/p.ktx2"), testing_path("moved/a.png"));
    assert_int_equal(run_script_with("--trust-code", 40, 30, NULL), 0);
}

/* A compiler that never ends holds up neither frames nor the end. */
TESTING_CASE(a_text_that_compiles_for_ever_is_given_up)
{
    char *text = testing_doc_example(), *slow = change(text, "//!FEATURE ring", "//!FEATURE slow"), path[4096];
    char folder[512];
    struct view_app app;

    snprintf(path, sizeof path, "%s", getenv("PATH"));
    snprintf(folder, sizeof folder, "%s", testing_path("compilers"));
    assert_int_equal(mkdir(folder, 0700), 0);
    save_text(testing_path("compilers/cc"), "#!/bin/sh\nexec sleep 100000\n", false);
    assert_int_equal(chmod(testing_path("compilers/cc"), 0700), 0);
    save_text(testing_path("work/slow.glsl"), slow, false);
    open_app((struct view_app_params){.memory = 0}, &app);
    {
        char both[5000];

        snprintf(both, sizeof both, "%s:%s", folder, path);
        assert_int_equal(setenv("PATH", both, 1), 0);
    }
    run(&app, "code %s", testing_path("work/slow.glsl"));
    for (int i = 0; i < 50; i++)
        turn(&app);
    assert_true(view_code_job_is_busy(&app.coding.job));
    close_app(&app);
    assert_int_equal(setenv("PATH", path, 1), 0);
    free(text);
    free(slow);
}

TESTING_FIXTURE(prepare, NULL)
