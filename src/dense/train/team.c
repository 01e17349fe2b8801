#include "dense/train/team.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "dense/forest/forest.h"
#include "dense/grow/trainer.h"
#include "dense/train/checkpoint.h"

#define WORKERS_MAX (1u << 20) /* as there can be candidates */

/* Where the workers meet once per round. */
struct meeting {
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    uint32_t worker_count, arrived, leaving;
    const uint32_t **words;  /* [worker] */
    enum shw_result failure; /* of the worker that ended early, after which nobody meets any more; or OK */
    uint32_t failed;         /* its number */
    char why[SHW_MESSAGE_SIZE];
};

struct member {
    struct shw_team *team;
    struct shw_train_exchange exchange;
    struct shw_trainer_params params; /* of a helper, as what follows */
    char name[64];                    /* in messages */
    struct shw_trainer *trainer;
    pthread_t thread;
    bool runs;
};

struct shw_team {
    struct meeting meeting;
    struct shw_log log;
    struct shw_forest *checkpoint; /* where the helpers begin, or NULL */
    char *name;                    /* of the checkpoint */
    bool begun;
    char *channels, *notes; /* what the helpers are renewed with, copied; or NULL */
    double *class_weights;
    const struct shw_dataset *given;
    struct shw_dataset dataset; /* the same, for any thread */
    pthread_mutex_t reading;
    struct member members[]; /* the leader, then the helpers */
};

static struct member *leader_of(struct shw_team *team)
{
    return &team->members[0];
}

/* Ends all meetings. The first failure is the one that counts. */
static void break_up(struct shw_team *team, uint32_t worker, enum shw_result failure, const char *why)
{
    struct meeting *meeting = &team->meeting;

    pthread_mutex_lock(&meeting->mutex);
    if (meeting->failure == SHW_OK) {
        meeting->failure = failure;
        meeting->failed = worker;
        snprintf(meeting->why, sizeof meeting->why, "%s", why);
    }
    pthread_cond_broadcast(&meeting->changed);
    pthread_mutex_unlock(&meeting->mutex);
}

/* Whether all words are there; false if somebody is missing for ever. The meeting is locked. */
static bool wait_for_all(struct meeting *meeting, uint32_t worker, const uint32_t *mine)
{
    while (meeting->leaving > 0 && meeting->failure == SHW_OK) /* of the round before */
        pthread_cond_wait(&meeting->changed, &meeting->mutex);
    if (meeting->failure != SHW_OK)
        return false;
    meeting->words[worker] = mine;
    if (++meeting->arrived == meeting->worker_count)
        meeting->leaving = meeting->worker_count;
    pthread_cond_broadcast(&meeting->changed);
    while (meeting->leaving == 0 && meeting->failure == SHW_OK)
        pthread_cond_wait(&meeting->changed, &meeting->mutex);
    return meeting->leaving > 0;
}

static enum shw_result gather(void *user, const uint32_t *mine, size_t word_count, uint32_t *all)
{
    const struct member *member = user;
    struct meeting *meeting = &member->team->meeting;
    enum shw_result result = SHW_OK;

    pthread_mutex_lock(&meeting->mutex);
    if (wait_for_all(meeting, member->exchange.worker, mine)) {
        for (uint32_t w = 0; w < meeting->worker_count; w++)
            memcpy(all + w * word_count, meeting->words[w], word_count * sizeof *all);
        meeting->arrived--; /* words stay until all have them */
        pthread_cond_broadcast(&meeting->changed);
        while (meeting->arrived > 0)
            pthread_cond_wait(&meeting->changed, &meeting->mutex);
        meeting->leaving--;
        pthread_cond_broadcast(&meeting->changed);
    } else {
        result = meeting->failure;
    }
    pthread_mutex_unlock(&meeting->mutex);
    if (result == SHW_OK || member != leader_of(member->team)) /* helpers end without a word */
        return result;
    if (meeting->failed == 0)
        return shw_fail(&member->team->log, result, SHW_LOG_PROGRESS, "%s", meeting->why);
    return shw_fail(&member->team->log, result, SHW_LOG_TRAIN_PARAMETER, "%s: %s",
                    member->team->members[meeting->failed].name, meeting->why);
}

