#include "files/tune/tuner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "files/tune/t_test.h"

#define FOLDS_BEFORE_TEST 3u
#define REDRAWS           100u
#define WORK_MAX          20.0 /* times that of the defaults */

const char *const shw_tune_objectives[] = {"mean", "pixel", "class", "iou", NULL};

static double loss_of(enum shw_tune_objective objective, const struct shw_tune_figures *figures)
{
    switch (objective) {
    case SHW_TUNE_MEAN: return 1 - 0.5 * (figures->class + figures->iou);
    case SHW_TUNE_PIXEL: return 1 - figures->pixel;
    case SHW_TUNE_CLASS: return 1 - figures->class;
    case SHW_TUNE_IOU: return 1 - figures->iou;
    }
    return NAN;
}

static struct shw_tune_figures read_figures(const json_t *object)
{
    return (struct shw_tune_figures){json_number_value(json_object_get(object, "pixel")),
                                     json_number_value(json_object_get(object, "class")),
                                     json_number_value(json_object_get(object, "iou"))};
}

/* Measurements of one radius in the lines of a trial. */
static uint32_t read_radius(const json_t *lines, size_t place, enum shw_tune_objective objective,
                            struct shw_trial_state *state)
{
    uint32_t count = 0;
    size_t index;
    json_t *line;

    state->figures = (struct shw_tune_figures){0, 0, 0};
    json_array_foreach(lines, index, line)
    {
        const json_t *object = json_array_get(json_object_get(line, "figures"), place);
        const struct shw_tune_figures figures = read_figures(object);

        if (object == NULL || !json_is_integer(json_object_get(line, "fold")) || count == SHW_TUNE_FOLDS_MAX)
            continue;
        state->radius = (uint32_t)json_integer_value(json_object_get(object, "radius"));
        state->confusions[count] = json_object_get(object, "confusion");
        state->losses[count++] = loss_of(objective, &figures);
        state->figures.pixel += figures.pixel;
        state->figures.class += figures.class;
        state->figures.iou += figures.iou;
    }
    state->loss = 0;
    for (uint32_t f = 0; f < count; f++)
        state->loss += state->losses[f] / count;
    state->figures.pixel /= count > 0 ? count : 1;
    state->figures.class /= count > 0 ? count : 1;
    state->figures.iou /= count > 0 ? count : 1;
    return count;
}

static void read_screening(const json_t *figures, enum shw_tune_objective objective, struct shw_trial_state *state)
{
    size_t index;
    json_t *object;

    state->is_screened = true;
    state->screen_loss = NAN;
    json_array_foreach(figures, index, object)
    {
        const struct shw_tune_figures read = read_figures(object);
        state->screen_loss = fmin(state->screen_loss, loss_of(objective, &read));
    }
}

/* Reads the folds with the radius whose loss is the least. */
static void read_folds(const json_t *lines, enum shw_tune_objective objective, struct shw_trial_state *state)
{
    size_t best = 0;
    double least = INFINITY;

    for (size_t r = 0; r < SHW_TUNE_RADII_MAX && read_radius(lines, r, objective, state) > 0; r++)
        if (state->loss < least) {
            best = r;
            least = state->loss;
        }
    state->folds = read_radius(lines, best, objective, state);
}

void shw_trial_read(const struct shw_journal *journal, uint32_t number, enum shw_tune_objective objective,
                    struct shw_trial_state *state)
{
    const struct shw_journal_trial *trial = &journal->trials[number];
    size_t index;
    json_t *line;

    *state = (struct shw_trial_state){.from = json_string_value(json_object_get(trial->claim, "from")),
                                      .setting = json_object_get(trial->claim, "setting")};
    json_array_foreach(trial->lines, index, line)
    {
        const json_t *screening = json_object_get(line, "screening"), *end = json_object_get(line, SHW_JOURNAL_END);

        state->seconds += json_number_value(json_object_get(line, "seconds"));
        if (screening != NULL)
            read_screening(screening, objective, state);
        if (end != NULL)
            state->end = json_string_value(end);
    }
    read_folds(trial->lines, objective, state);
    if (state->folds == 0)
        state->loss = state->is_screened ? state->screen_loss : NAN;
}

uint32_t shw_trials_best(const struct shw_journal *journal, enum shw_tune_objective objective)
{
    uint32_t best = UINT32_MAX;
    double least = INFINITY;

    for (uint32_t t = 0; t < journal->count; t++) {
        struct shw_trial_state state;

        shw_trial_read(journal, t, objective, &state);
        if (state.end != NULL && strcmp(state.end, "finished") == 0 && state.loss < least) {
            best = t;
            least = state.loss;
        }
    }
    return best;
}

struct shw_observation *shw_trials_observe(const struct shw_journal *journal, const struct shw_space *space,
                                           enum shw_tune_objective objective, uint32_t *count)
{
    struct shw_observation *observations = calloc(journal->count + 1u, sizeof *observations);

