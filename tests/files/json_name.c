/* Names as strings of JSON: all their bytes can be read again, whatever they are. */
#include "testing/testing.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"

static void check(const char *name)
{
    json_t *string = shw_json_name(name);
    char *read = shw_json_name_read(string);

    assert_non_null(string);
    assert_string_equal(read, name);
    free(read);
    json_decref(string);
}

/* Of bytes that are likely to be parts of characters, of U+FFFD, and of what stands for bytes. */
TESTING_CASE(names_are_read_again)
{
    static const char bytes[] = "\xef\xbf\xbd\xef\xbf\xbd"
                                "3fa/.\xc3\xa4\x80\xff\xe2\x82\xac\xf0";
    struct testing_random random = {11};

    for (unsigned turn = 0; turn < 20000; turn++) {
        char name[24];
        const uint32_t length = testing_random_below(&random, sizeof name);

        for (uint32_t i = 0; i < length; i++)
            name[i] = bytes[testing_random_below(&random, sizeof bytes - 1)];
        name[length] = '\0';
        check(name);
    }
    for (int byte = 1; byte < 256; byte++)
        check((const char[2]){(char)byte, '\0'});
}

TESTING_CASE(plain_names_stay)
{
    json_t *plain = shw_json_name("photos/\xc3\xa4.png"), *escaped = shw_json_name("a\xff.png");
    json_t *earlier = json_string("a\xef\xbf\xbd.png"); /* bytes that an earlier version has lost */
    char *read = shw_json_name_read(earlier);

    assert_string_equal(json_string_value(plain), "photos/\xc3\xa4.png");
    assert_string_equal(json_string_value(escaped), "a\xef\xbf\xbd"
                                                    "ff.png");
    assert_string_equal(read, "a\xef\xbf\xbd.png");
    assert_null(shw_json_name_read(NULL));
    free(read);
    json_decref(plain);
    json_decref(escaped);
    json_decref(earlier);
}
