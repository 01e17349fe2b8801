#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "files/dataset/pattern.h"
#include "files/depth/height.h"
#include "files/depth/prepare.h"
#include "files/io/image_paths.h"

static const char *const fills[] = {"simple", "colorization", "none", NULL}; /* enum shw_depth_fill */

/* A depth image and its result. */
struct item {
    struct shw_depth_files files;
    struct shw_prepared prepared;
    enum shw_result result;
    double seconds;
};

struct command {
    struct cli_report report;
    struct shw_depth_settings settings;
    struct shw_output_files outputs;
    const char *output, *depth, *images;
    int fill;
    bool heights;
    struct shw_option_reals alpha, focal, centre;
    uint32_t threads;

    struct item *items;
    uint32_t count, capacity;
    atomic_uint done;
    double start;
};

static int fail_memory(struct command *command)
{
    return cli_fail(&command->report, "not enough memory for the names of the images");
}

static bool needs_colours(const struct command *command)
{
    return command->settings.fill == SHW_DEPTH_FILL_COLORIZATION;
}

/* The path of a result below the output folder, to be freed with free(). */
static char *result_path(const struct command *command, const char *name, const char *ending)
{
    char *file = shw_path_join(name, ending, ""), *path = file != NULL ? shw_path_in(command->output, file) : NULL;

    free(file);
    return path;
}

/* Adds an image, whose results are called NAME_depth.png and NAME_height.png. Takes ownership of the paths; `colours`
 * may be NULL. */
static int add_item(struct command *command, char *depth, char *colours, const char *name)
{
    bool fills_it = command->settings.fill != SHW_DEPTH_FILL_NONE;
    struct shw_depth_files files = {.depth = depth, .colours = colours};
    bool complete = depth != NULL && (colours != NULL || !needs_colours(command)) &&
                    SHW_RESERVE(command->items, command->capacity, command->count + (size_t)1);

    if (complete && fills_it)
        complete = (files.filled = result_path(command, name, "_depth.png")) != NULL;
    if (complete && command->heights)
        complete = (files.heights = result_path(command, name, "_height.png")) != NULL;
    if (complete) {
        command->items[command->count++] = (struct item){.files = files};
        return SHW_CONTINUE;
    }
    free(depth);
    free(colours);
    free(files.filled);
    return fail_memory(command);
}

/* The output folder as a path that begins like those of the folder's images, if it is inside; otherwise NULL. */
static char *find_results(const struct command *command, const char *folder)
{
    char *outer = realpath(folder, NULL), *inner = realpath(command->output, NULL), *path = NULL;
    size_t length = outer != NULL ? strlen(outer) : 0;

    if (outer != NULL && inner != NULL && strncmp(inner, outer, length) == 0 && inner[length] == '/')
        path = shw_pattern_join(folder, inner + length + 1);
    free(outer);
    free(inner);
    return path;
}

static bool is_below(const char *path, const char *folder)
{
    size_t length = folder != NULL ? strlen(folder) : 0;

    return folder != NULL && path != NULL && strncmp(path, folder, length) == 0 && path[length] == '/';
}

/* Adds the images of a folder, with their colour images if needed, except results of earlier calls. */
static int list_folder(struct command *command, const char *folder)
{
    const struct shw_log log = cli_log(&command->report);
    char *depth = shw_pattern_join(folder, command->depth), *colours = shw_pattern_join(folder, command->images);
    const struct shw_example_patterns patterns = {.images = depth,
                                                  .inputs = {{.name = "colour", .path = colours}},
                                                  .input_count = needs_colours(command),
                                                  .hint = "--depth"};
    struct shw_names names = {0};
    char *results = find_results(command, folder);
    int code = SHW_CONTINUE;

    if (depth == NULL || colours == NULL)
        code = fail_memory(command);
    else
        code = shw_names_find(&patterns, &log, &names) == SHW_OK ? SHW_CONTINUE : SHW_EXIT_FAILURE;
    for (size_t i = 0; i < names.count && code == SHW_CONTINUE; i++) {
        const char *name = names.names[names.order[i]].text;
        char *path = shw_pattern_fill(depth, name, strlen(name));

        if (is_below(path, results)) {
            free(path);
            continue;
        }
        code = add_item(command, path, needs_colours(command) ? shw_pattern_fill(colours, name, strlen(name)) : NULL,
                        name);
    }
    shw_names_free(&names);
    free(results);
    free(depth);
    free(colours);
    return code;
}

