/* From the place that a record reaches in each tree to its sums and its class. A lane calls, for one record,
 *   result_begin()
 *   for each chunk of the slice: chunk_begin(), tree_end() for each of its trees, chunk_end()
 *   result_end()
 * and those whose record is not `there` write nothing. If is_one_tree(), one_tree_end() alone does, without sums.
 * Include after tables.glsl. */

layout(std430, set = 0, binding = SHW_RECORD_CLASSES_OUT) writeonly buffer Classes {
    uint classes[];
};
layout(std430, set = 0, binding = SHW_RECORD_SUMS_OUT) writeonly buffer Sums {
    uvec2 sums[];
};
layout(std430, set = 0, binding = SHW_RECORD_LEAVES_OUT) writeonly buffer Leaves {
    uint leaves[];
};
layout(std430, set = 0, binding = SHW_RECORD_PLACES) writeonly buffer Places {
    uint places[];
};

uvec2 partial[VALUES]; /* of the outputs in progress */
uvec2 best;
uint best_output;

void result_begin()
{
    best_output = 0u;
}

void chunk_begin(uvec4 chunk)
{
    if ((chunk.y & SHW_RECORD_CHUNK_BEGINS) != 0u)
        [[unroll]] for (uint v = 0u; v < VALUES; ++v)
            partial[v] = uvec2(0u);
}

/* The two parts of tree_end(): what is written of a place, and its values. */
void place_end(uint record, bool there, uint tree, uvec4 entry, uint place)
{
    if ((push.wanted & SHW_RECORD_WANTS_LEAVES) != 0u && there)
        leaves[record * TREES + entry.z] = NUMBERED ? leaf_numbers[entry.w + place] : place;
    if (IN_PASSES && there)
        places[(tree - push.first_tree) * push.pitch + record] = place;
}

/* Adds values if `counts`. */
void values_end(uvec4 entry, uint place, bool counts)
{
    if (IN_PASSES)
        return;
    [[unroll]] for (uint v = 0u; v < VALUES; ++v) {
        int value = counts ? leaf_values[entry.y + place * VALUES + v] : 0;
        if (NARROW)
            partial[v].x += uint(value);
        else
            partial[v] = sum_of(partial[v], widen(value));
    }
}

void tree_end(uint record, bool there, uint tree, uvec4 entry, uint place)
{
    place_end(record, there, tree, entry, place);
    if ((push.wanted & SHW_RECORD_WANTS_VALUES) != 0u)
        values_end(entry, place, true);
}

void chunk_end(uint record, bool there, uvec4 chunk)
{
    if (IN_PASSES || (chunk.y & SHW_RECORD_CHUNK_ENDS) == 0u || (push.wanted & SHW_RECORD_WANTS_VALUES) == 0u)
        return;
    [[unroll]] for (uint v = 0u; v < VALUES; ++v) {
        uint outcome = chunk.x + v;
        uvec2 sum = sum_of(base_of(outcome), NARROW ? widen(int(partial[v].x)) : partial[v]);
        if ((push.wanted & SHW_RECORD_WANTS_SUMS) != 0u && there)
            sums[record * OUTPUTS + outcome] = sum;
        if (outcome == 0u || is_greater(sum, best)) {
            best = sum;
            best_output = outcome;
        }
    }
}

void result_end(uint record, bool there)
{
    if (!IN_PASSES && (push.wanted & SHW_RECORD_WANTS_CLASSES) != 0u && there)
        classes[record] = class_of(OUTPUTS, best, best_output, uvec2(CUT_LOW, CUT_HIGH));
}

/* Whether there is one tree, whose places are classes, and sums are not wanted. */
bool is_one_tree()
{
    return CLASSES_AT != 0u && (push.wanted & SHW_RECORD_WANTS_SUMS) == 0u;
}

void one_tree_end(uint record, bool there, uint place)
{
    place_end(record, there, 0u, uvec4(0u), place);
    if ((push.wanted & SHW_RECORD_WANTS_CLASSES) != 0u && there)
        classes[record] = table_words[CLASSES_AT + place];
}
