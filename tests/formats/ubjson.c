/* UBJSON: values of every type, and bytes that are none; how many values models may have. */
#include "testing/testing.h"

#include <float.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "formats/json_model.h"

/* Bytes as a string literal, with zero bytes. */
#define BYTES(text) text, sizeof(text) - 1

/* In memory of their own, so that a read behind their end is seen. */
static enum shw_result parse(const char *bytes, size_t size, const struct shw_log *log, json_t **value)
{
    uint8_t *copy = malloc(size + (size == 0));
    enum shw_result result;

    assert_non_null(copy);
    memcpy(copy, bytes, size);
    result = shw_ubjson_parse(copy, size, "some.ubj", log, value);
    free(copy);
    return result;
}

static void check(const char *bytes, size_t size, const char *expected)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    json_t *value = NULL, *same = json_loads(expected, JSON_DECODE_ANY, NULL);

    assert_non_null(same);
    assert_int_equal(parse(bytes, size, &log, &value), SHW_OK);
    if (!json_equal(value, same))
        fail_msg("%s instead of %s", json_dumps(value, JSON_ENCODE_ANY), expected);
    json_decref(value);
    json_decref(same);
}

TESTING_CASE(values_of_all_types_are_read)
{
    check(BYTES("Z"), "null");
    check(BYTES("T"), "true");
    check(BYTES("NNF"), "false");
    check(BYTES("i\x80"), "-128");
    check(BYTES("U\xff"), "255");
    check(BYTES("I\x80\x01"), "-32767");
    check(BYTES("l\x7f\xff\xff\xff"), "2147483647");
    check(BYTES("l\xff\xff\xff\xfe"), "-2");
    check(BYTES("L\x80\0\0\0\0\0\0\0"), "-9223372036854775808");
    check(BYTES("d\xbf\xc0\0\0"), "-1.5");
    check(BYTES("D\x3f\xf8\0\0\0\0\0\0"), "1.5");
    check(BYTES("H"
                "i\6"
                "12.5e1"),
          "125.0");
    check(BYTES("CA"), "\"A\"");
    check(BYTES("Si\2\xc3\xa4"), "\"\xc3\xa4\"");
    check(BYTES("Si\0"), "\"\"");
    check(BYTES("[]"), "[]");
    check(BYTES("[NTNFN]N"), "[true, false]");
    check(BYTES("[#i\2ZT"), "[null, true]");
    check(BYTES("[$i#U\3\1\2\xff"), "[1, 2, -1]");
    check(BYTES("[$I#I\0\2\0\1\xff\xff"), "[1, -1]");
    check(BYTES("[$l#l\0\0\0\1\0\0\1\0"), "[256]");
    check(BYTES("[$L#L\0\0\0\0\0\0\0\1\0\0\0\1\0\0\0\0"), "[4294967296]");
    check(BYTES("[$d#i\2\x3f\x80\0\0\xbf\x80\0\0"), "[1.0, -1.0]");
    check(BYTES("[$D#i\1\x3f\xf0\0\0\0\0\0\0"), "[1.0]");
    check(BYTES("[$C#i\2ab"), "[\"a\", \"b\"]");
    check(BYTES("[$S#i\2i\1ai\0"), "[\"a\", \"\"]");
    check(BYTES("[$[#i\2]$i#i\1\7"), "[[], [7]]");
    check(BYTES("{}"), "{}");
    check(BYTES("{i\1aTi\1b[]}"), "{\"a\": true, \"b\": []}");
    check(BYTES("{#i\1i\2keZ"), "{\"ke\": null}");
    check(BYTES("{$U#i\2i\1a\1i\1b\xff"), "{\"a\": 1, \"b\": 255}");
}

TESTING_CASE(numbers_that_json_lacks_are_kept)
{
    static const char bytes[] = "[$d#i\4\x7f\x80\0\0\xff\x80\0\0\x7f\xc0\0\0\x3f\x80\0\0";
    json_t *array = NULL;

    assert_int_equal(parse(bytes, sizeof bytes - 1, NULL, &array), SHW_OK);
    assert_true(shw_json_number(json_array_get(array, 0)) > DBL_MAX);
    assert_true(shw_json_number(json_array_get(array, 1)) < -DBL_MAX);
    assert_true(shw_json_number(json_array_get(array, 2)) != shw_json_number(json_array_get(array, 2)));
    assert_true(shw_json_number(json_array_get(array, 3)) == 1);
    json_decref(array);
}

static void refuse(const char *bytes, size_t size, const char *reason)
{
    struct testing_log memory;
    struct shw_log log = testing_log(&memory);
    json_t *value = NULL;

    log.level = SHW_LOG_ERROR;
    assert_int_equal(parse(bytes, size, &log, &value), SHW_ERROR_FORMAT);
    assert_null(value);
    assert_int_equal(memory.errors, 1);
    if (strncmp(memory.last, "some.ubj, byte ", 15) != 0 || strstr(memory.last, reason) == NULL)
        fail_msg("no '%s' in: %s", reason, memory.last);
}

