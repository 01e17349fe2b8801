/* Exports in the background. */
#include "teaching.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "testing/random_forest.h"

/* Runs a command of the shell, which must succeed. */
static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void shell(const char *format, ...)
{
    char command[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    if (system(command) != 0)
        fail_msg("%s", command);
}

/* A random forest and folders a and b, which have pictures of the same names. */
static char forest[FILE_PATH], folders[FILE_PATH];

static int make_files(void **state)
{
    char picture[FILE_PATH];

    (void)state;
    write_forest_and_picture(24, 16, forest, picture);
    snprintf(folders, sizeof folders, "%s", testing_path("folders"));
    shell("mkdir -p '%s/a' '%s/b' && for n in 1 2 3; do cp '%s' '%s/a/p'$n.png && cp '%s' '%s/b/p'$n.png; done",
          folders, folders, picture, folders, picture, folders);
    return open_taught(state);
}

static uint64_t contents(const char *path)
{
    static uint8_t bytes[1 << 16];
    FILE *stream = fopen(path, "rb");
    size_t size;

    assert_non_null(stream);
    size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    return testing_hash(bytes, size);
}

static void assert_said(const char *text)
{
    if (strstr(script_output(), text) == NULL)
        fail_msg("'%s' is not in: %s", text, script_output());
}

/* Several folders become several folders, with the files that `shadewood label` writes for each. */
TESTING_CASE(folders_stay_apart)
{
    char out[FILE_PATH], other[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("apart"));
    snprintf(other, sizeof other, "%s", testing_path("labelled"));
    script("forest %s\nexport-add %s/a\nexport-add %s/b\nexport-count labels,masks,overlays %s", forest, folders,
           folders, out);
    script("export labels,masks,overlays %s", out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("43 files would be written, of which 0 exist");
    assert_said("exported 6 of 6 pictures to");
    for (int f = 'a'; f <= 'b'; f++)
        shell(
            "'%s' label -q '%s' '%s/%c' -o '%s/%c' --masks --technique cpu >/dev/null && mv '%s/%c/classes.json' '%s'",
            getenv("SHADEWOOD_PROGRAM"), forest, folders, f, other, f, other, f, other);
    shell("diff -r -x .shadewood-export.jsonl '%s' '%s'", out, other);
}

/* Masks are called by pictures and classes, and no two are the same file. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, masks_stay_apart)
{
    char out[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("masks"));
    shell("mkdir '%s/named' && cp '%s/a/p1.png' '%s/named/a.png' && cp '%s/a/p1.png' '%s/named/a_b.png'", folders,
          folders, folders, folders, folders);
    script("project new\nopen %s/named\nadd-class b_c\nadd-class c\nadd-class instances\nstroke b_c 1 2 2\nstroke c 1 "
           "9 9\n"
           "stroke instances 1 15 3\nwait trained\nexport masks,objects %s",
           folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("test \"$(cd '%s' && ls *_c*.png *inst*.png | tr '\\n' ' ')\" = 'a_b-2_b_c.png a_b-2_c.png "
          "a_b-2_instances-2.png "
          "a_b-2_instances.png a_b_c.png a_c.png a_instances-2.png a_instances.png '",
          out);
}

/* A list can be shortened. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, the_list_is_edited)
{
    char out[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("listed"));
    script("forest %s\nexport-add %s/a\nexport-add %s/b/p2.png\nexport-add %s/b\nexport-drop %s/a\nexport labels %s",
           forest, folders, folders, folders, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("test \"$(ls '%s' | tr '\\n' ' ')\" = 'classes.json p1_labels.png p2_labels.png p3_labels.png '", out);
}

/* Files that are there are kept, replaced or in the way. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, existing_files_are_as_chosen)
{
    char out[FILE_PATH], mine[2 * FILE_PATH], first[2 * FILE_PATH], missing[2 * FILE_PATH];
    uint64_t labels;

    snprintf(out, sizeof out, "%s", testing_path("existing"));
    snprintf(first, sizeof first, "%s/p1_labels.png", out);
    snprintf(mine, sizeof mine, "%s/p2_labels.png", out);
    snprintf(missing, sizeof missing, "%s/p3_labels.png", out);
    script("forest %s\nopen %s/a\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    labels = contents(first);
    shell("echo mine >'%s' && rm '%s'", mine, missing);

    script("forest %s\nopen %s/a\nexport-count labels %s\nexport-existing missing\nexport labels %s", forest, folders,
           out, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("4 files would be written, of which 3 exist");
    assert_said("exported 1 of 3 pictures");
    assert_said("2 were there already");
    assert_true(contents(missing) == labels);
    shell("test \"$(cat '%s')\" = mine && rm '%s'", mine, missing);

    script("forest %s\nopen %s/a\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 1);
    assert_int_equal(access(missing, F_OK), -1);
    script("forest %s\nopen %s/a\nexport-existing replace\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_true(contents(mine) == labels && contents(missing) == labels);
}

/* The sum has room for what it says after the folder's name, which is shortened. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, long_folders_are_shortened)
{
    const size_t lengths[] = {600, 1010};

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        char out[1100];
        size_t length = (size_t)snprintf(out, sizeof out, "%s", testing_path("long"));
        for (; length < lengths[i]; length++)
            out[length] = length % 100 == 0 ? '/' : 'x';
        out[length] = '\0';
        script("forest %s\nopen %s/a\nexport labels %s\nexport-existing missing\nexport labels %s", forest, folders,
               out, out);
        assert_int_equal(run_script(32, 32, NULL), 0);
        assert_said("exported 3 of 3 pictures to ");
        assert_said("xx; 3 were there already");
    }
}

/* Probabilities are those of `shadewood label --calibrated`. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, calibration_is_applied)
{
    const char *program = getenv("SHADEWOOD_PROGRAM"), *said;

    shell("cd '%s' && mkdir -p cal/images && cp a/p1.png cal/images && '%s' label -q '%s' cal/images -o cal/labels "
          "--no-overlay --technique cpu && '%s' calibrate -q '%s' --data cal --images 'images/{}.png' --labels "
          "'labels/{}_labels.png' --palette '%s' -o calibrated.ktx2 >/dev/null",
          folders, program, forest, program, forest, forest);
    script(
        "forest %s/calibrated.ktx2\nexport-add %s/a\nexport probabilities,objects %s/raw\nexport-calibrated on\nexport "
        "probabilities,objects %s/sure",
        folders, folders, folders, folders);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("cd '%s' && '%s' label -q calibrated.ktx2 a -o labelled-sure --calibrated --probabilities tiff --objects "
          "--technique cpu >/dev/null && for d in sure labelled-sure raw; do cut -d, -f2- $d/objects.csv >$d.csv; done "
          "&& cmp "
          "sure.csv labelled-sure.csv && ! cmp -s sure.csv raw.csv && for n in 1 2 3; do cmp "
          "sure/p${n}_probabilities.tif labelled-sure/p${n}_probabilities.tif || exit 1; ! cmp -s "
          "sure/p${n}_probabilities.tif raw/p${n}_probabilities.tif || exit 1; done",
          folders, program);
    script("forest %s\nexport-add %s/a\nexport-calibrated on\nexport labels %s/as-ever\nexport probabilities %s/never",
           forest, folders, folders, folders);
    assert_int_equal(run_script(32, 32, &said), 1);
    if (strstr(said, "calibrat") == NULL || strstr(said, "the script ends here: export probabilities") == NULL)
        fail_msg("%s", said);
}

/* What was exported into the folder of the pictures is no picture, and a pipe is not waited for. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, results_are_no_pictures)
{
    char pictures[FILE_PATH];

    snprintf(pictures, sizeof pictures, "%s", testing_path("results"));
    shell("mkdir '%s' && cp '%s/a/'*.png '%s'", pictures, folders, pictures);
    script("forest %s\nexport-add %s\nexport labels,masks,probabilities,overlays,objects %s\nexport-probabilities "
           "png\nexport probabilities %s",
           forest, pictures, pictures, pictures);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("test -f '%s/p1_instances.png' && mkfifo '%s/pipe.png'", pictures, pictures);
    script("forest %s\nexport-add %s\nexport-count labels %s", forest, pictures, testing_path("results-of-these"));
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_int_equal(strncmp(script_output(), "5 files would be written, of which 0 exist", 42), 0);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned count = 0;

    while ((text = strstr(text, part)) != NULL) {
        text += strlen(part);
        count++;
    }
    return count;
}

/* Pictures that cannot be read do not stop the others, and are reported once. */
TESTING_CASE(failures_are_summed_up)
{
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("failed"));
    shell("mkdir -p '%s/c' && cp '%s/a/'*.png '%s/c' && cd '%s/c' && head -c 60 '%s/a/p1.png' >p2.png && cp p2.png "
          "p4.png && cp p2.png p5.png",
          folders, folders, folders, folders, folders);
    script("forest %s\nexport-add %s/c\nexport labels %s\nscreenshot %s", forest, folders, out,
           testing_path("never.png"));
    assert_int_equal(run_script(32, 32, &said), 1);
    if (strstr(said, "exported 2 of 5 pictures") == NULL || strstr(said, "3 failed: p2.png, p4.png, p5.png") == NULL ||
        count_of(said, "cannot read") != 3 || strstr(said, "the script ends here: export labels") == NULL)
        fail_msg("%s", said);
    assert_int_equal(access(testing_path("never.png"), F_OK), -1);
    shell("test \"$(ls '%s' | tr '\\n' ' ')\" = 'classes.json p1_labels.png p3_labels.png '", out);
}

/* What another forest wrote is no longer up to date; what somebody has changed since stays. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, missing_files_are_not_mixed_with_those_of_another_forest)
{
    struct random_forest_params params = {.seed = 77, .classes = 5, .trees = 2, .depth = 5, .split_percent = 95};
    struct shw_forest *made = random_forest(&params);
    char out[FILE_PATH], clean[FILE_PATH], other[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("mixed"));
    snprintf(clean, sizeof clean, "%s", testing_path("unmixed"));
    snprintf(other, sizeof other, "%s", testing_path("other.ktx2"));
    assert_int_equal(shw_forest_save(made, other, NULL), SHW_OK);
    shw_forest_destroy(&made);
    script("forest %s\nopen %s/a\nexport labels,objects %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("rm '%s/p3_labels.png'", out);
    script("forest %s\nopen %s/a\nexport-existing missing\nexport-count labels,objects %s\nexport labels,objects "
           "%s\nexport "
           "labels,objects %s",
           other, folders, out, out, clean);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("11 files would be written, of which 10 exist, 10 of them of another forest");
    assert_said("exported 3 of 3 pictures");
    shell("diff -r -x .shadewood-export.jsonl '%s' '%s' && rm '%s/.shadewood-export.jsonl'", out, clean, out);

    /* without a journal nothing is known */
    script("forest %s\nopen %s/a\nexport-existing missing\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("3 were there already, of which 3 may be of another forest");
}

/* The table of objects has all pictures in the end, though one failed at first, or was written again. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, a_table_that_lacks_pictures_is_made_anew)
{
    char out[FILE_PATH], clean[FILE_PATH], input[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("parts"));
    snprintf(clean, sizeof clean, "%s", testing_path("parts-clean"));
    snprintf(input, sizeof input, "%s", testing_path("parts-input"));
    shell("cp -r '%s/a' '%s' && head -c 60 '%s/a/p2.png' >'%s/p2.png'", folders, input, folders, input);
    script("forest %s\nopen %s\nexport labels,objects %s", forest, input, out);
    assert_int_equal(run_script(32, 32, NULL), 1);
    shell("grep -q p3 '%s/objects.csv' && ! grep -q p2 '%s/objects.csv'", out, out);
    shell("cp '%s/a/p2.png' '%s/p2.png'", folders, input);
    script("forest %s\nopen %s\nexport-existing missing\nexport-count labels,objects %s\nexport labels,objects %s\n"
           "export labels,objects %s\nexport labels,objects %s",
           forest, input, out, out, clean, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("11 files would be written, of which 8 exist\n"); /* and none of them of another forest */
    assert_said("exported 0 of 3 pictures");
    shell("diff -r -x .shadewood-export.jsonl '%s' '%s' && grep -q p2 '%s/objects.csv'", out, clean, out);

    /* a picture that has changed, whose files were removed */
    shell("'%s' synth -q -o '%s-other' -n 1 --size 24x16 >/dev/null && cp '%s-other/00000_colors.png' '%s/p2.png' && "
          "rm '%s'/p2_* && rm -r '%s'",
          getenv("SHADEWOOD_PROGRAM"), input, input, input, out, clean);
    script("forest %s\nopen %s\nexport-existing missing\nexport labels,objects %s\nexport labels,objects %s", forest,
           input, out, clean);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("diff -r -x .shadewood-export.jsonl '%s' '%s'", out, clean);
}

