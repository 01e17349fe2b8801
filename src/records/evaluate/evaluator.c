#include "records/evaluate/evaluator.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/integers.h"
#include "base/log.h"
#include "vulkan/device.h"

static const struct {
    const char *name;
    const struct shw_record_variant *variant; /* NULL: another one is chosen */
} techniques[SHW_RECORD_TECHNIQUE_COUNT] = {
    [SHW_RECORD_AUTO] = {"auto", NULL},
    [SHW_RECORD_SERIAL] = {"serial", &shw_record_variant_serial},
    [SHW_RECORD_CPU] = {"cpu", &shw_record_variant_cpu},
    [SHW_RECORD_COMPUTE] = {"compute", &shw_record_variant_compute},
    [SHW_RECORD_SPECULATIVE] = {"speculative", &shw_record_variant_lanes},
    [SHW_RECORD_SPECULATIVE_MAPPED] = {"speculative-mapped", &shw_record_variant_lanes},
    [SHW_RECORD_WINDOWED] = {"windowed", &shw_record_variant_lanes},
    [SHW_RECORD_FRAGMENT] = {"fragment", &shw_record_variant_fragment},
};

const char *shw_record_technique_name(enum shw_record_technique technique)
{
    return (uint32_t)technique < SHW_RECORD_TECHNIQUE_COUNT ? techniques[technique].name : NULL;
}

bool shw_record_technique_needs_device(enum shw_record_technique technique)
{
    const struct shw_record_variant *variant =
        (uint32_t)technique < SHW_RECORD_TECHNIQUE_COUNT ? techniques[technique].variant : NULL;

    return variant != NULL && variant->record != NULL;
}

uint32_t shw_record_class(const struct shw_record_forest_info *info, const int64_t *sums)
{
    uint32_t best = 0;

    if (info->output_count == 1)
        return sums[0] > info->cut;
    for (uint32_t o = 1; o < info->output_count; o++)
        if (sums[o] > sums[best])
            best = o;
    return best;
}

static enum shw_result refuse(const struct shw_log *log, const char *what)
{
    return shw_fail(log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "records: %s", what);
}

static enum shw_result check_tuning(const struct shw_record_tuning *tuning, const struct shw_log *log)
{
    if (tuning->group_lanes > 1024 || (tuning->group_lanes & (tuning->group_lanes - 1)) != 0)
        return refuse(log, "group_lanes must be a power of two up to 1024");
    if (tuning->reductions > 8)
        return refuse(log, "reductions must be at most 8");
    if (tuning->window_levels > 10)
        return refuse(log, "window_levels must be at most 10");
    return SHW_OK;
}

static enum shw_result check_params(const struct shw_record_evaluator_params *params)
{
    const char *name = shw_record_technique_name(params->technique);

    if (params->forest == NULL)
        return refuse(&params->log, "a forest is missing");
    if (name == NULL)
        return refuse(&params->log, "`technique` is not a value of shw_record_technique");
    SHW_PROPAGATE(shw_slots_check(params->slots, &params->log));
    if (params->device == NULL && shw_record_technique_needs_device(params->technique))
        return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "records: the technique %s needs a device",
                        name);
    return check_tuning(&params->tuning, &params->log);
}

static enum shw_record_technique resolve_technique(const struct shw_record_evaluator_params *params)
{
    if (params->technique != SHW_RECORD_AUTO)
        return params->technique;
    if (params->device != NULL && params->device->properties.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU)
        return SHW_RECORD_COMPUTE;
    return SHW_RECORD_CPU;
}

#define DEFAULT_MEMORY ((uint64_t)256 << 20)

static void resolve_params(struct shw_record_evaluator_params *params)
{
    params->technique = resolve_technique(params);
    if (params->memory == 0)
        params->memory = DEFAULT_MEMORY;
    if (params->slots == 0)
        params->slots = 1;
}

enum shw_result shw_record_evaluator_create_abi(uint32_t abi, const struct shw_record_evaluator_params *params,
                                                struct shw_record_evaluator **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_record_evaluator *evaluator;
    enum shw_result result = SHW_OK;

    SHW_PROPAGATE(check_params(params));
    evaluator = calloc(1, sizeof *evaluator);
    if (evaluator == NULL)
        return shw_fail_memory(&params->log, "an evaluator of records");
    evaluator->params = *params;
    resolve_params(&evaluator->params);
    evaluator->variant = techniques[evaluator->params.technique].variant;
    shw_log_message(&params->log, SHW_LOG_INFO, SHW_LOG_DEVICE_INFO, "records by %s",
                    shw_record_technique_name(evaluator->params.technique));
    SHW_TRY(evaluator->variant->create(&evaluator->params, &evaluator->state));
    *out = evaluator;
    return SHW_OK;

fail:
    shw_record_evaluator_destroy(&evaluator);
    return result;
}

