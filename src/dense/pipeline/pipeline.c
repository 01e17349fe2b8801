#include "dense/pipeline/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/pipeline/registry.h"

#define CLASS_GROUP 4u /* passes write distributions in groups of planes */

const struct shw_pipeline_step *shw_pipeline_stages(const struct shw_forest *forest, uint32_t *count)
{
    static const struct shw_pipeline_step by_integrals[] = {
        {SHW_STAGE_CHANNELS, SHW_CHANNELS, VK_FORMAT_R16_SINT, 0},
        {SHW_STAGE_INTEGRATE, SHW_INTEGRALS, VK_FORMAT_R32_UINT, 1},
        {.stage = SHW_STAGE_EVALUATE},
    };
    static const struct shw_pipeline_step by_channels[] = {
        {SHW_STAGE_CHANNELS, SHW_CHANNELS, VK_FORMAT_R16_SINT, 0},
        {.stage = SHW_STAGE_EVALUATE},
    };
    bool integrals = (shw_forest_get_info(forest)->feature->reads & SHW_FEATURE_READS_INTEGRALS) != 0;

    *count = integrals ? 3 : 2;
    return integrals ? by_integrals : by_channels;
}

/* Mean planes instead of integral images, where both stages are the library's own and can read and make them. A forest
 * that others may replace would need other planes with each of them. */
static struct shw_means *make_means(const struct shw_pipeline_params *params)
{
    const struct shw_pipeline_technique *integrate = &params->techniques[SHW_STAGE_INTEGRATE],
                                        *evaluate = &params->techniques[SHW_STAGE_EVALUATE];
    const struct shw_forest_room *room = &params->room;
    struct shw_means *means;

    if (room->trees > 0 || room->classes > 0 || room->nodes > 0 || params->keeps_integrals ||
        shw_registry_find_means(integrate->technique) == NULL || !shw_registry_reads_means(evaluate->technique))
        return NULL;
    means = shw_means_make(params->forest, evaluate->technique->form == SHW_PLANES_HOST);
    if (means != NULL && !shw_registry_fits_means(integrate->technique, params->device, means)) {
        shw_means_free(means);
        return NULL;
    }
    return means;
}

static void take_means(struct shw_pipeline *pipeline)
{
    const struct shw_means *means = pipeline->means;
    const uint32_t number = shw_pipeline_index(pipeline, SHW_STAGE_INTEGRATE);
    struct shw_pipeline_planes *planes = &pipeline->planes[number];

    pipeline->stages[number].technique = shw_registry_find_means(pipeline->stages[number].technique);
    planes->name = SHW_MEANS;
    planes->format = VK_FORMAT_R16_SINT;
    planes->more = means->margin;
    planes->count = planes->allocated = means->count;
}

uint32_t shw_pipeline_index(const struct shw_pipeline *pipeline, enum shw_stage stage)
{
    uint32_t index = 0;

    while (index < pipeline->stage_count && pipeline->stages[index].stage != stage)
        index++;
    return index;
}

bool shw_pipeline_on_host(const struct shw_pipeline *pipeline, uint32_t stage)
{
    return pipeline->stages[stage].technique->form == SHW_PLANES_HOST;
}

bool shw_pipeline_uses_host(const struct shw_pipeline *pipeline)
{
    return pipeline->host_stages > 0;
}

bool shw_pipeline_uses_device(const struct shw_pipeline *pipeline)
{
    return pipeline->host_stages < pipeline->stage_count;
}

const struct shw_pipeline_planes *shw_pipeline_find(const struct shw_pipeline *pipeline, const char *name)
{
    for (uint32_t p = 0; p < pipeline->planes_count; p++)
        if (strcmp(pipeline->planes[p].name, name) == 0)
            return &pipeline->planes[p];
    return NULL;
}

/* The device forms of the planes between two stages; 0 if both are on the host. A stage on the host gets a buffer, to
 * copy from and to. */
