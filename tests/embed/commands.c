#include "commands.h"

#include <stdio.h>
#include <string.h>

enum { RESOURCES = 4096, EVENTS = 16384, BINDINGS = 16, LIVE = 8192, MAPPED = 64 };

static const VkAccessFlags writing =
    VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT;

struct range {
    VkDeviceMemory memory;
    VkDeviceSize begin, end;
};

/* A handle, and what it stands for: a buffer or image its memory, a view its image, a framebuffer or set its parts. */
struct resource {
    uint64_t handle;
    struct range range;
    uint32_t part_count;
    uint64_t parts[BINDINGS];
    VkDescriptorType types[BINDINGS];
};

struct event {
    enum { ACCESS, BARRIER, FINISHED } kind;
    uint32_t part, number; /* of the part of the recording; of barriers */
    VkPipelineStageFlags stages, after;
    VkAccessFlags access, access_after;
    bool is_global, is_transition;
    struct range range; /* of barriers: begin == end for global ones */
};

/* An earlier access: later commands in the stages `ordered` come after it; what it wrote is visible to `visible`. */
struct live {
    struct event event;
    VkPipelineStageFlags ordered, visible_stages;
    VkAccessFlags visible_access;
    bool is_available;
};

static struct {
    struct shw_vk real;
    VkDevice device;
    PFN_vkMapMemory map;
    VkDeviceMemory mapped[MAPPED];
    struct resource resources[RESOURCES];
    struct event events[EVENTS];
    uint32_t mapped_count, resource_count, event_count, part, barriers;
    uint64_t bound[2], framebuffer; /* sets, by bind point */
} notes;

static struct resource *find(uint64_t handle)
{
    for (uint32_t i = notes.resource_count; i-- > 0;)
        if (notes.resources[i].handle == handle)
            return &notes.resources[i];
    return NULL;
}

static struct resource *note(uint64_t handle)
{
    assert_true(notes.resource_count < RESOURCES);
    notes.resources[notes.resource_count] = (struct resource){.handle = handle};
    return &notes.resources[notes.resource_count++];
}

static struct event *add(int kind)
{
    assert_true(notes.event_count < EVENTS);
    notes.events[notes.event_count] = (struct event){.kind = kind, .part = notes.part};
    return &notes.events[notes.event_count++];
}

/* Of views, the memory of their images. What the host has mapped is written before the submission. */
static void access(uint64_t handle, VkPipelineStageFlags stages, VkAccessFlags mask)
{
    const struct resource *resource = find(handle);
    struct event *event;

    assert_non_null(resource);
    if (resource->part_count > 0)
        resource = find(resource->parts[0]);
    assert_non_null(resource);
    for (uint32_t i = 0; i < notes.mapped_count; i++)
        if (notes.mapped[i] == resource->range.memory)
            return;
    event = add(ACCESS);
    event->stages = stages;
    event->access = mask;
    event->range = resource->range;
}

