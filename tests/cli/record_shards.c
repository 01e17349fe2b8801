/* `records --shard`, and `merge-shards` of its files: the tables are those of one call, byte for byte, in CSV and as
 * arrays, of one table or several, whose records are not a multiple of a block. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Classes x, "y,1" and z; 30,000 records in two tables, 8 blocks of 4096 of which the last is not full. */
static int prepare(void **state)
{
    (void)state;
    assert_success(
        run("awk 'BEGIN { srand(3); for (i = 0; i < 400; i++) { a = rand(); b = rand(); c = rand(); "
            "printf \"%%.4f,%%.4f,%%.4f,%%s\\n\", a, b, c, (a > 0.6 ? \"x\" : (b > c ? \"\\\"y,1\\\"\" : \"z\")) } }' "
            ">train.csv && "
            "awk 'BEGIN { srand(4); for (i = 0; i < 30000; i++) printf \"%%.4f,%%.4f,%%.4f,%%s\\n\", rand(), "
            "rand(), rand(), i %% 2 ? \"x\" : \"z\" }' >all.csv && "
            "head -n 10001 all.csv >first.csv && tail -n +10002 all.csv >second.csv"));
    assert_success(run_blind("shadewood train-records train.csv -o records.ktx2 --trees 5 -q"));
    return 0;
}

#define OPTIONS "-t cpu -q "

/* In an order that is not theirs. */
static void run_shards(const char *tables, const char *name, unsigned count, const char *options)
{
    for (unsigned i = count; i > 0; i--)
        assert_success(run_blind("shadewood records records.ktx2 %s -o %s%u --shard %u/%u " OPTIONS "%s", tables, name,
                                 i, i, count, options));
}

TESTING_CASE(shards_become_the_table)
{
    static const unsigned counts[] = {1, 2, 3, 7, 20};
    static const char *const options[] = {"", "--write classes,probabilities,leaves,sums",
                                          "--write probabilities --class-names x,y,z"};

    for (size_t o = 0; o < sizeof options / sizeof *options; o++) {
        assert_success(run_blind(
            "shadewood records records.ktx2 first.csv second.csv -o whole.csv --overwrite " OPTIONS "%s", options[o]));
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            assert_success(run("rm -f part* joined.csv"));
            run_shards("first.csv second.csv", "part", counts[c], options[o]);
            assert_success(run("shadewood merge-shards part* -o joined.csv -q && cmp whole.csv joined.csv"));
        }
    }
    assert_success(run("test $(wc -l <whole.csv) = 30001"));
    assert_success(run("rm -f part*"));
}

TESTING_CASE(shards_become_arrays)
{
    assert_success(run_blind("shadewood records records.ktx2 all.csv -o whole.npy " OPTIONS));
    run_shards("all.csv", "one", 3, "");
    assert_one_line(run("shadewood merge-shards one1 one2 one3 -o joined.npy"), 1, "the shards have CSV", NULL);
    assert_success(run("rm one?"));
    for (unsigned i = 1; i <= 3; i++)
        assert_success(run_blind("shadewood records records.ktx2 all.csv -o one%u.npy --shard %u/3 " OPTIONS, i, i));
    assert_success(
        run("shadewood merge-shards one3.npy one1.npy one2.npy -o joined.npy -q && cmp whole.npy joined.npy"));
    assert_one_line(run("shadewood merge-shards one3.npy one1.npy one2.npy -o joined.csv"), 1, "arrays of NumPy", NULL);

    assert_success(run_blind(
        "shadewood records records.ktx2 all.csv -o many.npy --write classes,probabilities,leaves,sums " OPTIONS));
    for (unsigned i = 1; i <= 4; i++)
        assert_success(run_blind("shadewood records records.ktx2 all.csv -o several%u.npy --shard %u/4 --write "
                                 "classes,probabilities,leaves,sums " OPTIONS,
                                 i, i));
    assert_success(
        run("shadewood merge-shards several?.npy -o again.npy -q && for k in classes probabilities leaves sums; do "
            "cmp many_$k.npy again_$k.npy || exit 1; done"));
}

/* Attributes that are missing, fewer records than shards have blocks, and none at all. */
TESTING_CASE(other_tables)
{
    static const char *const tables[] = {"asked.csv", "train.csv", "none.csv"};

    assert_success(run("awk 'BEGIN { srand(6); for (i = 0; i < 9000; i++) print rand() \",\" (i %% 7 ? rand() : -1) "
                       "\",\" rand() }' >asked.csv && printf 'p,q,r\\n' >none.csv"));
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        assert_success(
            run_blind("shadewood records records.ktx2 %s -o other.csv --overwrite --missing -1 " OPTIONS, tables[t]));
        for (unsigned i = 1; i <= 3; i++)
            assert_success(
                run_blind("shadewood records records.ktx2 %s -o v%u --shard %u/3 --missing -1 --overwrite " OPTIONS,
                          tables[t], i, i));
        assert_success(
            run("rm -f joined.csv && shadewood merge-shards v1 v2 v3 -o joined.csv -q && cmp other.csv joined.csv"));
    }
}

