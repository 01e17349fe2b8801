/* The file of a record forest: its texture, names, links, metadata, loading and saving. */
#include "records/model/record_forest.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/atomic_file.h"
#include "base/class.h"
#include "base/log.h"

/* What a file's metadata says. */
struct shw_record_metadata {
    void *root;    /* the parsed JSON, which has the names */
    bool has_sets; /* by its version */
    const char **attribute_names, **class_names, **output_names;
    uint32_t attribute_count, class_count, output_count; /* numbers of names; 0 without */
    int64_t *base;
    uint32_t base_count;
    char *training;
};

#define SHW_RECORD_TASK_COUNT 2u

/* First texels; they follow from the counts. */
struct layout {
    uint64_t nodes, values, sets, end;
};

static struct layout lay_out(const struct shw_record_forest_info *info)
{
    struct layout layout = {.nodes = SHW_RECORD_TREES_AT + (uint64_t)SHW_RECORD_TREE_TEXELS * info->tree_count};

    layout.values = layout.nodes + info->node_count;
    layout.sets = layout.values + ((uint64_t)info->leaf_count * info->values_per_leaf + 3) / 4;
    layout.end = layout.sets + ((uint64_t)info->set_word_count + 3) / 4;
    return layout;
}

uint64_t shw_record_forest_count_texels(const struct shw_record_forest_info *info)
{
    return lay_out(info).end;
}

uint32_t shw_record_forest_get_sets_texel(const struct shw_record_forest_info *info)
{
    return info->set_word_count > 0 ? (uint32_t)lay_out(info).sets : 0;
}

static void pack_header(uint32_t *words, const struct shw_record_forest_info *info, const struct layout *layout)
{
    words[0] = info->tree_count;
    words[1] = info->output_count;
    words[2] = (uint32_t)layout->values;
    words[3] = info->leaf_count;
    words[4] = info->attribute_count;
    words[5] = info->values_per_leaf;
    words[6] = info->node_count;
    words[7] = info->set_word_count;
}

static void pack_tree(uint32_t *words, const struct shw_record_tree *tree, const struct layout *layout)
{
    words[0] = (uint32_t)layout->nodes + tree->first_node;
    words[1] = tree->node_count;
    words[2] = tree->depth;
    words[3] = tree->first_leaf;
    words[4] = tree->output;
    words[5] = tree->leaf_count;
}

static void pack_node(uint32_t *words, const struct shw_record_node *node)
{
    words[0] = node->left;
    words[1] = node->attribute | (uint32_t)node->is_split << SHW_RECORD_SPLIT_SHIFT |
               (uint32_t)node->missing_right << SHW_RECORD_MISSING_RIGHT_SHIFT |
               (uint32_t)node->zero_missing << SHW_RECORD_ZERO_MISSING_SHIFT |
               (uint32_t)node->is_set << SHW_RECORD_SET_SHIFT;
    words[2] = node->is_split ? (uint32_t)node->threshold : node->leaf;
    words[3] = node->source;
}

bool shw_record_forest_pack(struct shw_record_forest *forest)
{
    const struct shw_record_forest_info *info = &forest->info;
    const struct layout layout = lay_out(info);
    struct shw_ktx2 image = {0};
    uint32_t *texels;

    shw_ktx2_fit(layout.end, &image);
    texels = calloc((size_t)image.width * image.height * image.layers, 16);
    if (texels == NULL)
        return false;
    pack_header(texels, info, &layout);
    for (uint32_t t = 0; t < info->tree_count; t++)
        pack_tree(texels + 4 * (SHW_RECORD_TREES_AT + (size_t)SHW_RECORD_TREE_TEXELS * t), &info->trees[t], &layout);
    for (uint32_t n = 0; n < info->node_count; n++)
        pack_node(texels + 4 * (layout.nodes + n), &info->nodes[n]);
    memcpy(texels + 4 * layout.values, info->leaf_values,
           (size_t)info->leaf_count * info->values_per_leaf * sizeof *info->leaf_values);
    if (info->set_word_count > 0)
        memcpy(texels + 4 * layout.sets, info->sets, info->set_word_count * sizeof *info->sets);
    forest->texels = texels;
    forest->width = image.width;
    forest->height = image.height;
    forest->layers = image.layers;
    return true;
}

