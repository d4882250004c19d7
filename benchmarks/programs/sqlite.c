/* A table in memory: rows, an index, queries. */
#include <stdio.h>
#include "sqlite3.h"

static int print(void *unused, int count, char **values, char **names) {
    for (int i = 0; i < count; i++) printf("%s%s", values[i] ? values[i] : "null", i + 1 < count ? " " : "\n");
    return 0;
}

int main(void) {
    sqlite3 *db;
    char *error = 0;
    const char *script =
        "create table t(id integer primary key, name text, value real);"
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < 1500)"
        " insert into t select i, 'name ' || (i * 7919 % 1000), i * 1.5 from n;"
        "create index by_name on t(name);"
        "select count(*), sum(value), max(name) from t;"
        "select a.name, count(*) from t a join t b on a.name = b.name where a.id < 200 group by a.name"
        " order by 2 desc, 1 limit 5;"
        "update t set value = value * 2 where id % 3 = 0;"
        "delete from t where name like '%7';"
        "select group_concat(name) from (select name from t order by value desc limit 8);"
        "pragma integrity_check;";
    if (sqlite3_open(":memory:", &db) || sqlite3_exec(db, script, print, 0, &error)) {
        printf("error: %s\n", error ? error : "open");
        return 1;
    }
    return sqlite3_close(db);
}
