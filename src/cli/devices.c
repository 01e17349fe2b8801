#include <limits.h>
#include <stdio.h>

#include <shadewood/device.h>

#include "cli/calibration_table.h"
#include "cli/commands.h"
#include "cli/folder.h"
#include "cli/report.h"

#define DEVICES_MAX 64u

struct listed {
    struct shw_device_description device;
    struct shw_stored_calibration stored;
    bool calibrated;
};

struct command {
    struct cli_report report;
    uint32_t device; /* UINT32_MAX: all */
    bool calibrate;
    struct listed listed;
};

static json_t *describe(uint32_t index, const struct listed *listed)
{
    const struct shw_device_description *device = &listed->device;
    json_t *object = json_pack(
        "{s:i, s:s, s:s, s:s, s:b, s:b, s:s, s:I, s:i, s:i, s:i, s:I, s:i, s:i, s:b, s:b, s:b, s:f}", "index",
        (int)index, "name", device->name, "driver", device->driver, "type", device->is_cpu ? "cpu" : "gpu", "is_cpu",
        device->is_cpu, "usable", device->meets_requirements, "missing", device->missing, "memory_bytes",
        (json_int_t)device->memory_bytes, "image_size_max", (int)device->image_size_max, "array_layers_max",
        (int)device->array_layers_max, "colour_attachments_max", (int)device->colour_attachments_max,
        "storage_buffer_range_max", (json_int_t)device->storage_buffer_range_max, "shared_memory_bytes",
        (int)device->shared_memory_bytes, "subgroup_size", (int)device->subgroup_size, "has_graphics",
        device->has_graphics, "blends_r32_sfloat", device->blends_r32_sfloat, "int64", device->int64,
        "timestamp_period_ns", device->timestamp_period_ns);

    json_object_set_new(object, "calibration",
                        listed->calibrated ? shw_calibration_file_json(&listed->stored) : json_null());
    json_object_set_new(object, "auto",
                        listed->calibrated ? cli_calibration_choice_json(&listed->stored, device) : json_null());
    return object;
}

static void print(uint32_t index, const struct listed *listed, bool table)
{
    const struct shw_device_description *device = &listed->device;

    printf("%u: %s\n", index, device->name);
    if (!device->meets_requirements) {
        printf("   cannot be used: lacks %s\n", device->missing);
        return;
    }
    printf("   driver      %s\n", device->driver);
    printf("   Vulkan      %u.%u, %s\n", VK_API_VERSION_MAJOR(device->api_version),
           VK_API_VERSION_MINOR(device->api_version), device->is_cpu ? "software renderer" : "hardware");
    printf("   memory      %llu MiB, storage buffers up to %llu MiB\n",
           (unsigned long long)(device->memory_bytes >> 20),
           (unsigned long long)(device->storage_buffer_range_max >> 20));
    printf("   images      up to %u pixels a side, %u layers, %u colour attachments\n", device->image_size_max,
           device->array_layers_max, device->colour_attachments_max);
    printf("   compute     %u KiB shared memory, subgroups of %u, %s\n", device->shared_memory_bytes >> 10,
           device->subgroup_size, device->int64 ? "64-bit integers" : "no 64-bit integers");
    printf("   techniques  %scompute, cpu; additive blending of R32_SFLOAT: %s\n",
           device->has_graphics ? "fragment, " : "", device->blends_r32_sfloat ? "yes" : "no");
    if (listed->calibrated)
        cli_calibration_print_choice(&listed->stored, device);
    else
        printf("   auto        %s; not calibrated: --calibrate measures which is fastest\n",
               device->is_cpu ? "cpu" : "compute");
    if (listed->calibrated && table)
        cli_calibration_print_table(&listed->stored, device);
}

/* Checks the folder for calibrations before time is spent on one. */
static int make_folder(struct cli_report *report)
{
    char folder[PATH_MAX];

    if (!shw_calibration_file_folder(folder, sizeof folder))
        return cli_fail(report,
                        "there is no folder to store a calibration in: set XDG_CACHE_HOME or HOME to an absolute path");
    return cli_make_folder(report, folder);
}

