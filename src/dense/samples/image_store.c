#include "dense/samples/image_store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"
#include "base/image.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/input/inputs.h"

#define SLAB_MAX   ((size_t)4 << 20)
#define SLAB_MIN   ((size_t)1 << 16)
#define SLAB_SHARE 16u /* a copy that takes more than this part of a slab has one of its own */
#define PAGE       ((size_t)4 << 10)

/* A run of pixels with one label. */
struct run {
    uint16_t label, count;
};

/* A copy of an example, all in one slab. */
struct copy {
    uint32_t slab;
    struct shw_image image;
    struct shw_picture_part part;
    const char *name;
    uint32_t input_count;
    struct shw_input *inputs;
    const void *labels; /* `run_count` runs or, if that is 0, one label per pixel */
    uint32_t run_count;
};

/* Memory for copies: small ones share it, large ones have a slab each, so that little of it is wasted at its end. It
 * goes back to the system at once when it is released. */
struct slab {
    char *bytes;
    size_t size, used;
};

struct shw_image_store {
    const struct shw_dataset *given;
    struct shw_dataset dataset;
    const struct shw_channel_list *channels;
    struct shw_log log;
    pthread_mutex_t mutex; /* of the slabs */
    struct copy *copies;   /* [example]; without name: there is none */
    struct slab *slabs;
    uint32_t slab_count, slab_capacity, count;
    uint32_t shared; /* the slab for the next small copy, if `has_shared` */
    bool has_shared;
    uint64_t limit, bytes; /* of the slabs */
    bool ended;
};

/* What an example that is in use was read as. */
struct handle {
    bool is_copy;
    struct shw_labelled_image original; /* of the given data set */
    uint16_t labels[];                  /* of a copy */
};

static size_t packed_bytes(const struct shw_image *image)
{
    return shw_pixel_size(image->format) * image->width * image->height;
}

static uint32_t count_runs(const uint16_t *labels, size_t pixels)
{
    uint32_t runs = 0, length = 0;

    for (size_t i = 0; i < pixels; i++) {
        if (i == 0 || labels[i] != labels[i - 1] || length == UINT16_MAX) {
            runs++;
            length = 0;
        }
        length++;
    }
    return runs;
}

static void write_runs(const uint16_t *labels, size_t pixels, struct run *runs)
{
    for (size_t i = 0; i < pixels; i++) {
        if (i == 0 || labels[i] != labels[i - 1] || runs->count == UINT16_MAX) {
            runs += i > 0;
            *runs = (struct run){labels[i], 0};
        }
        runs->count++;
    }
}

/* Makes a slab of at least so many bytes; false: there is no room. */
static bool add_slab(struct shw_image_store *store, size_t bytes)
{
    size_t size = (bytes + PAGE - 1) / PAGE * PAGE;
    char *memory;

    if (size > store->limit || store->bytes > store->limit - size ||
        !SHW_RESERVE(store->slabs, store->slab_capacity, store->slab_count + 1u))
        return false;
    memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    store->slabs[store->slab_count++] = (struct slab){.bytes = memory, .size = size};
    store->bytes += size;
    return true;
}

/* Takes memory from a slab, a new one if need be. With the mutex held. NULL: there is no room. */
static char *take(struct shw_image_store *store, size_t bytes, uint32_t *slab)
{
    size_t usual = store->limit / 64 < SLAB_MAX ? (size_t)(store->limit / 64) : SLAB_MAX;
    bool small;
    char *memory;

    usual = usual > SLAB_MIN ? usual : SLAB_MIN;
    small = bytes <= usual / SLAB_SHARE;
    if (!small || !store->has_shared || store->slabs[store->shared].size - store->slabs[store->shared].used < bytes) {
        if (!add_slab(store, small ? usual : bytes))
            return NULL;
        store->shared = small ? store->slab_count - 1 : store->shared;
        store->has_shared = store->has_shared || small;
    }
    *slab = small ? store->shared : store->slab_count - 1;
    memory = store->slabs[*slab].bytes + store->slabs[*slab].used;
    store->slabs[*slab].used += bytes;
    return memory;
}

