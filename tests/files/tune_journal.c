/* The journal of a search: trials that are claimed, processes that are killed, races, and disks that are full. */
#include "testing/testing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/tune/tuner.h"

static struct shw_log quiet; /* children say nothing */

static json_t *make_header(int folds)
{
    return json_pack("{s:i, s:s}", "folds", folds, "objective", "mean");
}

static enum shw_result open_journal(const char *path, int folds, const struct shw_log *log, struct shw_journal *journal)
{
    json_t *header = make_header(folds);
    const enum shw_result result = shw_journal_open(path, header, log, journal);

    json_decref(header);
    return result;
}

static json_t *propose(void *user, const struct shw_journal *journal)
{
    (void)user;
    return json_pack("{s:s, s:{s:i}}", "from", "random", "setting", "depth", (int)journal->count);
}

static const char *fresh(void)
{
    static unsigned number;
    static char path[600];
    char name[32];

    snprintf(name, sizeof name, "journal%u", number++);
    snprintf(path, sizeof path, "%s", testing_path(name));
    return path;
}

TESTING_CASE(trials_are_claimed_once_and_remembered)
{
    const char *path = fresh();
    struct shw_journal one, other;
    uint32_t trial;

    assert_int_equal(open_journal(path, 5, &quiet, &one), SHW_OK);
    assert_int_equal(open_journal(path, 5, &quiet, &other), SHW_OK);
    for (uint32_t t = 0; t < 4; t++) {
        assert_int_equal(shw_journal_claim(t % 2 == 0 ? &one : &other, 4, propose, NULL, &trial), SHW_OK);
        assert_int_equal(trial, t);
    }
    assert_int_equal(shw_journal_claim(&one, 4, propose, NULL, &trial), SHW_OK);
    assert_int_equal(trial, UINT32_MAX);
    assert_int_equal(shw_journal_add(&one, 0, json_pack("{s:i, s:i}", "fold", 0, "x", 7)), SHW_OK);
    assert_int_equal(shw_journal_add(&one, 2, json_pack("{s:s}", "end", "finished")), SHW_OK);
    shw_journal_close(&one); /* the claim of trial 0 is free */
    assert_int_equal(shw_journal_claim(&other, 4, propose, NULL, &trial), SHW_OK);
    assert_int_equal(trial, 0);
    assert_int_equal(json_array_size(other.trials[0].lines), 1);
    assert_true(other.trials[2].ended && !other.trials[1].ended);
    assert_int_equal(shw_journal_claim(&other, 4, propose, NULL, &trial), SHW_OK);
    assert_int_equal(trial, UINT32_MAX);
    shw_journal_close(&other);
}

TESTING_CASE(other_files_are_refused_and_stay)
{
    static const char *const texts[] = {"hello", "hello\n", "{\"a\": 1}\n", "{\"shadewood\":\"tuning journal\",\"fo"};
    const char *path = fresh();
    struct testing_log memory;
    struct shw_log log;
    struct shw_journal journal;
    char text[64];

    for (unsigned i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *file = fopen(path, "w");
        memory = (struct testing_log){{0}, 0, 0, ""};
        log = testing_log(&memory);
        fputs(texts[i], file);
        fclose(file);
        assert_int_equal(open_journal(path, 5, &log, &journal), SHW_ERROR_FORMAT);
        assert_int_equal(memory.errors, 1);
        assert_non_null(strstr(memory.last, path));
        file = fopen(path, "r");
        assert_non_null(fgets(text, sizeof text, file));
        assert_string_equal(text, texts[i]);
        fclose(file);
    }
    unlink(path);
    assert_int_equal(open_journal(path, 5, &log, &journal), SHW_OK);
    shw_journal_close(&journal);
    assert_int_equal(open_journal(path, 4, &log, &journal), SHW_ERROR_ARGUMENT);
    assert_non_null(strstr(memory.last, "'folds'"));
}

