/* Shared by all training passes: push constants, tables, and the number of the work group. */
#include "train_push.h"

layout(push_constant) uniform Push {
    shw_train_push push;
};

#include "tables.glsl"

uint work_group()
{
    return gl_WorkGroupID.y * push.groups_x + gl_WorkGroupID.x;
}
