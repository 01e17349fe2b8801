/* The teacher: grows forests from a project's strokes while painting goes on.
 *
 * A small forest comes first, soon after a stroke, then the project's full one. Strokes painted meanwhile make it begin
 * anew, but not before the small forest is there, so that there is an answer even while the brush never rests; only a
 * small forest of a stroke that was still being painted gives way when that stroke ends. The same strokes give the same
 * forests.
 *
 * All functions are for one thread, that of the frame loop. Reading pictures and what else may take long is done on a
 * thread of the teacher's own. */
#ifndef VIEW_TEACH_TEACHER_H
#define VIEW_TEACH_TEACHER_H

#include <stdbool.h>
#include <stdint.h>

#include <shadewood/train.h>

#include "project/out_of_bag.h"
#include "project/project.h"
#include "shared_forest.h"

enum view_teacher_state {
    VIEW_TEACHER_IDLE,    /* there are no strokes */
    VIEW_TEACHER_SMALL,   /* on the way to the small forest */
    VIEW_TEACHER_FULL,    /* on the way to the full one */
    VIEW_TEACHER_JUDGING, /* the full one is there; accuracy is being measured */
    VIEW_TEACHER_DONE,
    VIEW_TEACHER_FAILED /* until the project changes; the log has the reason */
};

struct view_teacher_params {
    struct shw_device *device; /* borrowed; NULL: `cpu` on the teacher's thread */
    bool recorded;   /* with a device: rounds are computed by view_teacher_record(), which imported devices need. The
                        device's   import must allow creation on another thread: no pipeline cache that others use, memory
                        hooks that   are thread-safe */
    bool out_of_bag; /* measure accuracy after the full forest */
    uint64_t work_max, memory; /* as in struct shw_trainer_params */
    uint32_t threads;          /* on the host; 0: one a processor */
    struct shw_log log;        /* may be called on the teacher's thread */
};

/* When a forest came about: seconds of CLOCK_MONOTONIC. Of a full one, the trainer is made ready after the small one is
 * there. */
struct view_teacher_times {
    double wanted;   /* view_teacher_update() took its strokes along */
    double begun;    /* the thread took them up */
    double prepared; /* the trainer was ready for its first round */
    double grown;    /* the last round had ended */
};

struct view_teacher_status {
    enum view_teacher_state state;
    bool stopped;
    double fraction; /* of the forest that is on the way, from 0 to 1 */
    uint64_t number; /* counts up whenever view_teacher_share_forest() gives another forest; 0: there is none yet */
    bool can_restore;
    struct view_teacher_times times; /* of the forest that was taught last */
};

struct view_teacher;

/* Errors: ARGUMENT (recorded without a device), MEMORY. */
enum shw_result view_teacher_create(const struct view_teacher_params *params, struct view_teacher **teacher);

/* Ends *teacher's life and sets it to NULL; NULL and a pointer to NULL are accepted. Nothing that was recorded may
 * still run. */
void view_teacher_destroy(struct view_teacher **teacher);

/* To be called every frame: looks whether the project has changed and, if so, takes its strokes along. Cheap where
 * nothing has changed. Errors: MEMORY. */
enum shw_result view_teacher_update(struct view_teacher *teacher, struct shw_project *project);

/* Training in the caller's frame, where `recorded` is set. record: records a slice outside a render pass if there is
 * one to compute, and tells so in *recorded. complete: to be called when it has finished on the device, before the next
 * slice is recorded; both as often in a frame as there is time for it: a forest needs a slice or two for each level of
 * each of its trees. Errors of training become the state VIEW_TEACHER_FAILED. */
void view_teacher_record(struct view_teacher *teacher, VkCommandBuffer commands, bool *recorded);
void view_teacher_complete(struct view_teacher *teacher);

/* Waits, no longer than so many seconds, until there is a slice to record, and tells whether there is. Returns at once
 * where none can come: nothing is on the way, or the teacher trains by itself, or another forest is there than that of
 * `number` (struct view_teacher_status). */
bool view_teacher_wait(struct view_teacher *teacher, uint64_t number, double seconds);

/* Stops between two rounds, and goes on from there. Strokes painted meanwhile are taken along. */
void view_teacher_stop(struct view_teacher *teacher, bool stopped);

/* Brings the full forest before the current one back, and the current one with the next call. What is on the way is
 * given up until the project changes again. False: there is none. */
bool view_teacher_restore(struct view_teacher *teacher);

void view_teacher_get_status(struct view_teacher *teacher, struct view_teacher_status *status);

/* A share of the newest forest, to be released; NULL if there is none. */
struct view_shared_forest *view_teacher_share_forest(struct view_teacher *teacher);

/* Accuracy of the last full forest by class number: up to `capacity` classes. Returns how many there are, 0 while it is
 * not measured. */
uint32_t view_teacher_get_accuracy(struct view_teacher *teacher, struct shw_out_of_bag *classes, uint32_t capacity);

#endif
