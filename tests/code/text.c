/* Texts of feature types and channel kinds: what is understood, and that nothing else is. */
#include "testing/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_bytes.h"
#include "code/mutants.h"
#include "files/code/text.h"

#define HEAD    "//!FEATURE own\n//!PARAM c\n//!TYPE channel\n//!PARAM a\n//!TYPE rectangle\n//!OF c\n"
#define NUMBER  "//!PARAM n\n//!MINIMUM 1\n//!MAXIMUM 9\n"
#define KIND    "//!CHANNEL own\n//!OUTPUT one\n//!MAXIMUM 100\n"
#define MUTANTS (TESTING_SANITIZED ? 3000u : 20000u) /* of each example */
#define TRY     "int response() { "

/* What was said; thousands of errors are not printed. */
struct said {
    unsigned errors;
    char last[1024];
};

static void listen(void *user, enum shw_log_level level, enum shw_log_item item, const char *text)
{
    struct said *said = user;

    (void)item;
    said->errors += level == SHW_LOG_ERROR;
    snprintf(said->last, sizeof said->last, "%s", text);
}

static struct shw_code_text *read_text(const char *text, struct said *memory)
{
    const struct shw_log log = {.function = listen, .user = memory};
    struct shw_code_text *read = NULL;

    *memory = (struct said){.errors = 0};
    (void)shw_code_text_read("own.glsl", text, strlen(text), &log, &read);
    return read;
}

static void assert_read(const char *text)
{
    struct said memory;
    struct shw_code_text *read = read_text(text, &memory);

    if (read == NULL)
        print_error("%s: %s\n", text, memory.last);
    assert_non_null(read);
    shw_code_text_free(&read);
}

static void assert_refused(const char *text, const char *message)
{
    struct said memory;
    struct shw_code_text *read = read_text(text, &memory);

    if (read != NULL || strstr(memory.last, message) == NULL)
        print_error("%s\nsays '%s', not '%s'\n", text, read != NULL ? "nothing" : memory.last, message);
    assert_null(read);
    assert_int_equal(memory.errors, 1);
    assert_non_null(strstr(memory.last, message));
}

#define ROW "//!PASS row\n//!MAXIMUM 100\n"
#define ONE "int one() { return 1; }"

TESTING_CASE(test_passes)
{
    struct said memory;
    struct shw_code_text *text =
        read_text(KIND "//!REACH 3\n//!PASS grey-row\n//!MAXIMUM 100\n//!REACH 24\n//!PASS unread\n//!MAXIMUM 1\n"
                       "int grey_row() { return luma(0, 0) & 63; }\nint unread() { return grey_row(0, 0); }\n"
                       "int one() { return grey_row(0, 3); }",
                  &memory);

    assert_null(text); /* what reads images has a reach of 8 */
    text = read_text(KIND "//!PASS light\n//!MAXIMUM 4080\n//!PASS grey-row\n//!MAXIMUM 100\n//!REACH 24\n"
                          "//!OUTPUT two\n//!MAXIMUM 9\n//!REACH 3\nint light() { return luma(0, 0); }\n"
                          "int helper() { return light(-24, 0); }\nint grey_row() { return helper() / 4; }\n"
                          "int one() { return grey_row(0, 3) / 2 + light(0, 0); }\nint two() { return blue(1, 1); }",
                     &memory);
    assert_non_null(text);
    assert_int_equal(text->pass_count, 2);
    assert_true(text->passes[0].reading.inputs);
    assert_int_equal(text->passes[0].reading.planes, 0);
    assert_false(text->passes[1].reading.inputs);
    assert_int_equal(text->passes[1].reading.planes, 1);
    assert_int_equal(text->passes[1].reading.reach, 24);
    assert_true(text->reading.inputs);
    assert_int_equal(text->reading.planes, 3);
    assert_int_equal(text->reading.reach, 3);
    assert_int_equal(text->radius, 3);
    shw_code_text_free(&text);
}

TESTING_CASE(test_what_is_understood)
{
    assert_read(HEAD "int response() { return sum(c, a); }");
    assert_read(HEAD "int response() { return quotient(mean(c, a), pixels(a)); }");
    assert_read(HEAD NUMBER
                "const int K = 3 * 2;\nint twice(int x, bool b) { return b ? 2 * x : x; }\n"
                "int response() { int s = 0; uint m = uint(n) << 2; if (m > 3u && n != K) s += K; else { s--; }"
                " return twice(s, true) + int(m % 5u) + sum_at(c, -n, -n, n, n) / n; }");
    assert_read(KIND "//!INPUT depth\n//!PARAM d\n//!MINIMUM 1\n//!MAXIMUM 3\n//!REACH d * 2\n"
                     "int one() { return plane(d, -d) - luma(0, 0); }");
}