/* Measures the device and stores the calibration. Returns CLI_CONTINUE or the exit code. */
static int calibrate(struct cli_report *report, uint32_t index, struct listed *listed)
{
    struct shw_device_create_params create = {.index = index, .log = cli_log(report)};
    struct shw_calibrate_params params = {.log = create.log};
    enum shw_result result;
    int code = make_folder(report);

    if (code != CLI_CONTINUE)
        return code;
    result = shw_device_create(&create, &params.device);
    if (result == SHW_OK)
        result = shw_calibrate(&params, &listed->stored.calibration);
    shw_device_destroy(&params.device);
    if (result == SHW_OK)
        result = shw_calibration_file_store(&listed->device, &create.log, &listed->stored);
    listed->calibrated = result == SHW_OK;
    return listed->calibrated ? CLI_CONTINUE : cli_exit_code(result);
}

static int show(struct command *command, uint32_t index, const struct shw_device_description *device, json_t *list)
{
    struct listed *listed = &command->listed;
    const struct shw_log log = cli_log(&command->report);
    int code = CLI_CONTINUE;

    *listed = (struct listed){.device = *device};
    if (device->meets_requirements && command->calibrate)
        code = calibrate(&command->report, index, listed);
    else if (device->meets_requirements)
        listed->calibrated = shw_calibration_file_load(device, &log, &listed->stored);
    if (code != CLI_CONTINUE)
        return code;
    if (list != NULL)
        json_array_append_new(list, describe(index, listed));
    else
        print(index, listed, command->calibrate);
    return CLI_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct command command = {.device = UINT32_MAX};
    const struct cli_option options[] = {
        CLI_OPTION_FLAG(
            "calibrate", 0, &command.calibrate,
            "measure for a second which techniques are fastest, and\nstore the result for the technique auto"),
        CLI_OPTION_WITHIN(CLI_NUMBER, "device", 0, "N", &command.device, 0, DEVICES_MAX - 1, "only this device (all)"),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_device_description devices[DEVICES_MAX];
    struct shw_log log;
    json_t *list;
    enum shw_result result;
    uint32_t count;
    int first, code = cli_parse(&cli_devices, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != CLI_CONTINUE)
        return code;
    if (first < argc)
        return cli_usage_error(&cli_devices, "unexpected argument '%s'", argv[first]);
    log = cli_log(&command.report);
    result = shw_device_list(&log, devices, DEVICES_MAX, &count);
    if (result != SHW_OK)
        return cli_exit_code(result);
    count = count < DEVICES_MAX ? count : DEVICES_MAX;
    if (command.device != UINT32_MAX && command.device >= count) {
        cli_fail(&command.report, "there is no device %u: there are %u, from 0", command.device, count);
        return CLI_NO_DEVICE;
    }
    list = command.report.json ? json_array() : NULL;
    for (uint32_t i = 0; i < count && code == CLI_CONTINUE; i++)
        if (command.device == UINT32_MAX || command.device == i)
            code = show(&command, i, &devices[i], list);
    if (code == CLI_CONTINUE && list != NULL)
        return cli_print_json(&command.report, json_pack("{s:o}", "devices", list));
    json_decref(list);
    return code == CLI_CONTINUE ? CLI_SUCCESS : code;
}

const struct cli_command cli_devices = {
    .name = "devices",
    .summary = "list the Vulkan devices of this machine, and measure which techniques are fastest",
    .arguments = "[OPTION...]",
    .text = "Lists the Vulkan devices of this machine and their capabilities. The technique cpu needs none.\n"
            "--calibrate stores its measurements in the folder shadewood below $XDG_CACHE_HOME or ~/.cache, one file "
            "per device\n"
            "and driver. The technique auto of label, evaluate and train uses them; results do not depend on them.",
    .examples = "  shadewood devices\n  shadewood devices --json\n  shadewood devices --calibrate --device 0",
    .run = run,
};
