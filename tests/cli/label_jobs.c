/* `label` with several devices and several images at a time: the files and messages of one. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prepare(void **state)
{
    (void)state;
    make_data("data", 9);
    assert_success(run_blind("shadewood train -q -t cpu -d data --images {}.png --labels {}_L.png --trees 3 --depth 4 "
                             "--candidates 12 --pixels 60 -o forest.ktx2"));
    assert_success(run("mkdir pictures && cp data/0?.png pictures && head -c 200 data/03.png >pictures/02b.png && "
                       "head -c 900 data/04.png >pictures/07b.png && cp pictures/08.png data/extra.png"));
    return 0;
}

/* Two pictures are broken: their messages come in the order of the pictures, whoever reads them. */
#define LABEL                                                                                                          \
    "shadewood label forest.ktx2 pictures --objects --objects-format csv,geojson,instances --probabilities png "       \
    "--verbose "
#define WITHOUT_TIMES "grep -v -e images/s -e seconds "

static void same_results(const char *name)
{
    const struct run compared = run("diff -r one %s && diff one.err %s.err && diff one.json %s.json", name, name, name);

    if (compared.code != 0)
        fail_msg("%s", compared.out);
}

static void label(const char *options, const char *name)
{
    const struct run said = run(LABEL "%s -o %s --json >out 2>err; code=$?; " WITHOUT_TIMES "err >%s.err; sed "
                                      "'s/%s/NAME/' out | " WITHOUT_TIMES ">%s.json; exit $code",
                                options, name, name, name, name);

    assert_int_equal(said.code, 1);
}

TESTING_CASE(files_and_messages_are_those_of_one)
{
    static const char *const jobs[] = {"--jobs 1", "--jobs 2", "--jobs 3", "--jobs 40"};

    assert_success(run("rm -rf one many"));
    label("-t cpu", "one");
    assert_success(run("test $(grep -c 'b.png' one.err) -ge 2"));
    for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
        char options[64];

        snprintf(options, sizeof options, "-t cpu %s", jobs[j]);
        assert_success(run("rm -rf many"));
        label(options, "many");
        same_results("many");
    }
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, devices_divide_the_images)
{
    need_device();
    assert_success(run("rm -rf one many; mkdir whole && cp data/0?.png whole"));
    assert_success(run("shadewood label forest.ktx2 whole -q -t cpu -o one --objects"));
    assert_success(run("shadewood label forest.ktx2 whole -q --device 0,cpu --jobs 4 -o many --objects && "
                       "diff -r one many"));
    assert_success(run("rm -r many; shadewood label forest.ktx2 whole -q --device cpu,0 -o many --objects && "
                       "diff -r one many"));
    assert_int_equal(run("shadewood label forest.ktx2 whole -q --device 0,0 -o never").code, 2);
    assert_int_equal(run("shadewood label forest.ktx2 whole -q --device 0,cpu --frames -o never").code, 2);
    assert_int_equal(run("shadewood label forest.ktx2 whole -q --device 0,cpu -t cpu -o never").code, 2);
    assert_false(exists("never"));
}

/* Killed while several are written, and continued with another number: the tables of one call. */
TESTING_CASE(a_killed_call_continues)
{
    struct testing_random random = {5};
    unsigned killed = 0;

    assert_success(run("rm -rf one many many2; mkdir all; for i in 1 2 3 4 5; do for p in data/0?.png; do "
                       "cp $p all/$i$(basename $p); done; done"));
    assert_success(run_blind("shadewood label forest.ktx2 all -q -t cpu --resume --objects -o one"));
    for (unsigned turn = 0; turn < 4; turn++) {
        const unsigned after = testing_random_below(&random, 25), jobs = 1 + testing_random_below(&random, 4);

        assert_success(run("rm -rf many"));
        killed += run("(exec \"$SHADEWOOD_PROGRAM\" label forest.ktx2 all -q -t cpu --jobs 3 --resume --objects -o "
                      "many) & until [ $(ls many 2>/dev/null | wc -l) -gt %u ] || ! kill -0 $! 2>/dev/null; do "
                      ":; done; kill -9 $! 2>/dev/null; wait $!",
                      after)
                      .code != 0;
        assert_success(
            run_blind("shadewood label forest.ktx2 all -q -t cpu --jobs %u --resume --objects -o many", jobs));
        assert_success(run("rm many/*.jsonl; mv one/*.jsonl .; diff -r one many && mv *.jsonl one"));
    }
    assert_true(killed > 0);
    assert_success(run_blind("shadewood label forest.ktx2 all -t cpu --jobs 3 --resume --objects -o one >said && "
                             "grep -q '0 images labelled, 45 were up to date' said"));
}

TESTING_FIXTURE(prepare, NULL)
