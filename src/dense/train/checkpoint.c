#include "dense/train/checkpoint.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/class.h"
#include "base/ktx2.h"
#include "base/log.h"
#include "dense/feature/evaluate_cpu.h"
#include "dense/forest/forest.h"
#include "dense/train/forest.h"
#include "dense/train/out_of_bag.h"
#include "dense/train/team.h"

/* Rebuilds an unfinished tree from its tests alone. Its samples are drawn again; evaluating the tree around them gives
 * the leaf of each sample, and so the samples of every node. */

struct replay {
    struct shw_trainer *trainer;
    const struct shw_tree *tree;
    uint32_t *places; /* [sample]: leaf number, later node number, later place */
    uint32_t *counts; /* [node][class] */
    uint32_t *all;    /* the same of all workers that divide the images */
};

/* The samples of an image lie in it. */
static struct shw_rect surround(const struct shw_samples *samples, const uint32_t *listed, uint32_t count)
{
    struct shw_rect rect = {INT32_MAX, INT32_MAX, 0, 0};

    for (uint32_t i = 0; i < count; i++) {
        int32_t x = samples->x[listed[i]], y = samples->y[listed[i]];

        rect.x0 = x < rect.x0 ? x : rect.x0;
        rect.y0 = y < rect.y0 ? y : rect.y0;
        rect.x1 = x >= rect.x1 ? x + 1 : rect.x1;
        rect.y1 = y >= rect.y1 ? y + 1 : rect.y1;
    }
    return rect;
}

/* Finds the leaves of the samples listed, which are those of one image. `planes` are the image's. */
static enum shw_result find_leaves_of(const struct replay *replay, const struct shw_forest *forest, const void *planes,
                                      const uint32_t *listed, uint32_t count)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    const struct shw_train_image *image = &trainer->images.images[samples->image[listed[0]]];
    struct shw_rect rect = surround(samples, listed, count);
    uint32_t width = (uint32_t)(rect.x1 - rect.x0), height = (uint32_t)(rect.y1 - rect.y0);
    struct shw_evaluate_tile tile = {.forest = forest,
                                     .planes = planes,
                                     .width = image->width,
                                     .height = image->height,
                                     .image = {0, 0, (int32_t)image->width, (int32_t)image->height},
                                     .x = (uint32_t)rect.x0,
                                     .y = (uint32_t)rect.y0,
                                     .tile_width = width,
                                     .tile_height = height,
                                     .step = 1,
                                     .out_width = width,
                                     .out_height = height};
    uint32_t *leaves = malloc((size_t)width * height * sizeof *leaves);
    enum shw_result result = SHW_ERROR_MEMORY;

    tile.out.tree_leaf = leaves;
    if (leaves != NULL)
        result = shw_evaluate_cpu(&tile, trainer->pool);
    for (uint32_t i = 0; result == SHW_OK && i < count; i++)
        replay->places[listed[i]] = leaves[(size_t)(samples->y[listed[i]] - (uint32_t)rect.y0) * width +
                                           (samples->x[listed[i]] - (uint32_t)rect.x0)];
    free(leaves);
    return result == SHW_OK ? SHW_OK : shw_fail_memory(&trainer->params.log, "a leaf image");
}

/* Finds the leaf of every sample, image by image. `ends`: where the samples of each image end in `listed`. */
static enum shw_result go_through_images(const struct replay *replay, const struct shw_forest *forest,
                                         const uint32_t *listed, const uint32_t *ends)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_train_images *images = &trainer->images;
    enum shw_result result = SHW_OK;

    for (uint32_t i = 0, first = 0; i < images->count && result == SHW_OK; first = ends[i++]) {
        void *planes = ends[i] > first ? malloc(shw_train_image_bytes(images, i)) : NULL;

        if (ends[i] == first)
            continue;
        if (planes == NULL)
            return shw_fail_memory(&trainer->params.log, "a training image");
        result = shw_train_image_make_planes(&trainer->params, trainer->dataset, images, i, trainer->pool, planes);
        if (result == SHW_OK && shw_train_image_of_planes(images, i) != i)
            shw_train_image_flip_planes(images, i, planes);
        if (result == SHW_OK)
            result = find_leaves_of(replay, forest, planes, listed + first, ends[i] - first);
        free(planes);
    }
    return result;
}

