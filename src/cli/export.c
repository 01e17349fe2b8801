#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <shadewood/forest.h>
#include <shadewood/import.h>

#include "base/atomic_file.h"
#include "base/json_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "dense/forest/forest.h"
#include "files/code/forest_code.h"
#include "files/io/file_kind.h"
#include "files/io/mark.h"
#include "files/io/packed_text.h"
#include "files/output/record_trees.h"
#include "files/shader/forest_shader.h"
#include "formats/csv_cascade.h"
#include "formats/curfil.h"
#include "formats/tree_arrays.h"

struct table {
    char *path, *text;
};

static enum shw_result format_tables(const char *path, const char *folder, const struct shw_log *log,
                                     struct table tables[SHW_CSV_WRITTEN_COUNT])
{
    struct shw_cascade *cascade = NULL;
    enum shw_result result = shw_cascade_load(path, log, &cascade);

    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT && result == SHW_OK; f++) {
        tables[f].path = shw_csv_path(folder, (enum shw_csv_file)f);
        result = tables[f].path != NULL
                     ? shw_csv_cascade_format(cascade, (enum shw_csv_file)f, path, log, &tables[f].text)
                     : shw_fail_memory(log, folder);
    }
    shw_cascade_destroy(&cascade);
    return result;
}

static enum shw_result write_tables(struct shw_output_files *files, const struct table tables[SHW_CSV_WRITTEN_COUNT],
                                    const struct shw_log *log)
{
    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++) {
        SHW_PROPAGATE(shw_output_files_look_again(files, tables[f].path));
        SHW_PROPAGATE(shw_marked_text_write(tables[f].path, shw_file_cascade_table.name, tables[f].text,
                                            strlen(tables[f].text), log));
    }
    return SHW_OK;
}

static int report_cascade(struct cli_report *report, const char *path, const char *folder)
{
    if (report->json)
        return cli_print_json(report, json_pack("{s:o, s:s, s:o, s:i}", "cascade", shw_json_text(path), "format", "csv",
                                                "folder", shw_json_text(folder), "tables", (int)SHW_CSV_WRITTEN_COUNT));
    if (!report->quiet)
        printf("%s: %d tables\n", shw_printable(folder).text, (int)SHW_CSV_WRITTEN_COUNT);
    return SHW_EXIT_SUCCESS;
}

/* Everything is checked before a folder or a file is written. */
static int export_tables(struct cli_report *report, struct shw_output_files *files, const char *path,
                         const char *folder, struct table tables[SHW_CSV_WRITTEN_COUNT])
{
    const struct shw_log log = cli_log(report);
    enum shw_result result = format_tables(path, folder, &log, tables);
    int code;

    if (result != SHW_OK)
        return shw_exit_code(result);
    code = cli_make_folder(report, folder);
    if (code != SHW_CONTINUE)
        return code;
    shw_output_files_read(files, path);
    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++)
        shw_output_files_write(files, tables[f].path, &shw_file_cascade_table);
    code = cli_check_outputs(report, files);
    if (code != SHW_CONTINUE)
        return code;
    result = write_tables(files, tables, &log);
    return result == SHW_OK ? report_cascade(report, path, folder) : shw_exit_code(result);
}

/* Writes a cascade as the tables of formats/csv_cascade.h to a folder. Returns the exit code. */
static int export_cascade(struct cli_report *report, struct shw_output_files *files, const char *path,
                          const char *folder)
{
    struct table tables[SHW_CSV_WRITTEN_COUNT] = {0};
    int code = export_tables(report, files, path, folder, tables);

    for (int f = 0; f < SHW_CSV_WRITTEN_COUNT; f++) {
        free(tables[f].path);
        free(tables[f].text);
    }
    return code;
}

static int report_records(struct cli_report *report, const char *path, const char *output,
                          const struct shw_record_forest_info *info)
{
    if (report->json)
        return cli_print_json(report,
                              json_pack("{s:o, s:s, s:o, s:i}", "forest", shw_json_text(path), "format", "trees",
                                        "file", shw_json_text(output), "trees", (int)info->tree_count));
    if (!report->quiet)
        printf("%s: %s\n", shw_printable(output).text, shw_counted(info->tree_count, "tree", "trees").text);
    return SHW_EXIT_SUCCESS;
}

static int print_forest(struct cli_report *report, const char *path, const struct shw_record_forest *forest)
{
    const struct shw_log log = cli_log(report);

    return shw_exit_code(shw_tree_arrays_print(forest, path, stdout, &log));
}

