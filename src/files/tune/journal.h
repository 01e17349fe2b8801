/* The journal of a search for settings: a file of JSON objects, one per line, to which any number of processes on one
 * machine, or on machines that share a file system with locks, append at the same time.
 *
 * The first line says what is searched. A trial begins with a line that claims it, {"trial": N, "setting": {...}, ...},
 * has a line for everything that is measured of it, and ends with a line that has "end". What belongs to a trial is
 * enough to repeat it.
 *
 * Lines are appended under a lock of the file. A claim is a lock, too, which ends with its process however that ends:
 * another process then takes the trial over, with what was measured of it. What a process that was killed has left of a
 * line is cut off by the next one that appends. */
#ifndef SHW_FILES_TUNE_JOURNAL_H
#define SHW_FILES_TUNE_JOURNAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include <shadewood/log.h>

/* Members of lines. */
#define SHW_JOURNAL_TRIAL "trial"
#define SHW_JOURNAL_END   "end"

struct shw_journal_trial {
    json_t *claim; /* the line that claims it */
    json_t *lines; /* the others, in order; the last one has "end" if it has ended */
    bool ended;
    bool mine; /* claimed by this journal, and neither ended nor released */
};

struct shw_journal {
    struct shw_log log;
    char *path;
    int descriptor;
    int64_t offset;       /* what is before it was read */
    uint64_t line_number; /* of the lines that were read */
    json_t *header;
    struct shw_journal_trial *trials;
    uint32_t count, capacity;
};

/* Opens the journal, or creates it with `header` as its first line, which is borrowed. Errors: ARGUMENT (it is of
 * another search: a member of its header is another one, which the message names), FORMAT (it is no journal), IO (also
 * if the file system has no locks), MEMORY; there is then nothing to close. One thread at a time per journal. */
enum shw_result shw_journal_open(const char *path, const json_t *header, const struct shw_log *log,
                                 struct shw_journal *journal);

/* Reads what others have appended. Errors: IO, FORMAT, MEMORY. */
enum shw_result shw_journal_read(struct shw_journal *journal);

/* Makes the line that claims a new trial, without the member "trial". NULL if memory is exhausted. `user` may look at
 * the journal, which has been read; its next trial is journal->count. */
typedef json_t *(*shw_journal_propose)(void *user, const struct shw_journal *journal);

/* Claims a trial that has not ended and that no process works on; otherwise a new one, if there are fewer than `limit`.
 * *trial: its number; UINT32_MAX if there is none. Errors: those of shw_journal_read() and shw_journal_add(). */
enum shw_result shw_journal_claim(struct shw_journal *journal, uint32_t limit, shw_journal_propose propose, void *user,
                                  uint32_t *trial);

/* Appends a line of a trial that is claimed, and takes ownership of `line` (NULL: memory was exhausted). With the
 * member "end" the claim ends. Errors: IO (for example a full disk: the line is then not there at all), MEMORY. */
enum shw_result shw_journal_add(struct shw_journal *journal, uint32_t trial, json_t *line);

/* Keeps other processes from appending, and from holding it, until shw_journal_let_go(): for writing results that
 * belong to the journal. Errors: IO. */
enum shw_result shw_journal_hold(const struct shw_journal *journal);
void shw_journal_let_go(const struct shw_journal *journal);

/* Gives the claims back to other processes. Accepts a zero-initialised one. */
void shw_journal_close(struct shw_journal *journal);

#endif
