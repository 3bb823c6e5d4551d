/* A client of coap-server: client NAME ROUNDS. It puts a value and gets it back, again and again;
 * each request is confirmable, so the library repeats it until the server has answered. Nobody else
 * writes to its resource. */
#include <assert.h>
#include <coap3/coap.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint8_t token[8]; /* of the request: a late answer to another one has another token */
static size_t token_size;
static int is_answered;
static int has_failed; /* the server was not there, or lost what it had: nothing is known then */
static char got[64];

static coap_response_t answered(coap_session_t *session, const coap_pdu_t *sent,
                                const coap_pdu_t *received, const coap_mid_t id) {
  (void)session, (void)sent, (void)id;
  const coap_bin_const_t answers = coap_pdu_get_token(received);
  if (answers.length != token_size || memcmp(answers.s, token, token_size) != 0)
    return COAP_RESPONSE_OK;
  size_t size = 0;
  const uint8_t *data = NULL;
  got[0] = 0;
  has_failed = COAP_RESPONSE_CLASS(coap_pdu_get_code(received)) != 2;
  if (coap_get_data(received, &size, &data) && size < sizeof got) {
    memcpy(got, data, size);
    got[size] = 0;
  }
  is_answered = 1;
  return COAP_RESPONSE_OK;
}

static void gave_up(coap_session_t *session, const coap_pdu_t *sent,
                    const coap_nack_reason_t reason, const coap_mid_t id) {
  (void)session, (void)sent, (void)reason, (void)id;
  has_failed = is_answered = 1;
}

/* 1: the server has done it. */
static int ask(coap_context_t *context, coap_session_t *session, coap_pdu_code_t code,
               const char *name, const char *value) {
  coap_pdu_t *request = coap_new_pdu(COAP_MESSAGE_CON, code, session);
  coap_session_new_token(session, &token_size, token);
  coap_add_token(request, token_size, token);
  coap_add_option(request, COAP_OPTION_URI_PATH, strlen(name), (const uint8_t *)name);
  if (value != NULL) coap_add_data(request, strlen(value), (const uint8_t *)value);
  is_answered = has_failed = 0;
  if (coap_send(session, request) == COAP_INVALID_MID) return 0;
  while (!is_answered) coap_io_process(context, COAP_IO_WAIT);
  return !has_failed;
}

int main(int count, char **arguments) {
  assert(count == 3);
  coap_startup();
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_DGRAM}, *found = NULL;
  assert(getaddrinfo("server", "5683", &hints, &found) == 0);
  coap_address_t server;
  coap_address_init(&server);
  server.size = found->ai_addrlen;
  memcpy(&server.addr.sin, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  coap_context_t *context = coap_new_context(NULL);
  coap_session_t *session = coap_new_client_session(context, NULL, &server, COAP_PROTO_UDP);
  coap_register_response_handler(context, answered);
  coap_register_nack_handler(context, gave_up);
  for (int i = 0; i < atoi(arguments[2]); ++i) {
    char value[64];
    snprintf(value, sizeof value, "%s%d", arguments[1], i);
    const int was_put = ask(context, session, COAP_REQUEST_CODE_PUT, arguments[1], value);
    const int was_got = ask(context, session, COAP_REQUEST_CODE_GET, arguments[1], NULL);
    assert(!was_put || !was_got || strcmp(got, value) == 0);
  }
  coap_session_release(session);
  coap_free_context(context);
  coap_cleanup();
  return 0;
}
