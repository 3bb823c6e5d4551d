/* Reports values from C, and wrongly from a list. */
#include <ricercar/log.h>
#include <stdio.h>
#include <string.h>

int main(int count, char** arguments) {
  struct ricercar_value values[2] = {{RICERCAR_INTEGER, 0, {1}}, {RICERCAR_INTEGER, 0, {2}}};
  FILE* file = fopen("talk.log", "w");
  fputs("in its own words\n", stderr);
  fputs("in its own file\n", file);
  fclose(file);
  ricercar_log_integer("c", "integer", -3);
  ricercar_log_number("c", "number", 1.5);
  ricercar_log_boolean("", "boolean", 1);
  ricercar_log_text("c", "text", "some words");
  ricercar_forget("integer,number");
  if (count > 1 && strcmp(arguments[1], "wrong") == 0) {
    ricercar_report(RICERCAR_LOG, "list", "one", values, 2);
  }
  return count > 1;
}
