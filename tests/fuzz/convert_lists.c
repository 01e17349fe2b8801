/* Fuzz target: the texts that sources of `shadewood convert` have, each read as each: lists of images, of pairs, names
 * of labels, and classes. */
#include <stdlib.h>
#include <string.h>

#include "files/convert/classes.h"
#include "files/convert/scannet.h"
#include "files/convert/tum.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

#define APART 20000000

static void read_images(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_timed_list list;
    struct shw_timed_pair *pairs;
    uint32_t count;
    enum shw_result result = shw_timed_list_decode(data, size, FUZZ_NAME, &log, &list);

    fuzz_check(result, &messages);
    if (result != SHW_OK)
        return;
    result = shw_timed_match(&list, &list, APART, FUZZ_NAME, &log, &pairs, &count);
    if (result == SHW_ERROR_LIMIT)
        count = 0;
    else if (result != SHW_OK || count != list.count)
        abort();
    for (uint32_t p = 0; p < count; p++)
        if (pairs[p].colours != p || pairs[p].depth != p)
            abort();
    free(pairs);
    shw_timed_list_free(&list);
}

static void read_pairs(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_timed_list colours, depth;
    enum shw_result result = shw_timed_pairs_decode(data, size, FUZZ_NAME, &log, &colours, &depth);

    fuzz_check(result, &messages);
    if (colours.count != depth.count || (result != SHW_OK && colours.list != NULL))
        abort();
    shw_timed_list_free(&colours);
    shw_timed_list_free(&depth);
}

static void read_names(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_label_names names;
    enum shw_result result = shw_scannet_names_decode(data, size, FUZZ_NAME, NULL, &log, &names);

    fuzz_check(result, &messages);
    for (uint32_t i = 1; i < names.count; i++)
        if (names.list[i - 1].value >= names.list[i].value)
            abort();
    shw_label_names_free(&names);
}

static void read_classes(const uint8_t *data, size_t size)
{
    static char texts[3][8] = {"wall", "floor", "cup"};
    static struct shw_label_name list[] = {{1, texts[0]}, {2, texts[1]}, {3, texts[2]}};
    const struct shw_label_names names = {list, 3, 3};
    const struct shw_void_values voids = {{0}, 1};
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_class_rules rules;
    struct shw_converted_classes classes = {0};
    enum shw_result result = shw_class_rules_decode(data, size, FUZZ_NAME, &log, &rules);

    if (result == SHW_OK)
        result = shw_converted_classes_make(&names, true, &voids, &rules, "source", &log, &classes);
    fuzz_check(result, &messages);
    for (uint32_t i = 0; result == SHW_OK && i < classes.count; i++)
        if (classes.values[i].entry >= classes.palette.entry_count)
            abort();
    shw_converted_classes_free(&classes);
    shw_class_rules_free(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_images(data, size);
    read_pairs(data, size);
    read_names(data, size);
    read_classes(data, size);
    return 0;
}
