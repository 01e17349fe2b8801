#include "formats/tree_arrays.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/log.h"
#include "formats/record_branches.h"
#include "records/model/record_forest.h"

const struct shw_tree_arrays_set_flag shw_tree_arrays_set_flags[SHW_TREE_ARRAYS_SET_FLAGS] = {
    {"members_go_right", SHW_RECORD_SET_MEMBERS_RIGHT},
    {"whole", SHW_RECORD_SET_WHOLE},
    {"from_below", SHW_RECORD_SET_FROM_BELOW}};

struct writing {
    const struct shw_record_forest_info *info;
    FILE *stream;
};

/* The nodes of a tree. */
struct nodes {
    const struct shw_record_node *items;
    uint32_t count;
    const int32_t *values; /* of its leaves */
};

typedef void print_function(const struct writing *writing, const struct nodes *nodes, uint32_t n);

static double to_real(const struct writing *writing, int64_t units)
{
    return ldexp((double)units, -writing->info->fraction_bits);
}

static enum shw_result print_text(const struct writing *writing, const char *text, const struct shw_log *log)
{
    json_t *value = json_string(text);
    char *quoted = json_dumps(value, JSON_ENCODE_ANY);

    json_decref(value);
    if (quoted == NULL)
        return shw_fail_memory(log, "a text");
    fputs(quoted, writing->stream);
    free(quoted);
    return SHW_OK;
}

/* How many there are, or their names. */
static enum shw_result print_names(const struct writing *writing, const char *member, uint32_t count,
                                   const char *const *names, const struct shw_log *log)
{
    fprintf(writing->stream, "\"%s\": ", member);
    if (names == NULL)
        fprintf(writing->stream, "%" PRIu32, count);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        fputs(i == 0 ? "[" : ", ", writing->stream);
        SHW_PROPAGATE(print_text(writing, names[i], log));
    }
    fputs(names != NULL ? "],\n" : ",\n", writing->stream);
    return SHW_OK;
}

static void print_children_left(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fprintf(writing->stream, "%" PRId64, nodes->items[n].is_split ? (int64_t)nodes->items[n].left : -1);
}

static void print_children_right(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fprintf(writing->stream, "%" PRId64, nodes->items[n].is_split ? (int64_t)nodes->items[n].left + 1 : -1);
}

static void print_feature(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fprintf(writing->stream, "%" PRIu32, nodes->items[n].attribute);
}

/* As a number if one has that code; between the numbers below 0 and -0 lies a code that only doubles reach. */
static void print_threshold(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    const double between = -1e-300;
    const int32_t code = nodes->items[n].threshold;
    const double value = (double)shw_record_code_value(code);

    if (nodes->items[n].is_set) {
        fputs("null", writing->stream);
        return;
    }
    if (!isnan(value) && shw_record_threshold_at_most(value) == code)
        fprintf(writing->stream, isinf(value) ? value > 0 ? "\"Infinity\"" : "\"-Infinity\"" : "%.17g", value);
    else if (shw_record_threshold_at_most(between) == code)
        fprintf(writing->stream, "%g", between);
    else
        fprintf(writing->stream, "\"" SHW_TREE_ARRAYS_CODE "%" PRId32 "\"", code);
}

static void print_missing(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fputs(nodes->items[n].is_split && !nodes->items[n].missing_right ? "true" : "false", writing->stream);
}

static void print_zero(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fputs(nodes->items[n].zero_missing ? "true" : "false", writing->stream);
}

/* Consecutive members become a pair, the first and the last. */
static void print_set(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    const uint32_t *set = writing->info->sets + (uint32_t)nodes->items[n].threshold;
    struct shw_record_range range = {0, 0};
    const char *before = "";

    if (!nodes->items[n].is_set) {
        fputs("null", writing->stream);
        return;
    }
    fputs("{\"members\": [", writing->stream);
    for (; shw_record_set_find_range(set, range.end, &range); before = ", ")
        if (range.end - range.first > 1)
            fprintf(writing->stream, "%s[%" PRIu32 ", %" PRIu32 "]", before, range.first, range.end - 1);
        else
            fprintf(writing->stream, "%s%" PRIu32, before, range.first);
    fputs("]", writing->stream);
    for (uint32_t f = 0; f < SHW_TREE_ARRAYS_SET_FLAGS; f++)
        if ((set[0] & shw_tree_arrays_set_flags[f].flag) != 0)
            fprintf(writing->stream, ", \"%s\": true", shw_tree_arrays_set_flags[f].name);
    fputs("}", writing->stream);
}

static void print_source(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    fprintf(writing->stream, "%" PRIu32, nodes->items[n].source);
}

static void print_value(const struct writing *writing, const struct nodes *nodes, uint32_t n)
{
    const uint32_t count = writing->info->values_per_leaf;
    const int32_t *values = nodes->values + (size_t)nodes->items[n].leaf * count;

    if (nodes->items[n].is_split) {
        fputs("null", writing->stream);
        return;
    }
    for (uint32_t v = 0; v < count; v++)
        fprintf(writing->stream, "%s%.17g", v > 0 ? ", " : count > 1 ? "[" : "", to_real(writing, values[v]));
    if (count > 1)
        fputs("]", writing->stream);
}

