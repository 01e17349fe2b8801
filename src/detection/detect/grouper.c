/* Groups of windows on a device, recorded behind a detection. */
#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "detection/detect/group.h"
#include "shared/detect_push.h"
#include "vulkan/commands.h"
#include "vulkan/device.h"
#include "vulkan/memory.h"
#include "vulkan/program.h"

SHW_SHADER_DECLARE(detect_group_comp);

_Static_assert(sizeof(struct shw_group_header) == sizeof(uint32_t) * SHW_GROUPER_HEADER_WORDS &&
                   sizeof(struct shw_detection) == sizeof(uint32_t) * SHW_DETECT_FOUND_WORDS,
               "shaders write these as words");

struct shw_grouper {
    struct shw_grouper_params params; /* nothing is left to choose */
    struct shw_group_rule rule;
    struct shw_buffer scratch;
    struct shw_program program;
    struct shw_sets sets; /* one for each slot */
};

static enum shw_result refuse(const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a grouper: %s", what);
}

static enum shw_result check_params(const struct shw_grouper_params *params)
{
    const struct shw_log *log = &params->log;
    uint32_t lanes;

    if (params->device == NULL)
        return refuse(log, "a device is missing");
    if (params->windows > SHW_GROUPER_WINDOWS_MAX)
        return refuse(log, "it can take at most 4096 windows");
    SHW_PROPAGATE(shw_slots_check(params->slots, log));
    lanes = params->device->properties.limits.maxComputeWorkGroupInvocations;
    if (lanes < SHW_GROUPER_LANES)
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "grouping needs work groups of %u invocations; the device has at most %u: use "
                        "shw_detections_group()",
                        SHW_GROUPER_LANES, lanes);
    return SHW_OK;
}

static enum shw_result create_program(struct shw_grouper *grouper)
{
    struct shw_binding bindings[SHW_GROUPER_BINDINGS];
    const struct shw_program_params params = {.name = "groups",
                                              .compute = SHW_SHADER(detect_group_comp),
                                              .bindings = bindings,
                                              .binding_count = SHW_GROUPER_BINDINGS,
                                              .push_bytes = sizeof(struct shw_grouper_push)};

    for (uint32_t b = 0; b < SHW_GROUPER_BINDINGS; b++)
        bindings[b] = (struct shw_binding){b, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    return shw_program_create(grouper->params.device, &params, &grouper->program);
}

enum shw_result shw_grouper_create_abi(uint32_t abi, const struct shw_grouper_params *params, struct shw_grouper **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_grouper *grouper;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    grouper = calloc(1, sizeof *grouper);
    if (grouper == NULL)
        return shw_fail_memory(&params->log, "a grouper");
    grouper->params = *params;
    if (params->windows == 0)
        grouper->params.windows = SHW_GROUPER_WINDOWS_MAX;
    if (params->vertex_count == 0)
        grouper->params.vertex_count = 4;
    grouper->params.slots = shw_max_u32(params->slots, 1);
    SHW_TRY(shw_group_rule_make(&params->group, params->kind, &params->log, &grouper->rule));
    SHW_TRY(shw_buffer_create(params->device,
                              sizeof(uint32_t) * (SHW_GROUPER_WORDS * (VkDeviceSize)grouper->params.windows + 1),
                              VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "groups", &grouper->scratch));
    SHW_TRY(create_program(grouper));
    SHW_TRY(shw_sets_create(params->device, &grouper->program, grouper->params.slots, &grouper->sets));
    *out = grouper;
    return SHW_OK;

fail:
    shw_grouper_destroy(&grouper);
    return result;
}

void shw_grouper_destroy(struct shw_grouper **handle)
{
    struct shw_grouper *grouper = handle != NULL ? *handle : NULL;

    if (grouper == NULL)
        return;
    shw_sets_destroy(grouper->params.device, &grouper->sets);
    shw_program_destroy(grouper->params.device, &grouper->program);
    shw_buffer_destroy(grouper->params.device, &grouper->scratch);
    free(grouper);
    *handle = NULL;
}

/* What both targets have in common. */
static enum shw_result check_buffer(const struct shw_grouper *grouper, VkBuffer buffer, VkDeviceSize offset,
                                    const char *name)
{
    VkDeviceSize alignment = grouper->params.device->properties.limits.minStorageBufferOffsetAlignment;

    if (buffer == VK_NULL_HANDLE || offset % alignment != 0)
        return shw_fail(&grouper->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "%s need a buffer, and an offset that is a multiple of %llu", name,
                        (unsigned long long)alignment);
    return SHW_OK;
}

static enum shw_result check_targets(const struct shw_grouper *grouper, const struct shw_detect_target *windows,
                                     struct shw_use read, const struct shw_group_target *target, struct shw_use before,
                                     struct shw_use after)
{
    const struct shw_grouper_params *params = &grouper->params;

