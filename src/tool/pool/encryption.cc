#include "pool/encryption.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "pool/connection.h"

namespace ricercar::inline pool {
namespace {

constexpr const char* authority_variable = "RICERCAR_POOL_CA_FILE";
constexpr const char* certificate_variable = "RICERCAR_POOL_CERT_FILE";
constexpr const char* key_variable = "RICERCAR_POOL_KEY_FILE";
// A network may be slow by seconds.
constexpr int silence_ms = 30'000;
constexpr int handshake_ms = 10'000;
constexpr const char* nobody_encrypts =
    "nobody encrypts there; its port for encrypted connections is another one (tls-port)";
constexpr std::size_t buffer_bytes = 64 * 1024;

// What OpenSSL has noted last.
std::string last_error() {
  const char* reason = ::ERR_reason_error_string(::ERR_peek_last_error());
  return reason == nullptr ? "it does not say why" : reason;
}

// The file that it names; nullptr: it is not set.
const char* file_of(const char* variable) {
  const char* file = std::getenv(variable);
  if (file == nullptr || ::access(file, R_OK) == 0) return file;
  throw UsageError("cannot read the file " + quoted(file) + " that " + variable +
                   " names: " + std::strerror(errno));
}

[[noreturn]] void refuse_file(const char* variable, const char* file) {
  throw UsageError("OpenSSL cannot use the file " + quoted(file) + " that " + variable +
                   " names: " + last_error());
}

// Those who may say who somebody is.
void trust_authorities(SSL_CTX* context) {
  const char* file = file_of(authority_variable);
  if (file == nullptr) {
    ::SSL_CTX_set_default_verify_paths(context);
  } else if (::SSL_CTX_load_verify_locations(context, file, nullptr) != 1) {
    refuse_file(authority_variable, file);
  }
}

// How we say who we are, to a Redis that wants to know.
void show_certificate(SSL_CTX* context) {
  const char* certificate = file_of(certificate_variable);
  const char* key = file_of(key_variable);
  if (certificate == nullptr && key == nullptr) return;
  if (certificate == nullptr || key == nullptr) {
    throw UsageError(std::string(certificate_variable) + " and " + key_variable +
                     " belong together: a certificate, and the key that it is for");
  }
  if (::SSL_CTX_use_certificate_chain_file(context, certificate) != 1)
    refuse_file(certificate_variable, certificate);
  if (::SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) != 1)
    refuse_file(key_variable, key);
}

bool is_number_address(const std::string& host) {
  in6_addr address;
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

}  // namespace

EncryptedChannel::EncryptedChannel(int socket, const std::string& host)
    : host_(host), context_(::SSL_CTX_new(::TLS_client_method())), buffer_(buffer_bytes, '\0') {
  if (context_ == nullptr) throw ConnectionLost("OpenSSL: " + last_error());
  ::SSL_CTX_set_min_proto_version(context_.get(), TLS1_2_VERSION);
  ::SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
  trust_authorities(context_.get());
  show_certificate(context_.get());
  ::SSL_CTX_set_client_cert_cb(context_.get(), note_question);
  prepare(socket);
  shake_hands();
}

void EncryptedChannel::prepare(int socket) {
  channel_.reset(::SSL_new(context_.get()));
  if (channel_ == nullptr) throw ConnectionLost("OpenSSL: " + last_error());
  if (is_number_address(host_)) {
    ::X509_VERIFY_PARAM_set1_ip_asc(::SSL_get0_param(channel_.get()), host_.c_str());
  } else {
    ::SSL_set1_host(channel_.get(), host_.c_str());
    ::SSL_set_tlsext_host_name(channel_.get(), host_.c_str());
  }
  ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
  ::SSL_set_fd(channel_.get(), socket);
  SSL_set_app_data(channel_.get(), this);
}

int EncryptedChannel::note_question(SSL* channel, X509**, EVP_PKEY**) {
  static_cast<EncryptedChannel*>(SSL_get_app_data(channel))->wants_certificate_ = true;
  return 0;
}

void EncryptedChannel::shake_hands() {
  ::ERR_clear_error();
  for (int result = 0; (result = ::SSL_connect(channel_.get())) != 1;) go_on_after(result);
}

void EncryptedChannel::write(std::string_view bytes) {
  while (!bytes.empty()) {
    ::ERR_clear_error();
    std::size_t written = 0;
    const int result = ::SSL_write_ex(channel_.get(), bytes.data(), bytes.size(), &written);
    if (result == 1) {
      bytes.remove_prefix(written);
    } else {
      go_on_after(result);
    }
  }
}

std::string_view EncryptedChannel::read() {
  ::ERR_clear_error();
  std::size_t size = 0;
  const int result = ::SSL_read_ex(channel_.get(), buffer_.data(), buffer_.size(), &size);
  if (result == 1) {
    has_answered_ = true;
    return {buffer_.data(), size};
  }
  if (::SSL_get_error(channel_.get(), result) != SSL_ERROR_WANT_READ) go_on_after(result);
  return {};
}

std::string_view EncryptedChannel::await() {
  for (;;) {
    const std::string_view bytes = read();
    if (!bytes.empty()) return bytes;
    wait_for(POLLIN);
  }
}

void EncryptedChannel::go_on_after(int result) {
  switch (::SSL_get_error(channel_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return wait_for(POLLIN);
    case SSL_ERROR_WANT_WRITE:
      return wait_for(POLLOUT);
    case SSL_ERROR_SSL:
      return refuse();
    default:
      lose("the connection was closed");
  }
}

void EncryptedChannel::wait_for(short events) const {
  pollfd watched = {::SSL_get_fd(channel_.get()), events, 0};
  const bool is_open = ::SSL_is_init_finished(channel_.get()) == 1;
  if (::poll(&watched, 1, is_open ? silence_ms : handshake_ms) != 0) return;
  if (is_open) lose("it does not answer");
  lose(nobody_encrypts);
}

// Who got no certificate of ours may just go.
void EncryptedChannel::lose(const std::string& why) const {
  if (has_answered_ || !wants_certificate_) throw ConnectionLost(why);
  throw UsageError("the Redis at " + host_ + " wants a certificate of ours: let " +
                   certificate_variable + " and " + key_variable +
                   " name the files with it and with its key");
}

void EncryptedChannel::refuse() const {
  const long verdict = ::SSL_get_verify_result(channel_.get());
  if (verdict != X509_V_OK) {
    throw UsageError("the Redis at " + host_ + " does not prove that it is that host: " +
                     ::X509_verify_cert_error_string(verdict) +
                     ". If an authority of your own has signed its certificate, let " +
                     authority_variable + " name the file with the authority's certificate");
  }
  switch (ERR_GET_REASON(::ERR_peek_error())) {
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_DECRYPT_ERROR:
      throw UsageError("the Redis at " + host_ + " does not accept the certificate that " +
                       certificate_variable + " names: " + last_error());
    case SSL_R_WRONG_VERSION_NUMBER:
    case SSL_R_PACKET_LENGTH_TOO_LONG:
      lose(nobody_encrypts);
    default:
      lose(last_error());
  }
}

}  // namespace ricercar::inline pool
