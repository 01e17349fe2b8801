#include "cli/ranks.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <shadewood/forest.h>
#include <shadewood/memory.h>

#include "base/log.h"
#include "cli/commands.h"
#include "files/io/file_lock.h"

#define WATCH_INTERVAL 20000000L /* nanoseconds */
#define FIRST_TO_SPEAK 1u        /* seconds that a rank leaves to rank 0, which may have failed for the same reason */
#define SPOKEN_MAX     4096u     /* bytes of what a rank says */

const char *const cli_divisions[] = {"candidates", "trees", "images", NULL};

/* What this rank has said, or NULL, and where it would have gone; -1: it speaks. */
static FILE *said;
static int speaker = -1;

/* A variable that mpirun sets; 0 without it. */
static unsigned long variable(const char *name)
{
    const char *text = getenv(name);

    return text != NULL ? strtoul(text, NULL, 10) : 0;
}

static void hush(void)
{
    const int nothing = open("/dev/null", O_WRONLY);

    fflush(stdout);
    fflush(stderr);
    said = tmpfile();
    if (said != NULL) {
        speaker = dup(STDERR_FILENO);
        dup2(fileno(said), STDERR_FILENO);
    }
    if (nothing >= 0) {
        dup2(nothing, STDOUT_FILENO);
        close(nothing);
    }
}

void cli_ranks_hush(void)
{
    if (variable("OMPI_COMM_WORLD_RANK") > 0)
        hush();
}

/* Says after all what has been said, each line with the number of the rank. */
static void speak(uint32_t rank)
{
    char text[SPOKEN_MAX], *rest = NULL;

    if (said == NULL || speaker < 0)
        return;
    fflush(stderr);
    dup2(speaker, STDERR_FILENO);
    rewind(said);
    text[fread(text, 1, sizeof text - 1, said)] = '\0';
    for (char *line = strtok_r(text, "\n", &rest); line != NULL; line = strtok_r(NULL, "\n", &rest))
        fprintf(stderr, "rank %u: %s\n", rank, line);
}

int cli_ranks_begin(const struct shw_command *command, struct cli_report *report, struct cli_ranks *ranks)
{
    const struct shw_log log = cli_log(report);
    enum shw_result result;

    if (!ranks->wanted && variable("OMPI_COMM_WORLD_SIZE") > 1)
        return shw_usage_error(command,
                               "mpirun has started %lu processes, which would all write the same files: let "
                               "them train together with --mpi",
                               variable("OMPI_COMM_WORLD_SIZE"));
    if (!ranks->wanted)
        return SHW_CONTINUE;
    result = shw_ranks_begin(&log, &ranks->ranks);
    if (result != SHW_OK)
        return shw_exit_code(result);
    ranks->joined = true;
    ranks->ranks.interrupted = cli_interrupted;
    ranks->exchange = (struct shw_train_exchange){.worker = ranks->ranks.rank,
                                                  .worker_count = ranks->ranks.count,
                                                  .user = &ranks->ranks,
                                                  .gather = shw_ranks_gather,
                                                  .divide = ranks->divide == CLI_DIVIDE_IMAGES ? SHW_DIVIDE_IMAGES
                                                                                               : SHW_DIVIDE_CANDIDATES,
                                                  .scatter = shw_ranks_scatter};
    if (!cli_ranks_write(ranks) && said == NULL) /* started by something else than mpirun */
        hush();
    report->quiet = report->quiet || !cli_ranks_write(ranks);
    report->verbose = report->verbose && cli_ranks_write(ranks);
    return SHW_CONTINUE;
}

bool cli_ranks_write(const struct cli_ranks *ranks)
{
    return !ranks->joined || ranks->ranks.rank == 0;
}

static void *watch(void *user)
{
    struct cli_ranks *ranks = user;

    while (atomic_load(&ranks->watched)) {
        if (cli_interrupted()) {
            ranks->interrupt(ranks->trainer);
            break;
        }
        nanosleep(&(struct timespec){.tv_nsec = WATCH_INTERVAL}, NULL);
    }
    return NULL;
}

void cli_ranks_watch(struct cli_ranks *ranks, void (*interrupt)(void *trainer), void *trainer)
{
    if (!ranks->joined)
        return;
    ranks->interrupt = interrupt;
    ranks->trainer = trainer;
    atomic_store(&ranks->watched, true);
    if (pthread_create(&ranks->watcher, NULL, watch, ranks) != 0)
        atomic_store(&ranks->watched, false); /* then a round ends before the program does */
}

