/* Compiles the shaders of a list with shaderc, in one process on all processors, since a compiler takes twenty times as
 * long to start as to compile one of ours.
 * usage: compile_shaders LIST DEPFILE C-FILE
 * LIST has a line for each shader, of fields that tabs separate: the SPIR-V file to write, the source, and -IFOLDER and
 * -DDEFINITION, as glslangValidator takes them. The kind of shader is the ending of the source. What the compiler makes
 * is checked as by spirv-val. DEPFILE gets a rule for make: the first output depends on all files that were read. C-FILE
 * gets what embed_spirv.cmake writes of all of them, in much less time.
 * Messages of errors begin with file and line; the exit code is then 1. */
#include <pthread.h>
#include <shaderc/shaderc.h>
#include <spirv-tools/libspirv.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ARGUMENTS_MAX 24u
#define PATH_SIZE     4096u
#define THREADS_MAX   64

struct shader {
    const char *output, *source;
    const char *arguments[ARGUMENTS_MAX];
    unsigned argument_count;
};

static struct {
    struct shader *shaders;
    size_t count;
    atomic_size_t next;
    atomic_bool failed;
    pthread_mutex_t mutex; /* of what is below, and of messages */
    char **read;           /* paths of all files, each once */
    size_t read_count, read_capacity;
} work = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void *allocated(void *memory)
{
    if (memory == NULL) {
        fputs("compile_shaders: not enough memory\n", stderr);
        exit(1);
    }
    return memory;
}

/* The bytes of a file and a 0 after them, to be freed; NULL if it cannot be read. */
static char *slurp(const char *path)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size;

    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) >= 0 && fseek(file, 0, SEEK_SET) == 0) {
        text = allocated(malloc((size_t)size + 1));
        text[fread(text, 1, (size_t)size, file)] = '\0';
    }
    fclose(file);
    return text;
}

static void note_read(const char *path)
{
    pthread_mutex_lock(&work.mutex);
    for (size_t i = 0; i < work.read_count; i++)
        if (strcmp(work.read[i], path) == 0) {
            pthread_mutex_unlock(&work.mutex);
            return;
        }
    if (work.read_count == work.read_capacity) {
        work.read_capacity = 2 * work.read_capacity + 64;
        work.read = allocated(realloc(work.read, work.read_capacity * sizeof *work.read));
    }
    work.read[work.read_count++] = allocated(strdup(path));
    pthread_mutex_unlock(&work.mutex);
}

/* Beside the file that includes it, or in the first folder that has it. */
static shaderc_include_result *resolve(void *user, const char *name, int type, const char *from, size_t depth)
{
    const struct shader *shader = user;
    shaderc_include_result *result = allocated(calloc(1, sizeof *result));
    const char *slash = strrchr(from, '/');
    char path[PATH_SIZE], *text;

    (void)type, (void)depth;
    snprintf(path, sizeof path, "%.*s%s", slash != NULL ? (int)(slash + 1 - from) : 0, from, name);
    text = slurp(path);
    for (unsigned i = 0; i < shader->argument_count && text == NULL; i++)
        if (strncmp(shader->arguments[i], "-I", 2) == 0) {
            snprintf(path, sizeof path, "%s/%s", shader->arguments[i] + 2, name);
            text = slurp(path);
        }
    if (text == NULL) { /* an empty name says that the text is a message */
        text = allocated(strdup("there is no such file"));
        path[0] = '\0';
    } else {
        note_read(path);
    }
    result->source_name = allocated(strdup(path));
    result->source_name_length = strlen(path);
    result->content = text;
    result->content_length = strlen(text);
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
    const char *equals = strchr(definition, '='), *value = equals != NULL ? equals + 1 : "";

    shaderc_compile_options_add_macro_definition(
        options, definition, equals != NULL ? (size_t)(equals - definition) : strlen(definition), value, strlen(value));
}

/* The same message of many shaders that read one file is told once. */
static void fail(const char *message, const char *path)
{
    static char last[PATH_SIZE];
    char text[PATH_SIZE];

    snprintf(text, sizeof text, "%s%s", message, path);
    pthread_mutex_lock(&work.mutex);
    if (strcmp(text, last) != 0)
        fprintf(stderr, "%s%s", text, text[0] != '\0' && text[strlen(text) - 1] == '\n' ? "" : "\n");
    memcpy(last, text, sizeof last);
    pthread_mutex_unlock(&work.mutex);
    atomic_store(&work.failed, true);
}

static bool is_valid(const char *bytes, size_t size, const struct shader *shader)
{
    spv_context context = allocated(spvContextCreate(SPV_ENV_VULKAN_1_1));
    spv_diagnostic diagnostic = NULL;
    uint32_t *words = allocated(malloc(size));
    bool valid;

    memcpy(words, bytes, size);
    valid = spvValidateBinary(context, words, size / sizeof *words, &diagnostic) == SPV_SUCCESS;
    if (!valid) {
        char message[PATH_SIZE];
        snprintf(message, sizeof message, "%s: %s: ", shader->source,
                 diagnostic != NULL ? diagnostic->error : "not valid");
        fail(message, shader->output);
    }
    spvDiagnosticDestroy(diagnostic);
    spvContextDestroy(context);
    free(words);
    return valid;
}

static void write_output(const struct shader *shader, const char *bytes, size_t size)
{
    FILE *file = fopen(shader->output, "wb");
    const bool written = file != NULL && fwrite(bytes, 1, size, file) == size;

    if (file == NULL || fclose(file) != 0 || !written)
        fail("cannot write ", shader->output);
}

