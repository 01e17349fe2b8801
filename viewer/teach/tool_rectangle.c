/* Ground-truth rectangles, which need no project. */
#include "teach/tools.h"

static bool press(struct view_teaching *teaching, uint32_t number, struct shw_point pixel)
{
    (void)pixel;
    return view_annotating_press(teaching->annotating, number == SHW_LABEL_VOID);
}

static void drag(struct view_teaching *teaching, struct shw_point pixel)
{
    (void)pixel;
    view_annotating_drag(teaching->annotating);
}

static void release(struct view_teaching *teaching)
{
    view_annotating_release(teaching->annotating);
}

const struct view_tool view_tool_rectangle_entry = {
    .name = "rectangle",
    .label = "Rectangle",
    .help = "draw, move and resize ground-truth rectangles; the right button deletes; no class of the project",
    .press = press,
    .drag = drag,
    .release = release};
