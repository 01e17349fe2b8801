#include "ui/toasts.h"

#include <stdio.h>
#include <string.h>

#define FADE 0.5 /* seconds */

static double duration(const struct view_toast *toast)
{
    return toast->error ? 10.0 : 6.0;
}

void view_toasts_init(struct view_toasts *toasts)
{
    pthread_mutex_init(&toasts->lock, NULL);
    toasts->count = 0;
}

void view_toasts_destroy(struct view_toasts *toasts)
{
    pthread_mutex_destroy(&toasts->lock);
}

static void take_out(struct view_toasts *toasts, uint32_t number)
{
    toasts->count--;
    memmove(&toasts->list[number], &toasts->list[number + 1], (toasts->count - number) * sizeof *toasts->list);
}

static bool is_same(const struct view_toast *one, const struct view_toast *other)
{
    return strcmp(one->text, other->text) == 0 && one->error == other->error && one->news == other->news;
}

static void add(struct view_toasts *toasts, struct view_toast toast, const char *text)
{
    snprintf(toast.text, sizeof toast.text, "%s", text);
    pthread_mutex_lock(&toasts->lock);
    for (uint32_t i = 0; i < toasts->count; i++)
        if (is_same(&toasts->list[i], &toast)) {
            toast.times = toasts->list[i].times + 1;
            take_out(toasts, i);
            break;
        }
    if (toasts->count == VIEW_TOASTS)
        take_out(toasts, 0);
    toasts->list[toasts->count++] = toast;
    pthread_mutex_unlock(&toasts->lock);
}

void view_toasts_add(struct view_toasts *toasts, bool error, const char *text)
{
    add(toasts, (struct view_toast){.error = error, .times = 1, .since = -1.0}, text);
}

void view_toasts_tell(struct view_toasts *toasts, const char *text)
{
    add(toasts, (struct view_toast){.news = true, .times = 1, .since = -1.0}, text);
}

bool view_toasts_age(struct view_toasts *toasts, double now)
{
    bool changed = false;

    pthread_mutex_lock(&toasts->lock);
    for (uint32_t i = toasts->count; i-- > 0;) {
        struct view_toast *toast = &toasts->list[i];
        double left;
        float opacity;
        if (toast->since < 0.0)
            toast->since = now;
        left = toast->since + duration(toast) - now;
        opacity = left >= FADE ? 1.0f : (float)(left / FADE);
        changed = changed || opacity != toast->opacity;
        toast->opacity = opacity;
        if (left <= 0.0)
            take_out(toasts, i);
    }
    pthread_mutex_unlock(&toasts->lock);
    return changed;
}

uint32_t view_toasts_list(struct view_toasts *toasts, struct view_toast list[VIEW_TOASTS])
{
    uint32_t count;

    pthread_mutex_lock(&toasts->lock);
    count = toasts->count;
    memcpy(list, toasts->list, count * sizeof *list);
    pthread_mutex_unlock(&toasts->lock);
    return count;
}

void view_toasts_clear(struct view_toasts *toasts)
{
    pthread_mutex_lock(&toasts->lock);
    toasts->count = 0;
    pthread_mutex_unlock(&toasts->lock);
}