/* Texels of a file may be unaligned. */
static const char *texel_at(const struct shw_ktx2 *image, uint64_t texel)
{
    return (const char *)image->texels + 16 * texel;
}

/* The counts, and that the texture has the size that follows from them, so that nothing larger than it is allocated. */
static enum shw_result unpack_header(const struct shw_ktx2 *image, const struct shw_record_forest_source *source,
                                     struct shw_record_forest_info *info)
{
    uint32_t words[4 * SHW_RECORD_TREES_AT];
    struct shw_ktx2 expected = {0};

    if ((uint64_t)image->width * image->height * image->layers < SHW_RECORD_TREES_AT)
        return SHW_BAD_RECORD_FOREST(source, "%s", "a texture of 1 texel");
    memcpy(words, image->texels, sizeof words);
    info->tree_count = words[0];
    info->output_count = words[1];
    info->leaf_count = words[3];
    info->attribute_count = words[4];
    info->values_per_leaf = words[5];
    info->node_count = words[6];
    info->set_word_count = words[7];
    if (!shw_ktx2_fit(lay_out(info).end, &expected) || image->width != expected.width ||
        image->height != expected.height || image->layers != expected.layers)
        return SHW_BAD_RECORD_FOREST(
            source,
            "a texture of %u x %u x %u texels, which is not what %u trees, %u nodes, %u values of %u leaves and %u "
            "words of sets take",
            image->width, image->height, image->layers, info->tree_count, info->node_count, info->values_per_leaf,
            info->leaf_count, info->set_word_count);
    return SHW_OK;
}

static struct shw_record_tree unpack_tree(const char *texels, const struct layout *layout)
{
    uint32_t words[4 * SHW_RECORD_TREE_TEXELS];

    memcpy(words, texels, sizeof words);
    return (struct shw_record_tree){
        .first_node = words[0] - (uint32_t)layout->nodes, .node_count = words[1], .output = words[4]};
}

static struct shw_record_node unpack_node(const char *texel)
{
    uint32_t words[4];
    bool is_split;

    memcpy(words, texel, sizeof words);
    is_split = (words[1] >> SHW_RECORD_SPLIT_SHIFT & 1u) != 0;
    return (struct shw_record_node){
        .is_split = is_split,
        .missing_right = (words[1] >> SHW_RECORD_MISSING_RIGHT_SHIFT & 1u) != 0,
        .zero_missing = (words[1] >> SHW_RECORD_ZERO_MISSING_SHIFT & 1u) != 0,
        .is_set = (words[1] >> SHW_RECORD_SET_SHIFT & 1u) != 0,
        .left = words[0],
        .attribute = words[1] & SHW_RECORD_ATTRIBUTE_MASK,
        .threshold = is_split ? (int32_t)words[2] : 0,
        .leaf = is_split ? 0 : words[2],
        .source = words[3],
    };
}

/* At least one byte, so that nothing allocated is NULL. */
static void *allocate(uint64_t count, size_t size)
{
    return calloc(count > 0 ? (size_t)count : 1, size);
}

/* The arrays of a texture that is not trusted, to be freed with record_forest_free_arrays(), and what else it says.
 * They need not be a record forest. */
static enum shw_result record_forest_unpack(const struct shw_ktx2 *image, const struct shw_record_forest_source *source,
                                            struct shw_record_forest_info *info)
{
    uint64_t value_count;
    struct layout layout;
    struct shw_record_tree *trees;
    struct shw_record_node *nodes;
    int32_t *values;
    uint32_t *sets;

    SHW_PROPAGATE(unpack_header(image, source, info));
    layout = lay_out(info);
    value_count = (uint64_t)info->leaf_count * info->values_per_leaf;
    info->trees = trees = allocate(info->tree_count, sizeof *trees);
    info->nodes = nodes = allocate(info->node_count, sizeof *nodes);
    info->leaf_values = values = allocate(value_count, sizeof *values);
    info->sets = sets = allocate(info->set_word_count, sizeof *sets);
    if (trees == NULL || nodes == NULL || values == NULL || sets == NULL)
        return shw_fail_memory(source->log, source->name);
    for (uint32_t t = 0; t < info->tree_count; t++)
        trees[t] = unpack_tree(texel_at(image, SHW_RECORD_TREES_AT + (uint64_t)SHW_RECORD_TREE_TEXELS * t), &layout);
    for (uint32_t n = 0; n < info->node_count; n++)
        nodes[n] = unpack_node(texel_at(image, layout.nodes + n));
    memcpy(values, texel_at(image, layout.values), (size_t)value_count * sizeof *values);
    memcpy(sets, texel_at(image, layout.sets), info->set_word_count * sizeof *sets);
    return SHW_OK;
}

