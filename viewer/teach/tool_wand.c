/* Wand: the region that the forest labels alike. */
#include "base/log.h"
#include "teach/tools.h"

enum shw_result view_tool_wand(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    SHW_PROPAGATE(view_wand_begin(&teaching->wand, teaching->scene, number, pixel));
    view_scene_keep(teaching->scene);
    return SHW_OK;
}

static bool press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    view_tool_wand(teaching, number, pixel);
    return false;
}

const struct view_tool view_tool_wand_entry = {
    "wand", "Wand", "label the connected region that the forest gives the same class; the right button erases in it",
    NULL,   press,  NULL,
    NULL};
