#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "files/convert/write_frame.h"
#include "files/dataset/examples.h"
#include "files/depth/height.h"
#include "files/io/image_paths.h"
#include "files/io/mark.h"

#define PALETTE   "palette.json"
#define SEQUENCES "sequences.txt"

#define KINDS_MAX 16

struct kinds {
    const char *names[KINDS_MAX + 2]; /* "auto" first, NULL last */
    char help[1024];
};

struct command {
    struct cli_report report;
    struct kinds kinds;
    struct shw_source_params params;
    struct shw_conversion conversion;
    struct shw_output_files files;
    const char *output, *prefix, *rules_path, *void_text, *crop_text;
    uint32_t every;
    int kind, depth;

    struct shw_class_rules rules;
    struct shw_converted_classes classes;
    char *palette_path, *sequences_path, *source_path;
    bool writes_palette; /* it is not there already */
    bool *done;          /* the frames that are there already */
    uint32_t count, kept;
    struct shw_stale_files remains; /* in the folder */
    double start;
};

static const char *const depths[] = {"filled", "raw", NULL};

/* Frames are selected before anything else. */
static uint32_t first_after(const struct command *command, uint32_t frame)
{
    return frame + command->every;
}

static bool parse_crop(const char *text, struct shw_frame_part *part)
{
    unsigned values[4];
    int length = 0;

    if (strspn(text, "0123456789x+") != strlen(text) || strlen(text) > 32 ||
        sscanf(text, "%5ux%5u+%5u+%5u%n", &values[0], &values[1], &values[2], &values[3], &length) != 4 ||
        text[length] != '\0' || values[0] == 0 || values[1] == 0)
        return false;
    *part = (struct shw_frame_part){.width = values[0], .height = values[1], .x = values[2], .y = values[3]};
    return true;
}

static bool parse_voids(const char *text, struct shw_void_values *voids)
{
    voids->count = 0;
    if (strcmp(text, "none") == 0)
        return true;
    for (;;) {
        size_t length = strcspn(text, ",");
        char part[16];
        uint64_t value;

        if (voids->count == SHW_VOID_VALUES_MAX || length >= sizeof part)
            return false;
        memcpy(part, text, length);
        part[length] = '\0';
        if (!shw_parse_number(part, 0, SHW_VALUE_COLOUR - 1, &value))
            return false;
        voids->list[voids->count++] = (uint32_t)value;
        if (text[length] == '\0')
            return true;
        text += length + 1;
    }
}

