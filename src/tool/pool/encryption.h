// The encrypted side of a connection to Redis: TLS over a socket that is connected. Who answers has
// to prove that it is the host that was asked for. Not thread-safe.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

namespace ricercar::inline pool {

class EncryptedChannel {
 public:
  // The socket becomes one that does not block; it stays the caller's. Throws UsageError if who
  // answers cannot prove who it is, or wants us to, ConnectionLost if nobody does.
  EncryptedChannel(int socket, const std::string& host);
  EncryptedChannel(const EncryptedChannel&) = delete;
  EncryptedChannel& operator=(const EncryptedChannel&) = delete;

  void write(std::string_view bytes);
  // What has come, as far as it is there: it may be asked again until that is nothing. The text
  // lives until the next call.
  std::string_view read();
  // The same, when something has come.
  std::string_view await();

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { ::SSL_CTX_free(context); }
    void operator()(SSL* channel) const { ::SSL_free(channel); }
  };

  void prepare(int socket);
  void shake_hands();
  // Waits if that is all there is to do. Throws for everything else.
  void go_on_after(int result);
  void wait_for(short events) const;
  [[noreturn]] void refuse() const;
  [[noreturn]] void lose(const std::string& why) const;
  // OpenSSL asks for a certificate of ours, and there is none.
  static int note_question(SSL* channel, X509**, EVP_PKEY**);

  const std::string host_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> channel_;
  std::string buffer_;
  bool wants_certificate_ = false;  // of ours, and got none
  bool has_answered_ = false;
};

}  // namespace ricercar::inline pool
