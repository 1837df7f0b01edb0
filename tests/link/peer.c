/* peer.c: both ends of a link over which an array goes as it is, compressed, and compressed slab by
 * slab. namespaces.py joins them and compares the times with what ztile bench --link predicts.
 *
 *     link_peer make FILE                      a smooth field, 96 x 384 x 384 f32
 *     link_peer receive PORT
 *     link_peer send ADDRESS PORT FILE BOUND ROUNDS
 *
 * A bound of 0 is ndzip without loss, any other sz.
 * 'send' prints a line a round: seconds of each of the three ways, until the receiver says that it
 * has all values, and the bytes of all slabs. */
#include "ztile.h"

#include <arpa/inet.h>
#include <math.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH = 96, SIDE = 384, SLABS = 12, SLICES = DEPTH / SLABS };
enum { SLICE_BYTES = SIDE * SIDE * 4, SLAB_BYTES = SLICES * SLICE_BYTES };
enum { RAW_BYTES = DEPTH * SLICE_BYTES };
enum way { AS_IT_IS, ONE_AFTER_ANOTHER, PIPELINED, WAYS };

/* What goes before data. */
struct message {
    uint32_t way, slab;
    uint64_t bytes;
};

static void die(const char *what)
{
    perror(what);
    exit(1);
}

static void *need(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        die("memory");
    memset(memory, 1, bytes);
    return memory;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void put(int s, const void *data, size_t n)
{
    for (const char *p = data; n > 0;) {
        const ssize_t k = send(s, p, n, MSG_NOSIGNAL);
        if (k <= 0)
            die("send");
        p += k;
        n -= (size_t)k;
    }
}

/* False at the end of the stream. */
static int get(int s, void *data, size_t n)
{
    for (char *p = data; n > 0;) {
        const ssize_t k = recv(s, p, n, 0);
        if (k < 0)
            die("recv");
        if (k == 0)
            return 0;
        p += k;
        n -= (size_t)k;
    }
    return 1;
}

static zt_array slices_of(float *values, uint32_t first, uint32_t count)
{
    const uint64_t shape[] = {count, SIDE, SIDE};
    return zt_array_nd(values + (size_t)first * SIDE * SIDE, ZT_F32, 3, shape);
}

static zt_params params_of(double bound)
{
    zt_params p;
    (void)zt_params_init(&p, sizeof p);
    p.codec = bound > 0 ? ZT_CODEC_SZ : ZT_CODEC_NDZIP;
    p.bound = bound > 0 ? zt_abs(bound) : zt_lossless();
    return p;
}

static void check(zt_status status, const char *what)
{
    if (status != ZT_OK) {
        fprintf(stderr, "%s: status %d\n", what, (int)status);
        exit(1);
    }
}

/* Slabs that one thread hands another, in their order. */
struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint32_t done; /* slabs that can be taken */
    size_t bytes[SLABS];
    uint8_t *data[SLABS];
    float *values;
    double bound;
};

