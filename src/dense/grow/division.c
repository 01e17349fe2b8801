#include "dense/grow/division.h"

#include <stdlib.h>
#include <string.h>

#include "base/integers.h"
#include "base/log.h"
#include "dense/grow/fern.h"
#include "dense/grow/splitting.h"
#include "dense/grow/trainer.h"

/* The histograms of a block, as far as one candidate per worker has fewer: they are in memory twice while they are
 * exchanged. */
#define BLOCK_BYTES_MAX ((uint64_t)64 << 20)
#define BLOCK_BYTES_MIN ((uint64_t)1 << 20)
#define BLOCK_SHARE     16u /* of the memory that training may use */

/* Exchanging. */

static uint32_t worker_count(const struct shw_trainer *trainer)
{
    return trainer->params.exchange->worker_count;
}

static enum shw_result gather(const struct shw_trainer *trainer, const void *mine, size_t words, void *all)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;

    return exchange->gather(exchange->user, mine, words, all);
}

static enum shw_result fail_memory(const struct shw_trainer *trainer)
{
    return shw_fail_memory(&trainer->params.log, "what workers exchange");
}

enum shw_result shw_division_sum(const struct shw_trainer *trainer, const uint32_t *mine, size_t count, uint32_t *all,
                                 uint32_t *before)
{
    const uint32_t workers = worker_count(trainer);
    uint32_t *words = malloc(workers * count * sizeof *words);
    enum shw_result result;

    if (words == NULL)
        return fail_memory(trainer);
    SHW_TRY(gather(trainer, mine, count, words));
    memset(all, 0, count * sizeof *all);
    if (before != NULL)
        memset(before, 0, count * sizeof *before);
    for (uint32_t w = 0; w < workers; w++)
        for (size_t i = 0; i < count; i++) {
            all[i] += words[w * count + i];
            if (before != NULL && w < trainer->params.exchange->worker)
                before[i] += words[w * count + i];
        }

fail:
    free(words);
    return result;
}

/* Replaces each value by the greatest that a worker has in its place: each worker compares a part of them. `values` has
 * room for as many as are divisible by the number of workers. */
static enum shw_result take_greatest(const struct shw_trainer *trainer, int32_t *values, size_t count)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;
    const size_t workers = worker_count(trainer), part = (count + workers - 1) / workers;
    int32_t *parts = malloc(workers * part * sizeof *parts);
    enum shw_result result;

    if (parts == NULL)
        return fail_memory(trainer);
    SHW_TRY(exchange->scatter(exchange->user, (const uint32_t *)values, part, (uint32_t *)parts));
    for (size_t w = 1; w < workers; w++)
        for (size_t i = 0; i < part; i++)
            parts[i] = parts[i] < parts[w * part + i] ? parts[w * part + i] : parts[i];
    SHW_TRY(gather(trainer, parts, part, values));

fail:
    free(parts);
    return result;
}

/* What all workers know of all images. */

/* Of a worker, before it sends more. */
struct summary {
    uint32_t images, whole; /* its own, and all */
    uint32_t classes;
    uint32_t entries; /* of class lists */
    uint32_t block_kibibytes;
};

#define IMAGE_WORDS (sizeof(struct shw_train_image) / sizeof(uint32_t))
_Static_assert(sizeof(struct shw_train_image) % sizeof(uint32_t) == 0, "images are sent as words");

/* The words that a worker sends about its images: pixels by class, then the images, then the entries of each one's
 * class list and their number. All workers send as many, those of the one that needs most. */
static size_t count_words(const struct shw_trainer *trainer, uint32_t images, uint32_t entries)
{
    return 2 * (size_t)trainer->dataset->class_count + images * (IMAGE_WORDS + 1) + 2 * (size_t)entries;
}

static void write_facts(const struct shw_trainer *trainer, uint32_t *words)
{
    const struct shw_train_images *images = &trainer->images;

    memcpy(words, images->class_pixels, trainer->dataset->class_count * sizeof *images->class_pixels);
    words += 2 * (size_t)trainer->dataset->class_count;
    memcpy(words, images->images, images->base_count * sizeof *images->images);
    words += images->base_count * IMAGE_WORDS;
    for (uint32_t i = 0; images->class_lists != NULL && i < images->base_count; i++) {
        const struct shw_class_list *list = &images->class_lists[i];
        *words++ = list->count;
        memcpy(words, list->entries, list->count * sizeof *list->entries);
        words += 2 * (size_t)list->count;
    }
}