static void record_forest_free_arrays(struct shw_record_forest_info *info)
{
    free((void *)info->trees);
    free((void *)info->nodes);
    free((void *)info->leaf_values);
    free((void *)info->sets);
    info->trees = NULL;
    info->nodes = NULL;
    info->leaf_values = NULL;
    info->sets = NULL;
}

static const struct shw_record_link_traits links[] = {
    [SHW_RECORD_IDENTITY] = {.name = "identity"},
    [SHW_RECORD_LOGISTIC] = {.name = "logistic", .is_probability = true, .has_scale = true},
    [SHW_RECORD_SOFTMAX] = {.name = "softmax", .is_probability = true, .sums_to_one = true},
    [SHW_RECORD_SOFTMAX_ZERO] = {.name = "softmax-zero", .is_probability = true, .sums_to_one = true},
    [SHW_RECORD_EXP] = {.name = "exp"},
    [SHW_RECORD_PROBIT] = {.name = "probit"},
    [SHW_RECORD_SOFTPLUS] = {.name = "softplus"},
    [SHW_RECORD_SIGNED_SQUARE] = {.name = "signed-square"},
};
_Static_assert(sizeof links / sizeof *links == SHW_RECORD_LINK_COUNT, "a line for each link");

static const char *const task_names[SHW_RECORD_TASK_COUNT] = {
    [SHW_RECORD_CLASSES] = "classes",
    [SHW_RECORD_VALUES] = "values",
};

const char *shw_record_link_name(enum shw_record_link link)
{
    return (uint32_t)link < SHW_RECORD_LINK_COUNT ? links[link].name : NULL;
}

const struct shw_record_link_traits *shw_record_link_get_traits(enum shw_record_link link)
{
    return &links[link];
}

const char *shw_record_task_name(enum shw_record_task task)
{
    return (uint32_t)task < SHW_RECORD_TASK_COUNT ? task_names[task] : NULL;
}

/* The name, or the number in `digits`. */
static const char *name_at(const char *const *names, uint32_t index, char digits[static 11])
{
    if (names != NULL)
        return names[index];
    snprintf(digits, 11, "%" PRIu32, index);
    return digits;
}

const char **shw_record_names_copy(const char *const *names, uint32_t count)
{
    size_t size = 0;
    char digits[11];
    const char **copies;
    char *text;

    for (uint32_t i = 0; i < count; i++)
        size += strlen(name_at(names, i, digits)) + 1;
    copies = malloc(count * sizeof *copies + size);
    if (copies == NULL)
        return NULL;
    text = (char *)(copies + count);
    for (uint32_t i = 0; i < count; i++) {
        const char *name = name_at(names, i, digits);
        size_t length = strlen(name) + 1;
        copies[i] = memcpy(text, name, length);
        text += length;
    }
    return copies;
}

/* The first of `count` names that is the same; `count` if there is none. */
static uint32_t find_name(const char *const *names, uint32_t count, const char *name)
{
    uint32_t i = 0;

    while (i < count && strcmp(names[i], name) != 0)
        i++;
    return i;
}

/* Appends the number of the class until no other has that name. */
static enum shw_result number_name(const char *const *names, uint32_t count, uint32_t class,
                                   const struct shw_record_forest_source *source, char numbered[SHW_CLASS_NAME_MAX + 1])
{
    char number[24];
    const int length = snprintf(number, sizeof number, " (class %" PRIu32 ")", class);
    size_t used = strlen(names[class]);

    if (used <= SHW_CLASS_NAME_MAX)
        strcpy(numbered, names[class]);
    do {
        if (used + (size_t)length > SHW_CLASS_NAME_MAX)
            return SHW_BAD_RECORD_FOREST(source, "classes %" PRIu32 " and %" PRIu32 " have the same name, '%.60s...'",
                                         find_name(names, count, names[class]), class, names[class]);
        strcpy(numbered + used, number);
        used += (size_t)length;
    } while (find_name(names, count, numbered) < count);
    return SHW_OK;
}

