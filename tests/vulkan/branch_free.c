/* The traversal loop as it was compiled: no branch but the loop's own, in every fragment shader that finds leaves. (The
 * compute shader asks whether two pixels are at one node, and whether a border is near.) */
#include "testing/testing.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SPIR-V opcodes (SPIR-V specification, section 3.49). */
enum {
    OP_FUNCTION = 54,
    OP_FUNCTION_END = 56,
    OP_FUNCTION_CALL = 57,
    OP_BITWISE_OR = 197,
    OP_LOOP_MERGE = 246,
    OP_SELECTION_MERGE = 247,
    OP_LABEL = 248,
    OP_BRANCH = 249,
    OP_BRANCH_CONDITIONAL = 250,
    OP_SWITCH = 251
};

enum { HEADER_WORDS = 5 };

struct module {
    uint32_t *words;
    size_t count;
    uint32_t bound;    /* ids are smaller */
    size_t *place;     /* of an id: the word where its label or function begins, or 0 */
    uint32_t *waiting; /* blocks of the loop that are still to be looked at */
    size_t waiting_count;
    bool *seen;
};

static uint32_t opcode(const struct module *module, size_t at)
{
    return module->words[at] & 0xffffu;
}

static size_t next(const struct module *module, size_t at)
{
    assert_true(module->words[at] >> 16 > 0);
    return at + (module->words[at] >> 16);
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    assert_non_null(memory);
    return memory;
}

static struct module open_module(const char *path)
{
    struct module module = {0};
    FILE *file = fopen(path, "rb");
    long size;

    if (file == NULL)
        fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    module.count = (size_t)size / 4;
    module.words = allocate(module.count, 4);
    assert_int_equal(fread(module.words, 4, module.count, file), module.count);
    fclose(file);
    assert_true(module.count > HEADER_WORDS);
    assert_int_equal(module.words[0], 0x07230203);
    module.bound = module.words[3];
    module.place = allocate(module.bound, sizeof *module.place);
    module.waiting = allocate(module.bound, sizeof *module.waiting);
    module.seen = allocate(module.bound, sizeof *module.seen);
    for (size_t at = HEADER_WORDS; at < module.count; at = next(&module, at)) {
        if (opcode(&module, at) == OP_LABEL)
            module.place[module.words[at + 1]] = at;
        else if (opcode(&module, at) == OP_FUNCTION)
            module.place[module.words[at + 2]] = at;
    }
    return module;
}

static void close_module(struct module *module)
{
    free(module->words);
    free(module->place);
    free(module->waiting);
    free(module->seen);
}

/* What is wrong in a function that the loop calls, or NULL. */
static const char *branch_in_function(const struct module *module, uint32_t function)
{
    const char *wrong = NULL;

    for (size_t at = module->place[function]; opcode(module, at) != OP_FUNCTION_END && wrong == NULL;
         at = next(module, at))
        switch (opcode(module, at)) {
        case OP_LOOP_MERGE: wrong = "a loop in a function"; break;
        case OP_SELECTION_MERGE:
        case OP_BRANCH_CONDITIONAL:
        case OP_SWITCH: wrong = "a branch in a function"; break;
        case OP_FUNCTION_CALL: wrong = branch_in_function(module, module->words[at + 3]); break;
        default: break;
        }
    return wrong;
}

static void visit(struct module *module, uint32_t block)
{
    if (!module->seen[block]) {
        module->seen[block] = true;
        module->waiting[module->waiting_count++] = block;
    }
}

/* What is wrong in one block of the loop, or NULL. Blocks that follow it in the loop will be visited. */
static const char *branch_in_block(struct module *module, uint32_t block, uint32_t header, uint32_t merge,
                                   unsigned *exits)
{
    const char *wrong = NULL;
    const uint32_t *words;

    for (size_t at = next(module, module->place[block]);; at = next(module, at)) {
        words = module->words + at;
        switch (opcode(module, at)) {
        case OP_SELECTION_MERGE: return "a selection";
        case OP_SWITCH: return "a switch";
        case OP_LOOP_MERGE:
            if (block != header)
                return "a loop";
            break;
        case OP_FUNCTION_CALL:
            wrong = branch_in_function(module, words[3]);
            if (wrong != NULL)
                return wrong;
            break;
        case OP_BRANCH: visit(module, words[1]); return NULL;
        case OP_BRANCH_CONDITIONAL:
            if (words[2] != merge && words[3] != merge)
                return "a conditional branch";
            visit(module, words[2]);
            visit(module, words[3]);
            return ++*exits > 1 ? "a second way out" : NULL;
        case OP_LABEL:
        case OP_FUNCTION_END: return "no way back";
        default: break;
        }
    }
}

