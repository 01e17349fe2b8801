/* The program in a test: with all actions and panels, and validation layers if there are any. */
#ifndef TESTS_VIEWER_OPEN_APP_H
#define TESTS_VIEWER_OPEN_APP_H

#include "shell/app.h"

/* Skips the test if there is no device. To be destroyed with view_app_destroy(). */
void open_app_with(struct view_app_params params, struct view_app *app);

#endif
