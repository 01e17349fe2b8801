/* Ranks of the values of attributes, a training set of images made of them, and the feature that reads them. */
#include "records/train/ranks.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/integers.h"
#include "base/log.h"
#include "dense/feature/feature_code.h"
#include "shared/attribute_ranks.h"

#define SHW_ATTRIBUTE_BLOCKS_SHIFT_MAX 3u

/* Rows of an image, and the logarithm of the number of their blocks side by side, at most. */
#define SHW_ATTRIBUTE_ROWS_MAX 8192u

#define DIGIT_BITS 11u
#define DIGITS     (1u << DIGIT_BITS)
#define STORED     2u /* for rank 0 */

/* What one thread needs to rank an attribute. */
struct scratch {
    int32_t *codes;              /* [example] */
    uint32_t *sorted, *unsorted; /* values that are not missing, as unsigned numbers in their order */
};

/* Shared by the threads that rank. */
struct ranking {
    const struct shw_records *records;
    struct shw_ranks *ranks;
    struct scratch *scratch;
    uint64_t *hashes; /* [attribute] of its values */
    atomic_bool is_missing_known, lacks_memory;
};

static uint32_t ordered(int32_t code)
{
    return (uint32_t)code ^ 0x80000000u;
}

static void swap(uint32_t **a, uint32_t **b)
{
    uint32_t *kept = *a;

    *a = *b;
    *b = kept;
}

/* Radix sort of scratch->sorted. */
static void sort(struct scratch *scratch, uint32_t count)
{
    for (uint32_t shift = 0; shift < 32; shift += DIGIT_BITS) {
        uint32_t next[DIGITS + 1] = {0};
        swap(&scratch->sorted, &scratch->unsorted);
        for (uint32_t i = 0; i < count; i++)
            next[(scratch->unsorted[i] >> shift & (DIGITS - 1)) + 1]++;
        for (uint32_t d = 0; d < DIGITS; d++)
            next[d + 1] += next[d];
        for (uint32_t i = 0; i < count; i++)
            scratch->sorted[next[scratch->unsorted[i] >> shift & (DIGITS - 1)]++] = scratch->unsorted[i];
    }
}

/* The lowest value of each rank; returns the number of ranks. `lowest` may be NULL. */
static uint32_t list_ranks(const uint32_t *sorted, uint32_t count, bool in_groups, int32_t *lowest)
{
    uint32_t ranks = 0;
    uint64_t group = UINT64_MAX;

    for (uint32_t i = 0; i < count; i++) {
        uint64_t own = in_groups ? (uint64_t)i * SHW_ATTRIBUTE_RANKS / count : i;
        if ((i > 0 && sorted[i] == sorted[i - 1]) || own == group)
            continue;
        group = own;
        if (lowest != NULL)
            lowest[ranks] = (int32_t)(sorted[i] ^ 0x80000000u);
        ranks++;
    }
    return ranks;
}

/* The greatest rank whose lowest value is at most that. */
static uint32_t find_rank(const int32_t *lowest, uint32_t count, int32_t code)
{
    uint32_t first = 0;

    for (uint32_t left = count; left > 1;) {
        uint32_t half = left / 2;
        first += lowest[first + half] <= code ? half : 0;
        left -= half;
    }
    return first;
}

