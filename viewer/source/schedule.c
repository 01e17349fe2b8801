#include "source/schedule.h"

#include <string.h>

/* How far the clock may be ahead of a picture that has just been read, in seconds of playing. */

#define CLOCK_AHEAD 0.1

static struct view_arrival *waiting(struct view_schedule *schedule, unsigned place)
{
    return &schedule->ring[(schedule->first + place) % VIEW_SCHEDULE_RING];
}

static struct view_arrival take_first(struct view_schedule *schedule)
{
    struct view_arrival arrival = *waiting(schedule, 0);

    schedule->first = (schedule->first + 1) % VIEW_SCHEDULE_RING;
    schedule->count--;
    return arrival;
}

static void drop_last(struct view_schedule *schedule)
{
    view_picture_free(waiting(schedule, --schedule->count)->picture);
}

static bool last_is_unasked(struct view_schedule *schedule)
{
    return schedule->count != 0 && !waiting(schedule, schedule->count - 1)->asked;
}

static void drop_unasked(struct view_schedule *schedule)
{
    while (last_is_unasked(schedule))
        drop_last(schedule);
}

/* A picture that is read too late is due at once. The clock continues from there: it does not rush to catch up. */
static void hold_clock(struct view_schedule *schedule, const struct view_arrival *arrival)
{
    double most = arrival->seconds + CLOCK_AHEAD * schedule->speed;

    if (schedule->clock > most)
        schedule->clock = most;
}

static void push(struct view_schedule *schedule, const struct view_arrival *arrival)
{
    hold_clock(schedule, arrival);
    if (schedule->camera && last_is_unasked(schedule))
        drop_last(schedule);
    if (schedule->count == VIEW_SCHEDULE_RING) {
        view_picture_free(arrival->picture);
        return;
    }
    *waiting(schedule, schedule->count++) = *arrival;
    if (arrival->asked)
        schedule->asked_ticks = arrival->ticks;
}

static struct view_work pop_command(struct view_schedule *schedule)
{
    struct view_work work = schedule->commands[0];

    schedule->command_count--;
    memmove(schedule->commands, schedule->commands + 1, schedule->command_count * sizeof work);
    return work;
}

static bool add_command(struct view_schedule *schedule, struct view_work work)
{
    if (schedule->command_count == VIEW_SCHEDULE_COMMANDS)
        return false;
    schedule->commands[schedule->command_count++] = work;
    return true;
}

void view_schedule_begin(struct view_schedule *schedule, bool camera, unsigned ahead)
{
    *schedule = (struct view_schedule){.camera = camera, .ahead = ahead, .playing = camera, .speed = 1.0};
    add_command(schedule, (struct view_work){.kind = VIEW_WORK_NEXT});
}

void view_schedule_clear(struct view_schedule *schedule)
{
    while (schedule->count != 0)
        drop_last(schedule);
}

bool view_schedule_at_end(const struct view_schedule *schedule)
{
    return schedule->ended && schedule->count == 0 && schedule->command_count == 0 && schedule->busy == VIEW_WORK_NONE;
}

/* Whether a picture that was sought is being read. */
static bool is_seeking(const struct view_schedule *schedule)
{
    return !schedule->busy_is_past && (schedule->busy == VIEW_WORK_SEEK || schedule->busy == VIEW_WORK_BACK);
}

bool view_schedule_pending(const struct view_schedule *schedule)
{
    return schedule->command_count != 0 || is_seeking(schedule) ||
           (schedule->count != 0 && schedule->ring[schedule->first].asked);
}

void view_schedule_play(struct view_schedule *schedule)
{
    if (view_schedule_at_end(schedule))
        view_schedule_seek(schedule, 0.0);
    if (schedule->playing)
        return;
    schedule->playing = true;
    schedule->clock = schedule->shown_seconds;
    schedule->clock_runs = false;
}

void view_schedule_pause(struct view_schedule *schedule)
{
    schedule->playing = false;
}

void view_schedule_seek(struct view_schedule *schedule, double seconds)
{
    view_schedule_clear(schedule);
    schedule->command_count = 0;
    schedule->seeks++;
    schedule->moves++;
    add_command(schedule, (struct view_work){.kind = VIEW_WORK_SEEK, .seconds = seconds});
}

void view_schedule_return(struct view_schedule *schedule, int64_t ticks, double seconds)
{
    if (schedule->camera || schedule->shown_ticks == ticks)
        return;
    view_schedule_clear(schedule);
    schedule->command_count = 0;
    schedule->seeks++;
    schedule->moves++;
    schedule->shown_ticks = schedule->asked_ticks = ticks;
    schedule->shown_seconds = schedule->clock = seconds;
    schedule->ended = false;
    schedule->returned = true;
    schedule->busy_is_past = schedule->busy != VIEW_WORK_NONE;
}

static bool step_forward(struct view_schedule *schedule)
{
    bool idle = schedule->command_count == 0 && (schedule->busy == VIEW_WORK_NONE || schedule->busy == VIEW_WORK_NEXT);

    for (unsigned i = 0; idle && i < schedule->count; i++)
        if (!waiting(schedule, i)->asked) {
            waiting(schedule, i)->asked = true;
            schedule->asked_ticks = waiting(schedule, i)->ticks;
            return true;
        }
    return add_command(schedule, (struct view_work){.kind = VIEW_WORK_NEXT});
}

