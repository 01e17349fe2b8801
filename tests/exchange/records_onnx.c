/* ONNX models: what they say of records, and what is refused. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange/record_models.h"
#include "exchange/record_open.h"
#include "image/file_bytes.h"

static void test_models(void **state)
{
    static const char *const names[] = {"binary", "binary-raw", "binary-positive", "classes", "each-class", "turns",
                                        "zero",   "targets",    "double",          "probit",  "ensemble"};
    char name[64];

    (void)state;
    for (size_t m = 0; m < sizeof names / sizeof *names; m++) {
        snprintf(name, sizeof name, "onnx-%s", names[m]);
        check_record_model(name, "onnx", "onnx");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