void shw_record_evaluator_destroy(struct shw_record_evaluator **handle)
{
    struct shw_record_evaluator *evaluator = handle != NULL ? *handle : NULL;

    if (evaluator == NULL)
        return;
    evaluator->variant->destroy(evaluator->state);
    shw_thread_pool_destroy(&evaluator->pool);
    free(evaluator);
    *handle = NULL;
}

void shw_record_evaluator_interrupt(struct shw_record_evaluator *evaluator)
{
    if (evaluator != NULL)
        atomic_store_explicit(&evaluator->interrupted, true, memory_order_relaxed);
}

enum shw_record_technique shw_record_evaluator_get_technique(const struct shw_record_evaluator *evaluator)
{
    return evaluator != NULL ? evaluator->params.technique : SHW_RECORD_AUTO;
}

struct shw_record_seconds shw_record_evaluator_get_seconds(const struct shw_record_evaluator *evaluator)
{
    return evaluator != NULL ? evaluator->seconds : (struct shw_record_seconds){0};
}

static bool overflows(uint64_t count, uint64_t stride, uint64_t limit)
{
    return count > 1 && stride > 0 && stride > limit / (count - 1);
}

/* Whether the last value lies beyond what can be addressed. */
static bool exceeds(uint64_t records, uint64_t record_stride, uint64_t attributes, uint64_t attribute_stride)
{
    const uint64_t limit = PTRDIFF_MAX / sizeof(float) / 2;

    return overflows(records, record_stride, limit) || overflows(attributes, attribute_stride, limit);
}

static enum shw_result check_attributes(const struct shw_record_evaluator *evaluator, uint32_t count)
{
    uint32_t wanted = shw_record_forest_get_info(evaluator->params.forest)->attribute_count;

    return count < wanted ? shw_fail(&evaluator->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                                     "records: %u attributes are given, but the forest has %u", count, wanted)
                          : SHW_OK;
}

static enum shw_result check_run(const struct shw_record_evaluator *evaluator, const struct shw_records *records,
                                 const struct shw_record_results *results)
{
    const struct shw_log *log = &evaluator->params.log;

    if (results->classes == NULL && results->sums == NULL && results->leaves == NULL && results->predictions == NULL)
        return refuse(log, "no result is requested");
    if (results->classes != NULL && shw_record_forest_get_info(evaluator->params.forest)->task != SHW_RECORD_CLASSES)
        return refuse(log, "classes are requested, but the forest predicts values");
    if (records->count > 0 && records->values == NULL)
        return refuse(log, "the values are missing");
    if (exceeds(records->count, records->record_stride, records->attribute_count, records->attribute_stride))
        return refuse(log, "the strides exceed the address space");
    return check_attributes(evaluator, records->attribute_count);
}

static struct shw_records with_strides(const struct shw_records *records)
{
    struct shw_records resolved = *records;

    if (records->record_stride == 0 && records->attribute_stride == 0) {
        resolved.record_stride = records->attribute_count;
        resolved.attribute_stride = 1;
    }
    return resolved;
}

static struct shw_record_results results_from(const struct shw_record_evaluator *evaluator,
                                              const struct shw_record_results *results, uint64_t first)
{
    const struct shw_record_forest *forest = evaluator->params.forest;
    const struct shw_record_forest_info *info = shw_record_forest_get_info(forest);
    struct shw_record_results from = *results;

    if (from.classes != NULL)
        from.classes += first;
    if (from.sums != NULL)
        from.sums += first * info->output_count;
    if (from.leaves != NULL)
        from.leaves += first * info->tree_count;
    if (from.predictions != NULL)
        from.predictions += first * shw_record_forest_get_prediction_count(forest);
    return from;
}

struct prediction {
    const struct shw_record_evaluator *evaluator;
    const struct shw_record_results *results;
    uint64_t count, share; /* records, of all and of an index */
};