/* The shortest end of the path, from a slash on, that matches the pattern of depth; NULL if none does. */
static const char *find_match(const struct command *command, const char *path, const char **name, size_t *length)
{
    for (const char *end = path + strlen(path); end-- > path;)
        if ((end == path || end[-1] == '/') && shw_pattern_match(command->depth, end, name, length))
            return end;
    return NULL;
}

/* The colour image beside a depth image of that name, to be freed with free(); NULL after a message, or if none is
 * needed. */
static char *find_colours(struct command *command, const char *path, const char *root, const char *name)
{
    char *pattern = shw_pattern_join(root, command->images);
    char *colours = pattern != NULL ? shw_pattern_fill(pattern, name, strlen(name)) : NULL;

    free(pattern);
    if (colours == NULL)
        fail_memory(command);
    if (colours == NULL || shw_is_file(colours))
        return colours;
    cli_fail(&command->report, "%s has no colour image %s: say where it is with --images", path, colours);
    free(colours);
    return NULL;
}

/* Adds a file. Its colours lie beside it as in a folder. */
static int add_file(struct command *command, const char *path)
{
    char base[SHW_BASE_NAME_SIZE], *root, *name, *colours = NULL;
    const char *found = shw_image_base_name(path, base), *end;
    size_t length = strlen(found);
    int code = SHW_EXIT_FAILURE;

    end = find_match(command, path, &found, &length);
    root = strndup(path, (size_t)((end != NULL ? end : shw_path_last(path)) - path));
    name = strndup(found, length);
    if (root == NULL || name == NULL)
        code = fail_memory(command);
    else if (!needs_colours(command) || (colours = find_colours(command, path, root, name)) != NULL)
        code = add_item(command, strdup(path), colours, name);
    free(root);
    free(name);
    return code;
}

static int list_images(struct command *command, char **arguments, int count)
{
    int code = SHW_CONTINUE;

    for (int i = 0; i < count && code == SHW_CONTINUE; i++) {
        struct stat status;
        bool is_folder = stat(arguments[i], &status) == 0 && S_ISDIR(status.st_mode);

        code = is_folder ? list_folder(command, arguments[i]) : add_file(command, arguments[i]);
    }
    return code;
}

static int make_folder_of(struct command *command, const char *path)
{
    char *folder = path != NULL ? strndup(path, (size_t)(shw_path_last(path) - path)) : NULL;
    int code = SHW_CONTINUE;

    if (path != NULL)
        code = folder != NULL ? cli_make_folder(&command->report, folder) : fail_memory(command);
    free(folder);
    return code;
}

/* Creates the folders and checks what is read and written. */
static int check_files(struct command *command)
{
    int code = cli_make_folder(&command->report, command->output);

    for (uint32_t i = 0; i < command->count && code == SHW_CONTINUE; i++) {
        const struct shw_depth_files *files = &command->items[i].files;

        shw_output_files_read(&command->outputs, files->depth);
        shw_output_files_read(&command->outputs, files->colours);
        shw_output_files_write(&command->outputs, files->filled, &shw_file_depth);
        shw_output_files_write(&command->outputs, files->heights, &shw_file_height);
        code = make_folder_of(command, files->filled != NULL ? files->filled : files->heights);
    }
    return code == SHW_CONTINUE ? cli_check_outputs(&command->report, &command->outputs) : code;
}

static void show_progress(const struct command *command, uint32_t done)
{
    double seconds = shw_clock() - command->start;
    char text[160];

    snprintf(text, sizeof text, "image %u of %u, %.1f images/s", done, command->count, done / seconds);
    if (command->count > 1)
        cli_progress(&command->report, (double)done / command->count, text);
}

static void prepare_one(void *user, uint32_t index, uint32_t thread)
{
    struct command *command = user;
    struct item *item = &command->items[index];
    struct cli_report own = command->report; /* the first error of each image is reported */
    const struct shw_log log = cli_log(&own);
    struct shw_output_files outputs = command->outputs;
    double start = shw_clock();

    outputs.log = log;
    item->result = shw_prepare_depth(&item->files, &command->settings, &outputs, &log, &item->prepared);
    item->seconds = shw_clock() - start;
    index = atomic_fetch_add(&command->done, 1) + 1;
    if (thread == 0 && index < command->count)
        show_progress(command, index);
}

