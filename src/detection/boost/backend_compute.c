/* The back end `compute`: histograms by atomic additions, in shared memory first. */
#include "base/integers.h"
#include "detection/boost/device.h"
#include "vulkan/commands.h"

#define CHUNK_WORDS 4096u /* of a plane per work group */
#define GROUPS      2048u /* enough to fill a large device */

static uint32_t cells_max(const struct shw_boost_device *boosting)
{
    return (uint32_t)(boosting->work.size / sizeof(uint32_t));
}

static uint32_t rows_max(const struct shw_boost_device *boosting, uint32_t row_cells)
{
    return (boosting->shared_words - SHW_BOOST_CANDIDATE_WORDS) / row_cells;
}

static void clear(struct shw_boost_device *boosting, uint32_t cells)
{
    boosting->device->vk.CmdFillBuffer(boosting->commands, boosting->work.handle, 0, cells * sizeof(uint32_t), 0);
    shw_boost_wait(boosting);
}

/* As many candidates per work group as fit in shared memory, and chunks that are not too long for there to be enough
 * work groups. */
static void add(struct shw_boost_device *boosting, uint32_t slice, struct shw_boost_push push)
{
    uint32_t words = (push.count + 1) / 2, size = push.row_count * push.bins * SHW_BOOST_CLASSES, groups;

    push.together = shw_min_u32(boosting->shared_words / (size + SHW_BOOST_CANDIDATE_WORDS), push.candidate_count);
    groups = (push.candidate_count + push.together - 1) / push.together;
    push.chunk = (uint32_t)shw_align_up((uint64_t)words * groups / GROUPS, boosting->invocations);
    push.chunk = shw_max_u32(shw_min_u32(push.chunk, CHUNK_WORDS), boosting->invocations);
    shw_program_dispatch(boosting->device, boosting->commands, &boosting->programs[SHW_BOOST_COUNT_PASS],
                         boosting->sets.handles[slice], &push, groups, (words + push.chunk - 1) / push.chunk, 1);
    shw_boost_wait(boosting);
}

static void read(struct shw_boost_device *boosting, uint32_t cells)
{
    const VkBufferCopy all = {.size = cells * sizeof(uint32_t)};

    boosting->device->vk.CmdCopyBuffer(boosting->commands, boosting->work.handle, boosting->readback.handle, 1, &all);
}

static const struct shw_boost_counter counter = {
    .cells_max = cells_max, .rows_max = rows_max, .clear = clear, .add = add, .read = read};

static enum shw_result create(struct shw_boost *boost, void **state)
{
    return shw_boost_device_create(boost, &counter, state);
}

const struct shw_boost_backend shw_boost_backend_compute = {
    .technique = SHW_TECHNIQUE_COMPUTE,
    .create = create,
    SHW_BOOST_DEVICE_FUNCTIONS,
};
