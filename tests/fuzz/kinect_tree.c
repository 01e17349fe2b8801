/* Fuzz target: Kinect trees, packed or not. */
#include <stdlib.h>

#include "formats/kinect.h"
#include "formats/source.h"
#include "fuzz/messages.h"
#include "fuzz/target.h"

#define UNPACKED_MAX ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_messages messages;
    struct shw_log log = fuzz_log(&messages);
    struct shw_file_bytes text;
    struct shw_kinect_tree tree;
    struct shw_tree nodes;
    enum shw_result result =
        shw_source_unpack(&(const struct shw_import_source){.bytes = data, .size = size, .name = FUZZ_NAME},
                          UNPACKED_MAX, &log, &text, NULL);

    if (result == SHW_OK) {
        result = shw_kinect_tree_parse((const char *)text.bytes, text.size, FUZZ_NAME, &log, &tree);
        shw_file_bytes_free(&text);
        if (result == SHW_OK) {
            result = shw_kinect_nodes_make(&tree, &log, &nodes);
            if (result == SHW_OK && nodes.node_count >= (uint32_t)2 << tree.depth)
                abort();
            if (result == SHW_OK)
                shw_kinect_nodes_free(&nodes);
            shw_kinect_tree_free(&tree);
        }
    }
    fuzz_check(result, &messages);
    return 0;
}