static json_t *item_json(const struct command *command, const struct item *item)
{
    const struct shw_prepared *prepared = &item->prepared;
    const double *up = prepared->ground.up;
    json_t *entry =
        json_pack("{s:o, s:b}", "image", shw_json_text(item->files.depth), "failed", item->result != SHW_OK);

    if (item->result == SHW_OK && prepared->up_to_date)
        json_object_set_new(entry, "up_to_date", json_true());
    else if (item->result == SHW_OK)
        json_object_update_new(entry, json_pack("{s:i, s:i, s:I, s:f}", "width", (int)prepared->width, "height",
                                                (int)prepared->height, "missing", (json_int_t)prepared->missing,
                                                "seconds", item->seconds));
    if (item->result == SHW_OK && !prepared->up_to_date && command->heights)
        json_object_set_new(entry, "up", json_pack("[f, f, f]", up[0], up[1], up[2]));
    return entry;
}

static int report_json(struct command *command)
{
    json_t *images = json_array();

    for (uint32_t i = 0; i < command->count; i++)
        json_array_append_new(images, item_json(command, &command->items[i]));
    return cli_print_json(&command->report,
                          json_pack("{s:o, s:o}", "images", images, "output", shw_json_text(command->output)));
}

/* Notes heights that belong to the previous depth and were not renewed. */
static void look_for_heights(const struct command *command, const struct item *item, struct shw_old_heights *old)
{
    const char *filled = item->files.filled;
    char heights[SHW_HEIGHTS_PATH];

    if (command->heights || filled == NULL || item->result != SHW_OK || item->prepared.up_to_date)
        return;
    shw_heights_beside(filled, heights);
    if (shw_file_height.is_ours(heights, shw_file_height.name))
        shw_old_heights_add(old, heights);
}

static void warn_of_heights(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    struct shw_old_heights old = {0};

    for (uint32_t i = 0; i < command->count; i++)
        look_for_heights(command, &command->items[i], &old);
    shw_old_heights_warn(&old, "--height", &log);
}

static int report_all(struct command *command)
{
    uint32_t failed = 0, up_to_date = 0, prepared;
    int code = SHW_EXIT_SUCCESS;

    for (uint32_t i = 0; i < command->count; i++) {
        failed += command->items[i].result != SHW_OK;
        up_to_date += command->items[i].prepared.up_to_date;
    }
    prepared = command->count - failed - up_to_date;
    warn_of_heights(command);
    if (command->report.json)
        code = report_json(command);
    else if (!command->report.quiet && failed < command->count) {
        printf("%u depth %s prepared, ", prepared, prepared == 1 ? "image" : "images");
        if (up_to_date > 0)
            printf("%u %s up to date, ", up_to_date, up_to_date == 1 ? "was" : "were");
        if (failed > 0)
            printf("%u failed, ", failed);
        printf("in %s\n", shw_printable(command->output).text);
    }
    return failed > 0 ? SHW_EXIT_FAILURE : code;
}

static int prepare_all(struct command *command)
{
    struct shw_thread_pool *pool = NULL;

    if (shw_thread_pool_create(command->threads, &pool) != SHW_OK)
        return cli_fail(&command->report, "not enough memory for threads");
    command->start = shw_clock();
    shw_thread_pool_run(pool, command->count, prepare_one, command);
    shw_thread_pool_destroy(&pool);
    show_progress(command, command->count);
    cli_progress_end();
    return report_all(command);
}

static int take_settings(struct command *command)
{
    struct shw_depth_settings *settings = &command->settings;

    settings->fill = (enum shw_depth_fill)command->fill;
    settings->colorization.alpha = command->alpha.items[0];
    settings->has_focal = command->focal.count > 0;
    settings->has_centre = command->centre.count > 0;
    for (int i = 0; i < 2; i++) {
        settings->camera.focal[i] = command->focal.items[command->focal.count == 2 ? i : 0];
        settings->camera.centre[i] = command->centre.items[i];
    }
    if (command->output == NULL)
        return shw_usage_error(&cli_depth, "an output folder is needed: --output DIR");
    if (command->alpha.count > 0 && !(command->alpha.items[0] > 0))
        return shw_usage_error(&cli_depth, "--alpha takes a positive number");
    if (settings->has_focal && !(settings->camera.focal[0] > 0 && settings->camera.focal[1] > 0))
        return shw_usage_error(&cli_depth, "--focal takes positive numbers of pixels");
    if (shw_pattern_places(command->depth) != 1 || shw_pattern_places(command->images) < 1)
        return shw_usage_error(&cli_depth,
                               "a pattern must contain {} for the name: once in --depth, once or more in --images");
    if (settings->fill == SHW_DEPTH_FILL_COLORIZATION && !shw_can_colorize())
        return cli_fail(&command->report, "this build has no colorization: it was built without SuperLU");
    return SHW_CONTINUE;
}

