/* Running the program as a user does, and a small data set for it. */
#ifndef SHW_TESTS_CLI_PROGRAM_H
#define SHW_TESTS_CLI_PROGRAM_H

#include "testing/testing.h"

#include <jansson.h>

/* What a run left behind. `out` and `err` are texts; valid until the next run. */
struct run {
    int code; /* the exit code, or 128 + the signal that ended it */
    char *out, *err;
};

/* Runs a shell command line in the test's folder; `shadewood` in it is the program. run_blind() hides all Vulkan
 * devices. */
struct run run(const char *format, ...) __attribute__((format(printf, 1, 2)));
struct run run_blind(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Whether `shadewood` is the program for Windows, run by Wine: SHADEWOOD_SYSTEM=windows. */
bool is_for_windows(void);

/* Leaves the running test as skipped if there is no Vulkan device. */
void need_device(void);

/* Leaves the running test as skipped if there is no mpirun; otherwise RANKS "PROGRAM" runs it in so many processes,
 * also as root, and more of them than there are processors. */
void need_mpirun(void);
#define RANKS "mpirun $MPI_OPTIONS -n %u "

/* Leaves the running test as skipped, whatever SHW_NO_SKIP says, if the program is for Windows, because of what is
 * not there. */
void skip_on_windows(const char *reason);

/* The last run must have ended with `code`, have said nothing on standard output and one line on standard error, which
 * contains each of the texts up to NULL. */
void assert_one_line(struct run result, int code, ...);

/* The last run must have succeeded. */
void assert_success(struct run result);

/* The last run must have succeeded, and its output begin with the text. */
void assert_output_begins(struct run result, const char *text);

/* Writes `count` images NAME.png with label images NAME_L.png, of 48 x 40 pixels and 3 classes, and a palette.json into
 * the folder `name`. */
void make_data(const char *name, uint32_t count);

/* Writes a project of three classes with two strokes each on one picture of make_data(). */
void make_project(const char *name, const char *picture);

/* The path of a file of the test's folder; eight of them stay. */
const char *place(const char *name);

/* Writes bytes into a file of the test's folder. */
void make_file(const char *name, const void *bytes, size_t size);

/* The bytes of a file of the test's folder, to be freed with free(). */
char *file_bytes(const char *name, size_t *size);

/* Both have the same bytes. */
void same_file(const char *name, const char *other);

/* How many entries a folder of the test's folder has, hidden ones included. */
unsigned entry_count(const char *name);

bool exists(const char *name);

/* The text must be one JSON document. */
json_t *parse_json(const char *text);

#endif