static bool read_lists(const uint32_t *words, uint32_t count, struct shw_class_list *lists)
{
    for (uint32_t i = 0; i < count; i++) {
        lists[i].count = *words++;
        lists[i].entries = malloc((lists[i].count + 1) * sizeof *lists[i].entries);
        if (lists[i].entries == NULL)
            return false;
        memcpy(lists[i].entries, words, lists[i].count * sizeof *lists[i].entries);
        words += 2 * (size_t)lists[i].count;
    }
    return true;
}

/* Adds what a worker has sent about its images, from number `first` on. False if out of memory. */
static bool read_facts(const struct shw_trainer *trainer, const uint32_t *words, uint32_t first, uint32_t count)
{
    struct shw_train_images *whole = &trainer->division->whole;
    uint64_t pixels;

    for (uint32_t c = 0; c < trainer->dataset->class_count; c++, words += 2) {
        memcpy(&pixels, words, sizeof pixels);
        whole->class_pixels[c] += pixels;
    }
    memcpy(whole->images + first, words, count * sizeof *whole->images);
    for (uint32_t i = first; i < first + count; i++) {
        whole->images[i].picture = i;
        whole->images[i].planes = SHW_NO_PLANES;
        whole->pictures[i] = (struct shw_train_picture){i, i + 1, whole->images[i].labelled_count};
    }
    return whole->class_lists == NULL || read_lists(words + count * IMAGE_WORDS, count, whole->class_lists + first);
}

/* Room for the facts. */
static enum shw_result make_whole(struct shw_trainer *trainer)
{
    struct shw_division *division = trainer->division;
    const struct shw_train_images *mine = &trainer->images;
    const uint32_t count = division->set.part.whole;

    shw_train_images_free(&division->whole);
    division->whole = (struct shw_train_images){
        .images = calloc(count, sizeof *mine->images),
        .count = count * (mine->count / mine->base_count),
        .base_count = count,
        .paired = mine->paired,
        .pictures = calloc(count, sizeof *mine->pictures),
        .picture_count = count,
        .class_pixels = calloc(trainer->dataset->class_count, sizeof *mine->class_pixels),
        .class_lists = mine->class_lists != NULL ? calloc(count, sizeof *mine->class_lists) : NULL,
        .reads = mine->reads,
        .channels = mine->channels,
    };
    return division->whole.images != NULL && division->whole.pictures != NULL && division->whole.class_pixels != NULL &&
                   (mine->class_lists == NULL || division->whole.class_lists != NULL)
               ? SHW_OK
               : fail_memory(trainer);
}

static enum shw_result take_facts(struct shw_trainer *trainer, const struct summary *summaries)
{
    const uint32_t workers = worker_count(trainer);
    uint32_t images = 0, entries = 0, first = 0, *all;
    size_t words;
    enum shw_result result;

    for (uint32_t w = 0; w < workers; w++) {
        images = shw_max_u32(images, summaries[w].images);
        entries = shw_max_u32(entries, summaries[w].entries);
    }
    words = count_words(trainer, images, entries);
    all = calloc((workers + 1) * words, sizeof *all);
    if (all == NULL)
        return fail_memory(trainer);
    write_facts(trainer, all + workers * words);
    SHW_TRY(gather(trainer, all + workers * words, words, all));
    for (uint32_t w = 0; w < workers && result == SHW_OK; first += summaries[w++].images)
        if (!read_facts(trainer, all + w * words, first, summaries[w].images))
            result = fail_memory(trainer);

fail:
    free(all);
    return result;
}

/* Whether all workers divide as many images, with as many classes. */
static bool are_alike(const struct shw_trainer *trainer, const struct summary *summaries)
{
    bool alike = true;

    for (uint32_t w = 1; w < worker_count(trainer); w++)
        alike = alike && summaries[w].whole == summaries[0].whole && summaries[w].classes == summaries[0].classes;
    return alike;
}

enum shw_result shw_division_measure(struct shw_trainer *trainer)
{
    struct shw_division *division = trainer->division;
    const uint32_t workers = worker_count(trainer);
    uint64_t block = BLOCK_BYTES_MAX;
    struct summary *summaries = malloc(workers * sizeof *summaries), mine = {.images = trainer->images.base_count,
                                                                             .whole = division->set.part.whole,
                                                                             .classes = trainer->dataset->class_count};
    enum shw_result result;