static int export_forest(struct cli_report *report, struct shw_output_files *files, const char *path,
                         const char *output, const struct shw_record_forest *forest)
{
    const struct shw_log log = cli_log(report);
    enum shw_result result;
    int code;

    shw_output_files_read(files, path);
    shw_output_files_write(files, output, &shw_file_record_trees);
    code = cli_check_outputs(report, files);
    if (code != SHW_CONTINUE)
        return code;
    result = shw_output_files_look_again(files, output);
    if (result == SHW_OK)
        result = shw_record_trees_write(forest, path, output, &log);
    return result == SHW_OK ? report_records(report, path, output, shw_record_forest_get_info(forest))
                            : shw_exit_code(result);
}

/* Writes a record forest as trees in JSON to the file `output`. Returns the exit code. */
static int export_records(struct cli_report *report, struct shw_output_files *files, const char *path,
                          const char *output)
{
    const struct shw_log log = cli_log(report);
    struct shw_record_forest *forest = NULL;
    enum shw_result result = shw_record_forest_open(path, &log, &forest);
    int code = shw_exit_code(result);

    if (code == SHW_EXIT_SUCCESS && cli_is_standard_output(output))
        code = print_forest(report, path, forest);
    else if (code == SHW_EXIT_SUCCESS)
        code = export_forest(report, files, path, output, forest);
    shw_record_forest_destroy(&forest);
    return code;
}

#define TREE_ENDING ".json.gz"

enum format { CURFIL, CSV, TREES, GLSL };

static const char *const formats[] = {"curfil", "csv", "trees", "glsl", NULL};

static const struct shw_file_kind curfil_file = {"curfil-tree", "an exported tree", shw_packed_file_is_marked, false};

struct command {
    struct cli_report report;
    struct shw_output_files files;
    int format, combine, fill; /* the latter enum shw_combine, enum shw_fill */
    uint32_t smooth;
    const char *folder, *path;
    struct shw_forest *forest;
};

/* Further trees in the folder, which readers would take for trees of this forest. */
struct further {
    uint32_t ours, foreign;
    char first[256]; /* of the foreign ones, if there are any */
};

/* FOLDER/tree0.json.gz and so on, to be freed with free(). */
static char *path_of(const struct command *command, uint32_t tree)
{
    size_t size = strlen(command->folder) + 32;
    char *path = malloc(size);

    if (path != NULL)
        snprintf(path, size, "%s/tree%u" TREE_ENDING, command->folder, tree);
    return path;
}

static enum shw_result write_tree(const struct command *command, uint32_t tree, const struct shw_log *log)
{
    char *path = path_of(command, tree), *text = NULL;
    void *packed = NULL;
    size_t size = 0;
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(log, "a path");

    if (result == SHW_OK)
        result = shw_curfil_tree_format(command->forest, command->path, tree, log, &text);
    if (result == SHW_OK)
        result = shw_packed_text_make(text, curfil_file.name, log, &packed, &size);
    if (result == SHW_OK)
        result = shw_output_files_look_again(&command->files, path);
    if (result == SHW_OK)
        result = shw_atomic_file_write(path, packed, size, log);
    free(packed);
    free(text);
    free(path);
    return result;
}

/* Whether all trees can be written, checked before any folder or file is made. */
static enum shw_result check_trees(const struct command *command, const struct shw_log *log)
{
    for (uint32_t t = 0; t < shw_forest_get_info(command->forest)->tree_count; t++) {
        char *text = NULL;
        SHW_PROPAGATE(shw_curfil_tree_format(command->forest, command->path, t, log, &text));
        free(text);
    }
    return SHW_OK;
}

static int report_forest(struct command *command)
{
    uint32_t trees = shw_forest_get_info(command->forest)->tree_count;

    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:o, s:i}", "forest", shw_json_text(command->path), "format",
                                        formats[command->format], "folder", shw_json_text(command->folder), "trees",
                                        (int)trees));
    if (!command->report.quiet)
        printf("%s: %s\n", shw_printable(command->folder).text, shw_counted(trees, "tree", "trees").text);
    return SHW_EXIT_SUCCESS;
}

static bool is_further(const struct command *command, const char *name)
{
    uint32_t tree;
    int length = 0;

    return sscanf(name, "tree%9u%n", &tree, &length) == 1 && strcmp(name + length, TREE_ENDING) == 0 &&
           tree >= shw_forest_get_info(command->forest)->tree_count;
}

/* Goes through the further trees, and removes those that Shadewood wrote if `remove`. */
static struct further find_further(const struct command *command, bool remove)
{
    struct dirent **entries = NULL;
    int count = scandir(command->folder, &entries, NULL, shw_natural_compare_entries);
    struct further further = {0};