/* Refuses options that do not apply to this kind of source. */
static int check_options(const struct command *command)
{
    const struct shw_source_kind *kind = command->conversion.kind;
    const struct shw_source_params *params = &command->params;
    const struct {
        bool wrong;
        const char *option;
    } rules[] = {
        {params->apart_ms > 0 && !kind->measures_apart, "apart"},
        {params->units > 0 && !kind->has_units, "units"},
        {params->label_folder != NULL && !kind->has_label_files, "labels"},
        {params->label_names != NULL && !kind->has_name_table, "label-names"},
        {params->name_column != NULL && !kind->has_name_table, "label-column"},
        {command->depth != 0 && !kind->has_raw_depth, "depth"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return shw_usage_error(&cli_convert, "--%s does not apply to sources of the kind %s, such as %s",
                                   rules[i].option, kind->name, params->path);
    return SHW_CONTINUE;
}

/* Whether the prefix can begin file names and lines of a split file. */
static bool is_prefix(const char *text)
{
    for (const char *at = text; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f || *at == '/')
            return false;
    return strlen(text) <= 40 && strspn(text, ".# ") == 0;
}

static int check_text_options(struct command *command, struct shw_void_values *voids)
{
    if (command->output == NULL)
        return shw_usage_error(&cli_convert, "an output folder is needed: --output DIR");
    if (command->crop_text != NULL && !parse_crop(command->crop_text, &command->conversion.part))
        return shw_usage_error(&cli_convert, "--crop takes WIDTHxHEIGHT+X+Y in pixels, not '%s'", command->crop_text);
    if (!parse_voids(command->void_text, voids))
        return shw_usage_error(&cli_convert, "--void takes label numbers separated by commas, or none, not '%s'",
                               command->void_text);
    if (!is_prefix(command->prefix))
        return shw_usage_error(&cli_convert, "--prefix takes at most 40 characters, none of them '/' or a control "
                                             "character, and the first not '.', '#' or a space");
    return SHW_CONTINUE;
}

/* Short runs show no progress. */
static void show_progress(const struct command *command, double fraction, const char *text)
{
    double seconds = shw_clock() - command->start;

    if (seconds > 1)
        cli_progress(&command->report, fraction, text);
}

static void show_scan(void *user, uint32_t done, uint32_t count)
{
    const struct command *command = user;
    char text[160];

    snprintf(text, sizeof text, "labels of frame %u of %u", done, count);
    show_progress(command, (double)done / count, text);
}

static enum shw_result make_classes(struct command *command, const struct shw_void_values *voids)
{
    const struct shw_conversion *conversion = &command->conversion;
    const struct shw_label_names *known = conversion->kind->names(conversion->source);
    const struct shw_log *log = &command->params.log;
    struct shw_class_rules *rules = command->rules_path != NULL ? &command->rules : NULL;
    struct shw_label_names found = {0};
    const struct shw_label_names *names = known->count > 0 ? known : &found;
    enum shw_result result = SHW_OK;

    if (rules != NULL)
        SHW_PROPAGATE(shw_class_rules_read(command->rules_path, log, rules));
    if (known->count == 0) {
        result = shw_label_names_find(conversion->kind, conversion->source, command->every, command->params.path, log,
                                      show_scan, command, &found);
        cli_progress_end();
    }
    if (result == SHW_OK)
        result = shw_converted_classes_make(names, known->count > 0, voids, rules, command->params.path, log,
                                            &command->classes);
    shw_label_names_free(&found);
    return result;
}

/* Whether the palette of an earlier conversion has the same classes. */
static bool is_same_palette(const struct shw_palette *palette, const char *path)
{
    struct shw_palette there = {0};
    bool same = shw_palette_read(path, NULL, &there) == SHW_OK && there.entry_count == palette->entry_count;

    for (uint32_t e = 0; same && e < palette->entry_count; e++)
        same = strcmp(there.entries[e].name, palette->entries[e].name) == 0 &&
               memcmp(there.entries[e].colour, palette->entries[e].colour, 3) == 0 &&
               there.entries[e].is_void == palette->entries[e].is_void;
    shw_palette_free(&there);
    return same;
}

static int check_palette(struct command *command)
{
    const char *path = command->palette_path;

    if (command->conversion.classes == NULL)
        return SHW_CONTINUE;
    command->writes_palette = !is_same_palette(&command->classes.palette, path);
    if (!command->writes_palette)
        return SHW_CONTINUE;
    if (command->remains.others > 0 && shw_is_file(path))
        return cli_fail(&command->report,
                        "%s has other classes than %s, and %s has %u label images that would remain, the first %s: "
                        "choose another folder, or give the same classes with --classes",
                        path, command->params.path, command->output, command->remains.others,
                        command->remains.first_other);
    if (!command->files.overwrite && shw_is_file(path) && shw_file_palette.is_ours(path, shw_file_palette.name))
        return cli_fail(&command->report,
                        "%s has other classes than %s: choose another folder, give the same classes with --classes, or "
                        "replace it with --overwrite",
                        path, command->params.path);
    shw_output_files_write(&command->files, path, &shw_file_palette);
    return SHW_CONTINUE;
}

/* Refuses a folder that would keep frames of other runs, or labels whose meaning would change. */
static int check_remains(struct command *command)
{
    struct shw_stale_files *remains = &command->remains;

    if (shw_stale_files_find(&command->conversion, command->every, remains) != SHW_OK)
        return SHW_EXIT_FAILURE;
    if (remains->replaced > 0 && !command->files.overwrite)
        return cli_fail(&command->report,
                        "%s has %u frames of %s that this run would replace: choose another folder or a --prefix, or "
                        "replace them with --overwrite",
                        command->output, remains->replaced, remains->replaced_source);
    if (remains->own > 0 && !command->files.overwrite)
        return cli_fail(
            &command->report,
            "%s has %u files of an earlier run that this one would not replace, the first %s: choose another "
            "folder, or have them removed with --overwrite",
            command->output, remains->own, remains->first_own);
    return check_palette(command);
}

static int check_files(struct command *command)
{
    struct shw_conversion *conversion = &command->conversion;
    char path[4096];
    int code = check_remains(command);

    if (code != SHW_CONTINUE)
        return code;
    cli_add_input(&command->files, command->rules_path);
    cli_add_input(&command->files, command->params.label_names);
    for (uint32_t i = 0; i < command->count; i = first_after(command, i)) {
        conversion->kind->visit_files(conversion->source, i, cli_add_input, &command->files);
        command->done[i] = shw_conversion_has(conversion, i);
        command->kept += command->done[i];
        for (uint32_t f = 0; !command->done[i] && f < shw_conversion_file_count(conversion); f++) {
            shw_conversion_path(conversion, i, f, path, sizeof path);
            shw_output_files_write(&command->files, path, shw_converted_kinds[f]);
        }
    }
    if (conversion->kind->is_video)
        shw_output_files_write(&command->files, command->sequences_path, &shw_file_sequences);
    return cli_check_outputs(&command->report, &command->files);
}

/* A split file that states that the frames follow each other. */
static enum shw_result write_sequence(const struct command *command)
{
    const struct shw_log *log = &command->params.log;
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    enum shw_result result;

    if (stream == NULL)
        return shw_fail_memory(log, SEQUENCES);
    fputs("---\n", stream);
    for (uint32_t i = 0; i < command->count; i = first_after(command, i))
        fprintf(stream, "%s%s\n", command->prefix, command->conversion.kind->frame_name(command->conversion.source, i));
    result = fclose(stream) == 0 && text != NULL
                 ? shw_marked_text_write(command->sequences_path, shw_file_sequences.name, text, size, log)
                 : shw_fail_memory(log, SEQUENCES);
    free(text);
    return result;
}

static uint32_t chosen_count(const struct command *command)
{
    return (command->count - 1) / command->every + 1;
}

/* Notes heights that belong to the depth from before the frame was written. */
static void look_for_heights(const struct command *command, uint32_t frame, struct shw_old_heights *old)
{
    char depth[SHW_HEIGHTS_PATH], heights[SHW_HEIGHTS_PATH];

    shw_conversion_path(&command->conversion, frame, SHW_CONVERTED_DEPTH, depth, sizeof depth);
    shw_heights_beside(depth, heights);
    if (shw_is_file(heights))
        shw_old_heights_add(old, heights);
}

static enum shw_result write_frames(const struct command *command)
{
    const uint32_t chosen = chosen_count(command);
    struct shw_old_heights old = {0};
    uint32_t written = 0;

    for (uint32_t i = 0; i < command->count; i = first_after(command, i)) {
        char text[160];

        if (command->done[i])
            continue;
        snprintf(text, sizeof text, "frame %u of %u", i / command->every + 1, chosen);
        show_progress(command, (double)written++ / (chosen - command->kept), text);
        SHW_PROPAGATE(shw_conversion_write(&command->conversion, i));
        look_for_heights(command, i, &old);
    }
    shw_old_heights_warn(&old, "'shadewood depth --height'", &command->params.log);
    return SHW_OK;
}

static enum shw_result write_all(const struct command *command)
{
    if (command->writes_palette) {
        SHW_PROPAGATE(shw_output_files_look_again(&command->files, command->palette_path));
        SHW_PROPAGATE(shw_palette_write(command->palette_path, &command->classes.palette, &command->params.log));
    }
    if (command->conversion.kind->is_video) {
        SHW_PROPAGATE(shw_output_files_look_again(&command->files, command->sequences_path));
        SHW_PROPAGATE(write_sequence(command));
    }
    SHW_PROPAGATE(write_frames(command));
    shw_stale_files_remove(&command->conversion, command->every);
    return SHW_OK;
}

static int print_result(struct command *command)
{
    const uint32_t chosen = chosen_count(command), classes = command->classes.palette.class_count;
    char with[64] = "without labels", kept[64] = "";

    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:i, s:i, s:i, s:f}", "data", shw_json_text(command->output),
                                        "kind", command->conversion.kind->name, "images", (int)chosen, "up_to_date",
                                        (int)command->kept, "classes", (int)classes, "seconds",
                                        shw_clock() - command->start));
    if (command->conversion.classes != NULL)
        snprintf(with, sizeof with, "with %u class%s", classes, classes == 1 ? "" : "es");
    if (command->kept > 0)
        snprintf(kept, sizeof kept, ", %u of which %s there already", command->kept,
                 command->kept == 1 ? "was" : "were");
    printf("%u frame%s %s%s, in %s\n", chosen, chosen == 1 ? "" : "s", with, kept, shw_printable(command->output).text);
    return SHW_EXIT_SUCCESS;
}

