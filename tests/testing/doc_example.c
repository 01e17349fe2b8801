#include "testing/doc_example.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *testing_doc_example(void)
{
    static const char fence[] = "```glsl\n";
    FILE *stream = fopen(SHADER_FEATURES, "r");
    char *text = calloc(1, 1u << 20), *begin, *end, *example;

    assert_non_null(stream);
    assert_non_null(text);
    assert_true(fread(text, 1, (1u << 20) - 1, stream) > 0);
    fclose(stream);
    begin = strstr(text, fence);
    assert_non_null(begin);
    begin += sizeof fence - 1;
    end = strstr(begin, "```");
    assert_non_null(end);
    example = strndup(begin, (size_t)(end - begin));
    assert_non_null(example);
    assert_non_null(strstr(example, "//!FEATURE ring\n"));
    free(text);
    return example;
}

void testing_write_doc_example(const char *path)
{
    char *text = testing_doc_example();
    FILE *stream = fopen(path, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    free(text);
}
