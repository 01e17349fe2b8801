/* Boosting on a device: slices of patches, counting in batches, buffers, and moving samples. */
#include "detection/boost/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/integers.h"
#include "base/log.h"
#include "vulkan/commands.h"

#define SHW_BOOST_LIST_WORDS (1u << 17) /* room for the splits of the largest tree */

#define SHW_BOOST_LIST       SHW_BOOST_NODES_MAX /* the word of the tables where it begins */
#define SHW_BOOST_SLICE_UNIT 64u

/* Slices of patches, on the device and on the host. */

static VkDeviceSize bytes_of(const struct shw_boost_device *boosting, uint32_t samples)
{
    return (VkDeviceSize)samples * boosting->boost->point_count * sizeof(uint16_t);
}

static enum shw_result create_slice_buffer(struct shw_boost_device *boosting, uint32_t samples,
                                           enum shw_memory_kind kind, struct shw_buffer *buffer)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

    return shw_buffer_try(boosting->device, bytes_of(boosting, samples), usage, kind, "patches", buffer);
}

static enum shw_result refuse(const struct shw_boost_device *boosting, enum shw_result result)
{
    if (result != SHW_ERROR_DEVICE_MEMORY)
        return result;
    return shw_fail(&boosting->boost->params.log, result, SHW_LOG_OUT_OF_MEMORY,
                    "not enough memory for the patches of %u samples: train with fewer, or allow less device memory",
                    boosting->boost->sample_count);
}

/* Slices are as large as all before together, so that there are few however many samples are added at a time. Room for
 * a visitor is always left. */
static enum shw_result add_slice(struct shw_boost_device *boosting, uint32_t first, uint32_t missing)
{
    struct shw_boost_slice slice = {.first = first};
    VkDeviceSize bytes, need;
    enum shw_result result;

    slice.capacity = (uint32_t)shw_align_up(shw_max_u32(first, missing), SHW_BOOST_SLICE_UNIT);
    slice.capacity = shw_min_u32(slice.capacity, boosting->slice_max);
    bytes = bytes_of(boosting, slice.capacity);
    need = boosting->taken + boosting->samples.size + bytes + bytes_of(boosting, boosting->slice_max);
    slice.on_host = need > boosting->room;
    if (!SHW_RESERVE(boosting->slices, boosting->slice_capacity, boosting->slice_count + 1u))
        return shw_fail_memory(&boosting->boost->params.log, "slices of patches");
    if (!slice.on_host) {
        result = create_slice_buffer(boosting, slice.capacity, SHW_MEMORY_DEVICE, &slice.patches);
        if (result != SHW_OK && result != SHW_ERROR_DEVICE_MEMORY)
            return result;
        slice.on_host = result == SHW_ERROR_DEVICE_MEMORY;
    }
    if (slice.on_host) {
        result = boosting->visitor.handle == VK_NULL_HANDLE
                     ? create_slice_buffer(boosting, boosting->slice_max, SHW_MEMORY_DEVICE, &boosting->visitor)
                     : SHW_OK;
        if (result == SHW_OK)
            result = create_slice_buffer(boosting, slice.capacity, SHW_MEMORY_UPLOAD, &slice.patches);
        if (result != SHW_OK)
            return refuse(boosting, result);
    } else {
        boosting->taken += bytes;
    }
    boosting->slices[boosting->slice_count++] = slice;
    return SHW_OK;
}

/* The samples that the slices can have. */
static uint32_t slices_end(const struct shw_boost_device *boosting)
{
    const struct shw_boost_slice *last;

    if (boosting->slice_count == 0)
        return 0;
    last = &boosting->slices[boosting->slice_count - 1];
    return last->first + last->capacity;
}

/* Makes slices for `count` samples. Errors: MEMORY, DEVICE_MEMORY. */
static enum shw_result boost_slices_add(struct shw_boost_device *boosting, uint32_t count)
{
    for (uint32_t end = slices_end(boosting); end < count; end = slices_end(boosting))
        SHW_PROPAGATE(add_slice(boosting, end, count - end));
    return SHW_OK;
}

