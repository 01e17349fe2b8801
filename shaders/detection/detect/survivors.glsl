/* The end of a phase: windows that have passed it go into a list, or after the last tree to the caller. */

layout(set = 0, binding = SHW_DETECT_SURVIVORS) buffer Survivors {
    uvec2 survivors[]; /* window, score */
};
layout(set = 0, binding = SHW_DETECT_COUNTERS) buffer Counters {
    uint counters[];
};
layout(set = 0, binding = SHW_DETECT_FOUND) buffer Found {
    uint found[];
};

shared uint passed_count, passed_first;

void write_found(uint slot, uint number, int score)
{
    Window window = window_of(number);
    shw_detect_level_entry level = levels[window.level];
    uint at = SHW_DETECT_HEADER_WORDS + slot * SHW_DETECT_FOUND_WORDS;

    found[at] = uint(position_at(level.first_column + window.column).y);
    found[at + 1u] = uint(position_at(level.first_row + window.row).y);
    found[at + 2u] = level.out_width;
    found[at + 3u] = level.out_height;
    found[at + 4u] = uint(score - push.score_base);
    found[at + 5u] = level.number;
    found[at + 6u] = window.angle;
    found[at + 7u] = 1u;
}

/* Reserves places for the windows of the group: one atomic operation for all. */
void reserve(uint count)
{
    if (count == 0u)
        return;
    if (push.end_tree == push.tree_count) {
        passed_first = atomicAdd(found[0], count);
    } else {
        passed_first = atomicAdd(counters[push.counter_to + 3u], count);
        atomicMax(counters[push.counter_to],
                  min((passed_first + count + push.next_windows - 1u) / push.next_windows,
                      SHW_DETECT_GROUPS_MAX));
    }
}

void keep(uint place, uint window, int score)
{
    uint slot = passed_first + place;

    if (push.end_tree != push.tree_count)
        survivors[push.to + slot] = uvec2(window, uint(score));
    else if (slot < push.capacity)
        write_found(slot, window, score);
}

/* Called by all invocations of the group, which have one window each at most. */
void keep_passed(bool passed, uint window, int score)
{
    uint place = 0u;

    if (gl_LocalInvocationIndex == 0u)
        passed_count = 0u;
    barrier();
    if (passed)
        place = atomicAdd(passed_count, 1u);
    barrier();
    if (gl_LocalInvocationIndex == 0u)
        reserve(passed_count);
    barrier();
    if (passed)
        keep(place, window, score);
}
