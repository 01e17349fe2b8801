/* What all shaders that evaluate record forests read and write. */
#include "record.h"
#include "record_push.h"
#include "wide.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint OUTPUTS = 1u;
layout(constant_id = 2) const uint VALUES = 1u; /* of a leaf */
layout(constant_id = 3) const uint TREES = 1u;
layout(constant_id = 4) const bool NARROW = false;       /* sums of values without the base fit 32 bits */
layout(constant_id = 5) const bool IN_PASSES = false;    /* the walk writes places alone */
layout(constant_id = 6) const bool NUMBERED = false;     /* there are leaf numbers */
layout(constant_id = 7) const bool MISSING_RIGHT = true; /* some test sends what is missing to the right */
layout(constant_id = 8) const bool ZERO_MISSING = true;  /* some test treats zero as missing */
layout(constant_id = 9) const bool MAPPED = false;       /* columns are not the attributes 0, 1, ... */
layout(constant_id = 10) const uint CUT_LOW = 0u;        /* of one output and two classes */
layout(constant_id = 11) const uint CUT_HIGH = 0u;
layout(constant_id = 12) const uint CLASSES_AT = 0u; /* of a forest of one tree: the word of its places' classes; 0: none */

layout(constant_id = 13) const uint SETS_AT = 0u;    /* the word where the sets begin; 0: no test is of a set */

layout(push_constant) uniform Push {
    shw_record_push push;
};

layout(std430, set = 0, binding = SHW_RECORD_RECORDS) readonly buffer Records {
    uint records[];
};
layout(std430, set = 0, binding = SHW_RECORD_RECORDS) readonly buffer RecordFours {
    uvec4 record_fours[];
};
layout(std430, set = 0, binding = SHW_RECORD_TABLES) readonly buffer Tables {
    uvec4 tables[];
};
layout(std430, set = 0, binding = SHW_RECORD_TABLES) readonly buffer TableWords {
    uint table_words[];
};
layout(std430, set = 0, binding = SHW_RECORD_LEAF_VALUES) readonly buffer LeafValues {
    int leaf_values[];
};
layout(std430, set = 0, binding = SHW_RECORD_LEAF_NUMBERS) readonly buffer LeafNumbers {
    uint leaf_numbers[];
};

/* The code of an attribute as the caller's records have it. */
int code_of(uint bits)
{
    int code = shw_record_code(bits);
    return code == push.missing ? SHW_RECORD_MISSING : code;
}

uint attribute_of(uint column)
{
    return MAPPED ? table_words[push.columns_at + column] : column;
}

/* The code of a column of a record in the buffer. */
int column_of(uint record, uint column)
{
    return code_of(records[record * push.record_stride + attribute_of(column) * push.attribute_stride]);
}

/* 1: right, 0: left. `flags`: bit 0: what is missing goes right, bit 1: zero is missing. */
uint goes_right(int code, int threshold, uint flags)
{
    if (ZERO_MISSING)
        code = shw_record_code_for(code, flags >> 1u & 1u);
    return shw_record_goes_right(code, threshold, MISSING_RIGHT ? flags & 1u : 0u);
}

/* The same by a test of a set, whose first word is `at`, counted from the first set. */
uint goes_right_by_set(int code, uint at, uint missing_right)
{
    uint head = table_words[SETS_AT + at], count = table_words[SETS_AT + at + 1u];
    uint bit = shw_record_set_bit(code, head), member = 0u;

    if (bit >> 5u < count)
        member = table_words[SETS_AT + at + SHW_RECORD_SET_MEMBERS + (bit >> 5u)] >> (bit & 31u) & 1u;
    return code == SHW_RECORD_MISSING ? missing_right : shw_record_set_side(member, head);
}

uvec4 tree_at(uint tree)
{
    return tables[push.trees_at + tree];
}

uvec2 base_of(uint outcome)
{
    uint at = push.base_at + 2u * outcome;
    return uvec2(table_words[at], table_words[at + 1u]);
}
