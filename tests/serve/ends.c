/* Connections that end: by a kill of either side, by silence, or because nothing speaks the protocol. */
#include "serving.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "files/serve/child.h"
#include "files/serve/link.h"
#include "testing/painting.h"

enum { WIDTH = 48, HEIGHT = 36 };

static struct shw_project *make_project(void)
{
    struct shw_project *project = testing_paint_project(WIDTH, HEIGHT, NULL);
    struct shw_project_training training = shw_project_get_training(project);

    training.tree_count = 12;
    training.candidates = 150;
    assert_int_equal(shw_project_set_training(project, &training), SHW_OK);
    for (uint32_t c = 0; c < 3; c++)
        testing_paint_area(project, 1, c, 20);
    return project;
}

static void sleep_for(uint32_t microseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)microseconds * 1000}, NULL);
}

struct killer {
    unsigned asked, when;
    int pid;
};

/* Kills the trainer when it is asked for the n-th time whether to go on. */
static bool kill_server(void *user)
{
    struct killer *killer = user;

    if (killer->pid == 0)
        killer->pid = served_pid();
    if (killer->pid != 0 && killer->asked++ == killer->when)
        kill(killer->pid, SIGKILL);
    return true;
}

/* Each training ends, with a forest or with one message, whenever the trainer is killed. */
TESTING_CASE(the_trainer_is_killed)
{
    struct shw_project *project = make_project();
    struct shw_training_set *set = set_of(project);
    const unsigned runs = testing_is_slow() ? 120 : 20;
    unsigned failed = 0;

    for (unsigned run = 0; run < runs; run++) {
        struct shw_remote *remote;
        struct shw_teacher teacher;
        struct killer killer = {.when = run % 20 * (run % 20) / 12};
        const struct shw_teacher_watch watch = {.go_on = kill_server, .user = &killer};
        struct shw_forest *forest = NULL;
        enum shw_result result;

        heard.errors = 0;
        remote = connect_to(serve_command_with_pid());
        teacher = shw_remote_teacher(remote);
        result = shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL);
        assert_true(result == SHW_OK || result == SHW_ERROR_IO);
        failed += result == SHW_ERROR_IO;
        if (result == SHW_ERROR_IO) {
            assert_false(shw_remote_is_connected(remote));
            /* from now on, at once */
            assert_int_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_FULL, &watch, &forest, NULL), SHW_ERROR_IO);
        }
        shw_forest_destroy(&forest);
        if (killer.pid == 0)
            killer.pid = served_pid();
        shw_remote_destroy(&remote, 5); /* after which the log has been told */
        if (result == SHW_ERROR_IO)
            assert_int_equal(heard.errors, 1);
        if (killer.pid != 0)
            assert_ends(killer.pid);
    }
    assert_true(failed > 0);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

/* The trainer ends when the program is killed that has started it. */
TESTING_CASE(the_client_is_killed)
{
    struct shw_project *project = make_project();
    const unsigned runs = testing_is_slow() ? 60 : 6;
    struct testing_random random = {5};

    assert_int_equal(shw_project_write(project, testing_path("p.json")), SHW_OK);
    for (unsigned run = 0; run < runs; run++) {
        char program[1024], path[512], output[512], command[2048];
        char *const arguments[] = {program, "train",       path, "--trainer", command,
                                   "-q",    "--overwrite", "-o", output,      NULL};
        const struct shw_log log = heard_log();
        struct shw_child child;
        int status, pid = 0;

        snprintf(program, sizeof program, "%s", getenv("SHADEWOOD_PROGRAM"));
        snprintf(path, sizeof path, "%s", testing_path("p.json"));
        snprintf(output, sizeof output, "%s", testing_path("p.ktx2"));
        snprintf(command, sizeof command, "%s", serve_command_with_pid());
        assert_int_equal(shw_child_start(arguments, &log, &child), SHW_OK);
        while (pid == 0 && (pid = served_pid()) == 0)
            sleep_for(500);
        sleep_for(testing_random_below(&random, 120000));
        kill(child.pid, run % 3 == 0 ? SIGTERM : SIGKILL);
        assert_true(shw_child_wait(&child, 60, &status));
        shw_child_end(&child, 0);
        assert_ends(pid);
    }
    shw_project_destroy(&project);
}