static void boost_slices_destroy(struct shw_boost_device *boosting)
{
    for (uint32_t s = 0; s < boosting->slice_count; s++)
        shw_buffer_destroy(boosting->device, &boosting->slices[s].patches);
    free(boosting->slices);
    shw_buffer_destroy(boosting->device, &boosting->visitor);
}

VkBuffer shw_boost_slice_buffer(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    return slice->on_host ? boosting->visitor.handle : slice->patches.handle;
}

void shw_boost_wait(struct shw_boost_device *boosting)
{
    shw_memory_barrier(boosting->device, boosting->commands, shw_use_anything, shw_use_anything);
}

static void copy(struct shw_boost_device *boosting, const struct shw_boost_slice *slice, VkBuffer from, VkBuffer to)
{
    const VkBufferCopy all = {.size = bytes_of(boosting, slice->capacity)};

    if (!slice->on_host)
        return;
    shw_boost_wait(boosting);
    boosting->device->vk.CmdCopyBuffer(boosting->commands, from, to, 1, &all);
    shw_boost_wait(boosting);
}

/* Record: brings the patches of a slice to the device, if they are not there; and takes them back, after a change. */
static void boost_slice_bring(struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    copy(boosting, slice, slice->patches.handle, boosting->visitor.handle);
}

static void boost_slice_take(struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    copy(boosting, slice, boosting->visitor.handle, slice->patches.handle);
}

/* The slice's samples of the tree; 0: none. */
static uint32_t samples_of(const struct shw_boost_device *boosting, const struct shw_boost_slice *slice)
{
    uint32_t count = boosting->boost->tree_samples;

    return count > slice->first ? shw_min_u32(count - slice->first, slice->capacity) : 0;
}

/* What all passes over the slice have in common; `count` is its samples of the tree, or 0. */
static struct shw_boost_push boost_slice_push(const struct shw_boost_device *boosting,
                                              const struct shw_boost_slice *slice)
{
    return (struct shw_boost_push){.stride = slice->capacity / 2,
                                   .first = slice->first,
                                   .count = samples_of(boosting, slice),
                                   .capacity = boosting->sample_capacity,
                                   .list = SHW_BOOST_LIST,
                                   .points = boosting->boost->point_count,
                                   .patch_words = (boosting->boost->point_count + 1) / 2};
}

/* Histograms on a device: batches of rows and candidates, each over all slices. */

#define MISSING INT32_MAX /* a threshold that no response exceeds */

/* What is counted, and the batch. */
struct counting {
    struct shw_boost_device *boosting;
    const struct shw_boost_candidates *candidates;
    uint32_t row_begin, rows, candidate_begin, candidate_count;
    uint32_t row_cells; /* of a candidate: bins times classes */
    uint32_t *histograms;
};

static uint32_t cells_of(const struct counting *counting)
{
    return counting->candidate_count * counting->rows * counting->row_cells;
}

/* Writes the nodes' rows to the tables, and returns where the list of candidates or splits is. */
static uint32_t *boost_write_tables(struct shw_boost_device *boosting)
{
    uint32_t *words = boosting->tables.mapped;

    memcpy(words, boosting->boost->index, boosting->boost->node_limit * sizeof *words);
    return words + SHW_BOOST_LIST;
}

static void write_candidates(const struct counting *counting)
{
    const struct shw_boost_candidates *candidates = counting->candidates;
    uint32_t count = candidates->threshold_count, width = counting->boosting->boost->params.width;
    uint32_t *words = boost_write_tables(counting->boosting);

    for (uint32_t i = 0; i < counting->candidate_count; i++, words += SHW_BOOST_CANDIDATE_WORDS) {
        size_t c = (size_t)counting->candidate_begin + i;
        struct shw_boost_pair pair = candidates->pairs[c];
        for (uint32_t t = 0; t < SHW_BOOST_THRESHOLDS_MAX; t++)
            words[t] = (uint32_t)(t < count ? candidates->thresholds[c * count + t] : MISSING);
        words[SHW_BOOST_CANDIDATE_WORDS - 1] = (pair.y1 * width + pair.x1) | (pair.y2 * width + pair.x2) << 16;
    }
}

