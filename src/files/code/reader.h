/* Tokens of a text, and messages about them; shared by the files that parse one. */
#ifndef SHW_FILES_CODE_READER_H
#define SHW_FILES_CODE_READER_H

#include <setjmp.h>

#include "files/code/text.h"

enum shw_token_kind { SHW_TOKEN_END, SHW_TOKEN_NAME, SHW_TOKEN_NUMBER, SHW_TOKEN_SIGN };

struct shw_token {
    enum shw_token_kind kind;
    const char *at;
    uint32_t length, line;
    int64_t number;
    bool is_unsigned; /* a number with the suffix u */
};

struct shw_code_reader {
    const char *file, *at, *end;
    uint32_t line;
    struct shw_token token; /* the next one */
    jmp_buf failed;
    char why[SHW_CODE_WHY_SIZE]; /* "FILE:LINE: ..." */
};

/* Ends the parsing, by longjmp(): there is nothing to free but what the text owns. */
_Noreturn void shw_code_refuse(struct shw_code_reader *reader, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a word of C or GLSL that the language does not have, by saying what it has instead; returns if it is none. */
void shw_code_refuse_foreign(struct shw_code_reader *reader, uint32_t line, const char *word, size_t length);

void shw_code_next(struct shw_code_reader *reader);
bool shw_code_is(const struct shw_code_reader *reader, const char *word);
bool shw_code_take(struct shw_code_reader *reader, const char *word); /* whether it was there */
void shw_code_expect(struct shw_code_reader *reader, const char *sign);

/* Copies a name: a letter and letters, digits and '_', at most SHW_CODE_NAME_MAX. */
void shw_code_take_name(struct shw_code_reader *reader, const char *what, char name[SHW_CODE_NAME_MAX + 1]);

/* Number of a parameter, or -1. */
int32_t shw_code_find_param(const struct shw_code_text *text, const char *name, size_t length);

/* The least and the greatest value of a parameter's members, of what is drawn within limits, or, for NULL, of all. */
struct shw_code_interval {
    int64_t low, high;
};
struct shw_code_interval shw_code_param_interval(const struct shw_code_param *param,
                                                 const struct shw_draw_limits *limits);

/* The greatest magnitude of any channel's values, at least 1. */
uint32_t shw_code_greatest_of(const struct shw_channel_list *channels);

/* Number of a member of a parameter's type ("x1"), or -1. */
int shw_code_find_member(enum shw_code_type type, const char *name, size_t length);

/* Expressions of the head. */
void shw_code_expression_read(struct shw_code_reader *reader, const struct shw_code_text *text,
                              struct shw_code_expression *expression);

/* `limits` as above. False if a value leaves +-2^30. */
bool shw_code_expression_interval(const struct shw_code_text *text, const struct shw_code_expression *expression,
                                  const struct shw_draw_limits *limits, struct shw_code_interval *interval);

/* values[param][member]; `channels` may be NULL where no 'g' can be. Saturates at +-2^62. */
int64_t shw_code_expression_value(const struct shw_code_expression *expression,
                                  const int32_t values[SHW_CODE_PARAMS_MAX][4],
                                  const struct shw_channel_list *channels);

/* The functions: fills in `body` and what they use. */
void shw_code_functions_read(struct shw_code_reader *reader, struct shw_code_text *text);

/* Text that grows. */
struct shw_code_buffer {
    char *text; /* NULL: out of memory, or nothing yet */
    size_t length, room;
    bool failed;
};
void shw_code_put(struct shw_code_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes an expression in the common subset; the parameters are members of `user`. */
void shw_code_expression_put(const struct shw_code_text *text, const struct shw_code_expression *expression,
                             struct shw_code_buffer *buffer);

extern const char *const shw_code_members[4]; /* x0, y0, x1, y1 */

#endif
