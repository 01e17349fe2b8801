/* How the back end `cpu` divides the memory that it may use. */
#include "dense/grow_cpu/memory.h"

#include <stdlib.h>

#include "base/integers.h"
#include "base/log.h"
#include "base/machine.h"
#include "base/text.h"
#include "dense/grow/trainer.h"
#include "dense/grow_cpu/histograms.h"

#define SAMPLE_BYTES  (sizeof(uint32_t) + 3 * sizeof(uint16_t) + sizeof(uint8_t)) /* and its side in the round */
#define MOVE_BYTES    (2 * sizeof(uint32_t))                                      /* per sample, to move them all */
#define FEATURE_BYTES (5 * sizeof(uint32_t) + 2 * sizeof(struct shw_batch_side))
#define SPOT_BYTES    24u /* per labelled pixel of a picture in parts, to draw from them */
#define RUN_BYTES     128u
#define IMAGE_BYTES   (sizeof(struct shw_train_image) + 192) /* and its copy, its slab and its tables */
#define BATCH_BYTES   ((uint64_t)192 << 20)                  /* enough where all planes are in memory */
#define BATCH_MAX     ((uint64_t)4 << 30)                    /* enough in any case */
#define ROUND_MIN     ((uint64_t)256 << 10)

/* Shares of a round's memory, in sixteenths; the last two are for tables and what is small. */
#define SHARE_BATCH    10u
#define SHARE_FEATURES 3u
#define SHARE_RUNS     1u

uint64_t shw_cpu_memory_limit(const struct shw_trainer_params *params)
{
    return params->memory > 0 ? params->memory : shw_machine_memory() / 4 * 3;
}

size_t shw_cpu_batch_bytes(const struct shw_cpu_memory *memory)
{
    return (size_t)(memory->round / 16 * SHARE_BATCH);
}

size_t shw_cpu_batch_features(const struct shw_cpu_memory *memory)
{
    size_t count = (size_t)(memory->round / 16 * SHARE_FEATURES / FEATURE_BYTES);

    return count > SHW_ITEM_CANDIDATES ? count : SHW_ITEM_CANDIDATES;
}

uint32_t shw_cpu_batch_runs(const struct shw_cpu_memory *memory)
{
    uint64_t count = memory->round / 16 * SHARE_RUNS / RUN_BYTES, most = 1u << 20, least = 64;

    return (uint32_t)(count > most ? most : count < least ? least : count);
}

static uint64_t round_for_batch(uint64_t bytes)
{
    return (bytes + SHARE_BATCH - 1) / SHARE_BATCH * 16;
}

/* What is to be divided. */
struct need {
    uint64_t samples;                 /* of a tree, at most */
    uint64_t planes;                  /* bytes of all images */
    uint64_t slot;                    /* bytes to make the planes of one image, and to use them */
    uint64_t round_least, round_most; /* more is of no use */
    uint64_t fixed;                   /* samples and tables */
    uint32_t width, height;           /* of the largest image */
};

static struct need measure(const struct shw_trainer *trainer)
{
    const struct shw_trainer_params *params = &trainer->params;
    const struct shw_train_images *images = &trainer->images;
    uint64_t classes = trainer->dataset->class_count, channels = images->channels.channel_count;
    uint64_t histogram = shw_histogram_bins(params) * classes * sizeof(uint32_t), pixels = 0, spots = 0, batch;
    uint64_t columns = (trainer->candidate_count + 7) / 8 * 8 * sizeof(int32_t);
    uint64_t filtered = shw_channels_filtered(&images->channels);
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    const struct shw_train_images *whole = shw_trainer_whole(trainer);
    struct need need = {.samples = shw_samples_most(params, whole, shw_trainer_part(trainer))};