static void compile(shaderc_compiler_t compiler, struct shader *shader)
{
    const char *ending = strrchr(shader->source, '.');
    const shaderc_shader_kind kind = ending != NULL && strcmp(ending, ".comp") == 0   ? shaderc_compute_shader
                                     : ending != NULL && strcmp(ending, ".vert") == 0 ? shaderc_vertex_shader
                                                                                      : shaderc_fragment_shader;
    shaderc_compile_options_t options = allocated(shaderc_compile_options_initialize());
    shaderc_compilation_result_t result;
    char *text = slurp(shader->source);

    if (text == NULL) {
        fail("cannot read ", shader->source);
    } else {
        note_read(shader->source);
        shaderc_compile_options_set_target_env(options, shaderc_target_env_vulkan, shaderc_env_version_vulkan_1_1);
        shaderc_compile_options_set_include_callbacks(options, resolve, release, shader);
        for (unsigned i = 0; i < shader->argument_count; i++)
            if (strncmp(shader->arguments[i], "-D", 2) == 0)
                define(options, shader->arguments[i] + 2);
        result = allocated(
            shaderc_compile_into_spv(compiler, text, strlen(text), kind, shader->source, "main", options));
        if (shaderc_result_get_compilation_status(result) != shaderc_compilation_status_success)
            fail(shaderc_result_get_error_message(result), "");
        else if (is_valid(shaderc_result_get_bytes(result), shaderc_result_get_length(result), shader))
            write_output(shader, shaderc_result_get_bytes(result), shaderc_result_get_length(result));
        shaderc_result_release(result);
        free(text);
    }
    shaderc_compile_options_release(options);
}

static void *compile_some(void *user)
{
    shaderc_compiler_t compiler = allocated(shaderc_compiler_initialize());

    for (size_t i; (i = atomic_fetch_add(&work.next, 1)) < work.count;)
        compile(compiler, &work.shaders[i]);
    shaderc_compiler_release(compiler);
    return user;
}

/* Cuts the list, which it keeps, into shaders. */
static void read_list(char *list)
{
    for (char *line = list, *end; *line != '\0'; line = end) {
        struct shader shader = {0};
        end = line + strcspn(line, "\n");
        if (*end == '\n')
            *end++ = '\0';
        shader.output = strsep(&line, "\t");
        shader.source = strsep(&line, "\t");
        while (line != NULL && shader.argument_count < ARGUMENTS_MAX)
            shader.arguments[shader.argument_count++] = strsep(&line, "\t");
        if (shader.source == NULL || line != NULL) {
            fail("a line has too few or too many fields: ", shader.output);
            continue;
        }
        work.shaders = allocated(realloc(work.shaders, (work.count + 1) * sizeof *work.shaders));
        work.shaders[work.count++] = shader;
    }
}

static void write_name(FILE *file, const char *name)
{
    for (; *name != '\0'; name++)
        fprintf(file, "%s%c", *name == ' ' || *name == '#' ? "\\" : *name == '$' ? "$" : "", *name);
}

static void write_depfile(const char *path)
{
    FILE *file = fopen(path, "w");

    if (file == NULL) {
        fail("cannot write ", path);
        return;
    }
    write_name(file, work.shaders[0].output);
    fputc(':', file);
    for (size_t i = 0; i < work.read_count; i++) {
        fputs(" \\\n ", file);
        write_name(file, work.read[i]);
    }
    fputc('\n', file);
    if (fclose(file) != 0)
        fail("cannot write ", path);
}

/* The name in C: that of the file, without its ending. */
static void write_symbol(FILE *file, const char *format, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash != NULL ? slash + 1 : path;

    fprintf(file, format, (int)strcspn(name, "."), name);
}

/* As embed_spirv.cmake does. */
static bool embed(FILE *file, const char *path)
{
    FILE *stream = fopen(path, "rb");
    uint32_t words[1024];
    size_t count, size = 0;

    if (stream == NULL)
        return false;
    write_symbol(file, "\nextern const uint32_t shw_spirv_%.*s[];\n", path);
    write_symbol(file, "extern const size_t shw_spirv_%.*s_size;\n\n", path);
    write_symbol(file, "const uint32_t shw_spirv_%.*s[] = {", path);
    while ((count = fread(words, sizeof *words, sizeof words / sizeof *words, stream)) > 0) {
        for (size_t i = 0; i < count; i++)
            fprintf(file, "%s0x%xu,", i % 8 == 0 ? "\n" : "", (unsigned)words[i]);
        size += count * sizeof *words;
    }
    fclose(stream);
    write_symbol(file, "\n};\nconst size_t shw_spirv_%.*s_size = ", path);
    fprintf(file, "%zu;\n", size);
    return true;
}

static void write_c_file(const char *path)
{
    FILE *file = fopen(path, "w");
    bool fine = file != NULL;

    if (fine)
        fputs("#include <stddef.h>\n#include <stdint.h>\n", file);
    for (size_t i = 0; i < work.count && fine; i++)
        fine = embed(file, work.shaders[i].output);
    if (file == NULL || fclose(file) != 0 || !fine)
        fail("cannot write ", path);
}

int main(int argc, char **argv)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t threads[THREADS_MAX];
    long count = 0;
    char *list = argc == 4 ? slurp(argv[1]) : NULL;

    if (list == NULL) {
        fputs("usage: compile_shaders LIST DEPFILE C-FILE\n", stderr);
        return 2;
    }
    read_list(list);
    while (count + 1 < processors && count < THREADS_MAX && (size_t)count + 1 < work.count &&
           pthread_create(&threads[count], NULL, compile_some, NULL) == 0)
        count++;
    compile_some(NULL);
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    if (!atomic_load(&work.failed) && work.count > 0) {
        write_depfile(argv[2]);
        write_c_file(argv[3]);
    }
    return atomic_load(&work.failed) ? 1 : 0;
}
