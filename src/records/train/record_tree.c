#include "records/train/record_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/integers.h"
#include "dense/samples/sampling.h"
#include "dense/split/score.h"
#include "records/model/builder.h"
#include "records/train/ranks.h"
#include "shared/attribute_ranks.h"

#define BLOCK 4096u /* examples, that one thread takes at a time */

/* A node of the trainer, by values: records without the attribute go to child 1, and so do those with a value of at
 * least, or below, `bound`. */
struct test {
    uint32_t left; /* 0: a leaf */
    uint32_t attribute, asked;
    int32_t bound;
};

/* Of the tree's examples that reach a split. */
struct seen {
    uint32_t missing;
    uint32_t counts[2];  /* below the bound, and not */
    int32_t below, from; /* the greatest value below the bound, and the least that is not */
};

/* Shared by the threads that go through the examples of a tree. */
struct walk {
    const struct shw_records *records;
    const struct shw_rank_images *images;
    const struct shw_samples *samples;
    const struct test *tests;
    struct seen **seen; /* [thread][node] */
    uint32_t *leaves;   /* [sample]: the node that it ends in */
};

static uint32_t child_of(const struct test *test, int32_t code)
{
    bool is_below = code < test->bound;

    return test->left + (code == SHW_RECORD_MISSING || (test->asked == SHW_ATTRIBUTE_FALLING) == is_below);
}

static void see(struct seen *seen, const struct test *test, int32_t code)
{
    if (code == SHW_RECORD_MISSING) {
        seen->missing++;
    } else if (code < test->bound) {
        seen->counts[0]++;
        seen->below = shw_max_i32(seen->below, code);
    } else {
        seen->counts[1]++;
        seen->from = shw_min_i32(seen->from, code);
    }
}

static uint32_t example_of(const struct walk *walk, uint32_t sample)
{
    return shw_rank_images_begin(walk->images, walk->samples->image[sample]) + walk->samples->x[sample];
}

static void walk_block(void *user, uint32_t index, uint32_t thread)
{
    const struct walk *walk = user;
    uint32_t begin = index * BLOCK, end = begin + shw_min_u32(walk->samples->count - begin, BLOCK);

    for (uint32_t s = begin; s < end; s++) {
        uint32_t record = walk->images->ranks->records[example_of(walk, s)], n = 0;
        while (walk->tests[n].left > 0) {
            int32_t code = shw_records_code(walk->records, record, walk->tests[n].attribute);
            see(&walk->seen[thread][n], &walk->tests[n], code);
            n = child_of(&walk->tests[n], code);
        }
        walk->leaves[s] = n;
    }
}

/* Trees of a checkpoint may be those of any file. */
static enum shw_result refuse_tree(const struct shw_trainer *trainer, const struct shw_record_trees *trees, uint32_t n)
{
    return shw_fail(&trainer->params.log, SHW_ERROR_FORMAT, SHW_LOG_CHECKPOINT,
                    "tree %u, node %u: no training sample reaches this split", trees->tree_count, n);
}

/* The least value that goes with the greater ones; false if the attribute does not have it. */
static bool find_bound(const struct shw_rank_images *images, const struct shw_node *node, struct test *test)
{
    const struct shw_ranks *ranks = images->ranks;
    int64_t rank = test->asked == SHW_ATTRIBUTE_FALLING ? 1 - (int64_t)node->t0 : node->t0;

    rank -= SHW_ATTRIBUTE_FIRST;
    if (test->attribute >= ranks->attributes || node->feature.words[1] >= images->rows || node->t1 != INT32_MAX)
        return false;
    if (test->asked == SHW_ATTRIBUTE_ABSENT) {
        test->bound = INT32_MAX;
        return node->t0 == 1;
    }
    if (rank < 0 || rank >= ranks->rank_counts[test->attribute])
        return false;
    test->bound = ranks->lowest[test->attribute][rank];
    return true;
}

static enum shw_result make_tests(const struct shw_trainer *trainer, const struct shw_rank_images *images,
                                  const struct shw_record_trees *trees, struct test *tests)
{
    const struct shw_tree *tree = &trainer->trees[trees->tree_count];

    for (uint32_t n = 0; n < tree->node_count; n++) {
        const struct shw_node *node = &tree->nodes[n];
        tests[n] = (struct test){0};
        if (!node->is_split)
            continue;
        tests[n] = (struct test){.left = node->left,
                                 .attribute = shw_attribute_of(&node->feature, images->rows),
                                 .asked = shw_attribute_asked(&node->feature)};
        if (!find_bound(images, node, &tests[n]))
            return refuse_tree(trainer, trees, n);
    }
    return SHW_OK;
}

/* Every test divides the values, or the examples that lack the attribute from the others. */
static enum shw_result check_seen(const struct shw_trainer *trainer, const struct shw_record_trees *trees,
                                  const struct test *tests, const struct seen *seen)
{
    for (uint32_t n = 0; n < trainer->trees[trees->tree_count].node_count; n++) {
        uint32_t others = tests[n].asked == SHW_ATTRIBUTE_ABSENT ? seen[n].missing : seen[n].counts[1];
        if (tests[n].left > 0 && (seen[n].counts[0] == 0 || others == 0))
            return refuse_tree(trainer, trees, n);
    }
    return SHW_OK;
}