enum shw_result shw_record_names_make_distinct(const char *const *names, uint32_t count,
                                               const struct shw_record_forest_source *source, const char ***distinct)
{
    uint32_t repeated = 0, first = 0;
    char *room;

    *distinct = NULL;
    for (uint32_t i = count; i > 0; i--)
        if (find_name(names, i - 1, names[i - 1]) < i - 1) {
            first = i - 1;
            repeated++;
        }
    if (repeated == 0)
        return SHW_OK;
    *distinct = malloc(count * sizeof **distinct + (size_t)repeated * (SHW_CLASS_NAME_MAX + 1));
    if (*distinct == NULL)
        return shw_fail_memory(source->log, source->name);
    room = (char *)(*distinct + count);
    for (uint32_t i = 0; i < count; i++) {
        (*distinct)[i] = names[i];
        if (find_name(names, i, names[i]) == i)
            continue;
        SHW_PROPAGATE(number_name(names, count, i, source, room));
        (*distinct)[i] = room;
        room += SHW_CLASS_NAME_MAX + 1;
    }
    shw_log_message(source->log, SHW_LOG_WARNING, SHW_LOG_RECORD_FOREST,
                    "%s: classes %" PRIu32 " and %" PRIu32 " are both called '%s': here, the latter is '%s'%s",
                    source->name, find_name(names, first, names[first]), first, names[first], (*distinct)[first],
                    repeated > 1 ? ", and others are numbered in the same way" : "");
    return SHW_OK;
}

#define FORMAT_VERSION            2 /* with sets */
#define FORMAT_VERSION_THRESHOLDS 1
#define JSON_FLAGS                (JSON_COMPACT | JSON_SORT_KEYS)

