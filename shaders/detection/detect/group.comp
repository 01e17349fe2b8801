#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
/* Groups of the windows that were found, in the steps that detect_group.h lists. Atomic operations make groups in no
 * order of their own, and sums of integers that do not depend on one; all orders are total, so that the result is
 * always the same. No invocation goes through a loop more than 65,535 times in a step, which some devices do not do. */
#include "types.h"
#include "detect_group.h"
#include "detect_push.h"

layout(local_size_x = SHW_GROUPER_LANES) in;
layout(push_constant) uniform Push {
    shw_grouper_push push;
};
layout(set = 0, binding = SHW_GROUPER_WINDOWS) readonly buffer Windows {
    uint windows[];
};
layout(set = 0, binding = SHW_GROUPER_GROUPS) writeonly buffer Groups {
    uint groups[];
};
layout(set = 0, binding = SHW_GROUPER_SCRATCH) coherent buffer Scratch {
    uint scratch[];
};

shared uint made_count, kept_count, neighbours;

#define LANE  gl_LocalInvocationIndex
#define LANES SHW_GROUPER_LANES

uint at(uint place, uint index)
{
    return place * push.room + index;
}

/* All invocations see what the others have written. */
void synchronise()
{
    memoryBarrierBuffer();
    memoryBarrierShared();
    barrier();
}

shw_group_rule rule()
{
    return shw_group_rule(push.method, push.min_neighbours, push.epsilon, push.overlap);
}

shw_group_item window_at(uint window)
{
    uint i = SHW_DETECT_HEADER_WORDS + window * SHW_DETECT_FOUND_WORDS;

    return shw_group_item(int(windows[i]), int(windows[i + 1u]), windows[i + 2u], windows[i + 3u],
                          int(windows[i + 4u]), windows[i + 5u], windows[i + 6u], windows[i + 7u]);
}

shw_group_item made_at(uint group)
{
    uint i = at(SHW_GROUPER_MADE, 0u) + group * SHW_DETECT_FOUND_WORDS;

    return shw_group_item(int(scratch[i]), int(scratch[i + 1u]), scratch[i + 2u], scratch[i + 3u],
                          int(scratch[i + 4u]), scratch[i + 5u], scratch[i + 6u], scratch[i + 7u]);
}

void make(uint group, shw_group_item item)
{
    uint i = at(SHW_GROUPER_MADE, 0u) + group * SHW_DETECT_FOUND_WORDS;

    scratch[i] = uint(item.x);
    scratch[i + 1u] = uint(item.y);
    scratch[i + 2u] = item.width;
    scratch[i + 3u] = item.height;
    scratch[i + 4u] = uint(item.score);
    scratch[i + 5u] = item.level;
    scratch[i + 6u] = item.angle;
    scratch[i + 7u] = item.neighbours;
}

void write(uint group, shw_group_item item)
{
    uint i = SHW_GROUPER_HEADER_WORDS + group * SHW_DETECT_FOUND_WORDS;

    groups[i] = uint(item.x);
    groups[i + 1u] = uint(item.y);
    groups[i + 2u] = item.width;
    groups[i + 3u] = item.height;
    groups[i + 4u] = uint(item.score);
    groups[i + 5u] = item.level;
    groups[i + 6u] = item.angle;
    groups[i + 7u] = item.neighbours;
}

bool averages()
{
    return push.method == SHW_GROUP_BY_MEAN || push.method == SHW_GROUP_BY_CLUSTER;
}

/* Of two windows, or of two groups. */
bool precedes(uint a, uint b, bool are_made)
{
    if (are_made)
        return shw_group_precedes(made_at(a), made_at(b));
    if (averages())
        return shw_group_precedes_in_columns(window_at(a), window_at(b));
    return shw_group_precedes(window_at(a), window_at(b));
}

/* Exchanges in the order each index with the one that differs from it by the bits of `flip`, if they are the wrong way
 * round. */
void exchange(uint count, uint flip, bool are_made)
{
    for (uint i = LANE; i < count; i += LANES) {
        uint other = i ^ flip;
        if (other > i && other < count) {
            uint a = scratch[at(SHW_GROUPER_ORDER, i)], b = scratch[at(SHW_GROUPER_ORDER, other)];
            if (precedes(b, a, are_made)) {
                scratch[at(SHW_GROUPER_ORDER, i)] = b;
                scratch[at(SHW_GROUPER_ORDER, other)] = a;
            }
        }
    }
    synchronise();
}

