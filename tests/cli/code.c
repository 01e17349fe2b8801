/* Feature types and channel kinds as text, on the command line. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "program.h"

#include "files/project/project_texts.h"
#include "testing/doc_example.h"

#define DATA  "--data data --images '{}.png' --labels '{}_L.png'"
#define QUICK "--depth 4 --candidates 20 --pixels 100 --offset 10 --size 9 --trees 2 -t cpu -q"
#define OWN   "--feature " EXAMPLES "sparse-sum.glsl --channels " EXAMPLES "edge.glsl:2,rgb"

static int prepare(void **state)
{
    (void)state;
    make_data("data", 3);
    assert_success(run_blind("shadewood train " DATA " " QUICK " " OWN " -o own.ktx2"));
    return 0;
}

static void assert_needs_trust(struct run result)
{
    assert_one_line(result, 1, "own.ktx2 brings code of its own as text", "the feature type sparse-sum (21 lines)",
                    "the channel kind edge (25 lines)", "--trust-code", NULL);
}

TESTING_CASE(test_nothing_of_a_file_runs_unasked)
{
    assert_needs_trust(run_blind("shadewood label own.ktx2 data/00.png -o labelled -q"));
    assert_false(exists("labelled"));
    assert_needs_trust(run_blind("shadewood evaluate own.ktx2 " DATA " -q"));
    assert_needs_trust(run_blind("shadewood explain own.ktx2 data/00.png 3 4 -q"));
    assert_needs_trust(run_blind("shadewood train " DATA " " QUICK " --below own.ktx2 -o above.ktx2"));
}

TESTING_CASE(test_trusted_code_runs)
{
    struct run result;

    assert_success(run_blind("shadewood label --trust-code own.ktx2 data/00.png -o labelled -t cpu -q"));
    assert_true(exists("labelled/00_labels.png"));
    assert_success(run_blind("shadewood evaluate --trust-code own.ktx2 " DATA " -t cpu -q"));
    result = run_blind("shadewood explain --trust-code own.ktx2 data/00.png 3 4 -q");
    assert_success(result);
    assert_non_null(strstr(result.out, "tree 1"));
    assert_success(run_blind("shadewood train --trust-code --below own.ktx2 --channels " EXAMPLES
                             "edge.glsl:2,rgb -o above.ktx2 " DATA " " QUICK));
    assert_success(run_blind("shadewood label --trust-code above.ktx2 data/00.png -o above -t cpu -q"));
}

TESTING_CASE(test_inspect_shows_the_text_and_runs_nothing)
{
    struct run result;
    json_t *document, *code;

    result = run("PATH=/nowhere; XDG_CACHE_HOME=$PWD/cold; shadewood inspect own.ktx2");
    assert_success(result);
    assert_false(exists("cold"));
    assert_non_null(strstr(result.out, "feature type sparse-sum, as text with the hash "));
    assert_non_null(strstr(result.out, "\n  bool undefined()\n"));
    result = run_blind("shadewood inspect --json own.ktx2");
    assert_success(result);
    document = parse_json(result.out);
    code = json_object_get(document, "code");
    assert_int_equal(json_array_size(code), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(code, 1), "name")), "edge");
    json_decref(document);
}

/* Trees that were trained apart are put together without running anything. */
TESTING_CASE(test_merge)
{
    assert_success(run_blind("shadewood train " DATA " " QUICK " " OWN " --first-tree 2 -o more.ktx2"));
    assert_success(run_blind("shadewood merge -o four.ktx2 own.ktx2 more.ktx2"));
    assert_success(run_blind("shadewood label --trust-code four.ktx2 data/00.png -o four -t cpu -q"));
}