/* Lists the samples by image. */
static void list_by_image(const struct shw_samples *samples, uint32_t image_count, uint32_t *listed, uint32_t *ends)
{
    uint32_t begin = 0;

    memset(ends, 0, image_count * sizeof *ends);
    for (uint32_t s = 0; s < samples->count; s++)
        ends[samples->image[s]]++;
    for (uint32_t i = 0; i < image_count; i++) {
        uint32_t count = ends[i];

        ends[i] = begin;
        begin += count;
    }
    for (uint32_t s = 0; s < samples->count; s++)
        listed[ends[samples->image[s]]++] = s;
}

static enum shw_result find_leaves(const struct replay *replay)
{
    const struct shw_trainer *trainer = replay->trainer;
    const struct shw_samples *samples = &trainer->builder.samples;
    struct shw_forest_params of_tree = {.info = {.channels = trainer->params.channels,
                                                 .kinds = trainer->params.kinds,
                                                 .feature = trainer->params.feature,
                                                 .class_count = trainer->dataset->class_count,
                                                 .tree_count = 1,
                                                 .below = trainer->params.below},
                                        .trees = replay->tree,
                                        .log = trainer->params.log};
    uint32_t *listed = malloc(samples->count * sizeof *listed), *ends = malloc(trainer->images.count * sizeof *ends);
    struct shw_forest *forest = NULL;
    enum shw_result result;

    SHW_TRY(listed != NULL && ends != NULL ? SHW_OK : shw_fail_memory(&trainer->params.log, "samples"));
    SHW_TRY(shw_forest_create(&of_tree, &forest));
    list_by_image(samples, trainer->images.count, listed, ends);
    SHW_TRY(go_through_images(replay, forest, listed, ends));

fail:
    shw_forest_destroy(&forest);
    free(listed);
    free(ends);
    return result;
}

/* Converts leaf numbers of samples to node numbers, and counts. Children follow their parents. */
static enum shw_result count_samples(const struct replay *replay)
{
    const struct shw_samples *samples = &replay->trainer->builder.samples;
    const struct shw_tree *tree = replay->tree;
    size_t classes = replay->trainer->dataset->class_count;
    uint32_t *node_of_leaf = malloc((tree->node_count / 2 + 1) * sizeof *node_of_leaf);

    if (node_of_leaf == NULL)
        return shw_fail_memory(&replay->trainer->params.log, "a tree");
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (!tree->nodes[n].is_split)
            node_of_leaf[tree->nodes[n].leaf] = n;
    for (uint32_t s = 0; s < samples->count; s++) {
        replay->places[s] = node_of_leaf[replay->places[s]];
        replay->counts[replay->places[s] * classes + samples->label[s]]++;
    }
    for (uint32_t n = tree->node_count; n-- > 0;)
        for (size_t c = 0; tree->nodes[n].is_split && c < classes; c++)
            replay->counts[n * classes + c] = replay->counts[tree->nodes[n].left * classes + c] +
                                              replay->counts[(tree->nodes[n].left + 1) * classes + c];
    free(node_of_leaf);
    return SHW_OK;
}

static uint32_t samples_of(const struct replay *replay, const uint32_t *counts, uint32_t node)
{
    size_t classes = replay->trainer->dataset->class_count;
    uint32_t all = 0;

    for (size_t c = 0; c < classes; c++)
        all += counts[node * classes + c];
    return all;
}

/* Adds up the counts of all workers that divide the images. */
static enum shw_result add_up(const struct replay *replay)
{
    const size_t words = (size_t)replay->tree->node_count * replay->trainer->dataset->class_count;

    if (replay->trainer->division != NULL)
        return shw_division_sum(replay->trainer, replay->counts, words, replay->all, NULL);
    memcpy(replay->all, replay->counts, words * sizeof *replay->all);
    return SHW_OK;
}

