#include "bench/records.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_train.h>

#include "base/input_file.h"
#include "base/log.h"
#include "files/io/image_paths.h"
#include "records/model/builder.h"
#include "shared/random.h"

#define ATTRIBUTES  SHW_BENCH_PAPER_ATTRIBUTES
#define CLASSES     7u
#define NAME_BYTES  32u
#define RECORDS_MAX 2310u
#define SPLITS      15u /* of his tree, which has 31 nodes */
#define DEPTH       11u

/* The set, in the order of its two files. */
struct set {
    uint32_t count, class_count;
    float values[RECORDS_MAX][ATTRIBUTES];
    uint32_t classes[RECORDS_MAX];
    char names[CLASSES][NAME_BYTES];
};

static uint32_t class_of(struct set *set, const char *name, size_t length)
{
    uint32_t c = 0;

    while (c < set->class_count && (strlen(set->names[c]) != length || strncmp(set->names[c], name, length) != 0))
        c++;
    if (c == set->class_count && c < CLASSES && length < NAME_BYTES) {
        memcpy(set->names[c], name, length);
        set->class_count++;
    }
    return c;
}

/* A record is a class and 19 numbers, separated by commas; other lines are comments, the names and empty ones. */
static bool read_record(struct set *set, const char *line)
{
    const char *at = strchr(line, ',');
    uint32_t r = set->count, a = 0;
    char *end;

    if (at == NULL || r == RECORDS_MAX)
        return false;
    set->classes[r] = class_of(set, line, (size_t)(at - line));
    while (*at == ',' && a < ATTRIBUTES) {
        set->values[r][a++] = strtof(at + 1, &end);
        if (end == at + 1)
            return false;
        at = end;
    }
    return set->classes[r] < CLASSES && a == ATTRIBUTES && (*at == '\0' || *at == '\n' || *at == '\r');
}

static bool is_record(const char *line)
{
    size_t length = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

    return length > 0 && line[length] == ',';
}

static enum shw_result read_lines(FILE *file, const char *path, const struct shw_log *log, struct set *set)
{
    char line[1024];

    for (uint32_t number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (!is_record(line))
            continue;
        if (!read_record(set, line))
            return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_DATASET,
                            "%s, line %u: not a class of %u and %u numbers, or more than %u records", path, number,
                            CLASSES, ATTRIBUTES, RECORDS_MAX);
        set->count++;
    }
    return SHW_OK;
}

/* Reads a file of the set in a folder; *found is false if it is not there. */
static enum shw_result read_file(const char *folder, const char *name, const struct shw_log *log, struct set *set,
                                 bool *found)
{
    char *path = shw_path_join(folder, "/", name);
    enum shw_result result = path != NULL ? SHW_OK : shw_fail_memory(log, folder);
    uint64_t size;
    FILE *file;

    *found = path != NULL && shw_file_open(path, NULL, &file, &size) == SHW_OK;
    if (*found) {
        result = read_lines(file, path, log, set);
        fclose(file);
    }
    free(path);
    return result;
}

/* Both files of a folder, or none. */
static enum shw_result read_folder(const char *folder, const struct shw_log *log, struct set *set)
{
    bool found;

    SHW_PROPAGATE(read_file(folder, "segmentation.data", log, set, &found));
    if (found)
        SHW_PROPAGATE(read_file(folder, "segmentation.test", log, set, &found));
    if (!found)
        set->count = 0;
    return SHW_OK;
}

static enum shw_result read_set(const struct shw_bench *bench, struct set *set)
{
    const char *folders[] = {bench->options.data, getenv("SHADEWOOD_DATA")};

    for (size_t f = 0; f < sizeof folders / sizeof *folders && set->count == 0; f++) {
        char *inner;
        enum shw_result result;
        if (folders[f] == NULL)
            continue;
        SHW_PROPAGATE(read_folder(folders[f], &bench->log, set));
        if (set->count > 0)
            break;
        inner = shw_path_join(folders[f], "/", "uci_segment");
        if (inner == NULL)
            return shw_fail_memory(&bench->log, folders[f]);
        result = read_folder(inner, &bench->log, set);
        free(inner);
        SHW_PROPAGATE(result);
    }
    return SHW_OK;
}

/* As many records of as many classes, in overlapping clouds. */
static void generate(struct set *set)
{
    set->count = RECORDS_MAX;
    set->class_count = CLASSES;
    for (uint32_t c = 0; c < CLASSES; c++)
        snprintf(set->names[c], NAME_BYTES, "CLOUD%u", c);
    for (uint32_t r = 0; r < set->count; r++) {
        uint32_t c = set->classes[r] = r % CLASSES;
        for (uint32_t a = 0; a < ATTRIBUTES; a++) {
            struct shw_uint2 noise = shw_random2(11, r, a);
            double centre = shw_random(12, c, a) * 0x1p-32;
            set->values[r][a] = (float)(centre + (noise.x * 0x1p-32 + noise.y * 0x1p-32 - 1) * 0.9);
        }
    }
}