static uint32_t forms_between(enum shw_planes_form from, enum shw_planes_form to)
{
    if (from == SHW_PLANES_HOST && to == SHW_PLANES_HOST)
        return 0;
    return (from == SHW_PLANES_HOST ? SHW_PLANES_BUFFER : (uint32_t)from) |
           (to == SHW_PLANES_HOST ? SHW_PLANES_BUFFER : (uint32_t)to);
}

static void add_result(struct shw_pipeline *pipeline, const char *name, VkFormat format, uint32_t count,
                       uint32_t allocated)
{
    enum shw_planes_form form = pipeline->stages[pipeline->stage_count - 1].technique->form;

    pipeline->planes[pipeline->planes_count++] =
        (struct shw_pipeline_planes){.name = name,
                                     .format = format,
                                     .count = count,
                                     .allocated = allocated,
                                     .forms = form == SHW_PLANES_HOST ? 0 : (uint32_t)form};
}

static bool smooths(const struct shw_pipeline *pipeline)
{
    return pipeline->params.smoothing.cells > 0;
}

/* What the last stage makes. */
static uint32_t outputs_of(const struct shw_pipeline *pipeline)
{
    return smooths(pipeline) ? shw_smooth_needs(pipeline->params.outputs) : pipeline->params.outputs;
}

