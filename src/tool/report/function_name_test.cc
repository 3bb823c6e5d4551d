#include "report/function_name.h"

#include <gtest/gtest.h>

namespace ricercar::inline report {
namespace {

TEST(FunctionName, HasNoParameters) {
  EXPECT_EQ(readable_function_name("main"), "main");
  EXPECT_EQ(readable_function_name("_Z6workeri"), "worker");
  EXPECT_EQ(readable_function_name("BoundedQueue<int>::push(int)"), "BoundedQueue<int>::push");
  EXPECT_EQ(readable_function_name("Account::balance() const"), "Account::balance");
}

TEST(FunctionName, HasNoReturnTypeAndNoAnonymousNamespace) {
  EXPECT_EQ(readable_function_name("void run<int>(int)"), "run<int>");
  EXPECT_EQ(readable_function_name("(anonymous namespace)::worker(void*)"), "worker");
  EXPECT_EQ(readable_function_name("std::pair<int, int> f<char>(int (*)(int))"), "f<char>");
}

TEST(FunctionName, SaysWhereALambdaIs) {
  EXPECT_EQ(readable_function_name("_ZZ4mainENKUlvE_clEv"), "lambda in main");
  EXPECT_EQ(readable_function_name("main::$_0::operator()() const"), "lambda in main");
  EXPECT_EQ(readable_function_name("run(int)::{lambda(int)#2}::operator()(int) const"),
            "lambda in run");
  EXPECT_EQ(readable_function_name(
                "main::{lambda()#1}::operator()() const::{lambda()#2}::operator()() const"),
            "lambda in lambda in main");
}

TEST(FunctionName, SaysWhereALambdaIsThatIsATemplateOrAFunctionPointer) {
  EXPECT_EQ(readable_function_name("auto main::{lambda(auto:1)#1}::operator()<int>(int) const"),
            "lambda in main");
  EXPECT_EQ(readable_function_name("main::{lambda(void*)#1}::_FUN(void*)"), "lambda in main");
  EXPECT_EQ(readable_function_name("main::$_0::__invoke(void*)"), "lambda in main");
  EXPECT_EQ(readable_function_name("Pool::Pool(int)::{lambda()#1}::operator()() const"),
            "lambda in Pool::Pool");
}

TEST(FunctionName, FoldsLongTemplateArguments) {
  EXPECT_EQ(readable_function_name("std::vector<int, std::allocator<int> >::push_back(int const&)"),
            "std::vector<...>::push_back");
  EXPECT_EQ(readable_function_name("Stack<Node*>::pop()"), "Stack<Node*>::pop");
}

TEST(FunctionName, KeepsOperators) {
  EXPECT_EQ(readable_function_name("Log::operator<<(int)"), "Log::operator<<");
  EXPECT_EQ(readable_function_name("operator new(unsigned long)"), "operator new");
  EXPECT_EQ(readable_function_name("Handle::operator->() const"), "Handle::operator->");
  EXPECT_EQ(readable_function_name("Functor::operator()(int)"), "Functor::operator()");
}

TEST(FunctionName, NamesParallelRegionsByTheirFunctions) {
  EXPECT_EQ(readable_function_name("main._omp_fn.0"), "parallel region in main");
  EXPECT_EQ(readable_function_name("_ZN4Grid3sumEv._omp_fn.1"), "parallel region in Grid::sum");
  EXPECT_EQ(readable_function_name("main.omp_outlined"), "parallel region in main");
  EXPECT_EQ(readable_function_name(".omp_outlined._debug__"), "parallel region");
}

TEST(FunctionName, SurvivesNonsense) {
  EXPECT_EQ(readable_function_name(""), "");
  EXPECT_EQ(readable_function_name("_Znonsense"), "_Znonsense");
  readable_function_name("((((<<<<{{{{");
  readable_function_name("))))>>>>}}}}");
}

}  // namespace
}  // namespace ricercar::inline report