/* Whole, without a limit. */
static enum shw_result train(const struct shw_bench *bench, const struct set *set, struct shw_record_forest **forest)
{
    const char *names[CLASSES];
    const struct shw_record_examples examples = {
        .records = {.values = &set->values[0][0], .count = set->count, .attribute_count = ATTRIBUTES},
        .classes = set->classes,
        .class_count = set->class_count,
        .class_names = names};
    const struct shw_record_trainer_params params = {.tree_count = 1,
                                                     .attributes = SHW_RECORD_ATTRIBUTES_ALL,
                                                     .records_percent = 100,
                                                     .technique = SHW_TECHNIQUE_CPU,
                                                     .log = bench->log};

    for (uint32_t c = 0; c < set->class_count; c++)
        names[c] = set->names[c];
    return shw_record_train(&params, &examples, forest);
}

/* A tree that is cut back. */
struct cutting {
    const struct shw_record_node *nodes;
    uint32_t node_count;
    double (*counts)[CLASSES]; /* [node] records of each class */
    uint32_t *parents;
    bool *is_kept; /* splits */
    uint32_t kept;
};

static void count_records(struct cutting *cutting, const struct set *set)
{
    for (uint32_t n = 0; n < cutting->node_count; n++)
        if (cutting->nodes[n].is_split)
            cutting->parents[cutting->nodes[n].left] = cutting->parents[cutting->nodes[n].left + 1] = n;
    for (uint32_t r = 0; r < set->count; r++) {
        uint32_t n = 0;
        cutting->counts[0][set->classes[r]]++;
        while (cutting->nodes[n].is_split) {
            const struct shw_record_node *node = &cutting->nodes[n];
            n = node->left + (shw_record_code_of(set->values[r][node->attribute]) > node->threshold ? 1 : 0);
            cutting->counts[n][set->classes[r]]++;
        }
    }
}

/* Gini's impurity times the records. */
static double impurity(const struct cutting *cutting, uint32_t n)
{
    double sum = 0, squares = 0;

    for (uint32_t c = 0; c < CLASSES; c++) {
        sum += cutting->counts[n][c];
        squares += cutting->counts[n][c] * cutting->counts[n][c];
    }
    return sum > 0 ? sum - squares / sum : 0;
}

static double gain(const struct cutting *cutting, uint32_t n)
{
    uint32_t left = cutting->nodes[n].left;

    return impurity(cutting, n) - impurity(cutting, left) - impurity(cutting, left + 1);
}

static uint32_t depth_of(const struct cutting *cutting, uint32_t n)
{
    uint32_t depth = 0;

    for (; n != 0; n = cutting->parents[n])
        depth++;
    return depth;
}

/* Keeps a path of his depth, to the split with the greatest gain at that depth, or the longest path. */
static void keep_path(struct cutting *cutting)
{
    uint32_t best = 0, deepest = 0;

    if (!cutting->nodes[0].is_split)
        return;
    for (uint32_t n = 0; n < cutting->node_count; n++) {
        uint32_t depth = depth_of(cutting, n) + 1; /* with its own test */
        if (!cutting->nodes[n].is_split || depth > DEPTH || depth < deepest)
            continue;
        if (depth > deepest || gain(cutting, n) > gain(cutting, best))
            best = n;
        deepest = depth;
    }
    for (uint32_t n = best;; n = cutting->parents[n]) {
        cutting->is_kept[n] = true;
        cutting->kept++;
        if (n == 0)
            return;
    }
}

/* Keeps the splits with the greatest gains of those whose parents are kept, down to his depth. */
static void keep_best(struct cutting *cutting)
{
    while (cutting->kept < SPLITS) {
        uint32_t best = UINT32_MAX;
        for (uint32_t n = 1; n < cutting->node_count; n++)
            if (cutting->nodes[n].is_split && !cutting->is_kept[n] && cutting->is_kept[cutting->parents[n]] &&
                depth_of(cutting, n) < DEPTH && (best == UINT32_MAX || gain(cutting, n) > gain(cutting, best)))
                best = n;
        if (best == UINT32_MAX)
            return;
        cutting->is_kept[best] = true;
        cutting->kept++;
    }
}

