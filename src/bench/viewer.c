/* The latency that users notice in the viewer: from the end of a stroke to the overlay that was trained with it. The
 * program shadewood-viewer runs a script without a display and prints its own times, which include preparing, training
 * between frames, labelling and drawing. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "base/process.h"
#include "bench/document.h"
#include "bench/setting.h"
#include "files/image/image_write.h"

#define PROGRAM      "shadewood-viewer"
#define CLASSES      5u
#define SMALL_RUNS   3u /* without hardware */
#define OVERLAYS_MAX 9u

extern char **environ;

/* A picture, and what is painted on it. */
struct painting {
    const char *stage, *title;
    uint32_t width, height;
    uint32_t runs;
    bool anew; /* each time in a new project, as its first overlay; otherwise one stroke after the other in one project
                */
};

/* The parts of a time, each a row of its own. */
static const struct {
    const char *member, *stage, *title;
} parts[] = {{"stroke_ms", "", ""},
             {"prepared_ms", "-prepared", ": until training begins"},
             {"trained_ms", "-trained", ": training the first forest"},
             {"shown_ms", "-shown", ": from the forest to the frame with its labels"}};

#define PARTS (sizeof parts / sizeof *parts)

struct files {
    char folder[64], picture[96], script[96], out[96], messages[96];
};

static enum shw_result make_files(const struct shw_log *log, struct files *files)
{
    static const char *const names[] = {"picture.png", "script", "out", "messages"};
    char *paths[] = {files->picture, files->script, files->out, files->messages};

    snprintf(files->folder, sizeof files->folder, "/tmp/shadewood-bench-XXXXXX");
    if (mkdtemp(files->folder) == NULL)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s: %s", files->folder, strerror(errno));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        snprintf(paths[i], sizeof files->picture, "%s/%s", files->folder, names[i]);
    return SHW_OK;
}

static void remove_files(const struct files *files)
{
    unlink(files->picture);
    unlink(files->script);
    unlink(files->out);
    unlink(files->messages);
    rmdir(files->folder);
}

/* Five classes; a stroke of each that is not waited for, and then as many as are timed, of 21 x 465 pixels each. */
static void paint_strokes(FILE *script, uint32_t strokes, bool is_small)
{
    for (uint32_t s = 0; s < strokes + CLASSES; s++) {
        uint32_t x = s * 37 % 120, y = s * 83;

        fprintf(script, "stroke %u 10 %u %u %u %u\n", s % CLASSES, 30 + x, 20 + y % 440, 485 + x, 20 + (y + 20) % 440);
        if (s >= CLASSES)
            fprintf(script, "latency json\nwait %u\n", is_small ? 2u : 20u);
    }
}

/* Two strokes of 200 x 13 pixels in a new project, some time after its beginning, in which the trainer and the worker
 * get ready. */
static void paint_anew(FILE *script, const struct painting *painting, uint32_t times, bool is_small)
{
    for (uint32_t t = 0; t < times; t++) {
        uint32_t x = painting->width / 4 + 16 * t, y = painting->height / 3;

        fprintf(script, "project new\nadd-class one\nadd-class other\nsleep %s\n", is_small ? "0.1" : "1");
        fprintf(script, "stroke 0 6 %u %u %u %u\n", x, y, x + 200, y);
        fprintf(script, "stroke 1 6 %u %u %u %u\nlatency json\n", x, 2 * y, x + 200, 2 * y);
    }
}

