#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <shadewood/shadewood.h>

#include "base/options.h"
#include "base/process.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/report.h"

static const struct shw_command *const commands[] = {
    &cli_devices,       &cli_synth, &cli_convert,      &cli_depth,   &cli_train,    &cli_tune,    &cli_train_cascade,
    &cli_train_records, &cli_label, &cli_detect,       &cli_records, &cli_evaluate, &cli_explain, &cli_inspect,
    &cli_calibrate,     &cli_merge, &cli_merge_shards, &cli_import,  &cli_export,   &cli_serve,   &cli_bench};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static const struct shw_command *find(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static void print_usage(FILE *stream)
{
    fputs("usage: shadewood COMMAND [OPTION...] [ARGUMENT...]\n\n"
          "Trains decision forests and evaluates them at every pixel of an image, on the graphics "
          "pipeline.\n\ncommands:\n",
          stream);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(stream, "  %-13s %s\n", commands[i]->name, commands[i]->summary);
    fputs("\n'shadewood COMMAND --help' describes a command; 'man shadewood' is the manual.\n", stream);
}

static int no_such_command(const char *name)
{
    struct shw_suggestion suggestion = {.wanted = name};

    for (size_t i = 0; i < COMMAND_COUNT; i++)
        shw_suggest(&suggestion, commands[i]->name);
    if (suggestion.nearest != NULL)
        fprintf(stderr, "shadewood: there is no command '%s'; did you mean '%s'? (try 'shadewood --help')\n",
                shw_printable(name).text, suggestion.nearest);
    else
        fprintf(stderr, "shadewood: there is no command '%s' (try 'shadewood --help')\n", shw_printable(name).text);
    return SHW_EXIT_USAGE;
}

/* Standard output is flushed here, so a full disk may show only now. */
static int finish(int code)
{
    int error = fflush(stdout) != 0 ? errno : ferror(stdout) != 0 ? EIO : 0;

    if (error == 0)
        return code;
    fprintf(stderr, "shadewood: cannot write standard output: %s\n", strerror(error));
    return code != SHW_EXIT_SUCCESS ? code : SHW_EXIT_FAILURE;
}

static int run(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    bool help = name != NULL && (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0);
    char help_option[] = "--help";
    char *help_arguments[] = {argv[0], help_option, NULL};
    const struct shw_command *command;

    if (name == NULL) {
        print_usage(stderr);
        return SHW_EXIT_USAGE;
    }
    if (strcmp(name, "--version") == 0) {
        printf("shadewood %d.%d.%d\n", SHW_VERSION_MAJOR, SHW_VERSION_MINOR, SHW_VERSION_PATCH);
        return finish(SHW_EXIT_SUCCESS);
    }
    if (help && argc < 3) {
        print_usage(stdout);
        return finish(SHW_EXIT_SUCCESS);
    }
    command = find(help ? argv[2] : name);
    if (command == NULL)
        return no_such_command(help ? argv[2] : name);
    return finish(help ? command->run(2, help_arguments) : command->run(argc - 1, argv + 1));
}

int main(int argc, char **argv)
{
    shw_process_begin(&argc, &argv);
    cli_catch_signals();
    return run(argc, argv);
}
