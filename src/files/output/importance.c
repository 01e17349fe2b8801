#include "files/output/importance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/channel_kind.h>

#include "dense/forest/gains.h"

#define TEST       12u /* divisible among as many regions as a test may have */
#define PAIRS_MOST 20u /* in the text */

/* Shares of one thing: of what all tests gained, and of all tests. */
struct share {
    double gain, tests;
};

struct pair {
    uint32_t low, high; /* channels; `high` is channel_count: none */
    struct share share;
};

/* The same numbers, summed up by one thing after the other. */
struct importance {
    const struct shw_channel_list *list;
    bool is_gain;                                 /* otherwise every test weighs as much as it has leaves below it */
    double bits;                                  /* what a sample gains in a tree, on average */
    uint32_t kind_count, kinds[SHW_CHANNELS_MAX]; /* [channel]: number of its kind */
    const char *names[SHW_CHANNELS_MAX];          /* [kind] */
    uint32_t depth;
    struct share channels[SHW_CHANNELS_MAX], of_kinds[SHW_CHANNELS_MAX];
    struct share of_inputs[SHW_INPUTS_MAX]; /* [input of the list]; shown if it names planes */
    struct share levels[SHW_DEPTH_MAX], (*level_channels)[SHW_CHANNELS_MAX], (*level_kinds)[SHW_CHANNELS_MAX];
    struct pair *pairs; /* the greatest first */
    uint32_t pair_count;
};

/* Tests of a tree that are counted, and weighted by the leaves below them. */
struct walk {
    const struct shw_forest *forest;
    uint32_t tree;
    struct shw_gains weights, counts;
};

/* Returns the number of leaves below the node. */
static uint32_t count_node(struct walk *walk, uint32_t index, uint32_t level)
{
    const struct shw_node node = shw_forest_get_node(walk->forest, walk->tree, index);
    struct shw_feature_region regions[SHW_FEATURE_REGIONS_MAX];
    uint32_t leaves, count;

    if (!node.is_split)
        return 1;
    leaves = count_node(walk, node.left, level + 1) + count_node(walk, node.left + 1, level + 1);
    count = shw_forest_get_info(walk->forest)->feature->get_regions(&node.feature, regions);
    shw_gains_count(&walk->weights, level, regions, count, (uint64_t)leaves * TEST);
    shw_gains_count(&walk->counts, level, regions, count, TEST);
    return leaves;
}

/* Counts the tests of all trees; false if out of memory. */
static bool count_tests(const struct shw_forest *forest, struct shw_gains *weights, struct shw_gains *counts)
{
    const uint32_t channels = shw_forest_get_info(forest)->channel_list->channel_count;
    struct walk walk = {.forest = forest};
    bool good = true;

    for (; good && walk.tree < shw_forest_get_info(forest)->tree_count; walk.tree++) {
        const uint32_t nodes = shw_forest_get_tree(forest, walk.tree).node_count;

        good = shw_gains_make(channels, &walk.weights) && shw_gains_make(channels, &walk.counts);
        if (good) {
            count_node(&walk, 0, 0);
            shw_gains_add(weights, &walk.weights, nodes / 2 + 1);
            shw_gains_add(counts, &walk.counts, 1);
        }
        shw_gains_free(&walk.weights);
        shw_gains_free(&walk.counts);
    }
    return good;
}

/* What training wrote, if it did, instead of `weights`. *known: whether it did. */
static bool take_gains(const struct shw_forest *forest, struct shw_gains *weights, bool *known)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    json_t *training = json_loads(info->training, 0, NULL);
    struct shw_gains gains;

    *known = false;
    if (training == NULL || !shw_gains_make(info->channel_list->channel_count, &gains)) {
        json_decref(training);
        return false;
    }
    *known = shw_gains_unpack(json_object_get(training, SHW_GAINS_MEMBER), &gains);
    if (*known) {
        struct shw_gains counted = *weights;
        *weights = gains;
        gains = counted;
    }
    shw_gains_free(&gains);
    json_decref(training);
    return true;
}

