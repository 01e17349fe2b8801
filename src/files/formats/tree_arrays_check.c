#include "files/formats/tree_arrays_check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <shadewood/record_forest.h>

#include "base/log.h"
#include "base/text.h"

#define ARRAYS_MAX 24u /* of a number per node, of which readers know eight; sets have more */
#define MORE       4096u
#define NUMBER_MAX 64u

enum { LEFT, RIGHT, FEATURE, THRESHOLD, VALUE, MISSING, ZERO, SOURCE, SET, ARRAYS, NEEDED = MISSING };

static const char *const names[ARRAYS] = {"children_left",      "children_right",  "feature", "threshold", "value",
                                          "missing_go_to_left", "zero_is_missing", "source",  "set"};

static enum shw_result find_arrays(const struct shw_json_part *part, const char *begin,
                                   const struct shw_json_slice *tree, struct shw_json_slice arrays[ARRAYS])
{
    struct shw_json_skim skim;
    struct shw_json_slice name, value;
    enum shw_json_step step;

    if (!shw_json_skim_begin(tree, '{', &skim))
        return shw_json_refuse(part, "it is not an object");
    while ((step = shw_json_skim_next(&skim, &name, &value)) == SHW_JSON_VALUE)
        for (int a = 0; a < ARRAYS; a++)
            if (shw_json_slice_is(&name, names[a]))
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
            return shw_json_refuse(part, "there is no array \"%s\"", names[a]);
        if (a == LEFT && (elements < 1 || elements > SHW_RECORD_NODES_MAX))
            return shw_json_refuse(part, "it has %zu nodes; 1 to %u are supported", elements, SHW_RECORD_NODES_MAX);
        if (a == LEFT)
            *count = elements;
        if (elements != *count)
            return shw_json_refuse(part, "the array \"%s\" has %zu elements instead of %zu", names[a], elements,
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

/* A negative left child is that of a leaf, whose right one means nothing. */
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
                                       names[LEFT + side], count - 1);
            SHW_PROPAGATE(take_child(part, n, child[side], count, taken));
        }
    }
    return SHW_OK;
}

enum shw_result shw_tree_arrays_check(const struct shw_json_part *part, const char *begin,
                                      const struct shw_json_slice *tree, uint32_t outputs)
{
    struct shw_json_slice arrays[ARRAYS] = {{0}};
    size_t count = 0, members = 0;
    uint8_t *taken;
    enum shw_result result;

    SHW_PROPAGATE(find_arrays(part, begin, tree, arrays));
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