static enum shw_result write_files(const struct shw_bench *bench, const struct painting *painting,
                                   const struct files *files)
{
    const bool is_small = shw_bench_is_small(bench);
    struct shw_image image;
    enum shw_result result;
    FILE *script;

    SHW_PROPAGATE(shw_bench_image(painting->width, painting->height, &bench->log, &image));
    result = shw_png_write(files->picture, &image, &bench->log);
    free((void *)(uintptr_t)image.pixels);
    if (result != SHW_OK)
        return result;
    script = fopen(files->script, "w");
    if (script == NULL)
        return shw_fail(&bench->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s: %s", files->script, strerror(errno));
    fprintf(script, "open %s\n", files->picture);
    if (painting->anew) {
        paint_anew(script, painting, painting->runs, is_small);
    } else {
        fprintf(script, "project new\n");
        for (uint32_t c = 0; c < CLASSES; c++)
            fprintf(script, "add-class class-%u\n", c + 1);
        paint_strokes(script, painting->runs, is_small);
    }
    if (fclose(script) != 0)
        return shw_fail(&bench->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s: %s", files->script, strerror(errno));
    return SHW_OK;
}

/* The viewer beside this program or, if there is none, of the search path. */
static void find_program(char path[PATH_MAX + sizeof PROGRAM])
{
    char *name;

    shw_process_path(path, PATH_MAX);
    name = strrchr(path, '/');
    if (name != NULL)
        memcpy(name + 1, PROGRAM, sizeof PROGRAM);
    if (name == NULL || access(path, X_OK) != 0)
        memcpy(path, PROGRAM, sizeof PROGRAM);
}

/* Runs the script. *why: the reason why it could not be run, or "". Errors: of the system. */
static enum shw_result run_viewer(const struct shw_bench *bench, const struct files *files, char *why, size_t why_size)
{
    char program[PATH_MAX + sizeof PROGRAM], device[16], *size = shw_bench_is_small(bench) ? "640x480" : "1280x800";
    char *arguments[] = {
        program, "--headless", "--device", device, "--size", size, "--script", (char *)(uintptr_t)files->script, NULL};
    posix_spawn_file_actions_t actions;
    FILE *messages;
    pid_t child;
    int status, error;

    find_program(program);
    snprintf(device, sizeof device, "%u", bench->device_index);
    *why = '\0';
    if (posix_spawn_file_actions_init(&actions) != 0)
        return shw_fail_memory(&bench->log, "a program");
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, files->out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, files->messages, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    error = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        snprintf(why, why_size,
                 error == ENOENT ? "there is no " PROGRAM " beside shadewood or in the PATH" : PROGRAM ": %s",
                 strerror(error));
        return SHW_OK;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return shw_fail(&bench->log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, PROGRAM ": %s", strerror(errno));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return SHW_OK;
    snprintf(why, why_size, PROGRAM " failed");
    messages = fopen(files->messages, "r");
    while (messages != NULL && fgets(why, (int)why_size, messages) != NULL)
        why[strcspn(why, "\n")] = '\0'; /* the last line stays */
    if (messages != NULL)
        fclose(messages);
    return SHW_OK;
}

/* Reads the times of all runs. False: their number is not the requested one. */
static bool read_times(const struct files *files, uint32_t runs, struct shw_bench_times times[PARTS])
{
    FILE *out = fopen(files->out, "r");
    char line[512];
    uint32_t count = 0;
    bool good = out != NULL;

    while (good && fgets(line, sizeof line, out) != NULL) {
        json_t *json = json_loads(line, 0, NULL);

        good = json != NULL && count < runs;
        for (size_t p = 0; good && p < PARTS; p++) {
            times[p].wall[count] = json_number_value(json_object_get(json, parts[p].member));
            good = times[p].wall[count] > 0;
        }
        json_decref(json);
        count++;
    }
    if (out != NULL)
        fclose(out);
    for (size_t p = 0; p < PARTS; p++)
        times[p].runs = count;
    return good && count == runs;
}

static enum shw_technique trainer_of(const struct shw_bench *bench)
{
    return bench->description.is_cpu ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
}

static enum shw_result add(struct shw_bench *bench, const struct painting *painting, size_t part,
                           const struct shw_bench_times *times, const char *why)
{
    char id[96], stage[48], title[128];
    const struct shw_bench_row row = {.suite = "viewer",
                                      .stage = stage,
                                      .technique = shw_technique_name(trainer_of(bench)),
                                      .title = title,
                                      .id = id,
                                      .setting = json_pack("{s:i, s:i, s:i}", "width", (int)painting->width, "height",
                                                           (int)painting->height, "classes",
                                                           painting->anew ? 2 : (int)CLASSES),
                                      .times = times,
                                      .skipped = times == NULL ? why : NULL,
                                      .equals_cpu = -1,
                                      .unchecked = times != NULL ? "the tests of the viewer compare its labels" : NULL};

    snprintf(stage, sizeof stage, "%s%s", painting->stage, parts[part].stage);
    snprintf(title, sizeof title, "%s%s", painting->title, parts[part].title);
    snprintf(id, sizeof id, "viewer/%s/%ux%u/%s", stage, painting->width, painting->height, row.technique);
    return shw_bench_add(bench, &row) != NULL ? SHW_OK : SHW_ERROR_MEMORY;
}

static enum shw_result time_painting(struct shw_bench *bench, const struct painting *painting,
                                     struct shw_bench_times times[PARTS])
{
    struct files files;
    char why[sizeof bench->message];
    enum shw_result result;

    if (bench->device == NULL)
        return add(bench, painting, 0, NULL, "the viewer needs a Vulkan device");
    if (bench->stops != NULL && bench->stops(bench->user))
        return SHW_ERROR_CANCELLED;
    shw_bench_say(bench, "viewer: %s", painting->title);
    SHW_PROPAGATE(make_files(&bench->log, &files));
    SHW_TRY(write_files(bench, painting, &files));
    SHW_TRY(run_viewer(bench, &files, why, sizeof why));
    if (*why == '\0' && !read_times(&files, painting->runs, times))
        snprintf(why, sizeof why, PROGRAM " printed no times: is it of another version?");
    if (*why != '\0')
        result = add(bench, painting, 0, NULL, why);
    for (size_t p = 0; *why == '\0' && result == SHW_OK && p < PARTS; p++)
        result = add(bench, painting, p, &times[p], NULL);

fail:
    remove_files(&files);
    return result;
}

enum shw_result shw_bench_viewer(struct shw_bench *bench)
{
    bool is_small = shw_bench_is_small(bench);
    uint32_t most = is_small ? SMALL_RUNS : SHW_BENCH_RUNS_MAX;
    uint32_t runs = bench->options.runs < most ? bench->options.runs : most;
    const struct painting paintings[] = {
        {.stage = "stroke",
         .title = "from the end of a stroke of 10,000 pixels to its overlay",
         .width = 640,
         .height = 480,
         .runs = runs},
        {.stage = "first-overlay",
         .title = "from the end of the second stroke on a large picture to the first overlay",
         .width = is_small ? 1600 : 4000,
         .height = is_small ? 1400 : 3000,
         .runs = runs < OVERLAYS_MAX ? runs : OVERLAYS_MAX,
         .anew = true}};
    struct shw_bench_times *times;
    enum shw_result result = SHW_OK;

    if (!shw_bench_wants(bench, trainer_of(bench)))
        return SHW_OK;
    times = calloc(PARTS, sizeof *times);
    if (times == NULL)
        return shw_fail_memory(&bench->log, "a suite of the bench");
    for (size_t p = 0; p < sizeof paintings / sizeof *paintings && result == SHW_OK; p++)
        result = time_painting(bench, &paintings[p], times);
    free(times);
    return result;
}