static void print_array(const struct writing *writing, const struct nodes *nodes, const char *member,
                        print_function *print)
{
    fprintf(writing->stream, ",\n \"%s\": [", member);
    for (uint32_t n = 0; n < nodes->count; n++) {
        if (n > 0)
            fputs(", ", writing->stream);
        print(writing, nodes, n);
    }
    fputs("]", writing->stream);
}

static void print_tree(const struct writing *writing, const struct shw_record_tree *tree)
{
    const struct nodes nodes = {.items = writing->info->nodes + tree->first_node,
                                .count = tree->node_count,
                                .values = writing->info->leaf_values +
                                          (size_t)tree->first_leaf * writing->info->values_per_leaf};
    bool has_zero = false, has_source = false, has_sets = false;

    for (uint32_t n = 0; n < nodes.count; n++) {
        has_zero |= nodes.items[n].zero_missing;
        has_source |= nodes.items[n].source != n;
        has_sets |= nodes.items[n].is_set;
    }
    fprintf(writing->stream, "{\"output\": %" PRIu32, tree->output);
    print_array(writing, &nodes, "children_left", print_children_left);
    print_array(writing, &nodes, "children_right", print_children_right);
    print_array(writing, &nodes, "feature", print_feature);
    print_array(writing, &nodes, "threshold", print_threshold);
    print_array(writing, &nodes, "missing_go_to_left", print_missing);
    if (has_zero)
        print_array(writing, &nodes, "zero_is_missing", print_zero);
    if (has_sets)
        print_array(writing, &nodes, "set", print_set);
    if (has_source)
        print_array(writing, &nodes, "source", print_source);
    print_array(writing, &nodes, "value", print_value);
    fputs("}", writing->stream);
}

static bool is_exact(int64_t units)
{
    return (int64_t)(double)units == units;
}

static enum shw_result check_sums(const struct shw_record_forest_info *info, const char *name,
                                  const struct shw_log *log)
{
    for (uint32_t o = 0; o < info->output_count; o++)
        if (!is_exact(info->base[o]) || !is_exact(info->cut))
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_WRITE,
                            "%s: the base of output %u, or the cut, is not a number in double precision", name, o);
    return SHW_OK;
}

static void print_sums(const struct writing *writing)
{
    const struct shw_record_forest_info *info = writing->info;

    fprintf(writing->stream, "\"fraction_bits\": %" PRId32 ",\n\"base\": [", info->fraction_bits);
    for (uint32_t o = 0; o < info->output_count; o++)
        fprintf(writing->stream, "%s%.17g", o > 0 ? ", " : "", to_real(writing, info->base[o]));
    fputs("],\n", writing->stream);
    if (info->cut != 0)
        fprintf(writing->stream, "\"cut\": %.17g,\n", to_real(writing, info->cut));
}

static enum shw_result print_head(const struct writing *writing, const struct shw_log *log)
{
    const struct shw_record_forest_info *info = writing->info;
    const bool has_classes = info->task == SHW_RECORD_CLASSES;

    fprintf(writing->stream,
            SHW_TREE_ARRAYS_BEFORE_MARK
            "%16s" SHW_TREE_ARRAYS_AFTER_MARK "\n\"format\": \"" SHW_TREE_ARRAYS_NAME
            "\", \"version\": %d,\n\"task\": \"%s\", \"combine\": \"%s\", \"link\": \"%s\",\n",
            "", info->set_word_count > 0 ? SHW_TREE_ARRAYS_VERSION : SHW_TREE_ARRAYS_WITHOUT_SETS,
            has_classes ? "classes" : "values", info->mean ? "mean" : "sum", shw_record_link_name(info->link));
    if (shw_record_link_get_traits(info->link)->has_scale)
        fprintf(writing->stream, "\"link_scale\": %.17g,\n", info->link_scale);
    SHW_PROPAGATE(print_names(writing, "attributes", info->attribute_count, info->attribute_names, log));
    if (has_classes)
        SHW_PROPAGATE(print_names(writing, "classes", info->class_count, info->class_names, log));
    SHW_PROPAGATE(print_names(writing, "outputs", info->output_count, info->output_names, log));
    print_sums(writing);
    return SHW_OK;
}

enum shw_result shw_tree_arrays_print(const struct shw_record_forest *forest, const char *name, FILE *stream,
                                      const struct shw_log *log)
{
    const struct writing writing = {.info = shw_record_forest_get_info(forest), .stream = stream};

    SHW_PROPAGATE(check_sums(writing.info, name, log)); /* before anything is written */
    SHW_PROPAGATE(print_head(&writing, log));
    fputs("\"trees\": [\n", stream);
    for (uint32_t t = 0; t < writing.info->tree_count; t++) {
        print_tree(&writing, &writing.info->trees[t]);
        fputs(t + 1 < writing.info->tree_count ? ",\n" : "\n]}\n", stream);
    }
    return SHW_OK;
}
