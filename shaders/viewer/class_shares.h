/* How the counting of labels is dealt out. */
#ifndef VIEW_CLASS_SHARES_PUSH_H
#define VIEW_CLASS_SHARES_PUSH_H

#define VIEW_SHARES_WIDTH 64 /* columns of a work group */
#define VIEW_SHARES_RUN   32 /* pixels of a column that an invocation counts */

#endif