static void name_kinds(struct importance *importance)
{
    for (uint32_t e = 0; e < importance->list->entry_count; e++) {
        const struct shw_channel_entry *entry = &importance->list->entries[e];
        uint32_t kind = 0;

        while (kind < importance->kind_count && strcmp(importance->names[kind], entry->kind->name) != 0)
            kind++;
        importance->names[kind] = entry->kind->name;
        importance->kind_count += kind == importance->kind_count;
        for (uint32_t c = 0; c < entry->kind->channel_count; c++)
            importance->kinds[entry->first + c] = kind;
    }
}

static double sum_of(const uint64_t *values, size_t count)
{
    double sum = 0;

    for (size_t i = 0; i < count; i++)
        sum += (double)values[i];
    return sum;
}

static void add_share(struct share *sum, struct share share)
{
    sum->gain += share.gain;
    sum->tests += share.tests;
}

static int by_gain(const void *a, const void *b)
{
    const struct pair *one = a, *other = b;

    if (one->share.gain != other->share.gain)
        return one->share.gain > other->share.gain ? -1 : 1;
    if (one->share.tests != other->share.tests)
        return one->share.tests > other->share.tests ? -1 : 1;
    return one->low != other->low ? (one->low > other->low) - (one->low < other->low)
                                  : (one->high > other->high) - (one->high < other->high);
}

/* `weights` and `counts` as shares of all. */
static void sum_up(struct importance *importance, const struct shw_gains *weights, const struct shw_gains *counts)
{
    const uint32_t channels = weights->channel_count;
    const size_t levels = (size_t)SHW_DEPTH_MAX * channels, tests = (size_t)channels * (channels + 1);
    const double gained = sum_of(weights->levels, levels), counted = sum_of(counts->levels, levels);
    const double gained_pairs = sum_of(weights->tests, tests), counted_pairs = sum_of(counts->tests, tests);

    for (uint32_t level = 0; level < SHW_DEPTH_MAX; level++)
        for (uint32_t c = 0; c < channels; c++) {
            const size_t i = (size_t)level * channels + c;
            const struct share share = {gained > 0 ? (double)weights->levels[i] / gained : 0,
                                        counted > 0 ? (double)counts->levels[i] / counted : 0};
            const uint32_t kind = importance->kinds[c];

            add_share(&importance->channels[c], share);
            add_share(&importance->of_kinds[kind], share);
            add_share(&importance->levels[level], share);
            add_share(&importance->level_channels[level][c], share);
            add_share(&importance->level_kinds[level][kind], share);
            if (counts->levels[i] > 0 || weights->levels[i] > 0)
                importance->depth = level + 1;
        }
    for (uint32_t low = 0; low < channels; low++)
        for (uint32_t high = low; high <= channels; high++) {
            const size_t i = (size_t)low * (channels + 1) + high;

            if (weights->tests[i] > 0 || counts->tests[i] > 0)
                importance->pairs[importance->pair_count++] =
                    (struct pair){low,
                                  high,
                                  {gained_pairs > 0 ? (double)weights->tests[i] / gained_pairs : 0,
                                   counted_pairs > 0 ? (double)counts->tests[i] / counted_pairs : 0}};
        }
    qsort(importance->pairs, importance->pair_count, sizeof *importance->pairs, by_gain);
    importance->bits = gained / 4294967296.0; /* of all trees */
}

/* Channels of two inputs count by halves for each. */
static void sum_up_inputs(struct importance *importance)
{
    for (uint32_t e = 0; e < importance->list->entry_count; e++) {
        const struct shw_channel_entry *entry = &importance->list->entries[e];
        for (uint32_t c = entry->first; c < entry->first + entry->kind->channel_count; c++) {
            const double part = entry->input != 0 ? 0.5 : 1;
            const struct share share = {part * importance->channels[c].gain, part * importance->channels[c].tests};
            add_share(&importance->of_inputs[entry->source], share);
            if (entry->input != 0)
                add_share(&importance->of_inputs[entry->input], share);
        }
    }
}

