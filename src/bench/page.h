/* A document of the bench for the pages of html.h: rows in groups, each with the parts that distinguish it. */
#ifndef SHW_BENCH_PAGE_H
#define SHW_BENCH_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include <shadewood/log.h>

#define SHW_PAGE_PARTS_MAX 16u

struct shw_page_row {
    const json_t *row;
    char *text;                            /* the id without suite, stage, series and technique, split into: */
    const char *parts[SHW_PAGE_PARTS_MAX]; /* "640×480", "trees 8", ... */
    size_t part_count;
    size_t series_part; /* the one that the series varies; part_count: none */
    double x;           /* its number */
    unsigned style;     /* of the technique */
    double ms;          /* 0: not timed */
    size_t setting;     /* the same for rows that differ by technique only */
    size_t family;      /* within the group, the same for rows that differ by technique and series only */
};

/* Rows of one suite, stage and series, in the document's order; groups by suite and stage. */
struct shw_page_group {
    const char *suite, *stage, *series; /* series: "" for none */
    struct shw_page_row *rows;
    size_t count;
    bool varies[SHW_PAGE_PARTS_MAX]; /* which parts are not the same in all rows */
    bool aligned; /* all rows have the same number of parts; otherwise `varies` is unused, and all are shown */
    size_t family_count;
    size_t suite_number, stage_number; /* in the order of their first rows */
};

struct shw_page {
    const json_t *document;
    struct shw_page_row *rows; /* of all groups, group after group */
    size_t row_count;
    struct shw_page_group *groups;
    size_t group_count, setting_count;
    double *best;              /* by setting: the minimum time of all techniques, 0 if none was timed */
    const char *techniques[8]; /* by style; NULL: unused. The last also stands for all further ones */
};

/* `document` must be as from shw_bench_load(), and must outlive *page. Errors: MEMORY; freeing is then allowed, but not
 * necessary. */
enum shw_result shw_page_create(const json_t *document, const struct shw_log *log, struct shw_page *page);
void shw_page_free(struct shw_page *page);

/* The parts that vary in the group (`varying`), or those that do not, joined; "" if there are none. The part of the
 * series is omitted if `series` is false. Truncated text ends with an ellipsis. */
#define SHW_PAGE_LABEL_SIZE 96u
const char *shw_page_parts(char label[SHW_PAGE_LABEL_SIZE], const struct shw_page_group *group,
                           const struct shw_page_row *row, bool varying, bool series);

/* The value of the series in words: "640×480", "8". */
const char *shw_page_series_label(char label[SHW_PAGE_LABEL_SIZE], const struct shw_page_group *group,
                                  const struct shw_page_row *row);

/* Writes the charts of a group: a line chart for each family with a numeric series, a dot plot of the rest, but nothing
 * for a group in the overview. Errors: MEMORY. */
enum shw_result shw_page_write_charts(FILE *out, const struct shw_page_group *group, const struct shw_log *log);

/* Writes the overview: a dot plot of the groups with one setting and no series, a row each: the stages of a suite.
 * Errors: MEMORY. */
enum shw_result shw_page_write_overview(FILE *out, const struct shw_page_group *groups, size_t count,
                                        const struct shw_log *log);

/* Writes the table of a group. */
void shw_page_write_table(FILE *out, const struct shw_page *page, const struct shw_page_group *group);

/* Writes the summary in sentences. Errors: MEMORY. */
enum shw_result shw_page_write_summary(FILE *out, const struct shw_page *page, const struct shw_log *log);

/* Writes name and mark of a technique. */
void shw_page_write_technique(FILE *out, unsigned style, const char *technique);

#endif
