/* `shadewood tune`, and `train --preset`. */
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Trials that take little. */
#define SMALL SPACE "-t cpu "
#define SPACE                                                                                                          \
    " --space depth=2:5 --space candidates=5:20 --space pixels=20:100 --space 'channels=rgb|lab' --space offset=3:9 "  \
    "--space size=1:5 --folds 3 --trees 1 --threads 1 "

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 8);
    make_project("meadow.json", "pairs/00.png");
    assert_success(run_blind("shadewood synth -q -o scenes --count 6 --size 32x24"));
    return 0;
}

#define ARGUMENTS    " tune -q --data pairs --images '{}.png' --labels '{}_L.png'" SMALL
#define TUNE         "shadewood" ARGUMENTS
#define TUNE_PROGRAM "\"$SHADEWOOD_PROGRAM\"" ARGUMENTS /* as a process of its own, to be killed */

static json_t *read_json(const char *name)
{
    size_t size;
    char *text = file_bytes(name, &size);
    json_t *document = json_loadb(text, size, 0, NULL);

    free(text);
    assert_non_null(document);
    return document;
}

/* A file of text. */
static char *read_text(const char *name)
{
    size_t size;
    char *bytes = file_bytes(name, &size), *text = strndup(bytes, size);

    free(bytes);
    assert_non_null(text);
    return text;
}

TESTING_CASE(a_preset_is_found_and_trained_with)
{
    json_t *preset, *found, *told;
    const char *record;

    assert_success(run_blind(TUNE "--trials 8 --seed 2 --name meadows -o best.json --report best.html"));
    preset = read_json("best.json");
    assert_string_equal(json_string_value(json_object_get(preset, "preset")), "meadows");
    assert_int_equal(json_integer_value(json_object_get(json_object_get(preset, "found"), "trials")), 8);
    assert_success(run_blind("shadewood train -q --data pairs --images '{}.png' --labels '{}_L.png' --preset best.json "
                             "--trees 2 -t cpu -o best.ktx2 && shadewood inspect --json best.ktx2 >inspected"));
    told = read_json("inspected");
    found = json_object_get(preset, "setting");
    record = json_dumps(told, JSON_COMPACT);
    assert_non_null(strstr(record, "\"preset\":\"meadows\""));
    assert_non_null(strstr(record, "\"trees\":2"));
    for (unsigned i = 0; i < 2; i++) {
        static const char *const names[] = {"depth", "candidates"};
        char text[64];
        snprintf(text, sizeof text, "\"%s\":%lld", names[i],
                 (long long)json_integer_value(json_object_get(found, names[i])));
        assert_non_null(strstr(record, text));
    }
    free((void *)(uintptr_t)record);
    json_decref(told);
    json_decref(preset);
}

/* Everything that the page shows is in it. */
/* Several devices find what one finds, also where there are fewer candidates than devices. */
TESTING_CASE(devices_share_trainings)
{
    static const char *const devices[] = {"cpu", "0,cpu"};
    char *settings[2];

    need_device();
    for (unsigned d = 0; d < 2; d++) {
        json_t *preset;
        assert_success(run("shadewood tune -q --data pairs --images '{}.png' --labels '{}_L.png'" SPACE
                           "--space candidates=1:3 --trials 3 --device %s --name few -o few%u.json",
                           devices[d], d));
        preset = read_json(d == 0 ? "few0.json" : "few1.json");
        settings[d] = json_dumps(json_object_get(preset, "setting"), JSON_COMPACT | JSON_SORT_KEYS);
        json_decref(preset);
    }
    assert_string_equal(settings[0], settings[1]);
    free(settings[0]);
    free(settings[1]);
    assert_one_line(run("shadewood tune -q --data pairs --device 0,0 -o none.json"), 2, "--device has 0 twice", NULL);
}

TESTING_CASE(the_report_needs_no_other_file)
{
    char *page = read_text("best.html");

    assert_non_null(strstr(page, "<svg"));
    assert_non_null(strstr(page, "Confusion"));
    assert_non_null(strstr(page, "Importance"));
    assert_non_null(strstr(page, "defaults of train"));
    assert_null(strstr(page, "http"));
    assert_null(strstr(page, "src="));
    free(page);
}