    *count = 0;
    for (uint32_t t = 0; t < journal->count && observations != NULL; t++) {
        struct shw_observation *observation = &observations[*count];
        struct shw_trial_state state;

        shw_trial_read(journal, t, objective, &state);
        if (!shw_space_point(space, state.setting, observation->values))
            continue;
        observation->loss = state.end == NULL ? NAN : strcmp(state.end, "failed") == 0 ? 1 : state.loss;
        ++*count;
    }
    return observations;
}

/* The work (shw_space_work()) of a trial that takes as long as the limit of seconds, if there is one and the defaults
 * have finished; otherwise infinity. */
static double work_in_time(const struct shw_tuner *tuner, const struct shw_journal *journal)
{
    struct shw_trial_state state;

    if (tuner->seconds_max <= 0 || journal->count == 0)
        return INFINITY;
    shw_trial_read(journal, 0, tuner->objective, &state);
    return state.folds < tuner->folds || state.seconds <= 0 ? INFINITY : fmax(1, tuner->seconds_max / state.seconds);
}

static bool draw_near_best(const struct shw_tuner *tuner, const struct shw_journal *journal,
                           const struct shw_dimension *dimensions, struct shw_search_random *random, double *values)
{
    const uint32_t best = shw_trials_best(journal, tuner->objective);
    struct shw_trial_state state;

    if (best == UINT32_MAX)
        return false;
    shw_trial_read(journal, best, tuner->objective, &state);
    if (!shw_space_point(tuner->space, state.setting, values))
        return false;
    shw_search_move(dimensions, tuner->space->count, random, values);
    return true;
}

/* Proposes a point: in turn one near the best and one of the whole space. One that is too much work is proposed again.
 * Returns where it is from. */
static const char *propose_values(const struct shw_tuner *tuner, const struct shw_journal *journal, double *values)
{
    struct shw_search_random random = shw_search_random_of(tuner->seed, journal->count);
    struct shw_dimension dimensions[SHW_DIMENSIONS_MAX];
    uint32_t count = 0;
    struct shw_observation *observations =
        tuner->draws ? NULL : shw_trials_observe(journal, tuner->space, tuner->objective, &count);

    const double most = fmin(WORK_MAX, work_in_time(tuner, journal));
    const bool is_near = !tuner->draws && (journal->count - json_array_size(tuner->beginnings)) % 2 == 0;
    const char *from = tuner->draws ? "random" : "tpe";

    for (uint32_t d = 0; d < tuner->space->count; d++)
        dimensions[d] = tuner->space->dimensions[d].range;
    for (uint32_t i = 0; i < REDRAWS; i++) {
        if (is_near && draw_near_best(tuner, journal, dimensions, &random, values))
            from = "near the best";
        else
            shw_search_propose(dimensions, tuner->space->count, observations, observations != NULL ? count : 0, &random,
                               values);
        if (shw_space_work(tuner->space, values) <= most)
            break;
    }
    free(observations);
    return from;
}

/* A setting that the search begins with. With a limit of seconds it becomes lighter: the second, which is the preset
 * that suits the data, takes twice the limit, the others the limit. */
static json_t *propose_beginning(const struct shw_tuner *tuner, const struct shw_journal *journal,
                                 const json_t *beginning)
{
    const double work = work_in_time(tuner, journal) * (journal->count == 1 ? 2 : 1);
    json_t *setting = json_copy(json_object_get(beginning, "setting"));

    if (setting == NULL || (!isinf(work) && !shw_space_lighten(tuner->space, setting, work))) {
        json_decref(setting);
        return NULL;
    }
    return json_pack("{s:O, s:o, s:I}", "from", json_object_get(beginning, "from"), "setting", setting, "seed",
                     (json_int_t)tuner->seed);
}

