/* shadewood-tcc SOURCE OBJECT FOLDER...: compiles a C file into a shared object with TinyCC, for computers without
 * another compiler. A program of its own, because libtcc.a cannot be linked into shared objects, has another licence,
 * and is given limits as other compilers are. */
#include <libtcc.h>
#include <stdio.h>

static void hear(void *user, const char *message)
{
    (void)user;
    fprintf(stderr, "%s\n", message);
}

int main(int count, char **arguments)
{
    TCCState *state = count >= 3 ? tcc_new() : NULL;

    if (state == NULL)
        return 2;
    tcc_set_error_func(state, NULL, hear);
    tcc_set_options(state, "-nostdlib -nostdinc -w");
    for (int i = 3; i < count; i++)
        tcc_add_include_path(state, arguments[i]);
    if (tcc_set_output_type(state, TCC_OUTPUT_DLL) != 0 || tcc_add_file(state, arguments[1]) != 0 ||
        tcc_output_file(state, arguments[2]) != 0)
        return 1;
    tcc_delete(state);
    return 0;
}