/* Makes the splits of a round. Sets *same to false if training would not have made them. */
static enum shw_result replay_round(const struct replay *replay, bool *same)
{
    struct shw_trainer *trainer = replay->trainer;
    const struct shw_tree_builder *builder = &trainer->builder;
    uint32_t open_count = builder->open_count, made;
    size_t classes = trainer->dataset->class_count;
    struct shw_split *splits = calloc(open_count, sizeof *splits);
    uint32_t *child_counts = calloc(2 * open_count * classes, sizeof *child_counts);
    enum shw_result result = SHW_ERROR_MEMORY;

    if (splits == NULL || child_counts == NULL) {
        shw_fail_memory(&trainer->params.log, "a training round");
        goto fail;
    }
    for (uint32_t o = 0; o < open_count && builder->open[o].node < replay->tree->node_count; o++) {
        const struct shw_node *node = &replay->tree->nodes[builder->open[o].node];
        splits[o] =
            (struct shw_split){.found = node->is_split, .t0 = node->t0, .t1 = node->t1, .feature = node->feature};
        if (!node->is_split)
            continue;
        memcpy(child_counts + 2 * o * classes, replay->counts + node->left * classes,
               2 * classes * sizeof *child_counts);
        if (!trainer->params.ferns && (samples_of(replay, replay->all, node->left) < trainer->params.samples_min ||
                                       samples_of(replay, replay->all, node->left + 1) < trainer->params.samples_min)) {
            *same = false;
            result = SHW_OK;
            goto fail;
        }
    }
    SHW_TRY(shw_tree_builder_apply(trainer, splits, child_counts, &made));

fail:
    free(splits);
    free(child_counts);
    return result;
}

/* Whether the tree built is the given one. */
static bool is_the_tree(const struct replay *replay)
{
    const struct shw_tree_builder *builder = &replay->trainer->builder;
    size_t classes = replay->trainer->dataset->class_count;

    if (builder->node_count != replay->tree->node_count || builder->open_count == 0)
        return false;
    for (uint32_t n = 0; n < builder->node_count; n++) {
        const struct shw_node *node = &replay->tree->nodes[n];
        if (node->is_split != builder->nodes[n].is_split)
            return false;
        if (!node->is_split && memcmp(replay->tree->distributions + node->leaf * classes,
                                      builder->distributions + n * classes, classes * sizeof(uint16_t)) != 0)
            return false;
    }
    return true;
}

/* Sorts the samples by node. The samples of a split are those of its left child, then those of its right one. */
static enum shw_result sort_samples(const struct replay *replay)
{
    const struct shw_tree *tree = replay->tree;
    struct shw_samples *samples = &replay->trainer->builder.samples;
    uint32_t *next = calloc(tree->node_count, sizeof *next), *scratch = malloc(samples->count * sizeof *scratch);
    enum shw_result result = SHW_OK;

    if (next == NULL || scratch == NULL) {
        result = shw_fail_memory(&replay->trainer->params.log, "samples");
        goto end;
    }
    for (uint32_t n = 0; n < tree->node_count; n++)
        if (tree->nodes[n].is_split) {
            next[tree->nodes[n].left] = next[n];
            next[tree->nodes[n].left + 1] = next[n] + samples_of(replay, replay->counts, tree->nodes[n].left);
        }
    for (uint32_t s = 0; s < samples->count; s++)
        replay->places[s] = next[replay->places[s]]++;
    shw_samples_move(samples, replay->trainer->pool, replay->places, scratch);
    replay->trainer->builder.origin = SHW_SAMPLES_REDRAWN;

end:
    free(next);
    free(scratch);
    return result;
}

/* Asks the proposer again what it proposed for a round, if there is one. */
static enum shw_result replay_candidates(struct shw_trainer *trainer)
{
    SHW_PROPAGATE(shw_candidates_begin(trainer));
    shw_candidates_end(trainer);
    return SHW_OK;
}

/* Begins the next tree and builds it, without candidates, as it was after `depth` rounds. `proposals`: hashes of what
 * was proposed for these rounds, and perhaps for the next one. *same: whether this training could have made it; if not,
 * the tree builder must not be used. Errors: those of shw_tree_builder_begin(), of labelling and of the proposer. */
