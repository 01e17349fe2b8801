#include "formats/tree_arrays.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/file_bytes.h"
#include "base/log.h"
#include "base/text.h"
#include "formats/json_model.h"
#include "formats/record_branches.h"
#include "formats/record_formats.h"
#include "records/model/builder.h"
#include "records/model/record_forest.h"

/* Checks in the text, before any value is allocated: a small packed file can unpack to hundreds of millions of numbers,
 * which get memory only if they can be a tree. */

#define ARRAYS_MAX 24u /* arrays of one number per node; readers know eight */
#define MORE       4096u
#define NUMBER_MAX 64u

enum { LEFT, RIGHT, FEATURE, THRESHOLD, VALUE, MISSING, ZERO, SOURCE, SET, ARRAYS, NEEDED = MISSING };

static const char *const array_names[ARRAYS] = {"children_left",   "children_right", "feature",
                                                "threshold",       "value",          "missing_go_to_left",
                                                "zero_is_missing", "source",         "set"};

static enum shw_result find_slices(const struct shw_json_part *part, const char *begin,
                                   const struct shw_json_slice *tree, struct shw_json_slice arrays[ARRAYS])
{
    struct shw_json_skim skim;
    struct shw_json_slice name, value;
    enum shw_json_step step;

    if (!shw_json_skim_begin(tree, '{', &skim))
        return shw_json_refuse(part, "it is not an object");
    while ((step = shw_json_skim_next(&skim, &name, &value)) == SHW_JSON_VALUE)
        for (int a = 0; a < ARRAYS; a++)
            if (shw_json_slice_is(&name, array_names[a]))
                arrays[a] = value;
    return step == SHW_JSON_END ? SHW_OK : shw_json_refuse_text(part, begin, skim.at);
}

static enum shw_result count_nodes(const struct shw_json_part *part, const struct shw_json_slice arrays[ARRAYS],
                                   size_t *count)
{
    for (int a = 0; a < ARRAYS; a++) {
        size_t elements = arrays[a].text != NULL ? shw_json_skim_count(&arrays[a], '[', SHW_RECORD_NODES_MAX) : 0;
        if (arrays[a].text == NULL && a >= NEEDED)
            continue;
        if (arrays[a].text == NULL || elements == SIZE_MAX)
            return shw_json_refuse(part, "there is no array \"%s\"", array_names[a]);
        if (a == LEFT && (elements < 1 || elements > SHW_RECORD_NODES_MAX))
            return shw_json_refuse(part, "it has %zu nodes; 1 to %u are supported", elements, SHW_RECORD_NODES_MAX);
        if (a == LEFT)
            *count = elements;
        if (elements != *count)
            return shw_json_refuse(part, "the array \"%s\" has %zu elements instead of %zu", array_names[a], elements,
                                   *count);
    }
    return SHW_OK;
}

/* A number, in quotation marks or not, or true or false; NaN otherwise. */
static double number_of(struct shw_json_slice slice)
{
    char text[NUMBER_MAX], *end;
    double number;

    if (shw_json_slice_is(&slice, "true") || shw_json_slice_is(&slice, "false"))
        return slice.text[0] == 't';
    if (slice.size >= 2 && slice.text[0] == '"')
        slice = (struct shw_json_slice){slice.text + 1, slice.size - 2};
    if (slice.size == 0 || slice.size >= sizeof text)
        return NAN;
    memcpy(text, slice.text, slice.size);
    text[slice.size] = '\0';
    number = shw_decimal_read(text, &end);
    return *end == '\0' ? number : NAN;
}

static enum shw_result take_child(const struct shw_json_part *part, size_t node, double child, size_t count,
                                  uint8_t *taken)
{
    char what[64];
    struct shw_json_part of_node = *part;
    const size_t number = (size_t)child;

    snprintf(what, sizeof what, "%s, node %zu", part->what, node);
    of_node.what = what;
    if (!(child < (double)count) || child != floor(child))
        return shw_json_refuse(&of_node, "its child is %g of %zu nodes", child, count);
    if (number == 0 || (taken[number / 8] >> number % 8 & 1) != 0)
        return shw_json_refuse(&of_node, "its child, node %zu, %s", number,
                               number == 0 ? "is the root" : "is already the child of a node");
    taken[number / 8] |= (uint8_t)(1u << number % 8);
    return SHW_OK;
}

