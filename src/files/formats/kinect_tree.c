#include "files/formats/kinect_tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "files/formats/packed_file.h"

#define TEXT_MAX ((size_t)1 << 29) /* bytes of text of one tree */

struct scanner {
    const char *at, *end;
    const char *name;
    const struct shw_log *log;
    uint32_t line; /* from 1 */
};

#define BAD_TREE(scanner, format, ...)                                                                                 \
    shw_fail((scanner)->log, SHW_ERROR_FORMAT, SHW_LOG_FILE_READ, "%s, line %u: " format, (scanner)->name,             \
             (scanner)->line, __VA_ARGS__)

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void skip_space(struct scanner *scanner)
{
    for (; scanner->at < scanner->end && is_space(*scanner->at); scanner->at++)
        scanner->line += *scanner->at == '\n';
}

/* Reads the next number, which is `what` and must be from `low` to `high`. */
static enum shw_result scan(struct scanner *scanner, const char *what, int32_t low, int32_t high, int32_t *number)
{
    bool negative;
    int32_t value = 0;
    const char *start;

    skip_space(scanner);
    if (scanner->at == scanner->end)
        return BAD_TREE(scanner, "the text ends before %s", what);
    start = scanner->at;
    negative = *start == '-';
    scanner->at += negative;
    for (; scanner->at < scanner->end && is_digit(*scanner->at); scanner->at++)
        if (value < 1 << 24) /* farther out than all that is allowed */
            value = 10 * value + (*scanner->at - '0');
    value = negative ? -value : value;
    if (scanner->at == start + negative || (scanner->at < scanner->end && !is_space(*scanner->at)))
        return BAD_TREE(scanner, "%s is not a whole number", what);
    if (value < low || value > high)
        return BAD_TREE(scanner, "%s is not in %d..%d", what, low, high);
    *number = value;
    return SHW_OK;
}

static enum shw_result scan_test(struct scanner *scanner, struct shw_kinect_test *test)
{
    static const char *const what[] = {"the first offset in x", "the first offset in y", "the second offset in x",
                                       "the second offset in y", "the threshold of a test"};
    int16_t *const to[] = {&test->du[0], &test->dv[0], &test->du[1], &test->dv[1], &test->threshold};
    int32_t number = 0;

    for (int i = 0; i < 5; i++) {
        SHW_PROPAGATE(scan(scanner, what[i], INT16_MIN, INT16_MAX, &number));
        *to[i] = (int16_t)number;
    }
    return SHW_OK;
}

static enum shw_result scan_tree(struct scanner *scanner, struct shw_kinect_tree *tree)
{
    int32_t number = 0;
    size_t leaves, least;

    SHW_PROPAGATE(scan(scanner, "the depth", 0, SHW_KINECT_DEPTH_MAX, &number));
    tree->depth = (uint32_t)number;
    leaves = (size_t)1 << tree->depth;
    least = 10 * (leaves - 1) + 2 * leaves; /* a digit and a space each, though not before the first */
    if ((size_t)(scanner->end - scanner->at) < least)
        return BAD_TREE(scanner, "a tree of depth %u has %zu tests and %zu labels; the text is too short for them",
                        tree->depth, leaves - 1, leaves);
    tree->tests = malloc((leaves - 1) * sizeof *tree->tests + 1);
    tree->labels = malloc(leaves);
    if (tree->tests == NULL || tree->labels == NULL)
        return shw_fail_memory(scanner->log, scanner->name);
    for (size_t i = 0; i + 1 < leaves; i++)
        SHW_PROPAGATE(scan_test(scanner, &tree->tests[i]));
    for (size_t i = 0; i < leaves; i++) {
        SHW_PROPAGATE(scan(scanner, "the label of a leaf", 0, SHW_KINECT_LABELS - 1, &number));
        tree->labels[i] = (uint8_t)number;
    }
    skip_space(scanner);
    return scanner->at == scanner->end ? SHW_OK : BAD_TREE(scanner, "%s", "more text follows the last label");
}

enum shw_result shw_kinect_tree_parse(const char *text, size_t size, const char *name, const struct shw_log *log,
                                      struct shw_kinect_tree *tree)
{
    struct scanner scanner = {.at = text, .end = text + size, .name = name, .log = log, .line = 1};
    enum shw_result result;

    *tree = (struct shw_kinect_tree){0};
    result = scan_tree(&scanner, tree);
    if (result != SHW_OK)
        shw_kinect_tree_free(tree);
    return result;
}

enum shw_result shw_kinect_tree_read(const char *path, const struct shw_log *log, struct shw_kinect_tree *tree)
{
    struct shw_file_bytes text;
    enum shw_result result;

    *tree = (struct shw_kinect_tree){0};
    SHW_PROPAGATE(shw_packed_file_read(path, TEXT_MAX, log, &text));
    result = shw_kinect_tree_parse((const char *)text.bytes, text.size, path, log, tree);
    shw_file_bytes_free(&text);
    return result;
}

static uint8_t most_frequent(const uint8_t *labels, size_t count)
{
    uint32_t counts[SHW_KINECT_LABELS] = {0};
    uint8_t best = 0;

    for (size_t i = 0; i < count; i++)
        counts[labels[i]]++;
    for (uint8_t label = 1; label < SHW_KINECT_LABELS; label++)
        if (counts[label] > counts[best])
            best = label;
    return best;
}

void shw_kinect_tree_cut(struct shw_kinect_tree *tree, uint32_t depth)
{
    size_t below;

    if (tree->depth <= depth)
        return;
    below = (size_t)1 << (tree->depth - depth);
    for (size_t leaf = 0; leaf < (size_t)1 << depth; leaf++)
        tree->labels[leaf] = most_frequent(tree->labels + leaf * below, below);
    tree->depth = depth;
}

void shw_kinect_tree_free(struct shw_kinect_tree *tree)
{
    free(tree->tests);
    free(tree->labels);
    *tree = (struct shw_kinect_tree){0};
}