    for (uint32_t i = 0; i < shw_train_images_copies(images) * images->base_count; i++) {
        const struct shw_train_image *image = &images->images[i];
        need.planes += shw_train_image_bytes(images, i);
        if ((uint64_t)image->width * image->height <= pixels)
            continue;
        pixels = (uint64_t)image->width * image->height;
        need.width = image->width;
        need.height = image->height;
        need.slot = shw_train_image_bytes(images, i);
    }
    /* Channels and what they are derived from, filtered rows and base planes (at most twice these), a decoded and a
     * mirrored copy of the inputs, labels; tables of responses; columns and histograms. */
    need.slot +=
        pixels * ((channels + filtered) * 3 * sizeof(int16_t) + 16 * images->channels.input_count + sizeof(uint16_t));
    need.slot += SHW_RESPOND_SLOT_BYTES;
    need.fixed = images->count * IMAGE_BYTES + need.samples * SAMPLE_BYTES +
                 threads * (SHW_COLUMN_VALUES * sizeof(int32_t) + 2 * histogram + (256u << 10)) + ((uint64_t)1 << 20) +
                 shw_class_lists_bytes(whole);
    if (trainer->division != NULL)
        need.fixed += 2 * trainer->division->block_words * sizeof(uint32_t);
    for (uint32_t i = 0; i < images->picture_count; i++)
        if (images->pictures[i].end > images->pictures[i].first + 1)
            spots = shw_max_u64(spots, images->pictures[i].labelled_count);
    /* Samples are drawn and moved when no round is running. */
    need.round_least =
        shw_max_u64(need.samples * MOVE_BYTES, threads * (pixels * 2 * sizeof(uint32_t) + spots * SPOT_BYTES) +
                                                   shw_class_plan_bytes(params, whole));
    need.round_least = shw_max_u64(need.round_least, round_for_batch(32 * histogram)) + ROUND_MIN;
    batch = need.samples * columns + histogram;
    need.round_most = shw_max_u64(need.round_least, round_for_batch(shw_min_u64(batch, BATCH_MAX)) + ROUND_MIN);
    return need;
}

/* The fewest bytes that training needs. */
static uint64_t least(const struct need *need)
{
    return need->fixed + need->slot + need->round_least;
}

uint64_t shw_cpu_memory_least(const struct shw_trainer *trainer)
{
    struct need need = measure(trainer);

    return least(&need);
}

static enum shw_result refuse(const struct shw_trainer *trainer, const struct need *need, uint64_t limit)
{
    return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_MEMORY,
                    "training with cpu needs at least %llu MiB of memory for %s with %s; %s may be used: "
                    "%s, use fewer threads, or allow more",
                    (unsigned long long)(least(need) >> 20) + 1,
                    shw_train_need_text(trainer->words, need->samples, need->width, need->height).text,
                    shw_counted(shw_thread_pool_size(trainer->pool), "thread", "threads").text,
                    shw_counted_bytes(limit).text, trainer->words->fewer_samples);
}

/* How many images' planes fit into `bytes`, the first ones. */
static uint32_t count_resident(const struct shw_train_images *images, uint64_t bytes)
{
    uint32_t count = 0, copies = shw_train_images_copies(images);

    while (count < images->base_count && copies * shw_train_image_bytes(images, count) <= bytes)
        bytes -= copies * shw_train_image_bytes(images, count++);
    return count;
}

/* Gives the planes of all images their memory; false if that is more than the limit. */
static bool hold_all(const struct shw_trainer *trainer, const struct need *need, uint64_t taken,
                     struct shw_cpu_memory *memory)
{
    *memory = (struct shw_cpu_memory){
        .round = shw_min_u64(need->round_most, shw_max_u64(need->round_least, round_for_batch(BATCH_BYTES))),
        .resident = trainer->images.base_count,
        .slots = shw_thread_pool_size(trainer->pool)};
    return need->fixed + memory->slots * need->slot + need->planes + memory->round + taken <=
           shw_cpu_memory_limit(&trainer->params);
}

bool shw_cpu_memory_holds_all(const struct shw_trainer *trainer, uint64_t taken, struct shw_cpu_memory *memory)
{
    struct need need = measure(trainer);

    return hold_all(trainer, &need, taken, memory);
}

enum shw_result shw_cpu_memory_plan(const struct shw_trainer *trainer, uint64_t copies, struct shw_cpu_memory *memory)
{
    const struct shw_train_images *images = &trainer->images;
    uint64_t limit = shw_cpu_memory_limit(&trainer->params), rest, round;
    struct need need = measure(trainer);

    if (hold_all(trainer, &need, 0, memory))
        return SHW_OK;
    while (memory->slots > 1 && need.fixed + memory->slots * need.slot + need.round_least > limit)
        memory->slots--;
    if (need.fixed + memory->slots * need.slot + need.round_least > limit)
        return refuse(trainer, &need, limit);
    rest = limit - need.fixed - memory->slots * need.slot;
    /* Every round reads the images at least twice. Reading an image from the data set costs about as much as making its
     * planes, so copies come first; more memory for rounds saves passes; planes take the most. */
    memory->round = shw_min_u64(need.round_most, shw_max_u64(need.round_least, rest / 16 * 5));
    rest -= memory->round;
    memory->store = shw_min_u64(copies, rest);
    rest -= memory->store;
    round = shw_min_u64(need.round_most - memory->round, rest);
    memory->round += round;
    rest -= round;
    memory->resident = count_resident(images, rest > 2 << 20 ? rest - (2 << 20) : 0); /* they begin at a large page */
    return SHW_OK;
}

