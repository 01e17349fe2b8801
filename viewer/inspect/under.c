#include "inspect/under.h"

#include <stdlib.h>

static void forget_known(struct view_under *under)
{
    free(under->distribution);
    under->distribution = NULL;
}

static void forget(struct view_under *under)
{
    forget_known(under);
    view_smoothed_forget(&under->computing);
    under->asked = false;
}

void view_under_destroy(struct view_under *under)
{
    forget(under);
    view_smoothed_destroy(&under->computing);
}

/* Whether what was asked for is of something else by now. */
static bool is_outdated(const struct view_under *under, const struct view_scene *scene)
{
    return under->picture != scene->picture_count || under->computing.forest != scene->forest;
}

/* Keeps what is known. */
static void take(struct view_under *under)
{
    struct view_smoothed *computed = &under->computing;

    if (computed->distribution == NULL)
        return;
    forget_known(under);
    under->classes = computed->classes;
    under->argmax = computed->argmax;
    under->distribution = computed->distribution;
    computed->distribution = NULL;
}

void view_under_follow(struct view_under *under, const struct view_scene *scene, const struct view_cursor *cursor,
                       bool works, bool wait)
{
    const uint32_t x = under->x, y = under->y;
    double across, down;

    under->pointed = cursor->on_picture && !scene->instead.on && scene->picture != NULL &&
                     view_scene_find_place(scene, cursor->x, cursor->y, &across, &down);
    if (under->pointed) {
        under->x = (uint32_t)across;
        under->y = (uint32_t)down;
    }
    if (!under->pointed || scene->forest == NULL || (under->asked && is_outdated(under, scene)))
        forget(under);
    if (!under->pointed || scene->forest == NULL || !works)
        return;
    if (!under->asked || under->x != x || under->y != y) {
        view_smoothed_want(&under->computing, scene, under->x, under->y);
        under->picture = scene->picture_count;
        under->asked = true;
    }
    view_smoothed_poll(&under->computing, scene, wait);
    take(under);
}

bool view_under_is_running(const struct view_under *under)
{
    return view_smoothed_is_running(&under->computing);
}

bool view_under_is_ready(const struct view_under *under)
{
    return view_smoothed_is_ready(&under->computing);
}
