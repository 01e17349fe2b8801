/* The manual and the help: complete, well-formed, and their examples run as they stand there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"
#include "testing/cascades.h"

static const char *const commands[] = {"devices", "synth",         "convert",       "depth",   "train",
                                       "tune",    "train-cascade", "train-records", "label",   "detect",
                                       "records", "evaluate",      "explain",       "inspect", "calibrate",
                                       "merge",   "import",        "export",        "bench"};

#define COMMAND_COUNT (sizeof commands / sizeof *commands)

/* What the examples take for granted. `small` stands for the program, and makes little of what would take long. */
static const char small[] =
    "small() { case $1 in\n"
    "synth) shadewood \"$@\" --size 24x20 --count 3 --frames 2 ;;\n"
    "convert) case $2 in *.mat) ;; *) shadewood \"$@\" ;; esac ;;\n"       /* cli/convert.c has one */
    "detect) case $3 in *.mp4) ;; *) shadewood \"$@\" -t cpu ;; esac ;;\n" /* cli/detect.c has one */
    "label) case $3 in *.mp4) ;; *) shadewood \"$@\" ;; esac ;;\n"         /* cli/label_video.c has one */
    "import) case $2 in *.xml) ;; *) shadewood \"$@\" ;; esac ;;\n"        /* cli/cascade.c has one */
    "bench) shadewood \"$@\" --size 24x20 --runs 3 --technique cpu ;;\n"
    "train-cascade) shadewood \"$@\" --window 8x8 --stages 2 --candidates 9 --copies 2 --background-count 99 --threads "
    "1 "
    "--target-pass 1000000 -t cpu ;;\n"
    "train-records) shadewood \"$@\" --trees 2 --threads 1 -t cpu -q ;;\n"
    "records) shadewood \"$@\" -t cpu ;;\n"
    "train) case $2 in meadow.json) shadewood \"$@\" --threads 1 ;; *) shadewood \"$@\" --trees 1 "
    "--depth 3 --candidates 10 --threads 1 ;; esac ;;\n"
    "tune) case $2 in meadow.json) shadewood \"$@\" --trials 2 --trees 1 ;; *) shadewood \"$@\" --trials 2 --folds 2 "
    "--trees 1 --threads 1 --space candidates=10 --space pixels=50 --space depth=3 ;; esac ;;\n"
    "*) shadewood \"$@\" ;;\n"
    "esac; }\n";

/* A cascade of the kind of pico's. */
static void make_cascade(const char *name)
{
    struct shw_cascade *cascade =
        random_cascade(&(struct random_cascade_params){.seed = 1, .kind = SHW_CASCADE_SCALED, .stages = 20});

    assert_int_equal(shw_cascade_save(cascade, place(name), NULL), SHW_OK);
    shw_cascade_destroy(&cascade);
}

static int prepare(void **state)
{
    (void)state;
    make_data("pairs", 2);
    make_cascade("face.ktx2");
    assert_success(run("mkdir photos && cp pairs/00.png photos/a.png && cp pairs/01.png party.jpg && "
                       "printf 'photos/a.png,3,4,20,20\n' >faces.csv"));
    assert_success(
        run("mkdir without && cp pairs/01.png without && printf 'photos/a.png,1,2,9,9,car\nphotos/a.png,9,8,8,9,car\n"
            "photos/a.png,3,7,9,8,car\n' >cars.csv && printf '\\223NUMPY\\001\\0\\166\\0%%-117s\\n' "
            "\"{'descr': '|u1', 'fortran_order': False, 'shape': (5, 8, 8), }\" >faces.npy && "
            "head -c 320 pairs/00.png >>faces.npy"));
    assert_success(run("mkdir msrc msrc/images msrc/labels && cp pairs/palette.json msrc && for i in 00 01; do "
                       "cp pairs/$i.png msrc/images/; cp pairs/${i}_L.png msrc/labels/$i.png; done; "
                       "printf '00\\n01\\n' >Train.txt; cp pairs/00.png photo.jpg; cp pairs/01.png other.png"));
    make_project("meadow.json", "pairs/00.png");
    assert_success(
        run("printf '{\"format\": \"record-trees\", \"version\": 1, \"task\": \"values\", \"attributes\": 2, "
            "\"outputs\": 1, \"trees\": [{\"children_left\": [-1], \"children_right\": [-1], "
            "\"feature\": [0], \"threshold\": [0], \"value\": [7]}]}' >model.json"));
    assert_success(
        run("for i in 1 2 3; do printf '1\n0 0 9 9 5\n3\n4\n' >tree$i.txt.bz2; done; for i in 0 1 2; do printf '%%s' "
            "'{\"classLabelPriorDistribution\": {\"0\": 1}, \"tree\": {\"histogram\": {\"9,9,9 (0)\": 1}}}' "
            ">tree$i.json.gz; done"));
    assert_success(run(
        "(printf '\\003\\0\\0\\0\\0\\0\\0\\0\\001\\0\\0\\0\\001\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0A'; head -c 8 /dev/zero) "
        ">facefinder && mkdir detector && cd detector && "
        "printf 'window_width,8\\nwindow_height,8\\nshrink,2\\n' >cascade.csv && echo 0,0,1 >stages.csv && "
        "for f in children prob thr y1 x1 y2 x2; do echo -1 >$f.csv; done"));
    assert_success(run("%s small synth -o scenes -q && small train --data scenes -o scenes.ktx2 -q", small));
    assert_success(
        run("mkdir -p desk/rgb desk/depth scene0000_00/color scene0000_00/depth && for d in desk/rgb "
            "scene0000_00/color; do cp scenes/00000_colors.png $d/0.png; done; for d in desk scene0000_00; do "
            "cp scenes/00000_depth.png $d/depth/0.png; done; printf 'FIELDS z\\nSIZE 4\\nTYPE F\\nWIDTH 2\\n"
            "HEIGHT 2\\nDATA ascii\\n1 2 3 4\\n' >cloud.pcd"));
    return 0;
}