static void free_all(struct command *command)
{
    for (uint32_t i = 0; i < command->count; i++) {
        struct shw_depth_files *files = &command->items[i].files;

        free(files->depth);
        free(files->colours);
        free(files->filled);
        free(files->heights);
    }
    free(command->items);
    shw_output_files_free(&command->outputs);
}

static int run(int argc, char **argv)
{
    struct command command = {.depth = SHW_CURFIL_DEPTH, .images = SHW_CURFIL_COLOURS};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &command.output, "the output folder, created if missing"),
        CLI_OVERWRITE_OPTION(command.outputs),
        SHW_OPTION_CHOICE("fill", 0, "KIND", &command.fill, fills,
                          "how missing depth is filled: simple, from the nearest pixels\nof the row to the right or "
                          "left, of the rows above or below\nif it has none; colorization, by neighbours of similar "
                          "grey\n(Levin 2004); or none (simple)"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "alpha", 0, "A", &command.alpha, 1, 1,
                          "with colorization: also smooth measured depth, which counts\nA times as much as its "
                          "neighbours; the toolbox of NYU Depth\nv2 uses 1 (measured depth stays as it is)"),
        SHW_OPTION_FLAG(
            "height", 0, &command.heights,
            "also write heights above the ground, NAME_height.png:\nmillimetres plus 1, 0 where depth is missing"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "focal", 0, "F[,FY]", &command.focal, 1, 2,
                          "the camera's focal length in pixels, for heights (525 / 640\nof the width; 365 for "
                          "512x424)"),
        SHW_OPTION_WITHIN(SHW_VALUE_REALS, "centre", 0, "X,Y", &command.centre, 2, 2,
                          "its principal point, in pixels from the middle of the first\n(the image's middle)"),
        SHW_OPTION(SHW_VALUE_TEXT, "depth", 0, "PATTERN", &command.depth,
                   "depth images in folders; {} stands for the name\n({}_depth.png)"),
        SHW_OPTION(SHW_VALUE_TEXT, "images", 0, "PATTERN", &command.images,
                   "colour images, which colorization needs ({}_colors.png)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &command.threads, 1, 1024,
                          "threads; each prepares its own image (one per processor)"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_depth, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code == SHW_CONTINUE)
        code = take_settings(&command);
    else
        return code;
    if (code == SHW_CONTINUE && first == argc)
        code = shw_usage_error(&cli_depth, "a folder or a depth image is needed");
    if (code == SHW_CONTINUE)
        code = list_images(&command, argv + first, argc - first);
    if (code == SHW_CONTINUE)
        code = check_files(&command);
    if (code == SHW_CONTINUE)
        code = prepare_all(&command);
    free_all(&command);
    return code;
}

const struct shw_command cli_depth = {
    .name = "depth",
    .summary = "fill missing depth, and find heights above the ground",
    .arguments = "[OPTION...] --output DIR {FOLDER | IMAGE}...",
    .text = "Prepares depth images, 16-bit grey PNG or TIFF in millimetres with 0 for missing depth: fills what is "
            "missing\n"
            "and writes NAME_depth.png, and with --height the height of each pixel above the ground, NAME_height.png, "
            "both\n"
            "with 16 bits. A FOLDER stands for its images NAME_depth.png, also in sub-folders. Images whose results "
            "are up\nto date are skipped, so that an interrupted run can be resumed.",
    .examples = "  shadewood depth scenes -o filled\n"
                "  shadewood depth scenes -o colorized --fill colorization\n"
                "  shadewood depth scenes -o scenes --fill none --height --focal 525",
    .run = run,
};
