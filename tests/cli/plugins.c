/* Compiled feature types and channel kinds: every command that reads forests takes them, and refuses what was built for
 * another version in the same words. */
#include <stdio.h>
#include <string.h>

#include "program.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "--depth 4 --candidates 20 --pixels 100 --offset 10 --size 9 --trees 2 -t cpu -q"
#define TYPES "--plugin " TYPES_PLUGIN " --feature sparse-sum --channels edge:2,rgb"

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    assert_success(run_blind("shadewood train " DATA " " QUICK " " TYPES " -o first.ktx2"));
    assert_success(run_blind("shadewood train " DATA " " QUICK " " TYPES " --first-tree 2 -o second.ktx2"));
    return 0;
}

static const char *const commands[] = {
    "train " DATA " " QUICK " --below first.ktx2 -o above.ktx2",
    "label first.ktx2 data/00.png -o labelled -t cpu -q",
    "evaluate first.ktx2 " DATA " -t cpu -q",
    "explain first.ktx2 data/00.png 3 4 -q",
    "inspect first.ktx2",
    "inspect first.ktx2 --importance",
    "merge first.ktx2 second.ktx2 -o merged.ktx2 --overwrite",
};

#define COMMANDS (sizeof commands / sizeof *commands)

TESTING_CASE(commands_take_plugins)
{
    for (size_t c = 0; c < COMMANDS; c++) {
        assert_one_line(run_blind("shadewood %s", commands[c]), 1, "first.ktx2",
                        "there is no feature type 'sparse-sum'", NULL);
        assert_success(run_blind("shadewood %s --plugin " TYPES_PLUGIN, commands[c]));
    }
    assert_success(run_blind("shadewood inspect --plugin " TYPES_PLUGIN " first.ktx2"));
    assert_success(run_blind("shadewood merge --plugin " TYPES_PLUGIN " -o again.ktx2 second.ktx2 first.ktx2"));
    assert_success(run("cmp merged.ktx2 again.ktx2"));
    assert_true(exists("merged.ktx2") && exists("labelled/00_labels.png"));
    assert_success(run_blind("shadewood label merged.ktx2 data/00.png -o merged -t cpu -q --plugin " TYPES_PLUGIN));
}

/* Of a type, a kind, or something else. */
TESTING_CASE(other_versions_are_refused)
{
    for (size_t c = 0; c < COMMANDS; c++) {
        assert_one_line(run_blind("shadewood %s --plugin " OLD_TYPES, commands[c]), 1,
                        OLD_TYPES " was built for another version of Shadewood: its feature types have version 3, and "
                                  "this program takes",
                        "build it again", NULL);
        assert_one_line(run_blind("shadewood %s --plugin " OLD_KINDS, commands[c]), 1,
                        OLD_KINDS " was built for another version of Shadewood: its channel kinds have version 3",
                        NULL);
        assert_one_line(run_blind("shadewood %s --plugin data/00.png", commands[c]), 1, "data/00.png cannot be loaded",
                        NULL);
    }
}

/* An object can bring the library's functions that its types need, and has the labels of the type that it copies. */
TESTING_CASE(plugins_can_be_linked_with_the_library)
{
    assert_success(run_blind("shadewood train " DATA " " QUICK " --channels rgb -o usual.ktx2"));
    assert_success(run_blind("shadewood train " DATA " " QUICK " --channels rgb --plugin " LINKED_PLUGIN
                             " --feature linked-difference -o linked.ktx2"));
    assert_success(run_blind("shadewood label usual.ktx2 data/00.png -o usual -t cpu -q"));
    assert_success(run_blind("shadewood label linked.ktx2 data/00.png -o linked -t cpu -q --plugin " LINKED_PLUGIN));
    assert_success(run("cmp usual/00_labels.png linked/00_labels.png"));
    assert_success(run_blind("shadewood explain linked.ktx2 data/00.png 3 4 -q --plugin " LINKED_PLUGIN));
}

TESTING_FIXTURE(prepare, NULL)
