/* Runs a fuzz target over its corpus, and over damaged versions of it that are the same every time. */
#include "testing/testing.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/target.h"

enum { SIZE_MAX_READ = 1 << 20, DAMAGED_PER_FILE = 1500 };

static size_t damage(struct testing_random *random, uint8_t *bytes, size_t size)
{
    for (uint32_t n = 1 + testing_random_below(random, 4); n > 0 && size > 0; n--) {
        size_t at = testing_random_below(random, (uint32_t)size), left = size - at;
        size_t length = testing_random_below(random, left < 32 ? (uint32_t)left : 32);
        switch (testing_random_below(random, 6)) {
        case 0: size = at; break;
        case 1: /* a piece is missing */
            memmove(bytes + at, bytes + at + length, left - length);
            size -= length;
            break;
        case 2: memset(bytes + at, testing_random_below(random, 2) == 0 ? 0 : 0xff, length); break;
        case 3: memmove(bytes + at, bytes + testing_random_below(random, (uint32_t)(size - length)), length); break;
        default: bytes[at] = (uint8_t)testing_random_below(random, 256); break;
        }
    }
    return size;
}

static void replay_file(const char *path)
{
    uint8_t *bytes = malloc(SIZE_MAX_READ), *copy = malloc(SIZE_MAX_READ);
    struct testing_random random = {0};
    FILE *stream = fopen(path, "rb");
    size_t size;

    assert_non_null(bytes);
    assert_non_null(copy);
    if (stream == NULL)
        fail_msg("cannot open %s", path);
    size = fread(bytes, 1, SIZE_MAX_READ, stream);
    fclose(stream);
    random.state = testing_hash(bytes, size);
    LLVMFuzzerTestOneInput(bytes, size);
    for (int i = 0; i < DAMAGED_PER_FILE; i++) {
        memcpy(copy, bytes, size);
        LLVMFuzzerTestOneInput(copy, damage(&random, copy, size));
    }
    free(copy);
    free(bytes);
}

static void corpus_does_no_harm(void **state)
{
    DIR *folder = opendir(FUZZ_CORPUS);
    struct dirent *entry;
    unsigned files = 0;

    (void)state;
    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        char path[1024];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", FUZZ_CORPUS, entry->d_name);
        replay_file(path);
        files++;
    }
    closedir(folder);
    assert_in_range(files, 1, 100000);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {cmocka_unit_test(corpus_does_no_harm)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
