/* What the viewer writes: never what it reads, and what is not Shadewood's only if the user says so. */
#include "viewer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[400], forest[FILE_PATH], picture[FILE_PATH];

/* A path in the folder, valid until the fourth next call. */
static const char *file(const char *name)
{
    static char paths[4][FILE_PATH];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, FILE_PATH, "%s/%s", folder, name);
    return path;
}

static void make(const char *path, const char *text)
{
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    fputs(text, stream);
    assert_int_equal(fclose(stream), 0);
}

static uint64_t hash_of(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *stream = fopen(path, "rb");
    size_t size;

    assert_non_null(stream);
    size = fread(bytes, 1, sizeof bytes, stream);
    fclose(stream);
    return testing_hash(bytes, size);
}

/* Begins a script that shows the picture with its labels. */
static void show(void)
{
    script("forest %s\nopen %s", forest, picture);
}

/* Runs the script, which fails with the message at its last line, and leaves the file. */
static void assert_kept(const char *path, const char *message)
{
    uint64_t before = hash_of(path);
    const char *said;
    int code = run_script(32, 32, &said);

    if (code != 1 || strstr(said, message) == NULL || strstr(said, "the script ends here") == NULL)
        fail_msg("%s: exit status %d and %s", path, code, said);
    assert_true(hash_of(path) == before);
}

static void assert_replaced(const char *path)
{
    uint64_t before = hash_of(path);
    const char *said;
    int code = run_script(32, 32, &said);

    if (code != 0)
        fail_msg("%s: exit status %d and %s", path, code, said);
    assert_true(hash_of(path) != before);
}

