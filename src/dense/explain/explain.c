#include "dense/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include <shadewood/dataset.h>
#include <shadewood/explain.h>
#include <shadewood/label.h>

#include "base/log.h"
#include "dense/channels/channels.h"
#include "dense/channels/fill.h"
#include "dense/feature/feature_code.h"
#include "dense/forest/forest.h"
#include "shared/rectangle.h"

#define BLOCK_BYTES (sizeof(uint32_t) * shw_integral_size(SHW_BLOCK_SIDE, SHW_BLOCK_SIDE))

enum shw_result shw_channel_reader_create_abi(uint32_t abi, const struct shw_channel_reader_params *params,
                                              struct shw_channel_reader **out)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(NULL, params);
    SHW_REFUSE_NULL(&params->log, out);

    struct shw_channel_reader *reader = calloc(1, sizeof *reader);
    char why[SHW_CHANNEL_WHY_SIZE];
    enum shw_result result = SHW_OK;

    *out = NULL;
    if (reader == NULL)
        return shw_fail_memory(&params->log, "a channel reader");
    reader->params = *params;
    if (!shw_fill_is_known(params->fill)) {
        result = shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "%d is not a value of shw_fill",
                          (int)params->fill);
        goto fail;
    }
    SHW_TRY(shw_channel_list_parse(params->channels, &params->kinds, &params->log, &reader->list));
    if (params->inputs == NULL) {
        result = shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "a channel reader needs inputs");
        goto fail;
    }
    if (!shw_posterior_check(&reader->list, params->below != NULL ? shw_forest_get_info(params->below)->class_count : 0,
                             why)) {
        result = shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "channels: %s", why);
        goto fail;
    }
    reader->params.below = reader->below = shw_forest_hold(params->below);
    reader->params.inputs = NULL;
    reader->params.channels = reader->list.name;
    reader->blocks = calloc(SHW_BLOCKS_MAX, sizeof *reader->blocks);
    if (reader->blocks == NULL || shw_thread_pool_create(params->threads, &reader->pool) != SHW_OK) {
        result = shw_fail_memory(&params->log, "a channel reader");
        goto fail;
    }
    SHW_TRY(shw_channel_reader_set_inputs(reader, params->inputs));
    *out = reader;
    return SHW_OK;

fail:
    shw_channel_reader_destroy(&reader);
    return result;
}

/* Labels the image by the level below. */
static enum shw_result ask_below(struct shw_channel_reader *reader, const struct shw_inputs *given,
                                 struct shw_posteriors *posteriors)
{
    const struct shw_labeller_params params = {.forest = reader->below,
                                               .outputs = SHW_OUTPUT_DISTRIBUTION,
                                               .channels = SHW_TECHNIQUE_CPU,
                                               .integrate = SHW_TECHNIQUE_CPU,
                                               .evaluate = SHW_TECHNIQUE_CPU,
                                               .fill = reader->params.fill,
                                               .threads = reader->params.threads,
                                               .log = reader->params.log};
    const struct shw_image *image = &shw_inputs_find(given, SHW_COLOUR)->image;
    const uint32_t classes = shw_forest_get_info(reader->below)->class_count;
    struct shw_input inputs[SHW_INPUTS_MAX];
    struct shw_inputs read = {0, inputs};
    uint16_t *distribution;
    const char *name;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0; (name = shw_forest_get_input(reader->below, i)) != NULL; i++)
        if (shw_inputs_find(given, name) != NULL)
            inputs[read.count++] = *shw_inputs_find(given, name);
    distribution = malloc((size_t)classes * image->width * image->height * sizeof *distribution);
    if (distribution == NULL)
        return shw_fail_memory(&reader->params.log, "what the level below says");
    if (reader->labeller == NULL)
        result = shw_labeller_create(&params, &reader->labeller);
    if (result == SHW_OK)
        result = shw_labeller_run(reader->labeller, &read, &(struct shw_labelling){.distribution = distribution});
    if (result == SHW_OK && shw_posteriors_make(distribution, classes,
                                                (struct shw_rect){0, 0, (int32_t)image->width, (int32_t)image->height},
                                                image->width, image->height, posteriors) != SHW_OK)
        result = shw_fail_memory(&reader->params.log, "what the level below says");
    free(distribution);
    return result;
}

