/* The pages that 'shadewood bench' and 'shadewood bench compare' write: well-formed, complete, and without anything
 * from a network. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

static void check_page(const char *page, const char *reports)
{
    struct run result = run("python3 '%s' %s %s", PAGE_CHECK, page, reports);

    if (result.code != 0)
        fail_msg("%s: %s%s", page, result.out, result.err);
}

static int prepare(void **state)
{
    (void)state;
    assert_success(run("cp '%s'/*.json .", REPORTS));
    return 0;
}

static void need_python(void)
{
    if (run("command -v python3").code != 0)
        testing_skip("python3 is not installed");
}

static void test_the_page_of_a_run(void **state)
{
    (void)state;
    need_python();
    assert_success(
        run("shadewood bench pipeline --size 32x24 --runs 2 --seconds 1 -q --html run.html --json run.json"));
    check_page("run.html", "run.json");
    assert_success(run("shadewood bench compare run.json run.json --html same.html"));
    check_page("same.html", "run.json");
    assert_non_null(strstr(run("cat same.html").out, "There is no regression."));
}

static void test_the_page_of_a_comparison(void **state)
{
    (void)state;
    need_python();
    assert_success(run("shadewood bench compare no-device.json two-techniques.json --html only.html -q"));
    assert_success(run("shadewood bench compare two-techniques.json two-techniques.json --html both.html -q"));
    check_page("only.html", "");
    check_page("both.html", "two-techniques.json");
    assert_success(run("shadewood bench compare odd.json odd.json --html odd.html -q"));
    check_page("odd.html", "odd.json");
    assert_non_null(strstr(run("cat only.html").out, "Only in B"));
}

static void test_a_page_that_cannot_be_written_leaves_nothing(void **state)
{
    (void)state;
    assert_one_line(run("shadewood bench compare no-device.json no-device.json --html nowhere/page.html"), 2,
                    "nowhere/page.html", NULL);
    assert_one_line(run("shadewood bench pipeline --html nowhere/page.html"), 1, "nowhere/page.html", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_page_of_a_run),
        cmocka_unit_test(test_the_page_of_a_comparison),
        cmocka_unit_test(test_a_page_that_cannot_be_written_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, prepare, NULL);
}