static struct shw_boost_push push_of(const struct counting *counting, const struct shw_boost_slice *slice)
{
    struct shw_boost_push push = boost_slice_push(counting->boosting, slice);

    push.row_begin = counting->row_begin;
    push.row_count = counting->rows;
    push.bins = counting->candidates->threshold_count + 1;
    push.cell_count = cells_of(counting);
    push.width_shift = counting->boosting->width_shift;
    return push;
}

static enum shw_result boost_submit(struct shw_boost_device *boosting)
{
    shw_memory_barrier(boosting->device, boosting->commands, shw_use_anything, shw_use_host_read);
    return shw_submit_wait(boosting->device, boosting->commands);
}

/* A submission: begin, record, and end, which waits. */
static enum shw_result boost_record(struct shw_boost_device *boosting)
{
    boosting->responses = 0;
    return shw_submit_begin(boosting->device, &boosting->commands);
}

/* Adds a slice, in pieces of candidates that are not too much work for a submission. */
static enum shw_result count_slice(const struct counting *counting, uint32_t number)
{
    struct shw_boost_device *boosting = counting->boosting;
    const struct shw_boost_slice *slice = &boosting->slices[number];
    struct shw_boost_push push = push_of(counting, slice);

    for (uint32_t c = 0; c < counting->candidate_count && push.count > 0; c += push.candidate_count) {
        uint64_t piece;
        if (boosting->responses >= boosting->work_max) {
            SHW_PROPAGATE(boost_submit(boosting));
            SHW_PROPAGATE(boost_record(boosting));
        }
        if (c == 0)
            boost_slice_bring(boosting, slice);
        piece = shw_max_u64((boosting->work_max - boosting->responses) / push.count, 1);
        push.candidate_begin = c;
        push.candidate_count = (uint32_t)shw_min_u64(counting->candidate_count - c, piece);
        boosting->counter->add(boosting, number, push);
        boosting->responses += (uint64_t)push.candidate_count * push.count;
    }
    return SHW_OK;
}

/* The sums of a candidate's bins at a node. */
static void read_row(const struct counting *counting, size_t cell, uint32_t *row)
{
    const struct shw_boost_device *boosting = counting->boosting;
    const float *sums = (const float *)boosting->readback.mapped + cell;

    if (boosting->counter->is_float)
        for (uint32_t k = 0; k < counting->row_cells; k++)
            row[k] = (uint32_t)sums[k];
    else
        memcpy(row, (const uint32_t *)boosting->readback.mapped + cell, counting->row_cells * sizeof *row);
}

/* All candidates have the same samples of a node. */
static enum shw_result check_row(const struct counting *counting, const uint32_t *row, uint64_t *all)
{
    const struct shw_boost *boost = counting->boosting->boost;
    uint64_t sum = 0;

    for (uint32_t k = 0; k < counting->row_cells; k++)
        sum += row[k];
    if (*all == UINT64_MAX)
        *all = sum;
    if (*all == sum)
        return SHW_OK;
    return shw_fail(&boost->params.log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                    "the technique %s does not count correctly here: candidates have different sums of weights, %llu "
                    "and %llu: use another technique",
                    shw_technique_name(boost->params.technique), (unsigned long long)*all, (unsigned long long)sum);
}

static enum shw_result copy_out(const struct counting *counting)
{
    size_t node_words = (size_t)counting->candidates->count * counting->row_cells;

    for (uint32_t r = 0; r < counting->rows; r++) {
        uint64_t all = UINT64_MAX;
        for (uint32_t c = 0; c < counting->candidate_count; c++) {
            uint32_t *to = counting->histograms + (counting->row_begin + r) * node_words +
                           ((size_t)counting->candidate_begin + c) * counting->row_cells;
            read_row(counting, ((size_t)c * counting->rows + r) * counting->row_cells, to);
            SHW_PROPAGATE(check_row(counting, to, &all));
        }
    }
    return SHW_OK;
}

static enum shw_result count_batch(const struct counting *counting)
{
    struct shw_boost_device *boosting = counting->boosting;

