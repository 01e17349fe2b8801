/* What all training passes share: push constants, tables, and which work group this is. */
#include "train_push.h"

layout(push_constant) uniform Push {
    shw_train_push push;
};

#include "tables.glsl"

uint work_group()
{
    return gl_WorkGroupID.y * push.groups_x + gl_WorkGroupID.x;
}
