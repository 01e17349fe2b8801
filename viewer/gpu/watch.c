#include "gpu/watch.h"

#include <stddef.h>

#include "gpu/times.h"

const char *const view_block_names[VIEW_BLOCK_COUNT] = {"slot", "present", "frames", "device", "slice", "join"};

static _Thread_local struct view_watch *watched;

void view_watch_begin(struct view_watch *watch)
{
    watched = watch;
}

void view_watch_waits(struct view_watch *watch)
{
    double all = view_clock() - watch->looked, own = all - watch->apart;

    watch->waiting = true;
    if (watch->looked <= 0.0)
        return;
    watch->longest = own > watch->longest ? own : watch->longest;
    watch->longest_in_all = all > watch->longest_in_all ? all : watch->longest_in_all;
    watch->late += own > VIEW_WATCH_LATE;
}

void view_watch_looks(struct view_watch *watch)
{
    if (!watch->waiting)
        return;
    watch->waiting = false;
    watch->looked = view_clock();
    watch->apart = 0.0;
}

void view_watch_clear(struct view_watch *watch)
{
    *watch = (struct view_watch){.waiting = watch->waiting, .looked = watch->looked, .apart = watch->apart};
}

double view_block_begin(void)
{
    return view_clock();
}

void view_block_end(enum view_block kind, double began)
{
    if (watched == NULL)
        return;
    watched->blocks[kind]++;
    if (kind == VIEW_BLOCK_SLOT || kind == VIEW_BLOCK_PRESENT)
        watched->apart += view_clock() - began;
}

void view_join(pthread_t thread)
{
    double began = view_block_begin();

    pthread_join(thread, NULL);
    view_block_end(VIEW_BLOCK_JOIN, began);
}