/* A process was killed while it wrote. */
TESTING_CASE(half_a_line_is_cut_off)
{
    const char *path = fresh();
    struct shw_journal journal;
    uint32_t trial;
    FILE *file;

    assert_int_equal(open_journal(path, 5, &quiet, &journal), SHW_OK);
    assert_int_equal(shw_journal_claim(&journal, 9, propose, NULL, &trial), SHW_OK);
    shw_journal_close(&journal);
    file = fopen(path, "a");
    fputs("{\"fold\":0,\"trial\":0,\"fig", file);
    fclose(file);
    assert_int_equal(open_journal(path, 5, &quiet, &journal), SHW_OK);
    assert_int_equal(shw_journal_claim(&journal, 9, propose, NULL, &trial), SHW_OK);
    assert_int_equal(trial, 0);
    assert_int_equal(shw_journal_add(&journal, 0, json_pack("{s:s}", "end", "finished")), SHW_OK);
    shw_journal_close(&journal);
    assert_int_equal(open_journal(path, 5, &quiet, &journal), SHW_OK);
    assert_int_equal(journal.count, 1);
    assert_true(journal.trials[0].ended);
    assert_int_equal(json_array_size(journal.trials[0].lines), 1);
    shw_journal_close(&journal);
}

TESTING_CASE(a_line_in_the_middle_that_is_none_is_reported)
{
    const char *path = fresh();
    struct testing_log memory = {{0}, 0, 0, ""};
    struct shw_log log = testing_log(&memory);
    struct shw_journal journal;
    FILE *file;

    assert_int_equal(open_journal(path, 5, &quiet, &journal), SHW_OK);
    shw_journal_close(&journal);
    file = fopen(path, "a");
    fputs("{\"trial\":3,\"setting\":{}}\n", file); /* trials 0 to 2 are missing */
    fclose(file);
    assert_int_equal(open_journal(path, 5, &log, &journal), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "line 2"));
}

/* A limit of the file's size fails as a full disk does. */
TESTING_CASE(a_full_disk_is_told_and_leaves_whole_lines)
{
    const char *path = fresh();
    struct testing_log memory = {{0}, 0, 0, ""};
    struct shw_log log = testing_log(&memory);
    struct shw_journal journal;
    struct rlimit former, limit;
    struct stat before, after;
    enum shw_result result = SHW_OK;
    uint32_t trial;

    assert_int_equal(open_journal(path, 5, &log, &journal), SHW_OK);
    assert_int_equal(shw_journal_claim(&journal, 9, propose, NULL, &trial), SHW_OK);
    assert_int_equal(stat(path, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &former);
    limit = former;
    limit.rlim_cur = (rlim_t)before.st_size + 20;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    result = shw_journal_add(&journal, 0, json_pack("{s:s, s:s}", "end", "finished", "why", "a line of some length"));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &former), 0);
    assert_int_equal(result, SHW_ERROR_IO);
    assert_non_null(strstr(memory.last, path));
    assert_int_equal(stat(path, &after), 0);
    assert_int_equal(after.st_size, before.st_size);
    assert_int_equal(shw_journal_add(&journal, 0, json_pack("{s:s}", "end", "finished")), SHW_OK);
    shw_journal_close(&journal);
}

/* A search whose measurements cost nothing. */
#define FOLDS 5u

struct worker {
    unsigned measured, killed_at, stopped_at; /* 0: not */
};

static bool go_on(void *user)
{
    const struct worker *worker = user;

    return worker->stopped_at == 0 || worker->measured < worker->stopped_at;
}

/* Depends on the setting and the fold only; a screening is one figure more. */
static enum shw_result measure(void *user, const json_t *setting, uint32_t fold, bool is_screening, json_t **figures)
{
    struct worker *worker = user;
    const double depth = json_number_value(json_object_get(setting, "depth"));
    const double loss = 0.2 + fabs(depth - 14) / 40 + 0.01 * fold + 0.05 * is_screening;

    if (++worker->measured == worker->killed_at)
        raise(SIGKILL);
    if (depth == 9)
        return SHW_ERROR_LIMIT;
    *figures =
        json_pack("[{s:i, s:f, s:f, s:f}, {s:i, s:f, s:f, s:f}]", "radius", 0, "pixel", 0.5, "class", 0.9 * (1 - loss),
                  "iou", 0.9 * (1 - loss), "radius", 16, "pixel", 0.5, "class", 1 - loss, "iou", 1 - loss);
    return SHW_OK;
}

