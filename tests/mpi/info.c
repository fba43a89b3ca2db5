/* Info objects: keys and values, order, copies, limits, MPI_INFO_ENV, integers, errors, and use
 * before MPI_Init and after MPI_Finalize. */
#include "t.h"
#include <sys/utsname.h>

static void expect(MPI_Info info, const char *key, const char *value)
{
    char text[MPI_MAX_INFO_VAL];
    int found = -1, length = sizeof text;

    OK(MPI_Info_get_string(info, key, &length, text, &found));
    SAME(found, value != NULL);
    if (!value)
        return;
    SAME(length, strlen(value) + 1);
    if (strcmp(text, value))
        FAIL("key '%s' is '%s', should be '%s'", key, text, value);
}

static void keys_and_values(void)
{
    MPI_Info info, copy;
    char name[MPI_MAX_INFO_KEY];
    int n;

    OK(MPI_Info_create(&info));
    CHECK(info != MPI_INFO_NULL && info != MPI_INFO_ENV);
    OK(MPI_Info_get_nkeys(info, &n));
    SAME(n, 0);
    expect(info, "colour", NULL);
    OK(MPI_Info_set(info, "colour", "green"));
    OK(MPI_Info_set(info, "size", "12"));
    OK(MPI_Info_set(info, "empty", ""));
    OK(MPI_Info_set(info, "colour", "a much longer value than before"));
    OK(MPI_Info_dup(info, &copy));
    OK(MPI_Info_delete(info, "size"));
    expect(info, "size", NULL);
    expect(info, "colour", "a much longer value than before");
    OK(MPI_Info_set(info, "size", "13"));
    static const char *const order[] = { "colour", "empty", "size" },
        *const copied[] = { "colour", "size", "empty" };
    for (int i = 0; i < 3; i++) {
        OK(MPI_Info_get_nthkey(info, i, name));
        CHECK(!strcmp(name, order[i]));
        OK(MPI_Info_get_nthkey(copy, i, name));
        CHECK(!strcmp(name, copied[i]));
    }
    expect(copy, "size", "12");
    expect(copy, "empty", "");
    OK(MPI_Info_get_nkeys(copy, &n));
    SAME(n, 3);
    OK(MPI_Info_free(&copy));
    CHECK(copy == MPI_INFO_NULL);
    expect(info, "size", "13");
    CHECK(MPI_Info_fromint(MPI_Info_toint(info)) == info);
    OK(MPI_Info_free(&info));
}

/* What does not fit is cut, and the length says what would. */
static void lengths(void)
{
    MPI_Info info;
    char text[16];
    int found, length;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "k", "0123456789"));
    memset(text, 'x', sizeof text);
    length = 4;
    OK(MPI_Info_get_string(info, "k", &length, text, &found));
    SAME(length, 11);
    CHECK(found && !memcmp(text, "012\0xx", 6));
    length = 0;
    OK(MPI_Info_get_string(info, "k", &length, NULL, &found));
    SAME(length, 11);
    memset(text, 'x', sizeof text);
    OK(MPI_Info_get(info, "k", 4, text, &found));
    CHECK(found && !memcmp(text, "0123\0xx", 7));
    OK(MPI_Info_get_valuelen(info, "k", &length, &found));
    CHECK(found && length == 10);
    length = 77;
    OK(MPI_Info_get_valuelen(info, "none", &length, &found));
    CHECK(!found && length == 77);
    OK(MPI_Info_get(info, "none", 4, text, &found));
    CHECK(!found && !memcmp(text, "0123", 4));
    OK(MPI_Info_free(&info));
}

static void limits(void)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];
    MPI_Info info;

    memset(key, 'k', sizeof key);
    memset(value, 'v', sizeof value);
    key[MPI_MAX_INFO_KEY] = value[MPI_MAX_INFO_VAL] = 0;
    OK(MPI_Info_create(&info));
    CLASS(MPI_Info_set(info, key, "1"), MPI_ERR_INFO_KEY);
    CLASS(MPI_Info_set(info, "1", value), MPI_ERR_INFO_VALUE);
    key[MPI_MAX_INFO_KEY - 1] = value[MPI_MAX_INFO_VAL - 1] = 0;
    OK(MPI_Info_set(info, key, value));
    expect(info, key, value);
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "key %d", i);
        OK(MPI_Info_set(info, key, key));
    }
    for (int i = 0; i < 500; i++) {
        snprintf(key, sizeof key, "key %d", i);
        expect(info, key, key);
    }
    OK(MPI_Info_free(&info));
}

/* Where the process is, and what it was started as: see main. */
static void own_start(void)
{
    char text[MPI_MAX_INFO_VAL];
    struct utsname machine;

    CHECK(!gethostname(text, sizeof text) && !uname(&machine));
    expect(MPI_INFO_ENV, "host", text);
    expect(MPI_INFO_ENV, "arch", machine.machine);
    CHECK(getcwd(text, sizeof text));
    expect(MPI_INFO_ENV, "wdir", text);
    expect(MPI_INFO_ENV, "command", "info of MPI");
    expect(MPI_INFO_ENV, "argv", "one two words");
}