/* A leaf has a negative left child; its right one is ignored. */
static enum shw_result check_children(const struct shw_json_part *part, const struct shw_json_slice *lefts,
                                      const struct shw_json_slice *rights, size_t count, uint8_t *taken)
{
    struct shw_json_skim left, right;
    struct shw_json_slice value;

    shw_json_skim_begin(lefts, '[', &left);
    shw_json_skim_begin(rights, '[', &right);
    for (size_t n = 0; n < count; n++) {
        double child[2];
        shw_json_skim_next(&left, NULL, &value);
        child[0] = number_of(value);
        shw_json_skim_next(&right, NULL, &value);
        child[1] = number_of(value);
        if (child[0] < 0)
            continue;
        for (int side = 0; side < 2; side++) {
            if (!(child[side] >= 0))
                return shw_json_refuse(part, "element %zu of \"%s\" is not a whole number from 0 to %zu", n,
                                       array_names[LEFT + side], count - 1);
            SHW_PROPAGATE(take_child(part, n, child[side], count, taken));
        }
    }
    return SHW_OK;
}

/* Checks that the text of a tree has all arrays with one element per node, that no node is the child of two or the root
 * a child, and that there are no more values than a tree with `outputs` values per node needs. `begin`: of the text of
 * the file. Errors: FORMAT, LIMIT, MEMORY. */
static enum shw_result tree_arrays_check(const struct shw_json_part *part, const char *begin,
                                         const struct shw_json_slice *tree, uint32_t outputs)
{
    struct shw_json_slice arrays[ARRAYS] = {{0}};
    size_t count = 0, members = 0;
    uint8_t *taken;
    enum shw_result result;

    SHW_PROPAGATE(find_slices(part, begin, tree, arrays));
    SHW_PROPAGATE(count_nodes(part, arrays, &count));
    if (arrays[SET].text != NULL)
        members = shw_json_count_values(&arrays[SET]);
    if (shw_json_count_values(tree) - members > count * (ARRAYS_MAX + (size_t)outputs) + MORE)
        return shw_json_refuse(part, "it has more values than its %zu nodes need", count);
    taken = calloc(count / 8 + 1, 1);
    if (taken == NULL)
        return shw_fail_memory(part->log, part->file);
    result = check_children(part, &arrays[LEFT], &arrays[RIGHT], count, taken);
    free(taken);
    return result;
}

#define ROOT_VALUES_MAX ((size_t)1 << 20) /* besides the trees: attributes have names */

struct reading {
    const struct shw_record_import *import;
    struct shw_json_part root;
    struct shw_record_builder_params params;
    bool is_below;       /* tests are "<" instead of "<=" */
    uint32_t leaf_width; /* values per leaf */
    const char *begin;   /* of JSON text, in which trees are parsed one by one; NULL: `list` has them */
    struct shw_json_slice trees;
    const json_t *list;
    size_t tree_count;
    double *base;
    uint64_t set_words; /* of the trees so far */
};

/* The arrays of a tree, and what is made of them. */
struct tree {
    struct shw_json_part part;
    const json_t *left, *right, *feature, *threshold, *value;
    const json_t *missing, *zero, *source, *set; /* may be NULL */
    size_t count;
    struct shw_record_builder_node *nodes;
    double *values; /* leaf_width of each leaf */
};

static enum shw_result refuse_choice(const struct reading *reading, const char *member, const char *const *texts,
                                     const char *given)
{
    char known[256] = "";

    for (size_t t = 0; texts[t] != NULL; t++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s\"%s\"", t > 0 ? ", " : "", texts[t]);
    return given != NULL
               ? shw_json_refuse(&reading->root, "\"%s\" is \"%.64s\", which is none of %s", member, given, known)
               : shw_json_refuse(&reading->root, "\"%s\" is none of %s", member, known);
}

/* The index of a member's text among `texts`, which end with NULL; 0 if it is missing. */
static enum shw_result get_choice(const struct reading *reading, const char *member, const char *const *texts,
                                  int *choice)
{
    const json_t *value = json_object_get(reading->root.object, member);
    const char *text = json_string_value(value);

    *choice = 0;
    if (value == NULL)
        return SHW_OK;
    while (text != NULL && texts[*choice] != NULL && strcmp(texts[*choice], text) != 0)
        ++*choice;
    return text != NULL && texts[*choice] != NULL ? SHW_OK : refuse_choice(reading, member, texts, text);
}

