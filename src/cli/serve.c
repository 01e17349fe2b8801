#include <unistd.h>

#include "base/machine.h"
#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/report.h"
#include "cli/train_run.h"
#include "files/serve/server.h"

static const char *const techniques[] = {"auto", "cpu", "blend", "compute", NULL};
static const enum shw_technique training_techniques[] = {SHW_TECHNIQUE_AUTO, SHW_TECHNIQUE_CPU, SHW_TECHNIQUE_BLEND,
                                                         SHW_TECHNIQUE_COMPUTE};

struct command {
    struct cli_report report;
    struct cli_code code;
    uint32_t device, threads;
    uint64_t memory;
    int technique;
};

static int serve(struct command *command)
{
    struct cli_train_run run = {.report = &command->report};
    struct shw_trainer_params trainer = {.technique = training_techniques[command->technique],
                                         .threads = command->threads};
    const struct shw_log log = cli_log(&command->report);
    struct shw_device_description description = {.name = "cpu"};
    struct shw_server_params params = {.in = STDIN_FILENO,
                                       .out = STDOUT_FILENO,
                                       .memory = command->memory > 0 ? command->memory : shw_machine_memory() / 2,
                                       .threads = command->threads,
                                       .trusts_code = command->code.trusts,
                                       .interrupted = cli_interrupted,
                                       .log = log};
    int code = cli_train_run_choose(&run, command->device, 0, false, &trainer);
    enum shw_result result;

    if (code != SHW_CONTINUE)
        return code;
    cli_hold_signals(true);
    params.technique = trainer.technique;
    if (!shw_technique_is_host(trainer.technique)) {
        params.device = trainer.device;
        shw_device_describe(trainer.device, &description);
    }
    params.name = description.name;
    result = shw_serve(&params);
    shw_device_destroy(&trainer.device);
    return result == SHW_ERROR_CANCELLED ? SHW_EXIT_INTERRUPTED : shw_exit_code(result);
}

static int run(int argc, char **argv)
{
    struct command command = {.threads = 0};
    const struct shw_option options[] = {
        SHW_OPTION_CHOICE("technique", 't', "NAME", &command.technique, techniques,
                          "cpu, blend, compute or auto: compute on a graphics card,\notherwise cpu; the project's "
                          "forest is the same (auto)"),
        CLI_DEVICE_OPTION(command.device),
        SHW_OPTION(SHW_VALUE_BYTES, "memory", 0, "SIZE", &command.memory,
                   "memory of the host for pixels, labels, training and\nmeasuring accuracy, such as 512M or 2G (half "
                   "of the\nmachine's)"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "threads", 0, "N", &command.threads, 1, 1024,
                          "threads; does not affect the forest (one per processor)"),
        CLI_TRUST_OPTION(command.code),
        SHW_OPTION_FLAG("quiet", 'q', &command.report.quiet, "suppress warnings"),
        SHW_OPTION_FLAG("verbose", 'v', &command.report.verbose, "print more"),
    };
    int first;
    const int code = cli_parse(&cli_serve, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        return shw_usage_error(&cli_serve, "unexpected argument '%s'", argv[first]);
    if (isatty(STDIN_FILENO) || isatty(STDOUT_FILENO))
        return shw_usage_error(&cli_serve, "it speaks with a program, not with a terminal: it is what --trainer of "
                                           "shadewood-viewer and of train starts");
    return serve(&command);
}

const struct shw_command cli_serve = {
    .name = "serve",
    .summary = "train for a viewer on another machine, through standard input and output",
    .arguments = "[OPTION...]",
    .text = "Trains forests on what is painted elsewhere: a program, usually on another machine, starts it and speaks "
            "with it\n"
            "through its standard input and output, on which nothing else is read or written. Ends when its standard "
            "input does.\n"
            "No file of the user's is read or written, and no port is opened.",
    .examples = "  shadewood-viewer --trainer 'ssh workstation shadewood serve' photos\n"
                "  shadewood train person.json --trainer 'ssh workstation shadewood serve --device 1' -o person.ktx2",
    .run = run,
};
