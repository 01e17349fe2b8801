/* Talking to another process, with common programs of POSIX as the other. */
#include "testing/testing.h"

#include <string.h>

#include "bench/peer_process.h"

static void lines_and_bytes_come_back(void **state)
{
    static const char *const cat[] = {"cat", NULL};
    struct shw_peer_process peer;
    json_t *request = json_pack("{s:s, s:i}", "do", "label", "width", 7), *answer;
    unsigned char sent[5000], received[5000];

    (void)state;
    for (size_t i = 0; i < sizeof sent; i++)
        sent[i] = (unsigned char)(i * 31);
    assert_true(shw_peer_start(cat, &peer));
    for (int i = 0; i < 3; i++) {
        assert_true(shw_peer_ask(&peer, request));
        answer = shw_peer_answer(&peer);
        assert_true(json_equal(request, answer));
        json_decref(answer);
        assert_true(shw_peer_send(&peer, sent, sizeof sent));
        assert_true(shw_peer_read(&peer, received, sizeof received));
        assert_memory_equal(sent, received, sizeof sent);
    }
    shw_peer_stop(&peer);
    assert_int_equal(peer.process, 0);
    shw_peer_stop(&peer);
    json_decref(request);
}

static void what_is_no_answer_is_none(void **state)
{
    static const char *const words[] = {"echo", "no JSON", NULL}, *const nothing[] = {"true", NULL};
    struct shw_peer_process peer;
    char byte;

    (void)state;
    assert_true(shw_peer_start(words, &peer));
    assert_null(shw_peer_answer(&peer));
    shw_peer_stop(&peer);
    assert_true(shw_peer_start(nothing, &peer));
    assert_null(shw_peer_answer(&peer));
    assert_false(shw_peer_read(&peer, &byte, 1));
    while (shw_peer_send(&peer, "x", 1)) /* no signal ends the test */
        ;
    shw_peer_stop(&peer);
}

static void programs_that_are_missing_do_not_start(void **state)
{
    static const char *const missing[] = {"/nowhere/no-such-program", NULL};
    struct shw_peer_process peer;

    (void)state;
    assert_false(shw_peer_start(missing, &peer));
    assert_int_equal(peer.process, 0);
    shw_peer_stop(&peer);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_and_bytes_come_back),
        cmocka_unit_test(what_is_no_answer_is_none),
        cmocka_unit_test(programs_that_are_missing_do_not_start),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