    write_candidates(counting);
    SHW_PROPAGATE(boost_record(boosting));
    boosting->counter->clear(boosting, cells_of(counting));
    for (uint32_t s = 0; s < boosting->slice_count; s++)
        SHW_PROPAGATE(count_slice(counting, s));
    boosting->counter->read(boosting, cells_of(counting));
    SHW_PROPAGATE(boost_submit(boosting));
    return copy_out(counting);
}

enum shw_result shw_boost_device_count(void *state, const struct shw_boost_candidates *candidates, uint32_t node_count,
                                       uint32_t *histograms)
{
    struct shw_boost_device *boosting = state;
    struct counting counting = {.boosting = boosting,
                                .candidates = candidates,
                                .row_cells = (candidates->threshold_count + 1) * SHW_BOOST_CLASSES,
                                .histograms = histograms};
    uint32_t most = boosting->counter->cells_max(boosting), rows, together;

    rows = shw_min_u32(node_count, boosting->counter->rows_max(boosting, counting.row_cells));
    together = shw_min_u32(SHW_BOOST_LIST_WORDS / SHW_BOOST_CANDIDATE_WORDS, most / (rows * counting.row_cells));
    for (uint32_t r = 0; r < node_count; r += rows)
        for (uint32_t c = 0; c < candidates->count; c += together) {
            counting.row_begin = r;
            counting.rows = shw_min_u32(node_count - r, rows);
            counting.candidate_begin = c;
            counting.candidate_count = shw_min_u32(candidates->count - c, together);
            SHW_PROPAGATE(count_batch(&counting));
        }
    return SHW_OK;
}

SHW_SHADER_DECLARE(boost_put_comp);
SHW_SHADER_DECLARE(boost_move_comp);
SHW_SHADER_DECLARE(boost_count_comp);

#define SLICE_BYTES_MAX ((VkDeviceSize)256 << 20)
#define WORK_BYTES_MAX  ((VkDeviceSize)16 << 20)
#define WORK_BYTES_MIN  ((VkDeviceSize)64 << 10) /* more than the largest patch */
#define INVOCATIONS     1024u                    /* of a work group that counts */
#define SHARED_WORDS    6u                       /* per invocation, */
#define SHARED_LEAST    4096u                    /* but at least these, which all devices have */
#define SAMPLE_BYTES    8u                       /* without its patch */

static enum shw_result create_buffer(struct shw_boost_device *boosting, VkDeviceSize size, enum shw_memory_kind kind,
                                     const char *name, struct shw_buffer *buffer)
{
    const VkBufferUsageFlags usage =
        VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

    shw_buffer_destroy(boosting->device, buffer);
    return shw_buffer_create(boosting->device, size, usage, kind, name, buffer);
}

static enum shw_result create_buffers(struct shw_boost_device *boosting, VkDeviceSize memory)
{
    VkDeviceSize tables = (SHW_BOOST_LIST + SHW_BOOST_LIST_WORDS) * sizeof(uint32_t), work = WORK_BYTES_MIN, taken;
    VkDeviceSize sample = boosting->boost->point_count * sizeof(uint16_t), slice;
    VkDeviceSize range = boosting->device->properties.limits.maxStorageBufferRange;

    while (work < WORK_BYTES_MAX && work < memory / 32)
        work *= 2;
    taken = tables + 4 * work; /* blend has a texture, too */
    boosting->room = memory > taken ? memory - taken : 0;
    slice = shw_min_u64(boosting->room / 4, shw_min_u64(range, SLICE_BYTES_MAX)) / sample;
    if (boosting->boost->params.slice > 0)
        slice = shw_min_u64(slice, boosting->boost->params.slice);
    boosting->slice_max = (uint32_t)slice / SHW_BOOST_SLICE_UNIT * SHW_BOOST_SLICE_UNIT;
    boosting->slice_max = shw_max_u32(boosting->slice_max, SHW_BOOST_SLICE_UNIT);
    SHW_PROPAGATE(create_buffer(boosting, tables, SHW_MEMORY_TABLE, "tables of boosting", &boosting->tables));
    SHW_PROPAGATE(create_buffer(boosting, work, SHW_MEMORY_DEVICE, "histograms of boosting", &boosting->work));
    SHW_PROPAGATE(create_buffer(boosting, work, SHW_MEMORY_UPLOAD, "uploads of boosting", &boosting->upload));
    return create_buffer(boosting, work, SHW_MEMORY_READBACK, "readbacks of boosting", &boosting->readback);
}