static void predict_share(void *user, uint32_t index, uint32_t thread)
{
    const struct prediction *prediction = user;
    const struct shw_record_evaluator *evaluator = prediction->evaluator;
    uint64_t first = index * prediction->share;
    struct shw_record_results results = results_from(evaluator, prediction->results, first);

    (void)thread;
    shw_record_forest_predict(evaluator->params.forest, shw_min_u64(prediction->share, prediction->count - first),
                              results.sums, results.predictions);
}

#define SUMS_OF_SHARE 16384u      /* fewer are predicted by one thread */
#define SUMS_OF_BLOCK (1u << 20u) /* kept by the evaluator for predictions alone */
#define FEW_RECORDS   8u          /* which are evaluated and predicted without blocks, threads or locks */
#define FEW_SUMS      256u        /* of these, which the stack has room for */
#define HOST_WALKS    (UINT64_C(1) << 27)
#define DEVICE_WALKS  (UINT64_C(1) << 30)

static enum shw_result predict(struct shw_record_evaluator *evaluator, uint64_t count,
                               const struct shw_record_results *results)
{
    uint64_t share = SUMS_OF_SHARE / shw_record_forest_get_info(evaluator->params.forest)->output_count;
    struct prediction prediction = {evaluator, results, count, shw_max_u64(share, 1)};

    /* Whatever the count of records, that of shares is a uint32_t. */
    prediction.share = shw_max_u64(prediction.share, count / UINT32_MAX + 1);
    if (count > prediction.share && evaluator->pool == NULL &&
        shw_thread_pool_create(evaluator->params.threads, &evaluator->pool) != SHW_OK)
        return shw_fail_memory(&evaluator->params.log, "threads");
    shw_thread_pool_run(evaluator->pool, (uint32_t)((count + prediction.share - 1) / prediction.share), predict_share,
                        &prediction);
    return SHW_OK;
}

static enum shw_result run_block(struct shw_record_evaluator *evaluator, const struct shw_records *records,
                                 const struct shw_record_results *results)
{
    double inner = 0;

    SHW_PROPAGATE(evaluator->variant->run(evaluator->state, records, results, &inner));
    evaluator->seconds.inner += inner;
    if (results->predictions == NULL)
        return SHW_OK;
    if (records->count > FEW_RECORDS)
        return predict(evaluator, records->count, results);
    shw_record_forest_predict(evaluator->params.forest, records->count, results->sums, results->predictions);
    return SHW_OK;
}

static enum shw_result check_interruption(const struct shw_record_evaluator *evaluator)
{
    return atomic_load_explicit(&evaluator->interrupted, memory_order_relaxed)
               ? shw_fail(&evaluator->params.log, SHW_ERROR_CANCELLED, SHW_LOG_PROGRESS,
                          "the evaluation of records was interrupted")
               : SHW_OK;
}

/* Records between two looks at the interruption: a fraction of a second on the host, milliseconds on a device, where
 * each block waits for the one before. Of predictions without sums, fewer, as these are kept. */
static uint64_t records_of_block(const struct shw_record_evaluator *evaluator, bool keeps_sums)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(evaluator->params.forest);
    const bool is_host = !shw_record_technique_needs_device(evaluator->params.technique);
    uint64_t records = (is_host ? HOST_WALKS : DEVICE_WALKS) / info->tree_count;

    if (keeps_sums)
        records = shw_min_u64(records, SUMS_OF_BLOCK / info->output_count);
    return shw_max_u64(records, 1);
}

static enum shw_result run_blocks(struct shw_record_evaluator *evaluator, const struct shw_records *records,
                                  const struct shw_record_results *results)
{
    const uint32_t outputs = shw_record_forest_get_info(evaluator->params.forest)->output_count;
    const bool keeps_sums = results->predictions != NULL && results->sums == NULL;
    const uint64_t block = shw_min_u64(records_of_block(evaluator, keeps_sums), records->count);
    int64_t *sums = keeps_sums ? malloc(block * outputs * sizeof *sums) : NULL;
    enum shw_result result = SHW_OK;

    if (keeps_sums && sums == NULL)
        return shw_fail_memory(&evaluator->params.log, "sums of records");
    for (uint64_t first = 0; first < records->count; first += block) {
        struct shw_records some = *records;
        struct shw_record_results from = results_from(evaluator, results, first);
        some.values += first * records->record_stride;
        some.count = shw_min_u64(block, records->count - first);
        if (keeps_sums)
            from.sums = sums;
        SHW_TRY(check_interruption(evaluator));
        SHW_TRY(run_block(evaluator, &some, &from));
    }
    result = check_interruption(evaluator);

fail:
    free(sums);
    return result;
}

