/* The lists of the program's parts. */
#include "shell/app.h"

const struct view_action_entry view_action_list[] = {{&view_source_group, offsetof(struct view_app, player)},
                                                     {&view_label_group, offsetof(struct view_app, scene)},
                                                     {&view_view_group, offsetof(struct view_app, scene)},
                                                     {&view_inspect_group, offsetof(struct view_app, inside)},
                                                     {&view_project_group, offsetof(struct view_app, teaching)},
                                                     {&view_list_group, offsetof(struct view_app, teaching)},
                                                     {&view_tools_group, offsetof(struct view_app, teaching)},
                                                     {&view_teach_group, offsetof(struct view_app, teaching)},
                                                     {&view_export_group, offsetof(struct view_app, exporting)},
                                                     {&view_import_group, offsetof(struct view_app, importing)},
                                                     {&view_objects_group, offsetof(struct view_app, objects)},
                                                     {&view_panels_group, 0},
                                                     {&view_measure_group, 0},
                                                     {&view_program_group, 0},
                                                     {&view_input_group, 0},
                                                     {0}};

const struct view_panel view_panel_list[] = {
    {"sources", "Pictures", VIEW_PANEL_LEFT, true, view_panel_sources, NULL, NULL, offsetof(struct view_app, teaching)},
    {"overlay", "Overlay", VIEW_PANEL_LEFT, true, view_panel_overlay, NULL, NULL, offsetof(struct view_app, scene)},
    {"teach", "Teaching", VIEW_PANEL_LEFT, true, view_panel_teach, view_tool_preview, view_ask_about_project,
     offsetof(struct view_app, teaching)},
    {"export", "Export", VIEW_PANEL_LEFT, true, view_panel_export, NULL, view_ask_about_export,
     offsetof(struct view_app, exporting)},
    {"import", "Import", VIEW_PANEL_LEFT, true, view_panel_import, NULL, view_ask_about_import,
     offsetof(struct view_app, importing)},
    {"classes", "Classes", VIEW_PANEL_FOOT, true, view_panel_classes, NULL, NULL, offsetof(struct view_app, teaching)},
    {"objects", "Objects", VIEW_PANEL_RIGHT, false, view_panel_objects, view_objects_outline, NULL,
     offsetof(struct view_app, objects)},
    {"accuracy", "Accuracy", VIEW_PANEL_RIGHT, false, view_panel_accuracy, NULL, NULL,
     offsetof(struct view_app, teaching)},
    {"inspect", "Look inside", VIEW_PANEL_RIGHT, false, view_panel_inspect, NULL, NULL,
     offsetof(struct view_app, inside)},
    {"performance", "Performance", VIEW_PANEL_RIGHT, false, view_panel_performance, NULL, NULL,
     offsetof(struct view_app, scene)},
    {0}};