/* The same seed and number of trials find the same, and as JSON. */
TESTING_CASE(a_search_repeats)
{
    struct run result;
    json_t *document;

    assert_success(run_blind(TUNE "--trials 8 --seed 2 --name meadows -o again.json && cmp best.json again.json"));
    result = run_blind(TUNE "--trials 8 --seed 2 --name meadows -o again.json --json");
    assert_success(result);
    document = parse_json(result.out);
    assert_int_equal(json_array_size(json_object_get(document, "trials")), 8);
    assert_string_equal(json_string_value(json_object_get(document, "objective")), "mean");
    json_decref(document);
    assert_success(run_blind(TUNE "--trials 9 --seed 2 -o again.json"));
    assert_int_equal(run("test $(grep -c '\"setting\"' again.json.journal) = 9").code, 0);
}

/* Killed when some measurements were recorded; what is recorded is not measured again. */
TESTING_CASE(a_killed_search_continues)
{
    assert_success(run_blind(TUNE "--trials 9 --seed 4 --no-stopping -o whole.json --journal whole.jsonl"));
    assert_success(run_blind(
        "(exec env " TUNE_PROGRAM " --trials 9 --seed 4 --no-stopping -o killed.json --journal killed.jsonl) & "
        "while ! grep -q '\"trial\":3,\"fold\":1' killed.jsonl 2>/dev/null && kill -0 $!; do sleep 0.01; done; "
        "kill -9 $! 2>/dev/null; wait $!; true"));
    assert_success(run_blind(TUNE "--trials 9 --seed 4 --no-stopping -o killed.json --journal killed.jsonl"));
    assert_success(
        run("grep -o '\"setting\":{[^}]*}' whole.jsonl >a && grep -o '\"setting\":{[^}]*}' killed.jsonl >b && "
            "cmp a b && test $(grep -c '\"fold\":' killed.jsonl) = 27 && test $(wc -l <a) = 9"));
    assert_success(run("sed 's/whole/killed/' whole.json | grep -v shadewood >a && grep -v shadewood killed.json >b && "
                       "cmp a b"));
}

TESTING_CASE(several_processes_share_a_journal)
{
    assert_success(run_blind("for i in 1 2 3; do " TUNE "--trials 12 --no-stopping -o shared.json >out$i 2>err$i & "
                             "done; wait; cat err1 err2 err3 >&2; test -s shared.json && ! test -s err1"));
    assert_success(run("test $(grep -c '\"setting\"' shared.json.journal) = 12 && "
                       "test $(grep -c '\"end\":\"finished\"' shared.json.journal) = 12 && "
                       "test $(grep -c '\"fold\":' shared.json.journal) = 36"));
}

/* Trials are divided, the report is of all of them and said once; a rank that is killed ends all, and any number of
 * ranks, or none, continues. */
TESTING_CASE(ranks_share_a_journal)
{
    struct run result;

    need_mpirun();
    assert_success(run_blind(TUNE "--trials 9 --no-stopping --search random --name same -o alone.json"));
    result =
        run_blind(RANKS TUNE_PROGRAM "--trials 9 --no-stopping --search random --name same -o ranks.json --mpi", 3);
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.out, "9 trials"));
    assert_null(strstr(strstr(result.out, "9 trials") + 1, "9 trials"));
    assert_success(run("test $(grep -c '\"fold\":' ranks.json.journal) = 27 && "
                       "grep -o '\"setting\":{[^}]*}' alone.json.journal >a && "
                       "grep -o '\"setting\":{[^}]*}' ranks.json.journal >b && cmp a b && "
                       "cmp alone.json ranks.json"));
    result = run_blind(RANKS TUNE_PROGRAM "--trials 9 --no-stopping -o broken.json --mpi & m=$!; "
                                          "while ! grep -q '\"trial\":3,\"fold\":1' broken.json.journal 2>/dev/null "
                                          "&& kill -0 $m; do sleep 0.01; done; "
                                          "kill -KILL $(pgrep -P $m | sed -n 2p); wait $m",
                       2);
    assert_int_not_equal(result.code, 0);
    assert_success(run_blind(TUNE "--trials 9 --no-stopping -o broken.json"));
    assert_success(run("test $(grep -c '\"fold\":' broken.json.journal) = 27"));
    assert_int_equal(run_blind(RANKS TUNE_PROGRAM "-o refused.json", 2).code, 2);
    assert_false(exists("refused.json"));
}

