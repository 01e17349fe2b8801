#include "cli/device_list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/data_options.h"
#include "cli/ranks.h"

#define NUMBER_MAX 255u

/* Whether `length` bytes at `text` are an item: "cpu", or a number without leading zeros. */
static bool read_item(const char *text, size_t length, uint32_t *number)
{
    *number = CLI_HOST;
    if (length == 3 && memcmp(text, "cpu", 3) == 0)
        return true;
    if (length == 0 || length > 3 || (length > 1 && *text == '0'))
        return false;
    *number = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return false;
        *number = 10 * *number + (uint32_t)(text[i] - '0');
    }
    return *number <= NUMBER_MAX;
}

static int read_list(const struct shw_command *command, struct cli_device_list *list)
{
    for (const char *at = list->text; at != NULL;) {
        const size_t length = strcspn(at, ",");
        uint32_t number;

        if (!read_item(at, length, &number))
            return shw_usage_error(
                command,
                "--device takes numbers of devices, from 0 to %u, and cpu, with commas between them, "
                "not '%s'",
                NUMBER_MAX, list->text);
        for (uint32_t i = 0; i < list->count; i++)
            if (list->numbers[i] == number)
                return shw_usage_error(command, "--device has %.*s twice", (int)length, at);
        if (list->count == CLI_DEVICES_MAX)
            return shw_usage_error(command, "--device takes at most %u devices", CLI_DEVICES_MAX);
        list->numbers[list->count++] = number;
        at = at[length] == ',' ? at + length + 1 : NULL;
    }
    return SHW_CONTINUE;
}

int cli_take_device_list(const struct shw_command *command, enum shw_technique technique, uint32_t candidates,
                         struct cli_device_list *list)
{
    int code;

    if (list->text == NULL) {
        list->count = 1;
        list->numbers[0] = 0;
        return SHW_CONTINUE;
    }
    code = read_list(command, list);
    if (code != SHW_CONTINUE)
        return code;
    if (list->count == 1 && list->numbers[0] == CLI_HOST && shw_technique_needs_device(technique))
        return shw_usage_error(command, "--device cpu does not go with --technique %s, which needs a device",
                               shw_technique_name(technique));
    if (list->count > 1 && technique == SHW_TECHNIQUE_CPU)
        return shw_usage_error(command, "--technique cpu does not go with several devices: cpu may be one of them");
    if (candidates > 0 && list->count > candidates)
        return shw_usage_error(command, "%u devices divide the candidates of a node, and --candidates %u is fewer",
                               list->count, candidates);
    return SHW_CONTINUE;
}

void cli_take_turn(struct cli_device_list *list, uint32_t place)
{
    list->numbers[0] = list->numbers[place % list->count];
    list->count = 1;
}

int cli_take_rank_device(const struct shw_command *command, enum shw_technique technique, const struct cli_ranks *ranks,
                         struct cli_device_list *list)
{
    const int code = cli_take_device_list(command, technique, 0, list);

    if (code != SHW_CONTINUE)
        return code;
    if (list->count > 1 && !ranks->joined)
        return shw_usage_error(command, "--device takes several devices with --mpi only: one process has one of them");
    cli_take_turn(list, ranks->ranks.place);
    return SHW_CONTINUE;
}

int cli_open_rank_device(struct cli_report *report, const struct cli_device_list *list, enum shw_technique *technique,
                         struct shw_device **device)
{
    if (list->numbers[0] == CLI_HOST)
        *technique = SHW_TECHNIQUE_CPU;
    return *technique == SHW_TECHNIQUE_CPU
               ? SHW_CONTINUE
               : cli_create_device(report, list->numbers[0], shw_technique_needs_device(*technique), device);
}

void cli_helpers_free(struct cli_helpers *helpers)
{
    for (uint32_t h = 0; h < helpers->count; h++)
        shw_device_destroy(&helpers->list[h].device);
    helpers->count = 0;
}