/* Lists the planes that the last stage makes, as far as outputs ask for them, and those of smoothing. */
static void list_results(struct shw_pipeline *pipeline)
{
    const struct shw_pipeline_params *params = &pipeline->params;
    struct shw_pipeline_stage *last = &pipeline->stages[pipeline->stage_count - 1];
    uint32_t outputs = outputs_of(pipeline);
    uint32_t trees = outputs == SHW_OUTPUT_TREE_LEAF ? 1 : shw_max_u32(pipeline->info->tree_count, params->room.trees);
    uint32_t classes = shw_max_u32(pipeline->info->class_count, params->room.classes);

    pipeline->planes_count = last->makes;
    if ((outputs & (SHW_OUTPUT_TREE_LEAF | SHW_OUTPUT_FOREST_LEAVES)) != 0)
        add_result(pipeline, SHW_LEAVES, VK_FORMAT_R32_UINT, trees, trees);
    if ((outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        add_result(pipeline, SHW_DISTRIBUTION, VK_FORMAT_R16_UINT, classes,
                   (uint32_t)shw_align_up(classes, CLASS_GROUP));
    if ((outputs & SHW_OUTPUT_ARGMAX) != 0)
        add_result(pipeline, SHW_ARGMAX, VK_FORMAT_R16_UINT, 1, 1);
    last->ends = pipeline->planes_count;
    if (smooths(pipeline) && (params->outputs & SHW_OUTPUT_DISTRIBUTION) != 0)
        add_result(pipeline, SHW_PIPELINE_SMOOTHED, VK_FORMAT_R16_UINT, classes, classes);
    if (smooths(pipeline) && (params->outputs & SHW_OUTPUT_ARGMAX) != 0)
        add_result(pipeline, SHW_ARGMAX, VK_FORMAT_R16_UINT, 1, 1);
}

void shw_pipeline_begin(const struct shw_pipeline_params *params, struct shw_pipeline *pipeline)
{
    const struct shw_forest_info *info = shw_forest_get_info(params->forest);
    uint32_t channels = info->channel_list->channel_count;
    const struct shw_pipeline_step *steps;

    *pipeline = (struct shw_pipeline){.params = *params, .info = info, .number = 1};
    steps = shw_pipeline_stages(params->forest, &pipeline->stage_count);
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        pipeline->stages[s] = (struct shw_pipeline_stage){.stage = steps[s].stage,
                                                          .technique = params->techniques[steps[s].stage].technique,
                                                          .add = params->techniques[steps[s].stage].add,
                                                          .makes = s,
                                                          .ends = s + 1};
        pipeline->host_stages += shw_pipeline_on_host(pipeline, s);
    }
    for (uint32_t s = 0; s + 1 < pipeline->stage_count; s++)
        pipeline->planes[s] = (struct shw_pipeline_planes){
            .name = steps[s].makes,
            .format = steps[s].format,
            .more = steps[s].more,
            .count = channels,
            .allocated = channels,
            .forms = forms_between(pipeline->stages[s].technique->form, pipeline->stages[s + 1].technique->form)};
    pipeline->means = make_means(params);
    if (pipeline->means != NULL)
        take_means(pipeline);
    list_results(pipeline);
}

void shw_pipeline_end(struct shw_pipeline *pipeline)
{
    shw_pipeline_unmake(pipeline);
    shw_pipeline_free_transfer(pipeline);
    for (uint32_t p = 0; p < pipeline->planes_count; p++)
        free(pipeline->planes[p].host);
    shw_filled_input_free(&pipeline->filled);
    shw_means_free(pipeline->means);
    *pipeline = (struct shw_pipeline){0};
}

/* Steps of a frame: stage s is step 2 s, and handing its planes over, or smoothing them, is step 2 s + 1. */
static void find_spans(const struct shw_pipeline *pipeline, uint32_t number, struct shw_span *image,
                       struct shw_span *buffer)
{
    const uint32_t both = SHW_PLANES_IMAGE | SHW_PLANES_BUFFER;
    const struct shw_pipeline_planes *planes = &pipeline->planes[number];
    bool is_result = number + 1 >= pipeline->stage_count;
    uint32_t made = is_result ? 2 * (pipeline->stage_count - 1) : 2 * number;

    *image = *buffer = (struct shw_span){made, is_result ? made + 1 : made + 2, 0};
    if (!is_result && (planes->forms & both) == both) {
        bool from_image = pipeline->stages[number].technique->form == SHW_PLANES_IMAGE;
        *(from_image ? image : buffer) = (struct shw_span){made, made + 1, 0};
        *(from_image ? buffer : image) = (struct shw_span){made + 1, made + 2, 0};
    }
    if (number >= pipeline->stages[pipeline->stage_count - 1].ends)
        image->first = buffer->first = made + 1;
    if (pipeline->params.keeps_planes)
        *image = *buffer = shw_span_always;
}

static enum shw_result add_planes(struct shw_pipeline *pipeline, uint32_t number)
{
    struct shw_pipeline_planes *planes = &pipeline->planes[number];
    struct shw_span image, buffer;

    if (planes->forms == 0)
        return SHW_OK;
    planes->slots = calloc(pipeline->slots, sizeof *planes->slots);
    if (planes->slots == NULL)
        return shw_fail_memory(&pipeline->params.log, "a frame");
    find_spans(pipeline, number, &image, &buffer);
    for (uint32_t s = 0; s < pipeline->scratch_sets; s++) {
        image.set = buffer.set = s;
        SHW_PROPAGATE(shw_planes_add(&pipeline->arena, image, buffer, planes->format, pipeline->width + planes->more,
                                     pipeline->height + planes->more, planes->allocated, planes->forms, planes->name,
                                     &planes->slots[s]));
    }
    shw_planes_share(planes->slots, pipeline->slots, pipeline->scratch_sets);
    return SHW_OK;
}

/* Describes a stage's planes to it: those of the previous stage, and its own. */
static void describe(const struct shw_pipeline *pipeline, struct shw_pipeline_stage *stage)
{
    uint32_t first = stage->makes > 0 ? stage->makes - 1 : 0, count = stage->ends - first;

    for (uint32_t s = 0; s < pipeline->slots; s++) {
        struct shw_stage_planes *described = stage->described + (size_t)s * count;
        for (uint32_t i = 0; i < count; i++) {
            const struct shw_pipeline_planes *planes = &pipeline->planes[first + i];
            described[i] = shw_stage_planes_of(&planes->slots[s], planes->name, planes->count);
        }
        stage->slot[s] = (struct shw_stage_slot){count, described};
    }
}

/* The common parameters for creating any stage on that device. */
static struct shw_stage_create stage_create_of(struct shw_device *device, const struct shw_forest *forest)
{
    return (struct shw_stage_create){.owner = device,
                                     .physical_device = device->physical,
                                     .device = device->handle,
                                     .get_device_proc_addr = device->vk.GetDeviceProcAddr,
                                     .properties = &device->properties,
                                     .memory = &device->memory,
                                     .features = &device->features,
                                     .allocator = device->allocator,
                                     .pipeline_cache = device->pipeline_cache,
                                     .forest = shw_stage_forest_of(forest),
                                     .log = device->log};
}

static struct shw_stage_create create_of(struct shw_pipeline *pipeline, struct shw_pipeline_stage *stage)
{
    struct shw_stage_create create =
        stage_create_of(pipeline->params.device, shw_pipeline_forest(pipeline, stage->stage));

    create.room = pipeline->params.room;
    create.outputs = outputs_of(pipeline);
    create.width = pipeline->width;
    create.height = pipeline->height;
    create.slots = pipeline->slots;
    create.scratch_sets = pipeline->scratch_sets;
    create.slot = stage->slot;
    create.forest.buffer = stage->table.buffer.handle;
    return create;
}

/* Adds a stage's memory to the arena; what a custom technique allocates itself is added to *other_bytes. */
static enum shw_result add_stage(struct shw_pipeline *pipeline, uint32_t number, uint64_t *other_bytes)
{
    struct shw_pipeline_stage *stage = &pipeline->stages[number];
    uint32_t described = stage->ends - (stage->makes > 0 ? stage->makes - 1 : 0);
    struct shw_stage_create create;

    stage->described = calloc((size_t)pipeline->slots * described, sizeof *stage->described);
    stage->slot = calloc(pipeline->slots, sizeof *stage->slot);
    if (stage->described == NULL || stage->slot == NULL)
        return shw_fail_memory(&pipeline->params.log, "a technique");
    describe(pipeline, stage);
    create = create_of(pipeline, stage);
    pipeline->arena.now = (struct shw_span){2 * number, 2 * number, 0};
    if (stage->technique->wants_forest)
        SHW_PROPAGATE(shw_forest_table_add(&pipeline->arena, SHW_PLANES_BUFFER,
                                           (struct shw_forest_table_size){.texels = create.forest.size / 16},
                                           &stage->table));
    if (stage->add != NULL)
        return stage->add(stage->technique->user, &create, &pipeline->arena, &stage->instance);
    create.slot = NULL;
    *other_bytes += stage->technique->get_memory(stage->technique->user, &create);
    return SHW_OK;
}

static enum shw_result add_fill(struct shw_pipeline *pipeline)
{
    const struct shw_filling *filling = shw_filling_of(pipeline->params.fill);
    const VkExtent2D recorded = pipeline->params.recorded;
    const struct shw_fill_size size = {shw_max_u32(pipeline->width, recorded.width),
                                       shw_max_u32(pipeline->height, recorded.height), pipeline->slots,
                                       pipeline->scratch_sets};
    bool is_tiled = recorded.width > pipeline->width || recorded.height > pipeline->height;

    if (shw_pipeline_on_host(pipeline, 0) || filling->add == NULL ||
        !shw_fill_affects(pipeline->params.fill, pipeline->info->channel_list))
        return SHW_OK;
    pipeline->arena.now = (struct shw_span){0, is_tiled ? UINT32_MAX : 0, 0}; /* all tiles read it */
    return filling->add(&pipeline->arena, pipeline->info->channel_list, pipeline->stages[0].technique->form, size,
                        &pipeline->fill);
}

static const struct shw_planes *slots_of(const struct shw_pipeline *pipeline, uint32_t first, const char *name)
{
    for (uint32_t p = first; p < pipeline->planes_count; p++)
        if (strcmp(pipeline->planes[p].name, name) == 0)
            return pipeline->planes[p].slots;
    return NULL;
}

static enum shw_result add_smoothing(struct shw_pipeline *pipeline)
{
    const uint32_t number = pipeline->stage_count - 1;
    const struct shw_pipeline_stage *last = &pipeline->stages[number];
    const struct shw_smooth_params params = {
        .windows = pipeline->params.smoothing,
        .form = last->technique->form,
        .width = pipeline->width,
        .height = pipeline->height,
        .classes = shw_max_u32(pipeline->info->class_count, pipeline->params.room.classes),
        .slots = pipeline->slots,
        .sets = pipeline->scratch_sets,
        .given = slots_of(pipeline, last->makes, SHW_DISTRIBUTION),
        .distribution = slots_of(pipeline, last->ends, SHW_PIPELINE_SMOOTHED),
        .argmax = slots_of(pipeline, last->ends, SHW_ARGMAX),
        .first = 0,
        .last = 2 * number + 1};

    return smooths(pipeline) ? shw_smooth_passes_add(&pipeline->arena, &params, &pipeline->smooth) : SHW_OK;
}

static enum shw_result add_posteriors(struct shw_pipeline *pipeline)
{
    const struct shw_pipeline_stage *last = &pipeline->stages[pipeline->stage_count - 1];
    const struct shw_posterior_params params = {
        .form = last->technique->form,
        .width = shw_max_u32(pipeline->width, pipeline->params.recorded.width),
        .height = shw_max_u32(pipeline->height, pipeline->params.recorded.height),
        .inputs = pipeline->params.posteriors,
        .slots = pipeline->slots,
        .sets = pipeline->scratch_sets,
        .distribution = slots_of(pipeline, last->makes, smooths(pipeline) ? SHW_PIPELINE_SMOOTHED : SHW_DISTRIBUTION)};

    return params.inputs > 0 ? shw_posterior_passes_add(&pipeline->arena, &params, &pipeline->posteriors) : SHW_OK;
}

static enum shw_result add_targets(struct shw_pipeline *pipeline)
{
    const uint32_t number = pipeline->stage_count - 1;
    const struct shw_pipeline_stage *last = &pipeline->stages[number];
    const struct shw_target_params params = {
        .formats = pipeline->params.formats,
        .form = last->technique->form,
        .width = pipeline->width,
        .height = pipeline->height,
        .trees = shw_max_u32(pipeline->info->tree_count, pipeline->params.room.trees),
        .classes = shw_max_u32(pipeline->info->class_count, pipeline->params.room.classes),
        .slots = pipeline->slots,
        .sets = pipeline->scratch_sets,
        .step = 2 * number + 1,
        .keeps_planes = pipeline->params.keeps_planes,
        .leaves = slots_of(pipeline, last->makes, SHW_LEAVES),
        .distribution = slots_of(pipeline, last->makes, smooths(pipeline) ? SHW_PIPELINE_SMOOTHED : SHW_DISTRIBUTION),
        .argmax = slots_of(pipeline, last->makes, SHW_ARGMAX)};

    return shw_target_wanted(&params.formats) && last->technique->form != SHW_PLANES_HOST
               ? shw_target_passes_add(&pipeline->arena, &params, &pipeline->targets)
               : SHW_OK;
}

/* Adds everything to the arena. */
static enum shw_result add_all(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots,
                               bool *exceeds, uint64_t *other_bytes)
{
    pipeline->width = width;
    pipeline->height = height;
    pipeline->slots = slots;
    pipeline->scratch_sets = pipeline->params.scratch_per_slot ? slots : 1;
    shw_arena_begin(pipeline->params.device, &pipeline->arena);
    pipeline->arena.exceeds = exceeds;
    *other_bytes = 0;
    for (uint32_t p = 0; p < pipeline->planes_count; p++)
        SHW_PROPAGATE(add_planes(pipeline, p));
    SHW_PROPAGATE(add_fill(pipeline));
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        if (!shw_pipeline_on_host(pipeline, s))
            SHW_PROPAGATE(add_stage(pipeline, s, other_bytes));
    SHW_PROPAGATE(add_smoothing(pipeline));
    SHW_PROPAGATE(add_posteriors(pipeline));
    return add_targets(pipeline);
}

static enum shw_result make_stage(struct shw_pipeline *pipeline, struct shw_pipeline_stage *stage)
{
    struct shw_stage_create create;

    describe(pipeline, stage);
    create = create_of(pipeline, stage);
    if (stage->technique->wants_forest)
        shw_forest_table_fill(&stage->table, pipeline->params.forest, 0, false, 0, 0);
    return stage->technique->create(stage->technique->user, &create, &stage->instance);
}

enum shw_result shw_pipeline_make(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots)
{
    uint64_t other_bytes;
    enum shw_result result;

    SHW_TRY(add_all(pipeline, width, height, slots, NULL, &other_bytes));
    SHW_TRY(shw_arena_make(&pipeline->arena));
    for (uint32_t p = 0; p < pipeline->planes_count; p++)
        if (pipeline->planes[p].slots != NULL)
            shw_planes_share(pipeline->planes[p].slots, slots, pipeline->scratch_sets);
    if (pipeline->fill != NULL)
        SHW_TRY(pipeline->fill->create(pipeline->fill));
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        if (!shw_pipeline_on_host(pipeline, s))
            SHW_TRY(make_stage(pipeline, &pipeline->stages[s]));
    if (pipeline->smooth != NULL)
        SHW_TRY(shw_smooth_passes_create(pipeline->smooth));
    if (pipeline->posteriors != NULL)
        SHW_TRY(shw_posterior_passes_create(pipeline->posteriors));
    if (pipeline->targets != NULL)
        SHW_TRY(shw_target_passes_create(pipeline->targets));
    return SHW_OK;

fail:
    shw_pipeline_unmake(pipeline);
    return result;
}

enum shw_result shw_pipeline_fits(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots,
                                  bool *fits)
{
    enum shw_result result = SHW_OK;
    bool exceeds = false;
    uint64_t other_bytes;

    if (shw_pipeline_region_pixels(pipeline, width, height) > shw_pipeline_buffers_max(pipeline)) {
        result = add_all(pipeline, width, height, slots, &exceeds, &other_bytes);
        shw_pipeline_unmake(pipeline);
    }
    *fits = !exceeds;
    return result;
}

enum shw_result shw_pipeline_measure(struct shw_pipeline *pipeline, uint32_t width, uint32_t height, uint32_t slots,
                                     struct shw_arena_need *need, uint64_t *other_bytes)
{
    enum shw_result result = add_all(pipeline, width, height, slots, NULL, other_bytes);

    if (result == SHW_OK)
        result = shw_arena_place(&pipeline->arena, need);
    shw_pipeline_unmake(pipeline);
    return result;
}

static void unmake_stage(struct shw_pipeline_stage *stage)
{
    if (stage->instance != NULL)
        stage->technique->destroy(stage->instance);
    free(stage->slot);
    free(stage->described);
    stage->instance = NULL;
    stage->slot = NULL;
    stage->described = NULL;
    stage->table = (struct shw_forest_table){0};
}

void shw_pipeline_unmake(struct shw_pipeline *pipeline)
{
    for (uint32_t s = 0; s < pipeline->stage_count; s++)
        unmake_stage(&pipeline->stages[s]);
    for (uint32_t p = 0; p < pipeline->planes_count; p++) {
        free(pipeline->planes[p].slots);
        pipeline->planes[p].slots = NULL;
    }
    if (pipeline->fill != NULL)
        pipeline->fill->destroy(pipeline->fill);
    pipeline->fill = NULL;
    shw_smooth_passes_destroy(&pipeline->smooth);
    shw_posterior_passes_destroy(&pipeline->posteriors);
    shw_target_passes_destroy(&pipeline->targets);
    shw_arena_end(&pipeline->arena);
    pipeline->width = pipeline->height = pipeline->slots = 0;
}

bool shw_pipeline_has_room(const struct shw_pipeline *pipeline, const struct shw_forest *forest)
{
    struct shw_stage_forest given = shw_stage_forest_of(forest);

    if (pipeline->means != NULL && pipeline->slots > 0)
        return false;
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const struct shw_pipeline_stage *stage = &pipeline->stages[s];
        if (stage->instance != NULL &&
            (stage->technique->has_room == NULL || !stage->technique->has_room(stage->instance, &given)))
            return false;
    }
    return true;
}

