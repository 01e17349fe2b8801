/* The viewer in a fork of the test instead of in a process of its own: a third of what a short script costs is that the
 * dynamic linker relocates the driver's compiler, which is done once here. */
#define _GNU_SOURCE
#include "forked.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <vulkan/vulkan.h>

#include "testing/sanitizers.h"
#include "testing/testing.h"

#define OBJECTS_MAX 512

int testing_viewer_main(int argc, char **argv); /* viewer/shell/main.c */

struct objects {
    char names[OBJECTS_MAX][256];
    uint32_t count;
};

static int note_object(struct dl_phdr_info *info, size_t size, void *user)
{
    struct objects *objects = user;

    (void)size;
    if (info->dlpi_name[0] != '\0' && objects->count < OBJECTS_MAX)
        snprintf(objects->names[objects->count++], sizeof objects->names[0], "%s", info->dlpi_name);
    return 0;
}

/* Loads the driver and the layers, which stay when the instance is destroyed. No device is created: that begins
 * threads. */
static bool load_driver(void)
{
    static const char *const layers[] = {"VK_LAYER_KHRONOS_validation"};
    static struct objects objects;
    const VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                       .enabledLayerCount = TESTING_VALIDATION ? 1 : 0,
                                       .ppEnabledLayerNames = layers};
    VkInstance instance;

    if (vkCreateInstance(&info, NULL, &instance) != VK_SUCCESS)
        return false;
    dl_iterate_phdr(note_object, &objects);
    for (uint32_t i = 0; i < objects.count; i++)
        (void)dlopen(objects.names[i], RTLD_NOW | RTLD_NOLOAD | RTLD_NODELETE);
    vkDestroyInstance(instance, NULL);
    return true;
}

static uint32_t count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    uint32_t count = 0;

    while (folder != NULL && readdir(folder) != NULL)
        count++;
    if (folder != NULL)
        closedir(folder);
    return count > 2 ? count - 2 : 0; /* . and .. */
}

/* Where lavapipe is the driver, in a test without sanitizers and without threads, and if nothing is to be loaded before
 * the viewer. */
static bool is_possible(void)
{
    static enum { UNKNOWN, NO, YES } loaded = UNKNOWN;
    const char *drivers = getenv("VK_DRIVER_FILES");

    if (loaded == UNKNOWN)
        loaded = !TESTING_SANITIZED && drivers != NULL && strstr(drivers, "/lvp_") != NULL && load_driver() ? YES : NO;
    return loaded == YES && getenv("LD_PRELOAD") == NULL && count_threads() == 1;
}

static void redirect(const char *path, int flags, int to)
{
    int file = open(path, flags, 0666);

    if (file < 0 || dup2(file, to) < 0)
        _exit(126);
    close(file);
}

bool forked_viewer_run(const char *command, const char *printed, const char *errors, int *status)
{
    wordexp_t words;
    pid_t child;

    if (!is_possible() || wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) != 0)
        return false;
    fflush(NULL);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        redirect("/dev/null", O_RDONLY, STDIN_FILENO);
        redirect(printed, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
        redirect(errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
        while (words.we_wordc > 0 && strchr(words.we_wordv[0], '=') != NULL) { /* as in a shell */
            putenv(words.we_wordv[0]);
            words.we_wordv++;
            words.we_wordc--;
        }
        *status = testing_viewer_main((int)words.we_wordc, words.we_wordv);
        fflush(NULL);
        _exit(*status);
    }
    wordfree(&words);
    assert_int_equal(waitpid(child, status, 0), child);
    return true;
}