static bool step_back(struct view_schedule *schedule)
{
    struct view_work work = {.kind = VIEW_WORK_BACK, .ticks = schedule->shown ? schedule->shown_ticks : INT64_MIN};

    work.chained = schedule->command_count != 0 || is_seeking(schedule);
    if (schedule->command_count == VIEW_SCHEDULE_COMMANDS)
        return false;
    drop_unasked(schedule);
    if (schedule->count != 0)
        work.ticks = waiting(schedule, schedule->count - 1)->ticks;
    schedule->moves++;
    return add_command(schedule, work);
}

bool view_schedule_step(struct view_schedule *schedule, bool back)
{
    schedule->playing = false;
    return back ? step_back(schedule) : step_forward(schedule);
}

static void run_clock(struct view_schedule *schedule, double now)
{
    if (schedule->playing && schedule->clock_runs && now > schedule->last_now)
        schedule->clock += (now - schedule->last_now) * schedule->speed;
    schedule->last_now = now;
    schedule->clock_runs = true;
}

/* Takes the last picture that is due, or with every_picture the first. */
static bool take_due(struct view_schedule *schedule, struct view_arrival *arrival)
{
    bool found = false;

    while (schedule->count != 0 && !waiting(schedule, 0)->asked && waiting(schedule, 0)->seconds <= schedule->clock) {
        if (found)
            view_picture_free(arrival->picture);
        *arrival = take_first(schedule);
        found = true;
        if (schedule->every_picture) {
            if (schedule->count != 0 && waiting(schedule, 0)->seconds < schedule->clock)
                schedule->clock = waiting(schedule, 0)->seconds;
            break;
        }
    }
    return found;
}

bool view_schedule_take(struct view_schedule *schedule, double now, struct view_arrival *arrival)
{
    bool found = false;

    run_clock(schedule, now);
    if (schedule->count != 0 && (waiting(schedule, 0)->asked || (schedule->camera && schedule->playing))) {
        *arrival = take_first(schedule);
        schedule->clock = arrival->seconds;
        found = true;
    } else if (schedule->playing) {
        found = take_due(schedule, arrival);
    }
    if (!found)
        return false;
    schedule->shown = true;
    schedule->shown_ticks = arrival->ticks;
    schedule->shown_seconds = arrival->seconds;
    return true;
}

struct view_work view_schedule_work(struct view_schedule *schedule)
{
    struct view_work work = {.kind = VIEW_WORK_NONE};
    bool room = schedule->count < schedule->ahead;

    while (schedule->ended && schedule->command_count != 0 && schedule->commands[0].kind == VIEW_WORK_NEXT)
        pop_command(schedule);
    if (schedule->command_count != 0 && schedule->commands[0].kind != VIEW_WORK_NEXT) {
        if (!room)
            return work;
        work = pop_command(schedule);
        if (work.chained)
            work.ticks = schedule->asked_ticks;
        work.epoch = schedule->seeks;
    } else if (!schedule->ended && (room || schedule->camera)) {
        work.kind = VIEW_WORK_NEXT;
        work.epoch = schedule->moves;
        work.after = schedule->returned;
        work.ticks = schedule->shown_ticks;
    }
    if (work.kind != VIEW_WORK_NONE)
        schedule->returned = schedule->busy_is_past = false;
    schedule->busy = work.kind;
    schedule->busy_epoch = work.epoch;
    return work;
}

/* A picture that was read to come next answers a step that was requested meanwhile, before any other command. */
static bool answers_step(const struct view_schedule *schedule)
{
    return !schedule->busy_is_past && schedule->command_count != 0 && schedule->commands[0].kind == VIEW_WORK_NEXT;
}

bool view_schedule_is_void(const struct view_schedule *schedule)
{
    switch (schedule->busy) {
    case VIEW_WORK_NONE: return false;
    case VIEW_WORK_NEXT: return !answers_step(schedule) && schedule->busy_epoch != schedule->moves;
    case VIEW_WORK_SEEK:
    case VIEW_WORK_BACK: break;
    }
    return schedule->busy_epoch != schedule->seeks;
}

void view_schedule_done(struct view_schedule *schedule, const struct view_work *work,
                        const struct view_arrival *arrival)
{
    struct view_arrival taken = *arrival;
    bool valid = work->epoch == schedule->seeks;

    schedule->busy = VIEW_WORK_NONE;
    taken.asked = work->kind != VIEW_WORK_NEXT;
    if (work->kind == VIEW_WORK_NEXT) {
        taken.asked = answers_step(schedule);
        valid = taken.asked || work->epoch == schedule->moves;
        if (taken.asked)
            pop_command(schedule);
    }
    if (!valid) {
        view_picture_free(taken.picture);
        return;
    }
    schedule->ended = taken.picture == NULL;
    if (taken.picture != NULL)
        push(schedule, &taken);
}
