// Apart from tool.cc, so that tests can link all of the tool but this.
namespace ricercar::inline cli {

int run_tool(int argc, char** argv);

}  // namespace ricercar::inline cli

int main(int argc, char** argv) { return ricercar::run_tool(argc, argv); }
