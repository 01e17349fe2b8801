#include <slu_ddefs.h>

#include "base/log.h"
#include "depth/solver.h"

bool shw_has_solver(void)
{
    return true;
}

/* What a factorization works with. SuperLU keeps nothing elsewhere, so several may run at a time. */
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

enum shw_result shw_solve(struct shw_colorization_system *system, const char *name, const struct shw_log *log)
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
    return info == 0 ? SHW_OK : shw_fail_memory(log, name);
}