TESTING_CASE(test_a_text_with_an_error)
{
    static const char broken[] =
        "//!FEATURE own\n//!PARAM c\n//!TYPE channel\n\nint response()\n{\n    return wrong;\n}\n";

    make_file("broken.glsl", broken, sizeof broken - 1);
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " --feature broken.glsl -o broken.ktx2"), 1,
                    "broken.glsl:7: there is no 'wrong'", NULL);
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " --feature lost.glsl -o broken.ktx2"), 1, "lost.glsl",
                    NULL);
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " --feature nothing -o broken.ktx2"), 2,
                    "--feature takes the name of a feature type, or a file with the ending .glsl, not 'nothing'", NULL);
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " --feature " EXAMPLES "edge.glsl -o broken.ktx2"), 1,
                    "defines a channel kind", NULL);
    assert_false(exists("broken.ktx2"));
}

TESTING_CASE(test_levels)
{
    assert_success(run_blind("shadewood train " DATA " " QUICK " " OWN " --levels 2 --folds 2 -o levels.ktx2"));
    assert_success(run_blind("shadewood label --trust-code levels.ktx2 data/00.png -o levels -t cpu -q"));
}

/* Neither the compiler of shaders nor that of C is needed to do without. */
TESTING_CASE(test_a_compiler_is_missing)
{
    assert_success(
        run("mkdir alone && cp \"$SHADEWOOD_PROGRAM\" alone/ && mkdir none && ln -s \"$(command -v env)\" none/"));
    assert_one_line(run("XDG_CACHE_HOME=$PWD/cold-too; alone/shadewood train " DATA " " QUICK " " OWN " -o alone.ktx2"),
                    3, "edge.glsl cannot be compiled: shadewood-shaders.so is neither beside the program nor in", NULL);
    assert_success(run("cp \"$(dirname \"$SHADEWOOD_PROGRAM\")/shadewood-shaders.so\" alone/"));
    assert_one_line(run("export XDG_CACHE_HOME=$PWD/cold-too; PATH=$PWD/none; alone/shadewood train " DATA " " QUICK
                        " " OWN " -o alone.ktx2"),
                    3, "edge.glsl cannot be compiled: there is no C compiler, cc, gcc or clang, in PATH", NULL);
    assert_success(run("alone/shadewood train " DATA " " QUICK " -o alone.ktx2"));
}

/* Compiled types make the same forest as the same types in text, and can be used for it, too. */
TESTING_CASE(test_plugins)
{
    const char *members[] = {"own.ktx2", "plugged.ktx2"};
    char hashes[2][32];

    assert_success(run_blind("shadewood train " DATA " " QUICK " --plugin " TYPES_PLUGIN
                             " --feature sparse-sum --channels edge:2,rgb -o plugged.ktx2"));
    assert_one_line(run_blind("shadewood label plugged.ktx2 data/00.png -o plugged -t cpu -q"), 1,
                    "there is no feature type 'sparse-sum'", NULL);
    assert_success(
        run_blind("shadewood label --plugin " TYPES_PLUGIN " plugged.ktx2 data/00.png -o plugged -t cpu -q"));
    assert_success(run_blind("shadewood evaluate --plugin " TYPES_PLUGIN " plugged.ktx2 " DATA " -t cpu -q"));
    assert_success(run_blind("shadewood explain --plugin " TYPES_PLUGIN " plugged.ktx2 data/00.png 3 4 -q"));
    assert_success(run_blind("shadewood label --trust-code own.ktx2 data/00.png -o by-text -t cpu -q"));
    assert_success(run("cmp plugged/00_labels.png by-text/00_labels.png"));
    for (int i = 0; i < 2; i++) {
        struct run result =
            run_blind(i == 0 ? "shadewood train " DATA " " QUICK " " OWN " --json --overwrite -o own.ktx2"
                             : "shadewood train " DATA " " QUICK " --plugin " TYPES_PLUGIN
                               " --feature sparse-sum --channels edge:2,rgb --json --overwrite -o "
                               "plugged.ktx2");
        json_t *document = parse_json(result.out);

        snprintf(hashes[i], sizeof hashes[i], "%s", json_string_value(json_object_get(document, "hash")));
        assert_string_equal(json_string_value(json_object_get(document, "forest")), members[i]);
        json_decref(document);
    }
    assert_string_equal(hashes[0], hashes[1]);
    assert_one_line(run_blind("shadewood train " DATA " " QUICK " --plugin lost.so -o lost.ktx2"), 1,
                    "lost.so cannot be loaded", NULL);
}

