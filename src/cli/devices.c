#include <stdio.h>

#include <shadewood/device.h>

#include "cli/commands.h"
#include "cli/report.h"

#define DEVICES_MAX 64u

static json_t *describe(uint32_t index, const struct shw_device_description *device)
{
    return json_pack("{s:i, s:s, s:s, s:s, s:b, s:b, s:s, s:I, s:i, s:i, s:i, s:I, s:i, s:i, s:b, s:b, s:f}", "index", (int)index,
                     "name", device->name, "driver", device->driver, "type", device->is_cpu ? "cpu" : "gpu", "is_cpu",
                     device->is_cpu, "usable", device->meets_requirements, "missing", device->missing, "memory_bytes",
                     (json_int_t)device->memory_bytes, "image_size_max", (int)device->image_size_max, "array_layers_max",
                     (int)device->array_layers_max, "colour_attachments_max", (int)device->colour_attachments_max,
                     "storage_buffer_range_max", (json_int_t)device->storage_buffer_range_max, "shared_memory_bytes",
                     (int)device->shared_memory_bytes, "subgroup_size", (int)device->subgroup_size, "blends_r32_sfloat",
                     device->blends_r32_sfloat, "int64", device->int64, "timestamp_period_ns", device->timestamp_period_ns);
}

static void print(uint32_t index, const struct shw_device_description *device)
{
    printf("%u: %s\n", index, device->name);
    if (!device->meets_requirements) {
        printf("   cannot be used: lacks %s\n", device->missing);
        return;
    }
    printf("   driver      %s\n", device->driver);
    printf("   Vulkan      %u.%u, %s\n", VK_API_VERSION_MAJOR(device->api_version), VK_API_VERSION_MINOR(device->api_version),
           device->is_cpu ? "a renderer in software" : "hardware");
    printf("   memory      %llu MiB, storage buffers up to %llu MiB\n", (unsigned long long)(device->memory_bytes >> 20),
           (unsigned long long)(device->storage_buffer_range_max >> 20));
    printf("   images      up to %u pixels a side, %u layers, %u colour attachments\n", device->image_size_max,
           device->array_layers_max, device->colour_attachments_max);
    printf("   compute     %u KiB shared memory, subgroups of %u, %s\n", device->shared_memory_bytes >> 10, device->subgroup_size,
           device->int64 ? "64-bit integers" : "no 64-bit integers");
    printf("   techniques  fragment, compute, cpu; additive blending of R32_SFLOAT: %s\n",
           device->blends_r32_sfloat ? "yes" : "no");
}

static int run(int argc, char **argv)
{
    struct cli_report report = {0};
    const struct cli_option options[] = {CLI_REPORT_OPTIONS(report)};
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
    log = cli_log(&report);
    result = shw_device_list(&log, devices, DEVICES_MAX, &count);
    if (result != SHW_OK)
        return cli_exit_code(result);
    count = count < DEVICES_MAX ? count : DEVICES_MAX;
    if (!report.json) {
        for (uint32_t i = 0; i < count; i++)
            print(i, &devices[i]);
        return CLI_SUCCESS;
    }
    list = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(list, describe(i, &devices[i]));
    return cli_print_json(json_pack("{s:o}", "devices", list));
}

const struct cli_command cli_devices = {
    .name = "devices",
    .summary = "list the Vulkan devices of this machine",
    .arguments = "[OPTION...]",
    .text = "Lists the Vulkan devices of this machine, and what they offer. The technique cpu needs none.",
    .examples = "  shadewood devices\n  shadewood devices --json",
    .run = run,
};
