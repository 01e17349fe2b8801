/* What all training passes share: push constants, tables, and which work group this is. */
#include "train_push.h"

layout(push_constant) uniform Push {
    shw_train_push push;
};
layout(std430, set = 0, binding = SHW_TRAIN_TABLES) readonly buffer Tables {
    uint tables[];
};

uint work_group()
{
    return gl_WorkGroupID.y * push.groups_x + gl_WorkGroupID.x;
}

uint node_word(uint open, uint word)
{
    return tables[open * SHW_TABLE_NODE_WORDS + word];
}
