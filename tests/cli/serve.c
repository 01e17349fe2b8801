/* `shadewood serve`, and `shadewood train --trainer`, which starts it. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRAINER "'\"'$SHADEWOOD_PROGRAM'\" serve -t cpu --threads 2"

static int make_painted(void **state)
{
    (void)state;
    make_data("data", 1);
    make_project("meadow.json", "data/00.png");
    return 0;
}

TESTING_CASE(projects_are_trained_by_another_program)
{
    struct run away;
    json_t *result;

    assert_success(run("shadewood train meadow.json -t cpu -q -o here.ktx2"));
    assert_success(run("shadewood train meadow.json --trainer " TRAINER "' -q -o away.ktx2"));
    same_file("here.ktx2", "away.ktx2");
    assert_success(run("shadewood train meadow.json --trainer " TRAINER " --memory 600M --trust-code -v' --overwrite "
                       "--trust-code -q -o away.ktx2"));
    same_file("here.ktx2", "away.ktx2");
    away = run("shadewood train meadow.json --trainer " TRAINER "' --overwrite --json -q -o away.ktx2");
    assert_success(away);
    result = parse_json(away.out);
    assert_int_equal(json_integer_value(json_object_get(result, "images")), 1);
    assert_int_equal(json_integer_value(json_object_get(result, "classes")), 3);
    json_decref(result);
}

TESTING_CASE(also_on_a_device)
{
    need_device();
    assert_success(run("shadewood train meadow.json -t cpu -q --overwrite -o here.ktx2"));
    assert_success(
        run("shadewood train meadow.json --trainer '\"'$SHADEWOOD_PROGRAM'\" serve -t compute --device 0' -q "
            "--overwrite -o device.ktx2"));
    same_file("here.ktx2", "device.ktx2");
}

TESTING_CASE(what_contradicts_is_refused)
{
    assert_one_line(run("shadewood train meadow.json --trainer false --seed 3 -o x.ktx2"), 2, "--seed", NULL);
    assert_one_line(run("shadewood train meadow.json --trainer false --score gini -o x.ktx2"), 2,
                    "--score and --trainer", NULL);
    assert_one_line(run("shadewood train meadow.json --trainer false --checkpoint c -o x.ktx2"), 2, "--checkpoint",
                    NULL);
    assert_one_line(run("shadewood train -d data --trainer false -o x.ktx2"), 2, "--trainer", NULL);
    assert_one_line(run("shadewood train --trainer false -o x.ktx2"), 2, "name one", NULL);
    assert_one_line(run("shadewood train meadow.json --trainer 'no-such-program serve' -o x.ktx2"), 1,
                    "no-such-program", NULL);
    assert_one_line(run("shadewood train meadow.json --trainer false -o x.ktx2"), 1, "the trainer 'false'", NULL);
    assert_one_line(run("shadewood train none.json --trainer false -o x.ktx2"), 1, "none.json", NULL);
    assert_false(exists("x.ktx2"));
    assert_one_line(run("shadewood serve file </dev/null"), 2, "unexpected argument", NULL);
    assert_one_line(run("shadewood serve --memory 0 </dev/null"), 2, "--memory", NULL);
    assert_one_line(run("echo hello | shadewood serve -t cpu >said"), 1, "does not speak this protocol", NULL);
    assert_one_line(run("shadewood serve -t cpu </dev/null >said"), 1, "without a greeting", NULL);
    assert_one_line(run("shadewood serve -q -t cpu --device 0 --threads 2 --trust-code </dev/null >said"), 1,
                    "without a greeting", NULL);
}

TESTING_CASE(a_terminal_is_refused)
{
    struct run typed;

    if (run("command -v script").code != 0)
        testing_skip("there is no program that makes a terminal");
    typed = run("script -qec '\"'$SHADEWOOD_PROGRAM'\" serve -t cpu' typed >said");
    assert_int_equal(typed.code, 2);
    assert_success(run("grep 'not with a terminal' said >found"));
}

TESTING_FIXTURE(make_painted, NULL)
