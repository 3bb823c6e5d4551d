// Two threads insert into one table in memory, each over its own connection with a shared cache.
// Who finds the table locked tries again.
#include <pthread.h>
#include <sched.h>
#include <sqlite3.h>
#include <stdlib.h>

static const char name[] = "file:driver?mode=memory&cache=shared";

static sqlite3* open_database() {
  sqlite3* database;
  if (sqlite3_open_v2(name, &database, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI,
                      NULL))
    abort();
  return database;
}

static void* insert(void* unused) {
  sqlite3* database = open_database();
  int status;
  while ((status = sqlite3_exec(database, "insert into t values (1)", NULL, NULL, NULL)) ==
         SQLITE_LOCKED) {
    sched_yield();
  }
  if (status != SQLITE_OK || sqlite3_close(database) != SQLITE_OK) abort();
  return unused;
}

static int check_count(void* unused, int columns, char** values, char** names) {
  (void)unused, (void)columns, (void)names;
  if (atoi(values[0]) != 2) abort();
  return 0;
}

int main() {
  pthread_t threads[2];
  sqlite3* database = open_database();
  if (sqlite3_exec(database, "create table t (x)", NULL, NULL, NULL)) abort();
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, insert, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  if (sqlite3_exec(database, "select count(*) from t", check_count, NULL, NULL)) abort();
  sqlite3_close(database);
}
