#include "dense/channels/filter_bank.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "dense/channels/channel_maker.h"

/* The kernels; docs/channels.md derives them. */

static const int16_t gauss_1[] = {73, 885, 3966, 6536, 3966, 885, 73};
static const int16_t gauss_2[] = {36, 144, 443, 1062, 1984, 2887, 3272, 2887, 1984, 1062, 443, 144, 36};
static const int16_t gauss_4[] = {18,   37,   72,   130, 222, 354, 531, 749, 993, 1236, 1445, 1587, 1636,
                                  1587, 1445, 1236, 993, 749, 531, 354, 222, 130, 72,   37,   18};
static const int16_t gauss_8[] = {9,   13,  19,  26,  36,  49,  65,  86,  111, 141, 177, 219, 266, 318, 375, 435, 497,
                                  558, 618, 674, 723, 763, 794, 812, 816, 812, 794, 763, 723, 674, 618, 558, 497, 435,
                                  375, 318, 266, 219, 177, 141, 111, 86,  65,  49,  36,  26,  19,  13,  9};
static const int16_t second_1[] = {581, 2658, 16, -6510, 16, 2658, 581};
static const int16_t second_2[] = {291, 756, 1334, 1341, 24, -2130, -3232, -2130, 24, 1341, 1334, 756, 291};
static const int16_t second_4[] = {146,   246,   379,  531, 669, 737, 674, 435, 18,  -518, -1057, -1458, -1604,
                                   -1458, -1057, -518, 18,  435, 674, 737, 669, 531, 379,  246,   146};
static const int16_t second_8[] = {73,   96,   123,  154,  190,  228,  266,  303,  335,  358,  369,  364,  338,
                                   290,  219,  125,  11,   -118, -257, -395, -526, -639, -726, -782, -798, -782,
                                   -726, -639, -526, -395, -257, -118, 11,   125,  219,  290,  338,  364,  369,
                                   358,  335,  303,  266,  228,  190,  154,  123,  96,   73};
static const int16_t first_1[] = {-600, -4870, -10914, 0, 10914, 4870, 600};
static const int16_t first_2[] = {-280, -924, -2276, -4095, -5099, -3710, 0, 3710, 5099, 4095, 2276, 924, 280};
static const int16_t first_4[] = {-138, -260, -456, -743, -1123, -1570, -2020, -2374, -2516, -2349, -1830, -1005, 0,
                                  1005, 1830, 2349, 2516, 2374,  2020,  1570,  1123,  743,   456,   260,   138};
static const int16_t first_8[] = {-69,   -95,   -130,  -173,  -227,  -293,  -370,  -460, -560, -669, -783, -898, -1008,
                                  -1106, -1184, -1237, -1257, -1235, -1172, -1064, -913, -723, -501, -257, 0,    257,
                                  501,   723,   913,   1064,  1172,  1235,  1257,  1237, 1184, 1106, 1008, 898,  783,
                                  669,   560,   460,   370,   293,   227,   173,   130,  95,   69};

const struct shw_filter_kernel shw_filter_kernels[SHW_KERNEL_COUNT] = {
    [SHW_KERNEL_GAUSS_1] = {3, gauss_1},    [SHW_KERNEL_GAUSS_2] = {6, gauss_2},
    [SHW_KERNEL_GAUSS_4] = {12, gauss_4},   [SHW_KERNEL_GAUSS_8] = {24, gauss_8},
    [SHW_KERNEL_SECOND_1] = {3, second_1},  [SHW_KERNEL_SECOND_2] = {6, second_2},
    [SHW_KERNEL_SECOND_4] = {12, second_4}, [SHW_KERNEL_SECOND_8] = {24, second_8},
    [SHW_KERNEL_FIRST_1] = {3, first_1},    [SHW_KERNEL_FIRST_2] = {6, first_2},
    [SHW_KERNEL_FIRST_4] = {12, first_4},   [SHW_KERNEL_FIRST_8] = {24, first_8},
};

/* The filters of a list. */

/* sigma = 2^scale */
static uint32_t scale_of(uint32_t sigma)
{
    return sigma == 1 ? 0 : 1 + scale_of(sigma / 2);
}

static uint8_t kernel_of(enum shw_kernel family, uint32_t sigma)
{
    return (uint8_t)((uint32_t)family + scale_of(sigma));
}

/* Sorts rows by scale, and within a scale Gaussians first, so that filters of one pass are adjacent. */
static bool comes_before(struct shw_row_filter a, struct shw_row_filter b)
{
    uint32_t scale_a = a.kernel % SHW_KERNEL_SCALES, scale_b = b.kernel % SHW_KERNEL_SCALES;

    if (scale_a != scale_b)
        return scale_a < scale_b;
    return a.kernel != b.kernel ? a.kernel < b.kernel : a.base < b.base;
}