static int prepare(struct command *command, const struct shw_void_values *voids)
{
    struct shw_conversion *conversion = &command->conversion;
    int code;

    command->count = conversion->kind->count(conversion->source);
    command->source_path = realpath(command->params.path, NULL);
    command->done = calloc(command->count, sizeof *command->done);
    command->palette_path = shw_path_in(command->output, PALETTE);
    command->sequences_path = shw_path_join(command->output, "/", command->prefix);
    if (command->sequences_path != NULL) {
        char *whole = shw_path_join(command->sequences_path, SEQUENCES, "");
        free(command->sequences_path);
        command->sequences_path = whole;
    }
    if (command->done == NULL || command->palette_path == NULL || command->sequences_path == NULL ||
        command->source_path == NULL)
        return shw_exit_code(shw_fail_memory(&command->params.log, command->output));
    conversion->source_name = shw_path_last(command->source_path);
    if (conversion->kind->has_labels(conversion->source)) {
        enum shw_result result = make_classes(command, voids);
        if (result != SHW_OK)
            return shw_exit_code(result);
        conversion->classes = &command->classes;
    } else if (command->rules_path != NULL) {
        return cli_fail(&command->report, "%s has no labels, so --classes %s cannot be used", command->params.path,
                        command->rules_path);
    }
    code = cli_make_folder(&command->report, command->output);
    return code == SHW_CONTINUE ? check_files(command) : code;
}

