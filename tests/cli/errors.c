/* What can go wrong: one line that names the thing, the documented exit code, and nothing half-written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/image/image_write.h"
#include "program.h"

#define PATTERNS "--images '{}.png' --labels '{}_L.png'"
#define QUICK    "--trees 1 --depth 3 --candidates 10 --pixels 100 --offset 10 --size 9"

enum { FAILURE = 1, USAGE = 2, NO_DEVICE = 3, INTERRUPTED = 130 };

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    assert_success(run("shadewood train -d data " PATTERNS " " QUICK " -o forest.ktx2 -q"));
    return 0;
}

TESTING_CASE(test_usage)
{
    static const struct {
        const char *line, *named, *remedy;
    } cases[] = {
        {"trian", "'trian'", "'train'"},
        {"frobnicate", "'frobnicate'", "--help"},
        {"train --outptu x", "'--outptu'", "'--output'"},
        {"train --image=x", "'--image'", "'--image-channels'"},
        {"train -z", "'-z'", "--help"},
        {"train --quiet=1", "'--quiet'", "no value"},
        {"train --trees", "'--trees'", "--trees N"},
        {"train --trees 0", "--trees", "from 1 to"},
        {"train --trees eight", "'eight'", "from 1 to"},
        {"train --trees -3", "'-3'", "from 1 to"},
        {"train --depth 65", "--depth", "to 64"},
        {"train --bins 1", "--bins", "from 2 to 256"},
        {"train --seed 99999999999999999999", "--seed", "whole number"},
        {"import a b -o y", "--from FORMAT", "--help"},
        {"bench boosting --records 5", "--records is for the suite records", "--help"},
        {"bench records --image a.png", "--image is for the suite detect", "--help"},
        {"import x", "--output FILE", "--help"},
        {"import --from xgboost a b -o y", "one model", "--help"},
        {"import --name face x -o y", "--name", "cascades"},
        {"import --from kinect x", "--output FILE", "--help"},
        {"import --from kinect -o y", "at least one tree", "--help"},
        {"import --from pico a b -o y", "one cascade", "--help"},
        {"import --from csv -o y", "one cascade", "--help"},
        {"import --from kinect --name face x -o y", "--name", "cascades"},
        {"import --from pico --bias 5 x -o y", "--bias", "curfil"},
        {"export --to csv --combine mean x -o y", "--combine", "forests"},
        {"import --from curfil --depth 3 x -o y", "--depth", "kinect"},
        {"import --from kinect --prediction cpu x -o y", "--prediction", "curfil"},
        {"import --from kinect --bias 5 x -o y", "--bias", "curfil"},
        {"import --from curfil --whole x -o y", "--whole", "kinect"},
        {"import --from curfil --focal 300 x -o y", "--focal", "kinect"},
        {"import --from kinect --focal 0 x -o y", "--focal", "65535"},
        {"label --focal 300 p.json data/00.png", "--focal", "projects"},
        {"export x -o y", "--to FORMAT", "--help"},
        {"train --channels colour", "'colour'", "gauss, log, dx, dy"},
        {"train --range 5", "--range", "LOW:HIGH"},
        {"label --range 9:5 forest.ktx2 data/00.png", "'9:5'", "LOW below HIGH"},
        {"train -d data", "--output", "--help"},
        {"train -o x.ktx2", "--data DIR", "--help"},
        {"train -d data -o x.ktx2 --layout pairs", "images", "--images '"},
        {"train -d data -o x.ktx2 --images '{}.png'", "labels", "--labels '"},
        {"train -d data -o x.ktx2 --labels '{}.png'", "images", "--images '"},
        {"train -d data -o x.ktx2 --layout curfil " PATTERNS, "curfil", "omit"},
        {"train -d data -o x.ktx2 surplus", "'surplus'", "--help"},
        {"evaluate -d data", "forest", "--help"},
        {"evaluate forest.ktx2", "--data DIR", "--help"},
        {"evaluate -d data forest.ktx2 -t gpu", "'gpu'", "auto, cpu, fragment, compute"},
        {"train -d data -o x.ktx2 --offset 10 --size 31", "--size 31", "21 or less"},
        {"train -d data -o x.ktx2 --offset 10 --offset-min 11", "--offset-min 11", "more than --offset 10"},
        {"label forest.ktx2", "image", "--help"},
        {"label forest.ktx2 data/00.png more/00.jpg", "more/00.jpg", "two commands with different --output"},
        {"label forest.ktx2 data/00.png --no-labels --no-overlay", "--no-overlay", "--leaves"},
        {"label forest.ktx2 data/00.png --max-tile 0x0", "--max-tile", "from 1 to"},
        {"label forest.ktx2 data/00.png -p bmp", "'bmp'", "npy"},
        {"explain forest.ktx2 data/00.png 3", "row", "--help"},
        {"explain forest.ktx2 data/00.png 3 -1", "'-1'", "--help"},
        {"explain forest.ktx2 data/00.png 3 4x", "'4x'", "--help"},
        {"explain forest.ktx2 data/00.png 3 40", "data/00.png", "0 0 to 47 39"},
        {"inspect", "forest", "--help"},
        {"inspect forest.ktx2 --tree 1", "tree", "0"},
        {"synth -n 3", "--output DIR", "--help"},
        {"synth -o s --size 64", "--size", "WxH"},
        {"synth -o s --background void", "--background", "--scene bodies"},
        {"synth -o s --scene bodies --background none", "--background", "void, class"},
        {"devices all", "'all'", "--help"},
        {"help frob", "'frob'", "--help"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_one_line(run("shadewood %s", cases[i].line), USAGE, cases[i].named, cases[i].remedy, NULL);
    assert_false(exists("x.ktx2"));
    assert_int_equal(run("shadewood").code, USAGE);
}

TESTING_CASE(test_forests_that_are_none)
{
    size_t size;
    char *bytes = file_bytes("forest.ktx2", &size);
    static const struct {
        const char *before, *after;
    } commands[] = {{"inspect", ""}, {"label", "data/00.png -o none"}, {"evaluate", "-d data " PATTERNS}};

    make_file("empty.ktx2", "", 0);
    make_file("half.ktx2", bytes, size / 2);
    make_file("header.ktx2", bytes, 40);
    bytes[size - 100] ^= 1;
    make_file("bad.ktx2", bytes, size);
    free(bytes);
    static const char *const files[] = {"empty.ktx2",   "half.ktx2",   "header.ktx2", "bad.ktx2",
                                        "missing.ktx2", "data/00.png", "data"};
    for (size_t c = 0; c < sizeof commands / sizeof *commands; c++)
        for (size_t f = 0; f < sizeof files / sizeof *files; f++)
            assert_one_line(run("shadewood %s %s %s", commands[c].before, files[f], commands[c].after), FAILURE,
                            files[f], NULL);
    assert_false(exists("none"));
}

TESTING_CASE(test_a_forest_from_a_newer_version)
{
    size_t size;
    char *bytes = file_bytes("forest.ktx2", &size), *version = NULL;

    for (size_t i = 0; i + 12 < size && version == NULL; i++)
        if (memcmp(bytes + i, "\"version\":2", 11) == 0)
            version = bytes + i;
    assert_non_null(version);
    version[10] = '9';
    make_file("newer.ktx2", bytes, size);
    free(bytes);
    assert_one_line(run("shadewood inspect newer.ktx2"), FAILURE, "newer.ktx2", "version", NULL);
}

TESTING_CASE(test_images_that_are_none)
{
    size_t size;
    char *bytes = file_bytes("data/00.png", &size);

    make_file("empty.png", "", 0);
    make_file("half.png", bytes, size / 2);
    make_file("text.png", "this is no picture", 18);
    free(bytes);
    static const char *const files[] = {"empty.png", "half.png", "text.png", "missing.png"};
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        assert_one_line(run("shadewood label -t cpu forest.ktx2 %s -o pictures -q", files[f]), FAILURE, files[f], NULL);
        assert_int_equal(entry_count("pictures"), 0);
    }
}

TESTING_CASE(test_one_bad_image_among_many)
{
    struct run result;

    make_file("broken.png", "\x89PNG\r\n\x1a\n", 8);
    result = run("shadewood label -t cpu forest.ktx2 data/00.png broken.png data/01.png -o many -q --json");
    assert_int_equal(result.code, FAILURE);
    assert_non_null(strstr(result.err, "broken.png"));
    assert_int_equal(entry_count("many"), 5);
    json_t *document = parse_json(result.out);
    assert_int_equal(json_integer_value(json_object_get(document, "failed")), 1);
    assert_int_equal(json_array_size(json_object_get(document, "images")), 2);
    json_decref(document);
}

/* The message names the smallest tile. */
TESTING_CASE(test_tiles_that_are_too_small)
{
    struct run result = run("shadewood label -q -t cpu forest.ktx2 data/00.png -o tiny --max-tile 1x2");
    const char *end = strstr(result.err, "at least ");
    unsigned width, height;

    assert_one_line(result, FAILURE, "tiles of 1 x 2", "48 x 40 pixels need", NULL);
    assert_non_null(end);
    assert_int_equal(sscanf(end, "at least %u x %u", &width, &height), 2);
    assert_one_line(
        run("shadewood label -q -t cpu forest.ktx2 data/00.png -o tiny --max-tile %ux%u", width - 1, height), FAILURE,
        "too small", NULL);
    assert_one_line(
        run("shadewood label -q -t cpu forest.ktx2 data/00.png -o tiny --max-tile %ux%u", width, height - 1), FAILURE,
        "too small", NULL);
    assert_success(run("shadewood label -q -t cpu forest.ktx2 data/00.png -o tiny --max-tile %ux%u", width, height));
}