/* Tables of records, and forests that are trained on them. */
static int prepare_records(void **state)
{
    (void)state;
    assert_success(
        run("printf 'a,b,class\n1,2,sky\n3,1,sea\n2,2,sky\n4,0,sea\n' >train.csv && cp train.csv test.csv && "
            "npy() { printf '\\223NUMPY\\001\\0\\166\\0%%-117s\\n' \"{'descr': '|u1', 'fortran_order': False, "
            "'shape': ($1), }\"; } && (npy '4, 2'; printf 'abcdefgh') >train.npy && (npy '4,'; printf 'xxyy') "
            ">labels.npy && cp train.npy test.npy && cp train.npy x.npy && cp train.npy x_test.npy && "
            "cp labels.npy y.npy && cp labels.npy y_test.npy && %s small train-records train.csv -o records.ktx2",
            small));
    return 0;
}

static int prepare_all(void **state)
{
    return prepare(state) != 0 ? 1 : prepare_records(state);
}

/* Whether a build for Windows lacks what the line needs when it is tested: a solver, or a device (test
 * windows_device). */
static bool is_beyond_windows(const char *line, size_t length)
{
    static const char *const words[] = {"colorization", "--technique fragment", "--technique compute"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = strstr(line, words[i]);
        if (is_for_windows() && found != NULL && found < line + length)
            return true;
    }
    return false;
}

/* Runs the lines of `text` as one script in which `shadewood` is `small`. */
static void run_examples(const char *name, const char *text)
{
    struct run result;
    FILE *script = fopen(testing_path("work/examples.sh"), "w");

    assert_non_null(script);
    for (const char *line = text; *line != '\0'; line += *line == '\n') {
        size_t indent = strspn(line, " "), length;
        line += indent;
        length = strcspn(line, "\n");
        if (is_beyond_windows(line, length)) {
            fprintf(script, ":\n");
        } else if (strncmp(line, "shadewood ", 10) == 0) {
            fprintf(script, "small%.*s\n", (int)length - 9, line + 9);
        } else {
            fprintf(script, "%.*s\n", (int)length, line);
        }
        line += length;
    }
    fclose(script);
    result = run("%s set -e; . ./examples.sh", small);
    if (result.code != 0)
        fail_msg("the examples of %s end with %d: %s", name, result.code, result.err);
}

TESTING_CASE(test_the_examples_of_the_help_run)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        struct run result = run("shadewood help %s", commands[i]);
        char *examples = strstr(result.out, "\nexamples:\n");
        assert_non_null(examples);
        examples = strdup(examples + strlen("\nexamples:\n"));
        if (strcmp(commands[i], "devices") != 0 || run("shadewood devices").code == 0)
            run_examples(commands[i], examples);
        free(examples);
    }
}

static char *manual(void)
{
    FILE *file = fopen(SHADEWOOD_MANUAL, "rb");
    char *text = calloc(1, 1u << 17);

    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, (1u << 17) - 1, file) > 0);
    fclose(file);
    return text;
}

TESTING_CASE(test_the_examples_of_the_manual_run)
{
    char *text = manual(), *begin = strstr(text, ".Sh EXAMPLES"), *end;
    unsigned blocks = 0;

    assert_non_null(begin);
    while ((begin = strstr(begin, ".Bd -literal -offset indent\n")) != NULL) {
        begin = strchr(begin, '\n') + 1;
        end = strstr(begin, ".Ed");
        assert_non_null(end);
        *end = '\0';
        run_examples("the manual", begin);
        begin = end + 1;
        blocks++;
    }
    assert_true(blocks >= 2);
    free(text);
}

/* Whether an item of a list introduces the option: ".It Fl -size ...", ".It Fl q , -quiet". */
static bool has_item(const char *text, const char *name)
{
    for (const char *item = strstr(text, ".It Fl "); item != NULL; item = strstr(item + 1, ".It Fl ")) {
        const char *option = item + strlen(".It Fl ") + (item[7] != '-' ? 4 : 0);
        size_t length = strlen(name);
        if (option[0] == '-' && strncmp(option + 1, name, length) == 0 && strchr(" \n", option[1 + length]) != NULL)
            return true;
    }
    return false;
}

/* Every option that the help of a command lists must be in the manual. */
TESTING_CASE(test_the_manual_has_every_option)
{
    char *text = manual();

    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        const char *line = run("shadewood help %s", commands[i]).out;
        unsigned options = 0;
        while ((line = strchr(line, '\n')) != NULL) {
            char name[64];
            line++;
            if (sscanf(line, "  -%*c, --%63[a-z-]", name) != 1 && sscanf(line, "      --%63[a-z-]", name) != 1)
                continue;
            if (!has_item(text, name))
                fail_msg("the manual lacks --%s of %s", name, commands[i]);
            options++;
        }
        assert_true(options >= 4);
    }
    free(text);
}

TESTING_CASE(test_the_manual_is_well_formed)
{
    struct run result;

    if (run("command -v mandoc").code != 0)
        testing_skip("mandoc is not installed");
    result = run("mandoc -T lint -W style '%s'", SHADEWOOD_MANUAL);
    if (result.code != 0 || result.out[0] != '\0')
        fail_msg("%s", result.out);
}

TESTING_FIXTURE(prepare_all, NULL)
