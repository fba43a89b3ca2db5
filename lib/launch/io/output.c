/* Streams to sinks, in whole lines.
 *
 * Back-pressure: while a sink holds bytes that its reader does not take, none of its streams is
 * read; the pipes fill and the ranks wait.  Memory is bounded by one read and one unfinished line
 * per stream.
 *
 * A line longer than LINE_KEPT goes on in pieces.  From then on its stream holds the outlet: the
 * others wait until the line ends.  A holder that stays silent loses the outlet, for the others may
 * be what it waits for. */
#include "launch/io/output.h"
#include "launch/base/calls.h"
#include "launch/base/say.h"
#include "launch/io/files.h"
#include "launch/io/pattern.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { CHUNK = 65536, LINE_KEPT = 65536 };
#define HOLDER_SILENCE (2000 * MS_NS)
#define PROMPT_SILENCE (50 * MS_NS)

/* A stream that is merged with another one takes no part. */
static bool open_files(struct output *o, const struct output_style *style)
{
    for (unsigned i = 0; i < o->streams; i++) {
        struct stream *s = &o->stream[i];
        if (i % 2 && style->merged)
            continue;
        s->file = files_open(style, s->rank, o->streams / 2, i % 2);
        s->hidden = s->file >= 0 && style->hidden[i % 2];
        if (s->file < -1)
            return false;
    }
    return true;
}

int output_open(struct output *o, unsigned ranks, const struct output_style *style, long prompting)
{
    *o = (struct output){ .prefix = style->prefix, .merged = style->merged, .streams = 2 * ranks,
                          .prompting = prompting };
    o->outlet[0].epoll = o->outlet[1].epoll = -1;
    o->outlets = sink_same(STDOUT_FILENO, STDERR_FILENO) ? 1 : 2;
    for (unsigned i = 0; i < o->outlets; i++) {
        sink_open(&o->outlet[i].sink, STDOUT_FILENO + (int)i);
        o->outlet[i].sink.beside_said = i == o->outlets - 1;    /* standard error's */
        o->outlet[i].epoll = epoll_create1(EPOLL_CLOEXEC);
        if (o->outlet[i].epoll < 0)
            return call_failed("epoll_create1");
    }
    o->stream = need(calloc(o->streams, sizeof *o->stream));
    for (unsigned i = 0; i < o->streams; i++)
        o->stream[i] = (struct stream){ .fd = -1, .rank = i / 2, .file = -1,
                                        .outlet = &o->outlet[i % o->outlets] };
    return open_files(o, style) ? 0 : 1;
}

/* Closing alone does not take a descriptor out of the epoll
 * set while another process has a copy of it. */
static void stream_close(struct stream *s)
{
    if (s->fd >= 0) {
        epoll_ctl(s->outlet->epoll, EPOLL_CTL_DEL, s->fd, NULL);
        close(s->fd);
    }
    if (s->file >= 0)
        close(s->file);
    s->fd = s->file = -1;
    free(s->tail);
    s->tail = NULL;
    s->length = s->room = 0;
    if (s->outlet->holder == s)
        s->outlet->holder = NULL;
}

void output_close(struct output *o)
{
    for (unsigned i = 0; o->stream && i < o->streams; i++)
        stream_close(&o->stream[i]);
    for (unsigned i = 0; i < o->outlets; i++) {
        reports_free(&o->outlet[i].reports);
        sink_close(&o->outlet[i].sink);
        if (o->outlet[i].epoll >= 0)
            close(o->outlet[i].epoll);
    }
    free(o->stream);
    *o = (struct output){ 0 };
}

static int stream_connect(struct stream *s, int *end)
{
    int ends[2];
    struct epoll_event event = { .events = EPOLLIN, .data.ptr = s };

    if (pipe2(ends, O_CLOEXEC) < 0)
        return call_failed("pipe2");
    s->fd = ends[0];
    *end = ends[1];
    if (fcntl(s->fd, F_SETFL, O_NONBLOCK) < 0)
        return call_failed("fcntl");
    return epoll_ctl(s->outlet->epoll, EPOLL_CTL_ADD, s->fd, &event) < 0 ? call_failed("epoll_ctl")
           : 0;
}

int output_connect(struct output *o, unsigned rank, int ends[2])
{
    ends[0] = ends[1] = -1;
    int rc = stream_connect(&o->stream[2 * rank], &ends[0]);
    if (rc == 0 && o->merged)
        return (ends[1] = fcntl(ends[0], F_DUPFD_CLOEXEC, 0)) < 0 ? call_failed("fcntl") : 0;
    return rc < 0 ? rc : stream_connect(&o->stream[2 * rank + 1], &ends[1]);
}