void cli_ranks_unwatch(struct cli_ranks *ranks)
{
    if (!atomic_exchange(&ranks->watched, false))
        return;
    pthread_join(ranks->watcher, NULL);
}

/* The first tree of a rank. */
static uint32_t trees_before(const struct cli_ranks *ranks, uint32_t rank, uint32_t trees)
{
    return (uint32_t)((uint64_t)trees * rank / ranks->ranks.count);
}

void cli_ranks_take_trees(const struct cli_ranks *ranks, struct shw_trainer_params *params)
{
    const uint32_t begin = trees_before(ranks, ranks->ranks.rank, params->tree_count);
    const uint32_t end = trees_before(ranks, ranks->ranks.rank + 1, params->tree_count);

    params->first_tree += begin;
    params->tree_count = end - begin;
}

static enum shw_result load_parts(const uint8_t *bytes, const size_t *sizes, uint32_t count,
                                  const struct shw_trainer_params *params, const struct shw_log *log,
                                  struct shw_forest **forests, struct shw_forest_part *parts)
{
    const struct shw_forest_load_params load = {
        .features = &params->feature, .feature_count = params->feature != NULL, .kinds = params->kinds, .log = *log};

    for (uint32_t r = 0; r < count; r++) {
        SHW_PROPAGATE(shw_forest_load_memory(bytes, sizes[r], "the trees of a rank", &load, &forests[r]));
        parts[r] = (struct shw_forest_part){forests[r], "the trees of a rank"};
        bytes += sizes[r];
    }
    return SHW_OK;
}

/* Of all ranks, whose bytes follow each other. */
static enum shw_result merge(const uint8_t *bytes, const size_t *sizes, uint32_t count,
                             const struct shw_trainer_params *params, const struct shw_log *log,
                             struct shw_forest **merged)
{
    struct shw_forest **forests = calloc(count, sizeof *forests);
    struct shw_forest_part *parts = calloc(count, sizeof *parts);
    enum shw_result result = forests != NULL && parts != NULL
                                 ? load_parts(bytes, sizes, count, params, log, forests, parts)
                                 : shw_fail_memory(log, "the trees of all ranks");

    if (result == SHW_OK)
        result = shw_forest_merge(parts, count, log, merged);
    for (uint32_t r = 0; forests != NULL && r < count; r++)
        shw_forest_destroy(&forests[r]);
    free(forests);
    free(parts);
    return result;
}

int cli_ranks_join_trees(struct cli_ranks *ranks, struct cli_report *report, const struct shw_trainer_params *params,
                         struct shw_forest **forest)
{
    const struct shw_log log = cli_log(report);
    size_t *sizes = calloc(ranks->ranks.count, sizeof *sizes), size;
    struct shw_forest *merged = NULL;
    void *mine = NULL, *all = NULL;
    enum shw_result result;

    if (sizes == NULL || shw_forest_save_memory(*forest, &mine, &size) != SHW_OK)
        result = shw_fail_memory(&log, "the trees of all ranks");
    else
        result = shw_ranks_collect(&ranks->ranks, mine, size, sizes, &all);
    if (result == SHW_OK && ranks->ranks.count > 1)
        result = merge(all, sizes, ranks->ranks.count, params, &log, &merged);
    shw_free(mine);
    free(all);
    free(sizes);
    if (merged != NULL) {
        shw_forest_destroy(forest);
        *forest = merged;
    }
    return shw_exit_code(result);
}

int cli_ranks_end(struct cli_ranks *ranks, int code)
{
    const bool interrupted = code == SHW_EXIT_INTERRUPTED;

    if (!ranks->joined)
        return code;
    if (interrupted)
        shw_ranks_stop(&ranks->ranks);
    if ((code == SHW_EXIT_SUCCESS || code == SHW_EXIT_TARGET_MISSED || interrupted) && !ranks->ranks.broken) {
        shw_ranks_end(&ranks->ranks);
        return code;
    }
    if (ranks->ranks.rank > 0 && !interrupted) {
        sleep(FIRST_TO_SPEAK);
        speak(ranks->ranks.rank);
    }
    shw_file_locks_remove();
    fflush(stdout);
    shw_ranks_abort(code);
}
