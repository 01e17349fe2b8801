/* The program of a folder: test_FOLDER GROUP runs the cases that the group's files have registered. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* The cases from `begin` that are of the same group and file. */
static int run_file(size_t begin, size_t *end)
{
    static struct CMUnitTest tests[CASES_MAX];
    CMFixtureFunction setup = NULL, teardown = NULL;

    for (*end = begin; *end < case_count && strcmp(cases[*end]->group, cases[begin]->group) == 0 &&
                       strcmp(cases[*end]->file, cases[begin]->file) == 0;
         ++*end)
        tests[*end - begin] = cases[*end]->test;
    for (size_t f = 0; f < fixture_count; f++)
        if (strcmp(fixtures[f]->file, cases[begin]->file) == 0) {
            setup = fixtures[f]->setup;
            teardown = fixtures[f]->teardown;
        }
    return _cmocka_run_group_tests(cases[begin]->group, tests, *end - begin, setup, teardown);
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
