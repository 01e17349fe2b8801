/* Mouse and keys: what they do is compared with what the actions of the same meaning do. */
#include "seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TESTING_CASE(the_picture_is_moved_and_zoomed_by_the_mouse)
{
    seen_same("mouse move 100 100\nmouse press left\nmouse move 110 95\nmouse move 130 90\nmouse release left\nmouse "
              "move 5 5\nwait 1",
              "pan 30 -10\nwait 1");
    seen_same("mouse move 100 100\nmouse press middle\nmouse move 90 120\nmouse release middle\nwait 1",
              "pan -10 20\nwait 1");
    seen_same("mouse move 320 300\nmouse wheel 4\nwait 1", "zoom in\nwait 1");
    seen_same("panels on\nwait 2\nmouse move 210 328\nmouse wheel 4\ncentre 30 20" AWAY,
              "panels on\nwait 2\nzoom in\ncentre 30 20" AWAY);
    seen_same("panels on\nwait 2\ncentre 3 5" AWAY, "panels on\nwait 2\nzoom fit\ncentre 20 30\ncentre 3 5" AWAY);
    /* on a panel, neither moves it */
    seen_same("panels on\nwait 2\nglide 0.02 Classes\nmouse wheel 4\nmouse press left\nglide 0.02 Pixel\nmouse "
              "release left" AWAY,
              "panels on" AWAY);
    seen_assert_same();
}

TESTING_CASE(the_wipe_is_moved_by_the_mouse)
{
    seen_same("wipe 50\nmouse move 321 100\nmouse press left\nmouse move 128 90\nmouse release left\nmouse move 500 "
              "10\nwait 1",
              "wipe 20\nwait 1");
    seen_assert_same();
}

TESTING_CASE(keys_run_actions)
{
    seen_same("key C\nkey 4\nkey ]\nkey Left\nwait 1", "contours on\noverlay entropy\nopacity +10\npan 64 0\nwait 1");
    seen_same("type c4\nwait 1", "contours on\noverlay entropy\nwait 1");
    seen_same("key Tab\nwait 3", "panels on\nwait 3");
    seen_assert_same();
}

TESTING_CASE(what_is_dropped_is_opened)
{
    char lines[2048];

    snprintf(lines, sizeof lines, "drop %s\ndrop %s\nwait 1", seen_picture, seen_forest);
    seen_same(lines, "wait 1");
    seen_assert_same();
}

TESTING_CASE(what_scripts_can_do_wrong)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {{"mouse jump", "jump is not `move X Y`"},
                 {"mouse move 3", "move 3 is not `move X Y`"},
                 {"mouse press nose", "press nose is not"},
                 {"click Contours", "Contours is not a label that is visible"},
                 {"panels on\nclick Nothing of that name", "Nothing of that name is not a label"},
                 {"panel nothing on", "nothing on is not a panel's name"},
                 {"scale 9", "9 is not auto, or a factor"}};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const char *said;
        script("%s", wrong[i].line);
        assert_int_equal(run_script(SEEN_WIDTH, SEEN_HEIGHT, &said), 1);
        if (strstr(said, wrong[i].message) == NULL)
            fail_msg("%s: %s", wrong[i].line, said);
    }
}

TESTING_FIXTURE(seen_open_files, NULL)