static void rank_attribute(void *user, uint32_t attribute, uint32_t thread)
{
    struct ranking *ranking = user;
    struct shw_ranks *ranks = ranking->ranks;
    struct scratch *scratch = &ranking->scratch[thread];
    uint16_t *stored = ranks->stored + (size_t)attribute * ranks->count;
    uint32_t present = 0, count;
    bool in_groups;

    for (uint32_t i = 0; i < ranks->count; i++) {
        int32_t code = shw_records_code(ranking->records, ranks->records[i], attribute);
        scratch->codes[i] = code;
        scratch->sorted[present] = ordered(code);
        present += code != SHW_RECORD_MISSING;
    }
    ranking->hashes[attribute] = XXH3_64bits(scratch->codes, ranks->count * sizeof *scratch->codes);
    sort(scratch, present);
    count = list_ranks(scratch->sorted, present, false, NULL);
    in_groups = count > SHW_ATTRIBUTE_RANKS;
    ranks->lowest[attribute] = malloc(shw_min_u32(count, SHW_ATTRIBUTE_RANKS) * sizeof(int32_t) + 1);
    if (ranks->lowest[attribute] == NULL) {
        atomic_store(&ranking->lacks_memory, true);
        return;
    }
    count = list_ranks(scratch->sorted, present, in_groups, ranks->lowest[attribute]);
    ranks->rank_counts[attribute] = count;
    for (uint32_t i = 0; i < ranks->count; i++)
        stored[i] = scratch->codes[i] == SHW_RECORD_MISSING
                        ? STORED - 1
                        : (uint16_t)(find_rank(ranks->lowest[attribute], count, scratch->codes[i]) + STORED);
    if (present < ranks->count)
        atomic_store(&ranking->is_missing_known, true);
}

static void free_scratch(struct scratch *scratch, uint32_t threads)
{
    for (uint32_t t = 0; scratch != NULL && t < threads; t++) {
        free(scratch[t].codes);
        free(scratch[t].sorted);
        free(scratch[t].unsorted);
    }
    free(scratch);
}

static struct scratch *make_scratch(uint32_t threads, size_t count)
{
    struct scratch *scratch = calloc(threads, sizeof *scratch);
    bool good = scratch != NULL;

    for (uint32_t t = 0; good && t < threads; t++) {
        scratch[t] = (struct scratch){.codes = malloc(count * sizeof(int32_t)),
                                      .sorted = malloc((count + 1) * sizeof(uint32_t)),
                                      .unsorted = malloc((count + 1) * sizeof(uint32_t))};
        good = scratch[t].codes != NULL && scratch[t].sorted != NULL && scratch[t].unsorted != NULL;
    }
    if (good)
        return scratch;
    free_scratch(scratch, threads);
    return NULL;
}

static enum shw_result rank_all(struct ranking *ranking, uint32_t attributes, struct shw_thread_pool *pool)
{
    uint32_t threads = shw_thread_pool_size(pool);

    ranking->scratch = make_scratch(threads, ranking->ranks->count);
    ranking->hashes = malloc(attributes * sizeof *ranking->hashes);
    if (ranking->scratch == NULL || ranking->hashes == NULL)
        return SHW_ERROR_MEMORY;
    shw_thread_pool_run(pool, attributes, rank_attribute, ranking);
    ranking->ranks->is_missing_known = atomic_load(&ranking->is_missing_known);
    ranking->ranks->hash = XXH3_64bits(ranking->hashes, attributes * sizeof *ranking->hashes);
    return atomic_load(&ranking->lacks_memory) ? SHW_ERROR_MEMORY : SHW_OK;
}

/* Lists the records that have a class. */
static enum shw_result list_examples(const struct shw_record_examples *examples, const struct shw_log *log,
                                     struct shw_ranks *ranks)
{
    uint64_t records = examples->records.count;
    uint32_t count = 0;

    ranks->records = malloc(records * sizeof *ranks->records + 1);
    ranks->labels = malloc(records * sizeof *ranks->labels + 1);
    if (ranks->records == NULL || ranks->labels == NULL)
        return shw_fail_memory(log, "the records");
    for (uint64_t r = 0; r < records; r++) {
        uint32_t class = examples->classes[r];
        if (class == SHW_RECORD_CLASS_NONE)
            continue;
        if (class >= examples->class_count)
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "record %llu has class %u; there are %u classes",
                            (unsigned long long)r, class, examples->class_count);
        ranks->records[count] = (uint32_t)r;
        ranks->labels[count++] = (uint16_t) class;
    }
    ranks->count = count;
    return count > 0 ? SHW_OK
                     : shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET, "none of the %llu records has a class",
                                (unsigned long long)records);
}