    for (int i = 0; i < count; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", command->folder, entries[i]->d_name);
        if (is_further(command, entries[i]->d_name)) {
            bool ours = curfil_file.is_ours(path, curfil_file.name);
            if (further.first[0] == '\0' || (!ours && further.foreign == 0))
                snprintf(further.first, sizeof further.first, "%s", entries[i]->d_name);
            further.ours += ours;
            further.foreign += !ours;
            if (ours && remove)
                unlink(path);
        }
        free(entries[i]);
    }
    free(entries);
    return further;
}

static int check_further(struct command *command)
{
    const struct further further = find_further(command, false);

    if (further.foreign > 0)
        return cli_fail(&command->report,
                        "%s has %s, which Shadewood did not write, and which would be read as a tree of %s: choose "
                        "another folder",
                        command->folder, further.first, command->path);
    if (further.ours > 0 && !command->files.overwrite)
        return cli_fail(&command->report,
                        "%s has %s of a larger forest that this one would not replace, the first %s: choose another "
                        "folder, or have them removed with --overwrite",
                        command->folder, shw_counted(further.ours, "tree", "trees").text, further.first);
    return SHW_CONTINUE;
}

/* Checks the files before anything is written. */
static int check_files(struct command *command)
{
    uint32_t trees = shw_forest_get_info(command->forest)->tree_count;
    int code;

    shw_output_files_read(&command->files, command->path);
    for (uint32_t t = 0; t < trees; t++) {
        char *path = path_of(command, t);
        shw_output_files_write(&command->files, path, &curfil_file);
        free(path);
    }
    code = cli_check_outputs(&command->report, &command->files);
    return code == SHW_CONTINUE ? check_further(command) : code;
}

static int export(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_forest_load_params params = {.combine = (enum shw_combine)command->combine, .log = log};
    enum shw_result result = shw_forest_load(command->path, &params, &command->forest);
    int code;

    if (result == SHW_OK)
        result = check_trees(command, &log);
    if (result != SHW_OK)
        return shw_exit_code(result);
    code = cli_make_folder(&command->report, command->folder);
    if (code == SHW_CONTINUE)
        code = check_files(command);
    if (code != SHW_CONTINUE)
        return code;
    for (uint32_t t = 0; t < shw_forest_get_info(command->forest)->tree_count && result == SHW_OK; t++)
        result = write_tree(command, t, &log);
    if (result != SHW_OK)
        return shw_exit_code(result);
    find_further(command, true);
    return report_forest(command);
}

static enum shw_result may_write(void *user, const char *path)
{
    return shw_output_files_look_again(user, path);
}

static int report_shader(struct command *command, const struct shw_forest_shader *shader)
{
    if (command->report.json)
        return cli_print_json(&command->report,
                              json_pack("{s:o, s:s, s:o, s:s, s:i}", "forest", shw_json_text(command->path), "format",
                                        formats[GLSL], "folder", shw_json_text(command->folder), "name", shader->name,
                                        "lines", (int)shader->lines));
    if (!command->report.quiet)
        printf("%s/%s.glsl: %s\n", shw_printable(command->folder).text, shader->name,
               shw_counted(shader->lines, "line", "lines").text);
    return SHW_EXIT_SUCCESS;
}

static int save_shader(struct command *command, const struct shw_forest_shader *shader, char *paths[SHW_SHADER_FILES],
                       const struct shw_log *log)
{
    void (*add)(struct shw_output_files * files, const char *path, const struct shw_file_kind *kind);
    int code = cli_make_folder(&command->report, command->folder);
    enum shw_result result;

    shw_output_files_read(&command->files, command->path);
    for (int f = 0; f < SHW_SHADER_FILES && code == SHW_CONTINUE; f++) {
        if (shader->files[f].bytes == NULL)
            continue;
        paths[f] = shw_forest_shader_path(shader, (enum shw_shader_file)f, command->folder);
        if (paths[f] == NULL)
            return cli_fail(&command->report, "not enough memory");
        add = shw_forest_shader_is_known(shader, (enum shw_shader_file)f, command->folder) ? shw_output_files_replace
                                                                                           : shw_output_files_write;
        add(&command->files, paths[f], shw_forest_shader_kind((enum shw_shader_file)f));
    }
    if (code == SHW_CONTINUE)
        code = cli_check_outputs(&command->report, &command->files);
    if (code != SHW_CONTINUE)
        return code;
    result = shw_forest_shader_write(shader, paths, may_write, &command->files, log);
    return result == SHW_OK ? report_shader(command, shader) : shw_exit_code(result);
}