static void add_row(struct shw_filter_bank *bank, struct shw_row_filter row)
{
    uint32_t at = 0;

    while (at < bank->row_count && comes_before(bank->rows[at], row))
        at++;
    if (at < bank->row_count && !comes_before(row, bank->rows[at]))
        return;
    memmove(&bank->rows[at + 1], &bank->rows[at], (bank->row_count - at) * sizeof row);
    bank->rows[at] = row;
    bank->row_count++;
}

static uint8_t find_row(const struct shw_filter_bank *bank, struct shw_row_filter row)
{
    uint8_t i = 0;

    while (comes_before(bank->rows[i], row))
        i++;
    return i;
}

/* The column filter with these terms; adds it if there is none. */
static struct shw_column_filter *find_column(struct shw_filter_bank *bank, const struct shw_column_filter *column)
{
    struct shw_column_filter *found = bank->columns;

    while (found < bank->columns + bank->column_count &&
           (found->term_count != column->term_count || memcmp(found->terms, column->terms, sizeof column->terms) != 0))
        found++;
    if (found == bank->columns + bank->column_count)
        bank->columns[bank->column_count++] = *column;
    return found;
}

static void add_channel(struct shw_filter_bank *bank, const struct shw_filter *filter, uint32_t sigma, uint32_t base,
                        uint32_t output)
{
    struct shw_column_filter column = {
        .term_count = (uint8_t)filter->term_count, .output = SHW_NO_OUTPUT, .magnitude = SHW_NO_OUTPUT};

    for (uint32_t t = 0; t < filter->term_count; t++) {
        const struct shw_row_filter row = {(uint8_t)base, kernel_of(filter->terms[t].row, sigma)};
        column.terms[t].row = find_row(bank, row);
        column.terms[t].kernel = kernel_of(filter->terms[t].column, sigma);
    }
    *(filter->is_magnitude ? &find_column(bank, &column)->magnitude : &find_column(bank, &column)->output) = output;
}

/* The base plane that a filter reads of an input: one of the colour image's, or that of a plane, which is added. */
static uint8_t base_of(struct shw_filter_bank *bank, uint32_t input, enum shw_base_plane base)
{
    uint32_t number = 0;

    if (input == 0) {
        bank->reads_colour = true;
        return (uint8_t)base;
    }
    while (number < bank->plane_count && bank->planes[number] != input)
        number++;
    if (number == bank->plane_count)
        bank->planes[bank->plane_count++] = input;
    return (uint8_t)(SHW_BASE_COUNT + number);
}

static const struct shw_filter *filter_of(const struct shw_channel_entry *entry)
{
    return shw_channel_maker_of(entry->kind) == &shw_filter_bank_maker ? entry->kind->user : NULL;
}

void shw_filter_bank_make(const struct shw_channel_list *list, uint32_t first, uint32_t count,
                          struct shw_filter_bank *bank)
{
    *bank = (struct shw_filter_bank){.row_count = 0};
    for (uint32_t pass = 0; pass < 2; pass++) /* row indices must be final before columns refer to them */
        for (uint32_t c = first; c < first + count; c++) {
            const struct shw_channel_entry *entry = shw_channel_entry_of(list, c);
            const struct shw_filter *filter = filter_of(entry);
            if (filter == NULL)
                continue;
            uint8_t base = base_of(bank, entry->source, filter->planes[c - entry->first]);
            for (uint32_t t = 0; t < filter->term_count && pass == 0; t++)
                add_row(bank, (struct shw_row_filter){base, kernel_of(filter->terms[t].row, entry->parameter)});
            if (pass == 1)
                add_channel(bank, filter, entry->parameter, base, c - first);
        }
}

extern const struct shw_channel_code shw_channel_code_base, shw_channel_code_plane;

/* Compute shaders read four weights at a time. */
static uint32_t padded(uint32_t kernel)
{
    return (2 * shw_filter_kernels[kernel].radius + 1 + 3) & ~3u;
}

uint32_t shw_filter_weights_offset(enum shw_kernel kernel)
{
    uint32_t offset = 0;

    for (uint32_t i = 0; i < kernel; i++)
        offset += padded(i);
    return offset;
}