TESTING_CASE(test_files_and_lines)
{
    assert_refused(HEAD TRY "return 0; }\nint more()\n{\n    return wrong;\n}\n", "own.glsl:10: there is no 'wrong'");
    assert_refused(HEAD "int response()\n{\n    int a = 1;\n    return 0;\n}\n", "own.glsl:9: there is already a 'a'");
    assert_refused("//!FEATURE own\n//!NONSENSE\n", "own.glsl:2: there is no //!NONSENSE");
    assert_refused("//!FEATURE own\n/*\n\n", "own.glsl:1: a feature type needs a parameter of the type channel");
    assert_refused(HEAD "/* comment\n", "own.glsl:7: the comment has no end");
}

/* Some editors begin texts with a byte order mark. */
TESTING_CASE(test_byte_order_mark)
{
    assert_read("\xef\xbb\xbf" HEAD "int response() { return 0; }");
    assert_read("\xef\xbb\xbf\n" HEAD "int response() { return 0; }");
    assert_refused("\xef\xbb\xbf" HEAD "int response()\n{ return wrong; }", "own.glsl:8: there is no 'wrong'");
    assert_refused("\xef\xbb\xbf\xef\xbb\xbf" HEAD "int response() { return 0; }", "own.glsl:2: ");
    assert_refused("\xef\xbb\xbf", "own.glsl:1: the text has no //!FEATURE or //!CHANNEL");
}

TESTING_CASE(test_heads)
{
    assert_refused("", "own.glsl:1: the text has no //!FEATURE or //!CHANNEL");
    assert_refused("//!FEATURE Own\n", "a name of 1 to 31 lower-case letters");
    assert_refused("//!FEATURE own\n//!CHANNEL own\n", "own.glsl:2: a text is one feature type or one channel kind");
    assert_refused("//!PARAM c\n", "own.glsl:1: //!FEATURE or //!CHANNEL and a name come first");
    assert_refused("//!FEATURE own more\n", "own.glsl:1: nothing more is expected after //!FEATURE");
    assert_refused("//!FEATURE own\n//!TYPE int\n", "own.glsl:2: //!TYPE comes after //!PARAM");
    assert_refused("//!FEATURE own\n//!PARAM c\n//!TYPE float\n", "own.glsl:3: //!TYPE is int");
    assert_refused("//!FEATURE own\n//!PARAM c\n//!PARAM c\n", "own.glsl:3: there is already a parameter 'c'");
    assert_refused(HEAD "//!PARAM n\n" TRY "return 0; }", "n needs //!MINIMUM and //!MAXIMUM");
    assert_refused(HEAD "//!PARAM n\n//!MINIMUM 9\n//!MAXIMUM 1\n" TRY "return 0; }", "is greater than its MAXIMUM");
    assert_refused(HEAD "//!PARAM n\n//!MINIMUM 1.5\n", "numbers are integers");
    assert_refused(HEAD "//!PARAM n\n//!MAXIMUM 65537\n", "a number from -65536 to 65536");
    assert_refused(HEAD "//!PARAM b\n//!TYPE rectangle\n//!PARAM n\n//!MINIMUM 0\n//!MAXIMUM 1\n" TRY "return 0; }",
                   "more than four words");
    assert_refused(HEAD "//!REACH n\n", "there is no parameter 'n' above");
    assert_refused(HEAD "//!REACH 1, 2\n", "one expression, or four");
    assert_refused(HEAD "//!REACH 1 / 0\n", "a divisor is a number greater than 0");
    assert_refused(HEAD NUMBER "//!REACH n * 65536 * 65536\n" TRY "return 0; }", "could leave the range");
    assert_refused(HEAD "//!REACH greatest(c)\n", "greatest() is for //!BOUND");
    assert_refused(HEAD "//!OUTPUT one\n", "//!OUTPUT comes after //!CHANNEL");
    assert_refused(KIND "//!REACH 9\nint one() { return 0; }", "the reach of a channel kind is 0 to 8");
    assert_refused("//!CHANNEL own\n", "a channel kind needs //!OUTPUT");
    assert_refused(HEAD "//!PASS row\n", "//!PASS comes after //!CHANNEL");
    assert_refused(KIND "//!PASS row\n" ONE, "the pass row needs //!MAXIMUM");
    assert_refused(KIND "//!PASS row\n//!MAXIMUM 32768\n", "a number from 1 to 32767");
    assert_refused(KIND "//!PASS row\n//!FRACTION 2\n", "//!FRACTION comes after //!OUTPUT");
    assert_refused(KIND ROW ONE, "there is no function int row()");
    assert_refused(KIND "//!PASS one\n", "there is already an output 'one'");
    assert_refused(KIND ROW ROW, "there is already a pass 'row'");
    assert_refused(KIND ROW "//!REACH 1\n//!REACH 2\n", "the pass row has a //!REACH already");
    assert_refused(KIND ROW "//!REACH 25\nint row() { return 1; }\n" ONE, "the reach of a pass is 0 to 24");
    assert_refused(KIND ROW "//!REACH 9\nint row() { return red(0, 0); }\n" ONE, "what reads images is 0 to 8");
    assert_refused(KIND ROW "//!REACH 5\n//!OUTPUT two\n//!MAXIMUM 1\n//!REACH 9\nint row() { return 1; }\n"
                            "int two() { return row(9, 9) + luma(0, 0); }\n" ONE,
                   "what reads images is 0 to 8");
    assert_refused(KIND ROW "int row() { return row(0, 0); }\n" ONE, "there is no function 'row' above");
    assert_refused(KIND ROW "int row() { return 1; }\nint one() { return row(); }", "read at a distance: row(dx, dy)");
    assert_refused(KIND ROW "int row() { return 1; }\nint one() { return row(1); }", "',' is expected");
    assert_refused(KIND ROW "int row() { return 1; }\nint one() { return row(true, 0); }", "is of the type bool");
    assert_refused(KIND ROW "int row(int x) { return x; }\n" ONE, "it must be int row(), without arguments");
    assert_refused(KIND ROW "//!PASS late\n//!MAXIMUM 1\nint late() { return 1; }\n"
                            "int row() { return late(0, 0); }\n" ONE,
                   "the pass row reads late, whose //!PASS must come before");
    assert_refused(KIND "//!PASS a\n//!REACH 8\n//!MAXIMUM 1\n//!PASS b\n//!REACH 24\n//!MAXIMUM 1\n"
                        "//!PASS d\n//!REACH 1\n//!MAXIMUM 1\nint a() { return luma(8, 0); }\n"
                        "int b() { return a(24, 0); }\nint d() { return b(1, 0); }\n" ONE,
                   "with the passes before, the reach is 33, but at most 32");
    assert_refused(KIND "int two() { return 0; }", "there is no function int one()");
    assert_refused(HEAD "bool response() { return true; }", "it must be int response()");
    assert_refused(HEAD "float response() { return 0; }", "own.glsl:7: there is no 'float' here: numbers are int");
    assert_refused(HEAD "void main() { }", "there is no 'void' here: a function returns an int, uint or bool");
    assert_refused(HEAD "#define K 3\n",
                   "own.glsl:7: there are no # directives here: a constant is const int NAME = 3");
    assert_refused(HEAD "int other() { return 0; }", "there is no function int response()");
}

