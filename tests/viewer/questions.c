/* Questions before work is given up or replaced: each time, and nothing else happens until they are answered. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A project with one painted pixel, in a program with panels. */
static void begin_painting(void)
{
    script("panels on\nproject new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3", taught.paths[0]);
}

static bool exists(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0;
}

/* The pixels that are painted in a project file. */
static uint64_t painted_pixels(const char *path)
{
    struct shw_project *read = NULL;
    uint64_t count = 0;

    assert_int_equal(shw_project_read(path, NULL, &read), SHW_OK);
    assert_int_equal(shw_project_get_picture_count(read), 1);
    assert_int_equal(shw_project_count_labels(read, 0, &count), SHW_OK);
    shw_project_destroy(&read);
    return count;
}

TESTING_CASE(closing_asks_every_time)
{
    begin_painting();
    script("key Ctrl+Q\nwait 3\nlabels\nanswer cancel\nkey Ctrl+Q\nwait 3\nlabels\nkey Escape\nwait 2\nkey "
           "Ctrl+Q\nwait 3");
    script("labels\nclick Discard\nwait 4\nlabels"); /* the last one is not reached */
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 1 pixels\none: 1 pixels\n");
}

TESTING_CASE(new_and_other_projects_ask_too)
{
    begin_painting();
    script("save %s\nkey Ctrl+N\nwait 3\nadd-class two\nlabels", file("first.json")); /* it is saved: no question */
    script("project %s\nwait 3\nlabels\nanswer cancel\nlabels\nproject %s\nanswer discard\nlabels", file("first.json"),
           file("first.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "two: 0 pixels\ntwo: 0 pixels\ntwo: 0 pixels\none: 1 pixels\n");
}

/* The name that is proposed is that of the pictures' folder. */
TESTING_CASE(a_name_is_proposed)
{
    char path[FILE_PATH];

    snprintf(path, sizeof path, "%s/%s.json", taught.folder, strrchr(taught.folder, '/') + 1);
    begin_painting();
    script("rectangle 1 1 9 9 thing\nkey Ctrl+S\nwait 8\nkey Enter\nwait 8\nkey Enter\nwait 8\nstatus");
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(path), 1);
    unlink(path);
    snprintf(path, sizeof path, "%s/rectangles.csv", taught.folder);
    assert_true(exists(path));
    unlink(path);
}

/* A project is closed alone; and pictures are added to it. */
TESTING_CASE(a_project_can_be_closed)
{
    const char *said;

    begin_painting();
    script("project close\nwait 3\nlabels\nanswer cancel\nlabels\nadd-pictures %s\nwait 2\nstroke one 0 5 5\nsave "
           "%s\nproject close\nwait 3\nscreenshot %s\nadd-pictures %s",
           taught.paths[1], file("two.json"), file("closed.png"), taught.paths[0]);
    assert_int_equal(run_script(640, 400, &said), 1);
    assert_non_null(strstr(said, "no project is open"));
    assert_non_null(strstr(script_output(), "one: 1 pixels\none: 1 pixels\nwhat is painted on pictures of "));
    assert_true(exists(file("closed.png")));
    script("project %s\npictures", file("two.json"));
    assert_int_equal(run_script(64, 64, NULL), 0);
    assert_non_null(strstr(script_output(), "a.png, 1 stroke"));
    assert_non_null(strstr(script_output(), "b.png, 1 stroke"));
}

TESTING_CASE(what_has_no_name_is_given_one)
{
    begin_painting();
    script("key Ctrl+Q\nwait 3\nclick ##answer\nwait 6\ntype %.*s\nkey Enter\nwait 4\nlabels",
           (int)strlen(file("given.json")) - 5, file("given.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "");
    assert_int_equal(painted_pixels(file("given.json")), 1);

    begin_painting(); /* Ctrl+S asks for it, too, and nothing is closed then */
    script("key Ctrl+S\nwait 6\ntype %s\nkey Enter\nwait 4\nlabels\nkey Ctrl+Q\nlabels", file("entered.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");
    assert_int_equal(painted_pixels(file("entered.json")), 1);

    script("panels on\nproject %s\nteach off\nstroke one 0 9 9\nsave-as\nwait 6\ntype %.*s-too.json\nkey Enter\nwait 4",
           file("entered.json"), (int)strlen(file("entered.json")) - 5, file("entered.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("entered.json")), 1);
    assert_int_equal(painted_pixels(file("entered-too.json")), 2);
}

TESTING_CASE(another_project_is_replaced_only_if_that_is_wanted)
{
    begin_painting();
    script("stroke one 1 20 20\nsave %s", file("kept.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("kept.json")), 10);

    begin_painting();
    script("save %s\nwait 3\nanswer cancel\nlabels", file("kept.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");
    assert_int_equal(painted_pixels(file("kept.json")), 10);

    begin_painting();
    script("save %s\nwait 3\nclick Replace\nwait 3\nstroke one 0 9 9\nsave %s\nsave", file("kept.json"),
           file("kept.json")); /* its own file from then on */
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("kept.json")), 2);
}

/* Both files are kept by another name, which is asked for; Enter is that answer, and the proposal the file's name. */
TESTING_CASE(another_name_keeps_both)
{
    begin_painting();
    script("stroke one 1 20 20\nsave %s", file("both.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    begin_painting();
    script("save %s\nwait 3\nkey Enter\nwait 8\nkey End\nkey Backspace\nkey Backspace\nkey Backspace\nkey "
           "Backspace\nkey Backspace\ntype -2\nkey Enter\nwait 20\nlabels",
           file("both.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("both.json")), 10);
    assert_int_equal(painted_pixels(file("both-2.json")), 1);

    /* and a project that has a name gets another one */
    script("panels on\nproject %s\nteach off\nwait 3\nkey Ctrl+Shift+S\nwait 8\nkey Ctrl+A\ntype %s\nkey Enter\nwait "
           "8\nstroke one 0 40 30\nsave",
           file("both-2.json"), file("third.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("both-2.json")), 1);
    assert_int_equal(painted_pixels(file("third.json")), 2);

    /* of the last name, a new project gets the folder only */
    script(
        "panels on\nproject %s\nteach off\nkey Ctrl+Shift+S\nwait 8\nkey Escape\nwait 3\nproject new\nopen "
        "%s\nadd-class one\nteach off\nstroke one 0 2 3\nkey Ctrl+S\nwait 8\nkey End\ntype fourth\nkey Enter\nwait 8",
        file("third.json"), taught.paths[0]);
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("third.json")), 2);
    assert_int_equal(painted_pixels(file("fourth.json")), 1);
}

/* A failure leaves the question, and the project, where they are. */
TESTING_CASE(what_cannot_be_saved_is_not_closed)
{
    const char *said;

    begin_painting();
    script(
        "key Ctrl+Q\nwait 3\nclick ##answer\nwait 6\ntype /nowhere/at/all\nkey Enter\nwait 4\nlabels\nanswer cancel\n"
        "labels");
    assert_int_equal(run_script(640, 400, &said), 0);
    assert_non_null(strstr(said, "there is no such folder"));
    assert_string_equal(script_output(), "one: 1 pixels\none: 1 pixels\n");
    assert_false(exists("/nowhere"));
}

TESTING_CASE(nothing_happens_behind_a_question)
{
    begin_painting();
    script("key Ctrl+Q\nwait 3\nkey Ctrl+Z\nkey Ctrl+N\ntype e\nkey Ctrl+O\nkey F1\nwait 3\nmouse move 500 200\nmouse "
           "press left\nmouse move 510 210\nmouse release left\nwait 3\nlabels\nkey Escape\nlabels");
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 1 pixels\n");

    /* nor behind the list of keys or the choice of files */
    begin_painting();
    script("key F1\nwait 3\nkey Ctrl+Z\nkey Ctrl+N\nwait 2\nkey Escape\nkey Ctrl+O\nwait 6\nkey Escape\nlabels");
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\n");

    begin_painting(); /* nor behind the dialog of an export */
    script("key Ctrl+E\nwait 3\nkey Ctrl+Z\nkey Ctrl+N\ntype e\nkey F1\nwait 3\nlabels\nkey Escape\nwait 3\nkey "
           "Ctrl+Z\nlabels");
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 0 pixels\n");
}

/* What is typed at once after Ctrl+N, and after Enter, is the name of a class, though its letters are keys. */
TESTING_CASE(names_are_typed_without_waiting)
{
    const int step = testing_is_slow() ? 1 : 3;
    char expected[1024] = "";

    script("panels on\nopen %s\nkey Ctrl+N\ntype beast\nkey Enter\ntype nest\nkey Enter\nwait 40\nlabels",
           taught.paths[0]);
    assert_int_equal(run_script(640, 600, NULL), 0);
    assert_string_equal(script_output(), "beast: 0 pixels\nnest: 0 pixels\n");

    /* whatever the number of frames between two keys */
    script("panels on\nopen %s", taught.paths[0]);
    for (int pause = 1; pause <= 5; pause += step) {
        static const char *const typed[] = {"beep", "erase", "tix", "skybpq"};
        script("key Ctrl+N%s", pause == 1 ? "" : "\nanswer discard");
        for (int i = 0; i < 4; i++) {
            for (const char *letter = typed[i]; *letter != '\0'; letter++)
                script("type %c\nwait %d", *letter, pause);
            script("key Enter\nwait %d", pause);
        }
        script("wait 30\nlabels");
    }
    assert_int_equal(run_script(640, 600, NULL), 0);
    for (int pause = 1; pause <= 5; pause += step)
        strcat(expected, "beep: 0 pixels\nerase: 0 pixels\ntix: 0 pixels\nskybpq: 0 pixels\n");
    assert_string_equal(script_output(), expected);

    /* Escape, or a click elsewhere, ends that at once */
    script(
        "panels on\nopen %s\nkey Ctrl+N\ntype one\nkey Enter\nkey Escape\ntype e\nwait 30\nteach off\nstroke one 0 2 "
        "3\nkey Ctrl+Z\nlabels\nkey Ctrl+N\nanswer discard\ntype two\nkey Enter\nwait 1\nmouse move 500 "
        "5\nmouse press left\nmouse release left\ntype three\nkey Enter\nwait 30\nlabels",
        taught.paths[0]);
    assert_int_equal(run_script(640, 600, NULL), 0);
    assert_string_equal(script_output(), "one: 0 pixels\ntwo: 0 pixels\n");

    /* the field is in sight while it is typed into, though what is above and below it grows with the classes */
    script("panels on\nopen %s\nwait 5\nkey Ctrl+N\nwait 5\ntype first\nkey Enter\ntype sec\nwait 30\nclick ##class",
           taught.paths[0]);
    assert_int_equal(run_script(960, 480, NULL), 0);

    /* with the field out of sight, letters are keys */
    script("panels on\npanel classes off\nopen %s\nkey Ctrl+N\nadd-class one\nteach off\nstroke one 0 2 3\nwait 12\n"
           "key Ctrl+Z\nlabels",
           taught.paths[0]);
    assert_int_equal(run_script(640, 600, NULL), 0);
    assert_string_equal(script_output(), "one: 0 pixels\n");

    /* files for an export follow each other, too, though their field moves down */
    script("panels on\nexport-of list\nkey Ctrl+E\nwait 4\nclick ##add\ntype /first\nkey Enter\ntype /next\nkey "
           "Enter\nwait 12\nexport-drop /first\nexport-drop /next");
    assert_int_equal(run_script(800, 600, NULL), 0);

    begin_painting();
    script("key Ctrl+S\ntype %s\nkey Enter\nwait 12", file("quick.json"));
    assert_int_equal(run_script(640, 400, NULL), 0);
    assert_int_equal(painted_pixels(file("quick.json")), 1);
}

/* Panels that are hidden come back with a question. */
TESTING_CASE(hidden_panels_ask_in_a_window)
{
    begin_painting();
    script("panels off\nwait 2\nkey Ctrl+Q\nwait 3\nlabels\nclick Cancel\nwait 4\nlabels\nquit");
    assert_int_equal(run_script_in_window(640, 400, NULL), 0);
    assert_string_equal(script_output(), "one: 1 pixels\none: 1 pixels\n");
}

TESTING_CASE(scripts_without_panels_are_not_asked)
{
    const char *said;

    script("project new\nopen %s\nadd-class one\nteach off\nstroke one 0 2 3\nproject new\nadd-class two\nlabels\n"
           "answer save",
           taught.paths[0]);
    assert_int_equal(run_script(64, 64, &said), 1);
    assert_string_equal(script_output(), "two: 0 pixels\n");
    assert_non_null(strstr(said, "there is no question"));
}

TESTING_FIXTURE(open_taught, close_taught)
