/* 'shadewood bench --plugin': techniques of shared objects along with ours. */
#include <stdlib.h>
#include <string.h>

#include "program.h"

enum { FAILURE = 1, USAGE = 2 };

#define SMALL "shadewood bench pipeline -q --size 40x24 --runs 3 --json rows.json "

/* The row of a stage and technique, and how many rows the technique has. */
static json_t *find_row(json_t *document, const char *stage, const char *technique, unsigned *count)
{
    json_t *rows = json_object_get(document, "rows"), *row, *found = NULL;
    size_t i;

    *count = 0;
    json_array_foreach(rows, i, row)
    {
        if (strcmp(json_string_value(json_object_get(row, "technique")), technique) != 0)
            continue;
        (*count)++;
        if (strcmp(json_string_value(json_object_get(row, "stage")), stage) == 0)
            found = row;
    }
    return found;
}

static json_t *read_rows(void)
{
    size_t size;
    char *text = file_bytes("rows.json", &size);
    json_t *document = parse_json(text);

    free(text);
    return document;
}

static void expect_row(json_t *document, const char *stage, const char *technique, bool custom, bool equal,
                       unsigned rows)
{
    unsigned count;
    json_t *row = find_row(document, stage, technique, &count);

    if (row == NULL || count != rows)
        fail_msg("%s has %u rows, not %u, and for %s %s", technique, count, rows, stage, row != NULL ? "one" : "none");
    assert_true(json_is_boolean(json_object_get(row, "custom")) &&
                json_is_true(json_object_get(row, "custom")) == custom);
    assert_true(json_is_true(json_object_get(row, "equals_cpu")) == equal);
    assert_true(json_is_object(json_object_get(row, "wall_ms")));
    assert_non_null(strstr(json_string_value(json_object_get(row, "id")), technique));
}

TESTING_CASE(test_the_example_is_timed_with_ours)
{
    struct run result;
    json_t *document;

    if (run("shadewood devices").code != 0)
        testing_skip("no Vulkan device");
    result = run(SMALL "--technique cpu,row-wise --plugin '%s'", EXAMPLE_TECHNIQUE);
    assert_success(result);
    assert_non_null(strstr(result.out, "row-wise"));
    document = read_rows();
    expect_row(document, "evaluate", "row-wise", true, true, 3);
    expect_row(document, "whole", "row-wise", true, true, 3);
    expect_row(document, "label", "row-wise", true, true, 3);
    expect_row(document, "evaluate", "cpu", false, true, 5);
    json_decref(document);
}

/* Without a device, techniques on the host remain. */
TESTING_CASE(test_wrong_results_are_told)
{
    struct run result =
        run_blind(SMALL "--technique cpu,plain --plugin '%s' --plugin '%s'", HOST_PLUGIN, EXAMPLE_TECHNIQUE);
    json_t *document;

    assert_success(result);
    document = read_rows();
    expect_row(document, "integrate", "plain", true, true, 2);
    expect_row(document, "label", "plain", true, true, 2);
    json_decref(document);
    result = run_blind(SMALL "--plugin '%s'", HOST_PLUGIN);
    assert_int_equal(result.code, FAILURE);
    assert_non_null(strstr(result.err, "2 of "));
    document = read_rows();
    expect_row(document, "integrate", "lazy", true, false, 2);
    expect_row(document, "label", "lazy", true, false, 2);
    expect_row(document, "integrate", "plain", true, true, 2);
    expect_row(document, "label", "cpu", false, true, 5);
    json_decref(document);
}

TESTING_CASE(test_what_is_no_plugin)
{
    make_file("text.so", "text", 4);
    assert_one_line(run(SMALL "--plugin missing.so"), FAILURE, "missing.so cannot be loaded", NULL);
    assert_one_line(run(SMALL "--plugin text.so"), FAILURE, "text.so cannot be loaded", NULL);
    assert_one_line(run(SMALL "--plugin '%s'", EMPTY_PLUGIN), FAILURE, "exports no shadewood_techniques", NULL);
    assert_one_line(run(SMALL "--plugin '%s'", OLDER_PLUGIN), FAILURE, "version 2", NULL);
    assert_one_line(run(SMALL "--plugin '%s' --plugin '%s'", HOST_PLUGIN, HOST_PLUGIN), FAILURE,
                    "already a technique plain", NULL);
    assert_one_line(run(SMALL "--plugin '%s' --technique cpu,lax", HOST_PLUGIN), USAGE, "'lax'", NULL);
    assert_one_line(run(SMALL "--technique row-wise"), USAGE, "'row-wise'", NULL);
}