/* What would do more than compute numbers, and everything that C has and GLSL has not, or the other way round. */
TESTING_CASE(test_the_subset)
{
    static const struct {
        const char *body, *message;
    } refused[] = {
        {"#include <stdio.h>", "there are no # directives"},
        {"#define shw_int 3", "there are no # directives"},
        {"#pragma once", "there are no # directives"},
        {"asm(\"int3\");", "there is no variable 'asm'"},
        {"return \"text\";", "'\"' has no meaning here"},
        {"__asm__(0);", "there is no variable '__asm__'"},
        {"int *p = 0;", "a name is expected, not '*'"},
        {"int q = &b;", "a value is expected, not '&'"},
        {"int q = 0; *(&q) = 1;", "a statement is expected, not '*'"},
        {"int q[3] = 0;", "the values of an array are in braces"},
        {"int q[0];", "an array has 1 to 256 elements"},
        {"int q[257];", "an array has 1 to 256 elements"},
        {"int q[n];", "an array has 1 to 256 elements"},
        {"int q[-1];", "an array has 1 to 256 elements"},
        {"int q[256]; int r[256]; int s[256]; int t[256]; int u[1];", "more than 1024 elements"},
        {"int q[2] = {1};", "the array has 2 elements, not 1"},
        {"int q[2] = {1, 2, 3};", "the array has only 2 elements"},
        {"int q[2] = int[3](1, 2);", "the array has 2 elements"},
        {"int q[2] = {1, true};", "the element is of the type bool, not int"},
        {"const int q[2];", "a constant array needs values"},
        {"const int q[1] = {1}; q[0] = 2;", "q cannot be assigned"},
        {"int q[2]; q = 1;", "q is an array, which is used element by element"},
        {"int q[2]; return q;", "q is an array"},
        {"int q[2]; return q[1u];", "the index is of the type uint, not int"},
        {"int q[2]; return q[true];", "the index is of the type bool, not int"},
        {"int q[2]; int q[3];", "there is already a 'q'"},
        {"int q = 1; return q[0];", "';' is expected, not '['"},
        {"return n[0];", "';' is expected, not '['"},
        {"break;", "break and continue are for loops"},
        {"for (int i = 0; i < 3; i++) { } continue;", "break and continue are for loops"},
        {"extern int q;", "there is no 'extern' here: "},
        {"static int q = 0;", "there is no 'static' here: "},
        {"goto there;", "there is no 'goto' here: "},
        {"while (true) { }", "there is no 'while' here: "},
        {"do { } while (true);", "there is no 'do' here: "},
        {"switch (1) { }", "there is no 'switch' here: "},
        {"float q = 1.0;", "there is no 'float' here: "},
        {"int q = 1.0;", "numbers are integers"},
        {"while (n > 0) { }", "for (int i = 0; i < 100; i++) with break does the same, with a limit"},
        {"float q = 1.0;", "numbers are int or uint: scale them, as in x * 256 / 3"},
        {"const float q = 1.0;", "there is no 'float' here: numbers are int or uint"},
        {"int q = int(vec2(1, 2).x);", "there is no 'vec2' here: numbers are int or uint"},
        {"ivec2 q = ivec2(1, 2);", "there is no 'ivec2' here: a vector is several variables"},
        {"int q = float;", "there is no 'float' here"},
        {"return texelFetch(0, 0);", "there is no 'texelFetch' here: what is read comes from value(), sum()"},
        {"int q = 'x';", "''' has no meaning here"},
        {"int q = 010;", "may not begin with 0"},
        {"int q = 2147483648;", "needs the suffix u"},
        {"int q = 99999999999;", "greater than 4294967295"},
        {"system(0);", "there is no variable 'system'"},
        {"return system(0);", "there is no function 'system' above"},
        {"return shw_integral(c, 0, 0);", "there is no function 'shw_integral'"},
        {"return context;", "there is no 'context'"},
        {"return user;", "there is no 'user'"},
        {"return response();", "there is no function 'response' above; functions do not call themselves"},
        {"int q; return 0;", "q needs a first value"},
        {"int q = 1; int q = 2;", "there is already a 'q'"},
        {"int x = 1; { int x = 2; }", "there is already a 'x'"},
        {"int sum = 1;", "there is already a 'sum'"},
        {"int a__b = 1;", "two underscores"},
        {"int for = 1;", "'for' cannot be a name"},
        {"int x = 1; int y = x = 2;", "';' is expected, not '='"},
        {"int x = 1; int y = x++;", "';' is expected, not '++'"},
        {"int x = 1; x /= 2;", "'=' is expected"},
        {"int x = 1; x <<= 2;", "'=' is expected"},
        {"int x = 1; 3 = x;", "a statement is expected, not '3'"},
        {"n = 3;", "the parameter n cannot be assigned"},
        {"const int x = 3; x = 4;", "x cannot be assigned"},
        {"int x = pixel_x(); return 5 / x;", "what / divides by is greater than 0"},
        {"int x = pixel_x(); return 5 / (x - x);", "what / divides by is greater than 0"},
        {"return 5 / 0;", "what / divides by is greater than 0"},
        {"return 5 % 0;", "what % divides by is greater than 0"},
        {"return pixel_x() % 3;", "may be negative"},
        {"return 1 << pixel_x();", "shifts by 0 to 31"},
        {"return 1 << 32;", "shifts by 0 to 31"},
        {"return 1 >> (n * 9);", "shifts by 0 to 31"},
        {"return 1 << ((-1) / 2u);", "shifts by 0 to 31"},
        {"return 1 << (uint(-1));", "shifts by 0 to 31"},
        {"const uint k = n - 5; return 1 << k;", "shifts by 0 to 31"},
        {"bool b = 1;", "the value is of the type int, not bool"},
        {"int x = 3u;", "the value is of the type uint, not int"},
        {"int x = true;", "the value is of the type bool, not int"},
        {"int x = true + 1;", "+ is not for the type bool"},
        {"if (1) { }", "the condition is of the type int, not bool"},
        {"int x = true ? 1 : false;", "of the types int and bool"},
        {"bool b = !3;", "! is not for the type int"},
        {"int x = -true;", "- is not for the type bool"},
        {"bool b = bool(3);", "made bool by comparing"},
        {"return sum(0, a);", "takes a parameter of the type channel here, not '0'"},
        {"return sum(n, a);", "takes a parameter of the type channel here, not 'n'"},
        {"return sum(c, c);", "takes a parameter of the type rectangle here, not 'c'"},
        {"return sum(c);", "',' is expected"},
        {"return sum(c, a, a);", "')' is expected"},
        {"return value(c, 0, 0);", "value() needs //!READS channels"},
        {"return luma(0, 0);", "luma() is for channel kinds"},
        {"return a;", "a is a rectangle: its members are x0"},
        {"return a.x;", "a has the members x0"},
        {"return n.x0;", "';' is expected, not '.'"},
        {"int x = 1;", "must end with return"},
        {"if (true) return 1;", "must end with return"},
        {"for (int i = 0; i < 3; i++) return 1;", "must end with return"},
        {"int x = 0x; return 0;", "numbers are integers"},
        {"return 0; } }", "a function is expected"},
        {"return 0;", "'}' is expected, not the end"},
    };

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        char text[1024];
        const bool is_open = strcmp(refused[i].body, "return 0;") == 0 || strstr(refused[i].body, "} }") != NULL;

        snprintf(text, sizeof text, HEAD NUMBER "int response() { %s%s", refused[i].body, is_open ? "" : " }");
        assert_refused(text, refused[i].message);
    }
}