    if (trainer->params.memory > 0 && trainer->params.memory / BLOCK_SHARE < block)
        block = shw_max_u64(trainer->params.memory / BLOCK_SHARE, BLOCK_BYTES_MIN);
    mine.block_kibibytes = (uint32_t)(block >> 10);
    for (uint32_t i = 0; trainer->images.class_lists != NULL && i < trainer->images.base_count; i++)
        mine.entries += trainer->images.class_lists[i].count;
    SHW_TRY(summaries != NULL ? make_whole(trainer) : fail_memory(trainer));
    SHW_TRY(gather(trainer, &mine, sizeof mine / sizeof(uint32_t), summaries));
    if (!are_alike(trainer, summaries))
        SHW_TRY(shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER,
                         "workers that divide the images have other training sets: give all the same one"));
    for (uint32_t w = 0; w < workers; w++)
        block = shw_min_u64(block, (uint64_t)summaries[w].block_kibibytes << 10);
    division->block_words = block / sizeof(uint32_t);
    SHW_TRY(take_facts(trainer, summaries));

fail:
    free(summaries);
    return result;
}

/* The histograms that the back end counts. */

static enum shw_result take_histograms(void *user, const struct shw_splitter_round *round,
                                       const struct shw_splitter_piece *pieces, uint32_t piece_count)
{
    struct shw_division *division = user;
    const uint32_t bins = round->bin_count + round->undefined_bins;

    for (uint32_t p = 0; p < piece_count; p++) {
        const struct shw_splitter_piece *piece = &pieces[p];
        const size_t words = (size_t)bins * round->nodes[piece->node].class_count;
        for (uint32_t c = 0; c < piece->candidate_count; c++)
            memcpy(division->histograms + (piece->candidate_begin + c) * division->words +
                       division->offsets[piece->node],
                   piece->histogram + c * words, words * sizeof *division->histograms);
    }
    return SHW_OK;
}

enum shw_result shw_division_create(struct shw_trainer *trainer, const struct shw_dataset **dataset)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;
    struct shw_division *division = calloc(1, sizeof *division);

    trainer->division = division;
    if (division == NULL)
        return shw_fail_memory(&trainer->params.log, "a trainer");
    shw_part_set_make(*dataset, shw_image_part_of((*dataset)->count, exchange->worker, exchange->worker_count),
                      &division->set);
    division->splitter =
        (struct shw_splitter){.name = "images by worker", .user = division, .histograms = take_histograms};
    *dataset = &division->set.dataset;
    return SHW_OK;
}

/* Makes room for so many words, whose contents are lost. False if out of memory. */
static bool keep_room(uint32_t **words, size_t *capacity, size_t count)
{
    if (count <= *capacity)
        return true;
    free(*words);
    *words = malloc(count * sizeof **words);
    *capacity = *words != NULL ? count : 0;
    return *words != NULL;
}

static void free_round(struct shw_division *division)
{
    free(division->values);
    free(division->splits);
    free(division->offsets);
    division->values = NULL;
    division->splits = NULL;
    division->offsets = NULL;
}

void shw_division_end(struct shw_trainer *trainer)
{
    if (trainer->division != NULL)
        free_round(trainer->division);
}

void shw_division_destroy(struct shw_division **handle)
{
    struct shw_division *division = *handle;

    if (division == NULL)
        return;
    free_round(division);
    free(division->histograms);
    free(division->parts);
    shw_train_images_free(&division->whole);
    free(division);
    *handle = NULL;
}

/* Blocks of candidates. */

/* Nodes that have thresholds of their own. */
static uint32_t threshold_nodes(const struct shw_trainer *trainer)
{
    return trainer->params.ferns ? 1 : trainer->builder.open_count;
}

int32_t *shw_division_values(const struct shw_trainer *trainer, uint32_t open, uint32_t n)
{
    const size_t each = shw_threshold_values(&trainer->params);

    return trainer->division->values + ((trainer->params.ferns ? 0 : open) * each + n) * trainer->candidate_count;
}

