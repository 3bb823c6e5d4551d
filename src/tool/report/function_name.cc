#include "report/function_name.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string_view>

namespace ricercar::inline report {
namespace {

constexpr std::size_t longest_template_arguments = 20;

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The position behind the bracket that closes the one at `open`.
std::size_t behind_closing(const std::string& text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '{' || text[i] == '[') ++depth;
    if (text[i] == ')' || text[i] == '}' || text[i] == ']') --depth;
    if (depth == 0) return i + 1;
  }
  return text.size();
}

// g++ writes main::{lambda(int)#1}::operator()(int) const, clang++ main::$_0::operator()(int)
// const.
constexpr std::string_view lambda_mark = "{lambda}";

void mark_lambdas(std::string& text) {
  for (std::size_t at = 0; (at = text.find("{lambda(", at)) != std::string::npos; ++at) {
    text.replace(at, behind_closing(text, at) - at, lambda_mark);
  }
  for (std::size_t at = 0; (at = text.find("$_", at)) != std::string::npos; ++at) {
    std::size_t end = at + 2;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
    text.replace(at, end - at, lambda_mark);
  }
}

// Where the parameters begin that belong to the function itself: behind the last name.
std::size_t parameters_at(const std::string& text) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 8, "operator") == 0) {
      // The symbols of an operator are no brackets; those of a call operator come in a pair.
      const std::size_t symbols = i + 8;
      i = text.find('(', text.compare(symbols, 2, "()") == 0 ? symbols + 2 : symbols);
      if (i == std::string::npos) break;
    }
    if (text[i] == '<') ++depth;
    if (text[i] == '>') --depth;
    if (text[i] != '(' || depth != 0) continue;
    const std::size_t behind = behind_closing(text, i);
    // main()::{lambda}: the parameters of an enclosing function are not the end.
    if (text.compare(behind, 2, "::") != 0) return i;
    i = behind;
  }
  return text.size();
}

// Drops the parameters of enclosing functions, as in `run(int)::{lambda}::operator()`.
void drop_enclosing_parameters(std::string& text) {
  for (std::size_t at = 0; (at = text.find('(', at)) != std::string::npos;) {
    const std::size_t behind = behind_closing(text, at);
    if (text.compare(behind, 2, "::") == 0) {
      text.erase(at, behind - at);
    } else {
      at = behind;
    }
  }
}

// Templates carry their return type: "void f<int>" -> "f<int>".
void drop_return_type(std::string& text) {
  int depth = 0;
  std::size_t start = 0;
  const std::size_t end = std::min(text.find("operator"), text.size());
  for (std::size_t i = 0; i < end; ++i) {
    if (text[i] == '<' || text[i] == '{' || text[i] == '(') ++depth;
    if (text[i] == '>' || text[i] == '}' || text[i] == ')') --depth;
    if (text[i] == ' ' && depth == 0) start = i + 1;
  }
  text.erase(0, start);
}

// "main::{lambda}::operator()" -> "lambda in main"
std::string name_lambda(const std::string& text) {
  const std::size_t at = text.rfind(lambda_mark);
  if (at == std::string::npos) return text;
  std::string where = text.substr(0, at);
  if (where.ends_with("::")) where.resize(where.size() - 2);
  const std::string rest = text.substr(at + lambda_mark.size());
  // A lambda without captures may have become a plain function, which g++ and clang++ name so.
  const bool is_call = rest.starts_with("::operator()") || rest == "::_FUN" || rest == "::__invoke";
  if (!is_call && !rest.empty()) return text;
  return where.empty() ? "lambda" : "lambda in " + name_lambda(where);
}

// Of a parallel region of OpenMP the compilers make a function: main._omp_fn.0, main.omp_outlined.
std::string name_region(const std::string& name) {
  for (const std::string_view mark : {"._omp_fn.", ".omp_outlined"}) {
    const std::size_t at = name.find(mark);
    if (at == std::string::npos) continue;
    return at == 0 ? "parallel region"
                   : "parallel region in " + readable_function_name(name.substr(0, at));
  }
  return {};
}

}  // namespace

std::string fold_template_arguments(const std::string& name) {
  std::string result;
  int depth = 0;
  std::size_t open = 0;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const bool is_operator = result.ends_with("operator") || result.ends_with("operator<") ||
                             result.ends_with("operator>") || result.ends_with("operator-");
    if (!is_operator && name[i] == '<' && depth++ == 0) open = result.size();
    result += name[i];
    if (!is_operator && name[i] == '>' && depth > 0 && --depth == 0) {
      if (result.size() - open > longest_template_arguments)
        result.replace(open, std::string::npos, "<...>");
    }
  }
  return result;
}

std::string readable_function_name(const std::string& name) {
  if (const std::string region = name_region(name); !region.empty()) return region;
  std::string text = demangled(name);
  replace_all(text, "(anonymous namespace)::", "");
  replace_all(text, "[abi:cxx11]", "");
  replace_all(text, " const::", "::");
  mark_lambdas(text);
  if (const std::size_t clone = text.find(" [clone"); clone != std::string::npos)
    text.resize(clone);
  text.resize(parameters_at(text));
  drop_enclosing_parameters(text);
  drop_return_type(text);
  return fold_template_arguments(name_lambda(text));
}

}  // namespace ricercar::inline report