/* Puts the prefix before each line that begins here. */
static void put_prefixed(struct stream *s, const char *pattern, const char *data, size_t size)
{
    char prefix[PATTERN_ROOM];

    while (size) {
        const char *end = memchr(data, '\n', size);
        size_t part = end ? (size_t)(end - data) + 1 : size;
        if (!s->midline)
            sink_put(&s->outlet->sink, prefix,
                     pattern_expand(prefix, sizeof prefix, pattern, s->rank));
        sink_put(&s->outlet->sink, data, part);
        s->midline = !end;
        data += part;
        size -= part;
    }
}

/* The bytes as they are. */
static void put_file(struct output *o, struct stream *s, const char *data, size_t size)
{
    int rc = o->file_error ? 0 : write_all(s->file, data, size);

    if (rc < 0) {
        o->file_error = -rc;
        o->unwritten = s;
    }
}

/* Of what ranks say of their ends on standard error; a line with a prefix is its rank's own. */
static void put_but_reports(struct output *o, struct stream *s, const char *data, size_t size)
{
    struct outlet *out = s->outlet;
    const char *end = data + size, *begun = s->midline ? memchr(data, '\n', size) : NULL;
    const char *lines = !s->midline ? data : begun ? begun + 1 : end, *start;
    size_t bytes;

    while ((bytes = report_find(lines, (size_t)(end - lines), s->rank, &start))) {
        sink_put(&out->sink, data, (size_t)(start - data));
        reports_take(&out->reports, start, bytes, s->rank, o->streams / 2, o->now);
        data = lines = start + bytes;
    }
    sink_put(&out->sink, data, (size_t)(end - data));
}

/* None comes into the middle of a line.  True: there is something to flush. */
static bool put_reports(struct outlet *out, int64_t now)
{
    size_t size;
    char *text;
    bool any = false;

    while (!out->holder && (text = reports_next(&out->reports, now, &size))) {
        sink_put(&out->sink, text, size);
        free(text);
        any = true;
    }
    return any;
}

static void put(struct output *o, struct stream *s, const char *data, size_t size)
{
    if (!size)
        return;
    if (s->file >= 0)
        put_file(o, s, data, size);
    if (s->hidden)
        return;
    if (o->prefix)
        put_prefixed(s, o->prefix, data, size);
    else if ((s - o->stream) % 2 == o->merged)
        sink_put(&s->outlet->sink, data, size);
    else
        put_but_reports(o, s, data, size);
    s->midline = data[size - 1] != '\n';
}

static void put_tail(struct output *o, struct stream *s)
{
    put(o, s, s->tail, s->length);
    s->length = 0;
}

static void keep(struct stream *s, const char *data, size_t size)
{
    if (s->room - s->length < size) {
        s->room = s->length + size < 4096 ? 4096 : s->length + size + LINE_KEPT;
        s->tail = need(realloc(s->tail, s->room));
    }
    memcpy(s->tail + s->length, data, size);
    s->length += size;
}

/* Passes on what is complete, and keeps the rest; a rest that
 * is too long begins to go out in pieces. */
static void pass(struct output *o, struct stream *s, const char *data, size_t size)
{
    struct outlet *out = s->outlet;
    const char *end = memrchr(data, '\n', size);
    size_t whole = end ? (size_t)(end - data) + 1 : 0;

    if (whole) {
        put_tail(o, s);
        put(o, s, data, whole);
        if (out->holder == s)
            out->holder = NULL;
    }
    if (whole < size)
        keep(s, data + whole, size - whole);
    if (s->length > LINE_KEPT || out->holder == s) {
        out->holder = s;
        put_tail(o, s);
    }
}

/* The last line may lack its end.  Lines with a prefix are text, so there the end is added. */
static void finish(struct output *o, struct stream *s)
{
    put_tail(o, s);
    if (o->prefix && s->midline)
        sink_put(&s->outlet->sink, "\n", 1);
    stream_close(s);
}

/* One read; false if there is nothing for now. */
static bool stream_move(struct output *o, struct stream *s)
{
    static char chunk[CHUNK];
    ssize_t n = read(s->fd, chunk, sizeof chunk);

    if (n > 0)
        pass(o, s, chunk, (size_t)n);
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        finish(o, s);
    return n > 0;
}

/* Nobody reads this sink any more: the ranks are to see that, as they would without a launcher. */
static void cut_off(struct output *o, struct outlet *out)
{
    for (unsigned i = 0; i < o->streams; i++)
        if (o->stream[i].outlet == out)
            stream_close(&o->stream[i]);
}

static bool flush(struct output *o, struct outlet *out)
{
    if (!out->sink.error) {
        sink_flush(&out->sink);
        if (out->sink.error)
            cut_off(o, out);
    }
    return sink_pending(&out->sink) == 0;
}

/* The stream on which a question to the user waits for its end
 * of line, which does not come before the answer. */
static struct stream *prompt_of(struct output *o, const struct outlet *out)
{
    struct stream *s = o->prompting < 0 ? NULL : &o->stream[2 * o->prompting];