/* By SIGINT the best so far is written, and by the end of the time. */
TESTING_CASE(a_search_ends_when_told)
{
    struct run result =
        run_blind("(exec env " TUNE_PROGRAM " --trials 100000 --space depth=3 -o told.json >out 2>err) & "
                  "while ! grep -q '\"end\":\"finished\"' told.json.journal 2>/dev/null; do sleep 0.01; done; "
                  "kill -INT $!; wait $!");

    assert_int_equal(result.code, 130);
    assert_true(exists("told.json"));
    assert_success(run_blind(TUNE "--budget 2s -o timed.json"));
    assert_true(exists("timed.json"));
}

TESTING_CASE(options_of_data_and_search_are_taken)
{
    assert_success(run("for i in 00 01 02 03 04 05 06; do echo $i; done >list"));
    assert_success(run_blind(
        TUNE
        "--layout pairs --palette pairs/palette.json --split list --label-kind colour --range 0:255 "
        "--image-channels 3,2,1 --ignore blue --objective iou --search random --fold-by runs --sample 6 --smooth 3 "
        "--memory 1G --device 0 --trials 3 -o taken.json --overwrite"));
    assert_success(run_blind(
        "shadewood tune -q -d scenes --images '{}_colors.png' --labels '{}_ground_truth.png' --threads 1" SMALL
        "--space 'channels=depth,lab' --space feature=depth-mean-difference --input "
        "'depth={}_depth.png' --trials 2 --technique cpu -o deep.json"));
    assert_int_equal(run("grep -q '\"channels\": \"depth,lab\"' deep.json").code, 0);
}

/* With the project's own channels among the choices. */
TESTING_CASE(strokes_are_searched)
{
    assert_success(run_blind("shadewood tune -q meadow.json --space depth=2:5 --space candidates=5:20 --trees 1 -t cpu "
                             "--trials 4 -o strokes.json"));
    assert_success(run_blind("shadewood train -q meadow.json --preset strokes.json -t cpu -o strokes.ktx2"));
    assert_success(run_blind("shadewood inspect --json strokes.ktx2 | grep -q '\"preset\": \"strokes\"'"));
    assert_one_line(run_blind("shadewood tune meadow.json --folds 3 -o x.json"), 2, "defines the folds", NULL);
    assert_one_line(run_blind("shadewood tune meadow.json -d pairs -o x.json"), 2, "images and labels", NULL);
    assert_one_line(run_blind("shadewood tune meadow.json --smooth 3 -o x.json"), 2, "--smooth", NULL);
}

TESTING_CASE(what_is_wrong_is_told)
{
    assert_one_line(run_blind("shadewood tune -d pairs"), 2, "--output FILE", NULL);
    assert_one_line(run_blind("shadewood tune -o x.json"), 2, "--data DIR", NULL);
    assert_one_line(run_blind("shadewood tune -o x.json -d scenes --budget soon"), 2, "90s, 10m or 2h", NULL);
    assert_one_line(run_blind(TUNE "-o x.json --space trees=4"), 2, "none of the settings", "depth", NULL);
    assert_one_line(run_blind(TUNE "-o x.json --folds 9"), 1, "9 folds need at least as many images; there are 8",
                    NULL);
    assert_one_line(run_blind(TUNE "-o best.json --journal best.json.journal --trials 1 --folds 4"), 1,
                    "another search", "'folds'", NULL);
    assert_one_line(run_blind(TUNE "-o x.json --input 'depth={}.png'"), 1, "the input depth is not read", NULL);
}

/* Nothing of the user's is replaced, and what the journal cannot hold is told. */
/* There must be strokes to measure on. */
TESTING_CASE(one_stroke_of_a_class_is_too_little)
{
    static const char single[] =
        "{\"format\": \"shadewood-project\", \"version\": 1, \"classes\": [{\"name\": \"a\", \"colour\": [1, 2, 3]}, "
        "{\"name\": \"b\", \"colour\": [4, 5, 6]}], \"pictures\": [{\"name\": \"pairs/00.png\", \"width\": 48, "
        "\"height\": 40, \"strokes\": [{\"class\": 0, \"radius\": 2, \"points\": [5, 5, 40, 5]}, {\"class\": 1, "
        "\"radius\": 2, \"points\": [5, 30, 40, 30]}]}]}";

    make_file("single.json", single, sizeof single - 1);
    assert_one_line(run_blind("shadewood tune single.json --trials 2 -o never.json"), 1, "one stroke of each class",
                    "second stroke", NULL);
    assert_false(exists("never.json"));
    assert_false(exists("never.json.journal"));
}