/* Adds what thread `from` has seen. */
static void add_seen(struct seen *to, const struct seen *from, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        to[n].missing += from[n].missing;
        to[n].counts[0] += from[n].counts[0];
        to[n].counts[1] += from[n].counts[1];
        to[n].below = shw_max_i32(to[n].below, from[n].below);
        to[n].from = shw_min_i32(to[n].from, from[n].from);
    }
}

static struct seen *make_seen(uint32_t count)
{
    struct seen *seen = malloc(count * sizeof *seen);

    for (uint32_t n = 0; seen != NULL && n < count; n++)
        seen[n] = (struct seen){.below = INT32_MIN, .from = INT32_MAX};
    return seen;
}

/* Finds the leaves of all samples, and what nodes see, in seen[0]. */
static enum shw_result walk_all(const struct shw_trainer *trainer, struct walk *walk, uint32_t node_count)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool);
    bool good = true;

    for (uint32_t t = 0; t < threads && good; t++) {
        walk->seen[t] = make_seen(node_count);
        good = walk->seen[t] != NULL;
    }
    if (!good)
        return SHW_ERROR_MEMORY;
    shw_thread_pool_run(trainer->pool, (walk->samples->count + BLOCK - 1) / BLOCK, walk_block, walk);
    for (uint32_t t = 1; t < threads; t++)
        add_seen(walk->seen[0], walk->seen[t], node_count);
    return SHW_OK;
}

/* Halfway between the neighbours. Next to infinities that is not a number: then the lower neighbour. */
static int32_t threshold_of(const struct test *test, const struct seen *seen)
{
    double middle;

    if (test->asked == SHW_ATTRIBUTE_ABSENT)
        return shw_record_code_of(INFINITY);
    middle = ((double)shw_record_code_value(seen->below) + (double)shw_record_code_value(seen->from)) / 2;
    return isfinite(middle) ? shw_record_threshold_at_most(middle) : seen->below;
}

/* Whether a record without the attribute goes with the greater values: as the test says or, if no example at the node
 * was without it, to the side of more examples. */
static bool missing_right(const struct test *test, const struct seen *seen)
{
    return seen->missing > 0 ? test->asked != SHW_ATTRIBUTE_FALLING : seen->counts[0] <= seen->counts[1];
}

/* The nodes in breadth-first order, with lesser values on the left: `order` are those of the trainer's tree. */
static void put_nodes(const struct test *tests, const struct seen *seen, uint32_t count, uint32_t *order,
                      struct shw_record_node *nodes)
{
    uint32_t splits = 0;

    order[0] = 0;
    for (uint32_t place = 0; place < count; place++) {
        const struct test *test = &tests[order[place]];
        uint32_t left = 1 + 2 * splits, falls = test->asked == SHW_ATTRIBUTE_FALLING;
        if (test->left == 0) {
            nodes[place] = (struct shw_record_node){.left = place, .leaf = place - splits, .source = place};
            continue;
        }
        nodes[place] = (struct shw_record_node){.is_split = true,
                                                .missing_right = missing_right(test, &seen[order[place]]),
                                                .left = left,
                                                .attribute = test->attribute,
                                                .threshold = threshold_of(test, &seen[order[place]]),
                                                .source = place};
        order[left] = test->left + falls;
        order[left + 1] = test->left + 1 - falls;
        splits++;
    }
}

/* The weighted examples of each class in each leaf. */
static void count_classes(const struct walk *walk, const uint32_t *weights, uint32_t classes, const uint32_t *leaf_of,
                          double *counts)
{
    for (uint32_t s = 0; s < walk->samples->count; s++) {
        uint16_t class = walk->samples->label[s];
        counts[(size_t)leaf_of[walk->leaves[s]] * classes + class] += weights[class];
    }
}

static enum shw_result reserve(const struct shw_trainer *trainer, uint32_t node_count, struct shw_record_trees *trees)
{
    uint64_t nodes = (uint64_t)trees->node_count + node_count;
    uint64_t values = (trees->leaf_count + (uint64_t)node_count / 2 + 1) * trainer->dataset->class_count;

    if (nodes > SHW_RECORD_NODES_MAX || values > UINT32_MAX)
        return shw_fail(&trainer->params.log, SHW_ERROR_LIMIT, SHW_LOG_TRAIN_PARAMETER,
                        "the trees have more than %u nodes or %u numbers in leaves: lower the number of trees, depth "
                        "or leaf_max, or raise samples_min",
                        SHW_RECORD_NODES_MAX, UINT32_MAX);
    return SHW_RESERVE(trees->trees, trees->tree_capacity, trees->tree_count + 1) &&
                   SHW_RESERVE(trees->nodes, trees->node_capacity, (size_t)nodes) &&
                   SHW_RESERVE(trees->leaf_values, trees->value_capacity, (size_t)values)
               ? SHW_OK
               : SHW_ERROR_MEMORY;
}

