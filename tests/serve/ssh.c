/* By a real ssh, to a server of the test's own on the loopback interface. */
#include "serving.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files/serve/child.h"
#include "testing/painting.h"

/* A port that nobody uses now. */
static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    const int one = socket(AF_INET, SOCK_STREAM, 0);
    int port = 0;

    if (one >= 0 && bind(one, (struct sockaddr *)&address, size) == 0 &&
        getsockname(one, (struct sockaddr *)&address, &size) == 0)
        port = ntohs(address.sin_port);
    if (one >= 0)
        close(one);
    return port;
}

/* Whether a shell command succeeds, without a word. */
static bool succeeds(const char *format, ...) __attribute__((format(printf, 1, 2)));
static bool succeeds(const char *format, ...)
{
    char line[4096];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line, sizeof line - 32, format, arguments);
    va_end(arguments);
    strcat(line, " >/dev/null 2>&1");
    return system(line) == 0;
}

/* What is not there is not the project's: also with SHW_NO_SKIP=1, the test is only left out. */
static void leave_out(const char *why)
{
    print_message("left out: %s\n", why);
    skip();
}

static struct shw_child sshd = {0, -1, -1};
static char folder[512], command[4096];

static int end_sshd(void **state)
{
    (void)state;
    shw_child_end(&sshd, 0);
    return 0;
}

/* Keys, a configuration and a server that anybody may run; false: something of it does not work here. */
static bool start_sshd(int port)
{
    char config[1024], program[64], daemon[64], option[8], file[8];
    char *const arguments[] = {daemon, file, config, option, NULL};
    FILE *stream;

    snprintf(program, sizeof program, "ssh-keygen -q -t ed25519 -N ''");
    snprintf(daemon, sizeof daemon, "/usr/sbin/sshd");
    snprintf(file, sizeof file, "-f");
    snprintf(option, sizeof option, "-D");
    snprintf(folder, sizeof folder, "%s", testing_path("ssh"));
    snprintf(config, sizeof config, "%s/config", folder);
    mkdir(folder, 0700);
    if (access(daemon, X_OK) != 0 || !succeeds("command -v ssh") || !succeeds("%s -f '%s/host'", program, folder) ||
        !succeeds("%s -f '%s/user'", program, folder) || !succeeds("cp '%s/user.pub' '%s/keys'", folder, folder))
        return false;
    if (getuid() == 0)
        mkdir("/run/sshd", 0755); /* which sshd wants there, if it is root's */
    stream = fopen(config, "w");
    if (stream == NULL)
        return false;
    fprintf(stream,
            "Port %d\nListenAddress 127.0.0.1\nHostKey %s/host\nAuthorizedKeysFile %s/keys\nStrictModes no\n"
            "PidFile none\nUsePAM no\nPasswordAuthentication no\nLogLevel QUIET\n",
            port, folder, folder);
    fclose(stream);
    if (shw_child_start(arguments, NULL, &sshd) != SHW_OK)
        return false;
    snprintf(
        command, sizeof command,
        "ssh -F none -o BatchMode=yes -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR "
        "-o IdentitiesOnly=yes -i '%s/user' -p %d 127.0.0.1",
        folder, port);
    for (int tries = 0; tries < 100; tries++) {
        int status;

        if (succeeds("%s true", command))
            return true;
        if (shw_child_wait(&sshd, 0, &status))
            return false;
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
    return false;
}

TESTING_CASE_WITH(by_ssh, NULL, end_sshd)
{
    const int port = free_port();
    struct shw_project *project;
    struct shw_remote *remote;
    char whole[8192];

    if (port == 0 || !start_sshd(port))
        leave_out("no ssh server of one's own can run here");
    project = testing_paint_project(200, 150, NULL);
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, 20);
    snprintf(whole, sizeof whole, "%s '%s' serve -t cpu --threads 2", command, getenv("SHADEWOOD_PROGRAM"));
    if (strlen(whole) > SHW_REMOTE_COMMAND_MAX)
        leave_out("the paths are too long");
    remote = connect_to(whole);
    assert_same_forests(remote, project, true);
    testing_paint_area(project, 0, 1, 50);
    assert_same_forests(remote, project, false);
    shw_remote_destroy(&remote, 5);
    assert_int_equal(heard.errors, 0);

    /* a host that lets nobody in, and a command that is not there */
    snprintf(whole, sizeof whole, "%s no-such-program", command);
    remote = connect_to(whole);
    while (shw_remote_is_connected(remote))
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    shw_remote_destroy(&remote, 5);
    assert_int_equal(heard.errors, 1);
    assert_non_null(strstr(heard.last, "exit status is 127"));
    shw_project_destroy(&project);
}