/* A bitonic network whose exchanges all go the same way, so that it needs nothing behind the last index. */
void sort(uint count, bool are_made)
{
    for (uint size = 2u; size < 2u * count; size *= 2u) {
        exchange(count, size - 1u, are_made);
        for (uint flip = size / 4u; flip > 0u; flip /= 2u)
            exchange(count, flip, are_made);
    }
}

shw_group_item sorted_at(uint index)
{
    return window_at(scratch[at(SHW_GROUPER_ORDER, index)]);
}

/* NONE. */
void leave(uint count)
{
    for (uint i = LANE; i < count; i += LANES)
        make(i, sorted_at(i));
    if (LANE == 0u)
        scratch[at(SHW_GROUPER_WORDS, 0u)] = count;
}

/* The best that is left drops what overlaps it, again and again. */
void suppress(uint count)
{
    uint made = 0u;

    for (uint i = LANE; i < count; i += LANES)
        scratch[at(SHW_GROUPER_LABELS, i)] = 0u;
    synchronise();
    for (uint i = 0u; i < count; i++) {
        shw_group_item item;
        if (scratch[at(SHW_GROUPER_LABELS, i)] != 0u)
            continue;
        item = sorted_at(i);
        if (LANE == 0u)
            neighbours = item.neighbours;
        synchronise();
        for (uint j = i + 1u + LANE; j < count; j += LANES) {
            shw_group_item other = sorted_at(j);
            if (scratch[at(SHW_GROUPER_LABELS, j)] == 0u && shw_group_overlaps(item, other, push.overlap)) {
                scratch[at(SHW_GROUPER_LABELS, j)] = 1u;
                atomicAdd(neighbours, other.neighbours);
            }
        }
        synchronise();
        if (LANE == 0u) {
            item.neighbours = neighbours;
            make(made, item);
        }
        made++;
    }
    if (LANE == 0u)
        scratch[at(SHW_GROUPER_WORDS, 0u)] = made;
}

/* Halves the path on its way. */
uint root_of(uint item)
{
    uint parent = scratch[at(SHW_GROUPER_LABELS, item)];

    while (parent != item) {
        uint next = scratch[at(SHW_GROUPER_LABELS, parent)];
        scratch[at(SHW_GROUPER_LABELS, item)] = next;
        item = next;
        parent = scratch[at(SHW_GROUPER_LABELS, item)];
    }
    return item;
}

/* Parents are never greater than their children, so that the root is the least of a component. */
void unite(uint a, uint b)
{
    a = root_of(a);
    b = root_of(b);
    while (a != b) {
        uint low = min(a, b), high = max(a, b);
        uint seen = atomicCompSwap(scratch[at(SHW_GROUPER_LABELS, high)], high, low);
        if (seen == high)
            return;
        a = seen;
        b = low;
    }
}

/* Every window is a component of its own. */
void separate(uint count)
{
    for (uint i = LANE; i < count; i += LANES) {
        scratch[at(SHW_GROUPER_LABELS, i)] = i;
        scratch[at(SHW_GROUPER_COUNTS, i)] = 0u;
        scratch[at(SHW_GROUPER_SCORES, i)] = 0u;
        scratch[at(SHW_GROUPER_BEST, i)] = count;
        for (uint word = 0u; word < 10u; word++)
            scratch[at(SHW_GROUPER_SUMS + word, i)] = 0u;
    }
}

/* Some windows with those further to the right; by many work groups. */
void connect(uint count)
{
    for (uint i = gl_WorkGroupID.x; i < count; i += gl_NumWorkGroups.x) {
        shw_group_item item = sorted_at(i);
        for (uint j = i + 1u + LANE; j < count; j += LANES) {
            shw_group_item other = sorted_at(j);
            if (!shw_group_reaches(rule(), item, other))
                break;
            if (shw_group_belong_together(rule(), item, other))
                unite(i, j);
        }
    }
}

void add_halves(uint root, uint number, uint value)
{
    atomicAdd(scratch[at(SHW_GROUPER_SUMS + 2u * number, root)], value & 0xffffu);
    atomicAdd(scratch[at(SHW_GROUPER_SUMS + 2u * number + 1u, root)], value >> 16u);
}

shw_uint2 sum_of(uint root, uint number)
{
    uint low = scratch[at(SHW_GROUPER_SUMS + 2u * number, root)];
    uint high = scratch[at(SHW_GROUPER_SUMS + 2u * number + 1u, root)];

    return shw_wide_add(shw_wide(high >> 16u, high << 16u), shw_wide(0u, low));
}