/* The record of exports is spoken of as what it is. */
TESTING_CASE(a_damaged_record_is_told)
{
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("record"));
    script("forest %s\nopen %s/a\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    shell("sed -i '1s/shadewood/nothing/' '%s/.shadewood-export.jsonl'", out);
    script("forest %s\nopen %s/a\nexport-existing missing\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script(32, 32, &said), 1);
    if (strstr(said, "is not the record of exports") == NULL || strstr(said, "with `overwrite on`") == NULL ||
        strstr(said, "record of label") != NULL)
        fail_msg("%s", said);
}

/* A script goes on during an export that it has started, and only one is in progress. */
TESTING_CASE(work_goes_on_during_an_export)
{
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("goes-on"));
    begin(taught.folder);
    paint_areas(0, 30);
    script("wait trained\nexport-start labels %s\nproject new\nopen %s/a\nadd-class other\nwait export", out, folders);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_said("exported 2 of 2 pictures");
    shell("test \"$(ls '%s' | tr '\\n' ' ')\" = 'a_labels.png b_labels.png classes.json ' && grep -q left "
          "'%s/classes.json'",
          out, out);
    end();

    script("forest %s\nopen %s/a\nexport-start labels %s\nexport-start labels %s", forest, folders, out, out);
    if (run_script(32, 32, &said) == 0 && strstr(script_output(), "exported") == NULL)
        fail_msg("%s", said);
}