static enum shw_result tree_builder_replay(struct shw_trainer *trainer, const struct shw_tree *tree, uint32_t depth,
                                           const uint64_t proposals[SHW_DEPTH_MAX], bool *same)
{
    struct replay replay = {.trainer = trainer, .tree = tree};
    enum shw_result result;

    *same = true;
    SHW_TRY(shw_tree_builder_begin(trainer));
    memcpy(trainer->builder.proposals, proposals, sizeof trainer->builder.proposals);
    replay.places = malloc(trainer->builder.samples.count * sizeof *replay.places);
    replay.counts = calloc((size_t)tree->node_count * trainer->dataset->class_count, sizeof *replay.counts);
    replay.all = malloc((size_t)tree->node_count * trainer->dataset->class_count * sizeof *replay.all);
    if (replay.places == NULL || replay.counts == NULL || replay.all == NULL) {
        result = shw_fail_memory(&trainer->params.log, "a tree");
        goto fail;
    }
    SHW_TRY(find_leaves(&replay));
    SHW_TRY(count_samples(&replay));
    SHW_TRY(add_up(&replay));
    while (*same && trainer->builder.depth < depth && trainer->builder.open_count > 0) {
        SHW_TRY(replay_candidates(trainer));
        SHW_TRY(replay_round(&replay, same));
    }
    *same = *same && is_the_tree(&replay);
    if (!*same)
        goto fail;
    SHW_TRY(sort_samples(&replay));

fail:
    free(replay.places);
    free(replay.counts);
    free(replay.all);
    return result;
}

/* Checkpoints: forests of the trees so far, with one more member in their provenance. Samples are not stored but drawn
 * again. */

#define VERSION 1

/* Contents of that member. */
struct state {
    json_t *provenance, *member; /* `member` is part of `provenance` */
    const char *data;
    uint32_t trees; /* finished */
    uint64_t responses;
    double seconds;
    struct shw_pace pace;
    uint64_t proposals[SHW_DEPTH_MAX]; /* of the unfinished tree, by round */
    uint32_t proposal_count;
};

/* What messages refer to. */
struct source {
    const struct shw_trainer *trainer;
    const char *name;
};

#define OTHERS "this training was begun with other parameters or data: "

#define BAD_CHECKPOINT(source, result, format, ...)                                                                    \
    shw_fail(&(source)->trainer->params.log, result, SHW_LOG_CHECKPOINT, "%s: " format, (source)->name, __VA_ARGS__)

static json_t *make_numbers(const double *numbers, uint32_t count)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(array, json_real(numbers[i]));
    return array;
}

/* What was proposed for the rounds of the unfinished tree, one of which may have begun. */
static json_t *make_proposals(const struct shw_tree_builder *builder)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < SHW_DEPTH_MAX && builder->proposals[i] != 0; i++)
        json_array_append_new(array, json_sprintf("%016" PRIx64, builder->proposals[i]));
    return array;
}

/* The provenance with the member of checkpoints. NULL if out of memory. */
static char *make_provenance(const struct shw_trainer *trainer)
{
    char *text = shw_trainer_get_record(trainer), data[20];
    json_t *provenance = text != NULL ? json_loads(text, 0, NULL) : NULL;
    json_t *member;

    free(text);
    text = NULL;
    snprintf(data, sizeof data, "%016" PRIx64, shw_train_images_hash(shw_trainer_whole(trainer)));
    member = json_pack(
        "{s:i, s:s, s:i, s:I, s:f, s:o, s:o, s:o}", "version", VERSION, "data", data, "trees", (int)trainer->tree_count,
        "responses", (json_int_t)trainer->responses, "seconds", shw_trainer_clock() - trainer->start, "tree_pace",
        make_numbers(trainer->pace.tree, trainer->params.depth), "trees_pace",
        make_numbers(trainer->pace.trees, trainer->params.depth), "class_weights",
        make_numbers(trainer->class_weights,
                     trainer->params.weighting == SHW_WEIGHTING_GIVEN ? trainer->dataset->class_count : 0));
    if (!trainer->gains_unknown)
        json_object_set_new(member, SHW_GAINS_MEMBER, shw_gains_pack(&trainer->gains));
    if (trainer->params.proposer != NULL)
        json_object_set_new(member, "proposals", make_proposals(&trainer->builder));
    if (json_object_set_new(provenance, SHW_CHECKPOINT_MEMBER, member) == 0)
        text = json_dumps(provenance, JSON_COMPACT);
    json_decref(provenance);
    return text;
}