TESTING_CASE(files_of_others_stay)
{
    assert_success(run("echo mine >mine.json && cp mine.json mine.jsonl && cp mine.json mine.html"));
    assert_one_line(run_blind(TUNE "--trials 2 -o mine.json"), 1, "mine.json", "--overwrite", NULL);
    assert_one_line(run_blind(TUNE "--trials 2 -o x.json --report mine.html"), 1, "mine.html", NULL);
    assert_one_line(run_blind(TUNE "--trials 2 -o x.json --journal mine.jsonl --overwrite"), 1, "mine.jsonl", NULL);
    assert_one_line(run_blind(TUNE "--trials 2 -o same.json --journal same.json"), 2, "same.json", NULL);
    assert_int_equal(run("cmp mine.json mine.jsonl && cmp mine.json mine.html && ! test -e x.json").code, 0);
    assert_success(run_blind(TUNE "--trials 2 -o mine.json --overwrite"));
}

TESTING_CASE(a_full_disk_ends_the_journal_at_a_whole_line)
{
    skip_on_windows("limits of file sizes are not for what Wine runs");
    assert_one_line(run_blind("(ulimit -f 4; " TUNE "--trials 30 -o full.json)"), 1, "full.json.journal", NULL);
    assert_int_equal(run("tail -c 1 full.json.journal | od -c | grep -q n").code, 0);
    assert_success(run_blind(TUNE "--trials 3 -o full.json"));
}

/* The preset for the data is named, and explicit options go before it. */
TESTING_CASE(presets_are_taken)
{
    static const char train[] = "shadewood train --data pairs --images '{}.png' --labels '{}_L.png' --trees 1 --depth "
                                "3 --candidates 4 --pixels 50 -t cpu -o preset.ktx2 ";
    struct run result = run_blind("shadewood train --data scenes --trees 1 --depth 3 --candidates 4 --pixels 50 -t cpu "
                                  "-o preset.ktx2 --preset auto");

    assert_success(result);
    assert_non_null(strstr(result.err, "preset rgbd-rooms: the images have depth"));
    result = run_blind("shadewood train --trees 1 meadow.json --preset auto -o preset.ktx2");
    assert_int_equal(result.code, 2); /* the project defines the trees */
    for (unsigned i = 0; i < 5; i++) {
        static const char *const names[] = {"photographs", "street-scenes", "microscopy", "strokes", "auto"};
        assert_success(run_blind("%s --preset %s", train, names[i]));
    }
    assert_success(run_blind("%s -q --preset photographs --pixels all --extremely-random --mirror --offset 4", train));
    assert_success(run_blind("%s -q --preset rgbd-rooms --feature pixel-difference", train));
    assert_success(run_blind("shadewood inspect --json preset.ktx2 | grep -q '\"feature\": \"pixel-difference\"'"));
    assert_success(run_blind("echo '{\"preset\": \"two\", \"setting\": {\"levels\": 2, \"folds\": 2, \"trees\": 4, "
                             "\"offset\": 9, \"offset-min\": 1}}' >two.json"));
    assert_success(
        run_blind("shadewood train -q -d scenes --preset two.json --depth 3 --candidates 4 --pixels 50 -t cpu "
                  "-o two.ktx2 && shadewood inspect --json two.ktx2 >inspected"));
    assert_int_equal(run("grep -q '\"levels\": 2' inspected && grep -q '\"offset_min\": 1' inspected").code, 0);
    assert_success(
        run_blind("shadewood train -q -d scenes --preset two.json --folds 3 --depth 3 --candidates 4 --pixels "
                  "50 -t cpu -o below.ktx2 --levels 1 && shadewood train -q -d scenes --preset two.json "
                  "--below below.ktx2 --depth 3 --candidates 4 --pixels 50 -t cpu -o above.ktx2"));
    assert_success(run_blind("shadewood train -q meadow.json --preset two.json -t cpu -o strokes.ktx2 --overwrite"));
    assert_success(run_blind("echo '{\"preset\": \"p\", \"setting\": {\"depth\": 0}}' >bad.json"));
    assert_one_line(run_blind("%s --preset bad.json", train), 1, "bad.json", "'depth' is a number", NULL);
    assert_one_line(run_blind("%s --preset photos", train), 2, "photographs, street-scenes", NULL);
    assert_one_line(run_blind("%s --preset pairs/00.png", train), 1, "not a preset", NULL);
}

TESTING_FIXTURE(prepare, NULL)