/* Begins the block from candidate `begin` on. */
static enum shw_result begin_block(struct shw_trainer *trainer, uint32_t begin)
{
    struct shw_division *division = trainer->division;
    const uint32_t workers = worker_count(trainer), left = trainer->round_candidates - begin;
    const uint64_t room = division->block_words / (division->words * workers);
    const uint32_t each = shw_threshold_values(&trainer->params), nodes = threshold_nodes(trainer);
    size_t values, words;

    division->share = (uint32_t)shw_min_u64(shw_max_u64(room, 1), (left + workers - 1) / workers);
    trainer->candidate_begin = begin;
    trainer->candidate_count = shw_min_u32(left, division->share * workers);
    values = (size_t)nodes * each * trainer->candidate_count;
    words = (size_t)division->share * workers * division->words;
    division->shared = false;
    division->values = malloc((values + workers) * sizeof *division->values);
    if (division->values == NULL || !keep_room(&division->histograms, &division->histogram_capacity, words) ||
        !keep_room(&division->parts, &division->part_capacity, words))
        return shw_fail_memory(&trainer->params.log, "the histograms of workers that divide images");
    memset(division->histograms, 0, words * sizeof *division->histograms);
    for (uint32_t o = 0; o < nodes; o++)
        for (uint32_t n = 0; n < each; n++)
            for (uint32_t c = 0; c < trainer->candidate_count; c++)
                shw_division_values(trainer, o, n)[c] = shw_threshold_neutral(&trainer->params, n);
    for (size_t i = values; i < values + workers; i++)
        division->values[i] = 0;
    return SHW_OK;
}

enum shw_result shw_division_begin(struct shw_trainer *trainer)
{
    struct shw_division *division = trainer->division;
    const struct shw_tree_builder *builder = &trainer->builder;
    const size_t classes = trainer->dataset->class_count, bins = shw_histogram_bins(&trainer->params);

    shw_division_end(trainer);
    division->splits = calloc(builder->open_count, sizeof *division->splits);
    division->offsets = malloc(builder->open_count * sizeof *division->offsets);
    if (division->splits == NULL || division->offsets == NULL)
        return shw_fail_memory(&trainer->params.log, "a training round");
    division->words = 0;
    for (uint32_t o = 0; o < builder->open_count; o++) {
        division->offsets[o] = division->words;
        for (size_t c = 0; c < classes; c++)
            division->words += bins * (builder->open_counts[o * classes + c] > 0);
    }
    return begin_block(trainer, 0);
}

/* The least of the responses becomes the greatest if all are turned around, without a difference: ~ maps the whole
 * range of numbers onto itself. */
static void turn_least(const struct shw_trainer *trainer)
{
    const uint32_t nodes = threshold_nodes(trainer);

    for (uint32_t o = 0; o < nodes && trainer->params.thresholds == SHW_THRESHOLDS_BEST; o++)
        for (uint32_t c = 0; c < trainer->candidate_count; c++) {
            int32_t *value = shw_division_values(trainer, o, 0) + c;
            *value = ~*value;
        }
}

enum shw_result shw_division_share_values(struct shw_trainer *trainer)
{
    const size_t count =
        (size_t)threshold_nodes(trainer) * shw_threshold_values(&trainer->params) * trainer->candidate_count;

    if (trainer->division->shared)
        return SHW_OK;
    turn_least(trainer);
    SHW_PROPAGATE(take_greatest(trainer, trainer->division->values, count));
    turn_least(trainer);
    trainer->division->shared = true;
    return SHW_OK;
}

/* Scoring. */

/* Shared by the threads that score; a task is a node. */
struct scoring {
    const struct shw_trainer *trainer;
    const uint32_t *histograms; /* [candidate of the share][open node], of all workers */
    uint32_t first, count;      /* candidates of the block */
    uint32_t *scratch;          /* per thread: 8 * class_count */
    bool *lost;                 /* [open node]: a histogram does not hold all samples */
};

/* The thresholds of a candidate of the block. */
static void make_thresholds(const struct shw_trainer *trainer, uint32_t open, uint32_t c,
                            struct shw_thresholds *thresholds)
{
    const uint32_t count = shw_threshold_values(&trainer->params);
    int32_t values[256];

    for (uint32_t n = 0; n < count; n++)
        values[n] = shw_division_values(trainer, open, n)[c];
    shw_threshold_values_settle(&trainer->params, values);
    shw_thresholds_make(&trainer->params, shw_candidate_interval(trainer, open, trainer->candidate_begin + c), values,
                        count, thresholds);
}