TESTING_CASE(test_loops_come_to_an_end)
{
    static const struct {
        const char *body, *message;
    } refused[] = {
        {"for (int i = 0; i < pixel_x(); i++) { }", "the text must show where the loop begins and ends"},
        {"for (int i = pixel_x(); i < 3; i++) { }", "the text must show where the loop begins and ends"},
        {"int k = 3; for (int i = 0; i < k; i++) { }", "the text must show where the loop begins and ends"},
        {"for (int i = 0; i < 3; i--) { }", "the loop does not come to an end"},
        {"for (int i = 0; i > -3; i++) { }", "the loop does not come to an end"},
        {"for (int i = 0; i < 3; i += 0) { }", "the step of a loop"},
        {"for (int i = 0; i != 3; i++) { }", "the condition of a loop"},
        {"int k = 0; for (int i = 0; k < 3; i++) { }", "the condition of the loop begins with i"},
        {"int k = 0; for (int i = 0; i < 3; k++) { }", "the loop must change i"},
        {"for (int i = 0; i < 3; i++) { i = 0; }", "i cannot be assigned"},
        {"for (;;) { }", "a loop begins as in"},
        {"for (uint i = 0u; i < 3u; i++) { }", "a loop begins as in"},
        {"for (int i = 0; i < 1000000; i++) { }", "turns more than 65536 times"},
        {"for (int i = 0; i < 300; i++) { for (int j = 0; j < 300; j++) { } }", "more than 65536 steps"},
        {"for (int i = 0; i <= 2000000000; i += 1000000000) { }", "the step of a loop"},
    };
    static const char *const accepted[] = {
        "for (int i = 0; i < 3; i++) { }",
        "for (int i = -n; i <= n; i++) for (int j = -i; j < n; j += 2) { }",
        "for (int i = 9; i > 0; i--) { } for (int i = 9; i >= 3; i -= 2) { }",
        "const int k = n * 2; for (int i = 0; i < k; i++) { }",
        "for (int i = 0; i < min(n, 4); i++) { }",
    };
    char text[1024];

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, HEAD NUMBER "int response() { %s return 0; }", refused[i].body);
        assert_refused(text, refused[i].message);
    }
    for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++) {
        snprintf(text, sizeof text, HEAD NUMBER "int response() { %s return 0; }", accepted[i]);
        assert_read(text);
    }
}