/* An array of items; `item` makes one of them. NULL if memory runs out. */
static json_t *format_array(const void *items, uint32_t count, json_t *(*item)(const void *items, uint32_t index))
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < count && array != NULL; i++)
        if (json_array_append_new(array, item(items, i)) != 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

static json_t *format_name(const void *items, uint32_t index)
{
    return json_string(((const char *const *)items)[index]);
}

static json_t *format_integer(const void *items, uint32_t index)
{
    return json_integer(((const int64_t *)items)[index]);
}

/* Adds a member, whose reference is taken. False if it is NULL or cannot be added. */
static bool add(json_t *root, const char *name, json_t *member)
{
    return json_object_set_new(root, name, member) == 0;
}

static bool add_names(json_t *root, const char *name, const char *const *names, uint32_t count)
{
    return names == NULL || add(root, name, format_array(names, count, format_name));
}

/* The metadata as JSON, to be freed with free(); NULL if out of memory. */
static char *record_forest_format_metadata(const struct shw_record_forest_info *info)
{
    json_t *root =
        json_pack("{s:i, s:s, s:s, s:b, s:i, s:o}", "version",
                  info->set_word_count > 0 ? FORMAT_VERSION : FORMAT_VERSION_THRESHOLDS, "task",
                  shw_record_task_name(info->task), "link", shw_record_link_name(info->link), "mean", (int)info->mean,
                  "fraction_bits", (int)info->fraction_bits, "training", json_loads(info->training, 0, NULL));
    bool whole = root != NULL && add(root, "base", format_array(info->base, info->output_count, format_integer)) &&
                 add_names(root, "attributes", info->attribute_names, info->attribute_count) &&
                 add_names(root, "classes", info->class_names, info->class_count) &&
                 add_names(root, "outputs", info->output_names, info->output_count);
    char *text;

    if (whole && shw_record_link_get_traits(info->link)->has_scale)
        whole = add(root, "link_scale", json_real(info->link_scale));
    if (whole && info->class_count > info->output_count)
        whole = add(root, "cut", json_integer(info->cut));
    text = whole ? json_dumps(root, JSON_FLAGS) : NULL;
    json_decref(root);
    return text;
}

static enum shw_result check_version(const json_t *root, const struct shw_record_forest_source *source)
{
    const json_t *version = json_object_get(root, "version");

    if (!json_is_integer(version) || json_integer_value(version) < 1)
        return SHW_BAD_RECORD_FOREST(source, "%s", "the metadata has no format version");
    if (json_integer_value(version) > FORMAT_VERSION)
        return shw_fail(
            source->log, SHW_ERROR_VERSION, SHW_LOG_FOREST_VERSION,
            "%s: record forest format %lld, but this version of Shadewood reads only up to %d; use a newer one",
            source->name, (long long)json_integer_value(version), FORMAT_VERSION);
    return SHW_OK;
}

static enum shw_result parse_task(const char *name, const struct shw_record_forest_source *source,
                                  enum shw_record_task *task)
{
    for (uint32_t t = 0; t < SHW_RECORD_TASK_COUNT; t++)
        if (strcmp(name, shw_record_task_name((enum shw_record_task)t)) == 0) {
            *task = (enum shw_record_task)t;
            return SHW_OK;
        }
    return SHW_BAD_RECORD_FOREST(source, "there is no task '%s'; a newer version of Shadewood may have it", name);
}

static enum shw_result parse_link(const char *name, const struct shw_record_forest_source *source,
                                  enum shw_record_link *link)
{
    for (uint32_t l = 0; l < SHW_RECORD_LINK_COUNT; l++)
        if (strcmp(name, shw_record_link_name((enum shw_record_link)l)) == 0) {
            *link = (enum shw_record_link)l;
            return SHW_OK;
        }
    return SHW_BAD_RECORD_FOREST(source, "there is no link '%s'; a newer version of Shadewood may have it", name);
}

/* Names of a list, which stay its own. */
static enum shw_result parse_names(const json_t *array, const char *what, uint32_t most,
                                   const struct shw_record_forest_source *source, const char ***out, uint32_t *count)
{
    size_t size = json_array_size(array);
    const char **names;

    if (array == NULL)
        return SHW_OK;
    if (!json_is_array(array) || size < 1 || size > most)
        return SHW_BAD_RECORD_FOREST(source, "%s in the metadata are not a list of 1 to %u names", what, most);
    *out = names = calloc(size, sizeof *names);
    if (names == NULL)
        return shw_fail_memory(source->log, source->name);
    *count = (uint32_t)size;
    for (size_t i = 0; i < size; i++) {
        names[i] = json_string_value(json_array_get(array, i));
        if (names[i] == NULL)
            return SHW_BAD_RECORD_FOREST(source, "%s[%zu] in the metadata is not a name", what, i);
    }
    return SHW_OK;
}

static enum shw_result parse_base(const json_t *array, const struct shw_record_forest_source *source,
                                  struct shw_record_metadata *metadata)
{
    size_t size = json_array_size(array);

    if (!json_is_array(array) || size < 1 || size > SHW_RECORD_OUTPUTS_MAX)
        return SHW_BAD_RECORD_FOREST(source, "the base in the metadata is not a list of 1 to %u integers",
                                     SHW_RECORD_OUTPUTS_MAX);
    metadata->base = calloc(size, sizeof *metadata->base);
    if (metadata->base == NULL)
        return shw_fail_memory(source->log, source->name);
    metadata->base_count = (uint32_t)size;
    for (size_t i = 0; i < size; i++) {
        const json_t *value = json_array_get(array, i);
        if (!json_is_integer(value))
            return SHW_BAD_RECORD_FOREST(source, "base[%zu] in the metadata is not an integer", i);
        metadata->base[i] = json_integer_value(value);
    }
    return SHW_OK;
}

static enum shw_result parse_lists(const json_t *root, const struct shw_record_forest_source *source,
                                   struct shw_record_metadata *metadata)
{
    SHW_PROPAGATE(parse_names(json_object_get(root, "attributes"), "attributes", SHW_RECORD_ATTRIBUTES_MAX, source,
                              &metadata->attribute_names, &metadata->attribute_count));
    SHW_PROPAGATE(parse_names(json_object_get(root, "classes"), "classes", SHW_RECORD_OUTPUTS_MAX, source,
                              &metadata->class_names, &metadata->class_count));
    SHW_PROPAGATE(parse_names(json_object_get(root, "outputs"), "outputs", SHW_RECORD_OUTPUTS_MAX, source,
                              &metadata->output_names, &metadata->output_count));
    return parse_base(json_object_get(root, "base"), source, metadata);
}

/* What does not fit is left to the check as a number that nothing may be. */
static int32_t to_fraction_bits(json_int_t value)
{
    return value >= INT32_MIN && value <= INT32_MAX ? (int32_t)value : INT32_MIN;
}

static enum shw_result parse_root(json_t *root, const struct shw_record_forest_source *source,
                                  struct shw_record_metadata *metadata, struct shw_record_forest_info *info)
{
    json_t *training, *lists[4] = {NULL};
    const char *task, *link;
    double link_scale = 1;
    json_int_t version, fraction_bits, cut = 0;
    int mean;
    json_error_t error;

    SHW_PROPAGATE(check_version(root, source));
    if (json_unpack_ex(root, &error, JSON_STRICT, "{s:I, s:s, s:s, s:b, s:I, s:o, s:o, s?o, s?o, s?o, s?F, s?I}",
                       "version", &version, "task", &task, "link", &link, "mean", &mean, "fraction_bits",
                       &fraction_bits, "training", &training, "base", &lists[0], "attributes", &lists[1], "classes",
                       &lists[2], "outputs", &lists[3], "link_scale", &link_scale, "cut", &cut) != 0)
        return SHW_BAD_RECORD_FOREST(source, "metadata: %s", error.text);
    if (!json_is_object(training))
        return SHW_BAD_RECORD_FOREST(source, "%s", "the provenance is not a JSON object");
    SHW_PROPAGATE(parse_task(task, source, &info->task));
    SHW_PROPAGATE(parse_link(link, source, &info->link));
    SHW_PROPAGATE(parse_lists(root, source, metadata));
    metadata->training = json_dumps(training, JSON_FLAGS);
    if (metadata->training == NULL)
        return shw_fail_memory(source->log, source->name);
    metadata->has_sets = version == FORMAT_VERSION;
    info->mean = mean != 0;
    info->link_scale = link_scale;
    info->fraction_bits = to_fraction_bits(fraction_bits);
    info->cut = cut;
    info->class_count = metadata->class_count;
    info->attribute_names = metadata->attribute_names;
    info->class_names = metadata->class_names;
    info->output_names = metadata->output_names;
    info->base = metadata->base;
    info->training = metadata->training;
    return SHW_OK;
}

/* Parses `length` bytes of JSON, the version first, and sets what it says in `info`, which then points into *metadata;
 * that is to be freed with record_metadata_free(), also on failure. */
static enum shw_result record_metadata_parse(const char *text, size_t length,
                                             const struct shw_record_forest_source *source,
                                             struct shw_record_metadata *metadata, struct shw_record_forest_info *info)
{
    json_error_t error;
    json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);

    *metadata = (struct shw_record_metadata){.root = root};
    if (root == NULL)
        return SHW_BAD_RECORD_FOREST(source, "metadata, byte %d: %s", error.position, error.text);
    if (!json_is_object(root)) /* arrays are accepted by the parser, too */
        return SHW_BAD_RECORD_FOREST(source, "%s", "the metadata is not a JSON object");
    return parse_root(root, source, metadata, info);
}