/* Puts what the level below says among the inputs. */
static void choose_below(const struct shw_channel_reader *reader, struct shw_chosen_inputs *chosen)
{
    for (uint32_t p = 0; p < reader->posteriors.count; p++)
        for (uint32_t i = 0; i < reader->list.input_count; i++)
            if (strcmp(reader->list.inputs[i], reader->posteriors.inputs[p].name) == 0)
                chosen->of[i] = &reader->posteriors.inputs[p];
}

enum shw_result shw_channel_reader_set_inputs(struct shw_channel_reader *reader, const struct shw_inputs *inputs)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, inputs);

    struct shw_chosen_inputs chosen;
    struct shw_posteriors posteriors = {0};
    const struct shw_image *image;
    uint32_t columns, rows, *places;
    enum shw_result result;

    SHW_PROPAGATE(shw_inputs_choose(inputs, &reader->list, &reader->params.log, &chosen));
    image = &chosen.of[0]->image;
    columns = (image->width + SHW_BLOCK_SIDE - 1) / SHW_BLOCK_SIDE;
    rows = (image->height + SHW_BLOCK_SIDE - 1) / SHW_BLOCK_SIDE;
    places = calloc((size_t)reader->list.channel_count * columns * rows, sizeof *places);
    result = places != NULL ? SHW_OK : shw_fail_memory(&reader->params.log, "the channels of an image");
    if (result == SHW_OK && reader->below != NULL)
        result = ask_below(reader, inputs, &posteriors);
    if (result != SHW_OK) {
        free(places);
        return result;
    }
    shw_posteriors_free(&reader->posteriors);
    reader->posteriors = posteriors;
    choose_below(reader, &chosen);
    free(reader->places);
    reader->places = places;
    reader->image = *image;
    for (uint32_t i = 0; i < reader->list.input_count; i++) {
        const struct shw_input *input = chosen.of[chosen.of[i] != NULL ? i : 0];
        reader->others[i] = input->image;
        reader->depth[i] = shw_input_scaling(&reader->list, i, input);
    }
    reader->columns = columns;
    reader->rows = rows;
    for (uint32_t b = 0; b < SHW_BLOCKS_MAX; b++) {
        reader->blocks[b].place = SHW_NO_PLACE;
        reader->blocks[b].recent = false;
    }
    reader->next = 0;
    return SHW_OK;
}

void shw_channel_reader_destroy(struct shw_channel_reader **reader)
{
    if (reader == NULL || *reader == NULL)
        return;
    shw_labeller_destroy(&(*reader)->labeller);
    shw_posteriors_free(&(*reader)->posteriors);
    shw_forest_destroy(&(*reader)->below);
    shw_thread_pool_destroy(&(*reader)->pool);
    if ((*reader)->blocks != NULL)
        for (uint32_t b = 0; b < SHW_BLOCKS_MAX; b++)
            free((*reader)->blocks[b].integral);
    free((*reader)->blocks);
    free((*reader)->places);
    free(*reader);
    *reader = NULL;
}

static struct shw_channel_part part_of(const struct shw_channel_reader *reader, uint32_t channel, uint32_t count,
                                       struct shw_rect rect)
{
    struct shw_channel_part part = {&reader->list, channel, count, {.of = {&reader->image}}, rect, reader->params.fill};

    for (uint32_t i = 1; i < reader->list.input_count; i++) {
        part.images.of[i] = &reader->others[i];
        part.images.depth[i] = reader->depth[i];
    }
    return part;
}

static uint32_t place_of(const struct shw_channel_reader *reader, uint32_t channel, uint32_t column, uint32_t row)
{
    return (channel * reader->rows + row) * reader->columns + column;
}

static enum shw_result check_channel(const struct shw_channel_reader *reader, uint32_t channel)
{
    if (channel < reader->list.channel_count)
        return SHW_OK;
    return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT, "there is no channel %u: %s has 0 to %u",
                    channel, reader->list.name, reader->list.channel_count - 1);
}

/* Clock replacement: evicts the first block that was not read since the previous round. */
static struct shw_channel_block *give_up(struct shw_channel_reader *reader)
{
    struct shw_channel_block *block;

    for (;;) {
        block = &reader->blocks[reader->next];
        reader->next = (reader->next + 1) % SHW_BLOCKS_MAX;
        if (!block->recent)
            break;
        block->recent = false;
    }
    if (block->place != SHW_NO_PLACE)
        reader->places[block->place] = 0;
    block->place = SHW_NO_PLACE;
    if (block->integral == NULL)
        block->integral = malloc(BLOCK_BYTES);
    return block->integral != NULL ? block : NULL;
}

