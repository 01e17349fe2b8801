#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "base/thread_pool.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "files/dataset/palette.h"
#include "files/image/image_write.h"
#include "files/io/mark.h"
#include "files/synth/synth.h"

struct command {
    struct cli_report report;
    struct shw_synth_params params;
    uint32_t size[2], threads;
    const char *output;
    struct shw_output_files files;
    int scene, background;
};

static const char *const scenes[] = {"rooms", "heads", "bodies", NULL};

/* BY_SCENE: not given */
enum { BY_SCENE = -1, VOID, CLASS };
static const char *const backgrounds[] = {"void", "class", NULL};

#define PALETTE   "palette.json"
#define SEQUENCES "sequences.txt"

/* The files of an image. */
enum part { PART_COLOURS, PART_DEPTH, PART_LABELS, PART_COUNT };
static const struct {
    const char *ending;
    const struct shw_file_kind *kind;
} parts[PART_COUNT] = {
    {"_colors.png", &shw_file_scene_image},
    {"_depth.png", &shw_file_scene_depth},
    {"_ground_truth.png", &shw_file_scene_labels},
};

static void place(const struct command *command, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", command->output, name);
}

/* Whether pixels without a class occur. Their colour is black, which no class has. */
static bool has_void(const struct command *command)
{
    return command->params.scene == SHW_SYNTH_BODIES && !command->params.background;
}

static enum shw_result write_palette(const struct command *command, const struct shw_dataset *dataset,
                                     const struct shw_log *log)
{
    uint32_t count = dataset->class_count;
    struct shw_palette palette = {.entries = calloc(count + 1, sizeof *palette.entries)};
    enum shw_result result;
    char path[4096];

    if (palette.entries == NULL)
        return shw_fail_memory(log, "a palette");
    for (uint32_t c = 0; c < count; c++) {
        palette.entries[c].name = (char *)(uintptr_t)dataset->classes[c].name; /* only read */
        memcpy(palette.entries[c].colour, dataset->classes[c].colour, 3);
    }
    palette.entry_count = count;
    if (has_void(command)) /* last, so that the numbers of classes are those of entries */
        palette.entries[palette.entry_count++] = (struct shw_palette_entry){.name = "void", .is_void = true};
    place(command, PALETTE, path, sizeof path);
    result = shw_palette_write(path, &palette, log);
    free(palette.entries);
    return result;
}

/* A split file that states which images are frames of one scene. */
static enum shw_result write_sequences(const struct command *command, const struct shw_log *log)
{
    char path[4096], *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    enum shw_result result;

    if (stream == NULL)
        return shw_fail_memory(log, SEQUENCES);
    for (uint32_t i = 0; i < command->params.count; i++)
        fprintf(stream, "%s%05u\n", i % command->params.frames == 0 ? "---\n" : "", i);
    place(command, SEQUENCES, path, sizeof path);
    result = fclose(stream) == 0 && text != NULL ? shw_marked_text_write(path, shw_file_sequences.name, text, size, log)
                                                 : shw_fail_memory(log, SEQUENCES);
    free(text);
    return result;
}

static enum shw_result write_image(const struct command *command, const char *name, enum part part,
                                   const struct shw_image *image, const struct shw_log *log)
{
    char path[4096];

    snprintf(path, sizeof path, "%s/%s%s", command->output, name, parts[part].ending);
    SHW_PROPAGATE(shw_output_files_look_again(&command->files, path));
    return shw_png_write_marked(path, parts[part].kind->name, image, log);
}

static enum shw_result write_example(const struct command *command, const struct shw_class *classes,
                                     const struct shw_labelled_image *example, const struct shw_log *log)
{
    const struct shw_image *depth = &shw_inputs_find(&example->inputs, SHW_DEPTH)->image;
    size_t pixels = (size_t)depth->width * depth->height;
    uint8_t *colours = calloc(pixels, 3);
    struct shw_image labels = {
        .pixels = colours, .width = depth->width, .height = depth->height, .format = SHW_PIXEL_RGB8};
    enum shw_result result;

    if (colours == NULL)
        return shw_fail_memory(log, "a label image");
    for (size_t i = 0; i < pixels; i++)
        if (example->labels[i] != SHW_LABEL_VOID)
            memcpy(&colours[3 * i], classes[example->labels[i]].colour, 3);
    SHW_TRY(write_image(command, example->name, PART_COLOURS, &example->image, log));
    SHW_TRY(write_image(command, example->name, PART_DEPTH, depth, log));
    SHW_TRY(write_image(command, example->name, PART_LABELS, &labels, log));
fail:
    free(colours);
    return result;
}