/* Puts the tree behind the others. */
static enum shw_result put_tree(const struct shw_trainer *trainer, const struct walk *walk, const uint32_t *weights,
                                uint32_t node_count, struct shw_record_trees *trees)
{
    uint32_t classes = trainer->dataset->class_count, leaf_count = node_count / 2 + 1;
    uint32_t *order = malloc(2 * (size_t)node_count * sizeof *order), *leaf_of = order + node_count;
    double *counts = calloc((size_t)leaf_count * classes, sizeof *counts);
    enum shw_result result = order != NULL && counts != NULL ? reserve(trainer, node_count, trees) : SHW_ERROR_MEMORY;

    if (result == SHW_OK) {
        struct shw_record_node *nodes = trees->nodes + trees->node_count;
        int32_t *values = trees->leaf_values + (size_t)trees->leaf_count * classes;
        put_nodes(walk->tests, walk->seen[0], node_count, order, nodes);
        for (uint32_t place = 0; place < node_count; place++)
            leaf_of[order[place]] = nodes[place].leaf;
        count_classes(walk, weights, classes, leaf_of, counts);
        for (uint32_t l = 0; l < leaf_count; l++)
            shw_record_shares(counts + (size_t)l * classes, classes, values + (size_t)l * classes);
        trees->trees[trees->tree_count] =
            (struct shw_record_tree){.first_node = trees->node_count, .node_count = node_count};
        trees->node_count += node_count;
        trees->leaf_count += leaf_count;
    }
    free(order);
    free(counts);
    return result;
}

static void mark_drawn(const struct walk *walk, uint64_t *drawn)
{
    for (uint32_t s = 0; s < walk->samples->count; s++) {
        uint32_t example = example_of(walk, s);
        drawn[example / 64] |= (uint64_t)1 << example % 64;
    }
}

static enum shw_result add_tree(const struct shw_trainer *trainer, struct walk *walk, struct test *tests,
                                uint64_t *counts, uint32_t *weights, struct shw_record_trees *trees)
{
    const struct shw_tree *tree = &trainer->trees[trees->tree_count];
    const struct shw_ranks *ranks = walk->images->ranks;
    uint32_t classes = trainer->dataset->class_count;

    SHW_PROPAGATE(shw_samples_count(&trainer->params.log, trainer->pool, walk->samples, classes, counts));
    shw_weights_scale(trainer->class_weights, counts, classes, weights);
    SHW_PROPAGATE(make_tests(trainer, walk->images, trees, tests));
    walk->tests = tests;
    SHW_PROPAGATE(walk_all(trainer, walk, tree->node_count));
    SHW_PROPAGATE(check_seen(trainer, trees, tests, walk->seen[0]));
    SHW_PROPAGATE(put_tree(trainer, walk, weights, tree->node_count, trees));
    if (trees->drawn != NULL)
        mark_drawn(walk, trees->drawn + trees->tree_count * shw_record_drawn_words(ranks));
    trees->tree_count++;
    return SHW_OK;
}

enum shw_result shw_record_trees_add(const struct shw_trainer *trainer, const struct shw_rank_images *images,
                                     const struct shw_records *records, struct shw_record_trees *trees)
{
    uint32_t threads = shw_thread_pool_size(trainer->pool), classes = trainer->dataset->class_count;
    const struct shw_tree *tree = &trainer->trees[trees->tree_count];
    struct shw_samples samples;
    struct walk walk = {
        .records = records, .images = images, .samples = &samples, .seen = calloc(threads, sizeof *walk.seen)};
    struct test *tests = malloc(tree->node_count * sizeof *tests);
    uint64_t *counts = malloc(classes * sizeof *counts);
    uint32_t *weights = malloc(classes * sizeof *weights);
    enum shw_result result = shw_trainer_check_interruption(trainer);

    if (result == SHW_OK)
        result = shw_samples_draw(&trainer->params, trainer->dataset, trainer->pool, &trainer->images,
                                  shw_trainer_part(trainer), trees->tree_count, &samples);
    else
        samples = (struct shw_samples){0};
    if (result == SHW_OK) {
        walk.leaves = malloc(samples.count * sizeof *walk.leaves);
        result = walk.seen != NULL && tests != NULL && counts != NULL && weights != NULL && walk.leaves != NULL
                     ? add_tree(trainer, &walk, tests, counts, weights, trees)
                     : SHW_ERROR_MEMORY;
        if (result == SHW_ERROR_MEMORY)
            shw_fail_memory(&trainer->params.log, "a tree");
    }
    for (uint32_t t = 0; walk.seen != NULL && t < threads; t++)
        free(walk.seen[t]);
    free(walk.seen);
    free(walk.leaves);
    free(tests);
    free(counts);
    free(weights);
    shw_samples_free(&samples);
    return result;
}

void shw_record_trees_free(struct shw_record_trees *trees)
{
    free(trees->trees);
    free(trees->nodes);
    free(trees->leaf_values);
    free(trees->drawn);
    *trees = (struct shw_record_trees){0};
}