static void choose_work_group(struct shw_boost_device *boosting)
{
    const VkPhysicalDeviceLimits *limits = &boosting->device->properties.limits;
    uint32_t most = limits->maxComputeSharedMemorySize / (uint32_t)sizeof(uint32_t);

    boosting->invocations = shw_min_u32(limits->maxComputeWorkGroupInvocations, limits->maxComputeWorkGroupSize[0]);
    boosting->invocations = shw_min_u32(boosting->invocations, INVOCATIONS);
    boosting->shared_words = shw_min_u32(shw_max_u32(SHARED_WORDS * boosting->invocations, SHARED_LEAST), most);
}

static enum shw_result create_programs(struct shw_boost_device *boosting)
{
    const struct {
        const char *name;
        struct shw_shader shader;
    } list[SHW_BOOST_PROGRAM_COUNT] = {
        [SHW_BOOST_PUT_PASS] = {"boost put", SHW_SHADER(boost_put_comp)},
        [SHW_BOOST_MOVE_PASS] = {"boost move", SHW_SHADER(boost_move_comp)},
        [SHW_BOOST_COUNT_PASS] = {"boost count", SHW_SHADER(boost_count_comp)},
    };
    const uint32_t values[] = {boosting->invocations, boosting->shared_words};
    const VkSpecializationMapEntry entries[] = {{0, 0, sizeof *values}, {1, sizeof *values, sizeof *values}};
    const VkSpecializationInfo constants = {2, entries, sizeof values, values};
    struct shw_binding bindings[SHW_BOOST_WORK + 1];

    for (uint32_t i = 0; i <= SHW_BOOST_WORK; i++)
        bindings[i] = (struct shw_binding){i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
    for (uint32_t p = 0; p < SHW_BOOST_PROGRAM_COUNT; p++) {
        struct shw_program_params params = {.name = list[p].name,
                                            .compute = list[p].shader,
                                            .bindings = bindings,
                                            .binding_count = SHW_BOOST_WORK + 1,
                                            .push_bytes = sizeof(struct shw_boost_push),
                                            .specialization = p == SHW_BOOST_COUNT_PASS ? &constants : NULL};
        SHW_PROPAGATE(shw_program_create(boosting->device, &params, &boosting->programs[p]));
    }
    return SHW_OK;
}

void shw_boost_device_destroy(void **state)
{
    struct shw_boost_device *boosting = *state;
    struct shw_device *device = boosting->device;
    struct shw_buffer *buffers[] = {&boosting->samples, &boosting->tables, &boosting->work, &boosting->upload,
                                    &boosting->readback};

    if (boosting->counter->destroy != NULL)
        boosting->counter->destroy(boosting);
    shw_sets_destroy(device, &boosting->sets);
    for (uint32_t p = 0; p < SHW_BOOST_PROGRAM_COUNT; p++)
        shw_program_destroy(device, &boosting->programs[p]);
    boost_slices_destroy(boosting);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        shw_buffer_destroy(device, buffers[i]);
    free(boosting);
    *state = NULL;
}

enum shw_result shw_boost_device_create(struct shw_boost *boost, const struct shw_boost_counter *counter, void **state)
{
    struct shw_boost_device *boosting = calloc(1, sizeof *boosting);
    struct shw_device_description description;
    VkDeviceSize memory = boost->params.memory;
    enum shw_result result;

    if (boosting == NULL)
        return shw_fail_memory(&boost->params.log, "boosting on the device");
    *state = boosting;
    boosting->boost = boost;
    boosting->device = boost->params.device;
    boosting->counter = counter;
    choose_work_group(boosting);
    shw_device_describe(boosting->device, &description);
    if (memory == 0)
        memory = description.is_cpu ? description.memory_bytes / 2 : description.memory_bytes / 8 * 7;
    boosting->work_max = boost->params.work_max;
    if (boosting->work_max == 0)
        boosting->work_max = description.is_cpu ? (uint64_t)1 << 24 : (uint64_t)1 << 30;
    SHW_TRY(create_programs(boosting));
    SHW_TRY(create_buffers(boosting, memory));
    if (counter->create != NULL)
        SHW_TRY(counter->create(boosting));
    return SHW_OK;

fail:
    shw_boost_device_destroy(state);
    return result;
}

/* Points the descriptor sets to the current buffers. */
static enum shw_result bind(struct shw_boost_device *boosting)
{
    const struct shw_program *program = &boosting->programs[SHW_BOOST_PUT_PASS];

