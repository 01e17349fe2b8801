#include "label/overlay_kinds.h"

#include <string.h>

#define ROW(MODE, name, panel, button, tip, labels, plane, needs, begins, ends, key)                                   \
    [VIEW_MODE_##MODE] = {name, button, tip, VIEW_##panel, VIEW_##labels, VIEW_##plane, VIEW_##needs, begins, ends},

const struct view_overlay_kind view_overlay_kinds[VIEW_MODE_COUNT] = {VIEW_OVERLAY_KINDS(ROW)};

#define ONE(...) +1
_Static_assert(0 VIEW_OVERLAY_KINDS(ONE) == VIEW_MODE_COUNT, "every mode of the shader has a row, and one alone");

uint32_t view_overlay_find(const char *name)
{
    uint32_t mode = 0;

    while (mode < VIEW_MODE_COUNT && strcmp(view_overlay_kinds[mode].name, name) != 0)
        mode++;
    return mode;
}

bool view_overlay_shows_labels(uint32_t mode)
{
    return view_overlay_kinds[mode].labels == VIEW_OWN_LABELS;
}

bool view_overlay_wants_planes(uint32_t mode)
{
    return (view_overlay_kinds[mode].needs & VIEW_NEEDS_PROBABILITIES) != 0;
}