static void *help(void *user)
{
    struct member *member = user;
    const struct shw_team *team = member->team;
    enum shw_result result = team->checkpoint != NULL
                                 ? shw_checkpoint_take(member->trainer, team->checkpoint, team->name)
                                 : shw_trainer_prepare(member->trainer);
    bool finished = false;

    while (result == SHW_OK && !finished)
        result = shw_trainer_step(member->trainer, &finished);
    if (result != SHW_OK)
        break_up(member->team, member->exchange.worker, result, shw_last_error());
    return NULL;
}

/* Reading by several trainers, where only one thread at a time may read. */

static enum shw_result read_alone(void *user, uint32_t index, struct shw_labelled_image *example)
{
    struct shw_team *team = user;
    enum shw_result result;

    pthread_mutex_lock(&team->reading);
    result = team->given->read(team->given->user, index, example);
    pthread_mutex_unlock(&team->reading);
    return result;
}

static void release_alone(void *user, struct shw_labelled_image *example)
{
    struct shw_team *team = user;

    pthread_mutex_lock(&team->reading);
    team->given->release(team->given->user, example);
    pthread_mutex_unlock(&team->reading);
}

static enum shw_result refuse(const struct shw_trainer_params *params, const char *why)
{
    return shw_fail(&params->log, SHW_ERROR_ARGUMENT, SHW_LOG_TRAIN_PARAMETER, "training with helpers: %s", why);
}

static enum shw_result check(const struct shw_trainer_params *params)
{
    if (params->helpers == NULL)
        return refuse(params, "there are none at `helpers`");
    if (params->helper_count >= WORKERS_MAX)
        return refuse(params, "there are more than candidates");
    if (params->exchange != NULL)
        return refuse(params, "a worker of an exchange has none");
    if (params->proposer != NULL)
        return refuse(params, "a proposer is asked by one trainer only");
    return SHW_OK;
}

/* A helper trains what the leader does, and says nothing: the leader says why it failed. */
static struct shw_trainer_params helper_params(const struct shw_team *team, const struct shw_trainer_params *params,
                                               uint32_t helper)
{
    const struct shw_train_helper *own = &params->helpers[helper];
    struct shw_trainer_params copy = *params;

    copy.channels = team->channels;
    copy.notes = team->notes;
    copy.class_weights = team->class_weights;
    copy.device = own->device;
    copy.technique = own->technique;
    copy.memory = own->memory;
    copy.threads = own->threads;
    copy.calibration = NULL;
    copy.work_max = 0;
    copy.exchange = &team->members[helper + 1].exchange;
    copy.helpers = NULL;
    copy.helper_count = 0;
    copy.progress = NULL;
    copy.out_of_bag = false;
    copy.log = (struct shw_log){NULL, NULL, SHW_LOG_ERROR};
    return copy;
}

static void prepare_to_meet(struct shw_team *team, uint32_t count)
{
    team->meeting.worker_count = count;
    pthread_mutex_init(&team->meeting.mutex, NULL);
    pthread_cond_init(&team->meeting.changed, NULL);
    pthread_mutex_init(&team->reading, NULL);
    for (uint32_t w = 0; w < count; w++) {
        team->members[w].team = team;
        team->members[w].exchange = (struct shw_train_exchange){
            .worker = w, .worker_count = count, .user = &team->members[w], .gather = gather};
    }
}

static void take_dataset(struct shw_team *team, const struct shw_dataset *given)
{
    team->given = given;
    team->dataset = *given;
    if (given->single_threaded) {
        team->dataset.user = team;
        team->dataset.read = read_alone;
        team->dataset.release = release_alone;
    }
}

/* Copies what parameters need not outlive creation; false if memory is exhausted. */
static bool copy_params(struct shw_team *team, const struct shw_trainer_params *params, uint32_t class_count)
{
    team->channels = params->channels != NULL ? strdup(params->channels) : NULL;
    team->notes = params->notes != NULL ? strdup(params->notes) : NULL;
    team->class_weights = params->class_weights != NULL ? calloc(class_count, sizeof *team->class_weights) : NULL;
    if (team->class_weights != NULL)
        memcpy(team->class_weights, params->class_weights, class_count * sizeof *team->class_weights);
    return (params->channels == NULL || team->channels != NULL) && (params->notes == NULL || team->notes != NULL) &&
           (params->class_weights == NULL || team->class_weights != NULL);
}

enum shw_result shw_team_create(const struct shw_trainer_params *params, const struct shw_dataset *given,
                                const struct shw_dataset **dataset, const struct shw_train_exchange **exchange,
                                struct shw_team **out)
{
    struct shw_team *team;

