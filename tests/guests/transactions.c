/* Uses a SQLite database so that a killed transaction shows: see tests/wasi/test_sqlite.py, which builds it.
 *
 *     transactions FILE fill      make a table, commit 1000 rows, change them all in a transaction that never ends
 *     transactions FILE check     print how many rows are as they were committed, and what integrity_check says
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sqlite3.h"

static sqlite3 *db;

static int show(void *unused, int count, char **values, char **names) {
    printf("%s\n", values[0]);
    return 0;
}

static void run(const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, show, NULL, &message) == SQLITE_OK) return;
    fprintf(stderr, "%s: %s\n", sql, message);
    exit(1);
}

int main(int argc, char **argv) {
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    /* WASI has no locks. SQLite's stand-in for them, a directory beside the file, would outlive the kill. */
    if (argc != 3 || sqlite3_open_v2(argv[1], &db, flags, "unix-none") != SQLITE_OK) return 2;
    if (strcmp(argv[2], "check") == 0) {
        run("SELECT count(*) FROM t WHERE v = 'committed ' || id");
        run("PRAGMA integrity_check");
        return sqlite3_close(db);
    }
    /* So few pages in memory that changes reach the file long before the transaction would end. */
    run("PRAGMA cache_size = 4");
    run("CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT, filler BLOB)");
    run("BEGIN");
    run("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)"
        " INSERT INTO t SELECT i, 'committed ' || i, randomblob(300) FROM n");
    run("COMMIT");
    printf("committed\n");
    fflush(stdout);
    run("BEGIN");
    for (int round = 0;; round++) {
        run("UPDATE t SET v = 'lost', filler = randomblob(300)");
        printf("changed %d\n", round);
        fflush(stdout);
    }
}
