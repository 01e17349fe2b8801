/* --device of training and labelling: one device, or several that work together. */
#ifndef SHW_CLI_DEVICE_LIST_H
#define SHW_CLI_DEVICE_LIST_H

#include <shadewood/train.h>

#include "base/options.h"
#include "cli/report.h"
#include "files/output/calibration_file.h"

#define CLI_DEVICES_MAX 16u
#define CLI_HOST        UINT32_MAX /* among the numbers of devices: the processors */

struct cli_device_list {
    const char *text; /* as given; NULL: device 0 */
    uint32_t count, numbers[CLI_DEVICES_MAX];
};

#define CLI_DEVICE_LIST_OPTION(devices)                                                                                \
    SHW_OPTION(SHW_VALUE_TEXT, "device", 0, "LIST", &(devices).text,                                                   \
               "Vulkan devices, as 'shadewood devices' numbers them, or cpu;\nseveral, as 0,1 or 0,cpu, train one "    \
               "forest together (0)")

#define CLI_LABEL_DEVICE_OPTION(devices)                                                                               \
    SHW_OPTION(SHW_VALUE_TEXT, "device", 0, "LIST", &(devices).text,                                                   \
               "Vulkan devices, as 'shadewood devices' numbers them, or cpu;\nof several, as 0,1 or 0,cpu, each "      \
               "labels the next image when\nit is free (0)")

/* For commands that train on one device. */
#define CLI_RANK_DEVICE_OPTION(devices)                                                                                \
    SHW_OPTION(SHW_VALUE_TEXT, "device", 0, "LIST", &(devices).text,                                                   \
               "Vulkan device, as 'shadewood devices' numbers them, or cpu;\nwith --mpi several, as 0,1 or 0,cpu, "    \
               "of which the processes\nof a machine take one each, in turn (0)")

/* Reads the text. Refuses a device that is there twice, and a technique that cannot be meant. Returns SHW_CONTINUE or
 * the exit code. */
int cli_take_device_list(const struct shw_command *command, enum shw_technique technique, uint32_t candidates,
                         struct cli_device_list *list);

/* Leaves only one of the list, for process `place` of several that take them in turn. */
void cli_take_turn(struct cli_device_list *list, uint32_t place);

struct cli_ranks;

/* The two for commands that train on one device: leaves that of this process; and opens it, or none if *technique does
 * without, which becomes CPU for the processors. Both return SHW_CONTINUE or the exit code. */
int cli_take_rank_device(const struct shw_command *command, enum shw_technique technique, const struct cli_ranks *ranks,
                         struct cli_device_list *list);
int cli_open_rank_device(struct cli_report *report, const struct cli_device_list *list, enum shw_technique *technique,
                         struct shw_device **device);

/* The helpers of a training, with their devices. Zero-initialised: none. */
struct cli_helpers {
    uint32_t count;
    struct shw_train_helper list[CLI_DEVICES_MAX];
    char names[CLI_DEVICES_MAX][24];
};

void cli_helpers_free(struct cli_helpers *helpers);

#endif