static enum shw_result run_few(struct shw_record_evaluator *evaluator, const struct shw_records *records,
                               const struct shw_record_results *results)
{
    int64_t sums[FEW_SUMS];
    struct shw_record_results with_sums;

    SHW_PROPAGATE(check_interruption(evaluator));
    if (results->predictions != NULL && results->sums == NULL) {
        with_sums = *results;
        with_sums.sums = sums;
        results = &with_sums;
    }
    SHW_PROPAGATE(run_block(evaluator, records, results));
    return check_interruption(evaluator);
}

static bool are_few(const struct shw_record_evaluator *evaluator, const struct shw_records *records)
{
    return records->count <= FEW_RECORDS &&
           records->count * shw_record_forest_get_info(evaluator->params.forest)->output_count <= FEW_SUMS;
}

/* Of few records on the host it is not asked for: two readings of the clock would take as long as the evaluation. */
static bool measures_time(const struct shw_record_evaluator *evaluator, const struct shw_records *records)
{
    return evaluator->params.timing || records->count > FEW_RECORDS ||
           shw_record_technique_needs_device(evaluator->params.technique);
}

enum shw_result shw_record_evaluator_run(struct shw_record_evaluator *evaluator, const struct shw_records *records,
                                         const struct shw_record_results *results)
{
    SHW_REFUSE_NULL(NULL, evaluator);
    SHW_REFUSE_NULL(&evaluator->params.log, records);
    SHW_REFUSE_NULL(&evaluator->params.log, results);

    const bool is_timed = measures_time(evaluator, records);
    const double begin = is_timed ? shw_clock() : 0;
    struct shw_records resolved;

    SHW_PROPAGATE(check_run(evaluator, records, results));
    evaluator->seconds = (struct shw_record_seconds){0};
    resolved = with_strides(records);
    if (records->count > 0)
        SHW_PROPAGATE(are_few(evaluator, records) ? run_few(evaluator, &resolved, results)
                                                  : run_blocks(evaluator, &resolved, results));
    evaluator->seconds.outer = is_timed ? shw_clock() - begin : 0;
    return SHW_OK;
}

static enum shw_result check_record(const struct shw_record_evaluator *evaluator, uint32_t slot,
                                    const struct shw_record_source *source, const struct shw_record_target *target)
{
    const struct shw_log *log = &evaluator->params.log;

    if (slot >= evaluator->params.slots)
        return refuse(log, "the slot is not below `slots`");
    if (source->buffer == VK_NULL_HANDLE)
        return refuse(log, "the buffer of records is missing");
    if (target->classes.buffer == VK_NULL_HANDLE && target->sums.buffer == VK_NULL_HANDLE &&
        target->leaves.buffer == VK_NULL_HANDLE)
        return refuse(log, "no result is requested");
    if (target->classes.buffer != VK_NULL_HANDLE &&
        shw_record_forest_get_info(evaluator->params.forest)->task != SHW_RECORD_CLASSES)
        return refuse(log, "classes are requested, but the forest predicts values");
    if (exceeds(source->count, source->record_stride, source->attribute_count, source->attribute_stride))
        return refuse(log, "the strides exceed the address space");
    return check_attributes(evaluator, source->attribute_count);
}

enum shw_result shw_record_evaluator_record(struct shw_record_evaluator *evaluator, VkCommandBuffer commands,
                                            uint32_t slot, const struct shw_record_source *source,
                                            const struct shw_record_target *target)
{
    SHW_REFUSE_NULL(NULL, evaluator);
    SHW_REFUSE_NULL(&evaluator->params.log, commands);
    SHW_REFUSE_NULL(&evaluator->params.log, source);
    SHW_REFUSE_NULL(&evaluator->params.log, target);

    struct shw_record_source resolved = *source;

    if (evaluator->variant->record == NULL)
        return shw_fail(&evaluator->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "records: the technique %s does not record into command buffers",
                        shw_record_technique_name(evaluator->params.technique));
    SHW_PROPAGATE(check_record(evaluator, slot, source, target));
    if (source->record_stride == 0 && source->attribute_stride == 0) {
        resolved.record_stride = source->attribute_count;
        resolved.attribute_stride = 1;
    }
    return source->count > 0 ? evaluator->variant->record(evaluator->state, commands, slot, &resolved, target) : SHW_OK;
}
