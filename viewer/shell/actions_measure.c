#include "shell/app.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include <shadewood/technique.h>

#include "action/action.h"
#include "base/log.h"
#include "base/text.h"

#define FRAMES_MAX 100000

static const uint32_t percents[] = {5, 50, 95, 99};
#define PERCENTS (sizeof percents / sizeof *percents)

static void print_watch(const struct view_watch *watch)
{
    printf("the window's thread looked at events at least every %.3f ms, %llu times later than %.0f ms; with waits for "
           "the display every %.3f ms\n",
           1e3 * watch->longest, (unsigned long long)watch->late, 1e3 * VIEW_WATCH_LATE, 1e3 * watch->longest_in_all);
    printf("it waited for");
    for (uint32_t kind = 0; kind < VIEW_BLOCK_COUNT; kind++)
        printf("%s %s %llu", kind > 0 ? "," : "", view_block_names[kind], (unsigned long long)watch->blocks[kind]);
    printf("\n");
}

static json_t *watch_json(const struct view_watch *watch)
{
    json_t *json = json_object(), *waits = json_object();

    for (uint32_t kind = 0; kind < VIEW_BLOCK_COUNT; kind++)
        json_object_set_new(waits, view_block_names[kind], json_integer((json_int_t)watch->blocks[kind]));
    json_object_set_new(json, "longest_ms", json_real(1e3 * watch->longest));
    json_object_set_new(json, "longest_in_all_ms", json_real(1e3 * watch->longest_in_all));
    json_object_set_new(json, "late", json_integer((json_int_t)watch->late));
    json_object_set_new(json, "waits", waits);
    return json;
}

static enum shw_result print_times(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    printf("%-9s  %5s  %8s  %8s  %8s  %8s  %8s\n", "ms", "times", "last", "5 %", "median", "95 %", "99 %");
    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++) {
        const struct view_ring *ring = &app->frames.times.rings[kind];
        if (ring->count == 0)
            continue;
        printf("%-9s  %5u  %8.3f", view_time_names[kind], view_ring_kept(ring), view_ring_last(ring));
        for (uint32_t p = 0; p < PERCENTS; p++)
            printf("  %8.3f", view_ring_percentile(ring, percents[p]));
        printf("\n");
    }
    print_watch(&app->frames.watch);
    fflush(stdout);
    return SHW_OK;
}

static json_t *ring_json(const struct view_ring *ring)
{
    json_t *json = json_object();
    static const char *const names[PERCENTS] = {"p5", "median", "p95", "p99"};

    json_object_set_new(json, "count", json_integer(view_ring_kept(ring)));
    for (uint32_t p = 0; p < PERCENTS; p++)
        json_object_set_new(json, names[p], json_real(view_ring_percentile(ring, percents[p])));
    return json;
}

/* Prints the measurements as one line of JSON; times in milliseconds. */
static enum shw_result print_json(struct view_app *app)
{
    const struct view_frames *frames = &app->frames;
    uint64_t count = frames->count - frames->cleared_count, labellings = frames->times.rings[VIEW_TIME_LABELS].count;
    double seconds = view_clock() - frames->cleared;
    json_t *json = json_object(), *times = json_object(), *techniques = json_array();
    enum shw_technique used[SHW_STAGE_COUNT];
    bool printed;