/* A member that is a number of things, or their names. */
static enum shw_result get_names(const struct reading *reading, const char *member, int64_t least, int64_t most,
                                 uint32_t *count, const char *const **names)
{
    const json_t *value = json_object_get(reading->root.object, member);
    int64_t number = 0;

    if (value == NULL)
        return shw_json_refuse(&reading->root, "there is no \"%s\"", member);
    if (!json_is_array(value)) {
        SHW_PROPAGATE(shw_json_get_whole(&reading->root, member, least, most, &number));
        *count = (uint32_t)number;
        return SHW_OK;
    }
    number = (int64_t)json_array_size(value);
    if (number < least || number > most)
        return shw_json_refuse(&reading->root, "\"%s\" has %lld elements instead of %lld to %lld", member,
                               (long long)number, (long long)least, (long long)most);
    *count = (uint32_t)number;
    return shw_json_get_names(&reading->root, member, (size_t)number, names);
}

static enum shw_result check_format(const struct reading *reading)
{
    const char *format = json_string_value(json_object_get(reading->root.object, "format"));
    int64_t version = 0;

    if (format == NULL || strcmp(format, SHW_TREE_ARRAYS_NAME) != 0)
        return shw_json_refuse(&reading->root,
                               "JSON, but not trees as arrays (\"format\": \"" SHW_TREE_ARRAYS_NAME "\")");
    SHW_PROPAGATE(shw_json_get_whole(&reading->root, "version", 1, INT32_MAX, &version));
    if (version > SHW_TREE_ARRAYS_VERSION)
        return shw_fail(reading->import->log, SHW_ERROR_VERSION, SHW_LOG_FILE_READ,
                        "%s: version %lld of " SHW_TREE_ARRAYS_NAME "; up to %d is supported", reading->import->name,
                        (long long)version, SHW_TREE_ARRAYS_VERSION);
    return version >= SHW_TREE_ARRAYS_WITHOUT_SETS ? SHW_OK
                                                   : shw_json_refuse(&reading->root, "there is no \"version\"");
}

static enum shw_result read_words(struct reading *reading)
{
    static const char *const tasks[] = {"classes", "values", NULL};
    static const char *const combinations[] = {"sum", "mean", NULL};
    static const char *const leaves[] = {"values", "shares", NULL};
    static const char *const tests[] = {"<=", "<", NULL};
    const char *links[SHW_RECORD_LINK_COUNT + 1] = {NULL};
    int task, link, combination, scale, test;

    for (uint32_t l = 0; l < SHW_RECORD_LINK_COUNT; l++)
        links[l] = shw_record_link_name((enum shw_record_link)l);
    if (json_object_get(reading->root.object, "task") == NULL)
        return shw_json_refuse(&reading->root, "there is no \"task\"");
    SHW_PROPAGATE(get_choice(reading, "task", tasks, &task));
    SHW_PROPAGATE(get_choice(reading, "link", links, &link));
    SHW_PROPAGATE(get_choice(reading, "combine", combinations, &combination));
    SHW_PROPAGATE(get_choice(reading, "leaves", leaves, &scale));
    SHW_PROPAGATE(get_choice(reading, "test", tests, &test));
    reading->params.info.task = task == 0 ? SHW_RECORD_CLASSES : SHW_RECORD_VALUES;
    reading->params.info.link = (enum shw_record_link)link;
    reading->params.info.mean = combination == 1;
    reading->params.scale = scale == 0 ? SHW_RECORD_SCALE_VALUES : SHW_RECORD_SCALE_SHARES;
    reading->is_below = test == 1;
    return SHW_OK;
}

/* An exported forest states the unit of its values. */
static enum shw_result read_fraction(struct reading *reading)
{
    int64_t bits = 0;

    if (json_object_get(reading->root.object, "fraction_bits") == NULL)
        return SHW_OK;
    SHW_PROPAGATE(shw_json_get_whole(&reading->root, "fraction_bits", -127, 127, &bits));
    if (reading->params.scale == SHW_RECORD_SCALE_SHARES)
        return shw_json_refuse(&reading->root, "\"fraction_bits\" are not for \"leaves\": \"shares\"");
    reading->params.scale = SHW_RECORD_SCALE_GIVEN;
    reading->params.info.fraction_bits = (int32_t)bits;
    return SHW_OK;
}