void add_up(uint count)
{
    for (uint i = LANE; i < count; i += LANES) {
        uint root = root_of(i);
        shw_group_item item = sorted_at(i);
        add_halves(root, 0u, shw_group_place(item.x));
        add_halves(root, 1u, shw_group_place(item.y));
        add_halves(root, 2u, item.width);
        add_halves(root, 3u, item.height);
        add_halves(root, 4u, shw_group_place(item.score));
        atomicAdd(scratch[at(SHW_GROUPER_COUNTS, root)], 1u);
        atomicMax(scratch[at(SHW_GROUPER_SCORES, root)], shw_group_place(item.score));
    }
    synchronise();
    for (uint i = LANE; i < count; i += LANES) {
        uint root = root_of(i);
        if (shw_group_place(sorted_at(i).score) == scratch[at(SHW_GROUPER_SCORES, root)])
            atomicMin(scratch[at(SHW_GROUPER_BEST, root)], i);
    }
    synchronise();
}

/* The mean of each component. */
void average(uint count)
{
    if (LANE == 0u)
        made_count = 0u;
    synchronise();
    add_up(count);
    for (uint i = LANE; i < count; i += LANES) {
        uint windows_of_it = scratch[at(SHW_GROUPER_COUNTS, i)];
        if (windows_of_it > 0u && windows_of_it >= push.min_neighbours)
            make(atomicAdd(made_count, 1u),
                 shw_group_make(rule(), sorted_at(scratch[at(SHW_GROUPER_BEST, i)]),
                                shw_group_sums(sum_of(i, 0u), sum_of(i, 1u), sum_of(i, 2u), sum_of(i, 3u),
                                               sum_of(i, 4u), windows_of_it)));
    }
    synchronise();
    if (LANE == 0u)
        scratch[at(SHW_GROUPER_WORDS, 0u)] = made_count;
}

bool is_inside_any(uint group, uint made)
{
    shw_group_item item = made_at(group);

    for (uint g = 0u; g < made; g++)
        if (g != group && shw_group_is_inside(item, made_at(g), push.epsilon))
            return true;
    return false;
}

/* MEAN: which groups are inside others, an invocation for each. */
void mark_inside()
{
    uint made = scratch[at(SHW_GROUPER_WORDS, 0u)], group = gl_GlobalInvocationID.x;

    if (group < made)
        scratch[at(SHW_GROUPER_COUNTS, group)] = uint(is_inside_any(group, made));
}

bool is_kept(uint group)
{
    if (push.method == SHW_GROUP_BY_MEAN && scratch[at(SHW_GROUPER_COUNTS, group)] != 0u)
        return false;
    return push.has_min_score == 0u || made_at(group).score >= push.min_score;
}

/* What is left of the groups, in their order. Returns their number. */
uint choose()
{
    uint made = scratch[at(SHW_GROUPER_WORDS, 0u)];

    if (LANE == 0u)
        kept_count = 0u;
    synchronise();
    for (uint g = LANE; g < made; g += LANES)
        if (is_kept(g))
            scratch[at(SHW_GROUPER_ORDER, atomicAdd(kept_count, 1u))] = g;
    synchronise();
    sort(kept_count, true);
    return kept_count;
}

void write_header(uint total, uint kept)
{
    groups[0] = push.vertex_count;
    groups[1] = min(kept, push.groups);
    groups[2] = 0u;
    groups[3] = 0u;
    groups[4] = kept;
    groups[5] = total;
    groups[6] = 0u;
    groups[7] = 0u;
}

void begin(uint count)
{
    for (uint i = LANE; i < count; i += LANES)
        scratch[at(SHW_GROUPER_ORDER, i)] = i;
    synchronise();
    sort(count, false);
    if (averages())
        separate(count);
    else if (push.method == SHW_GROUP_BY_SUPPRESS)
        suppress(count);
    else
        leave(count);
}

void end(uint total)
{
    uint kept = choose();

    for (uint g = LANE; g < min(kept, push.groups); g += LANES)
        write(g, made_at(scratch[at(SHW_GROUPER_ORDER, g)]));
    if (LANE == 0u)
        write_header(total, kept);
}

void main()
{
    uint total = windows[0], count = total > push.windows ? 0u : total;

    if (push.step == SHW_GROUPER_BEGIN)
        begin(count);
    else if (push.step == SHW_GROUPER_CONNECT)
        connect(count);
    else if (push.step == SHW_GROUPER_AVERAGE)
        average(count);
    else if (push.step == SHW_GROUPER_INSIDE)
        mark_inside();
    else
        end(total);
}