static void score_node(void *user, uint32_t open, uint32_t thread)
{
    const struct scoring *scoring = user;
    const struct shw_trainer *trainer = scoring->trainer;
    const struct shw_division *division = trainer->division;
    const struct shw_tree_builder *builder = &trainer->builder;
    const uint32_t classes = trainer->dataset->class_count;
    uint32_t *weights = scoring->scratch + (size_t)thread * 8 * classes, *totals = weights + classes,
             *sides = totals + classes;
    const uint32_t present = shw_tree_builder_list_classes(trainer, open, weights, totals);
    struct shw_thresholds thresholds;
    struct shw_node_counts node;

    node = shw_node_counts_make(trainer->params.score, builder->open[open].all, present, weights, totals, sides);
    for (uint32_t c = 0; c < scoring->count; c++) {
        const uint32_t *histogram = scoring->histograms + c * division->words + division->offsets[open];
        make_thresholds(trainer, open, scoring->first + c, &thresholds);
        if (thresholds.count == 0)
            continue;
        scoring->lost[open] =
            scoring->lost[open] ||
            !shw_histogram_is_complete(histogram, thresholds.count + 1 + thresholds.undefined_bins, present, totals);
        shw_split_choose(&trainer->params, &node, &thresholds, histogram, trainer->candidate_begin + scoring->first + c,
                         sides, &division->splits[open]);
    }
}

/* The nodes of a level of ferns as a splitter sees them, with the class counts of all workers. What the classes are is
 * not asked for. */
static void list_nodes(const struct shw_trainer *trainer, struct shw_splitter_node *nodes, uint32_t *words)
{
    const struct shw_tree_builder *builder = &trainer->builder;
    const size_t classes = trainer->dataset->class_count;

    for (uint32_t o = 0; o < builder->open_count; o++, words += 2 * classes)
        nodes[o] =
            (struct shw_splitter_node){.number = builder->open[o].node,
                                       .samples = builder->open[o].all,
                                       .class_count = shw_tree_builder_list_classes(trainer, o, words + classes, words),
                                       .counts = words,
                                       .weights = words + classes};
}

/* One piece per candidate and node: histograms of a candidate follow each other by node. */
static void list_pieces(const struct scoring *scoring, const int32_t *thresholds, const uint8_t *usable,
                        struct shw_splitter_piece *pieces)
{
    const struct shw_division *division = scoring->trainer->division;
    const uint32_t opens = scoring->trainer->builder.open_count, values = scoring->trainer->params.bins - 1;

    for (size_t c = 0; c < scoring->count; c++)
        for (uint32_t o = 0; o < opens; o++)
            pieces[c * opens + o] = (struct shw_splitter_piece){.node = o,
                                                                .candidate_begin = (uint32_t)c,
                                                                .candidate_count = 1,
                                                                .usable = usable + c,
                                                                .thresholds = thresholds + c * values,
                                                                .histogram = scoring->histograms + c * division->words +
                                                                             division->offsets[o]};
}

/* All nodes of a level of ferns have one test, the best so far. */
static void take_test(const struct scoring *scoring, const struct shw_splitter_choice *choice,
                      const int32_t *thresholds)
{
    const struct shw_trainer *trainer = scoring->trainer;
    const uint32_t bins = trainer->params.bins;
    const int32_t *values = thresholds + (size_t)choice->candidate * (bins - 1);
    struct shw_split split = {.found = true};

    if (!choice->split)
        return;
    split.candidate = trainer->candidate_begin + scoring->first + choice->candidate;
    split.t0 = choice->bin_first > 0 ? values[choice->bin_first - 1] : INT32_MIN;
    split.t1 = choice->bin_last + 1 < bins ? values[choice->bin_last] : INT32_MAX;
    split.score = (struct shw_score_value){trainer->fern_level->gain, 0, 1};
    for (uint32_t o = 0; o < trainer->builder.open_count; o++)
        trainer->division->splits[o] = split;
}