/* A project with the feature of docs/shader-features.md: the text is inside the file. */
TESTING_CASE(test_projects)
{
    struct shw_project *project = NULL;
    char *text = testing_doc_example();
    struct shw_code_made made;
    struct run result;

    make_project("p.json", "data/00.png");
    testing_write_doc_example(testing_path("work/ring.glsl"));
    assert_int_equal(shw_project_read(testing_path("work/p.json"), NULL, &project), SHW_OK);
    assert_int_equal(shw_code_make("ring.glsl", text, strlen(text), SHW_CODE_LOOK, NULL, &made), SHW_OK);
    assert_int_equal(shw_project_put_text(project, "ring.glsl", &made), SHW_OK);
    assert_int_equal(shw_project_write(project, testing_path("work/p.json")), SHW_OK);
    shw_project_destroy(&project);
    free(text);

    assert_one_line(run_blind("shadewood train p.json -t cpu -q -o p.ktx2"), 1,
                    "p.json brings code of its own as text: the feature type ring (17 lines)", "--trust-code", NULL);
    assert_one_line(run_blind("shadewood label p.json data/00.png -o by-project -q"), 1, "p.json brings code", NULL);
    assert_one_line(run_blind("shadewood tune p.json --trials 1 -o tuned.json -q"), 1, "p.json brings code", NULL);
    assert_success(run_blind("shadewood train p.json --trust-code -t cpu -q -o p.ktx2"));
    assert_success(run_blind("shadewood label p.json data/00.png --trust-code -t cpu -o by-project -q"));
    assert_success(run_blind("shadewood label p.json data/00.png --trust-code -t cpu -o by-project -q"));
    assert_success(run_blind("shadewood label p.ktx2 data/00.png --trust-code -t cpu -o by-forest -q"));
    assert_success(run("cmp by-project/00_labels.png by-forest/00_labels.png"));
    assert_one_line(run_blind("shadewood train p.json --trust-code --feature pixel-difference -o no.ktx2"), 2,
                    "the project 'p.json' defines the feature type", NULL);

    assert_success(run_blind("shadewood tune p.json --trust-code --trials 1 --trees 1 -t cpu -o tuned.json -q"));
    assert_one_line(run_blind("shadewood tune " DATA " --trust-code --trials 1 -o tuned.json"), 2,
                    "--trust-code is for a project", NULL);

    /* A file that has changed since is told of, and the project's own text is what is used. */
    make_file("ring.glsl", "//!FEATURE ring\n", 16);
    result = run_blind("shadewood train p.json --trust-code -t cpu --overwrite -o p.ktx2");
    assert_int_equal(result.code, 0);
    assert_non_null(strstr(result.err, "ring.glsl has changed since p.json was saved"));
}

TESTING_CASE(test_calibrate)
{
    assert_one_line(run_blind("shadewood calibrate own.ktx2 " DATA " -t cpu -q -o calibrated.ktx2"), 1,
                    "own.ktx2 brings code", NULL);
    assert_success(run_blind("shadewood calibrate --trust-code own.ktx2 " DATA " -t cpu -q -o calibrated.ktx2"));
    assert_success(
        run_blind("shadewood evaluate --trust-code --calibrated --reliability calibrated.ktx2 " DATA " -t cpu -q"));
    assert_success(run_blind("shadewood calibrate --plugin " TYPES_PLUGIN " plugged.ktx2 " DATA
                             " -t cpu -q -o calibrated-too.ktx2"));
}

TESTING_FIXTURE(prepare, NULL)
