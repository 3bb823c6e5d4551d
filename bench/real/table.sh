# The table of the document: one row for each search. Rows of packages that are not run stay as they are.

note_failure() {
  [ "$2" -ge 124 ] && printf 'build\tno: the time limit of the package was over\n' >>"$1/result"
  printf 'unexpected\t%s: ended with status %s\n' "$(basename "$1")" "$2" >>"$1/result"
}

# write_table DOCUMENT RESULT PACKAGE: puts the rows of one package in the place of its old ones.
write_table() {
  local document=$1 rows
  rows=$(mktemp)
  sed -n '/^<!-- table -->$/,/^<!-- end of table -->$/p' "$document" |
    awk -v package="$3" '/^\| / && NR > 2 && $2 != package && $2 != "package"' >"$rows"
  package_rows "$2" "$3" >>"$rows"
  {
    sed '/^<!-- table -->$/q' "$document"
    echo "| package | what runs | builds | executions | restart | found | remark |"
    echo "|---|---|---|---|---|---|---|"
    LC_ALL=C sort -s -k2,2 "$rows"
    sed -n '/^<!-- end of table -->$/,$p' "$document"
  } >"$document.new"
  mv "$document.new" "$document"
  rm -f "$rows"
}

package_rows() {
  awk -F'\t' -v package="$2" '
    function row() {
      printf("| %s %s (%s) | %s | %s | %s | %s | %s | %s |\n", package, value["version"],
             value["kind"], value["search"], value["build"], value["speed"], value["restart"], value["found"], value["remark"])
    }
    function forget() { delete value["speed"]; delete value["restart"]; delete value["found"]; delete value["remark"] }
    $1 == "search" { if (searches++) row(); forget() }
    $1 != "unexpected" { value[$1] = $2 }
    END { row() }' "$1"
}
