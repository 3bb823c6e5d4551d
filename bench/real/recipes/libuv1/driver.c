// Two pieces of work go to the pool; a thread sends a signal to the loop; all must be told of.
#include <stdlib.h>
#include <uv.h>

static uv_async_t signal_handle;
static int worked, finished, signalled;

static void work(uv_work_t* request) {
  (void)request;
  __atomic_fetch_add(&worked, 1, __ATOMIC_RELAXED);
}

static void after(uv_work_t* request, int status) {
  (void)request;
  if (status != 0) abort();
  ++finished;
}

static void on_signal(uv_async_t* handle) {
  ++signalled;
  uv_close((uv_handle_t*)handle, NULL);
}

static void send_signal(void* unused) {
  (void)unused;
  uv_async_send(&signal_handle);
}

int main() {
  uv_loop_t loop;
  uv_work_t requests[2];
  uv_thread_t thread;
  setenv("UV_THREADPOOL_SIZE", "2", 1);
  uv_loop_init(&loop);
  uv_async_init(&loop, &signal_handle, on_signal);
  for (int i = 0; i < 2; ++i) uv_queue_work(&loop, &requests[i], work, after);
  uv_thread_create(&thread, send_signal, NULL);
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_thread_join(&thread);
  if (worked != 2 || finished != 2 || signalled != 1) abort();
  if (uv_loop_close(&loop) != 0) abort();
  uv_library_shutdown();
}