static struct shw_rect square(const struct shw_channel_reader *reader, uint32_t column, uint32_t row)
{
    uint32_t x = column * SHW_BLOCK_SIDE, y = row * SHW_BLOCK_SIDE;

    return (struct shw_rect){(int32_t)x, (int32_t)y,
                             shw_min((int32_t)(x + SHW_BLOCK_SIDE), (int32_t)reader->image.width),
                             shw_min((int32_t)(y + SHW_BLOCK_SIDE), (int32_t)reader->image.height)};
}

/* False if out of memory. */
static bool keep_block(struct shw_channel_reader *reader, uint32_t place, struct shw_rect rect, const int16_t *values)
{
    struct shw_channel_block *block = give_up(reader);

    if (block == NULL)
        return false;
    shw_integrate_cpu(values, (uint32_t)(rect.x1 - rect.x0), (uint32_t)(rect.y1 - rect.y0), 1, block->integral, NULL);
    block->place = place;
    block->recent = true;
    reader->places[place] = (uint32_t)(block - reader->blocks) + 1;
    return true;
}

/* Makes a block, and the other channels of the same square that are computed with it. False if out of memory. */
static bool make_blocks(struct shw_channel_reader *reader, uint32_t channel, uint32_t column, uint32_t row)
{
    struct shw_rect rect = square(reader, column, row);
    struct shw_channel_part part = part_of(reader, channel, 1, rect);
    size_t pixels = (size_t)(rect.x1 - rect.x0) * (size_t)(rect.y1 - rect.y0);
    int16_t *values;
    bool good;

    shw_channels_together(&reader->list, channel, &part.first, &part.count);
    values = malloc(part.count * pixels * sizeof *values);
    good = values != NULL && shw_channel_part_cpu(&part, values, NULL) == SHW_OK;
    for (uint32_t c = 0; c < part.count && good; c++) {
        uint32_t place = place_of(reader, part.first + c, column, row);
        good = reader->places[place] != 0 || keep_block(reader, place, rect, values + c * pixels);
    }
    free(values);
    return good;
}

/* NULL if out of memory. */
static const uint32_t *read_block(struct shw_channel_reader *reader, uint32_t channel, uint32_t column, uint32_t row)
{
    uint32_t place = place_of(reader, channel, column, row);
    struct shw_channel_block *block;

    if (reader->places[place] == 0 && !make_blocks(reader, channel, column, row))
        return NULL;
    block = &reader->blocks[reader->places[place] - 1];
    block->recent = true;
    return block->integral;
}

/* The sum over the part of the rectangle that lies in one block. */
static uint32_t block_sum(const uint32_t *integral, struct shw_rect block, struct shw_rect rect)
{
    size_t stride = (size_t)(block.x1 - block.x0) + 1;
    size_t left = (size_t)(shw_max(rect.x0, block.x0) - block.x0),
           right = (size_t)(shw_min(rect.x1, block.x1) - block.x0);
    const uint32_t *top = integral + (size_t)(shw_max(rect.y0, block.y0) - block.y0) * stride;
    const uint32_t *bottom = integral + (size_t)(shw_min(rect.y1, block.y1) - block.y0) * stride;

    return bottom[right] - bottom[left] - top[right] + top[left];
}

static enum shw_result check_rectangle(const struct shw_channel_reader *reader,
                                       const struct shw_image_rectangle *rectangle)
{
    if (rectangle->x0 < rectangle->x1 && rectangle->y0 < rectangle->y1 && rectangle->x1 <= reader->image.width &&
        rectangle->y1 <= reader->image.height)
        return SHW_OK;
    return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                    "the rectangle from (%u, %u) to (%u, %u) is empty or extends beyond the image of %u x %u",
                    rectangle->x0, rectangle->y0, rectangle->x1, rectangle->y1, reader->image.width,
                    reader->image.height);
}