enum shw_result shw_trainer_save(struct shw_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    struct shw_tree *unfinished = NULL;
    struct shw_forest *forest = NULL;
    char *provenance = NULL;
    enum shw_result result;

    if (trainer->division != NULL && trainer->tree_count == 0 && trainer->builder.nodes == NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_CHECKPOINT,
                        "there is nothing to save yet: workers that divide the images begin together");
    SHW_TRY(shw_trainer_prepare(trainer));
    if (trainer->tree_count == 0 && trainer->builder.nodes == NULL)
        SHW_TRY(shw_tree_builder_begin(trainer));
    if (trainer->builder.nodes != NULL) {
        SHW_TRY(shw_tree_builder_tree(trainer, &trainer->trees[trainer->tree_count]));
        unfinished = &trainer->trees[trainer->tree_count];
    }
    provenance = make_provenance(trainer);
    if (provenance == NULL) {
        result = shw_fail_memory(&trainer->params.log, "a checkpoint");
        goto fail;
    }
    SHW_TRY(shw_trainer_make_forest(trainer, trainer->tree_count + (unfinished != NULL), provenance, &forest));
    SHW_TRY(shw_forest_save(forest, path, &trainer->params.log));

fail:
    if (unfinished != NULL)
        free((void *)(uintptr_t)unfinished->distributions); /* the nodes belong to the tree builder */
    shw_forest_destroy(&forest);
    free(provenance);
    return result;
}

static bool read_seconds(const json_t *value, double *seconds)
{
    *seconds = json_real_value(value);
    return json_is_real(value) && *seconds >= 0 && *seconds < 1e12;
}

static bool read_pace(const json_t *array, double seconds[SHW_DEPTH_MAX])
{
    size_t count = json_array_size(array);
    bool good = count > 0 && count <= SHW_DEPTH_MAX;

    for (size_t i = 0; good && i < count; i++)
        good = read_seconds(json_array_get(array, i), &seconds[i]);
    return good;
}

static bool read_proposals(const json_t *array, struct state *state)
{
    const size_t count = json_array_size(array);

    for (size_t i = 0; i < count && i < SHW_DEPTH_MAX; i++) {
        const char *text = json_string_value(json_array_get(array, i));
        char *end;
        state->proposals[i] = text != NULL && strlen(text) == 16 ? strtoull(text, &end, 16) : 0;
        if (state->proposals[i] == 0 || *end != '\0')
            return false;
    }
    state->proposal_count = (uint32_t)count;
    return array == NULL || (json_is_array(array) && count <= SHW_DEPTH_MAX);
}

/* A generator with different draws would not find the samples of the trees begun. */
static enum shw_result check_generator(const struct source *source, const json_t *provenance)
{
    const json_t *member = json_object_get(provenance, "generator");
    json_int_t generator = member != NULL ? json_integer_value(member) : 1;

    if (generator < 1)
        return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "%s", "the checkpoint's metadata is not valid");
    if (generator == SHW_GENERATOR)
        return SHW_OK;
    return BAD_CHECKPOINT(
        source, SHW_ERROR_VERSION,
        "this training was begun with version %lld of the random generator, and this program has "
        "version %d, which draws different samples: start again, or continue with the program that wrote "
        "the checkpoint; it can still be used as a forest",
        (long long)generator, SHW_GENERATOR);
}

static enum shw_result read_state(const struct source *source, const struct shw_forest *forest, struct state *state)
{
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    json_t *version, *trees, *responses;