    shw_sets_destroy(boosting->device, &boosting->sets);
    SHW_PROPAGATE(shw_sets_create(boosting->device, program, boosting->slice_count, &boosting->sets));
    for (uint32_t s = 0; s < boosting->slice_count; s++) {
        const struct shw_resource resources[] = {
            {.buffer = shw_boost_slice_buffer(boosting, &boosting->slices[s])},
            {.buffer = boosting->samples.handle},
            {.buffer = boosting->tables.handle},
            {.buffer = boosting->work.handle},
        };
        shw_set_write(boosting->device, program, boosting->sets.handles[s], resources);
    }
    return boosting->counter->bind != NULL ? boosting->counter->bind(boosting) : SHW_OK;
}

/* Makes room for `count` samples. Those of a tree are written when it begins, so that nothing is to be copied. */
static enum shw_result need_samples(struct shw_boost_device *boosting, uint32_t count)
{
    uint32_t slices = boosting->slice_count;
    bool grows = count > boosting->sample_capacity;

    if (grows) {
        uint32_t capacity = (uint32_t)shw_align_up(shw_max_u32(count, count / 4 * 5), SHW_BOOST_SLICE_UNIT);
        boosting->sample_capacity = 0;
        SHW_PROPAGATE(create_buffer(boosting, (VkDeviceSize)capacity * SAMPLE_BYTES, SHW_MEMORY_DEVICE,
                                    "samples of boosting", &boosting->samples));
        boosting->sample_capacity = capacity;
    }
    SHW_PROPAGATE(boost_slices_add(boosting, count));
    return grows || boosting->slice_count > slices ? bind(boosting) : SHW_OK;
}

/* Puts as many patches as the buffers for them hold. */
static enum shw_result put_some(struct shw_boost_device *boosting, const uint32_t *places, uint32_t count,
                                const uint16_t *patches)
{
    uint32_t points = boosting->boost->point_count, words = (points + 1) / 2, least = UINT32_MAX, most = 0;
    uint32_t *to = boosting->upload.mapped;
    VkBufferCopy all = {.size = (VkDeviceSize)count * (1 + words) * sizeof *to};

    memcpy(to, places, count * sizeof *places);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *patch = to + count + (size_t)i * words;
        patch[words - 1] = 0;
        memcpy(patch, patches + (size_t)i * points, points * sizeof *patches);
        least = shw_min_u32(least, places[i]);
        most = shw_max_u32(most, places[i]);
    }
    SHW_PROPAGATE(boost_record(boosting));
    boosting->device->vk.CmdCopyBuffer(boosting->commands, boosting->upload.handle, boosting->work.handle, 1, &all);
    shw_boost_wait(boosting);
    for (uint32_t s = 0; s < boosting->slice_count; s++) {
        const struct shw_boost_slice *slice = &boosting->slices[s];
        struct shw_boost_push push = boost_slice_push(boosting, slice);
        if (most < slice->first || least >= slice->first + slice->capacity)
            continue;
        push.count = count;
        boost_slice_bring(boosting, slice);
        shw_program_dispatch(boosting->device, boosting->commands, &boosting->programs[SHW_BOOST_PUT_PASS],
                             boosting->sets.handles[s], &push, (count + SHW_BOOST_PUT_X - 1) / SHW_BOOST_PUT_X,
                             (words + SHW_BOOST_PUT_Y - 1) / SHW_BOOST_PUT_Y, 1);
        boost_slice_take(boosting, slice);
    }
    return boost_submit(boosting);
}