static enum shw_result get_real(const struct reading *reading, const char *member, double *real)
{
    const json_t *value = json_object_get(reading->root.object, member);

    if (value == NULL)
        return SHW_OK;
    *real = shw_json_number(value);
    return isfinite(*real) ? SHW_OK : shw_json_refuse(&reading->root, "\"%s\" is not a number", member);
}

static enum shw_result read_base(struct reading *reading)
{
    const json_t *value = json_object_get(reading->root.object, "base");
    uint32_t outputs = reading->params.info.output_count;

    if (value != NULL)
        SHW_PROPAGATE(shw_json_get_array_of(&reading->root, "base", outputs, &value));
    reading->base = calloc(outputs, sizeof *reading->base);
    if (reading->base == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    for (uint32_t o = 0; value != NULL && o < outputs; o++) {
        reading->base[o] = shw_json_number(json_array_get(value, o));
        if (!isfinite(reading->base[o]))
            return shw_json_refuse(&reading->root, "element %u of \"base\" is not a number", o);
    }
    reading->params.base = reading->base;
    return SHW_OK;
}

/* Classes have one output each, or one for two of them. */
static enum shw_result read_outputs(struct reading *reading)
{
    struct shw_record_forest_info *info = &reading->params.info;
    int64_t outputs = 0;

    SHW_PROPAGATE(
        get_names(reading, "attributes", 1, SHW_RECORD_ATTRIBUTES_MAX, &info->attribute_count, &info->attribute_names));
    if (info->task == SHW_RECORD_VALUES)
        return get_names(reading, "outputs", 1, SHW_RECORD_OUTPUTS_MAX, &info->output_count, &info->output_names);
    SHW_PROPAGATE(get_names(reading, "classes", 1, SHW_RECORD_OUTPUTS_MAX, &info->class_count, &info->class_names));
    outputs = info->class_count;
    SHW_PROPAGATE(shw_json_get_whole(&reading->root, "outputs", 1, SHW_RECORD_OUTPUTS_MAX, &outputs));
    info->output_count = (uint32_t)outputs;
    if (info->output_count != info->class_count && (info->output_count != 1 || info->class_count != 2))
        return shw_json_refuse(&reading->root, "%u outputs for %u classes", info->output_count, info->class_count);
    return SHW_OK;
}

/* An element of "value": a number, or as many as there are outputs. */
static uint32_t width_of(const json_t *value)
{
    return json_is_array(value) ? (uint32_t)json_array_size(value) : 1;
}

/* The first leaf says how many values leaves have. */
static const json_t *first_leaf_value(const json_t *tree)
{
    const json_t *left = json_object_get(tree, "children_left");
    size_t n = 0;

    while (n < json_array_size(left) && !(shw_json_number(json_array_get(left, n)) < 0))
        n++;
    return json_array_get(json_object_get(tree, "value"), n);
}

static enum shw_result find_trees(struct reading *reading)
{
    if (reading->begin != NULL && reading->trees.text != NULL) {
        reading->tree_count = shw_json_skim_count(&reading->trees, '[', SHW_RECORD_TREES_MAX);
    } else {
        SHW_PROPAGATE(shw_json_get_array(&reading->root, "trees", &reading->list));
        reading->tree_count = json_array_size(reading->list);
    }
    if (reading->tree_count == SIZE_MAX)
        return shw_json_refuse(&reading->root, "there is no array \"trees\"");
    if (reading->tree_count < 1 || reading->tree_count > SHW_RECORD_TREES_MAX)
        return shw_json_refuse(&reading->root, "it has %s%zu trees; 1 to %u are supported",
                               reading->tree_count > SHW_RECORD_TREES_MAX ? "at least " : "", reading->tree_count,
                               SHW_RECORD_TREES_MAX);
    return SHW_OK;
}

static enum shw_result find_optional(const struct tree *tree, const char *member, const json_t **array)
{
    return json_object_get(tree->part.object, member) != NULL
               ? shw_json_get_array_of(&tree->part, member, tree->count, array)
               : SHW_OK;
}

static enum shw_result find_arrays(struct tree *tree)
{
    const struct shw_json_part *part = &tree->part;