    SHW_PROPAGATE(check(params));
    team = calloc(1, sizeof *team + (params->helper_count + 1) * sizeof *team->members);
    if (team == NULL)
        return shw_fail_memory(&params->log, "helpers");
    prepare_to_meet(team, params->helper_count + 1);
    take_dataset(team, given);
    team->log = params->log;
    team->meeting.words = calloc(params->helper_count + 1, sizeof *team->meeting.words);
    if (team->meeting.words == NULL) {
        shw_team_destroy(&team);
        return shw_fail_memory(&params->log, "helpers");
    }
    *dataset = &team->dataset;
    *exchange = &leader_of(team)->exchange;
    *out = team;
    return SHW_OK;
}

static void name_member(struct member *member, const char *name, uint32_t helper)
{
    if (name != NULL)
        snprintf(member->name, sizeof member->name, "%s", name);
    else
        snprintf(member->name, sizeof member->name, "helper %u", helper);
}

enum shw_result shw_team_hire(struct shw_team *team, const struct shw_trainer_params *params)
{
    if (!copy_params(team, params, team->dataset.class_count))
        return shw_fail_memory(&team->log, "helpers");
    for (uint32_t h = 0; h < params->helper_count; h++) {
        struct member *member = &team->members[h + 1];
        enum shw_result result;

        name_member(member, params->helpers[h].name, h);
        member->params = helper_params(team, params, h);
        result = shw_trainer_create(&member->params, &team->dataset, &member->trainer);
        if (result != SHW_OK)
            return shw_fail(&team->log, result, SHW_LOG_TRAIN_PARAMETER, "%s: %s", member->name, shw_last_error());
    }
    return SHW_OK;
}

static void stop(struct shw_team *team)
{
    shw_team_interrupt(team);
    for (uint32_t w = 1; w < team->meeting.worker_count; w++)
        if (team->members[w].runs)
            pthread_join(team->members[w].thread, NULL);
    for (uint32_t w = 0; w < team->meeting.worker_count; w++)
        team->members[w].runs = false;
    shw_forest_destroy(&team->checkpoint);
    free(team->name);
    team->name = NULL;
}

enum shw_result shw_team_restart(struct shw_team *team)
{
    struct meeting *meeting = &team->meeting;

    stop(team);
    for (uint32_t w = 1; w < meeting->worker_count; w++)
        SHW_PROPAGATE(shw_trainer_renew(team->members[w].trainer, &team->members[w].params, &team->dataset));
    meeting->arrived = meeting->leaving = meeting->failed = 0;
    meeting->failure = SHW_OK;
    team->begun = false;
    return SHW_OK;
}

enum shw_result shw_team_begin(struct shw_team *team, const struct shw_forest *checkpoint, const char *name)
{
    if (team->begun && checkpoint == NULL)
        return SHW_OK;
    if (team->begun)
        SHW_PROPAGATE(shw_team_restart(team));
    if (checkpoint != NULL && (team->name = strdup(name)) == NULL)
        return shw_fail_memory(&team->log, "helpers");
    team->checkpoint = shw_forest_hold(checkpoint);
    team->begun = true;
    for (uint32_t w = 1; w < team->meeting.worker_count; w++) {
        struct member *member = &team->members[w];
        if (pthread_create(&member->thread, NULL, help, member) != 0) {
            break_up(team, 0, SHW_ERROR_MEMORY, "a helper's thread could not be started");
            return shw_fail_memory(&team->log, "a helper's thread");
        }
        member->runs = true;
    }
    return SHW_OK;
}

void shw_team_interrupt(struct shw_team *team)
{
    break_up(team, 0, SHW_ERROR_CANCELLED, "training was stopped");
    for (uint32_t w = 1; w < team->meeting.worker_count; w++)
        shw_trainer_interrupt(team->members[w].trainer);
}

void shw_team_destroy(struct shw_team **handle)
{
    struct shw_team *team = *handle;

    if (team == NULL)
        return;
    stop(team);
    for (uint32_t w = 1; w < team->meeting.worker_count; w++)
        shw_trainer_destroy(&team->members[w].trainer);
    pthread_mutex_destroy(&team->meeting.mutex);
    pthread_cond_destroy(&team->meeting.changed);
    pthread_mutex_destroy(&team->reading);
    free(team->meeting.words);
    free(team->class_weights);
    free(team->channels);
    free(team->notes);
    free(team);
    *handle = NULL;
}