static void environment(void)
{
    char text[MPI_MAX_INFO_VAL], words[][10] = { "prog", "one", "two words" },
        *arguments[] = { words[0], words[1], words[2], NULL };
    int found, length = sizeof text, n;
    MPI_Info info;

    OK(MPI_Info_get_string(MPI_INFO_ENV, "maxprocs", &length, text, &found));
    CHECK(found && atoi(text) == t_size);
    own_start();
    expect(MPI_INFO_ENV, "thread_level", "MPI_THREAD_SINGLE");
    CHECK(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)) == MPI_INFO_ENV);
    CLASS(MPI_Info_set(MPI_INFO_ENV, "a", "b"), MPI_ERR_INFO);
    CLASS(MPI_Info_delete(MPI_INFO_ENV, "command"), MPI_ERR_INFO);
    info = MPI_INFO_ENV;
    CLASS(MPI_Info_free(&info), MPI_ERR_INFO);
    OK(MPI_Info_dup(MPI_INFO_ENV, &info));
    OK(MPI_Info_set(info, "a", "b"));
    expect(info, "a", "b");
    expect(MPI_INFO_ENV, "a", NULL);
    OK(MPI_Info_free(&info));
    OK(MPI_Info_create_env(3, arguments, &info));
    expect(info, "command", "prog");
    expect(info, "argv", "one two words");
    OK(MPI_Info_get_nkeys(info, &n));
    CHECK(n >= 6);
    OK(MPI_Info_free(&info));
}

static void errors(void)
{
    MPI_Info info, stale;
    char text[10];
    int n = -1, found;

    OK(MPI_Info_create(&info));
    CLASS(MPI_Info_create(NULL), MPI_ERR_ARG);
    CLASS(MPI_Info_set(info, NULL, "v"), MPI_ERR_INFO_KEY);
    CLASS(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
    CLASS(MPI_Info_set(info, "k", NULL), MPI_ERR_INFO_VALUE);
    CLASS(MPI_Info_delete(info, "k"), MPI_ERR_INFO_NOKEY);
    CLASS(MPI_Info_get_nthkey(info, 0, text), MPI_ERR_ARG);
    CLASS(MPI_Info_get_nthkey(info, -1, text), MPI_ERR_ARG);
    CLASS(MPI_Info_get(info, "k", -1, text, &found), MPI_ERR_ARG);
    CLASS(MPI_Info_get_string(info, "k", &n, text, &found), MPI_ERR_ARG);
    n = 5;
    CLASS(MPI_Info_get_string(info, "k", &n, NULL, &found), MPI_ERR_ARG);
    CLASS(MPI_Info_get_string(info, "k", NULL, text, &found), MPI_ERR_ARG);
    CLASS(MPI_Info_get_nkeys(MPI_INFO_NULL, &n), MPI_ERR_INFO);
    CLASS(MPI_Info_dup(MPI_INFO_NULL, &stale), MPI_ERR_INFO);
    stale = info;
    OK(MPI_Info_free(&info));
    CLASS(MPI_Info_set(stale, "k", "v"), MPI_ERR_INFO);
    CLASS(MPI_Info_free(&stale), MPI_ERR_INFO);
    CLASS(MPI_Info_free(&info), MPI_ERR_INFO);
    CHECK(MPI_Info_fromint(MPI_Info_toint(stale)) == MPI_INFO_NULL);
}

static void same_keys(MPI_Info a, MPI_Info b)
{
    int n, m;

    OK(MPI_Info_get_nkeys(a, &n));
    OK(MPI_Info_get_nkeys(b, &m));
    SAME(n, m);
    for (int i = 0; i < n; i++) {
        char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
        int length = sizeof value, found;
        OK(MPI_Info_get_nthkey(a, i, key));
        OK(MPI_Info_get_string(a, key, &length, value, &found));
        expect(b, key, value);
    }
}

/* An object of the environment does not depend on when it is made. */
static void early_and_late(int argc, char **argv, MPI_Info early)
{
    MPI_Info late;

    OK(MPI_Info_create_env(argc, argv, &late));
    same_keys(early, late);
    same_keys(late, early);
    OK(MPI_Info_free(&late));
}

int main(int argc, char **argv)
{
    char words[][12] = { "info of MPI", "one", "two words" },
        *again[] = { words[0], words[1], words[2], NULL };
    MPI_Info early, made;

    if (argc == 1)              /* as a command that is known */
        return execv("/proc/self/exe", again);
    OK(MPI_Info_create(&early));
    OK(MPI_Info_set(early, "when", "before MPI_Init"));
    expect(MPI_INFO_ENV, "thread_level", NULL);
    OK(MPI_Info_create_env(argc, argv, &made));
    t_start(&argc, &argv);
    t_errors_return();
    early_and_late(argc, argv, made);
    expect(early, "when", "before MPI_Init");
    keys_and_values();
    lengths();
    limits();
    environment();
    errors();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Finalize());
    expect(early, "when", "before MPI_Init");
    expect(MPI_INFO_ENV, "thread_level", NULL);         /* as before MPI_Init */
    early_and_late(argc, argv, made);
    OK(MPI_Info_free(&early));
    OK(MPI_Info_free(&made));
    return 0;
}
