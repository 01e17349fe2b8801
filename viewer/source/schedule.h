/* What a source's thread must read, which pictures are waiting, and when they are due. Has no threads, clocks or
 * decoding; calls for one schedule must be serialised by a lock. */
#ifndef VIEW_SOURCE_SCHEDULE_H
#define VIEW_SOURCE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "source/picture.h"

#define VIEW_SCHEDULE_RING     4
#define VIEW_SCHEDULE_COMMANDS 64

/* A picture that has been read. */
struct view_arrival {
    struct view_picture *picture;
    int64_t ticks;
    double seconds; /* from the start */
    bool asked;     /* by a step or a seek: must be shown in any case */
};

enum view_work_kind {
    VIEW_WORK_NONE,
    VIEW_WORK_NEXT, /* read the picture after the one read last */
    VIEW_WORK_SEEK, /* read the picture that is shown at `seconds` */
    VIEW_WORK_BACK  /* read the picture before `ticks` */
};

struct view_work {
    enum view_work_kind kind;
    double seconds;
    int64_t ticks;
    bool chained; /* BACK relative to the result of the previous command, which is not known yet */
    bool after;   /* NEXT: the picture after the one at `ticks`, which was not read last */
    uint64_t epoch;
};

struct view_schedule {
    bool camera;        /* only the newest picture matters, and seeking is impossible */
    bool every_picture; /* the clock waits until each picture has been taken */
    unsigned ahead;     /* pictures to read ahead, 1..VIEW_SCHEDULE_RING */
    bool playing;
    double speed;

    struct view_arrival ring[VIEW_SCHEDULE_RING];
    unsigned first, count;
    struct view_work commands[VIEW_SCHEDULE_COMMANDS];
    unsigned command_count;
    enum view_work_kind busy;
    uint64_t busy_epoch;   /* of that work */
    uint64_t seeks, moves; /* results of work begun under an earlier number are discarded */
    bool returned;         /* the shown picture is not the one before those to be read: reading continues after it */
    bool busy_is_past;     /* that work was begun before the return */
    bool ended;
    int64_t asked_ticks; /* of the last requested picture that was read */

    bool shown;
    int64_t shown_ticks;
    double shown_seconds;
    double clock, last_now;
    bool clock_runs; /* last_now is set */
};

/* Requests the first picture. */
void view_schedule_begin(struct view_schedule *schedule, bool camera, unsigned ahead);
/* Frees the waiting pictures. */
void view_schedule_clear(struct view_schedule *schedule);

void view_schedule_play(struct view_schedule *schedule);
void view_schedule_pause(struct view_schedule *schedule);
/* False if too many commands are waiting. */
bool view_schedule_step(struct view_schedule *schedule, bool back);
void view_schedule_seek(struct view_schedule *schedule, double seconds);
/* A picture that was taken earlier is shown again, or still: everything continues from it. Forgets pending commands.
 * Not for cameras. */
void view_schedule_return(struct view_schedule *schedule, int64_t ticks, double seconds);

/* Takes the picture to show from `now` on, if there is a new one. */
bool view_schedule_take(struct view_schedule *schedule, double now, struct view_arrival *arrival);
bool view_schedule_at_end(const struct view_schedule *schedule);
bool view_schedule_pending(const struct view_schedule *schedule);

/* Whether the result of the work in progress will be discarded, so that it may be given up. */
bool view_schedule_is_void(const struct view_schedule *schedule);

/* What to read next. The caller must do it and call view_schedule_done() with the result, which it takes over, or
 * without a picture, before calling this again. */
struct view_work view_schedule_work(struct view_schedule *schedule);
void view_schedule_done(struct view_schedule *schedule, const struct view_work *work,
                        const struct view_arrival *arrival);

#endif