    state->provenance = json_loads(info->training, 0, NULL);
    if (state->provenance == NULL)
        return shw_fail_memory(&source->trainer->params.log, "a checkpoint");
    state->member = json_object_get(state->provenance, SHW_CHECKPOINT_MEMBER);
    if (state->member == NULL)
        return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "%s", "this is a finished forest, not a checkpoint");
    version = json_object_get(state->member, "version");
    if (json_is_integer(version) && json_integer_value(version) > VERSION)
        return BAD_CHECKPOINT(source, SHW_ERROR_VERSION, "%s", "this checkpoint was written by a newer version");
    SHW_PROPAGATE(check_generator(source, state->provenance));
    trees = json_object_get(state->member, "trees");
    responses = json_object_get(state->member, "responses");
    state->data = json_string_value(json_object_get(state->member, "data"));
    if (json_integer_value(version) != VERSION || state->data == NULL || !json_is_integer(trees) ||
        !json_is_integer(responses) || json_integer_value(responses) < 0 ||
        !read_seconds(json_object_get(state->member, "seconds"), &state->seconds) ||
        !read_pace(json_object_get(state->member, "tree_pace"), state->pace.tree) ||
        !read_pace(json_object_get(state->member, "trees_pace"), state->pace.trees) ||
        !read_proposals(json_object_get(state->member, "proposals"), state) ||
        (json_integer_value(trees) != info->tree_count && json_integer_value(trees) + 1 != info->tree_count))
        return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "%s", "the checkpoint's metadata is not valid");
    state->trees = (uint32_t)json_integer_value(trees);
    state->responses = (uint64_t)json_integer_value(responses);
    return SHW_OK;
}

static enum shw_result differ(const struct source *source, const char *what, const char *then, const char *now)
{
    return BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, OTHERS "%s was %.80s and is now %.80s", what,
                          then != NULL ? then : "not set", now != NULL ? now : "not set");
}

static enum shw_result compare_classes(const struct source *source, const struct shw_forest_info *info)
{
    const struct shw_dataset *dataset = source->trainer->dataset;
    char then[16], now[16];

    if (info->class_count != dataset->class_count) {
        snprintf(then, sizeof then, "%u", info->class_count);
        snprintf(now, sizeof now, "%u", dataset->class_count);
        return differ(source, "the number of classes", then, now);
    }
    for (uint32_t c = 0; c < dataset->class_count; c++) {
        char name[SHW_CLASS_NAME_SIZE];
        struct shw_class class = shw_dataset_class(dataset, c, name);
        if (strcmp(class.name, info->classes[c].name) != 0)
            return differ(source, "the name of a class", info->classes[c].name, class.name);
        if (memcmp(class.colour, info->classes[c].colour, sizeof class.colour) != 0 &&
            !shw_class_colour_was(info->classes[c].colour, class.colour))
            return BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT,
                                  "the colour of class %s was different when this training began", class.name);
    }
    return SHW_OK;
}

static enum shw_result compare_values(const struct source *source, const char *key, const json_t *then,
                                      const json_t *now)
{
    const struct shw_train_word *word = shw_train_word_find(source->trainer->words, key);
    char *old_text, *new_text;
    enum shw_result result = SHW_OK;

    if (then == now || (then != NULL && now != NULL && json_equal(then, now)))
        return SHW_OK;
    if (word != NULL && word->name == NULL)
        return BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, OTHERS "%s", word->difference);
    old_text = json_dumps(then, JSON_ENCODE_ANY | JSON_COMPACT);
    new_text = json_dumps(now, JSON_ENCODE_ANY | JSON_COMPACT);
    result = differ(source, word != NULL ? word->name : key, old_text, new_text);
    free(old_text);
    free(new_text);
    return result;
}

/* Pixels are counted when the training set is read. */
static bool is_known(const struct source *source, const char *key)
{
    return source->trainer->loaded || strcmp(key, "class_pixels") != 0;
}

/* Compares everything that affects the result, as far as it is known. */
static enum shw_result compare_provenance(const struct source *source, const json_t *then, const json_t *now)
{
    const char *key;
    json_t *value;