static enum shw_result build(const struct cutting *cutting, const struct shw_record_forest_info *whole,
                             const struct shw_log *log, struct shw_record_forest **forest)
{
    const struct shw_record_builder_params params = {.info = *whole, .scale = SHW_RECORD_SCALE_SHARES};
    struct shw_record_builder_node *nodes = calloc(cutting->node_count, sizeof *nodes);
    struct shw_record_builder *builder = NULL;
    enum shw_result result = nodes != NULL ? SHW_OK : shw_fail_memory(log, "a tree");

    for (uint32_t n = 0; nodes != NULL && n < cutting->node_count; n++) {
        const struct shw_record_node *node = &cutting->nodes[n];
        nodes[n] = (struct shw_record_builder_node){.is_split = cutting->is_kept[n],
                                                    .left = node->left,
                                                    .right = node->left + 1,
                                                    .attribute = node->attribute,
                                                    .threshold = node->threshold,
                                                    .source = n,
                                                    .values = cutting->counts[n]};
    }
    if (result == SHW_OK)
        result = shw_record_builder_create("the tree of the experiment", whole->output_count, log, &builder);
    if (result == SHW_OK)
        result = shw_record_builder_add(builder, nodes, cutting->node_count, 0);
    if (result == SHW_OK)
        result = shw_record_builder_finish(builder, &params, forest);
    shw_record_builder_destroy(&builder);
    free(nodes);
    return result;
}

/* The share of records whose leaf has most records of their class. */
static double accuracy_of(const struct cutting *cutting, const struct set *set)
{
    double right = 0;

    for (uint32_t n = 0; n < cutting->node_count; n++) {
        bool is_leaf = !cutting->is_kept[n] && (n == 0 || cutting->is_kept[cutting->parents[n]]);
        double most = 0;
        for (uint32_t c = 0; is_leaf && c < CLASSES; c++)
            most = fmax(most, cutting->counts[n][c]);
        right += most;
    }
    return right / set->count;
}

static enum shw_result cut_back(const struct shw_record_forest *whole, const struct set *set, const struct shw_log *log,
                                struct shw_bench_paper *paper)
{
    const struct shw_record_forest_info *info = shw_record_forest_get_info(whole);
    struct cutting cutting = {.nodes = info->nodes,
                              .node_count = info->node_count,
                              .counts = calloc(info->node_count, sizeof *cutting.counts),
                              .parents = calloc(info->node_count, sizeof *cutting.parents),
                              .is_kept = calloc(info->node_count, sizeof *cutting.is_kept)};
    enum shw_result result;

    if (cutting.counts == NULL || cutting.parents == NULL || cutting.is_kept == NULL) {
        result = shw_fail_memory(log, "a tree");
    } else {
        count_records(&cutting, set);
        keep_path(&cutting);
        keep_best(&cutting);
        paper->accuracy = accuracy_of(&cutting, set);
        result = build(&cutting, info, log, &paper->forest);
    }
    free(cutting.counts);
    free(cutting.parents);
    free(cutting.is_kept);
    return result;
}

/* The set repeated in random orders. */
static bool shuffle(const struct set *set, struct shw_bench_paper *paper)
{
    uint32_t order[RECORDS_MAX];

    paper->values = malloc(SHW_BENCH_PAPER_RECORDS * sizeof set->values[0]);
    for (uint32_t r = 0; paper->values != NULL && r < SHW_BENCH_PAPER_RECORDS; r++) {
        uint32_t place = r % set->count;
        if (place == 0)
            for (uint32_t i = 0; i < set->count; i++) {
                uint32_t j = shw_random_below(shw_random(13, r, i), i + 1);
                order[i] = order[j];
                order[j] = i;
            }
        memcpy(paper->values + (size_t)r * ATTRIBUTES, set->values[order[place]], sizeof set->values[0]);
    }
    return paper->values != NULL;
}

enum shw_result shw_bench_paper_make(struct shw_bench *bench, struct shw_bench_paper *paper)
{
    struct set *set = calloc(1, sizeof *set);
    struct shw_record_forest *whole = NULL;
    enum shw_result result;

    *paper = (struct shw_bench_paper){0};
    if (set == NULL)
        return shw_fail_memory(&bench->log, "the records of the experiment");
    result = read_set(bench, set);
    if (result == SHW_OK && set->count == 0) {
        paper->is_generated = true;
        generate(set);
    }
    if (result == SHW_OK)
        result = train(bench, set, &whole);
    if (result == SHW_OK)
        result = cut_back(whole, set, &bench->log, paper);
    if (result == SHW_OK && !shuffle(set, paper))
        result = shw_fail_memory(&bench->log, "the records of the experiment");
    shw_record_forest_destroy(&whole);
    free(set);
    return result;
}

void shw_bench_paper_free(struct shw_bench_paper *paper)
{
    shw_record_forest_destroy(&paper->forest);
    free(paper->values);
    *paper = (struct shw_bench_paper){0};
}