/* While a forest is trained, an export waits for the whole one. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, labels_are_those_of_the_whole_forest)
{
    char early[FILE_PATH], late[FILE_PATH], stopped[FILE_PATH];
    const char *said;

    snprintf(early, sizeof early, "%s", testing_path("early"));
    snprintf(late, sizeof late, "%s", testing_path("late"));
    snprintf(stopped, sizeof stopped, "%s", testing_path("given-up"));
    begin(taught.folder);
    paint_areas(0, 30);
    script(
        "export labels %s/first\ntraining trees 9\nwait small\nexport labels %s/then\nwait trained\nexport labels %s",
        early, early, late);
    script("training trees 400\nexport-start labels %s\nstatus\nexport-stop\nexport-start labels %s\nproject new\nwait "
           "export",
           stopped, stopped);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 130);
    shell("diff -r '%s/then' '%s' && ! diff -q '%s/first' '%s' >/dev/null && test ! -e '%s'", early, late, early, late,
          stopped);
    assert_said("status: export waits: forest ");
    assert_true(count_of(said, "nothing was exported to") == 2 && count_of(said, "was closed") == 1);
    end();

    begin(taught.folder);
    paint_areas(0, 30);
    script("training trees 400\nwait small\nteach off\nexport labels %s/paused", early);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 0);
    assert_non_null(strstr(said, "labelled by the first, small forest"));
    end();
}

/* What was waited for may be taken away. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, a_forest_that_does_not_come_is_told)
{
    static const char *const lines[][2] = {{"delete-class two", "no strokes of two classes"},
                                           {"teach off", "training was paused"}};
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("never"));
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        script("project new\nopen %s\nadd-class one\nadd-class two\nstroke one 0 2 3\nstroke two 0 9 9\n"
               "export-start labels %s\n%s\nwait export",
               taught.paths[0], out, lines[i][0]);
        assert_int_not_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 0);
        assert_non_null(strstr(said, lines[i][1]));
        assert_null(strstr(said, "there is no forest"));
    }
}

/* A forest that was restored is the one that is exported, whether or not a frame has shown it. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, a_restored_forest_is_exported)
{
    char out[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("restored"));
    begin(taught.folder);
    paint_areas(0, 30);
    script("wait trained\nexport labels %s/before\ntraining trees 3\nwait trained\nrestore\nexport labels %s/after",
           out, out);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    shell("cmp '%s/before/classes.json' '%s/after/classes.json'", out, out);
    end();
}

/* The list of classes beside labels and strokes is true of both, or they do not come together. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, one_list_says_what_numbers_mean)
{
    char out[FILE_PATH], own[FILE_PATH], expected[FILE_PATH + 64];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("meaning"));
    snprintf(own, sizeof own, "%s", testing_path("own.ktx2"));
    begin(taught.folder);
    paint_areas(0, 30);
    script("wait trained\nexport forest %s\nteach off\nadd-class other\nforest %s\nexport-count labels,strokes "
           "%s/own\nexport labels,strokes %s/own\nexport strokes,forest %s/both",
           own, own, out, out, out);
    script("forest %s\nexport labels %s/labels\nexport strokes %s/strokes\nexport labels,strokes %s/not", forest, out,
           out, out);
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &said), 1);
    if (strstr(said, "forest.ktx2 has other classes than the project: its labels are shown") == NULL ||
        strstr(said, "own.ktx2 has other classes") != NULL || strstr(said, "export strokes alone") == NULL)
        fail_msg("%s", said);
    snprintf(expected, sizeof expected, "exported 1 of 1 picture to %s/both", out); /* the other one has no strokes */
    assert_said(expected);
    assert_said("4 files would be written, of which 0 exist"); /* one with strokes */
    shell("cd '%s' && test \"$(ls | tr '\\n' ' ')\" = 'both labels own strokes ' && grep -q left own/classes.json && "
          "grep -q other own/classes.json && grep -q other strokes/classes.json && ! grep -q left labels/classes.json",
          out);
    end();

    script("forest %s\nopen %s/a\nexport-existing missing\nexport labels %s/labels\nexport labels %s/own", forest,
           folders, out, out);
    assert_int_equal(run_script(32, 32, &said), 1);
    if (strstr(said, "own/classes.json have other classes") == NULL)
        fail_msg("%s", said);
    assert_said("exported 3 of 3 pictures to");
    shell("test ! -e '%s/own/p1_labels.png'", out);
}

