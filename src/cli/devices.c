#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <shadewood/device.h>
#include <shadewood/label.h>

#include "cli/commands.h"
#include "cli/report.h"
#include "files/output/calibration_file.h"

#define DEVICES_MAX 64u

#define ANY 0xffffffffu

/* What `auto` chooses; the default techniques where too little was measured. */
struct choice {
    enum shw_technique run[SHW_STAGE_COUNT], recorded[SHW_STAGE_COUNT], training;
};

/* The work that was measured, at the default size for images of unknown size. */
static struct shw_calibration_work reference(const struct shw_calibration *calibration)
{
    struct shw_calibration_work work = calibration->work;

    work.width = 640;
    work.height = 480;
    return work;
}

static struct choice choose(const struct shw_calibration *calibration, const struct shw_device_description *device)
{
    const enum shw_technique usual = device->is_cpu ? SHW_TECHNIQUE_CPU : SHW_TECHNIQUE_COMPUTE;
    const uint32_t any[SHW_STAGE_COUNT] = {ANY, ANY, ANY};
    struct shw_calibration_work work = reference(calibration);
    struct choice choice = {{usual, usual, usual},
                            {SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE, SHW_TECHNIQUE_COMPUTE},
                            shw_calibration_choose_training(calibration, ANY)};

    shw_calibration_choose(calibration, &work, any, choice.run);
    work.recorded = true;
    shw_calibration_choose(calibration, &work, any, choice.recorded);
    if (choice.training == SHW_TECHNIQUE_AUTO)
        choice.training = usual;
    return choice;
}

static void print_mixture(const char *name, const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    printf("%s", name);
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        printf("%s %s %s", s > 0 ? "," : "", shw_stage_name((enum shw_stage)s), shw_technique_name(techniques[s]));
    printf("\n");
}

static void print_choice(const struct shw_stored_calibration *stored, const struct shw_device_description *device)
{
    const struct shw_calibration *calibration = &stored->calibration;
    struct choice choice = choose(calibration, device);

    printf("   calibrated  %s, in %.2f s, with %u %s for cpu\n", stored->date, calibration->milliseconds / 1e3,
           calibration->threads, calibration->threads == 1 ? "thread" : "threads");
    print_mixture("   auto       ", choice.run);
    print_mixture("   in a frame ", choice.recorded);
    printf("   training    %s\n", shw_technique_name(choice.training));
}

static void print_cell(double value, bool chosen)
{
    char text[32] = "-";

    if (isfinite(value) && value > 0)
        snprintf(text, sizeof text, value < 10 ? "%.3f" : "%.1f", value);
    printf(" %10s%s", text, chosen ? "*" : " ");
}

/* The stage's cost, as <shadewood/calibrate.h> defines its units. */
static double stage_ms(const struct shw_calibration *calibration, const struct shw_calibration_work *work, int stage,
                       int technique)
{
    const struct shw_cost *cost = &calibration->stages[stage][technique];
    bool classes = (work->outputs & (SHW_OUTPUT_DISTRIBUTION | SHW_OUTPUT_ARGMAX)) != 0;
    double units = (double)work->width * work->height;

    if (stage == SHW_STAGE_EVALUATE)
        units *= work->visits + (classes ? (double)work->tree_count * work->class_count / 16 : 0);
    else
        units *= work->channel_count;
    return cost->measured ? cost->fixed_ms + 1e-6 * cost->unit_ns * units : 0;
}

static void print_table(const struct shw_stored_calibration *stored, const struct shw_device_description *device)
{
    const struct shw_calibration *calibration = &stored->calibration;
    struct shw_calibration_work work = reference(calibration);
    struct choice choice = choose(calibration, device);

    printf("   ms for %u x %u pixels, %u channels, %u trees with %u tests per path, %u classes; * is chosen\n",
           work.width, work.height, work.channel_count, work.tree_count, work.visits, work.class_count);
    printf("   %-14s", "");
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        printf(" %10s ", shw_technique_name((enum shw_technique)t));
    printf("\n");
    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++) {
        printf("   %-14s", shw_stage_name((enum shw_stage)s));
        for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++)
            print_cell(stage_ms(calibration, &work, s, t), choice.run[s] == (enum shw_technique)t);
        printf("\n");
    }
    printf("   %-14s", "whole frame");
    for (int t = SHW_TECHNIQUE_CPU; t <= SHW_TECHNIQUE_COMPUTE; t++) {
        const enum shw_technique one = (enum shw_technique)t, mixture[SHW_STAGE_COUNT] = {one, one, one};
        print_cell(shw_calibration_predict(calibration, &work, mixture),
                   memcmp(mixture, choice.run, sizeof mixture) == 0);
    }
    printf("\n   %-14s", "train, ns");
    for (int t = SHW_TECHNIQUE_CPU; t < (int)SHW_TECHNIQUE_COUNT; t++)
        print_cell(calibration->training_ns[t], choice.training == (enum shw_technique)t);
    printf("\n");
    for (uint32_t f = 0; f < calibration->frame_count; f++) {
        const struct shw_calibration_frame *frame = &calibration->frames[f];
        printf("   %s %u x %u by %s, %s, %s: %.3f ms measured, %.3f predicted\n", f == 0 ? "frames of" : "         ",
               calibration->work.width, calibration->work.height, shw_technique_name(frame->techniques[0]),
               shw_technique_name(frame->techniques[1]), shw_technique_name(frame->techniques[2]), frame->measured_ms,
               frame->predicted_ms);
    }
}

