/* --mpi of training and of searches: this process is one of several that mpirun has started. Rank 0 writes and speaks;
 * the others say only why they fail. */
#ifndef SHW_CLI_RANKS_H
#define SHW_CLI_RANKS_H

#include <pthread.h>
#include <stdatomic.h>

#include <shadewood/train.h>

#include "base/options.h"
#include "cli/report.h"
#include "files/ranks/ranks.h"

/* What ranks divide among themselves. */
enum cli_division { CLI_DIVIDE_CANDIDATES = 0, CLI_DIVIDE_TREES = 1, CLI_DIVIDE_IMAGES = 2 };

extern const char *const cli_divisions[];

/* Zero-initialised. */
struct cli_ranks {
    bool wanted, joined;
    int divide; /* enum cli_division */
    struct shw_ranks ranks;
    struct shw_train_exchange exchange; /* of the ranks that have been joined */
    pthread_t watcher;
    atomic_bool watched;              /* the watcher runs until this is false */
    void (*interrupt)(void *trainer); /* what the watcher calls */
    void *trainer;
};

#define CLI_RANKS_OPTION(ranks, command)                                                                               \
    SHW_OPTION_FLAG("mpi", 0, &(ranks).wanted,                                                                         \
                    "train in all processes of 'mpirun shadewood " command "\n--mpi'; rank 0 writes the files")

#define CLI_TRIAL_RANKS_OPTION(ranks)                                                                                  \
    SHW_OPTION_FLAG(                                                                                                   \
        "mpi", 0, &(ranks).wanted,                                                                                     \
        "let all processes of 'mpirun shadewood tune --mpi' make\ntrials, with one journal; rank 0 writes "            \
        "the results")

#define CLI_DIVISION_OPTION(ranks)                                                                                     \
    SHW_OPTION_CHOICE(                                                                                                 \
        "divide", 0, "WHAT", &(ranks).divide, cli_divisions,                                                           \
        "what the processes divide: the candidates of every node, the\ntrees, or the images (candidates)")

/* Makes all ranks but the first one silent until they fail. Call it before anything is said. */
void cli_ranks_hush(void);

/* Joins the other ranks if that is wanted; otherwise refuses to be one of several. Returns SHW_CONTINUE or the exit
 * code. */
int cli_ranks_begin(const struct shw_command *command, struct cli_report *report, struct cli_ranks *ranks);

/* Whether this process writes files. */
bool cli_ranks_write(const struct cli_ranks *ranks);

/* Between these, an interruption of the program is one of the trainer, which may be in the middle of a long round. */
void cli_ranks_watch(struct cli_ranks *ranks, void (*interrupt)(void *trainer), void *trainer);
void cli_ranks_unwatch(struct cli_ranks *ranks);

/* By trees: leaves this rank's in the parameters, whose tree_count is not 0; and makes one forest of those of all
 * ranks, which replaces *forest. The latter returns the exit code. */
void cli_ranks_take_trees(const struct cli_ranks *ranks, struct shw_trainer_params *params);
int cli_ranks_join_trees(struct cli_ranks *ranks, struct cli_report *report, const struct shw_trainer_params *params,
                         struct shw_forest **forest);

/* Leaves the others; a code of failure ends them, too, and does not return. Returns the code. */
int cli_ranks_end(struct cli_ranks *ranks, int code);

#endif