/* What is written when an export is stopped, is complete. */
TESTING_CASE(a_stopped_export_leaves_complete_files)
{
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("stopped"));
    shell("mkdir -p '%s/many' && for n in $(seq 150); do ln '%s/a/p1.png' '%s/many/'$n.png; done", folders, folders,
          folders);
    script("forest %s\nopen %s/many\nexport-start labels %s\nexport-stop\nwait export", forest, folders, out);
    assert_int_equal(run_script(32, 32, &said), 130); /* as after Ctrl+C */
    if (strstr(said, "stopped: exported") == NULL && strstr(said, "nothing was exported") == NULL)
        fail_msg("%s", said);
    shell("test ! -e '%s' || for f in \"$(ls -A '%s')\"; do case \"$f\" in .shadewood-export.jsonl);; .*) exit 1;; "
          "esac; done",
          out, out);
    script("forest %s\nopen %s/many\nexport-start labels %s\nquit", forest, folders, out);
    assert_int_equal(run_script(32, 32, &said), 0);
    if (strstr(said, "stopped: exported") == NULL && strstr(said, "nothing was exported") == NULL &&
        strstr(script_output(), "exported 150") == NULL)
        fail_msg("%s", said);
}

/* Leaving during an export asks, and may wait for it. */
TESTING_CASE(leaving_waits_for_an_export)
{
    char out[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("leaving"));
    script("forest %s\nopen %s/many\nexport-start labels,masks %s\nleave\nexport-answer no\nleave\nexport-answer "
           "later\nwait export\nwait 2\nscreenshot %s",
           forest, folders, out, testing_path("never.png"));
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("exported 150 of 150 pictures");
    assert_int_equal(access(testing_path("never.png"), F_OK), -1);
}