/* What is wrong in the loop whose OpLoopMerge is at word `at` of block `header`, or NULL. */
static const char *branch_in_loop(struct module *module, uint32_t header, size_t at)
{
    uint32_t merge = module->words[at + 1];
    const char *wrong = NULL;
    unsigned exits = 0;

    memset(module->seen, 0, module->bound * sizeof *module->seen);
    module->waiting_count = 0;
    module->seen[merge] = true;
    visit(module, header);
    while (module->waiting_count > 0 && wrong == NULL)
        wrong = branch_in_block(module, module->waiting[--module->waiting_count], header, merge, &exits);
    return wrong != NULL || exits == 1 ? wrong : "no way out";
}

/* What is wrong in any loop of a shader, or NULL. */
static const char *branch_in_shader(const char *path, unsigned *loops)
{
    struct module module = open_module(path);
    const char *wrong = NULL;
    uint32_t block = 0;

    *loops = 0;
    for (size_t at = HEADER_WORDS; at < module.count && wrong == NULL; at = next(&module, at))
        if (opcode(&module, at) == OP_LABEL) {
            block = module.words[at + 1];
        } else if (opcode(&module, at) == OP_LOOP_MERGE) {
            ++*loops;
            wrong = branch_in_loop(&module, block, at);
        }
    close_module(&module);
    return wrong;
}

static const char *spirv_folder(void)
{
    const char *folder = getenv("SHADEWOOD_SPIRV");

    if (folder == NULL)
        fail_msg("SHADEWOOD_SPIRV is not set: run by ctest");
    return folder;
}

TESTING_CASE(traversal_does_not_branch)
{
    char pattern[1024];
    glob_t found;
    unsigned loops;

    snprintf(pattern, sizeof pattern, "%s/*_evaluate_leaves*.spv", spirv_folder());
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 6); /* sums, means and tests/dense/holes.h, of one tree and of a group */
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *wrong = branch_in_shader(found.gl_pathv[i], &loops);
        if (wrong != NULL)
            fail_msg("%s has %s in its traversal loop", found.gl_pathv[i], wrong);
        if (loops != 2)
            fail_msg("%s has %u loops; only traversal and the levels of ferns were expected", found.gl_pathv[i], loops);
    }
    globfree(&found);
}

/* The same of record forests, by fragment: without tests of sets, and with them. */
TESTING_CASE(record_traversal_does_not_branch)
{
    static const char *const shaders[] = {"record_draw_leaves_frag", "record_draw_leaves_sets_frag"};

    for (int s = 0; s < 2; s++) {
        char path[1024];
        const char *wrong;
        unsigned loops;
        snprintf(path, sizeof path, "%s/%s.spv", spirv_folder(), shaders[s]);
        wrong = branch_in_shader(path, &loops);
        if (wrong != NULL)
            fail_msg("%s has %s in its traversal loop", path, wrong);
        assert_int_equal(loops, 1);
    }
}

/* Whether a response is undefined is asked, by the only bitwise or of these shaders, where responses can be. */
TESTING_CASE(undefined_is_asked_where_it_can_be)
{
    static const char *const types[] = {"mean_difference", "sum_difference", "holes"};

    for (int t = 0; t < 3; t++) {
        struct module module;
        unsigned count = 0;
        char path[1024];
        snprintf(path, sizeof path, "%s/%s_evaluate_leaves1.spv", spirv_folder(), types[t]);
        module = open_module(path);
        for (size_t at = HEADER_WORDS; at < module.count; at = next(&module, at))
            count += opcode(&module, at) == OP_BITWISE_OR;
        assert_int_equal(count, t == 2);
        close_module(&module);
    }
}

static void expect(const char *shader, const char *expected)
{
    char path[1024];
    const char *wrong;
    unsigned loops;

    snprintf(path, sizeof path, "%s/test_loop_%s.spv", spirv_folder(), shader);
    wrong = branch_in_shader(path, &loops);
    if (expected == NULL && wrong != NULL)
        fail_msg("%s: found %s", path, wrong);
    if (expected != NULL && (wrong == NULL || strcmp(wrong, expected) != 0))
        fail_msg("%s: found %s instead of %s", path, wrong != NULL ? wrong : "nothing", expected);
}

TESTING_CASE(branches_are_found)
{
    expect("plain", NULL);
    expect("if", "a selection");
    expect("and", "a selection");
    expect("switch", "a selection");
    expect("break", "a selection");
    expect("called", "a branch in a function");
    expect("nested", "a loop");
}