TESTING_CASE(other_bytes_are_refused)
{
    char nested[200];

    refuse(BYTES(""), "the file ends");
    refuse(BYTES("x"), "0x78 is not a type");
    refuse(BYTES("\0"), "0x00 is not a type");
    refuse(BYTES("l\0\0\0"), "4 bytes or more; 3 are left");
    refuse(BYTES("TT"), "1 bytes follow the value");
    refuse(BYTES("Si\5abc"), "the file ends");
    refuse(BYTES("Si\xff"), "a size is -1");
    refuse(BYTES("SZ"), "a size is needed");
    refuse(BYTES("Si\1\xff"), "not UTF-8");
    refuse(BYTES("C\xff"), "not UTF-8");
    refuse(BYTES("Hi\3abc"), "written as text");
    refuse(BYTES("Hi\4true"), "written as text");
    refuse(BYTES("[T"), "the file ends");
    refuse(BYTES("[$i\1\1"), "no number of them");
    refuse(BYTES("[$Z#L\x7f\xff\xff\xff\xff\xff\xff\xff"), "0x5a is not supported");
    refuse(BYTES("[$\0#i\1"), "0x00");
    refuse(BYTES("[#L\x7f\xff\xff\xff\xff\xff\xff\xff"), "larger than the rest of the file");
    refuse(BYTES("[$L#l\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"), "larger than the rest of the file");
    refuse(BYTES("[#i\xfe"), "a size is -2");
    refuse(BYTES("{i\1aTi\1aF}"), "second member \"a\"");
    refuse(BYTES("{i\2a\0T}"), "zero byte");
    refuse(BYTES("{T"), "a size is needed");
    memset(nested, '[', sizeof nested);
    refuse(nested, sizeof nested, "nested more than 64 deep");
}

/* Of text, too: commas pack well, and each may be a value that takes memory. */
TESTING_CASE(too_many_values_are_refused)
{
    static const char begin[] = "{\"learner\": [0";
    const size_t size = sizeof begin + SHW_JSON_VALUES_MAX;
    char *text = malloc(size);
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    json_t *root = NULL;

    assert_non_null(text);
    memset(text, ',', size);
    memcpy(text, begin, sizeof begin - 1);
    assert_int_equal(shw_json_model_parse((const uint8_t *)text, size, "some.json", &log, &root), SHW_ERROR_LIMIT);
    assert_non_null(strstr(memory.last, "some.json: the JSON has more than 134217728 values"));
    free(text);
}

/* What the values of an array or object begin with, until something is wrong, which is '!'. */
static void check_skimmed(const char *text, char bracket, const char *expected)
{
    size_t size = strlen(text), found = 0;
    char *copy = malloc(size + 1), begins[16] = "";
    const struct shw_json_slice value = {copy, size};
    struct shw_json_skim skim;
    struct shw_json_slice name, inner;
    enum shw_json_step step = SHW_JSON_WRONG;

    assert_non_null(copy);
    memcpy(copy, text, size);
    if (shw_json_skim_begin(&value, bracket, &skim))
        while (found + 2 < sizeof begins && (step = shw_json_skim_next(&skim, &name, &inner)) == SHW_JSON_VALUE)
            begins[found++] = bracket == '{' && name.size > 0 ? name.text[0] : inner.text[0];
    if (step == SHW_JSON_WRONG)
        begins[found] = '!';
    assert_string_equal(begins, expected);
    free(copy);
}

TESTING_CASE(parts_of_text_are_found)
{
    static const char text[] = "{\n \"a\": [1],\n \"b\": [NaN,\n  2, +]}";
    const struct shw_json_slice part = {strstr(text, "[NaN"), strlen(strstr(text, "[NaN")) - 1};
    struct testing_log memory;
    const struct shw_log log = testing_log(&memory);
    json_t *value = NULL;

    check_skimmed("[]", '[', "");
    check_skimmed(" [ ] x", '[', "");
    check_skimmed("[1]", '{', "!");
    check_skimmed("", '[', "!");
    check_skimmed("[", '[', "!");
    check_skimmed("[1, \"]\\\"\", {\"c\": \"}\"},[[2],3] ,-4]", '[', "1\"{[-");
    check_skimmed("[1,]", '[', "1!");
    check_skimmed("[1 2]", '[', "1!");
    check_skimmed("[,1]", '[', "!");
    check_skimmed("[1, \"", '[', "1\"!");
    check_skimmed("{\"a\": 1, \"b\" : [2, {}] }", '{', "ab");
    check_skimmed("{\"a\": 1, b: 2}", '{', "a!");
    check_skimmed("{\"a\" 1}", '{', "!");
    check_skimmed("{\"a\": 1", '{', "a!");
    check_skimmed("{\"a\":}", '{', "!");

    assert_int_equal(shw_json_part_parse(text, &part, 100, "some.json", &log, &value), SHW_ERROR_FORMAT);
    assert_non_null(strstr(memory.last, "some.json, line 4, column 6: "));
    assert_int_equal(shw_json_part_parse(text, &part, 3, "some.json", &log, &value), SHW_ERROR_LIMIT);
    assert_null(value);
}
