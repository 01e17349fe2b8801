#include "dense/channels/derived_kind.h"

#include <stdlib.h>

static void add_filter(struct shw_channel_list *filters, const struct shw_channel_kind *kind,
                       const struct shw_channel_entry *derived, uint32_t *planes)
{
    uint32_t e = 0;

    while (e < filters->entry_count &&
           (filters->entries[e].kind != kind || filters->entries[e].parameter != derived->parameter ||
            filters->entries[e].source != derived->source))
        e++;
    if (e == filters->entry_count) {
        filters->entries[filters->entry_count++] = (struct shw_channel_entry){
            .kind = kind, .parameter = derived->parameter, .first = filters->channel_count, .source = derived->source};
        filters->channel_count += kind->channel_count;
    }
    for (uint32_t c = 0; c < kind->channel_count; c++)
        planes[c] = filters->entries[e].first + c;
}

void shw_derived_plan_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                           struct shw_derived_plan *plan)
{
    *plan = (struct shw_derived_plan){.step_count = 0};
    for (uint32_t e = 0; e < list->entry_count; e++) {
        const struct shw_channel_entry *entry = &list->entries[e];
        const struct shw_derivation *derivation = entry->kind->user;
        uint32_t found = 0;
        if (entry->first < first || entry->first >= first + count ||
            shw_channel_maker_of(entry->kind) != &shw_derived_maker)
            continue;
        struct shw_derived_step *step = &plan->steps[plan->step_count++];
        *step = (struct shw_derived_step){.entry = *entry, .code = derivation->code};
        for (uint32_t i = 0; i < SHW_DERIVED_INPUTS && derivation->inputs[i] != NULL; i++) {
            add_filter(&plan->filters, derivation->inputs[i], entry, step->inputs + found);
            found += derivation->inputs[i]->channel_count;
        }
    }
}

uint32_t shw_channels_filtered(const struct shw_channel_list *list)
{
    struct shw_derived_plan plan;
    uint32_t passed = 0;

    shw_derived_plan_make(list, 0, list->channel_count, &plan);
    for (uint32_t e = 0; e < list->entry_count; e++)
        if (list->entries[e].kind->code != NULL)
            passed += list->entries[e].kind->code->pass_count;
    return plan.filters.channel_count + passed;
}

struct deriving {
    const struct shw_channels_job *job;
    const struct shw_derived_step *step;
    const int16_t *filtered;
};

static void derive_row(void *user, uint32_t y, uint32_t thread)
{
    const struct deriving *deriving = user;
    const struct shw_channels_job *job = deriving->job;
    const struct shw_image *image = job->images.of[0];
    size_t plane = (size_t)image->width * image->height;
    struct shw_derived_row row = {.width = (shw_int)image->width, .height = (shw_int)image->height, .y = (shw_int)y};
    int16_t *channels[SHW_DERIVED_CHANNELS_MAX];

    (void)thread;
    for (uint32_t i = 0; i < SHW_DERIVED_INPUTS; i++)
        row.inputs[i] = deriving->filtered + deriving->step->inputs[i] * plane;
    for (uint32_t c = 0; c < deriving->step->code->channel_count; c++)
        channels[c] = job->planes + (deriving->step->entry.first - job->first + c) * plane + (size_t)y * image->width;
    deriving->step->code->fill_row(&row, deriving->step->entry.parameter, channels);
}

static enum shw_result derive(const struct shw_channels_job *job, const struct shw_derived_plan *plan,
                              struct shw_thread_pool *pool)
{
    const struct shw_image *image = job->images.of[0];
    struct shw_channels_job filters = {
        .list = &plan->filters, .images = job->images, .region = job->region, .count = plan->filters.channel_count};
    struct deriving deriving = {.job = job};
    enum shw_result result = SHW_ERROR_MEMORY;

    filters.planes = malloc((size_t)image->width * image->height * filters.count * sizeof *filters.planes);
    deriving.filtered = filters.planes;
    if (filters.planes != NULL)
        result = shw_filter_bank_maker.cpu(&filters, pool);
    for (uint32_t s = 0; s < plan->step_count && result == SHW_OK; s++) {
        deriving.step = &plan->steps[s];
        shw_thread_pool_run(pool, image->height, derive_row, &deriving);
    }
    free(filters.planes);
    return result;
}

static enum shw_result derived_cpu(const struct shw_channels_job *job, struct shw_thread_pool *pool)
{
    struct shw_derived_plan *plan = malloc(sizeof *plan);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (plan != NULL) {
        shw_derived_plan_make(job->list, job->first, job->count, plan);
        result = derive(job, plan, pool);
    }
    free(plan);
    return result;
}

const struct shw_channel_maker shw_derived_maker = {
    .is_together = true, .cpu = derived_cpu, .fragment = &shw_derived_device, .compute = &shw_derived_device};
