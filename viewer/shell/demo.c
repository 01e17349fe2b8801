#include "shell/demo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "files/image/image_write.h"
#include "files/io/image_paths.h"
#include "files/project/project.h"
#include "files/synth/synth.h"

#define WIDTH    480u
#define HEIGHT   360u
#define PICTURES 6u
#define SEED     7u
#define MARGIN   5  /* pixels between a stroke's line and pixels of other classes */
#define RADIUS   3u /* of strokes */
#define LONGEST  70 /* of a stroke, in pixels */
#define STROKES  4  /* of a class, at most */
#define APART    40 /* pixels between them */
#define FILE_OF  "demo.json"

/* The classes to teach, and those of the rendered rooms that are theirs; the last has all others. */
static const struct {
    const char *name, *parts;
    uint8_t colour[3];
} classes[] = {{"floor", " floor ", {214, 140, 60}},
               {"wall", " wall picture ", {150, 200, 120}},
               {"ceiling", " ceiling ", {235, 225, 150}},
               {"window", " window door ", {86, 180, 233}},
               {"furniture", " table chair sofa bed shelf lamp ", {130, 110, 210}},
               {"person", "", {230, 80, 70}}};

#define CLASSES (sizeof classes / sizeof *classes)

static char *usual_folder(void)
{
    return shw_path_of_user("XDG_DATA_HOME", ".local/share", "shadewood/demo/");
}

static void write_name(uint32_t picture, char name[32])
{
    snprintf(name, 32, "room-%u.png", picture + 1);
}

/* The class of a rendered one. */
static uint32_t class_of(uint16_t label)
{
    char part[64];

    if (label >= shw_synth_class_count)
        return UINT32_MAX;
    snprintf(part, sizeof part, " %s ", shw_synth_classes[label].name);
    for (uint32_t c = 0; c < CLASSES; c++)
        if (strstr(classes[c].parts, part) != NULL)
            return c;
    return CLASSES - 1;
}

/* Whether all around a pixel is of a class. */
static bool is_inside(const uint16_t *labels, uint32_t number, int x, int y)
{
    for (int v = y - MARGIN; v <= y + MARGIN; v++)
        for (int u = x - MARGIN; u <= x + MARGIN; u += MARGIN)
            if (u < 0 || v < 0 || u >= (int)WIDTH || v >= (int)HEIGHT ||
                class_of(labels[(size_t)v * WIDTH + (size_t)u]) != number)
                return false;
    return true;
}

/* A part of a row. */
struct run {
    int y, from, to; /* from = to: there is none */
};

static bool is_near(const struct run *run, int x, int y)
{
    return abs(y - run->y) < APART && x > run->from - APART && x < run->to + APART;
}

/* The longest one inside a class, away from strokes. */
static struct run find_run(const uint16_t *labels, uint32_t number, const struct run *strokes, int count)
{
    struct run best = {0};

    for (int y = MARGIN; y < (int)HEIGHT - MARGIN; y++)
        for (int x = MARGIN, from = MARGIN; x < (int)WIDTH - MARGIN; x++) {
            bool free = is_inside(labels, number, x, y);
            for (int s = 0; s < count; s++)
                free = free && !is_near(&strokes[s], x, y);
            if (!free)
                from = x + 1;
            else if (x + 1 - from > best.to - best.from)
                best = (struct run){y, from, x + 1};
        }
    if (best.to - best.from > LONGEST) {
        best.from = (best.from + best.to - LONGEST) / 2;
        best.to = best.from + LONGEST;
    }
    return best;
}

/* Strokes as a person would begin with. */
static enum shw_result paint(struct shw_project *project, const uint16_t *labels)
{
    for (uint32_t c = 0; c < CLASSES; c++) {
        struct run runs[STROKES];
        for (int s = 0; s < STROKES; s++) {
            struct run *run = &runs[s];
            *run = find_run(labels, c, runs, s);
            if (run->to == run->from)
                break;
            SHW_PROPAGATE(shw_project_begin_stroke(project, 0, c, RADIUS, (struct shw_point){run->from, run->y}));
            SHW_PROPAGATE(shw_project_extend_stroke(project, (struct shw_point){run->to - 1, run->y}));
            shw_project_end_stroke(project);
        }
    }
    return SHW_OK;
}