    SHW_PROPAGATE(shw_json_get_array(part, "children_left", &tree->left));
    tree->count = json_array_size(tree->left);
    if (tree->count < 1 || tree->count > SHW_RECORD_NODES_MAX)
        return shw_json_refuse(part, "it has %zu nodes; 1 to %u are supported", tree->count, SHW_RECORD_NODES_MAX);
    SHW_PROPAGATE(shw_json_get_array_of(part, "children_right", tree->count, &tree->right));
    SHW_PROPAGATE(shw_json_get_array_of(part, "feature", tree->count, &tree->feature));
    SHW_PROPAGATE(shw_json_get_array_of(part, "threshold", tree->count, &tree->threshold));
    SHW_PROPAGATE(shw_json_get_array_of(part, "value", tree->count, &tree->value));
    SHW_PROPAGATE(find_optional(tree, "missing_go_to_left", &tree->missing));
    SHW_PROPAGATE(find_optional(tree, "zero_is_missing", &tree->zero));
    SHW_PROPAGATE(find_optional(tree, "set", &tree->set));
    return find_optional(tree, "source", &tree->source);
}

/* Before memory is taken for them. */
static enum shw_result check_widths(const struct reading *reading, const struct tree *tree)
{
    for (size_t n = 0; n < tree->count; n++) {
        uint32_t width = width_of(json_array_get(tree->value, n));
        if (width != reading->leaf_width && shw_json_number(json_array_get(tree->left, n)) < 0)
            return shw_json_refuse(&tree->part, "element %zu of \"value\" has %u numbers instead of %u", n, width,
                                   reading->leaf_width);
    }
    return SHW_OK;
}

static enum shw_result read_leaf(const struct reading *reading, const struct tree *tree, size_t n, double *values)
{
    const json_t *value = json_array_get(tree->value, n);

    for (uint32_t v = 0; v < reading->leaf_width; v++) {
        values[v] = shw_json_number(json_is_array(value) ? json_array_get(value, v) : value);
        if (!isfinite(values[v]))
            return shw_json_refuse(&tree->part, "element %zu of \"value\" is not a number", n);
    }
    return SHW_OK;
}

/* A number, or a text with a code that no number has. */
static enum shw_result read_threshold(const struct reading *reading, const struct tree *tree, size_t n,
                                      struct shw_record_builder_node *node)
{
    const json_t *value = json_array_get(tree->threshold, n);
    const char *text = json_string_value(value);
    const size_t length = sizeof SHW_TREE_ARRAYS_CODE - 1;
    const double limit = shw_json_number(value);
    long long code = INT32_MIN;
    char *end;

    if (text != NULL && strncmp(text, SHW_TREE_ARRAYS_CODE, length) == 0) {
        code = strtoll(text + length, &end, 10);
        if (*end != '\0' || code <= INT32_MIN || code > INT32_MAX)
            return shw_json_refuse(&tree->part, "element %zu of \"threshold\" has no code", n);
        node->threshold = (int32_t)code;
        return SHW_OK;
    }
    if (isnan(limit))
        return shw_json_refuse(&tree->part, "element %zu of \"threshold\" is not a number", n);
    node->threshold = reading->is_below ? shw_record_threshold_below(limit) : shw_record_threshold_at_most(limit);
    node->has_limit = !reading->is_below || limit > -INFINITY;
    node->limit = reading->is_below ? nextafter(limit, -INFINITY) : limit;
    return SHW_OK;
}

/* An element of "members": a category, or the first and the last of a range. */
static enum shw_result read_range(const struct tree *tree, const json_t *members, size_t m, uint32_t from,
                                  struct shw_record_range *range)
{
    const json_t *value = json_array_get(members, m);
    const int64_t most = SHW_RECORD_CATEGORIES - 1;
    int64_t first, last;

