#include "exchange/category_split.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/log.h"

/* Ranges of numbers, between successive limits, have numbers from 0: those with odd numbers are inside. */
#define FIRST_OUTSIDE 0u
#define FIRST_INSIDE  1u

enum shw_result shw_category_set_make(const uint32_t *categories, uint32_t count, int32_t zero, const char *name,
                                      const struct shw_log *log, struct shw_category_set *set)
{
    set->limits = malloc(((size_t)2 * count + 1) * sizeof *set->limits);
    if (set->limits == NULL)
        return shw_fail_memory(log, name);
    set->count = 0;
    for (uint32_t first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count && categories[end] == categories[end - 1] + 1;)
            end++;
        set->limits[set->count++] = categories[first] == 0 ? zero : shw_record_threshold_below(categories[first]);
        set->limits[set->count++] = shw_record_threshold_below((double)categories[end - 1] + 1);
    }
    if (count == 0)
        set->limits[set->count++] = INT32_MAX; /* no number is inside, but what is missing may be */
    return SHW_OK;
}

/* A node that is to be written out at a place, for numbers of the ranges first to last. */
struct visit {
    uint32_t node, first, last;
};

struct expanding {
    const struct shw_record_builder_node *nodes;
    const struct shw_category_set *sets;
    struct shw_record_builder_node *expanded;
    struct visit *visits; /* [place] */
    uint32_t count, expanded_capacity, visit_capacity;
};

static struct visit visit_of(const struct expanding *expanding, uint32_t node)
{
    const struct shw_category_set *set = &expanding->sets[node];

    return (struct visit){.node = node, .last = set->limits != NULL ? set->count : 0};
}

/* A categorical split that has one range left is decided: its child is there instead. */
static struct visit pass_decided(const struct expanding *expanding, struct visit visit)
{
    const struct shw_record_builder_node *node = &expanding->nodes[visit.node];
    const struct shw_category_set *set = &expanding->sets[visit.node];
    bool inside = visit.first % 2 != 0;

    if (set->limits == NULL || visit.first < visit.last)
        return visit;
    return visit_of(expanding, inside == set->inside_is_left ? node->left : node->right);
}

/* Numbers up to the limit in the middle go left. */
static void write_ranges(const struct expanding *expanding, struct visit visit, struct shw_record_builder_node *to,
                         struct visit children[2])
{
    const struct shw_record_builder_node *node = &expanding->nodes[visit.node];
    const struct shw_category_set *set = &expanding->sets[visit.node];
    uint32_t middle = visit.first + (visit.last - visit.first) / 2;
    bool missing_inside = node->missing_right != set->inside_is_left;
    uint32_t missing = missing_inside ? FIRST_INSIDE : FIRST_OUTSIDE;

    to->threshold = set->limits[middle];
    to->missing_right = missing > middle;
    children[0] = (struct visit){visit.node, visit.first, middle};
    children[1] = (struct visit){visit.node, middle + 1, visit.last};
}

static bool expand_next(struct expanding *expanding, uint32_t place)
{
    struct visit visit = pass_decided(expanding, expanding->visits[place]), children[2];
    struct shw_record_builder_node *to = &expanding->expanded[place];

    *to = expanding->nodes[visit.node];
    if (!to->is_split)
        return true;
    if (visit.first < visit.last) {
        write_ranges(expanding, visit, to, children);
    } else {
        children[0] = visit_of(expanding, to->left);
        children[1] = visit_of(expanding, to->right);
    }
    to->left = expanding->count;
    to->right = expanding->count + 1;
    if (!SHW_RESERVE(expanding->expanded, expanding->expanded_capacity, expanding->count + 2) ||
        !SHW_RESERVE(expanding->visits, expanding->visit_capacity, expanding->count + 2))
        return false;
    expanding->visits[expanding->count++] = children[0];
    expanding->visits[expanding->count++] = children[1];
    return true;
}

static enum shw_result expand_all(struct expanding *expanding, uint32_t tree, const char *name,
                                  const struct shw_log *log)
{
    if (!SHW_RESERVE(expanding->expanded, expanding->expanded_capacity, 1) ||
        !SHW_RESERVE(expanding->visits, expanding->visit_capacity, 1))
        return shw_fail_memory(log, name);
    expanding->visits[0] = visit_of(expanding, 0);
    expanding->count = 1;
    for (uint32_t place = 0; place < expanding->count; place++) {
        if (expanding->count > SHW_CATEGORY_NODES_MAX)
            return shw_fail(log, SHW_ERROR_LIMIT, SHW_LOG_FILE_READ,
                            "%s, tree %u, node %u: with its categorical splits written out as thresholds, the tree has "
                            "more than %u nodes, or they form a circle",
                            name, tree, expanding->nodes[expanding->visits[place].node].source, SHW_CATEGORY_NODES_MAX);
        if (!expand_next(expanding, place))
            return shw_fail_memory(log, name);
    }
    return SHW_OK;
}

enum shw_result shw_category_splits_expand(const struct shw_record_builder_node *nodes,
                                           const struct shw_category_set *sets, uint32_t tree, const char *name,
                                           const struct shw_log *log, struct shw_record_builder_node **expanded,
                                           uint32_t *expanded_count)
{
    struct expanding expanding = {.nodes = nodes, .sets = sets};
    enum shw_result result = expand_all(&expanding, tree, name, log);

    free(expanding.visits);
    if (result != SHW_OK) {
        free(expanding.expanded);
        return result;
    }
    *expanded = expanding.expanded;
    *expanded_count = expanding.count;
    return SHW_OK;
}