/* Scores the tests of a level of ferns by what all nodes gain. */
static enum shw_result score_level(const struct scoring *scoring)
{
    const struct shw_trainer *trainer = scoring->trainer;
    const size_t opens = trainer->builder.open_count, classes = trainer->dataset->class_count,
                 bins = trainer->params.bins;
    struct shw_splitter_node *nodes = malloc(opens * sizeof *nodes);
    uint32_t *words = malloc(2 * opens * classes * sizeof *words);
    struct shw_splitter_piece *pieces = malloc((opens * scoring->count + 1) * sizeof *pieces);
    int32_t *values = calloc(scoring->count * (bins - 1) + 1, sizeof *values);
    uint8_t *usable = calloc((size_t)scoring->count + 1, sizeof *usable);
    struct shw_splitter_choice choice = {.split = false};
    const struct shw_splitter_round round = {.node_count = (uint32_t)opens,
                                             .nodes = nodes,
                                             .candidate_count = scoring->count,
                                             .bin_count = (uint32_t)bins,
                                             .undefined_bins = trainer->params.feature->may_be_undefined,
                                             .thresholds = trainer->params.thresholds};
    enum shw_result result = SHW_OK;

    if (nodes == NULL || words == NULL || pieces == NULL || values == NULL || usable == NULL) {
        result = shw_fail_memory(&trainer->params.log, "the scores of a level");
        goto fail;
    }
    for (uint32_t c = 0; c < scoring->count; c++) {
        struct shw_thresholds thresholds;
        make_thresholds(trainer, 0, scoring->first + c, &thresholds);
        usable[c] = thresholds.count > 0;
        memcpy(values + c * (bins - 1), thresholds.values, thresholds.count * sizeof *values);
    }
    list_nodes(trainer, nodes, words);
    list_pieces(scoring, values, usable, pieces);
    if (scoring->count > 0)
        SHW_TRY(shw_fern_level_score(trainer->fern_level, &round, pieces, (uint32_t)opens * scoring->count, &choice));
    take_test(scoring, &choice, values);

fail:
    free(nodes);
    free(words);
    free(pieces);
    free(values);
    free(usable);
    return result;
}

static enum shw_result score(struct shw_trainer *trainer, const uint32_t *histograms)
{
    const struct shw_division *division = trainer->division;
    const uint32_t opens = trainer->builder.open_count, classes = trainer->dataset->class_count;
    const uint32_t first = division->share * trainer->params.exchange->worker, all = trainer->candidate_count;
    struct scoring scoring = {
        .trainer = trainer,
        .histograms = histograms,
        .first = first,
        .count = first < all ? shw_min_u32(division->share, all - first) : 0,
        .scratch = malloc((size_t)8 * classes * shw_thread_pool_size(trainer->pool) * sizeof *scoring.scratch),
        .lost = calloc(opens, sizeof *scoring.lost)};
    enum shw_result result = SHW_OK;

    if (scoring.scratch == NULL || scoring.lost == NULL)
        result = shw_fail_memory(&trainer->params.log, "the scores of a round");
    else if (trainer->params.ferns)
        result = score_level(&scoring);
    else
        shw_thread_pool_run(trainer->pool, opens, score_node, &scoring);
    for (uint32_t o = 0; o < opens && result == SHW_OK; o++)
        if (scoring.lost[o])
            result = shw_tree_builder_lost(trainer, o);
    free(scoring.scratch);
    free(scoring.lost);
    return result;
}

/* Gives each worker the histograms of its share, and adds up those of this worker's. */
static enum shw_result add_up(struct shw_trainer *trainer)
{
    const struct shw_train_exchange *exchange = trainer->params.exchange;
    const struct shw_division *division = trainer->division;
    const size_t part = division->share * division->words;
    uint32_t *parts = division->parts;

    SHW_PROPAGATE(exchange->scatter(exchange->user, division->histograms, part, parts));
    for (uint32_t w = 1; w < exchange->worker_count; w++)
        for (size_t i = 0; i < part; i++)
            parts[i] += parts[w * part + i];
    return SHW_OK;
}

enum shw_result shw_division_settle(struct shw_trainer *trainer, bool *more)
{
    struct shw_division *division = trainer->division;
    const uint32_t end = trainer->candidate_begin + trainer->candidate_count;

    SHW_PROPAGATE(add_up(trainer));
    SHW_PROPAGATE(score(trainer, division->parts));
    free(division->values);
    division->values = NULL;
    *more = end < trainer->round_candidates;
    if (*more)
        return begin_block(trainer, end);
    memcpy(trainer->builder.splits, division->splits, trainer->builder.open_count * sizeof *division->splits);
    return SHW_OK;
}