TESTING_CASE(test_outputs_that_cannot_be_written)
{
    make_file("file", "kept", 4);
    assert_one_line(run("shadewood train -d data " PATTERNS " " QUICK " -o missing/forest.ktx2"), FAILURE,
                    "missing/forest.ktx2", NULL);
    assert_one_line(run("shadewood train -d data " PATTERNS " " QUICK " -o data"), FAILURE, "data", "folder", NULL);
    assert_one_line(run("shadewood train -d data " PATTERNS " " QUICK " -o /proc/forest.ktx2"), FAILURE,
                    "/proc/forest.ktx2", NULL);
    assert_one_line(run("shadewood label -t cpu forest.ktx2 data/00.png -o file"), FAILURE, "file", NULL);
    assert_one_line(run("shadewood label -t cpu forest.ktx2 data/00.png -o file/folder"), FAILURE,
                    "create the folder file:", NULL);
    assert_one_line(run("shadewood label -t cpu forest.ktx2 data/00.png -o /proc/folder/below"), FAILURE,
                    "/proc/folder:", NULL);
    assert_one_line(run("shadewood evaluate -t cpu -d data " PATTERNS " forest.ktx2 --overlays file"), FAILURE, "file",
                    NULL);
    assert_one_line(run("mkdir -p void && shadewood label -t cpu forest.ktx2 void -o void"), FAILURE, "void",
                    "no images", NULL);
    assert_one_line(run("shadewood synth -o file"), FAILURE, "file", NULL);
    assert_one_line(run("mkdir -p taken/00001_depth.png taken/00002_depth.png taken/00003_depth.png && "
                        "shadewood synth -o taken -n 40 --size 8x8 --threads 4 -q"),
                    FAILURE, "_depth.png", NULL);
    assert_one_line(run("shadewood inspect forest.ktx2 --texture missing/t.png"), FAILURE, "missing/t.png", NULL);
    assert_one_line(run("shadewood inspect forest.ktx2 >/dev/full"), FAILURE, "standard output", NULL);
    assert_one_line(run("shadewood devices --help >/dev/full"), FAILURE, "standard output", NULL);
    size_t size;
    char *bytes = file_bytes("file", &size);
    assert_string_equal(bytes, "kept");
    free(bytes);
}

