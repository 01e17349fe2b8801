/* What the commands of record forests write, and where: standard output, and files that cannot be written. */
#include <stdio.h>
#include <string.h>

#include "program.h"

#define FAILURE 1

static int prepare(void **state)
{
    static const char table[] = "a,b,class\n1,2,x\n2,3,y\n3,4,y\n1,1,x\n";

    (void)state;
    make_file("train.csv", table, strlen(table));
    assert_success(run("shadewood train-records train.csv -o forest.ktx2 --trees 2 -t cpu -q"));
    return 0;
}

/* Whatever reads it finds nothing then, instead of a table without records. */
static void test_standard_output_is_empty_if_the_table_is_refused(void **state)
{
    (void)state;
    assert_one_line(run("shadewood records forest.ktx2 missing.csv -t cpu -o -"), FAILURE, "missing.csv", NULL);
    assert_one_line(run("printf 'a,c\\n1,2\\n' | shadewood records forest.ktx2 - -t cpu -o -"), FAILURE, "lacks 1",
                    NULL);
    assert_one_line(run("printf 'a,b\\n1,red\\n' | shadewood records forest.ktx2 - -t cpu -o -"), FAILURE, "'red'",
                    NULL);
    assert_string_equal(run("printf 'a,b\\n' | shadewood records forest.ktx2 - -t cpu -o -").out, "class\r\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_standard_output_is_empty_if_the_table_is_refused),
    };

    return cmocka_run_group_tests(tests, prepare, NULL);
}
