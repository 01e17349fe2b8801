/* A trainer in another program, in the program: by its option, its actions and its panel. */
#include "teaching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command; `before` are words of a shell before it. */
static const char *trainer(const char *before)
{
    static char command[2048];

    snprintf(command, sizeof command, "sh -c '%s \"%s\" serve -t cpu --threads 2'", before,
             getenv("SHADEWOOD_PROGRAM"));
    return command;
}

static void assert_said(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("'%s' is not in: %s", part, text);
}

/* Painted, trained there, shown here: the forest is that of training here. */
TESTING_CASE(trained_there)
{
    begin(taught.folder);
    script("trainer-connect %s", trainer("exec"));
    paint_areas(0, 20);
    script("wait small\nstep forward");
    paint_areas(1, 50);
    script("wait judged\nexport forest %s\ntrainer-status\ntrainer-disconnect\ntrainer-status", file("away.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, NULL), 0);
    assert_true(load_hash(file("away.ktx2"), NULL) == testing_paint_train(taught.project));
    assert_said(script_output(), ", cpu: ready; ");
    assert_said(script_output(), "not connected");
    end();
}

/* The connection ends in the middle of a training; the program says so and goes on, and connects again. */
TESTING_CASE(the_connection_breaks)
{
    const char *messages = NULL;

    begin(taught.folder);
    script("trainer-connect %s", trainer("dd bs=1 count=3000 2>/dev/null |"));
    paint_areas(0, 20);
    script("wait trained\nexport forest %s\ntrainer-status", file("first.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &messages), 0);
    assert_true(load_hash(file("first.ktx2"), NULL) == testing_paint_train(taught.project));
    assert_said(messages, "training goes on here");
    assert_said(script_output(), "the connection has ended: training is here");
    end();

    begin(taught.folder);
    script("trainer-connect %s", trainer("dd bs=1 count=3000 2>/dev/null |"));
    paint_areas(0, 20);
    script("wait trained\ntrainer-connect %s", trainer("exec"));
    paint_areas(0, 60);
    script("wait trained\nexport forest %s\ntrainer-status", file("second.ktx2"));
    assert_int_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &messages), 0);
    assert_true(load_hash(file("second.ktx2"), NULL) == testing_paint_train(taught.project));
    assert_said(script_output(), ", cpu: ready; ");
    end();
}

/* Commands that cannot be started are refused, and nothing changes. */
TESTING_CASE(bad_commands)
{
    static const char *const lines[] = {"trainer-connect no-such-program-as-this", "trainer-connect 'ssh",
                                        "trainer-connect"};
    static const char *const why[] = {"no-such-program-as-this", "quotation mark", "a command is needed"};

    for (size_t i = 0; i < 3; i++) {
        const char *messages = NULL;

        script("%s", lines[i]);
        assert_int_not_equal(run_script(CANVAS_WIDTH, CANVAS_HEIGHT, &messages), 0);
        assert_said(messages, why[i]);
    }
}

/* The panel connects again with the command of before, which settings remember. */
TESTING_CASE(the_panel_connects_again)
{
    char options[3072], text[8192] = "";
    FILE *settings;

    begin(taught.folder);
    script("panels on\ntrainer-connect %s", trainer("dd bs=1 count=3000 2>/dev/null |"));
    paint_areas(0, 20);
    script("wait trained\nwait 4\nclick Connect again\nwait 4\ntrainer-status");
    snprintf(options, sizeof options, "--settings '%s'", testing_path("settings.json"));
    assert_int_equal(run_script_with(options, 900, 700, NULL), 0);
    assert_said(script_output(), "trainer: ");
    settings = fopen(testing_path("settings.json"), "r");
    assert_non_null(settings);
    assert_true(fread(text, 1, sizeof text - 1, settings) > 0);
    fclose(settings);
    assert_said(text, "count=3000");
    end();

    /* the next program knows it */
    script("trainer-connect\ntrainer-status");
    assert_int_equal(run_script_with(options, 900, 700, NULL), 0);
    assert_said(script_output(), "trainer: connecting");
    /* and one that is given a command has connected when its script begins */
    snprintf(options, sizeof options, "--trainer '\"%s\" serve -t cpu'", getenv("SHADEWOOD_PROGRAM"));
    script("trainer-status");
    assert_int_equal(run_script_with(options, 900, 700, NULL), 0);
    assert_said(script_output(), "trainer: ");
    assert_null(strstr(script_output(), "not connected"));
}

TESTING_FIXTURE(open_taught, close_taught)