static enum shw_result make(const struct shw_record_examples *examples, struct shw_thread_pool *pool,
                            const struct shw_log *log, struct shw_ranks *ranks)
{
    uint32_t attributes = examples->records.attribute_count;
    struct ranking ranking = {.records = &examples->records, .ranks = ranks};
    enum shw_result result;

    SHW_PROPAGATE(list_examples(examples, log, ranks));
    ranks->attributes = attributes;
    ranks->stored = malloc((size_t)attributes * ranks->count * sizeof *ranks->stored);
    ranks->lowest = calloc(attributes, sizeof *ranks->lowest);
    ranks->rank_counts = calloc(attributes, sizeof *ranks->rank_counts);
    result = ranks->stored != NULL && ranks->lowest != NULL && ranks->rank_counts != NULL
                 ? rank_all(&ranking, attributes, pool)
                 : SHW_ERROR_MEMORY;
    free_scratch(ranking.scratch, shw_thread_pool_size(pool));
    free(ranking.hashes);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(log, "the ranks of attributes");
}

void shw_ranks_free(struct shw_ranks *ranks)
{
    for (uint32_t a = 0; ranks->lowest != NULL && a < ranks->attributes; a++)
        free(ranks->lowest[a]);
    free(ranks->lowest);
    free(ranks->rank_counts);
    free(ranks->stored);
    free(ranks->labels);
    free(ranks->records);
    *ranks = (struct shw_ranks){0};
}

enum shw_result shw_ranks_make(const struct shw_record_examples *examples, struct shw_thread_pool *pool,
                               const struct shw_log *log, struct shw_ranks *ranks)
{
    enum shw_result result;

    *ranks = (struct shw_ranks){0};
    result = make(examples, pool, log, ranks);
    if (result != SHW_OK)
        shw_ranks_free(ranks);
    return result;
}

#define COLUMNS_MAX 16384u     /* of all blocks: what devices take */
#define PIXELS_MAX  (1u << 24) /* of one image */

uint32_t shw_rank_images_begin(const struct shw_rank_images *images, uint32_t index)
{
    return (uint32_t)((uint64_t)images->ranks->count * index / images->dataset.count);
}

uint32_t shw_rank_images_share(const struct shw_rank_images *images, uint32_t percent)
{
    uint32_t least = images->ranks->count / images->dataset.count;

    return percent == 100 ? SHW_PIXELS_ALL : (uint32_t)shw_max_u64(((uint64_t)least * percent + 50) / 100, 1);
}

/* What an example points to. */
struct block {
    char name[48];
    struct shw_input input;
    uint16_t values[]; /* stored ranks, then labels */
};

static void copy_ranks(const struct shw_rank_images *images, uint32_t begin, uint32_t width, uint16_t *pixels)
{
    const struct shw_ranks *ranks = images->ranks;

    for (uint32_t a = 0; a < images->rows << images->blocks_shift; a++) {
        uint16_t *to = pixels + ((size_t)(a % images->rows << images->blocks_shift) + a / images->rows) * width;
        if (a < ranks->attributes)
            memcpy(to, ranks->stored + (size_t)a * ranks->count + begin, width * sizeof *to);
        else
            memset(to, 0, width * sizeof *to);
    }
}

static enum shw_result read_image(void *user, uint32_t index, struct shw_labelled_image *example)
{
    const struct shw_rank_images *images = user;
    uint32_t begin = shw_rank_images_begin(images, index), width = shw_rank_images_begin(images, index + 1) - begin;
    struct shw_image image = {.width = width << images->blocks_shift, .height = images->rows};
    size_t pixels = (size_t)image.width * image.height;
    struct block *block = malloc(sizeof *block + 2 * pixels * sizeof *block->values);

    if (block == NULL)
        return shw_fail_memory(images->log, "an image of ranks");
    snprintf(block->name, sizeof block->name, "examples %u to %u", begin, begin + width - 1);
    copy_ranks(images, begin, width, block->values);
    memset(block->values + pixels, 0xff, pixels * sizeof *block->values); /* SHW_LABEL_VOID */
    memcpy(block->values + pixels, images->ranks->labels + begin, width * sizeof *block->values);
    image.pixels = block->values;
    image.format = SHW_PIXEL_GREY16;
    block->input = (struct shw_input){.name = SHW_ATTRIBUTE_CHANNEL, .image = image};
    image.format = SHW_PIXEL_GREY8; /* the colours, which no channel reads: any bytes will do */
    *example = (struct shw_labelled_image){.name = block->name,
                                           .image = image,
                                           .inputs = {1, &block->input},
                                           .labels = block->values + pixels,
                                           .handle = block};
    return SHW_OK;
}