static json_t *mixture_json(const enum shw_technique techniques[SHW_STAGE_COUNT])
{
    json_t *mixture = json_object();

    for (int s = 0; s < (int)SHW_STAGE_COUNT; s++)
        json_object_set_new(mixture, shw_stage_name((enum shw_stage)s), json_string(shw_technique_name(techniques[s])));
    return mixture;
}

static json_t *choice_json(const struct shw_stored_calibration *stored, const struct shw_device_description *device)
{
    struct choice choice = choose(&stored->calibration, device);

    return json_pack("{s:o, s:o, s:s}", "run", mixture_json(choice.run), "recorded", mixture_json(choice.recorded),
                     "training", shw_technique_name(choice.training));
}

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
    json_object_set_new(object, "auto", listed->calibrated ? choice_json(&listed->stored, device) : json_null());
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
        print_choice(&listed->stored, device);
    else
        printf("   auto        %s; not calibrated: --calibrate measures which is fastest\n",
               device->is_cpu ? "cpu" : "compute");
    if (listed->calibrated && table)
        print_table(&listed->stored, device);
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

/* Measures the device and stores the calibration. Returns SHW_CONTINUE or the exit code. */
static int calibrate(struct cli_report *report, uint32_t index, struct listed *listed)
{
    struct shw_device_create_params create = {.index = index, .log = cli_log(report)};
    struct shw_calibrate_params params = {.log = create.log};
    enum shw_result result;
    int code = make_folder(report);

    if (code != SHW_CONTINUE)
        return code;
    result = shw_device_create(&create, &params.device);
    if (result == SHW_OK)
        result = shw_calibrate(&params, &listed->stored.calibration);
    shw_device_destroy(&params.device);
    if (result == SHW_OK)
        result = shw_calibration_file_store(&listed->device, &create.log, &listed->stored);
    listed->calibrated = result == SHW_OK;
    return listed->calibrated ? SHW_CONTINUE : shw_exit_code(result);
}

static int show(struct command *command, uint32_t index, const struct shw_device_description *device, json_t *list)
{
    struct listed *listed = &command->listed;
    const struct shw_log log = cli_log(&command->report);
    int code = SHW_CONTINUE;

    *listed = (struct listed){.device = *device};
    if (device->meets_requirements && command->calibrate)
        code = calibrate(&command->report, index, listed);
    else if (device->meets_requirements)
        listed->calibrated = shw_calibration_file_load(device, &log, &listed->stored);
    if (code != SHW_CONTINUE)
        return code;
    if (list != NULL)
        json_array_append_new(list, describe(index, listed));
    else
        print(index, listed, command->calibrate);
    return SHW_CONTINUE;
}

static int run(int argc, char **argv)
{
    struct command command = {.device = UINT32_MAX};
    const struct shw_option options[] = {
        SHW_OPTION_FLAG(
            "calibrate", 0, &command.calibrate,
            "measure for a second which techniques are fastest, and\nstore the result for the technique auto"),
        SHW_OPTION_WITHIN(SHW_VALUE_NUMBER, "device", 0, "N", &command.device, 0, DEVICES_MAX - 1,
                          "only this device (all)"),
        CLI_REPORT_OPTIONS(command.report),
    };
    struct shw_device_description devices[DEVICES_MAX];
    struct shw_log log;
    json_t *list;
    enum shw_result result;
    uint32_t count;
    int first, code = cli_parse(&cli_devices, options, sizeof options / sizeof *options, argc, argv, &first);

    if (code != SHW_CONTINUE)
        return code;
    if (first < argc)
        return shw_usage_error(&cli_devices, "unexpected argument '%s'", argv[first]);
    log = cli_log(&command.report);
    result = shw_device_list(&log, devices, DEVICES_MAX, &count);
    if (result != SHW_OK)
        return shw_exit_code(result);
    count = count < DEVICES_MAX ? count : DEVICES_MAX;
    if (command.device != UINT32_MAX && command.device >= count) {
        cli_fail(&command.report, "there is no device %u: there are %u, from 0", command.device, count);
        return SHW_EXIT_NO_DEVICE;
    }
    list = command.report.json ? json_array() : NULL;
    for (uint32_t i = 0; i < count && code == SHW_CONTINUE; i++)
        if (command.device == UINT32_MAX || command.device == i)
            code = show(&command, i, &devices[i], list);
    if (code == SHW_CONTINUE && list != NULL)
        return cli_print_json(&command.report, json_pack("{s:o}", "devices", list));
    json_decref(list);
    return code == SHW_CONTINUE ? SHW_EXIT_SUCCESS : code;
}

const struct shw_command cli_devices = {
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