    view_labelling_techniques(&app->scene.labelling, used);
    for (uint32_t s = 0; s < SHW_STAGE_COUNT; s++)
        json_array_append_new(techniques, json_string(shw_technique_name(used[s])));
    for (uint32_t kind = 0; kind < VIEW_TIME_COUNT; kind++)
        if (app->frames.times.rings[kind].count > 0)
            json_object_set_new(times, view_time_names[kind], ring_json(&app->frames.times.rings[kind]));
    json_object_set_new(json, "device", json_string(app->gpu.properties.deviceName));
    json_object_set_new(json, "canvas",
                        json_pack("[i, i]", (int)app->canvas.image.extent.width, (int)app->canvas.image.extent.height));
    if (app->scene.picture != NULL)
        json_object_set_new(
            json, "picture",
            json_pack("[i, i]", (int)app->scene.picture->image.width, (int)app->scene.picture->image.height));
    json_object_set_new(json, "techniques", techniques);
    json_object_set_new(json, "frames", json_integer((json_int_t)count));
    json_object_set_new(json, "frames_per_second", json_real((double)count / seconds));
    json_object_set_new(json, "labellings", json_integer((json_int_t)labellings));
    json_object_set_new(json, "labellings_per_second", json_real((double)labellings / seconds));
    json_object_set_new(json, "ms", times);
    json_object_set_new(json, "window", watch_json(&frames->watch));
    printed = json_dumpf(json, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(6)) == 0;
    printf("\n");
    fflush(stdout);
    json_decref(json);
    return printed ? SHW_OK : shw_fail_memory(&app->log, "what was measured");
}

/* Renders frames. If every frame is complete, each labels anew; otherwise a new labelling begins whenever one has
 * finished. */
static enum shw_result render(struct view_app *app, uint32_t frames)
{
    for (uint32_t f = 0; f < frames; f++) {
        if (app->scene.labelling.budget <= 0.0 || view_scene_is_current(&app->scene))
            app->scene.labelling.wanted = true;
        SHW_PROPAGATE(view_app_frame(app, NULL));
    }
    return view_frames_wait(&app->gpu, &app->frames);
}

static enum shw_result measure(void *user, const char *argument)
{
    struct view_app *app = user;
    int64_t frames;

    if (!view_parse_number(argument, 1, FRAMES_MAX, &frames))
        return view_action_refuse(&app->log, "a number of frames", argument);
    SHW_PROPAGATE(render(app, 4)); /* pipelines are created, and times become known */
    view_frames_clear_times(&app->frames);
    SHW_PROPAGATE(render(app, (uint32_t)frames));
    return print_json(app);
}

static enum shw_result report(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    return print_json(app);
}

static enum shw_result forget(void *user, const char *argument)
{
    struct view_app *app = user;

    (void)argument;
    view_frames_clear_times(&app->frames);
    return SHW_OK;
}

/* A count becomes available a few frames after the labels. */
static enum shw_result print_shares(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_scene *scene = &app->scene;
    const struct view_classes classes = view_scene_classes(scene);
    enum shw_result result;

    (void)argument;
    if (scene->forest == NULL || scene->picture == NULL)
        return view_action_refuse(&app->log, "a picture with labels", "what is shown");
    scene->count_shares = true;
    do
        result = view_app_frame(app, NULL);
    while (result == SHW_OK && (!view_scene_is_complete(scene) || (view_labelling_has_labels(&scene->labelling) &&
                                                                   view_class_shares_pending(&scene->shares))));
    scene->count_shares = false;
    SHW_PROPAGATE(result);
    if (!view_labelling_has_labels(&scene->labelling)) /* the reason was logged when they could not be made */
        return view_action_refuse(&app->log, "a picture with labels", "what is shown");
    for (uint32_t c = 0; c < scene->shares.classes; c++)
        printf("%s: %.4f %%\n",
               shw_printable(c < classes.count && classes.list != NULL ? classes.list[c].name : "class").text,
               100.0 * (double)scene->shares.shares[c]);
    return SHW_OK;
}

static void print_stroke(const struct view_stroke_times *times)
{
    printf("from the end of the stroke to its overlay: %.3f ms\n", 1e3 * (times->shown - times->ended));
    if (times->covered > 0 && times->covered < times->shown)
        printf("  preview of all that is seen: %.3f ms\n", 1e3 * (times->covered - times->ended));
    printf("  begun %.3f ms, prepared %.3f ms, trained %.3f ms (%u slices, %.3f ms), labelled and drawn %.3f ms\n",
           1e3 * (times->training.begun - times->ended), 1e3 * (times->training.prepared - times->training.begun),
           1e3 * (times->training.grown - times->training.prepared), times->slices, 1e3 * times->slice_seconds,
           1e3 * (times->shown - times->training.grown));
}

