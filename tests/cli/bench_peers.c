/* 'shadewood bench peers' where what it needs is missing. */
#include <string.h>

#include "program.h"

static void test_without_data_it_is_skipped(void **state)
{
    struct run result = run_blind("unset SHADEWOOD_DATA; shadewood bench peers --json skipped.json");
    char *text;
    size_t size;
    json_t *document, *row;

    (void)state;
    assert_success(result);
    text = file_bytes("skipped.json", &size);
    document = parse_json(text);
    row = json_array_get(json_object_get(document, "rows"), 0);
    assert_non_null(strstr(json_string_value(json_object_get(row, "skipped")), "--data DIR"));
    assert_true(json_is_null(json_object_get(row, "wall_ms")));
    json_decref(document);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_data_it_is_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