/* The weights of all kernels as 32-bit integers, one kernel after the other, each padded. */
static void write_weights(int32_t *weight)
{
    assert(shw_filter_weights_offset(SHW_KERNEL_COUNT) <= SHW_FILTER_WEIGHTS_MAX);
    memset(weight, 0, SHW_FILTER_WEIGHTS_MAX * sizeof *weight);
    for (uint32_t i = 0; i < SHW_KERNEL_COUNT; weight += padded(i++))
        for (uint32_t tap = 0; tap <= 2 * shw_filter_kernels[i].radius; tap++)
            weight[tap] = shw_filter_kernels[i].weights[tap];
}

static enum shw_result add_planes(struct shw_arena *arena, enum shw_planes_form form,
                                  struct shw_filter_bank_planes *planes)
{
    uint32_t width = planes->outputs[0].width, height = planes->outputs[0].height;

    planes->base = calloc(planes->slots, sizeof *planes->base);
    planes->intermediate = calloc(planes->slots, sizeof *planes->intermediate);
    if (planes->base == NULL || planes->intermediate == NULL)
        return shw_fail_memory(&arena->device->log, "the filter bank");
    SHW_PROPAGATE(shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, width, height,
                                         SHW_BASE_COUNT + planes->bank.plane_count, form, "base planes", planes->sets,
                                         planes->base));
    return shw_planes_add_scratch(arena, VK_FORMAT_R16_SINT, width, height, planes->bank.row_count, form,
                                  "filtered rows", planes->sets, planes->intermediate);
}

/* Adds what makes base planes. */
static enum shw_result add_sources(struct shw_arena *arena, const struct shw_channel_outputs *outputs,
                                   struct shw_filter_bank_planes *planes)
{
    static const struct shw_channel_kind colour = {.code = &shw_channel_code_base};
    static const struct shw_channel_kind plane = {.code = &shw_channel_code_plane};
    const struct shw_filter_bank *bank = &planes->bank;
    uint32_t count = bank->plane_count + bank->reads_colour;

    planes->sources = calloc(count, sizeof *planes->sources);
    if (planes->sources == NULL)
        return shw_fail_memory(&arena->device->log, "the filter bank");
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_channel_entry entry = {.kind = i < bank->plane_count ? &plane : &colour,
                                                .source = i < bank->plane_count ? bank->planes[i] : 0,
                                                .first = i < bank->plane_count ? SHW_BASE_COUNT + i : 0};
        SHW_PROPAGATE(shw_code_step_add(arena, &entry, planes->base, outputs->slots, outputs->form,
                                        &planes->sources[planes->source_count++]));
    }
    return SHW_OK;
}

enum shw_result shw_filter_bank_planes_add(struct shw_arena *arena, const struct shw_channel_list *list,
                                           const struct shw_channel_outputs *outputs,
                                           struct shw_filter_bank_planes *planes)
{
    planes->outputs = outputs->planes;
    planes->slots = outputs->slots;
    planes->sets = outputs->sets;
    shw_filter_bank_make(list, 0, list->channel_count, &planes->bank);
    SHW_PROPAGATE(add_planes(arena, outputs->form, planes));
    SHW_PROPAGATE(add_sources(arena, outputs, planes));
    return shw_arena_add_buffer(arena, shw_span_always, SHW_FILTER_WEIGHTS_MAX * sizeof(int32_t),
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT,
                                SHW_MEMORY_TABLE, "filter weights", &planes->weights);
}

enum shw_result shw_filter_bank_planes_create(struct shw_device *device, struct shw_filter_bank_planes *planes)
{
    shw_planes_share(planes->base, planes->slots, planes->sets);
    shw_planes_share(planes->intermediate, planes->slots, planes->sets);
    write_weights(planes->weights.mapped);
    for (uint32_t i = 0; i < planes->source_count; i++)
        SHW_PROPAGATE(shw_code_step_create(device, &planes->sources[i]));
    return SHW_OK;
}

void shw_filter_bank_planes_bind(void *instance, struct shw_device *device, uint32_t slot, const VkImageView *views)
{
    const struct shw_filter_bank_planes *planes = instance;

    for (uint32_t i = 0; i < planes->source_count; i++)
        shw_code_step_bind(&planes->sources[i], device, slot, views);
}

void shw_filter_bank_planes_record(const struct shw_filter_bank_planes *planes, struct shw_recording *recording,
                                   uint32_t slot, const struct shw_channel_source *sources,
                                   const struct shw_region *region)
{
    for (uint32_t i = 0; i < planes->source_count; i++)
        shw_code_step_record(&planes->sources[i], recording, slot, sources, region);
}

void shw_filter_bank_planes_destroy(struct shw_device *device, struct shw_filter_bank_planes *planes)
{
    for (uint32_t i = 0; i < planes->source_count; i++)
        shw_code_step_destroy(device, &planes->sources[i]);
    free(planes->sources);
    free(planes->base);
    free(planes->intermediate);
}
