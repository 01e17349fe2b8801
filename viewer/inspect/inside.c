#include "inspect/inside.h"

void view_inside_destroy(struct view_inside *inside)
{
    const struct view_gpu *gpu;

    if (inside->scene == NULL)
        return;
    gpu = inside->scene->labelling.params.gpu;
    view_inspect_destroy(&inside->inspect);
    view_texture_destroy(gpu, &inside->texture);
    view_channels_destroy(gpu, &inside->channels);
}

void view_inside_follow(struct view_inside *inside)
{
    view_inspect_update(&inside->inspect, &inside->channels, inside->scene, inside->cursor);
    view_texture_update(&inside->texture, inside->scene, inside->inspect.pinned ? NULL : inside->cursor);
}
