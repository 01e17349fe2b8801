#include "dense/stage/stage_technique.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/label.h>

#include "base/log.h"
#include "base/text.h"

const char *shw_technique_name(enum shw_technique technique)
{
    switch (technique) {
    case SHW_TECHNIQUE_AUTO: return "auto";
    case SHW_TECHNIQUE_CPU: return "cpu";
    case SHW_TECHNIQUE_FRAGMENT: return "fragment";
    case SHW_TECHNIQUE_COMPUTE: return "compute";
    case SHW_TECHNIQUE_BLEND: return "blend";
    case SHW_TECHNIQUE_CUSTOM: return "custom";
    }
    return NULL;
}

const char *shw_stage_name(enum shw_stage stage)
{
    switch (stage) {
    case SHW_STAGE_CHANNELS: return "channels";
    case SHW_STAGE_INTEGRATE: return "integrate";
    case SHW_STAGE_EVALUATE: return "evaluate";
    }
    return NULL;
}

static bool is_known(enum shw_planes_form form)
{
    return form == SHW_PLANES_IMAGE || form == SHW_PLANES_BUFFER || form == SHW_PLANES_HOST;
}

/* The member that a technique of its form needs and lacks; NULL: none. */
static const char *missing(const struct shw_stage_technique *technique)
{
    if (technique->form == SHW_PLANES_HOST)
        return technique->run == NULL ? "run" : NULL;
    if (technique->get_memory == NULL)
        return "get_memory";
    if (technique->create == NULL)
        return "create";
    if (technique->record == NULL)
        return "record";
    if (technique->destroy == NULL)
        return "destroy";
    if (technique->has_room == NULL && technique->set_forest != NULL)
        return "has_room";
    return technique->set_forest == NULL && technique->has_room != NULL ? "set_forest" : NULL;
}

/* The member that it must not have; NULL: none. */
static const char *superfluous(const struct shw_stage_technique *technique)
{
    if (technique->form != SHW_PLANES_HOST)
        return technique->run != NULL                                     ? "run"
               : technique->wants_forest && technique->set_forest != NULL ? "both set_forest and wants_forest"
                                                                          : NULL;
    return technique->create != NULL       ? "create"
           : technique->get_memory != NULL ? "get_memory"
           : technique->record != NULL     ? "record"
           : technique->destroy != NULL    ? "destroy"
           : technique->wants_forest       ? "wants_forest"
                                           : NULL;
}

enum shw_result shw_stage_technique_check(const struct shw_stage_technique *technique, const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, technique);

    const char *name = technique->name;

    if (technique->version != SHW_STAGE_TECHNIQUE_VERSION)
        return shw_fail(log, SHW_ERROR_VERSION, SHW_LOG_ARGUMENT,
                        "a technique of version %u is not supported: build it for version %u", technique->version,
                        SHW_STAGE_TECHNIQUE_VERSION);
    if (!shw_name_is_valid(name, SIZE_MAX))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a technique needs a name of lower-case letters, digits and '-'");
    for (int t = 0; shw_technique_name((enum shw_technique)t) != NULL; t++)
        if (strcmp(name, shw_technique_name((enum shw_technique)t)) == 0)
            return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the name %s is taken", name);
    if (shw_stage_name(technique->stage) == NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s has no valid stage", name);
    if (!is_known(technique->form))
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s has no form of planes", name);
    if (missing(technique) != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s lacks %s", name,
                        missing(technique));
    if (superfluous(technique) != NULL)
        return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "the technique %s cannot have %s", name,
                        superfluous(technique));
    return SHW_OK;
}

struct shw_stage_planes shw_stage_planes_host(const char *name, VkFormat format, void *host, uint32_t width,
                                              uint32_t height, uint32_t count)
{
    return (struct shw_stage_planes){.name = name,
                                     .format = format,
                                     .element = shw_planes_element(format),
                                     .width = width,
                                     .height = height,
                                     .count = count,
                                     .stride = width,
                                     .pitch = width * height,
                                     .host = host};
}

struct shw_stage_planes shw_stage_planes_of(const struct shw_planes *planes, const char *name, uint32_t count)
{
    struct shw_stage_planes described =
        shw_stage_planes_host(name, planes->format, NULL, planes->width, planes->height, count);

    described.stride = planes->stride;
    described.pitch = planes->stride * planes->height;
    described.buffer = planes->buffer.handle;
    described.offset = (VkDeviceSize)planes->first * planes->element;
    described.size = planes->buffer.size - described.offset;
    described.image = planes->image.handle;
    described.view = planes->image.view;
    return described;
}

struct shw_planes shw_planes_borrow(const struct shw_stage_planes *planes)
{
    return (struct shw_planes){.width = planes->width,
                               .height = planes->height,
                               .count = planes->count,
                               .format = planes->format,
                               .element = planes->element,
                               .stride = planes->stride,
                               .first = planes->element > 0 ? (uint32_t)(planes->offset / planes->element) : 0,
                               .image = {.handle = planes->image,
                                         .view = planes->view,
                                         .format = planes->format,
                                         .width = planes->width,
                                         .height = planes->height,
                                         .layers = planes->count},
                               .buffer = {.handle = planes->buffer, .size = planes->offset + planes->size}};
}

struct shw_planes *shw_planes_borrow_slots(const struct shw_stage_create *params, const char *name)
{
    struct shw_planes *planes = calloc(params->slots, sizeof *planes);

    for (uint32_t s = 0; planes != NULL && s < params->slots; s++)
        planes[s] = shw_planes_borrow(shw_stage_find(&params->slot[s], name));
    return planes;
}

struct shw_stage_frame shw_stage_frame_of(const struct shw_tile *tile)
{
    const struct shw_region *region = &tile->region;

    return (struct shw_stage_frame){region->width,
                                    region->height,
                                    region->x,
                                    region->y,
                                    region->full_width,
                                    region->full_height,
                                    tile->x,
                                    tile->y,
                                    tile->width,
                                    tile->height,
                                    0,
                                    NULL,
                                    0,
                                    1};
}

struct shw_tile shw_stage_tile(const struct shw_stage_frame *frame)
{
    return (struct shw_tile){
        .region = {frame->width, frame->height, frame->x, frame->y, frame->full_width, frame->full_height},
        .x = frame->tile_x,
        .y = frame->tile_y,
        .width = frame->tile_width,
        .height = frame->tile_height,
        .results = {.step = frame->step > 0 ? frame->step : 1}};
}