static bool names_planes(const struct importance *importance)
{
    for (uint32_t i = 0; i < importance->list->input_count; i++)
        if (importance->list->is_plane[i])
            return true;
    return false;
}

static void free_importance(struct importance *importance)
{
    free(importance->level_channels);
    free(importance->level_kinds);
    free(importance->pairs);
}

/* False if out of memory. */
static bool find(const struct shw_forest *forest, struct importance *importance)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    const uint32_t channels = info->channel_list->channel_count;
    struct shw_gains weights = {0}, counts = {0};
    bool good = shw_gains_make(channels, &weights) && shw_gains_make(channels, &counts);

    *importance = (struct importance){
        .list = info->channel_list,
        .level_channels = calloc(SHW_DEPTH_MAX, sizeof *importance->level_channels),
        .level_kinds = calloc(SHW_DEPTH_MAX, sizeof *importance->level_kinds),
        .pairs = malloc((size_t)channels * (channels + 1) * sizeof *importance->pairs),
    };
    good = good && importance->level_channels != NULL && importance->level_kinds != NULL && importance->pairs != NULL &&
           count_tests(forest, &weights, &counts) && take_gains(forest, &weights, &importance->is_gain);
    if (good) {
        name_kinds(importance);
        sum_up(importance, &weights, &counts);
        sum_up_inputs(importance);
        importance->bits /= info->tree_count;
    } else {
        free_importance(importance);
    }
    shw_gains_free(&weights);
    shw_gains_free(&counts);
    return good;
}

static void print_share(const char *name, struct share share)
{
    printf("  %-30s%6.1f %%  %6.1f %%\n", name, 100 * share.gain, 100 * share.tests);
}

static void print_head(const char *what, const struct importance *importance)
{
    printf("\n  %-30s%8s  %8s\n", what, importance->is_gain ? "gain" : "weight", "tests");
}

/* Shares of the level: of what was gained at it, by kind. */
static void print_levels(const struct importance *importance)
{
    printf("\n  %-10s%8s  %8s", "depth", importance->is_gain ? "gain" : "weight", "tests");
    for (uint32_t k = 0; k < importance->kind_count; k++)
        printf("  %8s", importance->names[k]);
    putchar('\n');
    for (uint32_t level = 0; level < importance->depth; level++) {
        const struct share all = importance->levels[level];

        printf("  %-10u%6.1f %%  %6.1f %%", level, 100 * all.gain, 100 * all.tests);
        for (uint32_t k = 0; k < importance->kind_count; k++) {
            const int width = (int)strlen(importance->names[k]);
            const double share = importance->level_kinds[level][k].gain;

            printf("  %*.1f %%", width > 8 ? width - 2 : 6, all.gain > 0 ? 100 * share / all.gain : 0);
        }
        putchar('\n');
    }
}

static void print_pairs(const struct importance *importance)
{
    const struct shw_channel_info *channels = importance->list->channels;
    char name[2 * SHW_CHANNEL_NAME_SIZE + 4];

    print_head("pair of channels", importance);
    for (uint32_t p = 0; p < importance->pair_count && p < PAIRS_MOST; p++) {
        const struct pair *pair = &importance->pairs[p];

        if (pair->high < importance->list->channel_count)
            snprintf(name, sizeof name, "%s, %s", channels[pair->low].name, channels[pair->high].name);
        else
            snprintf(name, sizeof name, "%s alone", channels[pair->low].name);
        print_share(name, pair->share);
    }
    if (importance->pair_count > PAIRS_MOST)
        printf("  and %u more, in --json\n", importance->pair_count - PAIRS_MOST);
}