/* Steps by hand: of each turn, 2 of the loop, 1 of value, 4 of what it reads, 1 of i, and 1 of the assignment; besides,
 * 1 of the loop and 1 of the returned variable. */
TESTING_CASE(test_steps_at_their_limit)
{
    static const struct {
        const char *read;
        uint32_t steps, most;
    } loops[] = {{"value(c, i, 0)", 9, 7281},
                 {"value(c, value(c, i, 0), 0)", 14, 4681},
                 {"(i > 2 ? value(c, value(c, i, 0), 0) : value(c, i, i))", 23, 2849}};
    char text[1024];

    for (size_t l = 0; l < sizeof loops / sizeof *loops; l++) {
        assert_int_equal((65536 - 2) / loops[l].steps, loops[l].most);
        for (uint32_t more = 0; more < 2; more++) {
            snprintf(text, sizeof text,
                     "//!FEATURE own\n//!READS channels\n//!PARAM c\n//!TYPE channel\nint response() { int s = 0; "
                     "for (int i = 0; i < %u; i++) s += %s; return s; }",
                     loops[l].most + more, loops[l].read);
            if (more == 0)
                assert_read(text);
            else
                assert_refused(text, "more than 65536 steps");
        }
    }
}

/* 4,096 operations: many() has 31 names and 30 signs, and is called 64 times with 1 more, its name and a sign. */
TESTING_CASE(test_code_at_its_limit)
{
    char text[8192] = HEAD NUMBER "int many() { return n";

    for (int i = 1; i < 31; i++)
        strcat(text, " + n");
    strcat(text, "; }\nint response() { return many()");
    for (int i = 1; i < 64; i++)
        strcat(text, " + many()");
    strcat(text, " + 1; }"); /* 64 * (61 + 1 + 1 + 1) - 1 + 1 = 4096 */
    assert_read(text);
    text[strlen(text) - 3] = '\0';
    strcat(text, " + 1; }");
    assert_refused(text, "more than 4096 operations");
}