    if (json_is_array(value) && json_array_size(value) != 2)
        return shw_json_refuse(&tree->part,
                               "element %zu of \"members\" is neither a category nor the first and the last", m);
    SHW_PROPAGATE(json_is_array(value) ? shw_json_get_element(&tree->part, "members", value, 0, from, most, &first)
                                       : shw_json_get_element(&tree->part, "members", members, m, from, most, &first));
    last = first;
    if (json_is_array(value))
        SHW_PROPAGATE(shw_json_get_element(&tree->part, "members", value, 1, first, most, &last));
    *range = (struct shw_record_range){(uint32_t)first, (uint32_t)last + 1};
    return SHW_OK;
}

static enum shw_result read_flags(const struct tree *tree, const json_t *set, size_t n, uint32_t *flags)
{
    for (uint32_t f = 0; f < SHW_TREE_ARRAYS_SET_FLAGS; f++) {
        const json_t *value = json_object_get(set, shw_tree_arrays_set_flags[f].name);
        if (value != NULL && !json_is_boolean(value))
            return shw_json_refuse(&tree->part, "\"%s\" of element %zu of \"set\" is neither true nor false",
                                   shw_tree_arrays_set_flags[f].name, n);
        *flags |= json_is_true(value) ? shw_tree_arrays_set_flags[f].flag : 0;
    }
    return SHW_OK;
}

static enum shw_result make_set(struct reading *reading, const struct tree *tree, const json_t *members, uint32_t flags,
                                struct shw_record_range *ranges, uint32_t **set)
{
    const uint32_t count = (uint32_t)json_array_size(members);

    for (uint32_t m = 0; m < count; m++)
        SHW_PROPAGATE(read_range(tree, members, m, m > 0 ? ranges[m - 1].end : 0, &ranges[m]));
    reading->set_words += shw_record_set_count_words(ranges, count);
    if (reading->set_words > SHW_RECORD_SET_WORDS_MAX)
        return shw_fail(tree->part.log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                        "%s: sets of categories that take more than %u words of 32 bits", tree->part.file,
                        SHW_RECORD_SET_WORDS_MAX);
    *set = shw_record_set_of_ranges(ranges, count, flags);
    return *set != NULL ? SHW_OK : shw_fail_memory(tree->part.log, tree->part.file);
}

/* Reads element n of "set", which is not null. */
static enum shw_result read_set(struct reading *reading, const struct tree *tree, size_t n, uint32_t **set)
{
    const json_t *value = json_array_get(tree->set, n), *members = json_object_get(value, "members");
    struct shw_record_range *ranges;
    uint32_t flags = 0;
    enum shw_result result;

    if (json_array_size(members) < 1)
        return shw_json_refuse(&tree->part, "element %zu of \"set\" has no \"members\"", n);
    SHW_PROPAGATE(read_flags(tree, value, n, &flags));
    ranges = malloc(json_array_size(members) * sizeof *ranges);
    if (ranges == NULL)
        return shw_fail_memory(tree->part.log, tree->part.file);
    result = make_set(reading, tree, members, flags, ranges, set);
    free(ranges);
    return result;
}

static enum shw_result read_split(struct reading *reading, const struct tree *tree, size_t n,
                                  struct shw_record_builder_node *node)
{
    const struct shw_json_part *part = &tree->part;
    int64_t right, feature, missing_left = 0, zero_missing = 0;

    SHW_PROPAGATE(shw_json_get_element(part, "children_right", tree->right, n, 0, (int64_t)tree->count - 1, &right));
    SHW_PROPAGATE(shw_json_get_element(part, "feature", tree->feature, n, 0,
                                       (int64_t)reading->params.info.attribute_count - 1, &feature));
    if (tree->missing != NULL)
        SHW_PROPAGATE(shw_json_get_element(part, "missing_go_to_left", tree->missing, n, 0, 1, &missing_left));
    if (tree->zero != NULL)
        SHW_PROPAGATE(shw_json_get_element(part, "zero_is_missing", tree->zero, n, 0, 1, &zero_missing));
    node->is_split = true;
    node->right = (uint32_t)right;
    node->attribute = (uint32_t)feature;
    node->missing_right = missing_left == 0;
    node->zero_missing = zero_missing != 0;
    if (tree->set != NULL && !json_is_null(json_array_get(tree->set, n))) {
        uint32_t *set = NULL;
        SHW_PROPAGATE(read_set(reading, tree, n, &set));
        node->set = set;
        return SHW_OK;
    }
    return read_threshold(reading, tree, n, node);
}

static enum shw_result read_nodes(struct reading *reading, struct tree *tree)
{
    double *values = tree->values;