enum shw_result shw_channel_reader_sum(struct shw_channel_reader *reader, uint32_t channel,
                                       const struct shw_image_rectangle *rectangle, int32_t *sum)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, rectangle);
    SHW_REFUSE_NULL(&reader->params.log, sum);

    struct shw_rect rect = {(int32_t)rectangle->x0, (int32_t)rectangle->y0, (int32_t)rectangle->x1,
                            (int32_t)rectangle->y1};
    uint32_t total = 0;

    SHW_PROPAGATE(check_channel(reader, channel));
    SHW_PROPAGATE(check_rectangle(reader, rectangle));
    for (uint32_t row = rectangle->y0 / SHW_BLOCK_SIDE; row * SHW_BLOCK_SIDE < rectangle->y1; row++)
        for (uint32_t column = rectangle->x0 / SHW_BLOCK_SIDE; column * SHW_BLOCK_SIDE < rectangle->x1; column++) {
            const uint32_t *integral = read_block(reader, channel, column, row);
            if (integral == NULL)
                return shw_fail_memory(&reader->params.log, "the channels of an image");
            total += block_sum(integral, square(reader, column, row), rect);
        }
    *sum = (int32_t)total;
    return SHW_OK;
}

enum shw_result shw_channel_reader_get_part(struct shw_channel_reader *reader, uint32_t channel,
                                            const struct shw_image_rectangle *rectangle, int16_t *values)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, rectangle);
    SHW_REFUSE_NULL(&reader->params.log, values);

    struct shw_channel_part part;

    SHW_PROPAGATE(check_channel(reader, channel));
    SHW_PROPAGATE(check_rectangle(reader, rectangle));
    part = part_of(reader, channel, 1,
                   (struct shw_rect){(int32_t)rectangle->x0, (int32_t)rectangle->y0, (int32_t)rectangle->x1,
                                     (int32_t)rectangle->y1});
    return shw_channel_part_cpu(&part, values, reader->pool) == SHW_OK
               ? SHW_OK
               : shw_fail_memory(&reader->params.log, "a channel of an image");
}

enum shw_result shw_channel_reader_get_channel(struct shw_channel_reader *reader, uint32_t channel, int16_t *values)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, values);

    const struct shw_image_rectangle whole = {0, 0, reader->image.width, reader->image.height};

    return shw_channel_reader_get_part(reader, channel, &whole, values);
}

enum shw_result shw_channel_reader_get_integral(struct shw_channel_reader *reader, uint32_t channel, uint32_t *values)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, values);

    int16_t *plane = malloc((size_t)reader->image.width * reader->image.height * sizeof *plane);
    enum shw_result result;

    if (plane == NULL)
        return shw_fail_memory(&reader->params.log, "a channel of an image");
    result = shw_channel_reader_get_channel(reader, channel, plane);
    if (result == SHW_OK)
        shw_integrate_cpu(plane, reader->image.width, reader->image.height, 1, values, reader->pool);
    free(plane);
    return result;
}

/* The path of one pixel through a forest, step by step, with the arithmetic that all techniques share. */

/* Integral values for a feature's code. Sums start at `corner` instead of the image's, so that a difference of sums
 * costs no more than the region between them; the differences are the same for any corner. */
struct source {
    struct shw_channel_reader *reader;
    struct shw_image_rectangle corner[SHW_CHANNELS_MAX]; /* x0, y0 */
    enum shw_result result;
};

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

static uint32_t read_integral(void *user, uint32_t channel, int32_t x, int32_t y)
{
    struct source *source = user;
    uint32_t x0 = source->corner[channel].x0, y0 = source->corner[channel].y0, x1 = (uint32_t)x, y1 = (uint32_t)y;
    struct shw_image_rectangle rectangle = {lesser(x0, x1), lesser(y0, y1), x0 ^ x1 ^ lesser(x0, x1),
                                            y0 ^ y1 ^ lesser(y0, y1)};
    int32_t sum = 0;

    if (x0 != x1 && y0 != y1 && source->result == SHW_OK)
        source->result = shw_channel_reader_sum(source->reader, channel, &rectangle, &sum);
    return (x1 < x0) != (y1 < y0) ? 0 - (uint32_t)sum : (uint32_t)sum;
}

static int32_t read_channel(void *user, uint32_t channel, int32_t x, int32_t y)
{
    struct source *source = user;
    struct shw_image_rectangle pixel = {(uint32_t)x, (uint32_t)y, (uint32_t)x + 1, (uint32_t)y + 1};
    int32_t value = 0;

    if (source->result == SHW_OK)
        source->result = shw_channel_reader_sum(source->reader, channel, &pixel, &value);
    return value;
}

