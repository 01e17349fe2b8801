/* Evaluation in passes, slice by slice of the trees: the walk writes where records end, and what is there is added to
 * the sums. */
#include "base/integers.h"
#include "records/evaluate/device.h"
#include "vulkan/commands.h"

SHW_SHADER_DECLARE(record_sums_comp);
SHW_SHADER_DECLARE(record_classes_comp);

#define LANES        64u
#define RECORDS_MOST 65536u
#define TREES_MOST   256u       /* of a slice */
#define CHUNK_TREES  64u        /* of at most SHW_RECORD_DEPTH_MAX tests each */
#define PLACES_MOST  (1u << 24) /* elements of both buffers */
#define SUMS_MOST    (1u << 22)
#define GROUPS_MOST  32768u /* of one row of a dispatch */

void shw_record_passes_measure(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;
    uint32_t outputs = device->info->output_count;

    passes->trees = shw_min_u32(shw_max_u32(device->info->tree_count, 1), TREES_MOST);
    passes->chunk_trees = CHUNK_TREES;
    passes->records = shw_min_u32(RECORDS_MOST, shw_min_u32(PLACES_MOST / passes->trees, SUMS_MOST / outputs));
}

enum shw_result shw_record_passes_create(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;
    const uint32_t of_all = device->info->values_per_leaf == device->info->output_count;

    SHW_PROPAGATE(shw_buffer_create(device->device, sizeof(uint32_t) * (uint64_t)passes->records * passes->trees,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "places in trees",
                                    &passes->places));
    SHW_PROPAGATE(shw_buffer_create(device->device,
                                    sizeof(uint64_t) * (uint64_t)passes->records * device->info->output_count,
                                    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, SHW_MEMORY_DEVICE, "sums", &passes->sums));
    SHW_PROPAGATE(shw_record_device_program(device, "record sums", SHW_SHADER(record_sums_comp), LANES, &of_all, 1,
                                            &passes->add));
    return shw_record_device_program(device, "record classes", SHW_SHADER(record_classes_comp), LANES, NULL, 0,
                                     &passes->decide);
}

void shw_record_passes_release(struct shw_record_device *device)
{
    struct shw_record_passes *passes = &device->passes;

    shw_program_destroy(device->device, &passes->add);
    shw_program_destroy(device->device, &passes->decide);
    shw_buffer_destroy(device->device, &passes->places);
    shw_buffer_destroy(device->device, &passes->sums);
}

static void wait_for_pass(const struct shw_record_device *device, VkCommandBuffer commands)
{
    shw_memory_barrier(device->device, commands, shw_use_compute_write, shw_use_compute_write);
}

/* Words of a chunk: its first tree, and the one after its last. */
static const uint32_t *chunk_at(const struct shw_record_device *device, uint32_t chunk)
{
    return device->tables.words + 4 * (size_t)SHW_RECORD_CHUNK_TEXELS * chunk;
}

/* Depths of a chunk's trees, and their number. */
static uint64_t depths_of(const struct shw_record_device *device, uint32_t chunk)
{
    const uint32_t *trees = chunk_at(device, chunk);
    uint64_t depths = 1;

    for (uint32_t t = trees[0]; t < trees[1]; t++)
        depths += 1 + (uint64_t)device->info->trees[device->order.trees[t]].depth;
    return depths;
}

/* The slice from chunk `first` on. */
static void set_slice(const struct shw_record_device *device, uint32_t first, struct shw_record_push *push)
{
    uint64_t depths = depths_of(device, first);

    push->first_chunk = first;
    push->first_tree = chunk_at(device, first)[0];
    push->end_chunk = first + 1;
    while (push->end_chunk < device->tables.chunk_count &&
           chunk_at(device, push->end_chunk)[1] - push->first_tree <= device->passes.trees &&
           depths + depths_of(device, push->end_chunk) <= device->depths_most)
        depths += depths_of(device, push->end_chunk++);
    push->end_tree = chunk_at(device, push->end_chunk - 1)[1];
}

static void record_sums(const struct shw_record_device *device, VkCommandBuffer commands,
                        const struct shw_record_piece *piece)
{
    uint32_t groups = (piece->push.count * device->info->output_count + LANES - 1) / LANES;
    uint32_t columns = shw_min_u32(groups, GROUPS_MOST);

    wait_for_pass(device, commands);
    shw_record_device_dispatch(device, commands, &device->passes.add, piece, columns, (groups + columns - 1) / columns);
}

void shw_record_passes_record(struct shw_record_device *device, VkCommandBuffer commands,
                              struct shw_record_piece *piece)
{
    uint32_t chunks = device->tables.chunk_count;

    for (uint32_t c = 0; c < chunks; c = piece->push.end_chunk) {
        set_slice(device, c, &piece->push);
        device->walker->record(device, device->state, commands, piece);
        if ((piece->push.wanted & SHW_RECORD_WANTS_VALUES) != 0)
            record_sums(device, commands, piece);
        if (piece->push.end_chunk < chunks) /* the next slice writes the places again */
            wait_for_pass(device, commands);
    }
    if ((piece->push.wanted & SHW_RECORD_WANTS_CLASSES) == 0)
        return;
    wait_for_pass(device, commands);
    shw_record_device_dispatch(device, commands, &device->passes.decide, piece, (piece->push.count + LANES - 1) / LANES,
                               1);
}