/* A run, shared by the threads. */
struct rendering {
    const struct command *command;
    const struct shw_dataset *dataset;
    const struct shw_log *log;
    double start;
    atomic_uint done;
    atomic_int result; /* the first failure stops all threads */
};

static void show_progress(struct rendering *rendering)
{
    uint32_t done = atomic_load(&rendering->done);
    double seconds = shw_clock() - rendering->start;
    char text[160];

    snprintf(text, sizeof text, "scene %u of %u, %.1f scenes/s", done, rendering->dataset->count, done / seconds);
    cli_progress(&rendering->command->report, (double)done / rendering->dataset->count, text);
}

static void render_one(void *user, uint32_t index, uint32_t thread)
{
    struct rendering *rendering = user;
    const struct shw_dataset *dataset = rendering->dataset;
    struct shw_labelled_image example;
    enum shw_result result;

    if (atomic_load(&rendering->result) != SHW_OK)
        return;
    result = dataset->read(dataset->user, index, &example);
    if (result == SHW_OK) {
        result = write_example(rendering->command, dataset->classes, &example, rendering->log);
        dataset->release(dataset->user, &example);
    }
    if (result != SHW_OK) {
        int expected = SHW_OK;
        atomic_compare_exchange_strong(&rendering->result, &expected, (int)result);
        return;
    }
    if (atomic_fetch_add(&rendering->done, 1) + 1 < dataset->count && thread == 0)
        show_progress(rendering);
}

/* Whether the name is one that another run would give. */
static bool is_of_other_run(const struct command *command, const char *name, const struct shw_file_kind **kind)
{
    size_t digits = strspn(name, "0123456789");

    *kind = &shw_file_sequences;
    if (strcmp(name, SEQUENCES) == 0)
        return command->params.frames <= 1;
    for (int p = 0; p < PART_COUNT; p++)
        if (digits >= 5 && digits < 10 && strcmp(name + digits, parts[p].ending) == 0) {
            *kind = parts[p].kind;
            return strtoul(name, NULL, 10) >= command->params.count;
        }
    return false;
}

/* Goes through the files of other runs, which together with this one's would be taken for one data set. Removes them,
 * or returns their number and the name of the first. */
static uint32_t find_left(const struct command *command, bool remove, char first[256])
{
    struct dirent **entries = NULL;
    int count = scandir(command->output, &entries, NULL, shw_natural_compare_entries);
    uint32_t left = 0;

    for (int i = 0; i < count; i++) {
        const struct shw_file_kind *kind;
        char path[4096];

        place(command, entries[i]->d_name, path, sizeof path);
        if (is_of_other_run(command, entries[i]->d_name, &kind) && kind->is_ours(path, kind->name)) {
            if (left++ == 0)
                snprintf(first, 256, "%s", entries[i]->d_name);
            if (remove)
                unlink(path);
        }
        free(entries[i]);
    }
    free(entries);
    return left;
}

/* Checks what is going to be written. */
static int check_files(struct command *command)
{
    struct shw_output_files *files = &command->files;
    char path[4096], first[256];
    uint32_t left;
    int code;

    for (uint32_t i = 0; i < command->params.count; i++)
        for (int p = 0; p < PART_COUNT; p++) {
            snprintf(path, sizeof path, "%s/%05u%s", command->output, i, parts[p].ending);
            shw_output_files_write(files, path, parts[p].kind);
        }
    place(command, PALETTE, path, sizeof path);
    shw_output_files_write(files, path, &shw_file_palette);
    if (command->params.frames > 1) {
        place(command, SEQUENCES, path, sizeof path);
        shw_output_files_write(files, path, &shw_file_sequences);
    }
    code = cli_check_outputs(&command->report, files);
    if (code != SHW_CONTINUE)
        return code;
    left = find_left(command, files->overwrite, first);
    if (left == 0 || files->overwrite)
        return SHW_CONTINUE;
    return cli_fail(
        &command->report,
        "%s has %u files of an earlier run that this one would not replace, the first %s: choose another folder, or "
        "have them removed with --overwrite",
        command->output, left, first);
}

