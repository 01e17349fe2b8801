/* Wand: the region that the forest labels alike. */
#include "teach/tools.h"

static bool press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    view_wand_begin(&teaching->wand, teaching->scene, number, pixel);
    return false;
}

const struct view_tool view_tool_wand_entry = {
    "wand", "Wand", "label the connected region that the forest gives the same class; the right button erases in it",
    NULL,   press,  NULL,
    NULL};