/* Places the regions of a test, and chooses the corner at which its sums start. */
static void place_regions(struct shw_explained_test *test, uint32_t count, struct shw_rect image, uint32_t x,
                          uint32_t y, struct source *source)
{
    for (uint32_t c = 0; c < source->reader->list.channel_count; c++)
        source->corner[c] = (struct shw_image_rectangle){.x0 = x, .y0 = y};
    for (uint32_t i = 0; i < count; i++) {
        const struct shw_feature_region *region = &test->regions[i].region;
        struct shw_image_rectangle *rectangle = &test->regions[i].rectangle, *corner = &source->corner[region->channel];
        struct shw_rect rect = shw_rect_move(
            (struct shw_rect){region->rectangle.x0, region->rectangle.y0, region->rectangle.x1, region->rectangle.y1},
            (int32_t)x, (int32_t)y, image);
        *rectangle =
            (struct shw_image_rectangle){(uint32_t)rect.x0, (uint32_t)rect.y0, (uint32_t)rect.x1, (uint32_t)rect.y1};
        corner->x0 = i == 0 ? rectangle->x0 : lesser(corner->x0, rectangle->x0);
        corner->y0 = i == 0 ? rectangle->y0 : lesser(corner->y0, rectangle->y0);
    }
}

static enum shw_result list_regions(const struct shw_feature_type *type, const struct shw_feature *feature,
                                    struct shw_channel_reader *reader, uint32_t x, uint32_t y,
                                    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX], uint32_t *count)
{
    const struct shw_image_rectangle pixel = {x, y, x + 1, y + 1};
    int32_t depth = 0;

    if (type->get_regions_at != NULL)
        SHW_PROPAGATE(shw_channel_reader_sum(reader, 0, &pixel, &depth));
    *count = depth > 0 ? type->get_regions_at(feature, (uint32_t)depth, regions) : type->get_regions(feature, regions);
    return SHW_OK;
}

static enum shw_result look(const struct shw_feature_type *type, struct shw_channel_reader *reader, uint32_t x,
                            uint32_t y, struct shw_explained_test *test)
{
    const struct shw_feature *feature = &test->split.feature;
    struct shw_rect image = {0, 0, (int32_t)reader->image.width, (int32_t)reader->image.height};
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    struct source source = {.reader = reader};
    const struct shw_feature_source reads = {&source, read_integral, read_channel};
    struct shw_response response;

    SHW_PROPAGATE(list_regions(type, feature, reader, x, y, regions, &test->region_count));
    for (uint32_t i = 0; i < test->region_count; i++)
        test->regions[i].region = regions[i];
    place_regions(test, test->region_count, image, x, y, &source);
    for (uint32_t i = 0; i < test->region_count; i++) {
        struct shw_explained_region *region = &test->regions[i];
        SHW_PROPAGATE(shw_channel_reader_sum(reader, region->region.channel, &region->rectangle, &region->sum));
        response = type->code->look(&region->region.alone, &reads, (int32_t)x, (int32_t)y, image);
        region->undefined = response.undefined != 0;
        region->value = region->undefined ? 0 : response.value;
    }
    response = type->code->look(feature, &reads, (int32_t)x, (int32_t)y, image);
    test->undefined = response.undefined != 0;
    test->response = test->undefined ? 0 : response.value;
    test->right = test->undefined || (test->split.t0 <= test->response && test->response < test->split.t1);
    return source.result;
}

static enum shw_result descend(const struct shw_forest *forest, uint32_t tree, struct shw_channel_reader *reader,
                               uint32_t x, uint32_t y, struct shw_explained_test *tests,
                               struct shw_explained_tree *explained)
{
    struct shw_node node = shw_forest_get_node(forest, tree, 0);

    explained->tests = tests;
    for (; node.is_split; explained->test_count++) {
        struct shw_explained_test *test = &tests[explained->test_count];
        test->node = explained->node;
        test->split = node;
        SHW_PROPAGATE(look(shw_forest_get_info(forest)->feature, reader, x, y, test));
        explained->node = node.left + test->right;
        node = shw_forest_get_node(forest, tree, explained->node);
    }
    explained->leaf = node.leaf;
    explained->distribution = shw_forest_get_distribution(forest, tree, node.leaf);
    return SHW_OK;
}

static enum shw_result find_void(const struct shw_feature_type *type, struct shw_channel_reader *reader, uint32_t x,
                                 uint32_t y, bool *is_void)
{
    const struct shw_image_rectangle pixel = {x, y, x + 1, y + 1};
    int32_t depth = 1;

    if (type->reads_depth && !type->labels_all)
        SHW_PROPAGATE(shw_channel_reader_sum(reader, 0, &pixel, &depth));
    *is_void = depth == 0;
    return SHW_OK;
}

