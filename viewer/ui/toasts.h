/* Messages shown for some seconds. */
#ifndef VIEW_UI_TOASTS_H
#define VIEW_UI_TOASTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#define VIEW_TOASTS 4u /* the oldest is removed for another one */

struct view_toast {
    char text[512];
    bool error;     /* otherwise a warning */
    bool news;      /* neither */
    uint32_t times; /* number of repetitions */
    double since;   /* seconds; negative: not shown yet */
    float opacity;  /* 0..1 */
};

struct view_toasts {
    pthread_mutex_t lock;
    struct view_toast list[VIEW_TOASTS]; /* oldest first */
    uint32_t count;
};

void view_toasts_init(struct view_toasts *toasts);
void view_toasts_destroy(struct view_toasts *toasts);

/* Any thread. A message that is already shown stays longer, and is counted. */
void view_toasts_add(struct view_toasts *toasts, bool error, const char *text);

/* The same for good news. */
void view_toasts_tell(struct view_toasts *toasts, const char *text);

/* Removes old messages. True: their appearance has changed since the last call. For the main thread, like everything
 * below. */
bool view_toasts_age(struct view_toasts *toasts, double now);

/* Copies the visible messages; returns their number. */
uint32_t view_toasts_list(struct view_toasts *toasts, struct view_toast list[VIEW_TOASTS]);

/* Removes all messages. */
void view_toasts_clear(struct view_toasts *toasts);

#endif