    for (const struct shw_train_word *word = source->trainer->words->members; word->member != NULL; word++)
        if (is_known(source, word->member))
            SHW_PROPAGATE(compare_values(source, word->member, json_object_get(then, word->member),
                                         json_object_get(now, word->member)));
    json_object_foreach((json_t *)(uintptr_t)now, key,
                        value) if (strcmp(key, SHW_CHECKPOINT_MEMBER) != 0 && is_known(source, key))
        SHW_PROPAGATE(compare_values(source, key, json_object_get(then, key), value));
    json_object_foreach((json_t *)(uintptr_t)then, key,
                        value) if (strcmp(key, SHW_CHECKPOINT_MEMBER) != 0 && json_object_get(now, key) == NULL)
        SHW_PROPAGATE(compare_values(source, key, value, NULL));
    return SHW_OK;
}

static enum shw_result compare(const struct source *source, const struct shw_forest *forest, const struct state *state)
{
    const struct shw_trainer *trainer = source->trainer;
    const struct shw_forest_info *info = shw_forest_get_info(forest);
    char *text = trainer->loaded ? make_provenance(trainer) : shw_trainer_get_record(trainer);
    json_t *now = text != NULL ? json_loads(text, 0, NULL) : NULL, *member;
    const uint32_t levels = trainer->params.below != NULL ? shw_forest_get_info(trainer->params.below)->levels + 1 : 1;
    enum shw_result result = SHW_ERROR_MEMORY;

    if (now == NULL) {
        shw_fail_memory(&trainer->params.log, "a checkpoint");
        goto fail;
    }
    if (info->feature != trainer->params.feature) {
        result = BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, "%s", trainer->words->other_feature);
        goto fail;
    }
    if (info->levels != levels) {
        result = BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, "it is of level %u, but this training is of level %u",
                                info->levels, levels);
        goto fail;
    }
    if (info->below != NULL && shw_forest_hash(info->below) != shw_forest_hash(trainer->params.below)) {
        result = BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, "%s", "this training was begun with another level below");
        goto fail;
    }
    if (strcmp(info->channels, trainer->params.channels) != 0) {
        result = differ(source, "the channel set", info->channels, trainer->params.channels);
        goto fail;
    }
    SHW_TRY(compare_classes(source, info));
    SHW_TRY(compare_provenance(source, state->provenance, now));
    member = json_object_get(now, SHW_CHECKPOINT_MEMBER);
    if (trainer->loaded) {
        SHW_TRY(compare_values(source, "class_weights", json_object_get(state->member, "class_weights"),
                               json_object_get(member, "class_weights")));
        if (strcmp(state->data, json_string_value(json_object_get(member, "data"))) != 0)
            result = BAD_CHECKPOINT(source, SHW_ERROR_ARGUMENT, "this training was begun with %s",
                                    trainer->words->other_data);
    }

fail:
    free(text);
    json_decref(now);
    return result;
}

static enum shw_result take_trees(const struct source *source, struct shw_trainer *trainer,
                                  const struct shw_forest *forest)
{
    for (uint32_t t = 0; t < shw_forest_get_info(forest)->tree_count; t++) {
        const struct shw_tree_info info = shw_forest_get_tree(forest, t);
        if (!shw_forest_copy_tree(forest, t, &trainer->trees[trainer->tree_count++]))
            return shw_fail_memory(&trainer->params.log, "a tree");
        if (info.depth > trainer->params.depth)
            return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "tree %u is %u tests deep; at most %u are allowed", t,
                                  info.depth, trainer->params.depth);
        if (info.leaf_count != info.node_count / 2 + 1)
            return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT,
                                  "tree %u has leaves that share a distribution, which training does not make", t);
    }
    return SHW_OK;
}

/* What the finished trees gained, which earlier versions did not save. */
static enum shw_result take_gains(const struct source *source, struct shw_trainer *trainer, const struct state *state)
{
    const json_t *gains = json_object_get(state->member, SHW_GAINS_MEMBER);

