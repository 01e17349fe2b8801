#include "files/output/label_team.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/in_order.h"
#include "base/integers.h"
#include "base/kept_log.h"
#include "base/log.h"

/* An image from the time when a thread takes it until it is reported. */
struct slot {
    uint32_t image;
    struct shw_kept_log kept;
    struct shw_label_made made;
};

struct team {
    struct shw_label_job *job;
    struct shw_label_job each; /* what each thread begins with: the job itself is the calling thread's */
    const struct shw_image_list *images;
    bool *done;
    struct shw_label_tally *tally;
    struct slot *slots;
    pthread_mutex_t mutex;
    uint32_t next; /* to begin */
};

static bool begin(void *user, uint32_t slot)
{
    struct team *team = user;

    if (team->next == team->images->count)
        return false;
    team->slots[slot].image = team->next++;
    return true;
}

static void make(void *user, uint32_t number, uint32_t thread)
{
    const struct team *team = user;
    struct slot *slot = &team->slots[number];
    struct shw_label_job mine = team->each;

    (void)thread;
    if (shw_resume_is_up_to_date(&mine.resume, slot->image))
        return;
    mine.log = shw_kept_log_of(&slot->kept, &team->each.log);
    mine.resume.log = mine.log;
    mine.outputs.log = shw_kept_log_of(&slot->kept, &team->each.outputs.log);
    shw_label_job_make(&mine, &team->images->list[slot->image], &slot->made);
}

static bool take(void *user, uint32_t number)
{
    struct team *team = user;
    struct slot *slot = &team->slots[number];

    if (team->job->begin != NULL)
        team->job->begin(team->job->user);
    shw_kept_log_pass(&slot->kept, &team->job->log);
    shw_label_job_report(team->job, team->images, slot->image, &slot->made, team->done, team->tally);
    shw_label_made_free(&slot->made);
    return true;
}

enum shw_result shw_label_team_run(struct shw_label_job *job, const struct shw_image_list *images, bool *done,
                                   struct shw_label_tally *tally)
{
    const uint32_t threads = shw_min_u32(job->at_once, shw_max_u32(images->count, 1)), slots = 2 * threads;
    struct team team = {
        .job = job, .images = images, .done = done, .tally = tally, .slots = calloc(slots, sizeof *team.slots)};
    const struct shw_in_order order = {
        .threads = threads, .slots = slots, .user = &team, .begin = begin, .make = make, .take = take};
    enum shw_result result;

    if (team.slots == NULL)
        return shw_fail_memory(&job->log, "images");
    for (uint32_t s = 0; s < slots; s++)
        shw_kept_log_init(&team.slots[s].kept);
    pthread_mutex_init(&team.mutex, NULL);
    job->resume.shared = &team.mutex;
    team.each = *job;
    team.each.memory = shw_max_u64(shw_label_job_memory(job) / threads, 1);
    result = shw_in_order_run(&order, &job->log);
    job->resume.shared = NULL;
    pthread_mutex_destroy(&team.mutex);
    for (uint32_t s = 0; s < slots; s++)
        shw_kept_log_destroy(&team.slots[s].kept);
    free(team.slots);
    return result;
}