enum shw_result shw_boost_device_put(void *state, const uint32_t *places, uint32_t count, const uint16_t *patches)
{
    struct shw_boost_device *boosting = state;
    uint32_t points = boosting->boost->point_count, sample = (1 + (points + 1) / 2) * (uint32_t)sizeof(uint32_t);
    uint32_t most = (uint32_t)(boosting->upload.size / sample);

    SHW_PROPAGATE(need_samples(boosting, boosting->boost->sample_count));
    for (uint32_t i = 0; i < count; i += most)
        SHW_PROPAGATE(put_some(boosting, places + i, shw_min_u32(count - i, most), patches + (size_t)i * points));
    return SHW_OK;
}

enum shw_result shw_boost_device_begin(void *state, const uint32_t *weights, const uint8_t *classes)
{
    struct shw_boost_device *boosting = state;
    const struct shw_device *device = boosting->device;
    uint32_t count = boosting->boost->tree_samples, most = (uint32_t)(boosting->upload.size / sizeof(uint32_t));
    uint32_t *words = boosting->upload.mapped;

    for (uint32_t first = 0; first < count; first += most) {
        uint32_t some = shw_min_u32(count - first, most);
        VkDeviceSize offset = first * sizeof *words, size = some * sizeof *words;
        VkBufferCopy part = {.dstOffset = offset, .size = size};
        for (uint32_t i = 0; i < some; i++)
            words[i] = weights[first + i] | (uint32_t)classes[first + i] << 24;
        SHW_PROPAGATE(boost_record(boosting));
        device->vk.CmdCopyBuffer(boosting->commands, boosting->upload.handle, boosting->samples.handle, 1, &part);
        offset += boosting->sample_capacity * sizeof *words;
        device->vk.CmdFillBuffer(boosting->commands, boosting->samples.handle, offset, size, 0);
        SHW_PROPAGATE(boost_submit(boosting));
    }
    return SHW_OK;
}

enum shw_result shw_boost_device_move(void *state, const struct shw_boost_split *splits, uint32_t split_count)
{
    struct shw_boost_device *boosting = state;
    uint32_t *words = boost_write_tables(boosting), width = boosting->boost->params.width;

    for (uint32_t i = 0; i < split_count; i++, words += SHW_BOOST_SPLIT_WORDS) {
        struct shw_boost_pair pair = splits[i].pair;
        words[0] = (pair.y1 * width + pair.x1) | (pair.y2 * width + pair.x2) << 16;
        words[1] = (uint32_t)splits[i].threshold;
        words[2] = splits[i].left;
    }
    SHW_PROPAGATE(boost_record(boosting));
    for (uint32_t s = 0; s < boosting->slice_count; s++) {
        const struct shw_boost_slice *slice = &boosting->slices[s];
        struct shw_boost_push push = boost_slice_push(boosting, slice);
        if (push.count == 0)
            break;
        boost_slice_bring(boosting, slice);
        shw_program_dispatch(boosting->device, boosting->commands, &boosting->programs[SHW_BOOST_MOVE_PASS],
                             boosting->sets.handles[s], &push,
                             (push.count + SHW_BOOST_WORKGROUP - 1) / SHW_BOOST_WORKGROUP, 1, 1);
        shw_boost_wait(boosting);
    }
    return boost_submit(boosting);
}

enum shw_result shw_boost_device_get_nodes(void *state, uint16_t *nodes)
{
    struct shw_boost_device *boosting = state;
    uint32_t count = boosting->boost->tree_samples, most = (uint32_t)(boosting->readback.size / sizeof(uint32_t));
    const uint32_t *words = boosting->readback.mapped;

    for (uint32_t first = 0; first < count; first += most) {
        uint32_t some = shw_min_u32(count - first, most);
        VkBufferCopy part = {.srcOffset = ((VkDeviceSize)boosting->sample_capacity + first) * sizeof *words,
                             .size = some * sizeof *words};
        SHW_PROPAGATE(boost_record(boosting));
        boosting->device->vk.CmdCopyBuffer(boosting->commands, boosting->samples.handle, boosting->readback.handle, 1,
                                           &part);
        SHW_PROPAGATE(boost_submit(boosting));
        for (uint32_t i = 0; i < some; i++)
            nodes[first + i] = (uint16_t)words[i];
    }
    return SHW_OK;
}