static void hand_over(struct queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->done++;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

static void wait_for(struct queue *q, uint32_t slab)
{
    pthread_mutex_lock(&q->lock);
    while (q->done <= slab)
        pthread_cond_wait(&q->changed, &q->lock);
    pthread_mutex_unlock(&q->lock);
}

static void begin_queue(struct queue *q)
{
    q->done = 0;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
}

/* ---- the receiver ---------------------------------------------------------------------------- */

static void *decode_slabs(void *user)
{
    struct queue *const q = user;
    for (uint32_t k = 0; k < SLABS; k++) {
        const zt_array a = slices_of(q->values, k * SLICES, SLICES);
        wait_for(q, k);
        check(zt_decompress(NULL, q->data[k], q->bytes[k], &a), "decompress");
    }
    return NULL;
}

static void receive(int s)
{
    struct queue q = {.values = need(RAW_BYTES)};
    uint8_t *const coded = need(2 * RAW_BYTES);
    const zt_array whole = slices_of(q.values, 0, DEPTH);
    struct message m;
    pthread_t decoder;
    for (uint32_t k = 0; k < SLABS; k++)
        q.data[k] = coded + (size_t)k * 2 * SLAB_BYTES;
    while (get(s, &m, sizeof m)) {
        if (m.way >= WAYS || m.slab >= SLABS || m.bytes > RAW_BYTES)
            exit(1);
        if (m.way == PIPELINED && m.slab == 0) {
            begin_queue(&q);
            if (pthread_create(&decoder, NULL, decode_slabs, &q) != 0)
                die("thread");
        }
        if (!get(s, m.way == AS_IT_IS ? (void *)q.values : q.data[m.slab], m.bytes))
            exit(1);
        q.bytes[m.slab] = m.bytes;
        if (m.way == ONE_AFTER_ANOTHER)
            check(zt_decompress(NULL, coded, m.bytes, &whole), "decompress");
        if (m.way == PIPELINED) {
            hand_over(&q);
            if (m.slab + 1 < SLABS)
                continue;
            pthread_join(decoder, NULL);
        }
        put(s, "k", 1);
    }
    free(q.values);
    free(coded);
}

/* ---- the sender ------------------------------------------------------------------------------ */

static void *encode_slabs(void *user)
{
    struct queue *const q = user;
    const zt_params p = params_of(q->bound);
    for (uint32_t k = 0; k < SLABS; k++) {
        const zt_array a = slices_of(q->values, k * SLICES, SLICES);
        check(zt_compress(NULL, &a, &p, q->data[k], 2 * SLAB_BYTES, &q->bytes[k]), "compress");
        hand_over(q);
    }
    return NULL;
}

static void put_message(int s, enum way way, uint32_t slab, const void *data, size_t bytes)
{
    const struct message m = {(uint32_t)way, slab, bytes};
    put(s, &m, sizeof m);
    put(s, data, bytes);
}

static double send_once(int s, enum way way, struct queue *q, uint8_t *coded)
{
    const zt_array whole = slices_of(q->values, 0, DEPTH);
    const zt_params p = params_of(q->bound);
    char end;
    const double began = now();
    if (way == AS_IT_IS) {
        put_message(s, way, 0, q->values, RAW_BYTES);
    } else if (way == ONE_AFTER_ANOTHER) {
        size_t bytes;
        check(zt_compress(NULL, &whole, &p, coded, 2 * RAW_BYTES, &bytes), "compress");
        put_message(s, way, 0, coded, bytes);
    } else {
        pthread_t encoder;
        begin_queue(q);
        if (pthread_create(&encoder, NULL, encode_slabs, q) != 0)
            die("thread");
        for (uint32_t k = 0; k < SLABS; k++) {
            wait_for(q, k);
            put_message(s, way, k, q->data[k], q->bytes[k]);
        }
        pthread_join(encoder, NULL);
    }
    if (!get(s, &end, 1))
        die("receiver");
    return now() - began;
}

static void send_rounds(int s, const char *path, double bound, int rounds)
{
    struct queue q = {.values = need(RAW_BYTES), .bound = bound};
    uint8_t *const coded = need(2 * RAW_BYTES);
    FILE *f = fopen(path, "rb");
    if (!f || fread(q.values, 1, RAW_BYTES, f) != RAW_BYTES)
        die(path);
    fclose(f);
    for (uint32_t k = 0; k < SLABS; k++)
        q.data[k] = coded + (size_t)k * 2 * SLAB_BYTES;
    for (int i = 0; i < rounds; i++) {
        double seconds[WAYS];
        for (int way = 0; way < WAYS; way++)
            seconds[way] = send_once(s, (enum way)way, &q, coded);
        uint64_t slab_bytes = 0;
        for (uint32_t k = 0; k < SLABS; k++)
            slab_bytes += q.bytes[k];
        printf("%.6f %.6f %.6f %llu\n", seconds[0], seconds[1], seconds[2],
               (unsigned long long)slab_bytes);
        fflush(stdout);
    }
}

/* ---- ends ------------------------------------------------------------------------------------ */

static void make(const char *path)
{
    FILE *f = fopen(path, "wb");
    float *row = need(SIDE * sizeof *row);
    if (!f)
        die(path);
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < SIDE; y++) {
            for (int x = 0; x < SIDE; x++)
                row[x] = (float)(sin(0.05 * x + 0.02 * z) * cos(0.04 * y) +
                                 0.3 * sin(0.21 * y + 0.1 * z) + 0.02 * sin(1.7 * x * y * 0.01));
            if (fwrite(row, sizeof *row, SIDE, f) != SIDE)
                die(path);
        }
    if (fclose(f) != 0)
        die(path);
}

static int join(const char *address, const char *port, int is_receiver)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    const int s = socket(AF_INET, SOCK_STREAM, 0), on = 1;
    if (inet_pton(AF_INET, address, &a.sin_addr) != 1 || s < 0)
        die("socket");
    (void)setsockopt(s, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    (void)setsockopt(s, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (!is_receiver) {
        for (int tries = 0; connect(s, (struct sockaddr *)&a, sizeof a) != 0; tries++)
            if (tries == 100 || usleep(50000) != 0)
                die("connect");
        return s;
    }
    if (bind(s, (struct sockaddr *)&a, sizeof a) != 0 || listen(s, 1) != 0)
        die("listen");
    return s;
}

/* One sender after another, until somebody ends this. */
static void receive_all(int listening)
{
    for (int s; (s = accept(listening, NULL, NULL)) >= 0; close(s))
        receive(s);
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "make") == 0)
        make(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "receive") == 0)
        receive_all(join("0.0.0.0", argv[2], 1));
    else if (argc == 7 && strcmp(argv[1], "send") == 0)
        send_rounds(join(argv[2], argv[3], 0), argv[4], atof(argv[5]), atoi(argv[6]));
    else
        return fprintf(stderr, "use: see the first lines of peer.c\n"), 2;
    return 0;
}
