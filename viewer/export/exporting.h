/* Export in the background: forests, and labels, probabilities and strokes of many pictures. One at a time. Computed on
 * the host, at a lower priority than frames and training; results equal those in frames.
 *
 * For the main thread. Functions that fail have logged the reason. */
#ifndef VIEW_EXPORT_EXPORTING_H
#define VIEW_EXPORT_EXPORTING_H

#include "base/clock.h"
#include "export/export_job.h"
#include "export/export_settings.h"
#include "record/recorder.h"
#include "source/browser.h"
#include "teach/teaching.h"

#define VIEW_EXPORT_PATH 4096u
#define VIEW_EXPORT_SAID 1280u

/* The dialog. */
struct view_export_sheet {
    bool open;
    unsigned content;
    struct view_browser browser;
    char folder[3500], shown[300], add[1000];
    bool focus;        /* the field for additions to the list is to get the focus */
    uint64_t counted;  /* the settings for which files were counted, as a hash; 0: none */
    char trouble[512]; /* why they could not be */
};

struct view_exporting {
    struct view_teaching *teaching;     /* borrowed, like the next */
    const struct view_objects *objects; /* their settings are those of exported ones */
    struct view_export_settings settings;
    struct view_export_job *job;          /* NULL: nothing is exported */
    struct view_export_progress progress; /* of the export in progress, or else the last one */
    struct shw_time_left left;            /* of it */
    struct view_export_progress counted;  /* the last count of files */
    bool counting;                        /* it counts files */
    bool waits;                           /* it has not begun: a forest is being trained */
    double trained;                       /* the fraction of that, 0..1 */
    uint32_t opened;                      /* the project that it is of: that of `teaching` then */
    bool tells;                           /* and the result is printed */
    bool awaited;                         /* by a script */
    bool asks_to_quit;                    /* there is a question */
    bool quits;                           /* the program is to be left when the export has ended */
    bool missed;                          /* an export has waited in vain, and no script for it */
    enum shw_result outcome;              /* of the last export that has ended */
    char said[VIEW_EXPORT_SAID];          /* the summary of that, for the shell to show and reset */
    char last[VIEW_EXPORT_SAID];          /* the same, to be looked up */
    struct view_export_sheet sheet;
    struct view_export_folders *folders;  /* borrowed, like the next */
    const struct view_recorder *recorder; /* for the panel */
};

void view_exporting_init(struct view_teaching *teaching, const struct view_objects *objects,
                         struct view_export_folders *folders, struct view_exporting *exporting);
/* Stops the export in progress, and reports that. Accepts zero-initialised ones. */
void view_exporting_destroy(struct view_exporting *exporting);

/* Begins to export to a folder or, a forest alone, to a file. What is exported is what there is now: the program may
 * change meanwhile. While a forest is being trained, what needs one waits for the whole one, and takes what is painted
 * then; it ends if another project is opened. Errors: ARGUMENT (one is in progress; there is no such thing), MEMORY. */
enum shw_result view_exporting_begin(struct view_exporting *exporting, unsigned content, const char *path);

/* Begins to count the files that would be written, in place of another count. `log` is used on another thread, too.
 * Errors: as above. */
enum shw_result view_exporting_count(struct view_exporting *exporting, unsigned content, const char *path,
                                     const struct shw_log *log);

/* Stops the export in progress: what is written stays. */
void view_exporting_stop(struct view_exporting *exporting);

/* Whether files are being written. */
bool view_exporting_is_busy(const struct view_exporting *exporting);

/* Whether the export in progress waits for a forest, for which frames are needed. */
bool view_exporting_waits_for_forest(const struct view_exporting *exporting);

/* Notes progress and the end. */
void view_exporting_poll(struct view_exporting *exporting);

/* Before the program ends: whether it has to wait for an answer, because of an export in progress. */
bool view_exporting_asks_to_quit(struct view_exporting *exporting);

/* Where the sheet exports to: the folder or, for a forest alone, a file in it. */
void view_exporting_sheet_path(const struct view_exporting *exporting, char path[VIEW_EXPORT_PATH]);

/* Lets a script wait for the end of the export in progress or of the sheet's count of files, if there is one. Errors:
 * those of an export that has waited for a forest in vain since the script last asked. */
enum shw_result view_exporting_await(struct view_exporting *exporting);
/* Opens or closes the sheet. It proposes the folder of the project's last export, or one beside its file. */
void view_exporting_open_sheet(struct view_exporting *exporting, bool open);

/* Actions, on a struct view_exporting. */
extern const struct view_action_group view_export_group;

#endif
