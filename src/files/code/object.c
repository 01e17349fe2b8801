/* The C side of a text: a shared object that the system's C compiler makes, or TinyCC, in a child process with limits.
 * The compiler reads nothing but what is written into a folder of ours, neither the system's headers nor its libraries.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/log.h"
#include "base/simd.h"
#include "files/code/compile.h"
#include "files/code/files.h"
#include "files/io/module.h"

#define TCC_PROGRAM      "shadewood-tcc"
#define COMPILER_SECONDS 60u
#define LOOK_NANOSECONDS 2000000 /* between two looks whether the compiler has ended */

static const char feature_code[] = "#define SHW_FEATURE_NAME own\n"
                                   "#include \"dense/feature/feature_code.h\"\n"
                                   "#define STUB(role, name) const uint32_t shw_spirv_own_##name[1]; "
                                   "const size_t shw_spirv_own_##name##_size;\n"
                                   "SHW_FEATURE_SHADERS(STUB)\n"
                                   "#include \"dense/feature/portable.h\"\n"
                                   "#ifdef SHW_VECTORS\n#include \"files/code/vectors.h\"\n#endif\n";

/* Vectors come from loops over pixels, if all functions are in their places. */
static const char kind_stubs[] = "#if defined SHW_VECTORS && SHW_VECTORS == 16\n"
                                 "#define SHW_FILL __attribute__((target(\"avx512f,avx512bw,avx512dq,avx512vl\"), "
                                 "flatten)) static\n"
                                 "#elif defined SHW_VECTORS && SHW_VECTORS == 8\n"
                                 "#define SHW_FILL __attribute__((target(\"avx2\"), flatten)) static\n"
                                 "#endif\n"
                                 "#include <stddef.h>\n#include <stdint.h>\n"
                                 "#define STUB(name) const uint32_t shw_spirv_channel_own_##name[1]; "
                                 "const size_t shw_spirv_channel_own_##name##_size;\n"
                                 "STUB(float_float_frag) STUB(uint_float_frag) STUB(float_uint_frag) "
                                 "STUB(uint_uint_frag) STUB(float_float_comp) STUB(uint_float_comp) "
                                 "STUB(float_uint_comp) STUB(uint_uint_comp)\n"
                                 "#undef STUB\n";

/* Writes folder/path, and the folders between. */
static bool put_file(const char *folder, const char *path, const char *text, size_t size)
{
    char full[PATH_MAX];
    FILE *stream;
    bool fine;

    if ((size_t)snprintf(full, sizeof full, "%s/%s", folder, path) >= sizeof full)
        return false;
    for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        if (mkdir(full, 0700) != 0 && errno != EEXIST)
            return false;
    }
    stream = fopen(full, "w");
    if (stream == NULL)
        return false;
    fine = fwrite(text, 1, size, stream) == size;
    return fclose(stream) == 0 && fine;
}

/* The template of channel kinds, whose places take names. */
static bool put_kind(const char *folder)
{
    const struct shw_code_file *file = shw_code_file_find("shaders/dense/channels/kind.c.in");
    char *text = malloc(2 * file->size + sizeof kind_stubs), *to = text;
    bool fine;

    if (text == NULL)
        return false;
    to += sprintf(to, "%s", kind_stubs);
    for (const char *from = file->text; *from != '\0';) {
        const bool is_kind = strncmp(from, "@SHW_KIND@", 10) == 0, is_header = strncmp(from, "@SHW_HEADER@", 12) == 0;

        if (is_kind || is_header)
            to += sprintf(to, is_kind ? "own" : "own.h");
        else
            *to++ = *from;
        from += is_kind ? 10 : is_header ? 12 : 1;
    }
    fine = put_file(folder, "code.c", text, (size_t)(to - text));
    free(text);
    return fine;
}

static bool put_sources(const struct shw_code_text *text, const char *header, const char *folder)
{
    const bool is_feature = text->subject == SHW_CODE_FEATURE;

    for (uint32_t i = 0; i < shw_code_file_count; i++) {
        const char *path = shw_code_files[i].path, *end = strrchr(path, '.');
        if (strcmp(end, ".h") == 0 && !put_file(folder, path, shw_code_files[i].text, shw_code_files[i].size))
            return false;
    }
    return put_file(folder, is_feature ? "feature_type.h" : "own.h", header, strlen(header)) &&
           (is_feature ? put_file(folder, "code.c", feature_code, sizeof feature_code - 1) : put_kind(folder));
}

/* Whether there is what compilers may use for 16 lanes, as in all processors with AVX-512 but the first. */
static bool has_more_than_avx512f(void)
{
#if defined(__GNUC__) && defined(__x86_64__)
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw");
#else
    return false;
#endif
}

uint32_t shw_code_lanes(const struct shw_code_text *text)
{
    if (text->subject == SHW_CODE_FEATURE && !shw_code_text_is_of_regions(text))
        return 0;
    switch (shw_simd_level()) {
    case SHW_SIMD_AVX512: return has_more_than_avx512f() ? 16 : 8;
    case SHW_SIMD_AVX2: return 8;
    default: return 0;
    }
}

struct shw_code_compiler shw_code_find_compiler(void)
{
    static const char *const names[] = {"cc", "gcc", "clang"};
    const char *folders = getenv("PATH");
    struct shw_code_compiler compiler = {.is_tcc = false};

    for (int n = 0; n < 3 && folders != NULL; n++)
        for (const char *at = folders; *at != '\0'; at += *at == ':') {
            const size_t length = strcspn(at, ":");

            if (*at == '/' && length < PATH_MAX - 16) {
                snprintf(compiler.path, PATH_MAX, "%.*s/%s", (int)length, at, names[n]);
                if (access(compiler.path, X_OK) == 0)
                    return compiler;
            }
            at += length;
        }
    compiler.is_tcc = true;
    if (!shw_module_find(TCC_PROGRAM, compiler.path))
        compiler.path[0] = '\0';
    return compiler;
}

