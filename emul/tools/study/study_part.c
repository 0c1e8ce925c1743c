/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One table from keys to results. Each put waits in memory, since a transaction costs two flushes
 * of the disk: they are written some hundred at a time, or when a quarter of a second has passed.
 * Whoever is killed then loses what it computed in that time, and computes it again. SQLite's own
 * journal makes a transaction whole or not there; its lock lets processes take turns.
 */
#include "emul/study/store.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APPLICATION  0x48544d54 /* "HTMT", in the head of the file */
#define VERSION      1
#define WAITING_MOST 256
#define WAITING_NS   250000000
#define LOCK_US      300 /* between two looks at a lock that another process has, */
#define LOCK_LOOKS   400000

struct htmt__store {
    sqlite3 *db;
    sqlite3_stmt *get, *put;
    char *path;
    char *waiting[WAITING_MOST][2];
    unsigned count;
    struct timespec first;
};

static int failed(const struct htmt__store *s, struct htmt_fault *fault)
{
    const int code = sqlite3_errcode(s->db);
    return htmt_fault_set(fault,
                          code == SQLITE_NOTADB  ? HTMT_EFORMAT
                          : code == SQLITE_NOMEM ? HTMT_ENOMEM
                                                 : HTMT_EIO,
                          "%s: %s", s->path, sqlite3_errmsg(s->db));
}

static bool ask(const struct htmt__store *s, const char *question, int *answer)
{
    sqlite3_stmt *q = NULL;
    bool good = sqlite3_prepare_v2(s->db, question, -1, &q, NULL) == SQLITE_OK &&
                sqlite3_step(q) == SQLITE_ROW;
    *answer = good ? sqlite3_column_int(q, 0) : 0;
    sqlite3_finalize(q);
    return good;
}

/* A new file has no table and no application; what has is somebody else's, but for ours. Whoever
 * comes at the same time waits at the lock, and then finds it ours. */
static int look_and_make(struct htmt__store *s, struct htmt_fault *fault)
{
    int application, version, tables;
    char text[200];
    if (!ask(s, "PRAGMA application_id", &application) ||
        !ask(s, "PRAGMA user_version", &version) ||
        !ask(s, "SELECT count(*) FROM sqlite_master", &tables))
        return failed(s, fault);
    if (application == APPLICATION && version == VERSION)
        return 0;
    if (application == APPLICATION)
        return htmt_fault_set(fault, HTMT_EFORMAT, "%s: found a store of version %d, expected %d",
                              s->path, version, VERSION);
    if (application || tables)
        return htmt_fault_set(fault, HTMT_EFORMAT,
                              "%s: found a database of another program, expected a store of "
                              "htmt sweep, or no file",
                              s->path);
    sqlite3_snprintf(sizeof text, text,
                     "PRAGMA application_id=%d;PRAGMA user_version=%d;"
                     "CREATE TABLE point(key TEXT PRIMARY KEY, result TEXT NOT NULL) WITHOUT ROWID",
                     APPLICATION, VERSION);
    return sqlite3_exec(s->db, text, NULL, NULL, NULL) == SQLITE_OK ? 0 : failed(s, fault);
}

static int claim(struct htmt__store *s, struct htmt_fault *fault)
{
    if (sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return failed(s, fault);
    int rc = look_and_make(s, fault);
    if (sqlite3_exec(s->db, rc ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL) != SQLITE_OK && !rc)
        rc = failed(s, fault);
    return rc;
}

static void store_close(struct htmt__store **store)
{
    struct htmt__store *s = *store;
    if (!s)
        return;
    for (unsigned i = 0; i < s->count; i++) {
        free(s->waiting[i][0]);
        free(s->waiting[i][1]);
    }
    sqlite3_finalize(s->get);
    sqlite3_finalize(s->put);
    sqlite3_close(s->db);
    free(s->path);
    free(s);
    *store = NULL;
}

/* SQLite's own pauses grow to 100 ms, which is the time of a hundred points. */
static int wait_for_lock(void *user, int looks)
{
    (void)user;
    nanosleep(&(struct timespec){.tv_nsec = LOCK_US * 1000}, NULL);
    return looks < LOCK_LOOKS;
}

static int store_open(const char *path, bool lasting, struct htmt__store **store,
                      struct htmt_fault *fault)
{
    struct htmt__store *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strdup(path))) {
        free(s);
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", path);
    }
    int rc = 0;
    if (sqlite3_open_v2(path, &s->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) !=
        SQLITE_OK)
        rc = failed(s, fault);
    else
        sqlite3_busy_handler(s->db, wait_for_lock, NULL);
    if (!rc && !lasting)
        (void)sqlite3_exec(s->db, "PRAGMA synchronous=OFF", NULL, NULL, NULL);
    if (!rc)
        rc = claim(s, fault);
    if (!rc && (sqlite3_prepare_v2(s->db, "SELECT result FROM point WHERE key=?", -1, &s->get,
                                   NULL) != SQLITE_OK ||
                sqlite3_prepare_v2(s->db, "INSERT OR IGNORE INTO point VALUES(?,?)", -1, &s->put,
                                   NULL) != SQLITE_OK))
        rc = failed(s, fault);
    if (rc)
        store_close(&s);
    *store = s;
    return rc;
}

static int store_get(struct htmt__store *s, const char *key, char **result,
                     struct htmt_fault *fault)
{
    *result = NULL;
    sqlite3_bind_text(s->get, 1, key, -1, SQLITE_STATIC);
    const int code = sqlite3_step(s->get);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(s->get, 0) : NULL;
    int rc = code == SQLITE_ROW || code == SQLITE_DONE ? 0 : failed(s, fault);
    if (text && !(*result = strdup(text)))
        rc = htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", s->path);
    sqlite3_reset(s->get);
    return rc;
}

static int store_flush(struct htmt__store *s, struct htmt_fault *fault)
{
    if (!s->count)
        return 0;
    bool good = sqlite3_exec(s->db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;
    for (unsigned i = 0; i < s->count && good; i++) {
        sqlite3_bind_text(s->put, 1, s->waiting[i][0], -1, SQLITE_STATIC);
        sqlite3_bind_text(s->put, 2, s->waiting[i][1], -1, SQLITE_STATIC);
        good = sqlite3_step(s->put) == SQLITE_DONE;
        sqlite3_reset(s->put);
    }
    good = good && sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL) == SQLITE_OK;
    int rc = good ? 0 : failed(s, fault);
    if (!good)
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    for (unsigned i = 0; i < s->count && good; i++) {
        free(s->waiting[i][0]);
        free(s->waiting[i][1]);
    }
    s->count = good ? 0 : s->count;
    return rc;
}

static int store_put(struct htmt__store *s, const char *key, const char *result,
                     struct htmt_fault *fault)
{
    struct timespec now;
    char *k = strdup(key), *r = strdup(result);
    if (!k || !r) {
        free(k);
        free(r);
        return htmt_fault_set(fault, HTMT_ENOMEM, "%s: out of memory", s->path);
    }
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!s->count)
        s->first = now;
    s->waiting[s->count][0] = k;
    s->waiting[s->count++][1] = r;
    const long long ns =
        (now.tv_sec - s->first.tv_sec) * 1000000000LL + (now.tv_nsec - s->first.tv_nsec);
    return s->count == WAITING_MOST || ns >= WAITING_NS ? store_flush(s, fault) : 0;
}

const struct htmt__study_part htmt_study = {store_open, store_get, store_put, store_flush,
                                            store_close};