/* A file of that name stays as it is. */
static enum shw_result write_picture(const struct view_demo *demo, uint32_t picture, const uint8_t *rgb)
{
    const struct shw_image image = {.pixels = rgb, .width = WIDTH, .height = HEIGHT, .format = SHW_PIXEL_RGB8};
    char name[32], *path;
    enum shw_result result;

    write_name(picture, name);
    path = shw_path_in(demo->folder, name);
    if (path == NULL)
        return shw_fail_memory(&demo->log, "the demo");
    result = access(path, F_OK) == 0 ? SHW_OK : shw_png_write(path, &image, &demo->log);
    free(path);
    return result;
}

static enum shw_result render(struct view_demo *demo, struct shw_project *project, uint8_t *rgb, uint16_t *labels)
{
    const struct shw_synth_params params = {
        .width = WIDTH, .height = HEIGHT, .count = PICTURES, .frames = PICTURES, .seed = SEED, .log = demo->log};

    for (uint32_t p = 0; p < PICTURES; p++) {
        char name[32];
        uint32_t number;
        if (view_job_is_stopped(&demo->job))
            return SHW_ERROR_CANCELLED;
        SHW_PROPAGATE(shw_synth_render(&params, p, rgb, labels, NULL));
        SHW_PROPAGATE(write_picture(demo, p, rgb));
        write_name(p, name);
        SHW_PROPAGATE(shw_project_find_picture(project, name, WIDTH, HEIGHT, &number));
        if (p == 0)
            SHW_PROPAGATE(paint(project, labels));
    }
    return SHW_OK;
}

static enum shw_result make(struct view_demo *demo, struct shw_project *project, const char *path)
{
    uint8_t *rgb = malloc((size_t)WIDTH * HEIGHT * 3);
    uint16_t *labels = malloc((size_t)WIDTH * HEIGHT * sizeof *labels);
    char name[32];
    enum shw_result result = SHW_OK;

    if (rgb == NULL || labels == NULL)
        result = shw_fail_memory(&demo->log, "the demo");
    for (uint32_t c = 0; result == SHW_OK && c < CLASSES; c++)
        result = shw_project_add_class(project, classes[c].name, classes[c].colour);
    if (result == SHW_OK)
        result = shw_project_set_folder(project, demo->folder);
    if (result == SHW_OK)
        result = render(demo, project, rgb, labels);
    write_name(0, name);
    if (result == SHW_OK)
        result = shw_project_set_shown(project, name);
    if (result == SHW_OK)
        result = shw_project_write(project, path);
    free(rgb);
    free(labels);
    return result;
}

static enum shw_result work(void *user)
{
    struct view_demo *demo = user;
    struct shw_project *project = NULL;
    char *path = shw_path_in(demo->folder, FILE_OF);
    enum shw_result result = SHW_OK;

    if (path == NULL)
        return shw_fail_memory(&demo->log, "the demo");
    if (access(path, F_OK) != 0) {
        shw_make_private_folders(path);
        result = access(demo->folder, W_OK | X_OK) == 0
                     ? shw_project_create(&demo->log, &project)
                     : shw_fail(&demo->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE,
                                "the demo cannot be made: no files can be written to %s", demo->folder);
        if (result == SHW_OK)
            result = make(demo, project, path);
        shw_project_destroy(&project);
    }
    free(path);
    return result;
}

enum shw_result view_demo_begin(struct view_demo *demo, const struct shw_log *log)
{
    static const struct view_job_kind kind = {"the demo", (enum shw_priority)0, work, NULL};

    if (demo->awaited)
        return SHW_OK;
    if (!demo->started) {
        demo->folder = usual_folder();
        if (demo->folder == NULL)
            return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "there is no home folder for the demo");
        view_job_init(&demo->job, &kind, demo);
        demo->started = true;
    }
    demo->log = *log;
    SHW_PROPAGATE(view_job_begin(&demo->job, log));
    demo->awaited = true;
    return SHW_OK;
}

enum shw_result view_demo_poll(struct view_demo *demo, char **project)
{
    *project = NULL;
    if (!demo->awaited || !view_job_is_done(&demo->job))
        return SHW_OK;
    demo->awaited = false;
    SHW_PROPAGATE(view_job_take(&demo->job));
    *project = shw_path_in(demo->folder, FILE_OF);
    return *project != NULL ? SHW_OK : shw_fail_memory(&demo->log, "the demo");
}

void view_demo_free(struct view_demo *demo)
{
    if (demo->started)
        view_job_free(&demo->job);
    free(demo->folder);
    *demo = (struct view_demo){0};
}