static int convert(struct command *command, const struct shw_void_values *voids)
{
    struct shw_conversion *conversion = &command->conversion;
    enum shw_result result;
    int code;

    command->params.log = cli_log(&command->report);
    command->start = shw_clock();
    result = shw_source_find(command->params.path, command->kind > 0 ? command->kinds.names[command->kind] : NULL,
                             &command->params.log, &conversion->kind);
    if (result != SHW_OK)
        return shw_exit_code(result);
    code = check_options(command);
    if (code != SHW_CONTINUE)
        return code;
    command->params.raw_depth = command->depth == 1;
    result = conversion->kind->open(&command->params, &conversion->source);
    if (result != SHW_OK)
        return shw_exit_code(result);
    code = prepare(command, voids);
    if (code == SHW_CONTINUE) {
        command->start = shw_clock();
        code = shw_exit_code(write_all(command));
        cli_progress_end();
    }
    conversion->kind->close(conversion->source);
    return code == SHW_EXIT_SUCCESS ? print_result(command) : code;
}

static void list_kinds(struct kinds *kinds)
{
    uint32_t count = 0;

    kinds->names[count++] = "auto";
    snprintf(kinds->help, sizeof kinds->help, "what SOURCE is (auto):");
    for (const struct shw_source_kind *const *kind = shw_source_kinds; *kind != NULL; kind++) {
        const size_t length = strlen(kinds->help);

        assert(count <= KINDS_MAX);
        kinds->names[count++] = (*kind)->name;
        snprintf(kinds->help + length, sizeof kinds->help - length, "\n%s: %s", (*kind)->name, (*kind)->text);
    }
}