TESTING_CASE(test_data_sets_that_are_wrong)
{
    static const uint8_t colours[3][3] = {{200, 60, 60}, {60, 200, 60}, {60, 60, 200}};
    static const char lacking[] = "{\"classes\": [{\"name\": \"red\", \"colour\": [200, 60, 60]}, "
                                  "{\"name\": \"green\", \"colour\": [60, 200, 60]}]}";
    static const char other[] =
        "{\"classes\": [{\"name\": \"red\", \"colour\": [200, 60, 60]}, {\"name\": \"leaf\", \"colour\": "
        "[60, 200, 60]}, {\"name\": \"blue\", \"colour\": [60, 60, 200]}]}";
    static const char more[] =
        "{\"classes\": [{\"name\": \"red\", \"colour\": [200, 60, 60]}, {\"name\": \"green\", \"colour\": "
        "[60, 200, 60]}, {\"name\": \"blue\", \"colour\": [60, 60, 200]}, {\"name\": \"sky\", \"colour\": [1, 2, 3]}]}";
    uint8_t small[12] = {0};

    make_file("more.json", more, sizeof more - 1);
    make_file("lacking.json", lacking, sizeof lacking - 1);
    make_file("other.json", other, sizeof other - 1);
    make_file("broken.json", "{\"classes\": [", 13);
    make_file("split.txt", "00\nnobody\n", 10);
    make_file("none.txt", "# nothing\n", 10);

    static const struct {
        const char *line, *named, *second;
    } cases[] = {
        {"train -o x.ktx2 -d nowhere " PATTERNS, "nowhere", NULL},
        {"train -o x.ktx2 -d data", "data/{}_colors.png matches no file", "with --images '"},
        {"train -o x.ktx2 -d data --images '{}.jpg' --labels '{}_L.png'", "{}.jpg", NULL},
        {"train -o x.ktx2 -d data --images '{}.png' --labels '{}_GT.png'", "{}", "_GT.png"},
        {"train -o x.ktx2 -d data " PATTERNS " --palette missing.json", "missing.json", NULL},
        {"train -o x.ktx2 -d data " PATTERNS " --palette broken.json", "broken.json", NULL},
        {"train -o x.ktx2 -d data " PATTERNS " --palette lacking.json", "_L.png: the label 2", "palette"},
        {"train -o x.ktx2 -d data " PATTERNS " --palette lacking.json --label-kind colour",
         "_L.png: the colour (60, 60, 200)", "palette"},
        {"train -o x.ktx2 -d data " PATTERNS " --split missing.txt", "missing.txt", NULL},
        {"train -o x.ktx2 -d data " PATTERNS " --split split.txt", "split.txt", "nobody"},
        {"train -o x.ktx2 -d data " PATTERNS " --split none.txt", "none.txt", NULL},
        {"evaluate -t cpu -d data " PATTERNS " --palette lacking.json forest.ktx2",
         "3 classes and the data set 2, and only the forest has 'blue'", "labels must be of the classes"},
        {"evaluate -t cpu -d data " PATTERNS " --palette more.json forest.ktx2",
         "3 classes and the data set 4, and only the data set has 'sky'", "labels must be of the classes"},
        {"evaluate -t cpu -d data " PATTERNS " --palette other.json forest.ktx2", "'leaf'", "'green'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_one_line(run("shadewood %s", cases[i].line), FAILURE, cases[i].named, cases[i].second, NULL);

    make_data("sizes", 2);
    assert_success(run("cp sizes/00_L.png kept.png"));
    assert_int_equal(shw_png_write_indexed(testing_path("work/sizes/00_L.png"), small, 4, 3, colours, 3, NULL), SHW_OK);
    assert_one_line(run("shadewood train -o x.ktx2 -d sizes " PATTERNS), FAILURE, "00_L.png", "4 x 3", "48 x 40", NULL);
    assert_one_line(run("shadewood evaluate -t cpu -q -d sizes " PATTERNS " forest.ktx2"), FAILURE, "00_L.png", "4 x 3",
                    NULL);
    make_file("sizes/00_L.png", "", 0);
    assert_one_line(run("shadewood train -o x.ktx2 -d sizes " PATTERNS), FAILURE, "00_L.png", "empty", NULL);
    assert_success(run("cp kept.png sizes/00_L.png && head -c 60 data/00.png > sizes/00.png"));
    assert_one_line(run("shadewood train -o x.ktx2 -d sizes " PATTERNS), FAILURE, "00.png", NULL);
    assert_false(exists("x.ktx2"));
}

TESTING_CASE(test_no_device)
{
    assert_one_line(run_blind("shadewood devices"), NO_DEVICE, "Vulkan driver", "install", NULL);
    assert_one_line(run_blind("shadewood devices --json"), NO_DEVICE, "install", NULL);
    assert_one_line(run_blind("shadewood label forest.ktx2 data/00.png -t fragment -o device"), NO_DEVICE, "cpu", NULL);
    assert_one_line(run_blind("shadewood evaluate forest.ktx2 -d data " PATTERNS " --evaluate-technique compute"),
                    NO_DEVICE, "cpu", NULL);
    need_device();
    assert_one_line(run("shadewood label forest.ktx2 data/00.png -t compute --device 200 -o device"), NO_DEVICE, "200",
                    NULL);
    assert_false(exists("device"));
}

/* The program must be busy when the signal comes: the forest asked for would take hours. */
static void interrupt(const char *signal)
{
    struct run result = run(
        "mkdir -p place && rm -f begun && touch begun && "
        "\"$SHADEWOOD_PROGRAM\" train -d data " PATTERNS
        " --trees 4000 --depth 20 --min-samples 1 --pixels all --candidates 5000 -o place/forest.ktx2 --log begun & "
        "child=$!; until grep -q start begun || ! kill -0 $child; do sleep 0.05; done; "
        "kill -%s $child; wait $child",
        signal);

    assert_int_equal(result.code, INTERRUPTED);
    assert_int_equal(entry_count("place"), 0);
}

TESTING_CASE(test_terminated_training_leaves_nothing)
{
    skip_on_windows("SIGTERM ends what Wine runs at once");
    interrupt("TERM");
}

TESTING_CASE(test_interrupted_training_leaves_nothing)
{
    /* a shell without job control starts background processes with SIGINT ignored; python gives it back */
    struct run result = run(
        "mkdir -p place && rm -f begun && python3 -c 'import os, signal, subprocess, sys, time\n"
        "p = subprocess.Popen(sys.argv[1:], preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))\n"
        "while p.poll() is None and not (os.path.exists(\"begun\") and os.path.getsize(\"begun\")): time.sleep(0.05)\n"
        "p.send_signal(signal.SIGINT)\nsys.exit(p.wait())' \"$SHADEWOOD_PROGRAM\" train -d "
        "data " PATTERNS
        " --trees 4000 --depth 20 --min-samples 1 --pixels all --candidates 5000 -o place/forest.ktx2 --log begun");
    assert_int_equal(result.code, INTERRUPTED);
    assert_int_equal(entry_count("place"), 0);
}

/* The message names the option and a number for it, which is then enough: by cpu, however it was chosen. */
TESTING_CASE(test_too_little_memory)
{
    static const char *const options[] = {"-t cpu", "-t auto"};

    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const char *line =
            "shadewood train -d data " PATTERNS " " QUICK " -o memory.ktx2 -q --overwrite %s --memory %s";
        struct run result = run_blind(line, options[i], "4M");
        unsigned needed = 0;
        char size[16];
        assert_one_line(result, FAILURE, "training with cpu needs at least --memory ", "allow more", "--pixels", NULL);
        assert_int_equal(sscanf(strstr(result.err, "--memory "), "--memory %uM", &needed), 1);
        assert_in_range(needed, 17, 500);
        assert_false(exists("memory.ktx2"));
        snprintf(size, sizeof size, "%uM", needed * 7 / 8);
        assert_one_line(run_blind(line, options[i], size), FAILURE, "training with cpu needs at least --memory ", NULL);
        snprintf(size, sizeof size, "%uM", needed + 1);
        assert_success(run_blind(line, options[i], size));
        assert_string_equal(run("cmp forest.ktx2 memory.ktx2; rm memory.ktx2").out, "");
    }
}

/* A forest that another program has no features for. */
TESTING_CASE(test_exports_that_are_not_possible)
{
    assert_one_line(run("shadewood export --to curfil forest.ktx2 -o exported"), FAILURE,
                    "forest.ktx2: the feature type is mean-difference", "curfil-difference", NULL);
    assert_false(exists("exported"));
}

TESTING_FIXTURE(prepare, NULL)