/* The planes of training images on the CPU: those of the first images are in memory, those of others are made for
 * whoever needs them, as many at a time as there are slots. */

enum shw_result shw_cpu_planes_create(struct shw_trainer *trainer)
{
    const struct shw_train_images *images = &trainer->images;
    size_t bytes = 0;

    trainer->table_values = SHW_BLOCK * (size_t)shw_min_u32(trainer->params.candidates, SHW_ITEM_CANDIDATES);
    trainer->column_values =
        SHW_COLUMNS *
        (size_t)shw_min_u64(shw_samples_most(&trainer->params, shw_trainer_whole(trainer), shw_trainer_part(trainer)),
                            SHW_LARGE_NODE);
    trainer->tables = malloc(trainer->memory.slots * trainer->table_values * sizeof *trainer->tables);
    trainer->columns = malloc(shw_thread_pool_size(trainer->pool) * trainer->column_values * sizeof *trainer->columns);
    if (trainer->tables == NULL || trainer->columns == NULL)
        return shw_fail_memory(&trainer->params.log, "responses");
    if (images->resident == images->base_count)
        return SHW_OK;
    for (uint32_t i = 0; i < images->base_count; i++)
        bytes = shw_train_image_bytes(images, i) > bytes ? shw_train_image_bytes(images, i) : bytes;
    trainer->slots = calloc(trainer->memory.slots, sizeof *trainer->slots);
    for (uint32_t s = 0; trainer->slots != NULL && s < trainer->memory.slots; s++)
        if ((trainer->slots[s] = malloc(bytes)) == NULL)
            return shw_fail_memory(&trainer->params.log, "a training image");
    return trainer->slots != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "training images");
}

void shw_cpu_planes_destroy(struct shw_trainer *trainer)
{
    for (uint32_t s = 0; trainer->slots != NULL && s < trainer->memory.slots; s++)
        free(trainer->slots[s]);
    free(trainer->slots);
    free(trainer->tables);
    free(trainer->columns);
    trainer->slots = NULL;
    trainer->tables = trainer->columns = NULL;
}

enum shw_result shw_cpu_planes_get(const struct shw_trainer *trainer, uint32_t slot, uint32_t image,
                                   const void **planes)
{
    const struct shw_train_images *images = &trainer->images;

    if (shw_cpu_planes_are_resident(trainer, image)) {
        *planes =
            (const char *)images->planes + images->images[image].planes * shw_feature_element(trainer->params.feature);
        return SHW_OK;
    }
    *planes = trainer->slots[slot];
    return shw_train_image_make_planes(&trainer->params, trainer->dataset, images, image, NULL, trainer->slots[slot]);
}

uint32_t shw_cpu_planes_slots(const struct shw_trainer *trainer)
{
    return trainer->memory.slots;
}

/* Shared by the threads. */
struct pass {
    const struct shw_trainer *trainer;
    enum shw_result (*work)(void *user, uint32_t index, uint32_t slot);
    void *user;
    uint32_t count;
    atomic_uint next;
    atomic_int result; /* the first failure */
};

static void run_slot(void *user, uint32_t slot, uint32_t thread)
{
    struct pass *pass = user;
    uint32_t index;

    (void)thread;
    while (atomic_load(&pass->result) == SHW_OK && !shw_trainer_is_interrupted(pass->trainer) &&
           (index = atomic_fetch_add(&pass->next, 1)) < pass->count) {
        int good = SHW_OK;
        enum shw_result result = pass->work(pass->user, index, slot);
        if (result != SHW_OK)
            atomic_compare_exchange_strong(&pass->result, &good, (int)result);
    }
}

enum shw_result shw_cpu_planes_run(const struct shw_trainer *trainer, uint32_t count,
                                   enum shw_result (*work)(void *user, uint32_t index, uint32_t slot), void *user)
{
    struct pass pass = {.trainer = trainer, .work = work, .user = user, .count = count};
    bool alone = trainer->images.resident < trainer->images.base_count && trainer->dataset->single_threaded;

    shw_thread_pool_run(alone ? NULL : trainer->pool, alone ? 1 : trainer->memory.slots, run_slot, &pass);
    return (enum shw_result)atomic_load(&pass.result);
}