TESTING_CASE(test_arrays_and_breaks)
{
    assert_read(HEAD NUMBER "const int T[3] = {1, -2, 3};\nconst uint U[2] = uint[](1u, 2);\n"
                            "int response() { int q[4]; bool b[2] = {true, false}; const int k[2] = {n, 2 * n};\n"
                            "uint w[2] = uint[2](1u, 2u); for (int i = 0; i < 9; i++) { if (i > n) break; "
                            "if (b[i]) continue; q[i] += T[i - n] * k[i]; q[q[i]]++; w[i] = U[i]; }\n"
                            "return q[T[0]] << int(U[1]) + k[1] / 9; }");
    assert_read(HEAD "const int N = 5;\nconst int T[N - 3] = {1, 9};\n" TRY "return 7 / T[0]; }");
    assert_refused(HEAD "const int T[2] = {1, 0};\n" TRY "return 7 / T[0]; }", "what / divides by is greater than 0");
    assert_refused(HEAD "const int N = 5;\nconst int T[2] = {1, N + 1073741820};\n" TRY "return 0; }",
                   "an element of a constant array is a number up to");
    assert_refused(HEAD "const int T[2] = {1, 2};\nconst int U = T[0];\n" TRY "return 0; }",
                   "a constant is no element of an array");
    assert_refused(HEAD "const int T[2] = {1, max(1, 2)};\n" TRY "return 0; }", "a constant calls nothing");
    assert_refused(HEAD NUMBER "const int T[1] = {n};\n" TRY "return 0; }", "a constant does not depend on parameters");
    assert_refused(HEAD "const bool T[1] = {true};\n" TRY "return 0; }", "a constant is an int or a uint");
    assert_refused(HEAD "const int T[2] = {1, 2}\n" TRY "return 0; }", "own.glsl:8: ';' is expected");
}

TESTING_CASE(test_single_features_and_sides)
{
    assert_read(HEAD "//!PARAM s\n//!TYPE single\n" TRY "return s ? 1 : 0; }");
    assert_read("//!FEATURE own\n//!READS channels\n//!PARAM c\n//!TYPE channel\n//!PARAM a\n//!TYPE rectangle\n"
                "//!OF c\n//!MAXIMUM 1\n" TRY "return corner(c, a); }");
    assert_refused(HEAD "//!PARAM s\n//!TYPE single\n//!PARAM t\n//!TYPE single\n" TRY "return 0; }",
                   "a feature is single once");
    assert_refused(HEAD "//!PARAM s\n//!TYPE single\n//!REACH s\n", "s is true or false");
    assert_refused(HEAD "//!MAXIMUM 0\n" TRY "return 0; }", "is at least 1");
    assert_refused(HEAD "//!MINIMUM 1\n" TRY "return 0; }", "a has no MINIMUM");
    assert_refused(HEAD TRY "return corner(c, a); }", "corner() needs //!READS channels");
    assert_refused(HEAD "//!PARAM s\n//!TYPE single\n" TRY "return s; }", "of the type bool, not int");
}

/* Calls double 30 times: 2^30 operations. */
TESTING_CASE(test_calls_are_counted)
{
    char text[4096] = HEAD "int f0() { return 1; }\n";

    for (int i = 1; i < 30; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "int f%d() { return f%d() + f%d(); }\n", i, i - 1,
                 i - 1);
    strcat(text, "int response() { return f29(); }");
    assert_refused(text, "more than 4096 operations");
}

TESTING_CASE(test_depth_is_limited)
{
    char text[8192] = HEAD "int response() { return ";

    for (int i = 0; i < 1000; i++)
        strcat(text, "(");
    assert_refused(text, "nested more than 48 times");
    snprintf(text, sizeof text, HEAD "//!REACH ");
    for (int i = 0; i < 1000; i++)
        strcat(text, "- ");
    assert_refused(text, "nested more than 32 times");
    snprintf(text, sizeof text, HEAD "int response() { ");
    for (int i = 0; i < 1000; i++)
        strcat(text, "{");
    assert_refused(text, "nested more than 48 times");
    snprintf(text, sizeof text, HEAD "int response() { return ");
    for (int i = 0; i < 1000; i++)
        strcat(text, "- ");
    assert_refused(text, "nested more than 48 times");
}

/* --- What is compiled of a text has no word but those of ours --- */

/* Whether the body has names only with our prefixes, and those of types.h. */
static bool is_safe(const char *body)
{
    static const char *const words[] = {"SHW_INLINE", "SHW_CODE_PARAMETER",
                                        "SHW_CODE",   "SHW_USER",
                                        "SHW_AS_INT", "SHW_AS_UINT",
                                        "shw_int",    "shw_uint",
                                        "shw_bool",   "user",
                                        "if",         "else",
                                        "for",        "return",
                                        "true",       "false",
                                        "x0",         "y0",
                                        "x1",         "y1",
                                        "u",          "shw_clamp",
                                        "SHW_ARRAY",  "SHW_TABLE",
                                        "SHW_OPEN",   "SHW_CLOSE",
                                        "break",      "continue"};

    if (strpbrk(body, "#\"'\\@`$") != NULL)
        return false;
    for (const char *at = body; *at != '\0';) {
        const size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
        bool fine = length == 0 || (*at >= '0' && *at <= '9') || strncmp(at, "u_", 2) == 0 ||
                    strncmp(at, "v_", 2) == 0 || strncmp(at, "p_", 2) == 0 || strncmp(at, "i_", 2) == 0 ||
                    strncmp(at, "shw_user_", 9) == 0;
        for (size_t i = 0; i < sizeof words / sizeof *words; i++)
            fine = fine || (strlen(words[i]) == length && memcmp(words[i], at, length) == 0);
        if (!fine)
            return false;
        at += length > 0 ? length : 1;
    }
    return true;
}

