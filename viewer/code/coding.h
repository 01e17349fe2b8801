/* Feature types and channel kinds as text (docs/shader-features.md): those of the open project, which are compiled in
 * the background when their files are saved, and those that come inside files, which never run unasked.
 *
 * For the main thread. */
#ifndef VIEW_CODE_CODING_H
#define VIEW_CODE_CODING_H

#include "action/action.h"
#include "code/compile_job.h"
#include "source/file_place.h"
#include "teach/teaching.h"

/* A file of the project's that is looked at whenever the program has nothing else to do. */
struct view_watched {
    char *file;
    struct view_file_stamp stamp; /* as it was when it was read last */
};

struct view_coding {
    struct view_teaching *teaching; /* borrowed */
    struct view_scene *scene;
    bool trusts; /* texts inside files run without a question */
    struct view_code_job job;
    char *adding;                   /* a file that waits to be compiled; NULL: none */
    bool runs_project, runs_forest; /* allowed, but not begun */
    bool refused;                   /* those of the project */
    uint32_t opened;                /* the project that this is about, as the count of teaching */
    struct view_watched watched[SHW_PROJECT_TEXTS_MAX];
    uint32_t watched_count;
    struct view_code_error error;  /* of the last text that could not be compiled */
    enum shw_result failed;        /* of what a script waits for */
    uint64_t listed;               /* revision of the project that the scene's channels are of; 0: none */
    struct shw_channel_list *list; /* the scene's own channels; NULL: none */
    struct {
        double noticed, compiled; /* of the last saved text, in seconds of view_clock(); 0: none */
        uint32_t count;           /* saved texts that were taken so far */
    } live;
    char said[1024]; /* for the shell to show and reset */
    bool wants_panel;
};

/* `coding` must not move. */
void view_coding_init(struct view_teaching *teaching, struct view_coding *coding);
/* Before teaching is destroyed. Accepts zero-initialised ones. */
void view_coding_destroy(struct view_coding *coding);

/* Begins and ends compiling. Errors: those of view_scene_set_forest(). */
enum shw_result view_coding_poll(struct view_coding *coding);

/* Whether a script waits, and, once it does not, why what it has asked for has failed. */
bool view_coding_is_awaited(const struct view_coding *coding);
enum shw_result view_coding_take_failure(struct view_coding *coding);

/* Whether a question is open: the forest or the project brings texts. */
bool view_coding_asks(const struct view_coding *coding);

extern const struct view_action_group view_code_group;

#endif