static void record_metadata_free(struct shw_record_metadata *metadata)
{
    json_decref(metadata->root);
    free(metadata->attribute_names);
    free(metadata->class_names);
    free(metadata->output_names);
    free(metadata->base);
    free(metadata->training);
    *metadata = (struct shw_record_metadata){0};
}

enum shw_result shw_record_forest_save_memory(const struct shw_record_forest *forest, void **bytes, size_t *size)
{
    SHW_REFUSE_NULL(NULL, forest);
    SHW_REFUSE_NULL(NULL, bytes);
    SHW_REFUSE_NULL(NULL, size);

    char *metadata = record_forest_format_metadata(&forest->info);
    const struct shw_ktx2 image = {
        .content = SHW_KTX2_RECORD_FOREST,
        .width = forest->width,
        .height = forest->height,
        .layers = forest->layers,
        .texels = forest->texels,
        .metadata = metadata,
    };
    enum shw_result result = shw_ktx2_write(&image, bytes, size);

    free(metadata);
    return result;
}

enum shw_result shw_record_forest_save(const struct shw_record_forest *forest, const char *path,
                                       const struct shw_log *log)
{
    SHW_REFUSE_NULL(log, forest);
    SHW_REFUSE_NULL(log, path);

    void *bytes;
    size_t size;
    enum shw_result result = shw_record_forest_save_memory(forest, &bytes, &size);

    if (result != SHW_OK)
        return shw_fail_memory(log, path);
    result = shw_atomic_file_write(path, bytes, size, log);
    free(bytes);
    return result;
}