static void limit(int resource, rlim_t most)
{
    const struct rlimit value = {most, most};

    (void)setrlimit(resource, &value);
}

#define SOURCE "code.c"

static const char *const include_folders[] = {".",           "shaders/shared",     "shaders", "src",
                                              "src/include", "src/files/code/std", NULL};
#define INCLUDE_FOLDERS (sizeof include_folders / sizeof *include_folders - 1)

/* In the child, in the folder. */
_Noreturn static void execute(const struct shw_code_compiler *compiler, const char *path, uint32_t lanes,
                              char *const *environment)
{
    const char *arguments[64] = {compiler->path, SOURCE, path};
    size_t count = 3;
    char vectors[32];

    if (!compiler->is_tcc) {
        static const char *const options[] = {"-std=gnu17",       "-w",        "-fPIC",
                                              "-shared",          "-nostdlib", "-nostdinc",
                                              "-ffreestanding",   "-fwrapv",   "-fno-strict-aliasing",
                                              "-ffp-contract=off"};

        snprintf(vectors, sizeof vectors, "-DSHW_VECTORS=%u", lanes);
        arguments[2] = "-o";
        arguments[count++] = path;
        arguments[count++] = lanes > 0 ? "-O3" : "-O2"; /* O2 makes few vectors */
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            arguments[count++] = options[i];
        if (lanes > 0)
            arguments[count++] = vectors;
    }
    for (size_t i = 0; i < INCLUDE_FOLDERS; i++) {
        if (!compiler->is_tcc)
            arguments[count++] = "-I";
        arguments[count++] = include_folders[i];
    }
    execve(compiler->path, (char *const *)(uintptr_t)arguments, environment);
    _exit(127);
}

/* In the child. */
static void enter(const char *folder)
{
    const int log =
        setpgid(0, 0) == 0 && chdir(folder) == 0 ? open("messages", O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

    if (log < 0 || dup2(log, STDERR_FILENO) < 0 || dup2(log, STDOUT_FILENO) < 0)
        _exit(126);
    limit(RLIMIT_CPU, COMPILER_SECONDS);
    limit(RLIMIT_FSIZE, SHW_CODE_OBJECT_MAX);
    limit(RLIMIT_CORE, 0);
}

/* Waits for the child. Errors: CANCELLED: it and what it began were killed; IO. */
static enum shw_result await(pid_t child, const struct shw_code_text *text, const struct shw_code_patience *patience,
                             const struct shw_log *log, int *status)
{
    static const struct timespec moment = {.tv_nsec = LOOK_NANOSECONDS};
    bool given_up = false;
    pid_t ended;

    while ((ended = waitpid(child, status, patience != NULL && !given_up ? WNOHANG : 0)) != child) {
        if (ended < 0 && errno != EINTR)
            return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s cannot be compiled: %s", text->file,
                            strerror(errno));
        if (ended == 0 && shw_code_goes_on(patience)) {
            nanosleep(&moment, NULL);
        } else if (ended == 0) {
            kill(-child, SIGKILL);
            kill(child, SIGKILL); /* should it not have its group yet */
            given_up = true;
        }
    }
    return given_up ? SHW_ERROR_CANCELLED : SHW_OK;
}

/* The first message of the compiler that is an error. */
static void read_message(const char *folder, char *line, size_t size)
{
    char path[PATH_MAX];
    FILE *stream;

    snprintf(line, size, "it says nothing");
    if ((size_t)snprintf(path, sizeof path, "%s/messages", folder) >= sizeof path ||
        (stream = fopen(path, "r")) == NULL)
        return;
    while (fgets(line, (int)size, stream) != NULL)
        if (strstr(line, "error") != NULL)
            break;
    line[strcspn(line, "\n")] = '\0';
    fclose(stream);
}

enum shw_result shw_code_compile_object(const struct shw_code_text *text, const char *header,
                                        const struct shw_code_compiler *compiler, const char *folder, const char *path,
                                        const struct shw_code_patience *patience, const struct shw_log *log)
{
    char message[256], paths[PATH_MAX + 8], temporary[] = "TMPDIR=.", language[] = "LC_ALL=C";
    char *const environment[] = {paths, temporary, language, NULL};
    const char *path_variable = getenv("PATH");
    int status;
    pid_t child;

    if (compiler->path[0] == '\0')
        return shw_fail(log, SHW_ERROR_UNSUPPORTED, SHW_LOG_REQUIREMENT,
                        "%s cannot be compiled: there is no C compiler, cc, gcc or clang, in PATH, and %s did not come "
                        "with this program",
                        text->file, TCC_PROGRAM);
    if (!put_sources(text, header, folder))
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_WRITE, "%s cannot be compiled: cannot write to %s: %s",
                        text->file, folder, strerror(errno));
    snprintf(paths, sizeof paths, "PATH=%.*s", PATH_MAX, path_variable != NULL ? path_variable : "");
    child = fork();
    if (child == 0) {
        enter(folder);
        execute(compiler, path, shw_code_lanes(text), environment);
    }
    if (child < 0)
        return shw_fail(log, SHW_ERROR_IO, SHW_LOG_FILE_OPEN, "%s cannot be compiled: %s", text->file, strerror(errno));
    SHW_PROPAGATE(await(child, text, patience, log, &status));
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return SHW_OK;
    read_message(folder, message, sizeof message);
    return shw_fail(log, SHW_ERROR_FORMAT, SHW_LOG_FEATURE_TYPE, "%s cannot be compiled by %s: %s", text->file,
                    compiler->path, message);
}