/* And what is painted until it has ended, is not lost. */
TESTING_CASE(what_is_painted_before_leaving_is_asked_about)
{
    char out[FILE_PATH], project[FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("painted"));
    snprintf(project, sizeof project, "%s", testing_path("painted.json"));
    script("panels on\nopen %s/many\nproject new\nadd-class one\nteach off\nsave %s\nforest %s\nexport-start labels "
           "%s\nleave\nkey Ctrl+N\nexport-answer later\nstroke one 0 2 3\nwait export\nwait 3\nlabels\nanswer "
           "cancel\nwait 3\nlabels\nleave\nanswer save\nlabels",
           folders, project, forest, out);
    assert_int_equal(run_script(32, 32, NULL), 0);
    assert_said("one: 1 pixels\none: 1 pixels\n");
    shell("test $(grep -c '\"points\"' '%s') = 1", project);
}

/* Nothing is left of an export that is refused. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, a_refused_export_leaves_no_folder)
{
    char out[FILE_PATH];
    const char *said;

    snprintf(out, sizeof out, "%s", testing_path("refused"));
    shell("mkdir -p '%s/deep' && cp '%s' '%s/deep/x_labels.png' && cp '%s/a/p1.png' '%s/deep/x.png'", out, forest, out,
          folders, out);
    script("forest %s\nexport-add %s/deep/x.png\nexport-add %s/a\nexport labels %s", forest, out, folders, out);
    assert_int_equal(run_script(32, 32, &said), 0);
    script("forest %s\nexport-add %s/deep/x.png\nexport labels %s/deep", forest, out, out);
    assert_int_equal(run_script(32, 32, &said), 1);
    assert_non_null(strstr(said, "is not a label image"));
    shell("test \"$(ls '%s/deep' | tr '\\n' ' ')\" = 'x.png x_labels.png '", out);
    script("forest %s\nexport-add %s/nothing.png\nexport labels %s/new/er", forest, out, out);
    assert_int_equal(run_script(32, 32, &said), 1);
    shell("test ! -e '%s/new'", out);
    script("forest %s\nopen %s/a\nexport labels %s/deep/x.png/below", forest, folders, out);
    assert_int_equal(run_script(32, 32, &said), 1);
    assert_non_null(strstr(said, "cannot make the folder"));
    if (mkdir("/sys/shadewood", 0777) == 0) {
        assert_int_equal(rmdir("/sys/shadewood"), 0);
    } else if (errno != ENOENT && errno != EEXIST) { /* where no folder can be made, it says why */
        const char *reason = strerror(errno);
        script("forest %s\nopen %s/a\nexport labels /sys/shadewood", forest, folders);
        assert_int_equal(run_script(32, 32, &said), 1);
        if (strstr(said, "cannot make the folder /sys/shadewood: ") == NULL || strstr(said, reason) == NULL)
            fail_msg("%s", said);
    }
}