/* The pixel reaches no leaf: there are no tests, and the distributions are zero. */
static void leave_void(struct shw_explanation *explanation, struct shw_explained_tree *trees)
{
    explanation->argmax = SHW_LABEL_VOID;
    for (uint32_t t = 0; t < explanation->tree_count; t++)
        trees[t] = (struct shw_explained_tree){.leaf = SHW_LEAF_NONE, .distribution = explanation->distribution};
}

static void combine(const struct shw_forest *forest, struct shw_explanation *explanation, uint32_t *sums,
                    uint16_t *distribution)
{
    for (uint32_t c = 0; c < explanation->class_count; c++) {
        for (uint32_t t = 0; t < explanation->tree_count; t++)
            sums[c] += shw_forest_get_values(forest, t, explanation->trees[t].leaf)[c];
        distribution[c] = (uint16_t)((2 * sums[c] + explanation->tree_count) / (2 * explanation->tree_count));
        if (sums[c] > sums[explanation->argmax])
            explanation->argmax = c;
    }
}

enum shw_result shw_explain(const struct shw_forest *forest, struct shw_channel_reader *reader, uint32_t x, uint32_t y,
                            struct shw_explanation **out)
{
    SHW_REFUSE_NULL(NULL, reader);
    SHW_REFUSE_NULL(&reader->params.log, forest);
    SHW_REFUSE_NULL(&reader->params.log, out);

    const struct shw_forest_info *info = shw_forest_get_info(forest);
    size_t test_count = 0, trees_at, tests_at, sums_at, distribution_at, size;
    struct shw_explanation *explanation;
    struct shw_explained_tree *trees;
    struct shw_explained_test *tests;
    bool is_void;
    enum shw_result result = SHW_OK;

    *out = NULL;
    if (info->below != reader->below && (info->below == NULL || reader->below == NULL ||
                                         shw_forest_hash(info->below) != shw_forest_hash(reader->below)))
        return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "the level below the forest is not that of the reader");
    if (!shw_channel_lists_equal(info->channel_list, &reader->list) ||
        shw_filling_of(info->fill)->make != shw_filling_of(reader->params.fill)->make || x >= reader->image.width ||
        y >= reader->image.height)
        return shw_fail(&reader->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "to explain (%u, %u), it must lie in the image of %u x %u, and the forest must use the "
                        "reader's channels, %s, and fill depth as it does: %s",
                        x, y, reader->image.width, reader->image.height, reader->list.name,
                        shw_filling_of(reader->params.fill)->name);
    for (uint32_t t = 0; t < info->tree_count; t++)
        test_count += shw_forest_get_tree(forest, t).depth;
    /* members in order of alignment */
    trees_at = sizeof *explanation;
    tests_at = trees_at + info->tree_count * sizeof *trees;
    sums_at = tests_at + test_count * sizeof *tests;
    distribution_at = sums_at + info->class_count * sizeof(uint32_t);
    size = distribution_at + info->class_count * sizeof(uint16_t);
    explanation = calloc(1, size);
    if (explanation == NULL)
        return shw_fail_memory(&reader->params.log, "an explanation");
    trees = (struct shw_explained_tree *)(void *)((char *)explanation + trees_at);
    tests = (struct shw_explained_test *)(void *)((char *)explanation + tests_at);
    *explanation =
        (struct shw_explanation){.x = x,
                                 .y = y,
                                 .tree_count = info->tree_count,
                                 .class_count = info->class_count,
                                 .trees = trees,
                                 .sums = (const uint32_t *)(void *)((char *)explanation + sums_at),
                                 .distribution = (const uint16_t *)(void *)((char *)explanation + distribution_at)};
    SHW_TRY(find_void(info->feature, reader, x, y, &is_void));
    if (is_void)
        leave_void(explanation, trees);
    for (uint32_t t = 0; t < info->tree_count && !is_void; t++, tests += shw_forest_get_tree(forest, t - 1).depth)
        SHW_TRY(descend(forest, t, reader, x, y, tests, &trees[t]));
    if (!is_void)
        combine(forest, explanation, (uint32_t *)(void *)((char *)explanation + sums_at),
                (uint16_t *)(void *)((char *)explanation + distribution_at));
    *out = explanation;
    return SHW_OK;

fail:
    free(explanation);
    return result;
}

void shw_explanation_free(struct shw_explanation **explanation)
{
    if (explanation == NULL)
        return;
    free(*explanation);
    *explanation = NULL;
}