    for (size_t n = 0; n < tree->count; n++) {
        struct shw_record_builder_node *node = &tree->nodes[n];
        int64_t left, source = (int64_t)n;
        SHW_PROPAGATE(shw_json_get_element(&tree->part, "children_left", tree->left, n, INT32_MIN,
                                           (int64_t)tree->count - 1, &left));
        if (tree->source != NULL)
            SHW_PROPAGATE(shw_json_get_element(&tree->part, "source", tree->source, n, 0, UINT32_MAX, &source));
        node->source = (uint32_t)source;
        node->left = (uint32_t)left;
        node->values = values;
        SHW_PROPAGATE(left < 0 ? read_leaf(reading, tree, n, values) : read_split(reading, tree, n, node));
        values += left < 0 ? reading->leaf_width : 0;
    }
    return SHW_OK;
}

static enum shw_result add_tree(struct reading *reading, struct shw_json_part part, struct shw_record_builder *builder)
{
    struct tree tree = {.part = part};
    int64_t output = 0, last = reading->leaf_width > 1 ? 0 : (int64_t)reading->params.info.output_count - 1;
    enum shw_result result;

    SHW_PROPAGATE(find_arrays(&tree));
    SHW_PROPAGATE(check_widths(reading, &tree));
    SHW_PROPAGATE(shw_json_get_whole(&tree.part, "output", 0, last, &output));
    tree.nodes = calloc(tree.count, sizeof *tree.nodes);
    tree.values = calloc(shw_json_count_negative(tree.left) * reading->leaf_width + 1, sizeof *tree.values);
    result = tree.nodes != NULL && tree.values != NULL ? read_nodes(reading, &tree)
                                                       : shw_fail_memory(reading->import->log, reading->import->name);
    if (result == SHW_OK)
        result = shw_record_builder_add(builder, tree.nodes, (uint32_t)tree.count, (uint32_t)output);
    for (size_t n = 0; tree.nodes != NULL && n < tree.count; n++)
        free((void *)(uintptr_t)tree.nodes[n].set);
    free(tree.nodes);
    free(tree.values);
    return result;
}

/* The first tree determines how many values all leaves have. */
static enum shw_result begin_trees(struct reading *reading, const json_t *first, struct shw_record_builder **builder)
{
    reading->leaf_width = width_of(first_leaf_value(first));
    return shw_record_builder_create(reading->import->name, reading->leaf_width, reading->import->log, builder);
}

/* The next tree, with a reference; *skim passes over its text. */
static enum shw_result get_tree(const struct reading *reading, const struct shw_json_part *part, size_t t,
                                struct shw_json_skim *skim, json_t **tree)
{
    const uint32_t outputs = reading->params.info.output_count;
    struct shw_json_slice text;

    if (reading->list != NULL) {
        *tree = json_incref(json_array_get(reading->list, t));
        return SHW_OK;
    }
    if (shw_json_skim_next(skim, NULL, &text) != SHW_JSON_VALUE)
        return shw_json_refuse_text(part, reading->begin, skim->at);
    SHW_PROPAGATE(tree_arrays_check(part, reading->begin, &text, outputs));
    return shw_json_part_parse(reading->begin, &text, SHW_JSON_VALUES_MAX, part->file, part->log, tree);
}

static enum shw_result read_trees(struct reading *reading, struct shw_record_builder **builder)
{
    struct shw_json_skim skim = {0};
    enum shw_result result = SHW_OK;

    if (reading->list == NULL)
        shw_json_skim_begin(&reading->trees, '[', &skim);
    for (size_t t = 0; t < reading->tree_count && result == SHW_OK; t++) {
        char what[32];
        struct shw_json_part part = reading->root;
        json_t *tree = NULL;
        snprintf(what, sizeof what, "tree %zu", t);
        part.what = what;
        result = get_tree(reading, &part, t, &skim, &tree);
        part.object = tree;
        if (result == SHW_OK && t == 0)
            result = begin_trees(reading, tree, builder);
        if (result == SHW_OK)
            result = add_tree(reading, part, *builder);
        json_decref(tree);
    }
    return result;
}

static enum shw_result finish(struct reading *reading, const struct shw_record_builder *builder,
                              struct shw_record_forest **forest)
{
    json_t *record = reading->import->training;
    char *training;
    enum shw_result result;

    if (json_object_get(reading->root.object, "program") != NULL)
        json_object_set(record, "program", json_object_get(reading->root.object, "program"));
    training = json_dumps(record, JSON_COMPACT);
    if (training == NULL)
        return shw_fail_memory(reading->import->log, reading->import->name);
    reading->params.info.training = training;
    result = shw_record_builder_finish(builder, &reading->params, forest);
    free(training);
    return result;
}

/* A scale of 0 would stand for none. */
static enum shw_result read_scale(struct reading *reading)
{
    double *scale = &reading->params.info.link_scale;