static void copy_pixels(struct shw_image *to, const struct shw_image *from, char **memory)
{
    size_t row = shw_pixel_size(from->format) * from->width, stride = from->stride > 0 ? from->stride : row;

    *to = *from;
    to->pixels = *memory;
    to->stride = 0;
    for (uint32_t y = 0; y < from->height; y++)
        memcpy(*memory + y * row, (const char *)from->pixels + y * stride, row);
    *memory += shw_align_up(row * from->height, 16);
}

static const char *copy_text(const char *text, char **memory)
{
    char *copy = *memory;
    size_t size = strlen(text) + 1;

    memcpy(copy, text, size);
    *memory += shw_align_up(size, 16);
    return copy;
}

/* Whether it can be copied; training reports what is wrong with it when it reads it. */
static bool is_sound(const struct shw_labelled_image *example, const struct shw_inputs *inputs)
{
    bool sound = example->labels != NULL && example->name != NULL;

    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct shw_image *image = &inputs->inputs[i].image;
        sound = sound && image->pixels != NULL && shw_pixel_size(image->format) > 0 && image->width > 0 &&
                image->height > 0 && image->width <= SHW_IMAGE_SIZE_MAX && image->height <= SHW_IMAGE_SIZE_MAX &&
                (image->stride == 0 || image->stride >= shw_pixel_size(image->format) * image->width);
    }
    return sound;
}

static void keep(struct shw_image_store *store, uint32_t index, const struct shw_labelled_image *example)
{
    struct shw_input list[SHW_INPUTS_MAX];
    struct shw_inputs inputs = shw_example_inputs(example, store->channels, list);
    size_t pixels = (size_t)example->image.width * example->image.height, bytes;
    struct copy copy = {.part = example->part, .input_count = inputs.count - 1};
    char *memory;

    if (!is_sound(example, &inputs))
        return;
    copy.run_count = count_runs(example->labels, pixels);
    copy.run_count = 2 * (size_t)copy.run_count < pixels ? copy.run_count : 0;
    bytes = copy.run_count > 0 ? shw_align_up(copy.run_count * sizeof(struct run), 16)
                               : shw_align_up(pixels * sizeof *example->labels, 16);
    bytes += shw_align_up(strlen(example->name) + 1, 16) + shw_align_up(packed_bytes(&example->image), 16) +
             shw_align_up(inputs.count * sizeof *list, 16);
    for (uint32_t i = 1; i < inputs.count; i++)
        bytes += shw_align_up(strlen(list[i].name) + 1, 16) + shw_align_up(packed_bytes(&list[i].image), 16);
    pthread_mutex_lock(&store->mutex);
    memory = take(store, bytes, &copy.slab);
    store->count += memory != NULL;
    pthread_mutex_unlock(&store->mutex);
    if (memory == NULL)
        return;
    copy.inputs = (struct shw_input *)(void *)memory;
    memory += shw_align_up(inputs.count * sizeof *list, 16);
    copy.name = copy_text(example->name, &memory);
    copy_pixels(&copy.image, &example->image, &memory);
    for (uint32_t i = 1; i < inputs.count; i++) {
        copy.inputs[i - 1] = (struct shw_input){.name = copy_text(list[i].name, &memory), .depth = list[i].depth};
        copy_pixels(&copy.inputs[i - 1].image, &list[i].image, &memory);
    }
    copy.labels = memory;
    if (copy.run_count > 0)
        write_runs(example->labels, pixels, (struct run *)(void *)memory);
    else
        memcpy(memory, example->labels, pixels * sizeof *example->labels);
    store->copies[index] = copy;
}

