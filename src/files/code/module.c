/* Compiles shaders with shaderc (module.h). */
#include "files/code/module.h"

#include <shaderc/shaderc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static shaderc_include_result *resolve(void *user, const char *name, int type, const char *from, size_t depth)
{
    const struct shw_code_shader *shader = user;
    shaderc_include_result *result = calloc(1, sizeof *result);
    const char *path = "", *text = depth < 32 ? shader->include(shader->user, name, from, &path) : NULL;

    (void)type;
    if (result == NULL)
        abort(); /* shaderc knows no failure here */
    *result = (shaderc_include_result){.source_name = path, .content = text};
    if (text == NULL)
        *result = (shaderc_include_result){.source_name = "", .content = "there is no such file"};
    result->source_name_length = strlen(result->source_name);
    result->content_length = strlen(result->content);
    return result;
}

static void release(void *user, shaderc_include_result *result)
{
    (void)user;
    free(result);
}

static void define(shaderc_compile_options_t options, const char *definition)
{
    const char *equals = strchr(definition, '=');
    const size_t length = equals != NULL ? (size_t)(equals - definition) : strlen(definition);
    const char *value = equals != NULL ? equals + 1 : "";

    shaderc_compile_options_add_macro_definition(options, definition, length, value, strlen(value));
}

static void compile(struct shw_code_shader *shader)
{
    const char *end = strrchr(shader->path, '.');
    const shaderc_shader_kind kind =
        end != NULL && strcmp(end, ".comp") == 0 ? shaderc_compute_shader : shaderc_fragment_shader;
    shaderc_compiler_t compiler = shaderc_compiler_initialize();
    shaderc_compile_options_t options = shaderc_compile_options_initialize();
    shaderc_compilation_result_t result = NULL;

    shader->words = NULL;
    snprintf(shader->why, sizeof shader->why, "not enough memory");
    if (compiler != NULL && options != NULL) {
        shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
        shaderc_compile_options_set_include_callbacks(options, resolve, release, shader);
        for (uint32_t i = 0; i < SHW_CODE_DEFINITIONS_MAX && shader->definitions[i] != NULL; i++)
            define(options, shader->definitions[i]);
        result =
            shaderc_compile_into_spv(compiler, shader->text, strlen(shader->text), kind, shader->path, "main", options);
    }
    if (result != NULL && shaderc_result_get_compilation_status(result) == shaderc_compilation_status_success) {
        shader->size = shaderc_result_get_length(result);
        shader->words = malloc(shader->size);
        if (shader->words != NULL)
            memcpy(shader->words, shaderc_result_get_bytes(result), shader->size);
    } else if (result != NULL) {
        snprintf(shader->why, sizeof shader->why, "%s", shaderc_result_get_error_message(result));
    }
    if (result != NULL)
        shaderc_result_release(result);
    if (options != NULL)
        shaderc_compile_options_release(options);
    if (compiler != NULL)
        shaderc_compiler_release(compiler);
}

extern const struct shw_code_exports shw_code_exports;
__attribute__((visibility("default")))
const struct shw_code_exports shw_code_exports = {.module = {SHW_MODULE_VERSION}, .compile = compile};
