/* `label --files-from`: images whose names come while the program runs. Each is labelled when its name arrives, each
 * name is answered by a line, and the results are those of a call that has all images at once. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPTIONS "-t cpu -q --objects --objects-area 2 -p npy "

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 6);
    assert_success(run_blind("shadewood train --data pairs --images '{}.png' --labels '{}_L.png' --palette "
                             "pairs/palette.json --trees 2 --depth 5 --pixels 200 -o forest.ktx2 -q -t cpu"));
    assert_success(run_blind("mkdir photos && cp pairs/[0-9][0-9].png photos && touch -d '1 hour ago' photos/*"));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o whole " OPTIONS));
    assert_success(run_blind("shadewood label forest.ktx2 photos -o noted --resume " OPTIONS));
    return 0;
}

static void assert_printed(struct run result, int code, const char *text)
{
    assert_int_equal(result.code, code);
    if (strcmp(result.out, text) != 0)
        fail_msg("not '%s' but '%s'", text, result.out);
}

TESTING_CASE(the_results_are_those_of_one_call)
{
    static const char told[] = "labelled\tphotos/00.png\nlabelled\tphotos/01.png\nlabelled\tphotos/02.png\n"
                               "labelled\tphotos/03.png\nlabelled\tphotos/04.png\nlabelled\tphotos/05.png\n";

    assert_printed(run_blind("ls photos/* | shadewood label forest.ktx2 --files-from - -o piped " OPTIONS), 0, told);
    assert_success(run("diff -r whole piped"));
    /* from a file, the last line of which does not end; empty lines are nothing */
    assert_success(run("printf '\n%%s' photos/* >list"));
    assert_printed(run_blind("shadewood label forest.ktx2 -T list -o listed --resume " OPTIONS), 0, told);
    assert_success(run("diff -r -x '*.jsonl' noted listed"));
}

/* A caller writes a name, and waits for the answer before it writes the next one. */
TESTING_CASE(names_are_answered_at_once)
{
    skip_on_windows("there are no named pipes");
    assert_success(run("mkfifo asked answered"));
    assert_success(run_blind(
        "timeout 100 sh -c '\"$SHADEWOOD_PROGRAM\" label forest.ktx2 --files-from - -o spoken --resume " OPTIONS
        " <asked >answered & exec 3>asked 4<answered; tab=$(printf \"\\t\"); "
        "for i in 4 0 2; do echo photos/0$i.png >&3; read -r line <&4; "
        "test \"$line\" = \"labelled${tab}photos/0$i.png\" || exit 1; "
        "cmp spoken/0${i}_labels.png whole/0${i}_labels.png || exit 2; "
        "test ! -e spoken/objects.csv || exit 3; done; "
        "echo photos/nothing.png >&3; read -r line <&4; case $line in failed*nothing.png*No*such*) ;; *) exit 4; esac; "
        "echo photos/00.png >&3; read -r line <&4; test \"$line\" = \"up to date${tab}photos/00.png\" || exit 5; "
        "exec 3>&-; wait $!; test $? = 1 || exit 6' 2>said"));
    assert_success(run("grep -c . said | grep -qx 1 && grep -q 'cannot open photos/nothing.png' said"));
    /* the tables have each image once, in the order of the names */
    assert_success(run("cut -d, -f1 spoken/shares.csv | uniq | paste -sd' ' >order && "
                       "echo 'picture photos/04.png photos/00.png photos/02.png' | cmp - order"));
    assert_printed(run_blind("ls photos/* | shadewood label forest.ktx2 -T - -o spoken --resume --json " OPTIONS
                             "| grep -c '\"up_to_date\":true'"),
                   0, "3\n");
    assert_success(run("diff -r -x '*.jsonl' noted spoken"));
}

