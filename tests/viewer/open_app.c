#include "open_app.h"

#include "testing/testing.h"

void open_app_with(struct view_app_params params, struct view_app *app)
{
    enum shw_result result;

    params.validation = TESTING_VALIDATION;
    params.actions = view_action_list;
    params.panels = view_panel_list;
    result = view_app_create(&params, app);
    if (result == SHW_ERROR_UNSUPPORTED) { /* no validation layers */
        params.validation = false;
        result = view_app_create(&params, app);
    }
    if (result == SHW_ERROR_NO_DEVICE)
        testing_abandon("there is no Vulkan device");
    assert_int_equal(result, SHW_OK);
}
