/* Which forest wrote the files of a folder, with which settings: the journal that exports keep beside them. With it, an
 * export of what is missing also replaces what another forest wrote, as far as nobody has changed that since. */
#ifndef VIEW_EXPORT_EXPORT_JOURNAL_H
#define VIEW_EXPORT_EXPORT_JOURNAL_H

#include "export/export_job.h"

/* What a file depends on. */
enum view_export_from {
    VIEW_FROM_FOREST,
    VIEW_FROM_OBJECTS,  /* those found in the labels of a picture */
    VIEW_FROM_STROKES,  /* of a picture */
    VIEW_FROM_CLASSES,  /* of the forest and of strokes */
    VIEW_FROM_PICTURES, /* the objects of all of them */
    VIEW_FROM_COUNT
};

/* A file of an export, and the picture that is painted (struct view_export_item). */
struct view_export_file {
    const char *path;
    enum view_export_from from;
    uint32_t painted; /* of STROKES */
};

/* What a path of a picture's files is from. */
enum view_export_from view_export_from(const struct view_export_job *job, const struct shw_picture_files *files,
                                       const char *path);

/* Before anything is asked: finds what the folder's files depend on, and reads its journal. Where there is none,
 * nothing is known. Errors: MEMORY. */
enum shw_result view_export_journal_read(struct view_export_job *job);

/* Before anything is written. Errors: those of shw_result_journal_open(). */
enum shw_result view_export_journal_open(struct view_export_job *job);

/* Whether a file was written with the same, with something else, or that is not known. */
enum shw_result_known view_export_knows(const struct view_export_job *job, const struct view_export_file *file);

/* Whether a file that exists stays as it is: the export is of missing ones, and it is not the work of another forest.
 */
bool view_export_keeps(const struct view_export_job *job, const struct view_export_file *file);

/* The same of the table of objects: it is made anew if it lacks pictures, or with pictures that are written again. */
bool view_export_keeps_table(const struct view_export_job *job);

/* Whether the table was written by an export that did not get to all of its pictures. */
bool view_export_table_is_part(const struct view_export_job *job);

/* Notes a file that was written. Errors: IO, MEMORY. */
enum shw_result view_export_journal_note(struct view_export_job *job, const struct view_export_file *file);

/* Notes the table, with all pictures or as one that lacks some. Errors: as above; one that lacks pictures is then
 * removed, as nothing would tell that it does. */
enum shw_result view_export_journal_note_table(struct view_export_job *job, bool complete);

#endif