static int run(int argc, char **argv)
{
    struct command command = {.prefix = "", .void_text = "0", .every = 1};
    struct shw_void_values voids;
    const struct shw_option options[] = {
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "DIR", &command.output, "the output folder, created if missing"),
        CLI_OVERWRITE_OPTION(command.files),
        SHW_OPTION_CHOICE("kind", 'k', "KIND", &command.kind, command.kinds.names, command.kinds.help),
        SHW_OPTION(SHW_VALUE_TEXT, "classes", 0, "FILE", &command.rules_path,
                   "which class each label becomes: lines LABEL,CLASS,#rrggbb\n(one class per label)"),
        SHW_OPTION(SHW_VALUE_TEXT, "void", 0, "N[,N...]", &command.void_text, "labels that become void, or none (0)"),
        SHW_OPTION(
            SHW_VALUE_TEXT, "labels", 0, "DIR", &command.params.label_folder,
            "label images, named like the colour images but .png: tum, scannet\n(label-filt or label for scannet)"),
        SHW_OPTION(SHW_VALUE_TEXT, "label-names", 0, "FILE", &command.params.label_names,
                   "the table that names labels: scannet\n(scannetv2-labels.combined.tsv, if it is there or above)"),
        SHW_OPTION(SHW_VALUE_TEXT, "label-column", 0, "NAME", &command.params.name_column,
                   "the column of that table with the names (nyu40class)"),
        SHW_OPTION_CHOICE("depth", 0, "KIND", &command.depth, depths,
                          "which depth: nyu; filled, or raw with holes (filled)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "units", 0, "N", &command.params.units, 1, 1000000,
                          "values of depth images per metre: tum (5000), scannet (1000)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "apart", 0, "MS", &command.params.apart_ms, 1, 60000,
                          "maximum time between a colour and its depth image: tum (20)"),
        SHW_OPTION(SHW_VALUE_TEXT, "crop", 0, "WxH+X+Y", &command.crop_text,
                   "keep only this part of each frame, in pixels from its upper left"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "every", 0, "N", &command.every, 1, 1000000,
                          "keep only the first of each N frames (1)"),
        SHW_OPTION(SHW_VALUE_TEXT, "prefix", 0, "TEXT", &command.prefix,
                   "how the names of all files begin, so that one folder can\nhold the frames of several sources"),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code;

    list_kinds(&command.kinds);
    code = cli_parse(&cli_convert, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (first == argc)
        return shw_usage_error(&cli_convert, "a source is needed");
    if (first + 1 < argc)
        return shw_usage_error(&cli_convert, "unexpected argument '%s'", argv[first + 1]);
    command.params.path = argv[first];
    code = check_text_options(&command, &voids);
    if (code != SHW_CONTINUE)
        return code;
    command.conversion.folder = command.output;
    command.conversion.prefix = command.prefix;
    command.conversion.params = &command.params;
    command.conversion.files = &command.files;
    code = convert(&command, &voids);
    shw_output_files_free(&command.files);
    shw_converted_classes_free(&command.classes);
    shw_class_rules_free(&command.rules);
    free(command.palette_path);
    free(command.sequences_path);
    free(command.source_path);
    free(command.done);
    return code;
}

const struct shw_command cli_convert = {
    .name = "convert",
    .summary = "turn RGB-D data of other formats into a data set",
    .arguments = "SOURCE --output DIR [OPTION...]",
    .text =
        "Turns colour, depth and labels of another format into NAME_colors.png, NAME_depth.png (16 bits, millimetres,\n"
        "0: missing), NAME_ground_truth.png and palette.json, which all other commands and the viewer read. "
        "Frames\nthat an earlier run has converted with the same options are skipped.",
    .examples = "  shadewood convert nyu_depth_v2_labeled.mat -o nyu --crop 561x427+40+44\n"
                "  shadewood convert desk -o desk-frames --every 5\n"
                "  shadewood convert scene0000_00 -o rooms --prefix scene0000_00_\n"
                "  shadewood convert cloud.pcd -o people --void none",
    .run = run,
};
