#ifndef SHW_BASE_WINDOWS_FTS_H
#define SHW_BASE_WINDOWS_FTS_H
#define FTS           shw_windows_walk
#define FTSENT        shw_windows_walk_entry
#define fts_open      shw_windows_fts_open
#define fts_read      shw_windows_fts_read
#define fts_set       shw_windows_fts_set
#define fts_close     shw_windows_fts_close
#define FTS_LOGICAL   0
#define FTS_NOCHDIR   0
#define FTS_ROOTLEVEL 0
#define FTS_SKIP      4
#define FTS_D         1
#define FTS_DNR       4
#define FTS_DP        6
#define FTS_F         8
#define FTS_NS        10
#endif