static enum shw_result read_copy(const struct shw_image_store *store, const struct copy *copy,
                                 struct shw_labelled_image *example)
{
    size_t pixels = (size_t)copy->image.width * copy->image.height;
    struct handle *handle = malloc(sizeof *handle + pixels * sizeof *handle->labels);
    const struct run *runs = copy->labels;
    uint16_t *next;

    if (handle == NULL)
        return shw_fail_memory(&store->log, "a training image");
    handle->is_copy = true;
    next = handle->labels;
    if (copy->run_count == 0)
        memcpy(next, copy->labels, pixels * sizeof *next);
    for (uint32_t r = 0; r < copy->run_count; r++)
        for (uint32_t i = 0; i < runs[r].count; i++)
            *next++ = runs[r].label;
    *example = (struct shw_labelled_image){.name = copy->name,
                                           .image = copy->image,
                                           .inputs = {copy->input_count, copy->inputs},
                                           .labels = handle->labels,
                                           .handle = handle,
                                           .part = copy->part};
    return SHW_OK;
}

static enum shw_result read_example(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct shw_image_store *store = user;
    struct handle *handle;
    enum shw_result result;

    if (store->copies[index].name != NULL)
        return read_copy(store, &store->copies[index], example);
    handle = malloc(sizeof *handle);
    if (handle == NULL)
        return shw_fail_memory(&store->log, "a training image");
    result = store->given->read(store->given->user, index, &handle->original);
    if (result != SHW_OK) {
        free(handle);
        return result;
    }
    if (!store->ended)
        keep(store, index, &handle->original);
    handle->is_copy = false;
    *example = handle->original;
    example->handle = handle;
    return SHW_OK;
}

static void release_example(void *user, struct shw_labelled_image *example)
{
    struct shw_image_store *store = user;
    struct handle *handle = example->handle;

    if (!handle->is_copy)
        store->given->release(store->given->user, &handle->original);
    free(handle);
}

enum shw_result shw_image_store_create(const struct shw_dataset *dataset, const struct shw_channel_list *channels,
                                       uint64_t bytes, const struct shw_log *log, struct shw_image_store **out)
{
    struct shw_image_store *store = calloc(1, sizeof *store);

    if (store != NULL)
        store->copies = calloc(dataset->count, sizeof *store->copies);
    if (store == NULL || store->copies == NULL) {
        free(store);
        return shw_fail_memory(log, "the training set");
    }
    store->given = dataset;
    store->channels = channels;
    store->log = *log;
    store->limit = bytes;
    store->dataset = *dataset;
    store->dataset.user = store;
    store->dataset.read = read_example;
    store->dataset.release = release_example;
    pthread_mutex_init(&store->mutex, NULL);
    *out = store;
    return SHW_OK;
}

void shw_image_store_destroy(struct shw_image_store **handle)
{
    struct shw_image_store *store = *handle;

    if (store == NULL)
        return;
    for (uint32_t s = 0; s < store->slab_count; s++)
        munmap(store->slabs[s].bytes, store->slabs[s].size);
    pthread_mutex_destroy(&store->mutex);
    free(store->slabs);
    free(store->copies);
    free(store);
    *handle = NULL;
}

const struct shw_dataset *shw_image_store_dataset(const struct shw_image_store *store)
{
    return &store->dataset;
}

void shw_image_store_end(struct shw_image_store *store, uint64_t bytes)
{
    store->ended = true;
    while (store->bytes > bytes) {
        const struct slab *last = &store->slabs[--store->slab_count];
        store->bytes -= last->size;
        munmap(last->bytes, last->size);
    }
    for (uint32_t i = 0; i < store->dataset.count; i++)
        if (store->copies[i].name != NULL && store->copies[i].slab >= store->slab_count) {
            store->copies[i].name = NULL;
            store->count--;
        }
    if (store->count == store->dataset.count)
        store->dataset.single_threaded = false;
}

uint64_t shw_image_store_bytes(const struct shw_image_store *store)
{
    return store->bytes;
}

uint32_t shw_image_store_count(const struct shw_image_store *store)
{
    return store->count;
}