/* A record forest has only one texture: bits that no tree, node or leaf has are damage. */
static enum shw_result check_texels(const struct shw_record_forest *forest, const struct shw_ktx2 *image,
                                    const struct shw_record_forest_source *source)
{
    size_t count = (size_t)forest->width * forest->height * forest->layers;

    for (size_t t = 0; t < count; t++)
        if (memcmp(forest->texels + 4 * t, (const char *)image->texels + 16 * t, 16) != 0)
            return SHW_BAD_RECORD_FOREST(source, "texel %zu contradicts the trees", t);
    return SHW_OK;
}

static enum shw_result check_name_count(const char *what, const char *const *names, uint32_t count, uint32_t expected,
                                        const struct shw_record_forest_source *source)
{
    if (names != NULL && count != expected)
        return SHW_BAD_RECORD_FOREST(source, "the metadata names %u %s, but the texture has %u", count, what, expected);
    return SHW_OK;
}

/* That the metadata counts what the texture counts. */
static enum shw_result check_metadata(const struct shw_record_metadata *metadata,
                                      const struct shw_record_forest_info *info,
                                      const struct shw_record_forest_source *source)
{
    if (metadata->has_sets != (info->set_word_count > 0))
        return SHW_BAD_RECORD_FOREST(source, "a format version %s sets, but the texture has %u words of them",
                                     metadata->has_sets ? "with" : "without", info->set_word_count);
    SHW_PROPAGATE(check_name_count("attributes", metadata->attribute_names, metadata->attribute_count,
                                   info->attribute_count, source));
    SHW_PROPAGATE(
        check_name_count("outputs", metadata->output_names, metadata->output_count, info->output_count, source));
    if (metadata->base_count != info->output_count)
        return SHW_BAD_RECORD_FOREST(source, "a base of %u numbers in the metadata, but the texture has %u outputs",
                                     metadata->base_count, info->output_count);
    return SHW_OK;
}

static enum shw_result make_of_image(const struct shw_ktx2 *image, const struct shw_record_metadata *metadata,
                                     struct shw_record_forest_info *info, const struct shw_record_forest_source *source,
                                     struct shw_record_forest **out)
{
    struct shw_record_forest *forest = NULL;
    enum shw_result result = record_forest_unpack(image, source, info);

    if (result == SHW_OK)
        result = check_metadata(metadata, info, source);
    if (result == SHW_OK)
        result = shw_record_forest_make(info, source, &forest);
    if (result == SHW_OK)
        result = check_texels(forest, image, source);
    record_forest_free_arrays(info);
    if (result == SHW_OK)
        *out = forest;
    else
        shw_record_forest_destroy(&forest);
    return result;
}

enum shw_result shw_record_forest_load_memory_abi(uint32_t abi, const void *bytes, size_t size, const char *name,
                                                  const struct shw_log *log, struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, bytes);
    SHW_REFUSE_NULL(log, forest);

    const struct shw_record_forest_source source = {.name = name != NULL ? name : "record forest", .log = log};
    const struct shw_ktx2_source file = {.name = source.name, .log = log, .content = SHW_KTX2_RECORD_FOREST};
    struct shw_record_metadata metadata = {0};
    struct shw_record_forest_info info = {0};
    struct shw_ktx2 image = {0};
    enum shw_result result = shw_ktx2_read_metadata(bytes, size, &file, &image);

    if (result == SHW_OK)
        result = record_metadata_parse(image.metadata, image.metadata_length, &source, &metadata, &info);
    if (result == SHW_OK)
        result = shw_ktx2_read(bytes, size, &file, &image);
    if (result == SHW_OK)
        result = make_of_image(&image, &metadata, &info, &source, forest);
    record_metadata_free(&metadata);
    return result;
}

enum shw_result shw_record_forest_load_abi(uint32_t abi, const char *path, const struct shw_log *log,
                                           struct shw_record_forest **forest)
{
    SHW_REFUSE_ABI(abi);
    SHW_REFUSE_NULL(log, path);
    SHW_REFUSE_NULL(log, forest);

    void *bytes;
    size_t size;
    enum shw_result result;

    SHW_PROPAGATE(shw_ktx2_read_file(path, log, &bytes, &size));
    result = shw_record_forest_load_memory(bytes, size, path, log, forest);
    free(bytes);
    return result;
}
