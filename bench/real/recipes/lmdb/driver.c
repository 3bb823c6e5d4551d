// One thread puts two keys in one transaction; another reads them and must see both or none.
#include <assert.h>
#include <lmdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MDB_env* environment;
static MDB_dbi database;

static void check(int status) {
  if (status != 0) abort();
}

static MDB_val text(const char* value) {
  MDB_val result = {strlen(value), (void*)value};
  return result;
}

static void* writer(void* unused) {
  MDB_txn* transaction;
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  MDB_val one = text("one"), two = text("two"), value = text("value");
  check(mdb_put(transaction, database, &one, &value, 0));
  check(mdb_put(transaction, database, &two, &value, 0));
  check(mdb_txn_commit(transaction));
  return unused;
}

static void* reader(void* unused) {
  MDB_txn* transaction;
  check(mdb_txn_begin(environment, NULL, MDB_RDONLY, &transaction));
  MDB_val one = text("one"), two = text("two"), value;
  int first = mdb_get(transaction, database, &one, &value);
  int second = mdb_get(transaction, database, &two, &value);
  assert(first == second);
  mdb_txn_abort(transaction);
  return unused;
}

int main() {
  char folder[] = "/tmp/lmdb-XXXXXX";
  if (mkdtemp(folder) == NULL || chdir(folder) != 0) abort();
  check(mdb_env_create(&environment));
  check(mdb_env_open(environment, ".", MDB_NOSYNC, 0600));
  MDB_txn* transaction;
  check(mdb_txn_begin(environment, NULL, 0, &transaction));
  check(mdb_dbi_open(transaction, NULL, 0, &database));
  check(mdb_txn_commit(transaction));
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, writer, NULL);
  pthread_create(&threads[1], NULL, reader, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  mdb_env_close(environment);
  unlink("data.mdb");
  unlink("lock.mdb");
  rmdir(folder);
}