    return s && s->outlet == out && s->length && !out->holder ? s : NULL;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < 0 || (b >= 0 && b < a) ? b : a;
}

/* When something is to be done about an outlet on which nothing happens; -1: never. */
static int64_t silence_due(struct output *o, const struct outlet *out)
{
    if (out->holder)
        return out->heard_ns + HOLDER_SILENCE;
    return prompt_of(o, out) ? out->heard_ns + PROMPT_SILENCE : -1;
}

static int64_t outlet_due(struct output *o, const struct outlet *out)
{
    int64_t silence = silence_due(o, out);

    return out->holder ? silence : sooner(silence, reports_due(&out->reports));
}

int64_t output_prepare(struct output *o, struct pollfd poll_fds[2], int64_t now)
{
    int64_t due = -1;

    for (unsigned i = 0; i < 2; i++) {
        struct outlet *out = &o->outlet[i];
        poll_fds[i] = (struct pollfd){ .fd = -1 };
        if (i >= o->outlets || out->sink.error)
            continue;
        if (sink_pending(&out->sink)) {
            poll_fds[i] = (struct pollfd){ .fd = out->sink.fd, .events = POLLOUT };
            continue;
        }
        poll_fds[i] = (struct pollfd){ .fd = out->holder ? out->holder->fd : out->epoll,
                                       .events = POLLIN };
        int64_t at = outlet_due(o, out);
        if (at >= 0)
            due = sooner(due, at > now ? at - now : 0);
    }
    return due;
}

/* For where nobody tells which streams have something. */
static void outlet_move_all(struct output *o, struct outlet *out)
{
    for (unsigned i = 0; i < o->streams && !out->sink.error; i++) {
        struct stream *s = &o->stream[i];
        if (s->outlet == out && s->fd >= 0 && (!out->holder || out->holder == s))
            stream_move(o, s);
        if (sink_pending(&out->sink) >= CHUNK && !flush(o, out))
            return;
    }
    flush(o, out);
}

static void outlet_move(struct output *o, struct outlet *out)
{
    struct epoll_event events[64];
    int n = epoll_wait(out->epoll, events, 64, 0);

    if (n < 0 && call_refused(errno)) {
        outlet_move_all(o, out);
        return;
    }
    for (int i = 0; i < n && !out->sink.error; i++) {
        struct stream *s = events[i].data.ptr;
        if (out->holder && out->holder != s)
            continue;
        stream_move(o, s);
        if (sink_pending(&out->sink) >= CHUNK && !flush(o, out))
            return;
    }
    flush(o, out);
}

static void outlet_ready(struct output *o, struct outlet *out)
{
    if (!flush(o, out) || out->sink.error)
        return;
    if (out->holder)
        stream_move(o, out->holder);
    if (!out->holder)
        outlet_move(o, out);
    flush(o, out);
}

/* Nothing was heard for the time that silence_due gives, unless mpirun was away since it asked:
 * the holder lets go, or a question is shown. */
static void outlet_silent(struct output *o, struct outlet *out)
{
    if (out->holder && stream_move(o, out->holder)) {
        flush(o, out);
        return;
    }
    struct stream *prompt = prompt_of(o, out);

    out->holder = prompt;
    if (!prompt)
        return;
    put_tail(o, prompt);
    flush(o, out);
}

void output_move(struct output *o, const struct pollfd poll_fds[2], int64_t now)
{
    o->now = now;
    for (unsigned i = 0; i < o->outlets; i++) {
        struct outlet *out = &o->outlet[i];
        int64_t due = silence_due(o, out);
        if (poll_fds[i].revents) {
            out->heard_ns = now;
            outlet_ready(o, out);
        } else if (due >= 0 && now >= due && !sink_pending(&out->sink)) {
            out->heard_ns = now;
            outlet_silent(o, out);
        }
        if (put_reports(out, now))
            flush(o, out);
    }
}

/* Reads a stream to its end.  What would block now can
 * never come: all that could write are gone. */
static bool stream_drain(struct output *o, struct stream *s)
{
    struct outlet *out = s->outlet;

    while (s->fd >= 0) {
        if (!flush(o, out))
            return false;
        if (s->fd >= 0 && !stream_move(o, s) && s->fd >= 0 && errno == EAGAIN)
            finish(o, s);
    }
    return flush(o, out);
}

bool output_drain(struct output *o)
{
    for (unsigned i = 0; i < o->outlets; i++)
        if (o->outlet[i].holder && !stream_drain(o, o->outlet[i].holder))
            return false;
    for (unsigned i = 0; i < o->streams; i++)
        if (!stream_drain(o, &o->stream[i]))
            return false;
    for (unsigned i = 0; i < o->outlets; i++) {
        put_reports(&o->outlet[i], INT64_MAX);
        if (!flush(o, &o->outlet[i]))
            return false;
    }
    return true;
}