static void release(void *user, struct shw_labelled_image *example)
{
    (void)user;
    free(example->handle);
}

void shw_rank_images_make(const struct shw_ranks *ranks, uint32_t class_count, const struct shw_log *log,
                          struct shw_rank_images *images)
{
    uint32_t shift = 0, rows, columns;

    while ((ranks->attributes - 1) >> shift >= SHW_ATTRIBUTE_ROWS_MAX)
        shift++;
    rows = ((ranks->attributes - 1) >> shift) + 1;
    columns = shw_min_u32(COLUMNS_MAX >> shift, shw_max_u32(PIXELS_MAX / (rows << shift), 1));
    *images = (struct shw_rank_images){.dataset = {.count = (ranks->count + columns - 1) / columns,
                                                   .class_count = class_count,
                                                   .user = images,
                                                   .read = read_image,
                                                   .release = release,
                                                   .in_memory = true},
                                       .ranks = ranks,
                                       .log = log,
                                       .rows = rows,
                                       .blocks_shift = shift};
}

extern const struct shw_feature_code shw_feature_code_attribute;
extern const struct shw_channel_code shw_channel_code_ranks;

static const struct shw_channel_info channel[] = {
    {SHW_ATTRIBUTE_CHANNEL, -SHW_ATTRIBUTE_MISSING, 0, SHW_CONTENT_PLAIN, SHW_MIRRORED_SAME}};
static const struct shw_channel_kind kind = {.version = SHW_CHANNEL_KIND_VERSION,
                                             .name = SHW_ATTRIBUTE_CHANNEL,
                                             .channel_count = 1,
                                             .channels = channel,
                                             .input = SHW_ATTRIBUTE_CHANNEL,
                                             .code = &shw_channel_code_ranks};

const struct shw_channel_kinds shw_attribute_channels = {{&kind}};

static bool check(const struct shw_feature *feature, const struct shw_channel_list *channels, char why[SHW_WHY_SIZE])
{
    const uint32_t *words = feature->words;

    (void)channels;
    if (words[0] == 0 && words[1] < SHW_ATTRIBUTE_ROWS_MAX && words[2] < SHW_ATTRIBUTE_ASKED &&
        words[4] <= SHW_ATTRIBUTE_BLOCKS_SHIFT_MAX && words[3] >> words[4] == 0)
        return true;
    snprintf(why, SHW_WHY_SIZE, "0x%08x 0x%08x 0x%08x 0x%08x 0x%08x is not an attribute", words[0], words[1], words[2],
             words[3], words[4]);
    return false;
}

static uint64_t get_bound(const struct shw_feature *feature, const struct shw_channel_list *channels)
{
    (void)feature;
    return channels->channels[0].max_abs;
}

/* Where another block is depends on the width. */
static struct shw_reach get_reach(const struct shw_feature *feature)
{
    (void)feature;
    return (struct shw_reach){-SHW_REACH_ALL, -SHW_REACH_ALL, SHW_REACH_ALL, SHW_REACH_ALL};
}

static uint32_t get_regions(const struct shw_feature *feature,
                            struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX])
{
    int16_t row = (int16_t)feature->words[1];

    regions[0] = (struct shw_feature_region){.rectangle = {0, row, 1, (int16_t)(row + 1)}, .alone = *feature};
    return 1;
}

const struct shw_feature_type shw_feature_attribute = {.version = SHW_FEATURE_TYPE_VERSION,
                                                       .name = "attribute",
                                                       .label = "attribute of a record",
                                                       .reads = SHW_FEATURE_READS_CHANNELS,
                                                       .may_be_undefined = true,
                                                       .check = check,
                                                       .get_bound = get_bound,
                                                       .get_reach = get_reach,
                                                       .get_regions = get_regions,
                                                       .code = &shw_feature_code_attribute};
