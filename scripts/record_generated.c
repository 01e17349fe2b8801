/* The timing side of record-generated.py: evaluates the same rows by Shadewood's library and by C code generated from
 * the same model, in turns, and prints medians of nanoseconds per row.
 *
 * usage: record_generated MODEL ROWS ATTRIBUTES ROUNDS AT_ONCE...
 *
 * MODEL is the record forest; standard input has ROWS * ATTRIBUTES float32, row by row. For each AT_ONCE, how many rows
 * a call evaluates, it prints a line: AT_ONCE, a median for each side, and the greatest difference between the
 * probabilities of Shadewood and of the generated code. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <shadewood/shadewood.h>

/* In the generated code: the sum of all trees for a row. */
float generated_branches(const float *row);
float generated_nodes(const float *row);

enum side { SHADEWOOD, SHADEWOOD_SUMS, BRANCHES, NODES, SIDE_COUNT };

struct task {
    struct shw_record_evaluator *evaluator;
    const float *rows; /* in their order */
    float *shuffled;   /* in that of a round */
    uint32_t row_count, attribute_count, at_once;
    float *probabilities[SIDE_COUNT]; /* two a row: of class 0 and of class 1 */
    int64_t *sums;
};

_Noreturn static void stop(const char *reason)
{
    fprintf(stderr, "record_generated: %s\n", reason);
    exit(1);
}

static void *allocate(size_t size)
{
    void *memory = malloc(size);

    if (memory == NULL)
        stop("out of memory");
    return memory;
}

static uint32_t random_below(uint64_t *state, uint32_t count)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((*state >> 32u) * count >> 32u);
}

static void shuffle(struct task *task, uint64_t *state)
{
    const size_t size = task->attribute_count * sizeof *task->rows;
    float *row = allocate(size);

    for (uint32_t r = task->row_count - 1; r > 0; r--) {
        float *a = task->shuffled + (size_t)r * task->attribute_count;
        float *b = task->shuffled + (size_t)random_below(state, r + 1) * task->attribute_count;
        memcpy(row, a, size);
        memmove(a, b, size);
        memcpy(b, row, size);
    }
    free(row);
}

static void predict(float sum, float *probabilities)
{
    probabilities[1] = 1 / (1 + expf(-sum));
    probabilities[0] = 1 - probabilities[1];
}

static void evaluate(struct task *task, enum side side, uint32_t first)
{
    const float *row = task->shuffled + (size_t)first * task->attribute_count;
    float *to = task->probabilities[side] + 2 * (size_t)first;
    const struct shw_records records = {
        .values = row, .count = task->at_once, .attribute_count = task->attribute_count};
    const struct shw_record_results results = {.predictions = side == SHADEWOOD ? to : NULL,
                                               .sums = side == SHADEWOOD_SUMS ? task->sums + first : NULL};

    if (side == SHADEWOOD || side == SHADEWOOD_SUMS) {
        if (shw_record_evaluator_run(task->evaluator, &records, &results) != SHW_OK)
            stop("the evaluation failed");
        return;
    }
    for (uint32_t r = 0; r < task->at_once; r++, row += task->attribute_count)
        predict(side == BRANCHES ? generated_branches(row) : generated_nodes(row), to + 2 * (size_t)r);
}

static double clock_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

/* Nanoseconds per row. */
static double time_side(struct task *task, enum side side)
{
    const uint32_t count = task->row_count / task->at_once * task->at_once;
    const double begin = clock_now();

    for (uint32_t first = 0; first < count; first += task->at_once)
        evaluate(task, side, first);
    return (clock_now() - begin) / count;
}

static int compare_numbers(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of(double *numbers, uint32_t count)
{
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    return (numbers[(count - 1) / 2] + numbers[count / 2]) / 2;
}

static double greatest_difference(const struct task *task)
{
    const uint32_t count = task->row_count / task->at_once * task->at_once;
    double greatest = 0;

    for (uint32_t side = BRANCHES; side < SIDE_COUNT; side++)
        for (size_t p = 0; p < 2 * (size_t)count; p++)
            greatest = fmax(greatest, fabs((double)task->probabilities[SHADEWOOD][p] - task->probabilities[side][p]));
    return greatest;
}

static void measure(struct task *task, uint32_t rounds)
{
    double *times[SIDE_COUNT], difference = 0;
    uint64_t random = 1;

    for (uint32_t side = 0; side < SIDE_COUNT; side++)
        times[side] = allocate(rounds * sizeof *times[side]);
    for (uint32_t round = 0; round <= rounds; round++) { /* the first one does not count */
        shuffle(task, &random);
        for (uint32_t s = 0; s < SIDE_COUNT; s++) {
            const uint32_t side = round % 2 == 0 ? s : SIDE_COUNT - 1 - s;
            const double nanoseconds = time_side(task, side);
            if (round > 0)
                times[side][round - 1] = nanoseconds;
        }
        difference = fmax(difference, greatest_difference(task));
    }
    printf("%u", task->at_once);
    for (uint32_t side = 0; side < SIDE_COUNT; side++) {
        printf(" %.2f", median_of(times[side], rounds));
        free(times[side]);
    }
    printf(" %.3g\n", difference);
}

int main(int argc, char **argv)
{
    struct task task = {0};
    struct shw_record_evaluator_params params = {.technique = SHW_RECORD_CPU, .threads = 1};
    struct shw_record_forest *forest = NULL;
    float *rows;
    size_t size;

    if (argc < 6)
        stop("usage: record_generated MODEL ROWS ATTRIBUTES ROUNDS AT_ONCE...");
    task.row_count = (uint32_t)strtoul(argv[2], NULL, 10);
    task.attribute_count = (uint32_t)strtoul(argv[3], NULL, 10);
    size = (size_t)task.row_count * task.attribute_count;
    task.rows = rows = allocate(size * sizeof *rows);
    if (fread(rows, sizeof *rows, size, stdin) != size)
        stop("the rows are too short");
    task.shuffled = allocate(size * sizeof *rows);
    memcpy(task.shuffled, rows, size * sizeof *rows);
    task.sums = allocate(task.row_count * sizeof *task.sums);
    for (uint32_t side = 0; side < SIDE_COUNT; side++)
        task.probabilities[side] = allocate(2 * (size_t)task.row_count * sizeof(float));
    if (shw_record_forest_load(argv[1], NULL, &forest) != SHW_OK)
        stop("the model cannot be loaded");
    params.forest = forest;
    if (shw_record_evaluator_create(&params, &task.evaluator) != SHW_OK)
        stop("the evaluator cannot be made");
    if (shw_record_forest_get_prediction_count(forest) != 2)
        stop("the model is not one of two classes");
    for (int a = 5; a < argc; a++) {
        task.at_once = (uint32_t)strtoul(argv[a], NULL, 10);
        measure(&task, (uint32_t)strtoul(argv[4], NULL, 10));
    }
    shw_record_evaluator_destroy(&task.evaluator);
    shw_record_forest_destroy(&forest);
    for (uint32_t side = 0; side < SIDE_COUNT; side++)
        free(task.probabilities[side]);
    free(task.sums);
    free(task.shuffled);
    free(rows);
    return 0;
}