    if (!shw_gains_make(trainer->channels.channel_count, &trainer->gains))
        return shw_fail_memory(&trainer->params.log, "a checkpoint");
    trainer->gains_unknown = gains == NULL && state->trees > 0;
    if (gains != NULL && !shw_gains_unpack(gains, &trainer->gains))
        return BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "%s", "the checkpoint's metadata is not valid");
    return SHW_OK;
}

/* Makes the last tree, which is unfinished, the one in progress. */
static enum shw_result resume_tree(const struct source *source, struct shw_trainer *trainer, const struct state *state,
                                   uint32_t depth)
{
    struct shw_tree tree = trainer->trees[--trainer->tree_count];
    bool same = true;
    enum shw_result result;

    if (trainer->params.proposer != NULL && state->proposal_count != depth && state->proposal_count != depth + 1)
        result = BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "%s", "the checkpoint's metadata is not valid");
    else
        result = tree_builder_replay(trainer, &tree, depth, state->proposals, &same);

    if (result == SHW_OK && !same)
        result = BAD_CHECKPOINT(source, SHW_ERROR_FORMAT, "tree %u: the training samples do not reach its leaves",
                                trainer->tree_count);
    shw_tree_free(&tree);
    return result;
}

enum shw_result shw_checkpoint_take(struct shw_trainer *trainer, const struct shw_forest *forest, const char *name)
{
    const struct source source = {trainer, name};
    struct state state = {0};
    enum shw_result result;

    SHW_TRY(read_state(&source, forest, &state));
    SHW_TRY(compare(&source, forest, &state)); /* before the training set is read, which may take a while */
    if (trainer->team != NULL)
        SHW_TRY(shw_team_begin(trainer->team, forest, name));
    SHW_TRY(shw_trainer_prepare(trainer));
    SHW_TRY(compare(&source, forest, &state));
    if (shw_forest_get_info(forest)->tree_count > trainer->params.tree_count) {
        result = BAD_CHECKPOINT(&source, SHW_ERROR_FORMAT, "there are more than %u trees", trainer->params.tree_count);
        goto fail;
    }
    SHW_TRY(take_trees(&source, trainer, forest));
    SHW_TRY(take_gains(&source, trainer, &state));
    if (state.trees < trainer->tree_count)
        SHW_TRY(resume_tree(&source, trainer, &state, shw_forest_get_tree(forest, state.trees).depth));
    SHW_TRY(shw_out_of_bag_add(trainer));
    if (state.trees == trainer->params.tree_count)
        SHW_TRY(shw_trainer_finish(trainer));
    trainer->responses = state.responses;
    trainer->start = shw_trainer_clock() - state.seconds;
    trainer->pace = state.pace;

fail:
    if (result != SHW_OK)
        shw_trainer_clear(trainer);
    if (result != SHW_OK && trainer->team != NULL)
        (void)shw_team_restart(trainer->team); /* if that fails, so does the next round */
    json_decref(state.provenance);
    return result;
}

enum shw_result shw_trainer_load(struct shw_trainer *trainer, const char *path)
{
    SHW_REFUSE_NULL(NULL, trainer);
    SHW_REFUSE_NULL(&trainer->params.log, path);

    const struct shw_forest_load_params params = {.features = &trainer->params.feature,
                                                  .feature_count = 1,
                                                  .kinds = trainer->params.kinds,
                                                  .log = trainer->params.log};
    struct shw_forest *forest = NULL;
    enum shw_result result;

    if (trainer->tree_count > 0 || trainer->builder.nodes != NULL)
        return shw_fail(&trainer->params.log, SHW_ERROR_ARGUMENT, SHW_LOG_ARGUMENT,
                        "a checkpoint can only be loaded before training begins");
    if (shw_ktx2_is_other_file(path))
        return shw_fail(&trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_CHECKPOINT,
                        "%s: this is not a checkpoint, a KTX2 file saved by training", path);
    SHW_TRY(shw_forest_load(path, &params, &forest));
    SHW_TRY(shw_checkpoint_take(trainer, forest, path));

fail:
    shw_forest_destroy(&forest);
    return result;
}