    SHW_PROPAGATE(check_buffer(grouper, windows->buffer, windows->offset, "the windows"));
    SHW_PROPAGATE(check_buffer(grouper, target->buffer, target->offset, "the groups"));
    if (windows->capacity > params->windows)
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a target of %u windows is larger than the grouper's %u", windows->capacity, params->windows);
    if (target->capacity > SHW_GROUPER_WINDOWS_MAX)
        return refuse(&params->log, "there are never more than 4096 groups: the target's capacity is too large");
    SHW_PROPAGATE(shw_sides_check(params->device, read, read, "the windows", &params->log));
    return shw_sides_check(params->device, before, after, "the groups", &params->log);
}

static void bind(struct shw_grouper *grouper, uint32_t slot, const struct shw_detect_target *windows,
                 const struct shw_group_target *target)
{
    const struct shw_resource resources[SHW_GROUPER_BINDINGS] = {
        [SHW_GROUPER_WINDOWS] = {.buffer = windows->buffer,
                                 .offset = windows->offset,
                                 .size = sizeof(uint32_t) * SHW_DETECT_HEADER_WORDS +
                                         sizeof(struct shw_detection) * (VkDeviceSize)windows->capacity},
        [SHW_GROUPER_GROUPS] = {.buffer = target->buffer,
                                .offset = target->offset,
                                .size = sizeof(struct shw_group_header) +
                                        sizeof(struct shw_detection) * (VkDeviceSize)target->capacity},
        [SHW_GROUPER_SCRATCH] = {.buffer = grouper->scratch.handle}};

    shw_set_write(grouper->params.device, &grouper->program, grouper->sets.handles[slot], resources);
}

/* The steps, each after the one before. */
static void record(const struct shw_grouper *grouper, VkCommandBuffer commands, uint32_t slot, uint32_t windows,
                   uint32_t groups)
{
    const struct shw_device *device = grouper->params.device;
    const struct shw_group_rule *rule = &grouper->rule;
    bool is_mean = rule->method == SHW_GROUP_BY_MEAN, averages = is_mean || rule->method == SHW_GROUP_BY_CLUSTER;
    const uint32_t work[] = {[SHW_GROUPER_BEGIN] = 1,
                             [SHW_GROUPER_CONNECT] = averages ? windows / SHW_GROUPER_ROWS + 1 : 0,
                             [SHW_GROUPER_AVERAGE] = averages,
                             [SHW_GROUPER_INSIDE] = is_mean ? windows / SHW_GROUPER_LANES + 1 : 0,
                             [SHW_GROUPER_END] = 1};
    struct shw_grouper_push push = {.method = rule->method,
                                    .min_neighbours = rule->min_neighbours,
                                    .epsilon = rule->epsilon,
                                    .overlap = rule->overlap,
                                    .has_min_score = grouper->params.group.has_min_score,
                                    .min_score = grouper->params.group.min_score,
                                    .room = grouper->params.windows,
                                    .windows = windows,
                                    .groups = groups,
                                    .vertex_count = grouper->params.vertex_count};

    for (push.step = SHW_GROUPER_BEGIN; push.step <= SHW_GROUPER_END; push.step++)
        if (work[push.step] > 0) {
            shw_memory_barrier(device, commands, shw_use_compute_write, shw_use_compute_write);
            shw_program_dispatch(device, commands, &grouper->program, grouper->sets.handles[slot], &push,
                                 work[push.step], 1, 1);
        }
}

enum shw_result shw_grouper_record(struct shw_grouper *grouper, VkCommandBuffer commands, uint32_t slot,
                                   const struct shw_detect_target *windows, const struct shw_group_target *target)
{
    SHW_REFUSE_NULL(NULL, grouper);
    SHW_REFUSE_NULL(&grouper->params.log, commands);
    SHW_REFUSE_NULL(&grouper->params.log, windows);
    SHW_REFUSE_NULL(&grouper->params.log, target);

    const struct shw_use read = {VK_IMAGE_LAYOUT_UNDEFINED, windows->after_stage, windows->after_access};
    const struct shw_use before = {VK_IMAGE_LAYOUT_UNDEFINED, target->before_stage, target->before_access};
    const struct shw_use after = {VK_IMAGE_LAYOUT_UNDEFINED, target->after_stage, target->after_access};
    const struct shw_device *device = grouper->params.device;

    if (slot >= grouper->params.slots)
        return refuse(&grouper->params.log, "recording needs a slot below `slots`");
    SHW_PROPAGATE(check_targets(grouper, windows, read, target, before, after));
    bind(grouper, slot, windows, target);
    shw_buffer_barrier(device, commands, windows->buffer, read, shw_use_compute_read);
    shw_buffer_barrier(device, commands, target->buffer, before, shw_use_compute_write);
    record(grouper, commands, slot, windows->capacity, target->capacity);
    shw_buffer_barrier(device, commands, windows->buffer, shw_use_compute_read, read);
    shw_buffer_barrier(device, commands, target->buffer, shw_use_compute_write, after);
    return SHW_OK;
}