/* Writes a forest as a shader, with what it reads. Nothing of the forest is run: its texts are only written. */
static int export_shader(struct command *command)
{
    const struct shw_log log = cli_log(&command->report);
    const struct shw_forest_load_params params = {
        .combine = (enum shw_combine)command->combine, .fill = (enum shw_fill)command->fill, .log = log};
    struct shw_forest *smooth = NULL;
    struct shw_forest_shader shader = {.lines = 0};
    char *paths[SHW_SHADER_FILES] = {NULL};
    enum shw_result result = shw_code_forest_load(command->path, SHW_CODE_LOOK_ONLY, &params, &command->forest);
    int code;

    if (result == SHW_OK && command->smooth == 0 && shw_forest_get_info(command->forest)->smoothing.radius > 0) {
        smooth = command->forest;
        command->forest = NULL;
        result = shw_forest_with_smoothing(smooth, (struct shw_smoothing){.radius = 0}, &log, &command->forest);
        shw_forest_destroy(&smooth);
    }
    if (result == SHW_OK)
        result = shw_forest_shader_make(command->forest, command->path, &log, &shader);
    code = result == SHW_OK ? save_shader(command, &shader, paths, &log) : shw_exit_code(result);
    for (int f = 0; f < SHW_SHADER_FILES; f++)
        free(paths[f]);
    shw_forest_shader_free(&shader);
    return code;
}

#define SMOOTH_UNSET 1u

static int run(int argc, char **argv)
{
    struct command command = {.format = -1, .smooth = SMOOTH_UNSET};
    const struct shw_option options[] = {
        SHW_OPTION_CHOICE(
            "to", 0, "FORMAT", &command.format, formats,
            "curfil: CURFIL's JSON trees, compressed with gzip, of a\nforest of feature type curfil-difference; csv: "
            "tables of a\ncascade of the kind pixels; trees: a record forest as trees\nin JSON; glsl: a shader of a "
            "forest, its table as a texture,\nand the passes before it"),
        SHW_OPTION(SHW_VALUE_TEXT, "output", 'o', "PATH", &command.folder,
                   "the folder to write to: tree0.json.gz or cascade.csv and\nso on; created if it does not exist; of "
                   "trees the file,\nor - for standard output"),
        CLI_COMBINE_OPTION(command.combine),
        CLI_FILL_OPTION(command.fill),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "smooth", 0, "0", &command.smooth, 0, 0,
                          "0: without the smoothing of the forest, which shaders cannot do"),
        CLI_OVERWRITE_OPTION(command.files),
        CLI_REPORT_OPTIONS(command.report),
    };
    int first, code = cli_parse(&cli_export, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (command.format < 0)
        return shw_usage_error(&cli_export, "the format to write is needed: --to FORMAT");
    if (command.folder == NULL || *command.folder == '\0')
        return shw_usage_error(&cli_export, "an output folder is needed, or a file for trees: --output PATH");
    if (argc - first != 1)
        return shw_usage_error(&cli_export, "one forest, cascade or record forest is needed");
    if (command.format == TREES)
        code = cli_check_standard_output(&cli_export, &command.report, command.folder);
    if (code != SHW_CONTINUE)
        return code;
    command.path = argv[first];
    code = command.format == CSV     ? export_cascade(&command.report, &command.files, command.path, command.folder)
           : command.format == TREES ? export_records(&command.report, &command.files, command.path, command.folder)
           : command.format == GLSL  ? export_shader(&command)
                                     : export(&command);
    shw_forest_destroy(&command.forest);
    shw_output_files_free(&command.files);
    return code;
}

const struct shw_command cli_export = {
    .name = "export",
    .summary = "write a forest, cascade or record forest for another program",
    .arguments = "--to FORMAT --output PATH [OPTION...] FILE",
    .text = "Writes the trees of a forest for another program, one per file, or a cascade as tables, one per field of "
            "a node,\nor a record forest as trees in JSON. 'shadewood import' reads them back; docs/exchange.md "
            "and\ndocs/record-import.md describe the formats, and what differs. With --to glsl, a forest becomes\na "
            "shader for engines that use no library (docs/export.md).",
    .examples = "  shadewood export --to curfil rooms.ktx2 -o rooms-curfil\n"
                "  shadewood export --to csv detector.ktx2 -o detector-tables\n"
                "  shadewood export --to trees model.ktx2 -o model-trees.json\n"
                "  shadewood export --to trees model.ktx2 -o - | gzip >model-trees.json.gz\n"
                "  shadewood export --to glsl rooms.ktx2 -o rooms-shader",
    .run = run,
};