static json_t *propose(void *user, const struct shw_journal *journal)
{
    const struct shw_tuner *tuner = user;
    const json_t *beginning = json_array_get(tuner->beginnings, journal->count);
    double values[SHW_DIMENSIONS_MAX];
    const char *from;

    if (beginning != NULL)
        return propose_beginning(tuner, journal, beginning);
    from = propose_values(tuner, journal, values);
    return json_pack("{s:s, s:o, s:I}", "from", from, "setting", shw_space_setting(tuner->space, values), "seed",
                     (json_int_t)tuner->seed);
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Whether the screening of a trial is worse than the median of those of all others. */
static bool is_screened_out(const struct shw_tuner *tuner, uint32_t number)
{
    double *losses = calloc(tuner->journal->count + 1u, sizeof *losses);
    struct shw_trial_state state;
    uint32_t count = 0;
    bool out = false;

    for (uint32_t t = 0; t < tuner->journal->count && losses != NULL; t++) {
        shw_trial_read(tuner->journal, t, tuner->objective, &state);
        if (t != number && state.is_screened)
            losses[count++] = state.screen_loss;
    }
    shw_trial_read(tuner->journal, number, tuner->objective, &state);
    if (count >= SHW_SCREEN_BEGIN && losses != NULL) {
        qsort(losses, count, sizeof *losses, compare);
        out = state.screen_loss > losses[count / 2];
    }
    free(losses);
    return out;
}

/* Whether the folds measured so far show that a trial is worse than the best one. */
static bool is_hopeless(const struct shw_tuner *tuner, const struct shw_trial_state *state)
{
    const uint32_t best = shw_trials_best(tuner->journal, tuner->objective);
    double differences[SHW_TUNE_FOLDS_MAX];
    struct shw_trial_state best_state;
    uint32_t count;

    if (best == UINT32_MAX || state->folds < FOLDS_BEFORE_TEST)
        return false;
    shw_trial_read(tuner->journal, best, tuner->objective, &best_state);
    count = state->folds < best_state.folds ? state->folds : best_state.folds;
    for (uint32_t f = 0; f < count; f++)
        differences[f] = state->losses[f] - best_state.losses[f];
    return shw_t_test_above_zero(differences, count, SHW_TUNE_SIGNIFICANCE);
}

static enum shw_result add(const struct shw_tuner *tuner, uint32_t number, json_t *line)
{
    SHW_PROPAGATE(shw_journal_add(tuner->journal, number, line));
    if (tuner->tell != NULL)
        tuner->tell(tuner->user, number);
    return SHW_OK;
}

/* Measures a fold, or screens; CANCELLED if the search is to end. */
static enum shw_result measure(const struct shw_tuner *tuner, uint32_t number, const struct shw_trial_state *state,
                               bool is_screening)
{
    const double start = shw_clock();
    json_t *figures = NULL, *line;

    if (!tuner->go_on(tuner->user))
        return SHW_ERROR_CANCELLED;
    SHW_PROPAGATE(tuner->measure(tuner->user, state->setting, state->folds, is_screening, &figures));
    line = is_screening
               ? json_pack("{s:n, s:f, s:o}", SHW_JOURNAL_TRIAL, "seconds", shw_clock() - start, "screening", figures)
               : json_pack("{s:n, s:i, s:f, s:o}", SHW_JOURNAL_TRIAL, "fold", (int)state->folds, "seconds",
                           shw_clock() - start, "figures", figures);
    return add(tuner, number, line);
}

static enum shw_result end(const struct shw_tuner *tuner, uint32_t number, const char *how)
{
    return add(tuner, number, json_pack("{s:n, s:s}", SHW_JOURNAL_TRIAL, SHW_JOURNAL_END, how));
}

/* Whether a setting that the search begins with, but neither the defaults nor the preset for such data, is worse on the
 * first fold than the best one: others are there only in case that the data were taken for what they are not. */
static bool is_no_beginning(const struct shw_tuner *tuner, uint32_t number, const struct shw_trial_state *state)
{
    const uint32_t best = shw_trials_best(tuner->journal, tuner->objective);
    struct shw_trial_state best_state;

    if (number < SHW_BEGINNINGS_WHOLE || number >= json_array_size(tuner->beginnings) || best == UINT32_MAX ||
        state->folds != 1)
        return false;
    shw_trial_read(tuner->journal, best, tuner->objective, &best_state);
    return state->losses[0] > best_state.losses[0];
}

/* How a trial ends now; NULL if it goes on. */
static const char *find_end(const struct shw_tuner *tuner, uint32_t number, const struct shw_trial_state *state)
{
    const bool is_beginning = number < json_array_size(tuner->beginnings);

    if (state->folds >= tuner->folds)
        return "finished";
    if (tuner->whole)
        return NULL;
    if (state->folds == 0)
        return state->is_screened && !is_beginning && is_screened_out(tuner, number) ? "screened" : NULL;
    return is_no_beginning(tuner, number, state) || is_hopeless(tuner, state) ? "stopped" : NULL;
}

static bool is_of_setting(enum shw_result result)
{
    return result == SHW_ERROR_MEMORY || result == SHW_ERROR_LIMIT || result == SHW_ERROR_ARGUMENT ||
           result == SHW_ERROR_UNSUPPORTED;
}

static enum shw_result try(const struct shw_tuner *tuner, uint32_t number)
{
    for (;;) {
        struct shw_trial_state state;
        enum shw_result result;
        const char *how;

        SHW_PROPAGATE(shw_journal_read(tuner->journal));
        shw_trial_read(tuner->journal, number, tuner->objective, &state);
        how = find_end(tuner, number, &state);
        if (how != NULL)
            return end(tuner, number, how);
        result = measure(tuner, number, &state, !tuner->whole && state.folds == 0 && !state.is_screened);
        if (is_of_setting(result))
            return end(tuner, number, "failed");
        if (result != SHW_OK)
            return result;
    }
}

enum shw_result shw_tuner_run(const struct shw_tuner *tuner)
{
    for (;;) {
        uint32_t number;
        enum shw_result result;

        if (!tuner->go_on(tuner->user))
            return SHW_OK;
        SHW_PROPAGATE(shw_journal_claim(tuner->journal, tuner->limit, propose, (void *)(uintptr_t)tuner, &number));
        if (number == UINT32_MAX)
            return SHW_OK;
        if (tuner->tell != NULL)
            tuner->tell(tuner->user, number);
        result = try(tuner, number);
        if (result == SHW_ERROR_CANCELLED)
            return SHW_OK;
        if (result != SHW_OK)
            return result;
    }
}