/* A shard that is there is not made again, unless it would be another. */
TESTING_CASE(a_second_call)
{
    struct testing_random random = {9};
    unsigned killed = 0;

    assert_success(run("for i in 1 2 3 4 5 6 7 8 9 10; do cat all.csv; done >long.csv"));
    for (unsigned turn = 0; turn < 20; turn++)
        killed += run_blind("timeout --foreground -s KILL 0.%03u sh -c 'exec \"$0\" \"$@\"' \"$SHADEWOOD_PROGRAM\" "
                            "records records.ktx2 long.csv -o long%u --shard %u/3 " OPTIONS "; test $? = 137",
                            turn < 4 ? 1 + turn : 3 + testing_random_below(&random, 60), 1 + turn % 2, 1 + turn % 2)
                      .code == 0;
    assert_true(killed > 0);
    run_shards("long.csv", "long", 3, "");
    assert_success(run("test -z \"$(find . -name '.*.shadewood')\""));
    assert_success(run_blind("shadewood records records.ktx2 long.csv -o long-whole.csv " OPTIONS));
    assert_success(run("shadewood merge-shards long? -o joined-long.csv -q && cmp long-whole.csv joined-long.csv"));
    run_shards("all.csv", "killed", 3, "");
    assert_success(
        run("ls -i killed2 >before && shadewood records records.ktx2 all.csv -o killed2 --shard 2/3 -t cpu >said && "
            "ls -i killed2 | cmp - before && grep -q '^shard 2 of 3 is up to date, in killed2$' said"));
    assert_success(run("cp all.csv changed.csv && echo 0.1,0.2,0.3,x >>changed.csv"));
    assert_success(run_blind("shadewood records records.ktx2 changed.csv -o killed2 --shard 2/3 " OPTIONS));
    assert_one_line(run("shadewood merge-shards killed1 killed2 killed3 -o no.csv"), 1, "killed2 is of other tables",
                    NULL);
    assert_success(run_blind("shadewood records records.ktx2 all.csv -o killed2 --shard 2/3 --write leaves " OPTIONS));
    assert_one_line(run("shadewood merge-shards killed1 killed2 killed3 -o no.csv"), 1,
                    "killed2 is of another model or other", NULL);
    assert_success(run("cp killed1 edited && printf X | dd of=edited bs=1 seek=3000 conv=notrunc 2>none"));
    assert_one_line(run("shadewood merge-shards killed3 edited -o no.csv"), 1, "edited is no shard of records", NULL);
    assert_one_line(run_blind("shadewood records records.ktx2 all.csv -o edited --shard 1/3 " OPTIONS), 1,
                    "edited exists", NULL);
    assert_one_line(run("shadewood merge-shards killed1 killed3 -o no.csv"), 1, "shard 2 of 3 is missing", NULL);
    assert_one_line(run("shadewood merge-shards killed1 killed3 killed1 -o no.csv"), 1, "shard 1 of 3 is there twice",
                    NULL);
    assert_false(exists("no.csv"));
}

TESTING_CASE(what_is_refused)
{
    assert_one_line(run_blind("shadewood records records.ktx2 all.csv --shard 1/2 -t cpu"), 2, "--output", NULL);
    assert_one_line(run_blind("shadewood records records.ktx2 all.csv --shard 1/2 -o - -t cpu"), 2, "--output", NULL);
    assert_one_line(run_blind("shadewood records records.ktx2 all.csv --shard 3/2 -o x -t cpu"), 2, "'3/2'", NULL);
    assert_one_line(run_blind("shadewood records records.ktx2 - --shard 1/2 -o x -t cpu <all.csv"), 1, "pass a file",
                    NULL);
    assert_success(run_blind("shadewood records records.ktx2 train.csv --shard 1/1 -o lone " OPTIONS));
    assert_one_line(run("shadewood merge-shards lone"), 2, "--output", NULL);
    assert_one_line(run("shadewood merge-shards lone -o x.csv --counts"), 2, "--counts", NULL);
    assert_one_line(run("shadewood merge-shards lone -o x.csv --shards 2"), 2, "--shards", NULL);
    assert_success(run("echo mine >mine.csv"));
    assert_one_line(run("shadewood merge-shards lone -o mine.csv"), 1, "mine.csv exists", NULL);
    assert_one_line(run("shadewood merge-shards lone -o lone"), 2, "lone would be overwritten", NULL);
    assert_false(exists("x"));
}

TESTING_FIXTURE(prepare, NULL)