void shw_print_importance(const struct shw_forest *forest, bool all)
{
    struct importance importance;

    if (!find(forest, &importance))
        return;
    if (importance.is_gain)
        printf("\nimportance: %.3f bits gained by a sample in a tree\n", importance.bits);
    else
        printf("\nimportance: tests, and their weight by the leaves below them; what they gained is not known\n");
    print_head("kind of channel", &importance);
    for (uint32_t k = 0; k < importance.kind_count; k++)
        print_share(importance.names[k], importance.of_kinds[k]);
    if (names_planes(&importance)) {
        print_head("plane", &importance);
        for (uint32_t i = 0; i < importance.list->input_count; i++)
            if (importance.list->is_plane[i] || importance.of_inputs[i].tests > 0)
                print_share(importance.list->inputs[i], importance.of_inputs[i]);
    }
    if (all) {
        print_head("channel", &importance);
        for (uint32_t c = 0; c < importance.list->channel_count; c++)
            print_share(importance.list->channels[c].name, importance.channels[c]);
        print_levels(&importance);
        print_pairs(&importance);
    } else {
        printf("  by channel, depth and pair of channels: --importance\n");
    }
    free_importance(&importance);
}

static json_t *pack(struct share share)
{
    return json_pack("{s:f, s:f}", "gain", share.gain, "tests", share.tests);
}

static json_t *pack_kinds(const struct importance *importance, const struct share *shares)
{
    json_t *kinds = json_object();

    for (uint32_t k = 0; k < importance->kind_count; k++)
        json_object_set_new(kinds, importance->names[k], pack(shares[k]));
    return kinds;
}

static json_t *pack_channels(const struct importance *importance, const struct share *shares)
{
    json_t *channels = json_object();

    for (uint32_t c = 0; c < importance->list->channel_count; c++)
        json_object_set_new(channels, importance->list->channels[c].name, pack(shares[c]));
    return channels;
}

static json_t *pack_pair(const struct importance *importance, const struct pair *pair)
{
    const struct shw_channel_info *channels = importance->list->channels;
    json_t *names = json_array();

    json_array_append_new(names, json_string(channels[pair->low].name));
    if (pair->high < importance->list->channel_count)
        json_array_append_new(names, json_string(channels[pair->high].name));
    return json_pack("{s:o, s:f, s:f}", "channels", names, "gain", pair->share.gain, "tests", pair->share.tests);
}

json_t *shw_importance_json(const struct shw_forest *forest)
{
    struct importance importance;
    json_t *levels = json_array(), *pairs = json_array(), *document;

    if (!find(forest, &importance)) {
        json_decref(levels);
        json_decref(pairs);
        return NULL;
    }
    for (uint32_t level = 0; level < importance.depth; level++)
        json_array_append_new(levels, json_pack("{s:f, s:f, s:o, s:o}", "gain", importance.levels[level].gain, "tests",
                                                importance.levels[level].tests, "kinds",
                                                pack_kinds(&importance, importance.level_kinds[level]), "channels",
                                                pack_channels(&importance, importance.level_channels[level])));
    for (uint32_t p = 0; p < importance.pair_count; p++)
        json_array_append_new(pairs, pack_pair(&importance, &importance.pairs[p]));
    document = json_pack("{s:s, s:o, s:o, s:o, s:o}", "measure", importance.is_gain ? "gain" : "leaves", "kinds",
                         pack_kinds(&importance, importance.of_kinds), "channels",
                         pack_channels(&importance, importance.channels), "levels", levels, "pairs", pairs);
    if (names_planes(&importance)) {
        json_t *planes = json_object();
        for (uint32_t i = 0; i < importance.list->input_count; i++)
            json_object_set_new(planes, importance.list->inputs[i], pack(importance.of_inputs[i]));
        json_object_set_new(document, "planes", planes);
    }
    if (importance.is_gain)
        json_object_set_new(document, "bits", json_real(importance.bits));
    free_importance(&importance);
    return document;
}
