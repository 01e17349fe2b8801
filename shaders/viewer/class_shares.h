/* How the pixels are divided among invocations. */
#ifndef VIEW_CLASS_SHARES_PUSH_H
#define VIEW_CLASS_SHARES_PUSH_H

#define VIEW_SHARES_WIDTH 64 /* columns per work group */
#define VIEW_SHARES_RUN   32 /* pixels of a column per invocation */

#endif