static void take_forest(struct shw_pipeline *pipeline, const struct shw_forest *forest)
{
    pipeline->params.forest = forest;
    pipeline->info = shw_forest_get_info(forest);
    pipeline->number++;
}

/* Gives the stages, which have room for it, another forest; if one fails, those before it get the current one back. */
static enum shw_result replace_forest(struct shw_pipeline *pipeline, const struct shw_forest *forest)
{
    struct shw_stage_forest given = shw_stage_forest_of(forest);

    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        const struct shw_pipeline_stage *stage = &pipeline->stages[s];
        enum shw_result result =
            stage->instance != NULL ? stage->technique->set_forest(stage->instance, &given) : SHW_OK;
        if (result != SHW_OK) {
            shw_pipeline_forget(pipeline);
            return result;
        }
    }
    take_forest(pipeline, forest);
    return SHW_OK;
}

enum shw_result shw_pipeline_remake(struct shw_pipeline *pipeline, const struct shw_forest *forest, uint32_t width,
                                    uint32_t height)
{
    struct shw_pipeline_params params = pipeline->params;
    struct shw_pipeline made;
    enum shw_result result = SHW_OK;

    params.forest = forest;
    shw_pipeline_begin(&params, &made);
    made.number = pipeline->number + 1;
    if (pipeline->slots > 0)
        result = shw_pipeline_make(&made, width, height, pipeline->slots);
    if (result != SHW_OK) {
        shw_means_free(made.means);
        return result;
    }
    /* what does not depend on the forest */
    for (uint32_t s = 0; s + 1 < pipeline->stage_count; s++) {
        made.planes[s].host = pipeline->planes[s].host;
        made.planes[s].host_size = pipeline->planes[s].host_size;
    }
    memcpy(made.images, pipeline->images, sizeof made.images);
    memcpy(made.views, pipeline->views, sizeof made.views);
    memcpy(made.sources, pipeline->sources, sizeof made.sources);
    made.upload = pipeline->upload;
    made.readback = pipeline->readback;
    made.filled = pipeline->filled;
    shw_pipeline_unmake(pipeline);
    shw_means_free(pipeline->means);
    *pipeline = made;
    return SHW_OK;
}