TESTING_CASE(test_mutants_are_refused_or_safe)
{
    static const char *const names[] = {"sparse-sum", "edge", "ring", "derivative", "mean-difference"};
    struct testing_random random = {1};
    uint32_t accepted = 0;

    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct shw_file_bytes file;
        char path[512];

        snprintf(path, sizeof path, EXAMPLES "%s.glsl", names[n]);
        assert_int_equal(shw_file_bytes_read(path, 65536, NULL, &file), SHW_OK);
        for (uint32_t i = 0; i < MUTANTS; i++) {
            struct said memory;
            struct shw_code_text *text;
            char mutant[4096];

            (i % 2 == 0 ? mutate_bytes : mutate_words)((const char *)file.bytes, &random, mutant, sizeof mutant);
            text = read_text(mutant, &memory);
            if (text == NULL) {
                assert_int_equal(memory.errors, 1);
                assert_memory_equal(memory.last, "own.glsl:", 9);
                continue;
            }
            accepted++;
            if (!is_safe(text->body))
                print_error("%s\nbecomes\n%s\n", mutant, text->body);
            assert_true(is_safe(text->body));
            assert_true(text->tables == NULL || is_safe(text->tables));
            shw_code_text_free(&text);
        }
        shw_file_bytes_free(&file);
    }
    assert_true(accepted > 100);
}

/* --- Words of features --- */

TESTING_CASE(test_words)
{
    struct said memory;
    const struct shw_channel_list *channels = testing_channels("rgb");
    struct shw_code_text *text = read_text("//!FEATURE own\n//!PARAM c\n//!TYPE channel\n//!PARAM d\n//!TYPE channel\n"
                                           "//!PARAM n\n//!MINIMUM -3\n//!MAXIMUM 4\n//!PARAM o\n//!TYPE offset\n"
                                           "//!REACH o.x - n, o.y, o.x + n, max(o.y, 5)\n//!BOUND greatest(d) * 7\n"
                                           "int response() { return n; }",
                                           &memory);
    struct shw_feature feature = {{0x80000000u | 2u << 12 | 1, 5, 0x00020000u | 0xfffcu, 0, 0}};
    struct shw_reach reach;
    char why[SHW_WHY_SIZE];

    assert_non_null(text);
    assert_true(shw_code_text_check(text, &feature, channels, why));
    reach = shw_code_text_reach(text, &feature); /* n = 2, o = (-4, 2) */
    assert_int_equal(reach.x0, -6);
    assert_int_equal(reach.y0, 0);
    assert_int_equal(reach.x1, 1);
    assert_int_equal(reach.y1, 5);
    assert_int_equal(shw_code_text_bound(text, &feature, channels), 7 * channels->channels[2].max_abs);
    feature.words[1] = 8; /* beyond the three bits of n */
    assert_false(shw_code_text_check(text, &feature, channels, why));
    feature.words[1] = 7;
    assert_true(shw_code_text_check(text, &feature, channels, why));
    feature.words[2] = 0x7fff; /* no pixel could be beside it */
    assert_false(shw_code_text_check(text, &feature, channels, why));
    feature.words[2] = 0;
    feature.words[0] = 0x80000000u | 3; /* the fourth of three channels */
    assert_false(shw_code_text_check(text, &feature, channels, why));
    feature.words[0] = 1; /* without the mark */
    assert_false(shw_code_text_check(text, &feature, channels, why));
    shw_code_text_free(&text);
}

/* --- What training can draw --- */

static void assert_draws(const char *head, uint32_t offset, uint32_t size, const char *message)
{
    const struct shw_channel_list *channels = testing_channels("rgb");
    const struct shw_draw_limits limits = {offset, size};
    char all[1024], why[SHW_WHY_SIZE] = "nothing";
    struct said memory;
    struct shw_code_text *text;
    bool can;

    snprintf(all, sizeof all, "%s%s", HEAD, head);
    text = read_text(all, &memory);
    if (text == NULL)
        print_error("%s\n", memory.last);
    assert_non_null(text);
    can = shw_code_text_can_draw(text, channels, &limits, why);
    if (can != (message == NULL) || (!can && strstr(why, message) == NULL))
        print_error("%s, offsets to %u, sizes to %u: '%s'\n", head, offset, size, why);
    assert_int_equal(can, message == NULL);
    if (!can)
        assert_non_null(strstr(why, message));
    assert_true(shw_code_text_bound(text, &(struct shw_feature){{0, 0, 0x00010001, 0, 0}}, channels) > 0);
    shw_code_text_free(&text);
}