static enum shw_result work(const char *path, uint32_t limit, bool whole, struct worker *worker,
                            struct shw_journal *journal)
{
    static struct shw_space space;
    struct shw_tuner tuner = {.journal = journal,
                              .space = &space,
                              .folds = FOLDS,
                              .limit = limit,
                              .seed = 4,
                              .whole = whole,
                              .measure = measure,
                              .go_on = go_on,
                              .user = worker};
    enum shw_result result = open_journal(path, FOLDS, &quiet, journal);

    shw_space_make(false, false, false, &space);
    return result == SHW_OK ? shw_tuner_run(&tuner) : result;
}

static pid_t start(const char *path, uint32_t limit, bool whole, unsigned killed_at)
{
    const pid_t child = fork();
    struct worker worker = {0, killed_at, 0};
    struct shw_journal journal;

    assert_true(child >= 0);
    if (child == 0)
        _exit(work(path, limit, whole, &worker, &journal) == SHW_OK ? 0 : 1);
    return child;
}

static int wait_for(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* Each fold of each trial was recorded once, and each trial has ended. */
static void check_whole(const struct shw_journal *journal, uint32_t trials)
{
    assert_int_equal(journal->count, trials);
    for (uint32_t t = 0; t < trials; t++) {
        struct shw_trial_state state;

        shw_trial_read(journal, t, SHW_TUNE_MEAN, &state);
        assert_non_null(state.end);
        if (strcmp(state.end, "failed") == 0) {
            assert_int_equal(json_integer_value(json_object_get(state.setting, "depth")), 9);
            continue;
        }
        assert_string_equal(state.end, "finished");
        assert_int_equal(state.folds, FOLDS);
        assert_int_equal(json_array_size(journal->trials[t].lines), FOLDS + 1);
        assert_int_equal(state.radius, 16);
        for (uint32_t f = 0; f < FOLDS; f++)
            assert_int_equal(json_integer_value(json_object_get(json_array_get(journal->trials[t].lines, f), "fold")),
                             f);
    }
}

TESTING_CASE(a_killed_search_loses_one_measurement)
{
    const char *path = fresh();
    struct worker worker = {0}, all = {0};
    struct shw_journal journal;
    int status = wait_for(start(path, 12, true, 33)); /* in the fold of a trial */

    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_int_equal(work(path, 12, true, &worker, &journal), SHW_OK);
    check_whole(&journal, 12);
    shw_journal_close(&journal);
    assert_int_equal(work(fresh(), 12, true, &all, &journal), SHW_OK);
    shw_journal_close(&journal);
    assert_int_equal(32 + worker.measured, all.measured); /* nothing that was recorded is measured again */
}

/* Even if processes are killed, the settings are those of a search without interruption. */
TESTING_CASE(a_search_with_interruptions_finds_the_same)
{
    const char *path = fresh();
    struct worker worker = {0};
    struct shw_journal one, other;
    uint32_t best;

    for (unsigned i = 0; i < 6; i++)
        wait_for(start(path, 30, false, 7 + i));
    assert_int_equal(work(path, 30, false, &worker, &one), SHW_OK);
    worker = (struct worker){0};
    assert_int_equal(work(fresh(), 30, false, &worker, &other), SHW_OK);
    assert_int_equal(one.count, 30);
    for (uint32_t t = 0; t < 30; t++)
        assert_true(json_equal(one.trials[t].claim, other.trials[t].claim));
    best = shw_trials_best(&one, SHW_TUNE_MEAN);
    assert_int_equal(best, shw_trials_best(&other, SHW_TUNE_MEAN));
    assert_true(best != UINT32_MAX);
    shw_journal_close(&one);
    shw_journal_close(&other);
}

TESTING_CASE(processes_share_a_journal)
{
    const char *path = fresh();
    struct worker worker = {0};
    struct shw_journal journal;
    pid_t children[6];

    for (unsigned i = 0; i < 6; i++)
        children[i] = start(path, 60, true, i % 2 == 0 ? 0 : 20 + i); /* half of them are killed */
    for (unsigned i = 0; i < 6; i++) {
        const int status = wait_for(children[i]);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    }
    assert_int_equal(work(path, 60, true, &worker, &journal), SHW_OK);
    check_whole(&journal, 60);
    shw_journal_close(&journal);
}

/* Bad trials end after the screening or by the t-test, and none of them is the best. */
TESTING_CASE(bad_trials_end_early)
{
    struct worker worker = {0};
    struct shw_journal journal;
    unsigned stopped = 0, screened = 0, finished = 0;
    struct shw_trial_state best;

    assert_int_equal(work(fresh(), 40, false, &worker, &journal), SHW_OK);
    shw_trial_read(&journal, shw_trials_best(&journal, SHW_TUNE_MEAN), SHW_TUNE_MEAN, &best);
    for (uint32_t t = 0; t < journal.count; t++) {
        struct shw_trial_state trial;

        shw_trial_read(&journal, t, SHW_TUNE_MEAN, &trial);
        stopped += strcmp(trial.end, "stopped") == 0;
        screened += strcmp(trial.end, "screened") == 0;
        finished += strcmp(trial.end, "finished") == 0;
        assert_true(strcmp(trial.end, "failed") == 0 || trial.loss >= best.loss);
        if (strcmp(trial.end, "stopped") == 0)
            assert_in_range(trial.folds, 3, FOLDS - 1);
    }
    assert_true(stopped > 0 && screened > 0 && finished > 0);
    print_message("# %u stopped, %u screened, %u finished with %u measurements\n", stopped, screened, finished,
                  worker.measured);
    assert_true(worker.measured < 40 * FOLDS * 3 / 4);
    shw_journal_close(&journal);
}

static json_t *beginning(const char *from, int depth, int candidates)
{
    return json_pack("{s:s, s:{s:i, s:i, s:i}}", "from", from, "setting", "depth", depth, "candidates", candidates,
                     "pixels", 1000);
}

/* The first two are measured whole, the others as long as they are better than the best; and with little time they
 * become light: the second may take twice as long as the others. */
TESTING_CASE(a_search_begins_with_what_it_is_given)
{
    static const struct {
        int depth, candidates;
        const char *end;
        uint32_t folds;
        int light; /* candidates in no time: as much work as the defaults have, or twice that */
    } cases[] = {{12, 300, "finished", FOLDS, 300},
                 {13, 3000, "finished", FOLDS, 553},
                 {22, 3000, "stopped", 1, 163},
                 {14, 3000, "finished", FOLDS, 257}};

    for (unsigned timed = 0; timed < 2; timed++) {
        static struct shw_space space;
        struct worker worker = {0};
        struct shw_journal journal;
        json_t *beginnings = json_array();
        const struct shw_tuner tuner = {.journal = &journal,
                                        .space = &space,
                                        .folds = FOLDS,
                                        .limit = 4,
                                        .seconds_max = timed ? 1e-12 : 0,
                                        .beginnings = beginnings,
                                        .measure = measure,
                                        .go_on = go_on,
                                        .user = &worker};

        for (unsigned i = 0; i < 4; i++)
            json_array_append_new(beginnings, beginning("here", cases[i].depth, cases[i].candidates));
        shw_space_make(false, false, false, &space);
        assert_int_equal(open_journal(fresh(), FOLDS, &quiet, &journal), SHW_OK);
        assert_int_equal(shw_tuner_run(&tuner), SHW_OK);
        for (uint32_t t = 0; t < 4; t++) {
            struct shw_trial_state trial;

            shw_trial_read(&journal, t, SHW_TUNE_MEAN, &trial);
            assert_string_equal(trial.from, "here");
            assert_string_equal(trial.end, cases[t].end);
            assert_int_equal(trial.folds, cases[t].folds);
            assert_int_equal(json_integer_value(json_object_get(trial.setting, "candidates")),
                             timed ? cases[t].light : cases[t].candidates);
        }
        shw_journal_close(&journal);
        json_decref(beginnings);
    }
}

TESTING_CASE(a_search_that_ends_gives_its_claim_back)
{
    const char *path = fresh();
    struct worker worker = {0, 0, 8};
    struct shw_journal journal;

    assert_int_equal(work(path, 10, true, &worker, &journal), SHW_OK);
    assert_int_equal(journal.count, 2);
    assert_false(journal.trials[1].ended);
    shw_journal_close(&journal);
    worker = (struct worker){0};
    assert_int_equal(work(path, 2, true, &worker, &journal), SHW_OK);
    assert_int_equal(worker.measured, 2);
    check_whole(&journal, 2);
    shw_journal_close(&journal);
}