    *scale = 1;
    SHW_PROPAGATE(get_real(reading, "link_scale", scale));
    return *scale > 0 ? SHW_OK : shw_json_refuse(&reading->root, "\"link_scale\" is not above 0");
}

static enum shw_result read_root(struct reading *reading, struct shw_record_forest **forest)
{
    struct shw_record_builder *builder = NULL;
    enum shw_result result;

    SHW_PROPAGATE(check_format(reading));
    SHW_PROPAGATE(read_words(reading));
    SHW_PROPAGATE(read_fraction(reading));
    SHW_PROPAGATE(read_outputs(reading));
    SHW_PROPAGATE(read_base(reading));
    SHW_PROPAGATE(get_real(reading, "cut", &reading->params.cut));
    SHW_PROPAGATE(read_scale(reading));
    SHW_PROPAGATE(find_trees(reading));
    result = read_trees(reading, &builder);
    if (result == SHW_OK)
        result = finish(reading, builder, forest);
    shw_record_builder_destroy(&builder);
    return result;
}

/* The text without its trees, to be freed; NULL if memory is exhausted. */
static char *cut_trees(const struct shw_json_slice *text, const struct shw_json_slice *trees, size_t *size)
{
    const size_t before = (size_t)(trees->text - text->text), after = text->size - before - trees->size;
    char *rest = malloc(before + after + 2);

    *size = before + after + 2;
    if (rest == NULL)
        return NULL;
    memcpy(rest, text->text, before);
    memcpy(rest + before, "[]", 2);
    memcpy(rest + before + 2, trees->text + trees->size, after);
    return rest;
}

/* Parses the root without the trees, and finds their text. */
static enum shw_result parse_text(struct reading *reading, json_t **root)
{
    const struct shw_record_import *import = reading->import;
    struct shw_json_slice text = {.size = import->size}, name, value, rest;
    struct shw_json_skim skim;
    enum shw_json_step step = SHW_JSON_END;
    enum shw_result result;
    char *copy;

    reading->begin = text.text = shw_skip_byte_order_mark(import->bytes, &text.size);
    if (!shw_json_skim_begin(&text, '{', &skim))
        return shw_json_refuse(&reading->root, "the JSON is not an object");
    while ((step = shw_json_skim_next(&skim, &name, &value)) == SHW_JSON_VALUE)
        if (shw_json_slice_is(&name, "trees"))
            reading->trees = value;
    if (step == SHW_JSON_WRONG)
        return shw_json_refuse_text(&reading->root, reading->begin, skim.at);
    if (reading->trees.text == NULL)
        return shw_json_part_parse(reading->begin, &text, ROOT_VALUES_MAX, import->name, import->log, root);
    copy = cut_trees(&text, &reading->trees, &rest.size);
    if (copy == NULL)
        return shw_fail_memory(import->log, import->name);
    rest.text = copy;
    result = shw_json_part_parse(copy, &rest, ROOT_VALUES_MAX, import->name, import->log, root);
    free(copy);
    return result;
}

static enum shw_result parse_root(struct reading *reading, json_t **root)
{
    const struct shw_record_import *import = reading->import;

    if (!shw_ubjson_begins(import->bytes, import->size))
        return parse_text(reading, root);
    SHW_PROPAGATE(shw_json_check_packing(import->bytes, import->size, import->packed, import->name, import->log));
    return shw_json_model_parse(import->bytes, import->size, import->name, import->log, root);
}

enum shw_result shw_tree_arrays_read(const struct shw_record_import *import, struct shw_record_forest **forest)
{
    struct reading reading = {.import = import, .root = {.file = import->name, .log = import->log}};
    json_t *root = NULL;
    enum shw_result result;

    SHW_PROPAGATE(parse_root(&reading, &root));
    reading.root.object = root;
    result = read_root(&reading, forest);
    free(reading.base);
    free((void *)(uintptr_t)reading.params.info.attribute_names);
    free((void *)(uintptr_t)reading.params.info.class_names);
    free((void *)(uintptr_t)reading.params.info.output_names);
    json_decref(root);
    return result;
}