enum shw_result shw_pipeline_set_forest(struct shw_pipeline *pipeline, const struct shw_forest *forest)
{
    return pipeline->slots > 0 && shw_pipeline_has_room(pipeline, forest)
               ? replace_forest(pipeline, forest)
               : shw_pipeline_remake(pipeline, forest, pipeline->width, pipeline->height);
}

void shw_pipeline_forget(struct shw_pipeline *pipeline)
{
    for (uint32_t s = 0; s < pipeline->stage_count; s++) {
        struct shw_pipeline_stage *stage = &pipeline->stages[s];
        struct shw_stage_forest given = shw_stage_forest_of(shw_pipeline_forest(pipeline, stage->stage));
        stage->table.number = 0;
        if (stage->instance != NULL && stage->technique->set_forest != NULL)
            stage->technique->set_forest(stage->instance, &given);
    }
}

const struct shw_forest *shw_pipeline_forest(const struct shw_pipeline *pipeline, enum shw_stage stage)
{
    return pipeline->means != NULL && stage != SHW_STAGE_CHANNELS ? pipeline->means->forest : pipeline->params.forest;
}

struct shw_stage_frame shw_pipeline_seen_frame(const struct shw_pipeline *pipeline, enum shw_stage stage,
                                               struct shw_stage_frame frame)
{
    return pipeline->means != NULL && stage == SHW_STAGE_EVALUATE ? shw_means_frame(pipeline->means, frame) : frame;
}

struct shw_stage_forest shw_stage_forest_of(const struct shw_forest *forest)
{
    struct shw_stage_forest given = {
        .forest = forest, .info = shw_forest_get_info(forest), .texture = shw_forest_get_texture(forest)};

    given.size = (VkDeviceSize)given.texture.width * given.texture.height * given.texture.layers * 16;
    return given;
}
