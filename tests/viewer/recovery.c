/* Unsaved work survives programs that are killed. */
#include "teaching.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MINUTES 3 /* to wait for a copy, on a busy machine */

#define SMALL_FILE   2048 /* bytes that fit on a full disk: more than scripts here */
#define MANY_CLASSES 60

static char options[700];

/* Each test has a folder of its own. */
static const char *with_copies(const char *name)
{
    snprintf(options, sizeof options, "--recovery '%s'", file(name));
    return options;
}

/* Calls `each` for the entries of a folder that do not begin with a dot; returns their number. */
static uint32_t count_entries(const char *folder, char last[512])
{
    DIR *open_folder = opendir(folder);
    const struct dirent *entry;
    uint32_t count = 0;

    while (open_folder != NULL && (entry = readdir(open_folder)) != NULL)
        if (entry->d_name[0] != '.') {
            snprintf(last, 512, "%s/%s", folder, entry->d_name);
            count++;
        }
    if (open_folder != NULL)
        closedir(open_folder);
    return count;
}

static bool file_contains(const char *path, const char *wanted)
{
    static char content[1 << 20];
    FILE *opened = fopen(path, "r");

    if (opened == NULL)
        return false;
    content[fread(content, 1, sizeof content - 1, opened)] = '\0';
    fclose(opened);
    return strstr(content, wanted) != NULL;
}

/* Waits until a copy in the folder contains the text. */
static void wait_for_copy(const char *folder, const char *wanted)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    char copies[512], path[600];
    time_t end = time(NULL) + MINUTES * 60;

    while (time(NULL) < end) {
        if (count_entries(folder, copies) > 0) {
            snprintf(path, sizeof path, "%s/work.json", copies);
            if (file_contains(path, wanted))
                return;
        }
        nanosleep(&moment, NULL);
    }
    fail_msg("no copy with %s in %s", wanted, folder);
}

/* Runs the script until there is such a copy, and kills it. */
static void kill_after_copy(const char *name, const char *wanted)
{
    int child;

    script("recover keep\nwait 1000000");
    child = start_script(with_copies(name), 64, 64);
    wait_for_copy(file(name), wanted);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
}