static int write_all(struct command *command, const struct shw_dataset *dataset, const struct shw_log *log)
{
    struct rendering rendering = {.command = command, .dataset = dataset, .log = log, .start = shw_clock()};
    enum shw_result result = write_palette(command, dataset, log);
    struct shw_thread_pool *pool = NULL;
    double seconds;

    if (result == SHW_OK && command->params.frames > 1)
        result = write_sequences(command, log);
    if (result == SHW_OK && shw_thread_pool_create(command->threads, &pool) != SHW_OK)
        result = shw_fail_memory(log, "threads");
    if (result == SHW_OK) {
        shw_thread_pool_run(pool, dataset->count, render_one, &rendering);
        shw_thread_pool_destroy(&pool);
        result = (enum shw_result)atomic_load(&rendering.result);
    }
    seconds = shw_clock() - rendering.start;
    if (result == SHW_OK)
        show_progress(&rendering);
    cli_progress_end();
    if (result != SHW_OK)
        return shw_exit_code(result);
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:i, s:i, s:i, s:i, s:f}", "data", shw_json_text(command->output),
                                        "images", (int)dataset->count, "width", (int)command->params.width, "height",
                                        (int)command->params.height, "classes", (int)dataset->class_count, "seconds",
                                        seconds));
    printf("%u scenes of %u x %u pixels with %u classes, in %s\n", dataset->count, command->params.width,
           command->params.height, dataset->class_count, shw_printable(command->output).text);
    return SHW_EXIT_SUCCESS;
}

static int run(int argc, char **argv)
{
    struct command command = {.params = {.count = 10, .frames = 1}, .size = {320, 240}, .background = BY_SCENE};
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &command.output, "the output folder, created if missing"),
        CLI_OVERWRITE_OPTION(command.files),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "count", 'n', "N", &command.params.count, 1, 1000000, "images (10)"),
        SHW_OPTION_WITHIN(SHW_VALUE_EXTENT, "size", 0, "WxH", command.size, 1, 4096,
                          "size of each image, in pixels (320x240)"),
        SHW_OPTION(SHW_VALUE_SEED, "seed", 0, "N", &command.params.seed,
                   "seed of the first scene; the next use the next numbers (0)"),
        SHW_OPTION_CHOICE("scene", 0, "KIND", &command.scene, scenes,
                          "rooms with a walking person; heads: a webcam's view of a\nperson among figures that look "
                          "the same and do not move, with\nthe classes background, head and body; or bodies: people in "
                          "many\nposes, with the 25 body parts of Kinect's forests (rooms)"),
        SHW_OPTION_CHOICE("background", 0, "KIND", &command.background, backgrounds,
                          "of bodies: whether all but the person is void or a class, the\n26th (void)"),
        SHW_OPTION_FLAG("cut", 0, &command.params.cut, "omit the depth of everything but people"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "frames", 0, "N", &command.params.frames, 1, 1000000,
                          "consecutive images of one scene in motion (1); with more\nthan 1, sequences.txt is a split "
                          "file that separates scenes"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "noise", 0, "N", &command.params.noise, 0, 1000,
                          "sensor noise, in tenths of a grey level (0)"),
        SHW_OPTION_FLAG("holes", 0, &command.params.holes, "omit depth where sensors do"),
        SHW_OPTION_FLAG("empty", 0, &command.params.empty, "scenes without the person"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &command.threads, 1, 1024,
                          "threads; each renders its own image (one per processor)"),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_dataset dataset = {0};
    int first, code = cli_parse(&cli_synth, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        return shw_usage_error(&cli_synth, "unexpected argument '%s'", argv[first]);
    if (command.output == NULL)
        return shw_usage_error(&cli_synth, "an output folder is needed: --output DIR");
    code = cli_make_folder(&command.report, command.output);
    if (code == SHW_CONTINUE)
        code = check_files(&command);
    if (code != SHW_CONTINUE) {
        shw_output_files_free(&command.files);
        return code;
    }
    command.params.scene = (enum shw_synth_scene)command.scene;
    command.params.background = command.background == CLASS;
    command.params.width = command.size[0];
    command.params.height = command.size[1];
    command.params.log = cli_log(&command.report);
    code = shw_exit_code(shw_synth_open(&command.params, &dataset));
    if (code == SHW_EXIT_SUCCESS)
        code = write_all(&command, &dataset, &command.params.log);
    shw_synth_close(&dataset);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_synth = {
    .name = "synth",
    .summary = "render a synthetic data set",
    .arguments = "--output DIR [OPTION...]",
    .text =
        "Renders indoor scenes with a person, exact labels and depth in millimetres: NAME_colors.png, NAME_depth.png,\n"
        "NAME_ground_truth.png and palette.json. The same seed gives the same pixels on every machine; images of\n"
        "different seeds show different scenes, people and poses.",
    .examples = "  shadewood synth -o scenes --count 60 --size 160x120\n"
                "  shadewood synth -o held-out --count 20 --seed 1000 --noise 20 --holes\n"
                "  shadewood synth -o clip --count 45 --frames 45 --scene heads\n"
                "  shadewood synth -o people --scene bodies --count 3000 --size 640x480 --cut",
    .run = run,
};
