/* The program of a folder: test_FOLDER GROUP runs the cases that the group's files have registered. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef _WIN32
#include <sys/resource.h>
#endif

enum { CASES_MAX = 4096, FIXTURES_MAX = 512, FILES_MAX = 1024 };

static struct testing_case *cases[CASES_MAX];
static const char *files[FILES_MAX]; /* in the order of linking */
static struct testing_fixture *fixtures[FIXTURES_MAX];
static size_t case_count, fixture_count, file_count;

static size_t file_of(const struct testing_case *test)
{
    size_t f = 0;

    while (f < file_count && strcmp(files[f], test->file) != 0)
        f++;
    return f;
}

void testing_register_case(struct testing_case *test)
{
    if (test->group == NULL)
        return;
    if (case_count == CASES_MAX || file_count == FILES_MAX)
        abort();
    cases[case_count++] = test;
    if (file_of(test) == file_count)
        files[file_count++] = test->file;
}

void testing_register_fixture(struct testing_fixture *fixture)
{
    if (fixture_count == FIXTURES_MAX)
        abort();
    fixtures[fixture_count++] = fixture;
}

/* By group, file in the order of linking, and line. */
static int compare_cases(const void *a, const void *b)
{
    const struct testing_case *first = *(struct testing_case *const *)a, *second = *(struct testing_case *const *)b;
    int order = strcmp(first->group, second->group);

    if (order == 0)
        order = (int)file_of(first) - (int)file_of(second);
    return order != 0 ? order : first->line - second->line;
}

/* Of the processor, with that of processes that have ended. */
static double seconds(void)
{
    double sum = 0.0;
#ifndef _WIN32
    static const int whose[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
    struct rusage usage;

    for (int i = 0; i < 2; i++)
        if (getrusage(whose[i], &usage) == 0)
            sum += (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                   (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
#endif
    return sum;
}

static bool has_times(void)
{
    const char *wanted = getenv("SHW_TIMES");

    return wanted != NULL && strcmp(wanted, "1") == 0;
}

/* With SHW_TIMES=1, a line for what has run since the last one. */
static void tell_time(const char *name)
{
    static double before;
    double now = seconds();

    printf("# time %.2f %s %s\n", now - before, testing_group, name);
    fflush(stdout);
    before = now;
}

static const struct testing_case *running[CASES_MAX];
static size_t next_running;

static void run_case(void **state)
{
    tell_time(next_running == 0 ? "(start)" : running[next_running - 1]->test.name);
    running[next_running++]->test.test_func(state);
}

/* The cases from `begin` that are of the same group and file. */
static int run_file(size_t begin, size_t *end)
{
    static struct CMUnitTest tests[CASES_MAX];
    CMFixtureFunction setup = NULL, teardown = NULL;
    size_t count = 0;
    int failed;

    for (*end = begin; *end < case_count && strcmp(cases[*end]->group, cases[begin]->group) == 0 &&
                       strcmp(cases[*end]->file, cases[begin]->file) == 0;
         ++*end) {
        if (cases[*end]->is_slow && !testing_is_slow())
            continue;
        tests[count] = cases[*end]->test;
        if (has_times())
            tests[count].test_func = run_case;
        running[count++] = cases[*end];
    }
    next_running = 0;
    if (count == 0)
        return 0;
    for (size_t f = 0; f < fixture_count; f++)
        if (strcmp(fixtures[f]->file, cases[begin]->file) == 0) {
            setup = fixtures[f]->setup;
            teardown = fixtures[f]->teardown;
        }
    failed = _cmocka_run_group_tests(cases[begin]->group, tests, count, setup, teardown);
    if (has_times())
        tell_time(next_running == 0 ? "(start)" : running[next_running - 1]->test.name);
    return failed;
}

static int list(const char *program)
{
    fprintf(stderr, "usage: %s GROUP, of these:\n", program);
    for (size_t c = 0; c < case_count; c++)
        if (c == 0 || strcmp(cases[c]->group, cases[c - 1]->group) != 0)
            fprintf(stderr, "    %s\n", cases[c]->group);
    return 2;
}

int main(int argc, char **argv)
{
    int failed = 0;
    bool is_known = false;

    qsort(cases, case_count, sizeof *cases, compare_cases);
    if (argc != 2)
        return list(argv[0]);
    testing_group = argv[1];
    for (size_t begin = 0, end; begin < case_count; begin = end) {
        end = begin + 1;
        if (strcmp(cases[begin]->group, testing_group) == 0) {
            is_known = true;
            failed += run_file(begin, &end);
        }
    }
    return is_known ? failed : list(argv[0]);
}
