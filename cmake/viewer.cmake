# cmake -DFOLDER=viewer -DOUTPUT=viewer.cc -P viewer.cmake: puts the viewer together, as the constant `viewer_page`.
# The page says by a hash which script it may run, so that nothing in its data ever can be one.

# base64 of a text of hexadecimal digits: 12 bits are three of them and two letters.
function(base64_of hexadecimal result)
  set(letters "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(text "")
  foreach(at RANGE 0 60 3)
    string(SUBSTRING "${hexadecimal}" ${at} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING "${letters}" ${high} 1 first)
    string(SUBSTRING "${letters}" ${low} 1 second)
    string(APPEND text "${first}${second}")
  endforeach()
  string(SUBSTRING "${hexadecimal}" 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING "${letters}" ${last} 1 letter)
  set(${result} "${text}${letter}=" PARENT_SCOPE)
endfunction()

set(script "\n(() => {\n'use strict';\n")
foreach(part IN ITEMS run lanes panels explore main)
  file(READ "${FOLDER}/${part}.js" text)
  string(APPEND script "${text}")
endforeach()
string(APPEND script "})();\n")
file(READ "${FOLDER}/style.css" style)
file(READ "${FOLDER}/page.html" page)
string(SHA256 script_hash "${script}")
base64_of("${script_hash}" script_hash)
string(SHA256 style_hash "\n${style}")
base64_of("${style_hash}" style_hash)
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@STYLE@" "\n${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
file(WRITE "${OUTPUT}" "// Made by cmake/viewer.cmake from viewer/.
#include \"report/html.h\"

namespace ricercar::inline report {

const std::string_view viewer_page = R\"viewer(${page})viewer\";

}  // namespace ricercar::inline report
")