static VKAPI_ATTR VkResult VKAPI_CALL map_memory(VkDevice device, VkDeviceMemory memory, VkDeviceSize offset,
                                                 VkDeviceSize size, VkMemoryMapFlags flags, void **data)
{
    assert_true(notes.mapped_count < MAPPED);
    notes.mapped[notes.mapped_count++] = memory;
    return notes.map(device, memory, offset, size, flags, data);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_buffer(VkDevice device, VkBuffer buffer, VkDeviceMemory memory,
                                                  VkDeviceSize offset)
{
    VkMemoryRequirements requirements;

    notes.real.GetBufferMemoryRequirements(device, buffer, &requirements);
    note((uint64_t)buffer)->range = (struct range){memory, offset, offset + requirements.size};
    return notes.real.BindBufferMemory(device, buffer, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL bind_image(VkDevice device, VkImage image, VkDeviceMemory memory,
                                                 VkDeviceSize offset)
{
    VkMemoryRequirements requirements;

    notes.real.GetImageMemoryRequirements(device, image, &requirements);
    note((uint64_t)image)->range = (struct range){memory, offset, offset + requirements.size};
    return notes.real.BindImageMemory(device, image, memory, offset);
}

static VKAPI_ATTR VkResult VKAPI_CALL create_view(VkDevice device, const VkImageViewCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkImageView *view)
{
    VkResult result = notes.real.CreateImageView(device, info, allocator, view);
    struct resource *resource = note((uint64_t)*view);

    resource->part_count = 1;
    resource->parts[0] = (uint64_t)info->image;
    return result;
}

static VKAPI_ATTR VkResult VKAPI_CALL create_framebuffer(VkDevice device, const VkFramebufferCreateInfo *info,
                                                         const VkAllocationCallbacks *allocator,
                                                         VkFramebuffer *framebuffer)
{
    VkResult result = notes.real.CreateFramebuffer(device, info, allocator, framebuffer);
    struct resource *resource = note((uint64_t)*framebuffer);

    resource->part_count = info->attachmentCount;
    for (uint32_t i = 0; i < info->attachmentCount; i++)
        resource->parts[i] = (uint64_t)info->pAttachments[i];
    return result;
}

static VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice device, uint32_t count, const VkWriteDescriptorSet *writes,
                                              uint32_t copy_count, const VkCopyDescriptorSet *copies)
{
    for (uint32_t i = 0; i < count; i++) {
        const VkWriteDescriptorSet *write = &writes[i];
        struct resource *set = find((uint64_t)write->dstSet);
        if (set == NULL)
            set = note((uint64_t)write->dstSet);
        set->part_count = BINDINGS;
        set->types[write->dstBinding] = write->descriptorType;
        set->parts[write->dstBinding] = write->descriptorType == VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE ||
                                                write->descriptorType == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                            ? (uint64_t)write->pImageInfo->imageView
                                            : (uint64_t)write->pBufferInfo->buffer;
    }
    notes.real.UpdateDescriptorSets(device, count, writes, copy_count, copies);
}

static VKAPI_ATTR void VKAPI_CALL bind_sets(VkCommandBuffer commands, VkPipelineBindPoint point,
                                            VkPipelineLayout layout, uint32_t first, uint32_t count,
                                            const VkDescriptorSet *sets, uint32_t offset_count, const uint32_t *offsets)
{
    notes.bound[point == VK_PIPELINE_BIND_POINT_COMPUTE] = (uint64_t)sets[0];
    notes.real.CmdBindDescriptorSets(commands, point, layout, first, count, sets, offset_count, offsets);
}

/* Whether a shader writes a storage buffer is not known, so it may. */
static void access_set(bool is_compute)
{
    const struct resource *set = find(notes.bound[is_compute]);
    VkPipelineStageFlags stage =
        is_compute ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT;

    assert_non_null(set);
    for (uint32_t i = 0; i < BINDINGS; i++)
        if (set->parts[i] != 0)
            access(set->parts[i], stage,
                   set->types[i] == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE ? VK_ACCESS_SHADER_WRITE_BIT
                   : set->types[i] == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                       ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT
                       : VK_ACCESS_SHADER_READ_BIT);
}

static VKAPI_ATTR void VKAPI_CALL dispatch(VkCommandBuffer commands, uint32_t x, uint32_t y, uint32_t z)
{
    access_set(true);
    notes.real.CmdDispatch(commands, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL dispatch_base(VkCommandBuffer commands, uint32_t x0, uint32_t y0, uint32_t z0,
                                                uint32_t x, uint32_t y, uint32_t z)
{
    access_set(true);
    notes.real.CmdDispatchBase(commands, x0, y0, z0, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL begin_render_pass(VkCommandBuffer commands, const VkRenderPassBeginInfo *info,
                                                    VkSubpassContents contents)
{
    notes.framebuffer = (uint64_t)info->framebuffer;
    notes.real.CmdBeginRenderPass(commands, info, contents);
}

static VKAPI_ATTR void VKAPI_CALL draw(VkCommandBuffer commands, uint32_t vertices, uint32_t instances,
                                       uint32_t first_vertex, uint32_t first_instance)
{
    const struct resource *framebuffer = find(notes.framebuffer);

    access_set(false);
    assert_non_null(framebuffer);
    for (uint32_t i = 0; i < framebuffer->part_count; i++)
        access(framebuffer->parts[i], VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
               VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT);
    notes.real.CmdDraw(commands, vertices, instances, first_vertex, first_instance);
}

static void copy(uint64_t from, uint64_t to)
{
    access(from, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
    access(to, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT);
}

static VKAPI_ATTR void VKAPI_CALL copy_buffer(VkCommandBuffer commands, VkBuffer from, VkBuffer to, uint32_t count,
                                              const VkBufferCopy *regions)
{
    copy((uint64_t)from, (uint64_t)to);
    notes.real.CmdCopyBuffer(commands, from, to, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL copy_image(VkCommandBuffer commands, VkImage from, VkImageLayout from_layout,
                                             VkImage to, VkImageLayout to_layout, uint32_t count,
                                             const VkImageCopy *regions)
{
    copy((uint64_t)from, (uint64_t)to);
    notes.real.CmdCopyImage(commands, from, from_layout, to, to_layout, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL copy_to_image(VkCommandBuffer commands, VkBuffer from, VkImage to,
                                                VkImageLayout layout, uint32_t count, const VkBufferImageCopy *regions)
{
    copy((uint64_t)from, (uint64_t)to);
    notes.real.CmdCopyBufferToImage(commands, from, to, layout, count, regions);
}

static VKAPI_ATTR void VKAPI_CALL copy_to_buffer(VkCommandBuffer commands, VkImage from, VkImageLayout layout,
                                                 VkBuffer to, uint32_t count, const VkBufferImageCopy *regions)
{
    copy((uint64_t)from, (uint64_t)to);
    notes.real.CmdCopyImageToBuffer(commands, from, layout, to, count, regions);
}

static void note_barrier(VkPipelineStageFlags before, VkPipelineStageFlags after, VkAccessFlags access_before,
                         VkAccessFlags access_after, uint64_t handle, bool is_transition)
{
    struct event *event = add(BARRIER);
    const struct resource *resource = handle != 0 ? find(handle) : NULL;

    assert_true(handle == 0 || resource != NULL);
    event->number = notes.barriers;
    event->stages = before;
    event->after = after;
    event->access = access_before;
    event->access_after = access_after;
    event->is_global = handle == 0;
    event->is_transition = is_transition;
    if (resource != NULL)
        event->range = resource->range;
}

static VKAPI_ATTR void VKAPI_CALL pipeline_barrier(VkCommandBuffer commands, VkPipelineStageFlags before,
                                                   VkPipelineStageFlags after, VkDependencyFlags flags,
                                                   uint32_t memory_count, const VkMemoryBarrier *memory,
                                                   uint32_t buffer_count, const VkBufferMemoryBarrier *buffers,
                                                   uint32_t image_count, const VkImageMemoryBarrier *images)
{
    for (uint32_t i = 0; i < memory_count; i++)
        note_barrier(before, after, memory[i].srcAccessMask, memory[i].dstAccessMask, 0, false);
    for (uint32_t i = 0; i < buffer_count; i++)
        note_barrier(before, after, buffers[i].srcAccessMask, buffers[i].dstAccessMask, (uint64_t)buffers[i].buffer,
                     false);
    for (uint32_t i = 0; i < image_count; i++)
        note_barrier(before, after, images[i].srcAccessMask, images[i].dstAccessMask, (uint64_t)images[i].image,
                     images[i].oldLayout != images[i].newLayout);
    notes.barriers++;
    notes.real.CmdPipelineBarrier(commands, before, after, flags, memory_count, memory, buffer_count, buffers,
                                  image_count, images);
}

void commands_watch(struct shw_device *device, struct engine *engine)
{
    struct shw_vk *vk = &device->vk;

    memset(&notes, 0, sizeof notes);
    notes.real = *vk;
    notes.map = engine->vk.MapMemory;
    engine->vk.MapMemory = map_memory;
    vk->BindBufferMemory = bind_buffer;
    vk->BindImageMemory = bind_image;
    vk->CreateImageView = create_view;
    vk->CreateFramebuffer = create_framebuffer;
    vk->UpdateDescriptorSets = update_sets;
    vk->CmdBindDescriptorSets = bind_sets;
    vk->CmdDispatch = dispatch;
    vk->CmdDispatchBase = dispatch_base;
    vk->CmdBeginRenderPass = begin_render_pass;
    vk->CmdDraw = draw;
    vk->CmdCopyBuffer = copy_buffer;
    vk->CmdCopyImage = copy_image;
    vk->CmdCopyBufferToImage = copy_to_image;
    vk->CmdCopyImageToBuffer = copy_to_buffer;
    vk->CmdPipelineBarrier = pipeline_barrier;
}

void commands_next_part(void)
{
    notes.part++;
}

void commands_finished(void)
{
    add(FINISHED);
}

uint32_t commands_barriers(void)
{
    return notes.barriers;
}

bool commands_begins_part(uint32_t barrier)
{
    uint32_t accesses = 0, part = 0;

    for (uint32_t i = 0; i < notes.event_count; i++) {
        const struct event *event = &notes.events[i];
        accesses = event->part == part ? accesses : 0;
        part = event->part;
        accesses += event->kind == ACCESS;
        if (event->kind == BARRIER && event->number == barrier)
            return event->is_global && accesses == 0;
    }
    return false;
}

VkPipelineStageFlags commands_stages(void)
{
    VkPipelineStageFlags stages = 0;

    for (uint32_t i = 0; i < notes.event_count; i++)
        if (notes.events[i].kind == BARRIER)
            stages |= notes.events[i].stages | notes.events[i].after;
    return stages;
}

bool commands_begin_globally(void)
{
    for (uint32_t i = 0; i < notes.event_count && notes.events[i].kind == BARRIER; i++)
        if (notes.events[i].is_global)
            return true;
    return false;
}

static VkPipelineStageFlags scope(VkPipelineStageFlags stages)
{
    return (stages & VK_PIPELINE_STAGE_ALL_COMMANDS_BIT) != 0 ? UINT32_MAX : stages;
}

static VkAccessFlags access_scope(VkAccessFlags mask)
{
    return mask | ((mask & VK_ACCESS_MEMORY_WRITE_BIT) != 0 ? writing : 0) |
           ((mask & VK_ACCESS_MEMORY_READ_BIT) != 0 ? ~writing : 0);
}

static bool overlap(const struct range *a, const struct range *b)
{
    return a->memory == b->memory && a->begin < b->end && b->begin < a->end;
}

static struct live earlier[LIVE];
static uint32_t earlier_count;

static void keep(const struct live *live)
{
    assert_true(earlier_count < LIVE);
    earlier[earlier_count++] = *live;
}

/* Forgets earlier accesses where this one writes: they are in order before it. */
static void overwrite(const struct event *event)
{
    uint32_t count = earlier_count;

    for (uint32_t i = 0; i < count; i++) {
        struct live *live = &earlier[i], rest = *live;
        if (!overlap(&live->event.range, &event->range))
            continue;
        live->event.range.end =
            live->event.range.begin < event->range.begin ? event->range.begin : live->event.range.begin;
        rest.event.range.begin = event->range.end;
        if (rest.event.range.begin < rest.event.range.end)
            keep(&rest);
    }
    for (uint32_t i = 0; i < earlier_count;)
        if (earlier[i].event.range.begin >= earlier[i].event.range.end)
            earlier[i] = earlier[--earlier_count];
        else
            i++;
}

static const char *describe(const struct live *first, const struct event *second)
{
    static char text[256];

    snprintf(text, sizeof text, "access %#x in stages %#x of part %u, then %s %#x in stages %#x of part %u",
             first->event.access, first->event.stages, first->event.part,
             second->kind == BARRIER ? "a layout transition before" : "access",
             second->kind == BARRIER ? second->access_after : second->access, second->stages, second->part);
    return text;
}

static const char *replay_access(const struct event *event)
{
    struct live live = {.event = *event, .ordered = event->stages};
    VkAccessFlags reads = event->access & ~writing;
    bool writes = (event->access & writing) != 0;

    for (uint32_t i = 0; i < earlier_count; i++) {
        const struct live *before = &earlier[i];
        bool wrote = (before->event.access & writing) != 0 || before->event.kind == BARRIER;
        if (!overlap(&before->event.range, &event->range) || (!wrote && !writes) ||
            (before->event.kind == ACCESS && before->event.part == event->part &&
             before->event.stages == event->stages))
            continue;
        if ((before->ordered & event->stages) == 0 || (wrote && !before->is_available) ||
            (wrote && reads != 0 &&
             ((before->visible_stages & event->stages) == 0 || (before->visible_access & reads) != reads)))
            return describe(before, event);
    }
    if (writes)
        overwrite(event);
    keep(&live);
    return NULL;
}

/* A transition of layouts reads and writes the whole image between the two halves of the barrier. */
static const char *replay_barrier(const struct event *event)
{
    VkPipelineStageFlags before = scope(event->stages), after = scope(event->after);
    struct live live = {.event = *event,
                        .ordered = after,
                        .visible_stages = after,
                        .visible_access = access_scope(event->access_after),
                        .is_available = true};

    for (uint32_t i = 0; i < earlier_count; i++) {
        struct live *access = &earlier[i];
        bool touched = event->is_global || overlap(&access->event.range, &event->range);
        if ((access->ordered & before) == 0) {
            if (event->is_transition && touched)
                return describe(access, event);
            continue;
        }
        if (touched && (access->event.stages & before) != 0 &&
            (access->event.access & writing & access_scope(event->access)) != 0)
            access->is_available = true;
        if (event->is_transition && touched && (access->event.access & writing) != 0 && !access->is_available)
            return describe(access, event);
        access->ordered |= after;
        if (touched && access->is_available) {
            access->visible_stages |= after;
            access->visible_access |= access_scope(event->access_after);
        }
    }
    if (event->is_transition) {
        overwrite(event);
        keep(&live);
    }
    return NULL;
}

const char *commands_conflict(uint32_t without)
{
    const char *conflict = NULL;

    earlier_count = 0;
    for (uint32_t i = 0; i < notes.event_count && conflict == NULL; i++) {
        const struct event *event = &notes.events[i];
        if (event->kind == FINISHED)
            earlier_count = 0;
        else if (event->kind == ACCESS)
            conflict = replay_access(event);
        else if (event->number != without && (without != COMMANDS_BEGINNINGS || !commands_begins_part(event->number)))
            conflict = replay_barrier(event);
    }
    return conflict;
}
