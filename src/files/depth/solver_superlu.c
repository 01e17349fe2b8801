#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <slu_ddefs.h>

#include "base/log.h"
#include "files/depth/fill_colorization.h"

bool shw_can_colorize(void)
{
    return true;
}

/* What a factorization works with. */
struct factorization {
    superlu_options_t options;
    SuperLUStat_t statistics;
    SuperMatrix matrix, permuted, lower, upper;
    GlobalLU_t state;
    int *column_order, *row_order, *tree;
};

/* The rows of the system are taken as the columns of a matrix, its transpose, whose diagonal dominates each column:
 * no pivots are needed, and it is solved transposed. Returns SuperLU's info: 0, or above the count if memory is
 * exhausted. */
static int factorize(struct factorization *factors, const struct shw_colorization_system *system)
{
    superlu_options_t *options = &factors->options;
    int info;

    dCreate_CompCol_Matrix(&factors->matrix, system->count, system->count, system->entry_count, system->values,
                           system->columns, system->starts, SLU_NC, SLU_D, SLU_GE);
    set_default_options(options);
    options->ColPerm = MMD_AT_PLUS_A;
    options->SymmetricMode = YES;
    options->DiagPivotThresh = 0;
    get_perm_c(MMD_AT_PLUS_A, &factors->matrix, factors->column_order);
    sp_preorder(options, &factors->matrix, factors->column_order, factors->tree, &factors->permuted);
    dgstrf(options, &factors->permuted, sp_ienv(2), sp_ienv(1), factors->tree, NULL, 0, factors->column_order,
           factors->row_order, &factors->lower, &factors->upper, &factors->state, &factors->statistics, &info);
    Destroy_CompCol_Permuted(&factors->permuted);
    return info;
}

static int solve(struct factorization *factors, struct shw_colorization_system *system)
{
    SuperMatrix right;
    int info = factorize(factors, system);

    if (info == 0) {
        dCreate_Dense_Matrix(&right, system->count, 1, system->right, system->count, SLU_DN, SLU_D, SLU_GE);
        dgstrs(TRANS, &factors->lower, &factors->upper, factors->column_order, factors->row_order, &right,
               &factors->statistics, &info);
        Destroy_SuperMatrix_Store(&right);
    }
    if (info <= system->count) {
        Destroy_SuperNode_Matrix(&factors->lower);
        Destroy_CompCol_Matrix(&factors->upper);
    }
    Destroy_SuperMatrix_Store(&factors->matrix);
    return info;
}

/* Replaces the right side by the solution. */
static int solve_all(struct shw_colorization_system *system)
{
    struct factorization factors = {.column_order = intMalloc(system->count),
                                    .row_order = intMalloc(system->count),
                                    .tree = intMalloc(system->count)};
    int info;

    StatInit(&factors.statistics);
    info = solve(&factors, system);
    StatFree(&factors.statistics);
    SUPERLU_FREE(factors.column_order);
    SUPERLU_FREE(factors.row_order);
    SUPERLU_FREE(factors.tree);
    return info;
}

/* So that SuperLU's exit runs nothing of the parent's. */
static void leave_at_once(void)
{
    _exit(EXIT_FAILURE);
}

static void be_silent(void)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0)
        _exit(EXIT_FAILURE);
}

/* Copies the solution to where the parent reads it, followed by 1. */
static void store_solution(struct shw_colorization_system *system, double *solution)
{
    if (solve_all(system) != 0)
        return;
    memcpy(solution, system->right, (size_t)system->count * sizeof *solution);
    solution[system->count] = 1;
}

/* The whole child. */
_Noreturn static void run_child(struct shw_colorization_system *system, double *solution, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || atexit(leave_at_once) != 0)
        _exit(EXIT_FAILURE);
    be_silent();
    store_solution(system, solution);
    _exit(EXIT_SUCCESS);
}

/* The allocator of AddressSanitizer, unlike glibc's, stays locked in a child that is forked while another thread
 * allocates. */
#ifdef __SANITIZE_ADDRESS__
#define MAY_FORK false
#else
#define MAY_FORK true
#endif

/* Whether the child has found the solution. */
static bool solve_in_child(struct shw_colorization_system *system, double *solution)
{
    pid_t parent = getpid(), child;

    if (!MAY_FORK) {
        store_solution(system, solution);
        return solution[system->count] == 1;
    }
    child = fork();
    if (child == 0)
        run_child(system, solution, parent);
    if (child < 0)
        return false;
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    return solution[system->count] == 1;
}

/* SuperLU ends the process or prints to standard output when memory is short, so it runs in a process of its own. */
enum shw_result shw_solve(struct shw_colorization_system *system, const char *name, const struct shw_log *log)
{
    size_t size = ((size_t)system->count + 1) * sizeof *system->right;
    double *solution = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool solved = solution != MAP_FAILED && solve_in_child(system, solution);

    if (solved)
        memcpy(system->right, solution, (size_t)system->count * sizeof *solution);
    if (solution != MAP_FAILED)
        munmap(solution, size);
    return solved ? SHW_OK
                  : shw_fail(log, SHW_ERROR_MEMORY, SHW_LOG_OUT_OF_MEMORY,
                             "not enough memory to colorize %d pixels of %s; fewer threads need less", system->count,
                             name);
}
