#include "export/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "testing/testing.h"

#ifdef HAS_SHADERC

#include <shaderc/shaderc.h>

static shaderc_include_result *resolve(void *user, const char *name, int type, const char *from, size_t depth)
{
    shaderc_include_result *result = calloc(1, sizeof *result);
    struct shw_file_bytes bytes;
    const char *slash = strrchr(from, '/');
    char path[1024];

    (void)user, (void)type, (void)depth;
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash + 1 - from) : 0, from, name);
    assert_non_null(result);
    if (shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, NULL, &bytes) != SHW_OK) {
        result->source_name = calloc(1, 1); /* an empty name says that the text is a message */
        result->content = strdup("there is no such file");
        result->content_length = strlen(result->content);
        return result;
    }
    result->source_name = strdup(path);
    result->source_name_length = strlen(path);
    result->content = strndup((const char *)bytes.bytes, bytes.size);
    result->content_length = bytes.size;
    shw_file_bytes_free(&bytes);
    return result;
}

static void release(void *user, shaderc_include_result *result)
{
    (void)user;
    free((void *)(uintptr_t)result->source_name);
    free((void *)(uintptr_t)result->content);
    free(result);
}

static void define(shaderc_compile_options_t options, const char *definition)
{
    const size_t length = strcspn(definition, " "), name = strcspn(definition, " =");
    const size_t value = name < length ? name + 1 : name;

    shaderc_compile_options_add_macro_definition(options, definition, name, definition + value, length - value);
}

void compile_file(const char *path, const char *options, struct shw_file_bytes *spirv)
{
    static shaderc_compiler_t compiler; /* kept, and with it what it has prepared, until the process ends */
    const char *ending = strrchr(path, '.');
    const shaderc_shader_kind kind = strcmp(ending, ".comp") == 0   ? shaderc_compute_shader
                                     : strcmp(ending, ".frag") == 0 ? shaderc_fragment_shader
                                                                    : shaderc_vertex_shader;
    shaderc_compile_options_t with = shaderc_compile_options_initialize();
    shaderc_compilation_result_t result;
    struct shw_file_bytes text;

    if (compiler == NULL)
        compiler = shaderc_compiler_initialize();
    assert_true(compiler != NULL && with != NULL);
    shaderc_compile_options_set_target_env(with, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
    shaderc_compile_options_set_include_callbacks(with, resolve, release, NULL);
    for (const char *at = options; (at = strstr(at, "-D")) != NULL; at += 2)
        define(with, at + 2);
    assert_int_equal(shw_file_bytes_read(path, SHW_TEXT_FILE_MAX, NULL, &text), SHW_OK);
    result = shaderc_compile_into_spv(compiler, (const char *)text.bytes, text.size, kind, path, "main", with);
    if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
        fail_msg("%s %s: %s", path, options, shaderc_result_get_error_message(result));
    spirv->size = shaderc_result_get_length(result);
    spirv->bytes = malloc(spirv->size);
    assert_non_null(spirv->bytes);
    memcpy(spirv->bytes, shaderc_result_get_bytes(result), spirv->size);
    shaderc_result_release(result);
    shaderc_compile_options_release(with);
    shw_file_bytes_free(&text);
}

#else

void compile_file(const char *path, const char *options, struct shw_file_bytes *spirv)
{
    char command[2048], output[1024];

    snprintf(output, sizeof output, "%s.spv", path);
    snprintf(command, sizeof command, GLSLANG " --quiet -V --target-env vulkan1.1 %s -o '%s' '%s'", options, output,
             path);
    if (system(command) != 0)
        fail_msg("%s", command);
    assert_int_equal(shw_file_bytes_read(output, SHW_TEXT_FILE_MAX, NULL, spirv), SHW_OK);
}

#endif