/* A trainer that is told to end does, cleanly, also while it trains. */
TESTING_CASE(the_trainer_is_told_to_end)
{
    char program[1024];
    char *const arguments[] = {program, "serve", "-t", "cpu", NULL};
    const struct shw_log log = heard_log();

    snprintf(program, sizeof program, "%s", getenv("SHADEWOOD_PROGRAM"));
    for (unsigned run = 0; run < 4; run++) {
        struct shw_child child;
        uint8_t greeting[SHW_SERVE_GREETING_SIZE];
        int status;

        assert_int_equal(shw_child_start(arguments, &log, &child), SHW_OK);
        assert_int_equal(read(child.in, greeting, sizeof greeting), sizeof greeting);
        if (run % 2 == 0)
            kill(child.pid, SIGTERM);
        else
            close(child.out);
        assert_true(shw_child_wait(&child, 60, &status));
        assert_true(WIFEXITED(status));
        assert_int_equal(WEXITSTATUS(status), run % 2 == 0 ? 130 : 1); /* without a greeting, nobody was there */
        child.out = run % 2 == 0 ? child.out : -1;
        shw_child_end(&child, 0);
    }
}

static void assert_refused(const char *command, const char *why)
{
    const struct shw_teacher_watch watch = {NULL};
    struct shw_project *project = make_project();
    struct shw_training_set *set = set_of(project);
    struct shw_remote *remote;
    struct shw_teacher teacher;
    struct shw_forest *forest = NULL;

    heard.errors = 0;
    remote = connect_to(command);
    teacher = shw_remote_teacher(remote);
    assert_int_equal(shw_teacher_grow(&teacher, set, SHW_LESSON_SMALL, &watch, &forest, NULL), SHW_ERROR_IO);
    shw_remote_destroy(&remote, 5);
    assert_int_equal(heard.errors, 1);
    if (strstr(heard.last, why) == NULL)
        fail_msg("%s: %s", command, heard.last);
    shw_training_set_destroy(&set);
    shw_project_destroy(&project);
}

#define GREETING "SHWSERVE\\001\\000\\000\\000\\000\\000\\000\\000"

TESTING_CASE(what_is_not_the_protocol_is_refused)
{
    const struct shw_log log = heard_log();
    struct shw_remote *remote = NULL;

    assert_refused("sh -c 'exit 3'", "exit status is 3");
    assert_refused("echo 'Welcome to this machine'", "'Welcome to this '");
    assert_refused("printf SHWSE", "within its greeting");
    assert_refused("printf SHWSEE", "begins with 'SHWSEE'");
    assert_refused("printf 'SHWSERVE\\002\\000\\000\\000\\000\\000\\000\\000'", "version 2");
    assert_refused("sh -c \"printf '" GREETING "\\060\\000\\000\\000\\377\\377\\377\\377....123456789012'; cat\"",
                   "4294967295 bytes");
    assert_refused("sh -c \"printf '" GREETING "\\063\\000\\000\\000\\020\\000\\000\\000....123456789012'; cat\"",
                   "instead of READY");
    assert_refused("sh -c \"printf '" GREETING "\\020\\000\\000\\000\\020\\000\\000\\000....123456789012'; cat\"",
                   "from the side that does not send it");
    assert_refused("sh -c \"printf '" GREETING "\\143\\000\\000\\000\\020\\000\\000\\000....123456789012'; cat\"",
                   "unknown type 99");
    assert_refused("sh -c \"printf '" GREETING
                   "\\060\\000\\000\\000\\014\\000\\000\\000....123456789012345678901234'; cat\"",
                   "damaged");
    assert_int_equal(shw_remote_connect("no-such-program-as-this one", &log, &remote), SHW_ERROR_IO);
    assert_non_null(strstr(heard.last, "no-such-program-as-this"));
    assert_int_equal(shw_remote_connect("  ", &log, &remote), SHW_ERROR_ARGUMENT);
    assert_int_equal(shw_remote_connect("ssh 'host", &log, &remote), SHW_ERROR_ARGUMENT);
    assert_null(remote);
}

TESTING_CASE(words_are_split_as_by_a_shell)
{
    static const struct {
        const char *command, *words[5];
    } commands[] = {{"ssh host shadewood serve", {"ssh", "host", "shadewood", "serve"}},
                    {"  a\t'b c'\n\"d 'e\"  ", {"a", "b c", "d 'e"}},
                    {"a\\ b '' \"\\\"\\\\\\n\" 'x\\y'z", {"a b", "", "\"\\\\n", "x\\yz"}},
                    {"$HOME *.c `x` > y", {"$HOME", "*.c", "`x`", ">", "y"}}};

    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char **words = NULL;
        size_t count = 0;

        assert_int_equal(shw_words_split(commands[i].command, NULL, &words), SHW_OK);
        for (; words[count] != NULL; count++)
            assert_string_equal(words[count], commands[i].words[count]);
        assert_true(count == 5 || commands[i].words[count] == NULL);
        shw_words_free(&words);
    }
}