TESTING_CASE(one_image_that_fails_is_not_the_end)
{
    struct run result;

    assert_success(
        run("mkdir -p bad other && echo none >bad/b.png && cp photos/00.png other/00.png && touch bad/walk.mp4"));
    result = run_blind(
        "printf '%%s\\n' photos/00.png bad/b.png missing.png photos other/00.png bad/walk.mp4 photos/01.png | "
        "shadewood label forest.ktx2 --files-from - -o some -t cpu");
    assert_int_equal(result.code, 1);
    assert_success(run("test -f some/01_labels.png"));
    result = run_blind(
        "printf '%%s\\n' photos/00.png bad/b.png missing.png photos other/00.png bad/walk.mp4 photos/01.png | "
        "shadewood label forest.ktx2 --files-from - -o some -t cpu 2>said | cut -f1,2 | tr '\\t' '=' | paste -sd' '");
    assert_printed(result, 0,
                   "labelled=photos/00.png failed=bad/b.png failed=missing.png failed=photos failed=other/00.png "
                   "failed=bad/walk.mp4 labelled=photos/01.png\n");
    assert_success(run("grep -q '^shadewood: other/00.png would produce files of the same name' said && "
                       "grep -q 'photos is a folder' said && grep -q 'bad/walk.mp4 is a video' said && "
                       "grep -q '2 images labelled, 0 up to date, 5 failed, in some' said"));
    result =
        run_blind("echo bad/b.png | shadewood label forest.ktx2 --files-from - -o none --objects -t cpu --json 2>said");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "{\"image\":\"bad/b.png\",\"failed\":true,\"reason\":\""));
    assert_success(run("test ! -e none/objects.csv"));
    assert_printed(run_blind("shadewood label forest.ktx2 --files-from - -o none -q -t cpu </dev/null"), 0, "");
    /* what is not ours is kept, whatever else is labelled */
    assert_success(run("mkdir kept && echo mine >kept/00_labels.png"));
    result =
        run_blind("ls photos/0[01].png | shadewood label forest.ktx2 -T - -o kept -t cpu | cut -f1 | paste -sd' '");
    assert_printed(result, 0, "failed labelled\n");
    assert_success(run("echo mine | cmp - kept/00_labels.png && test ! -e kept/00_overlay.png"));
}

TESTING_CASE(names_that_end_with_zero)
{
    struct run result;

    skip_on_windows("names cannot have line ends");
    assert_success(run("mkdir odd && cp photos/03.png \"$(printf 'odd/a\\nb.png')\""));
    result = run_blind(
        "find odd -name '*.png' -print0 | shadewood label forest.ktx2 --files-from - --null -o odder -t cpu -q "
        "| tr '\\n\\t\\0' '/=!'");
    assert_printed(result, 0, "labelled=odd/a/b.png!");
    assert_success(run("cmp \"$(printf 'odder/a\\nb_labels.png')\" whole/03_labels.png"));
    result = run_blind(
        "find odd -name '*.png' -print0 | shadewood label forest.ktx2 --files-from - -o odder -t cpu -q 2>said");
    assert_int_equal(result.code, 1);
    assert_success(
        run("printf 'photos/00.png\\0photos/01.png\\0' | shadewood label forest.ktx2 -T - -o odder -t cpu -q "
            "2>said; grep -q 'photos/00.png: a zero byte follows: --null' said"));
}

/* Files of each name are checked for themselves. */
TESTING_CASE(many_names)
{
    assert_success(run("mkdir many && for i in $(seq 500); do ln -s ../photos/00.png many/$i.png; done"));
    assert_printed(run_blind("ls many/* | shadewood label forest.ktx2 --files-from - -o often -t cpu -q --no-overlay "
                             "--objects | grep -c ^labelled"),
                   0, "500\n");
    assert_success(
        run("test $(ls often/*_labels.png | wc -l) = 500 && test $(cut -d, -f1 often/objects.csv | tail -n +2 | "
            "uniq | wc -l) = 500"));
}

TESTING_CASE(what_is_refused)
{
    assert_one_line(run_blind("shadewood label forest.ktx2 photos/00.png --files-from -"), 2, "--files-from", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --files-from - --shard 1/2"), 2, "--shard", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --files-from - --plan"), 2, "--plan", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --files-from - --frames"), 2, "--frames", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --files-from - --page all"), 2, "--page all", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --null photos"), 2, "--null needs --files-from", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 --files-from - --input depth=one.png"), 2, "{}", NULL);
    assert_one_line(run_blind("shadewood label --files-from -"), 2, "a forest is needed", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 -t cpu --files-from nowhere -o never"), 1,
                    "cannot open nowhere", NULL);
    make_project("meadow.json", "pairs/00.png");
    assert_one_line(run_blind("shadewood label meadow.json --files-from -"), 2, "for forests", NULL);
}

/* A name that failed leaves its place to another one. */
TESTING_CASE(a_failed_name_is_not_in_the_way)
{
    const struct run result =
        run("printf '%%s\\n' missing/00.jpg photos/00.png | shadewood label forest.ktx2 -t cpu -T - "
            "-o place");

    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.out, "labelled\tphotos/00.png"));
}

/* A line that does not fit into memory ends the call with a failure: those after it were not read. */
TESTING_CASE_UNLESS(TESTING_SANITIZED, a_line_without_memory_is_a_failure)
{
    struct run result;

    result = run("(ulimit -v 300000; { head -c 400000000 /dev/zero | tr '\\0' x; echo; } | \"$SHADEWOOD_PROGRAM\" "
                 "label forest.ktx2 -t cpu -T - -o endless)");
    assert_int_equal(result.code, 1);
    assert_non_null(strstr(result.err, "cannot read the names of images"));
}

TESTING_FIXTURE(prepare, NULL)