static void begin_painting(void)
{
    script("project new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
}

TESTING_CASE(killed_work_is_recovered)
{
    struct shw_project *read = NULL;
    char last[512];
    uint64_t count = 0;

    begin_painting();
    script("wait 1000000"); /* the copy is made by itself */
    kill_after_copy("killed", "\"points\"");
    /* undo works, too: what was painted before is part of the project, what comes after is a step */
    script("recover 1\nlabels\nstroke one 0 7 7\nlabels\nundo\nlabels\nsave %s", file("recovered.json"));
    assert_int_equal(run_script_with(with_copies("killed"), 64, 64, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 2 pixels\none: 1 pixels\n");
    assert_int_equal(shw_project_read(file("recovered.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_count_labels(read, 0, &count), SHW_OK);
    assert_int_equal(count, 1);
    shw_project_destroy(&read);
    assert_int_equal(count_entries(file("killed"), last), 0);
}

/* What is left for later stays, whatever is opened and saved meanwhile, and can be asked for. */
TESTING_CASE(what_is_left_for_later_stays)
{
    char last[512];

    begin_painting();
    kill_after_copy("later", "\"points\"");
    script("panels on\nwait 3\nclick Later\nwait 3\nopen %s\nproject new\nadd-class two\nteach off\nstroke two 0 9 "
           "9\nsave %s\n"
           "project %s\nproject new\nquit",
           taught.paths[1], file("meanwhile.json"), file("meanwhile.json"));
    assert_int_equal(run_script_with(with_copies("later"), 640, 400, NULL), 0);
    assert_int_equal(count_entries(file("later"), last), 1);
    script("panels on\nwait 3\nrecover later\nopen %s\nrecover ask\nwait 3\nclick Recover\nwait 4\nlabels\nsave %s",
           taught.paths[1], file("after.json"));
    assert_int_equal(run_script_with(with_copies("later"), 640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");
    assert_int_equal(count_entries(file("later"), last), 0);
    script("recover ask\nrectangles-recover ask");
    assert_int_equal(run_script_with(with_copies("later"), 64, 64, NULL), 0);
    assert_string_equal(script_output(), "no earlier run has left a project that is not saved\n"
                                         "no earlier run has left rectangles that are not saved\n");
}

/* The settings are stored when something is opened, not only in the end. A busy machine stores them before, too. */
TESTING_CASE(what_was_opened_is_remembered_at_once)
{
    const struct timespec moment = {.tv_nsec = 50000000};
    const time_t end = time(NULL) + MINUTES * 60;
    char path[512], option[700];
    int child;

    snprintf(path, sizeof path, "%s", file("remembered.json"));
    snprintf(option, sizeof option, "--settings '%s'", path);
    script("open %s\nwait 1000000", taught.paths[0]);
    child = start_script(option, 64, 64);
    while (!file_contains(path, taught.paths[0]) && time(NULL) < end)
        nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    script("recent list");
    assert_int_equal(run_script_with(option, 64, 64, NULL), 0);
    assert_non_null(strstr(script_output(), taught.paths[0]));
}

/* The project keeps its file, which is as it was until it is saved, wherever the programs are started, and in whatever
 * folder. */
TESTING_CASE(changes_of_a_file_are_recovered)
{
    static const char *const folders[] = {"", "nu\377"};
    const char *said;

    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char folder[900], name[1000], copies[32];
        snprintf(folder, sizeof folder, "%s/%s", taught.folder, folders[i]);
        snprintf(name, sizeof name, "%s/named.json", folder);
        snprintf(copies, sizeof copies, "of-a-file-%zu", i);
        assert_true(mkdir(folder, 0777) == 0 || i == 0);
        assert_int_equal(chdir(folder), 0);
        begin_painting();
        script("save named.json\nstroke one 0 11 11");
        kill_after_copy(copies, "11, 11");
        assert_int_equal(chdir("/"), 0);
        script("project %s\nlabels\nrecover 1\nlabels\nsave\nproject %s\nlabels", name, name);
        assert_int_equal(run_script_with(with_copies(copies), 64, 64, &said), 0);
        assert_string_equal(script_output(), "one: 1 pixels\none: 2 pixels\none: 2 pixels\n");
    }
}

/* What was painted on is kept, though it is no file. */
TESTING_CASE(pictures_without_files_are_recovered)
{
    struct shw_project *read = NULL;
    struct shw_image_file kept;

    script("project new\nopen camera:%s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
    kill_after_copy("frames", "\"points\"");
    script("recover 1\nlabels\nstroke one 0 9 9\nlabels\nsave %s", file("frames.json")); /* it is shown, too */
    assert_int_equal(run_script_with(with_copies("frames"), 64, 64, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 2 pixels\n");
    assert_int_equal(shw_project_read(file("frames.json"), NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_picture_count(read), 1);
    assert_int_equal(shw_image_file_read(file(shw_project_get_picture(read, 0).name), NULL, NULL, &kept), SHW_OK);
    assert_int_equal(kept.image.width, WIDTH);
    for (uint32_t y = 0; y < HEIGHT; y++)
        assert_memory_equal((const uint8_t *)kept.pixels + (size_t)y * WIDTH * 3,
                            (const uint8_t *)taught.files[0].pixels + (size_t)y * WIDTH * 3, WIDTH * 3);
    shw_image_file_free(&kept);
    shw_project_destroy(&read);
}

TESTING_CASE(nothing_is_left_of_what_was_saved_or_given_up)
{
    char last[512];

    begin_painting();
    script("save %s", file("saved.json"));
    assert_int_equal(run_script_with(with_copies("none"), 64, 64, NULL), 0);
    assert_int_equal(count_entries(file("none"), last), 0);
    begin_painting();
    script("project new\nquit");
    assert_int_equal(run_script_with(with_copies("none"), 64, 64, NULL), 0);
    assert_int_equal(count_entries(file("none"), last), 0);
    begin_painting();
    script("dance"); /* a failure is no decision to give up */
    assert_int_equal(run_script_with(with_copies("none"), 64, 64, NULL), 1);
    assert_int_equal(count_entries(file("none"), last), 1);
}

TESTING_CASE(what_is_found_is_asked_about)
{
    char last[512];

    begin_painting();
    kill_after_copy("asked", "\"points\"");
    script("panels on\nwait 3\nkey Escape\nwait 2");
    assert_int_equal(run_script_with(with_copies("asked"), 640, 480, NULL), 0);
    assert_int_equal(count_entries(file("asked"), last), 1); /* it was put off */
    script("panels on\nwait 3\nclick Recover\nwait 4\nlabels");
    assert_int_equal(run_script_with(with_copies("asked"), 640, 480, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");

    begin_painting();
    kill_after_copy("deleted", "\"points\"");
    script("panels on\nwait 3\nclick ##recovered\nmouse press left\nmouse release left\nwait 8\nkey Escape\nwait 2");
    assert_int_equal(run_script_with(with_copies("deleted"), 640, 480, NULL), 0);
    assert_int_equal(count_entries(file("deleted"), last), 1); /* a double click deletes nothing */
    script("panels on\nwait 3\nclick ##recovered\nwait 4\nclick Keep\nwait 4\nkey Escape\nwait 2");
    assert_int_equal(run_script_with(with_copies("deleted"), 640, 480, NULL), 0);
    assert_int_equal(count_entries(file("deleted"), last), 1);
    script("panels on\nwait 3\nclick ##recovered\nwait 4\nclick Delete for good\nwait 4\nproject new\nlabels");
    assert_int_equal(run_script_with(with_copies("deleted"), 640, 480, NULL), 0);
    assert_int_equal(count_entries(file("deleted"), last), 0);
}

/* Nobody takes the copies of a program that runs; it is noticed if that has the same project. */
TESTING_CASE(programs_that_run_keep_their_copies)
{
    const char *said;
    int child;

    begin_painting();
    script("save %s\nstroke one 0 11 11\nrecover keep\nwait 1000000", file("both.json"));
    child = start_script(with_copies("running"), 64, 64);
    wait_for_copy(file("running"), "11, 11");
    script("project %s\nlabels\nrecover 1", file("both.json"));
    assert_int_equal(run_script_with(with_copies("running"), 64, 64, &said), 1);
    assert_non_null(strstr(said, "is open in another viewer"));
    assert_non_null(strstr(said, "1 is not the number of unsaved work"));
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    script("project %s\nrecover 1\nlabels", file("both.json"));
    assert_int_equal(run_script_with(with_copies("running"), 64, 64, &said), 0);
    assert_null(strstr(said, "another viewer"));
    assert_string_equal(script_output(), "one: 2 pixels\n");
}

/* A copy that cannot be written is reported once, and painting goes on. */
TESTING_CASE(a_folder_that_cannot_be_written)
{
    const char *said, *first;
    FILE *taken = fopen(file("taken"), "w");

    assert_non_null(taken);
    fclose(taken);
    begin_painting();
    for (int i = 0; i < 3; i++)
        script("sleep 2.2\nstroke one 0 %d 5", 10 + i); /* copies are tried meanwhile */
    script("labels");
    assert_int_equal(run_script_with(with_copies("taken/below"), 64, 64, &said), 0);
    first = strstr(said, "unsaved work cannot be kept");
    assert_non_null(first);
    assert_null(strstr(first + 1, "unsaved work cannot be kept"));
    assert_string_equal(script_output(), "one: 4 pixels\n");
    begin_painting();
    script("recover keep\nlabels"); /* who asks for a copy is told that there is none */
    assert_int_equal(run_script_with(with_copies("taken/below"), 64, 64, &said), 1);
    assert_non_null(strstr(said, "unsaved work cannot be kept for recovery"));
    assert_string_equal(script_output(), "");
}

/* A disk that is full is reported once; painting goes on, and the last whole copy stays. */
TESTING_CASE(a_full_disk)
{
    const struct rlimit small = {SMALL_FILE, RLIM_INFINITY};
    struct rlimit before;
    const char *said, *first;
    int result;

    begin_painting();
    script("recover keep");
    for (int c = 0; c < MANY_CLASSES; c++) /* short here, and longer in the copy */
        script("add-class %d", c);
    script("sleep 2.2\nstroke one 0 11 5\nsleep 2.2\nlabels\ndance"); /* copies are tried meanwhile */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    result = run_script_with(with_copies("full"), 64, 64, &said);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, 1);
    first = strstr(said, "unsaved work cannot be kept for recovery; save it soon:");
    assert_non_null(first);
    assert_non_null(strstr(first, "File too large"));
    assert_null(strstr(first + 1, "unsaved work cannot be kept"));
    assert_non_null(strstr(script_output(), "one: 2 pixels\n"));
    script("recover 1\nlabels");
    assert_int_equal(run_script_with(with_copies("full"), 64, 64, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");
}

/* Why there is no place for copies is reported, with its name. */
TESTING_CASE(a_folder_that_cannot_be_made)
{
    char expected[700];
    const char *said;
    FILE *in_the_way = fopen(file("in-the-way"), "w");

    assert_non_null(in_the_way);
    fclose(in_the_way);
    begin_painting();
    script("recover keep");
    assert_int_equal(run_script_with(with_copies("in-the-way/copies"), 64, 64, &said), 1);
    snprintf(expected, sizeof expected, "save it soon: cannot make a folder in %s: Not a directory",
             file("in-the-way/copies"));
    if (strstr(said, expected) == NULL)
        fail_msg("%s", said);
}

/* Damaged copies are reported and left. */
TESTING_CASE(damaged_copies_are_left)
{
    const char *said;
    char last[512], path[600];
    FILE *copy;

    begin_painting();
    kill_after_copy("damaged", "\"points\"");
    assert_int_equal(count_entries(file("damaged"), last), 1);
    snprintf(path, sizeof path, "%s/work.json", last);
    assert_int_equal(truncate(path, 40), 0);
    script("recover 1");
    assert_int_equal(run_script_with(with_copies("damaged"), 64, 64, &said), 1);
    assert_non_null(strstr(said, "work.json is not a copy of unsaved work"));
    copy = fopen(path, "r");
    assert_non_null(copy);
    fclose(copy);
    /* nothing is said of it until it is recovered, and it can be deleted */
    script("recover ask\nrecover later\nrecover ask\nrecover delete 1\nrecover ask");
    assert_int_equal(run_script_with(with_copies("damaged"), 64, 64, &said), 0);
    assert_null(strstr(said, "is not a copy"));
    assert_string_equal(script_output(), "no earlier run has left a project that is not saved\n");
    assert_int_equal(count_entries(file("damaged"), last), 0);
}

/* Damages the frame of the only copy, or gives it a damaged input. */
static void damage(const char *copies, const char *name)
{
    char last[512], path[600], command[1400];
    FILE *stream;

    assert_int_equal(count_entries(file(copies), last), 1);
    snprintf(path, sizeof path, "%s/%s", last, name);
    stream = fopen(path, "w");
    assert_non_null(stream);
    fputs("damaged", stream);
    fclose(stream);
    snprintf(command, sizeof command,
             "sed -i 's/\\[\\]}, \"project\"/[\"previous\"]}, \"project\"/' '%s/work.json' && grep -q "
             "'\\[\"previous\"\\]' '%s/work.json'",
             last, last);
    if (strstr(name, "previous") != NULL)
        assert_int_equal(system(command), 0);
}

/* Strokes and classes are recovered without a picture, or without one of its inputs. */
TESTING_CASE(damaged_pictures_are_left_out)
{
    static const struct {
        const char *file, *warning;
    } cases[] = {{"frame-1.png", "is lost, its strokes are not: "},
                 {"frame-1-previous.png", "comes without its previous: "}};
    const char *said;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char copies[32];

        snprintf(copies, sizeof copies, "in-part-%zu", i);
        script("project new\nopen camera:%s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
        kill_after_copy(copies, "\"points\"");
        damage(copies, cases[i].file);
        script("recover 1\nlabels\nsave %s", file("in-part.json"));
        if (run_script_with(with_copies(copies), 64, 64, &said) != 0 || strstr(said, cases[i].warning) == NULL)
            fail_msg("%s: %s", cases[i].file, said);
        assert_string_equal(script_output(), "one: 1 pixels\n");
    }
}

/* A project that does not fit on the disk leaves no pictures either. */
TESTING_CASE(a_save_that_fails_leaves_nothing)
{
    const struct rlimit small = {SMALL_FILE * 4, RLIM_INFINITY};
    struct rlimit before;
    const char *said;
    int result;

    script("project new\nopen camera:%s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
    for (int c = 0; c < MANY_CLASSES * 4; c++)
        script("add-class %d", c);
    script("save %s", file("not-saved.json"));
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    result = run_script_with("", 64, 64, &said);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(result, 1);
    assert_non_null(strstr(said, "File too large"));
    assert_int_equal(access(file("not-saved-frames"), F_OK), -1);
    assert_int_equal(access(file("not-saved.json"), F_OK), -1);
}

TESTING_FIXTURE(open_taught, close_taught)