/* Greatest values by hand: rgb has values up to 4080, rectangles sums up to 2^30 - 1. */
TESTING_CASE(test_what_training_cannot_draw)
{
#define OFFSET "//!PARAM o\n//!TYPE offset\n"
#define AREA   "(a.x1 - a.x0) * (a.y1 - a.y0) * greatest(c)"
#define NONE   TRY "return 0; }"

    assert_draws(NUMBER "//!REACH n * 7281\n" NONE, 63, 31, NULL); /* 65529 */
    assert_draws(NUMBER "//!REACH n * 7282\n" NONE, 63, 31,
                 "own.glsl:10: with offsets up to 63 and sizes up to 31 the "
                 "reach can be 65538, farther than 65535 pixels");
    assert_draws(NUMBER "//!REACH 0 - n * 7282, 0, 1, 1\n" NONE, 63, 31, "own.glsl:10: ");
    assert_draws(NUMBER "//!REACH 0, 0, 1, n * 7282\n" NONE, 63, 31, "own.glsl:10: ");
    assert_draws(NUMBER "//!REACH n * 7282, 0, 1, 1\n" NONE, 63, 31, NULL); /* of the pixel itself */
    assert_draws(OFFSET "//!REACH max(o.x, -o.x) * 1000\n" NONE, 65, 31, NULL);
    assert_draws(OFFSET "//!REACH max(o.x, -o.x) * 1000\n" NONE, 66, 31, "own.glsl:9: ");
    assert_draws(OFFSET "//!REACH o.x * o.y\n" NONE, 256, 31, "the reach can be 65536, farther than 65535 pixels");
    assert_draws("//!PARAM s\n//!TYPE size\n//!MAXIMUM 40\n//!REACH s * s * s\n" NONE, 63, 40, NULL);
    assert_draws("//!PARAM s\n//!TYPE size\n//!MAXIMUM 41\n//!REACH s * s * s\n" NONE, 63, 41, "can be 68921");
    assert_draws("//!PARAM s\n//!TYPE size\n//!MAXIMUM 41\n//!REACH s * s * s\n" NONE, 63, 40, NULL);
    assert_draws("//!PARAM s\n//!TYPE size\n//!MAXIMUM 40\n//!REACH s * s * s\n" NONE, 63, 41, NULL);
    /* Rectangles are drawn so that they have no greater sum; of their members alone, this does not follow. */
    assert_draws("//!BOUND " AREA "\n" NONE, 16383, 32767, NULL);
    assert_draws("//!BOUND " AREA " * 2\n" NONE, 16383, 32767, "own.glsl:7: with offsets up to 16383 and sizes up to ");
    assert_draws("//!BOUND " AREA " * 2\n" NONE, 16383, 362, NULL); /* 362^2 x 4080 x 2 < 2^30 < 363^2 x 4080 x 2 */
    assert_draws("//!BOUND " AREA " * 2\n" NONE, 16383, 363, "own.glsl:7: ");
    assert_draws("//!BOUND a.x1 * greatest(c) * 100\n" NONE, 2630, 9, NULL);
    assert_draws("//!BOUND a.x1 * greatest(c) * 100\n" NONE, 2631, 9, "the bound can be 1073856000");
    assert_draws(NUMBER "//!BOUND n * 119304647\n" NONE, 63, 31, NULL);
    assert_draws(NUMBER "//!BOUND n * 119304648\n" NONE, 63, 31, "own.glsl:10: ");
    /* Sums at positions of its own. */
    assert_draws(TRY "return\nsum_at(c, 0, 0, 1, 1); }", 63, 31, "own.glsl:8: own adds up values at positions");
    assert_draws(OFFSET "//!REACH 0, 0, o.x, 4\n" TRY "return sum_at(c, 0, 0, o.x, 4); }", 16383, 31, NULL);
    assert_draws(OFFSET "//!REACH 0, 0, o.x, 40\n" TRY "return sum_at(c, 0, 0, o.x, 40); }", 16383, 31, "own.glsl:9: ");
    assert_draws(OFFSET "//!REACH 0, 0, o.x, 40\n" TRY "return sum_at(c, 0, 0, o.x, 40); }", 63, 31, NULL);
    /* The pixel itself is always in the reach: [0, 600), [-600, 1) and [0, 1). */
    assert_draws("//!REACH 599, 599, 600, 600\n" TRY "return sum_at(c, 0, 0, 600, 600); }", 63, 31, "600 x 600 values");
    assert_draws("//!REACH -600, -600, -599, -599\n" TRY "return sum_at(c, -600, -600, 1, 1); }", 63, 31,
                 "601 x 601 values");
    assert_draws("//!REACH 600, 600, -600, -600\n" TRY "return sum_at(c, 0, 0, 1, 1); }", 63, 31, NULL);
}