/* As one line of JSON, in milliseconds; the suite `viewer` of the bench reads it. */
static void print_stroke_json(const struct view_stroke_times *times, bool recorded)
{
    printf("{\"stroke_ms\":%.4f,\"prepared_ms\":%.4f,\"trained_ms\":%.4f,\"shown_ms\":%.4f,\"slices\":%u,"
           "\"trainer\":\"%s\"}\n",
           1e3 * (times->shown - times->ended), 1e3 * (times->training.prepared - times->ended),
           1e3 * (times->training.grown - times->training.prepared), 1e3 * (times->shown - times->training.grown),
           times->slices, view_trainer_names[recorded ? VIEW_TRAINER_DEVICE : VIEW_TRAINER_CPU]);
    fflush(stdout);
}

/* Renders frames until a forest trained with the last stroke has labelled the picture. */
static enum shw_result print_latency(void *user, const char *argument)
{
    struct view_app *app = user;
    struct view_teaching *teaching = &app->teaching;
    const struct view_stroke_times *times = &teaching->times;
    const bool as_json = strcmp(argument, "json") == 0;

    if (!as_json && *argument != '\0')
        return view_action_refuse(&app->log, "json, or nothing", argument);
    SHW_PROPAGATE(view_project_need(&teaching->project, &teaching->scene->log));
    if (times->ended == 0)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "nothing has been painted yet");
    teaching->wait = VIEW_WAIT_SMALL;
    while (teaching->wait != VIEW_WAIT_NONE) {
        bool waits;
        SHW_PROPAGATE(view_app_frame(app, NULL));
        SHW_PROPAGATE(view_teaching_waits(teaching, &waits));
    }
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    view_teaching_notice(teaching, 0.0);
    if (as_json)
        print_stroke_json(times, view_teaching_is_recorded(teaching));
    else
        print_stroke(times);
    return SHW_OK;
}

/* From pictures of a camera to their overlays. */
static enum shw_result print_camera(void *user, const char *argument)
{
    struct view_app *app = user;
    const struct view_ring *ring = &app->frames.times.rings[VIEW_TIME_CAMERA];

    (void)argument;
    SHW_PROPAGATE(view_frames_wait(&app->gpu, &app->frames));
    view_camera_delay_check(&app->delay, &app->scene.labelling.params);
    if (ring->count == 0)
        return shw_fail(&app->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "no picture of a camera has been shown yet");
    printf("from capture to overlay: median %.3f ms, 95 %% %.3f ms, of %u pictures\n", view_ring_percentile(ring, 50),
           view_ring_percentile(ring, 95), view_ring_kept(ring));
    fflush(stdout);
    return SHW_OK;
}

static const struct view_action actions[] = {
    {"times", NULL, "print the times of the last frames", print_times},
    {"forget", NULL, "reset these times", forget},
    {"report", NULL, "print times, and rates since `forget`, as a line of JSON", report},
    {"measure", "FRAMES", "reset the times, label and draw this many frames without a display, and report", measure},
    {"shares", NULL, "print each class's share of the picture's pixels", print_shares},
    {"latency", "[json]", "print the time from the end of the last stroke to the first overlay trained with it",
     print_latency},
    {"camera-delay", NULL, "print the time from a camera's pictures to their overlays, for the last 256 pictures",
     print_camera},
    {0}};

static const struct view_key keys[] = {
    {"Ctrl+T", "times", "print times"}, {"G", "panel performance toggle", "times per stage"}, {0}};

const struct view_action_group view_measure_group = {"Measurements", actions, keys};
