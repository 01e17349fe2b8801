/* Projects that are trained here and by `shadewood serve`, for comparison. */
#ifndef SHW_TESTS_SERVING_H
#define SHW_TESTS_SERVING_H

#include "testing/testing.h"

#include "files/project/project.h"
#include "files/project/teacher.h"
#include "files/serve/remote.h"

/* The last messages of a log, from any thread. */
struct heard {
    char last[1024];
    unsigned errors;
};
extern struct heard heard;
struct shw_log heard_log(void);

/* The command that serves by `cpu`, with more options. Static lifetime until the next call. */
const char *serve_command(const char *options);
/* The same, which writes its process id to the test's file pid before. */
const char *serve_command_with_pid(void);
/* The id in that file, which is removed; 0: there is none. */
int served_pid(void);
/* Fails the test unless the process ends. */
void assert_ends(int pid);

struct shw_remote *connect_to(const char *command);

/* A picture in memory, with noise around three areas of different colours, and with depth and the frame before. */
void give_frame(struct shw_project *project, const char *name, uint32_t width, uint32_t height, uint64_t seed,
                bool with_inputs);

/* The set of the project's strokes. */
struct shw_training_set *set_of(struct shw_project *project);

/* The bytes of a forest's file, to be freed with free(). */
void *grow_bytes(const struct shw_teacher *teacher, struct shw_training_set *set, enum shw_lesson lesson,
                 struct shw_taught *taught, size_t *size);

/* Fails the test unless the remote trainer gives the forests that are trained here; with `measured`, their accuracy,
 * too. */
void assert_same_forests(struct shw_remote *remote, struct shw_project *project, bool measured);

/* Bytes sent so far. */
uint64_t sent_bytes(struct shw_remote *remote);

#endif