TESTING_CASE(what_is_read_is_not_written)
{
    char second[FILE_PATH], project[FILE_PATH];
    const char *const reading[] = {picture, forest, second, project};

    snprintf(second, sizeof second, "%s", file("all/second.png"));
    snprintf(project, sizeof project, "%s", file("p.json"));
    script("project new\nadd-class one\nteach off\nopen %s\nstroke one 0 2 3\nsave %s", picture, project);
    assert_int_equal(run_script(32, 32, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        for (int l = 0; l < 2; l++) {
            script("project %s\nforest %s\nopen %s", project, forest, i == 2 ? file("all") : picture);
            script("overwrite on\n%s %s", l == 0 ? "screenshot" : "export forest", reading[i]);
            assert_kept(reading[i], "which is an input");
        }
    show();
    assert_int_equal(link(picture, file("picture_labels.png")), 0);
    script("overwrite on\nexport labels %s", folder);
    assert_kept(picture, "would be overwritten, which is the input");
    assert_int_equal(unlink(file("picture_labels.png")), 0);
}

TESTING_CASE(files_of_others_are_kept)
{
    make(file("mine.png"), "mine");
    script("screenshot %s", file("mine.png"));
    assert_kept(file("mine.png"), "is not a screenshot that Shadewood wrote");
    script("overwrite on\nscreenshot %s", file("mine.png"));
    assert_replaced(file("mine.png"));
    script("size 40 30\nscreenshot %s", file("mine.png")); /* which is Shadewood's now */
    assert_replaced(file("mine.png"));

    make(file("mine.json"), "{\"mine\": 1}");
    script("project new\nadd-class one\nsave %s", file("mine.json"));
    assert_kept(file("mine.json"), "`overwrite on`");
    script("project new\nadd-class one\noverwrite on\nsave %s\nadd-class two\noverwrite off\nsave", file("mine.json"));
    assert_replaced(file("mine.json"));

    make(file("mine.ktx2"), "mine");
    show();
    script("export forest %s", file("mine.ktx2"));
    assert_kept(file("mine.ktx2"), "is not a forest that Shadewood wrote");
    show();
    script("overwrite on\nexport forest %s", file("mine.ktx2"));
    assert_replaced(file("mine.ktx2"));
}

/* One file in the way, and none is written. */
TESTING_CASE(exports_are_checked_first)
{
    assert_int_equal(mkdir(file("out"), 0777), 0);
    make(file("out/second_labels.png"), "mine");
    script("forest %s\nopen %s\nexport labels %s", forest, file("all"), file("out"));
    assert_kept(file("out/second_labels.png"), "is not a label image");
    assert_int_equal(access(file("out/first_labels.png"), F_OK), -1);
    script("forest %s\nopen %s\noverwrite on\nexport labels %s\noverwrite off\nexport labels %s", forest, file("all"),
           file("out"), file("out"));
    assert_replaced(file("out/second_labels.png"));
    assert_int_equal(access(file("out/first_labels.png"), F_OK), 0);
}

/* Frames of a camera are kept along with files of others. */
/* Pictures of data sets and videos are no files; one that is painted on and shown is exported once. Pictures
 * from two folders get folders of these names. */
TESTING_CASE(every_picture_is_exported_once)
{
    char command[4200], set[512];

    snprintf(set, sizeof set, "%s", testing_path("painted-set"));
    snprintf(command, sizeof command,
             "'%s' synth -q -o '%s' --count 2 --size 40x30 >/dev/null && mkdir -p '%s/a' '%s/b' && "
             "cp '%s/00000_colors.png' '%s/a/same.png' && cp '%s/00001_colors.png' '%s/b/same.png'",
             getenv("SHADEWOOD_PROGRAM"), set, set, set, set, set, set, set);
    assert_int_equal(system(command), 0);
    for (int saved = 0; saved < 2; saved++) { /* saving gives the picture a file */
        script("project new\nopen dataset:%s\nadd-class one\nadd-class two\nstroke one 2 5 5 9 9\nstroke two 2 30 20 "
               "25 20",
               set);
        if (saved)
            script("save %s", testing_path("painted-set.json"));
        script("wait trained\nexport labels %s\nexport labels %s", testing_path("of-a-set"), testing_path("of-a-set"));
        assert_int_equal(run_script(64, 64, NULL), 0);
    }
    script("project new\nopen %s/a/same.png\nadd-class one\nadd-class two\nstroke one 2 5 5 9 9\nopen %s/b/same.png\n"
           "stroke two 2 30 20 25 20\nwait trained\nexport labels %s",
           set, set, testing_path("two-folders"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    snprintf(command, sizeof command,
             "cd '%s' && test -f a/same_labels.png && test -f b/same_labels.png && test $(ls | wc -l) = 3",
             testing_path("two-folders"));
    assert_int_equal(system(command), 0);
}

TESTING_CASE(frames_replace_no_other_files)
{
    assert_int_equal(mkdir(file("q-frames"), 0777), 0);
    make(file("q-frames/picture.png @ 0.000 s.png"), "mine");
    for (int run = 0; run < 2; run++) { /* the second run replaces its own */
        script("project new\nadd-class one\nteach off\nopen camera:%s\nstroke one 0 2 3\nsave %s", picture,
               file("q.json"));
        if (run_script(32, 32, NULL) != 0)
            testing_skip("the viewer is built without videos");
    }
    assert_int_equal(access(file("q-frames/picture.png @ 0.000 s-2.png"), F_OK), 0);
    assert_int_equal(access(file("q-frames/picture.png @ 0.000 s-3.png"), F_OK), -1);
    assert_true(hash_of(file("q-frames/picture.png @ 0.000 s.png")) == testing_hash("mine", 4));
}

/* The options: checked before the script does anything. */
TESTING_CASE(the_screenshot_of_the_command_line_is_checked)
{
    char options[2048];
    const char *said;
    uint64_t before = hash_of(picture);

    snprintf(options, sizeof options, "--screenshot '%s' --overwrite '%s'", picture, picture);
    script("screenshot %s", file("never.png"));
    assert_int_equal(run_script_with(options, 32, 32, &said), 1);
    assert_non_null(strstr(said, "which is an input"));
    assert_true(hash_of(picture) == before);
    assert_int_equal(access(file("never.png"), F_OK), -1);
    make(file("other.png"), "mine");
    snprintf(options, sizeof options, "--screenshot '%s' '%s'", file("other.png"), picture);
    assert_int_equal(run_script_with(options, 32, 32, &said), 1);
    assert_non_null(strstr(said, "--overwrite"));
    assert_true(hash_of(file("other.png")) == testing_hash("mine", 4));
    snprintf(options, sizeof options, "--screenshot '%s' --overwrite '%s'", file("other.png"), picture);
    assert_int_equal(run_script_with(options, 32, 32, &said), 0);
    assert_true(hash_of(file("other.png")) != testing_hash("mine", 4));
}

static int setup(void **state)
{
    char command[8192];

    (void)state;
    snprintf(folder, sizeof folder, "%s", testing_path("outputs"));
    write_forest_and_picture(24, 16, forest, picture);
    snprintf(command, sizeof command,
             "mkdir -p '%s/all' && cp '%s' '%s/all/first.png' && cp '%s' '%s/all/second.png' && mv '%s' "
             "'%s/picture.png' && mv '%s' '%s/forest.ktx2'",
             folder, picture, folder, picture, folder, picture, folder, forest, folder);
    snprintf(picture, sizeof picture, "%s/picture.png", folder);
    snprintf(forest, sizeof forest, "%s/forest.ktx2", folder);
    return system(command);
}

TESTING_FIXTURE(setup, NULL)