/* What is painted can be imported again, pixel by pixel. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, strokes_come_back)
{
    struct testing_random random = {8};
    char out[FILE_PATH];
    struct view view = picture_view(0);

    snprintf(out, sizeof out, "%s", testing_path("strokes"));
    begin(taught.folder);
    script("teach off\noverlay none");
    for (uint32_t i = 0; i < 6; i++)
        paint(&random, 0);
    script("export strokes %s\nproject new", out);
    for (uint32_t c = 0; c < CLASSES; c++) {
        const uint8_t *colour = shw_project_get_class(taught.project, c)->colour;
        script("add-class %s #%02x%02x%02x", names[c], colour[0], colour[1], colour[2]);
    }
    script("teach off\nimport %s/a_strokes.png", out);
    shoot(&view, 0, true);
    run_and_compare();
    shell("test \"$(ls '%s' | tr '\\n' ' ')\" = 'a_strokes.png classes.json '", out);
    end();
}

/* The sheet: its folder is the last one, and its buttons start an export. */
TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, the_sheet_exports)
{
    char out[FILE_PATH], options[2 * FILE_PATH];

    snprintf(out, sizeof out, "%s", testing_path("sheet"));
    snprintf(options, sizeof options, "--settings '%s'", testing_path("sheet.json"));
    script("forest %s\nopen %s/a\nexport labels %s", forest, folders, out);
    assert_int_equal(run_script_with(options, 800, 600, NULL), 0);
    shell("rm '%s/p2_labels.png'", out);
    script("forest %s\nopen %s/a\npanels on\nexport-sheet on\nexport-of source\nwait 3\nwait export\nexport-what "
           "labels\nclick Overlays\nwait 3\nwait export\nwait 3\nclick Only missing ones\nwait 3\nwait export",
           forest, folders);
    assert_int_equal(run_script_with(options, 800, 600, NULL), 0);
    assert_said("exported 3 of 3 pictures");
    shell("test -f '%s/p2_labels.png' && test -f '%s/p3_overlay.png'", out, out);
}

TESTING_CASE_UNLESS(TESTING_THREAD_SANITIZED, what_cannot_be_exported_is_told)
{
    const struct {
        const char *before, *line, *message;
    } cases[] = {{"", "export labels x", "there is no forest"},
                 {"", "export strokes x", "no project is open"},
                 {"", "export labels,,masks x", "is not labels, masks"},
                 {"", "export-of some", "is not all, shown"},
                 {"", "export-drop nothing", "is not in the list"},
                 {"forest", "export-of shown\nexport labels x", "no picture is shown"},
                 {"forest", "export-add /nowhere\nexport labels x", "cannot open /nowhere"},
                 {"forest", "export labels x", "there is nothing to export"}};
    const char *said;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].before[0] != '\0')
            script("forest %s", forest);
        script("%s", cases[i].line);
        if (run_script(32, 32, &said) != 1 || strstr(said, cases[i].message) == NULL)
            fail_msg("%s: %s", cases[i].line, said);
    }
}

TESTING_FIXTURE(make_files, close_taught)