/* One that says nothing is gone after a while; until then, it is told that this side is alive. */
TESTING_CASE(a_silent_peer_is_gone)
{
    struct shw_link_params params = {.side = SHW_SERVER, .alive = 0.01, .silent = 0.3};
    uint8_t bytes[SHW_SERVE_GREETING_SIZE + SHW_SERVE_HEADER_SIZE];
    struct shw_link *link = NULL;
    struct shw_message *message = NULL;
    char why[SHW_LINK_WHY_SIZE];
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    params.in = params.out = pair[0];
    assert_int_equal(shw_link_create(&params, &link), SHW_OK);
    assert_int_equal(recv(pair[1], bytes, sizeof bytes, MSG_WAITALL), sizeof bytes);
    assert_memory_equal(bytes, SHW_SERVE_MAGIC, 8);
    assert_int_equal(shw_get_u32(bytes + SHW_SERVE_GREETING_SIZE), SHW_MESSAGE_ALIVE);
    while (shw_link_receive(link, 60, &message) == SHW_OK)
        assert_null(message);
    shw_link_why(link, why);
    assert_non_null(strstr(why, "silent"));
    shw_link_destroy(&link, 0);
    close(pair[0]);
    close(pair[1]);
}

/* Also a side that only listens, to a peer that never pauses, says that it is alive: trainings last longer than the
 * patience of the trainer. */
TESTING_CASE(a_side_that_listens_is_alive)
{
    struct shw_link_params params = {.side = SHW_SERVER, .alive = 0.2, .silent = 60};
    uint8_t bytes[SHW_SERVE_GREETING_SIZE + SHW_SERVE_HEADER_SIZE], header[SHW_SERVE_HEADER_SIZE];
    struct shw_link *link = NULL;
    ssize_t heard_bytes = 0;
    int pair[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    params.in = params.out = pair[0];
    assert_int_equal(shw_link_create(&params, &link), SHW_OK);
    shw_message_greet(bytes);
    assert_int_equal(write(pair[1], bytes, SHW_SERVE_GREETING_SIZE), SHW_SERVE_GREETING_SIZE);
    shw_message_head(header, SHW_MESSAGE_ALIVE, 0, NULL, 0);
    for (int i = 0; i < 60000 && heard_bytes < (ssize_t)sizeof bytes; i++) {
        const ssize_t count = recv(pair[1], bytes + heard_bytes, sizeof bytes - (size_t)heard_bytes, MSG_DONTWAIT);

        heard_bytes += count > 0 ? count : 0;
        assert_int_equal(write(pair[1], header, sizeof header), sizeof header);
        sleep_for(1000);
    }
    assert_int_equal(heard_bytes, sizeof bytes);
    assert_int_equal(shw_get_u32(bytes + SHW_SERVE_GREETING_SIZE), SHW_MESSAGE_ALIVE);
    shw_link_destroy(&link, 0);
    close(pair[0]);
    close(pair[1]);
}

/* A peer that takes nothing keeps nobody waiting who asks whether to go on. */
static bool no_more(void *user)
{
    return --*(int *)user > 0;
}

TESTING_CASE(a_peer_that_takes_nothing)
{
    static uint8_t contents[1 << 20];
    struct shw_link_params params = {.side = SHW_CLIENT};
    struct shw_link *link = NULL;
    enum shw_result result = SHW_OK;
    int pair[2], asked = 3;
    const struct shw_patience patience = {no_more, &asked};

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    params.in = params.out = pair[0];
    assert_int_equal(shw_link_create(&params, &link), SHW_OK);
    for (int i = 0; i < 100 && result == SHW_OK; i++)
        result = shw_link_send(link, SHW_MESSAGE_LABELS, 0, contents, sizeof contents, false, &patience);
    assert_int_equal(result, SHW_ERROR_CANCELLED);
    assert_true(shw_link_is_open(link));
    shw_link_destroy(&link, 0);
    close(pair[0]);
    close(pair[1]);
}
