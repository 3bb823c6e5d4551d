# Searching one program, and what is noted about it: lines of `key<tab>value` in the result file of the
# package. A `search` line opens the lines of a search.

note() { printf '%s\t%s\n' "$1" "$2" >>"$folder/result"; }

# The value of a plain member at the top of a summary.
json_value() { sed -n "s/^  \"$1\": \"\{0,1\}\(.*[^,\"]\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }

# search_nodes WHAT [OPTIONS] -- CLUSTER: the same for a cluster, which needs longer.
search_nodes() {
  local what=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  RICERCAR_REAL_SECONDS=${RICERCAR_REAL_NODES_SECONDS:-600} \
    search "$what" ${options[@]+"${options[@]}"} --nodes "$2" --
}

search() {
  local what=$1 expect="" remark="" limit=0 options=() program=()
  shift
  while [ "$1" != -- ]; do
    case $1 in
      --expect) expect=$2; shift 2 ;;
      --remark) remark=$2; shift 2 ;;
      --limit) limit=$2; shift 2 ;;
      *) options+=("$1"); shift ;;
    esac
  done
  shift
  [ $# = 0 ] || program=(-- "$@")
  local seconds=${RICERCAR_REAL_SECONDS:-10}
  [ "$limit" != 0 ] || limit=$((seconds * 4 + 60))
  local out=$folder/out-$(tr -c 'a-z0-9\n' - <<<"${what,,}")
  rm -rf "$out" && mkdir -p "$out"
  timeout -k 5 "$limit" "$tool" run --time "$seconds" --keep-going --out "$out" --json "$out/summary.json" \
    ${options[@]+"${options[@]}"} ${program[@]+"${program[@]}"} >"$out/output" 2>"$out/report" </dev/null
  note_search "$what" "$expect" "$remark" "$out" $?
}

# What came out of a search, and whether it was expected.
note_search() {
  local what=$1 expect=$2 remark=$3 out=$4 status=$5 summary=$4/summary.json kinds
  note search "$what"
  [ -z "$remark" ] || note remark "$remark"
  if [ ! -s "$summary" ] || [ "$status" -gt 1 ]; then
    note found "no result: $(failure_text "$status" "$out")"
    note unexpected "$name, $what: status $status, see $out"
    return
  fi
  note speed "$(speed "$summary")"
  note restart "$([ "$(json_value forks "$summary")" = true ] && echo fork || echo memory)"
  kinds=$(sed -n 's/^      "kind": "\(.*\)",$/\1/p' "$summary" | sort -u | tr '\n' ' ')
  note found "$(found_text "$kinds" "$summary")"
  [ "${kinds% }" = "$expect" ] || note unexpected "$name, $what: found '${kinds% }', expected '$expect', see $out"
}

failure_text() {
  [ "$1" -lt 124 ] || { echo "stopped at its time limit"; return; }
  echo "status $1, $(grep -h -m1 . "$2/report" | cut -c1-120)"
}

speed() {
  local executions seconds
  executions=$(json_value executions "$1") seconds=$(json_value seconds "$1")
  awk -v n="$executions" -v s="$seconds" \
    'BEGIN { r = s > 0 ? n / s : 0; printf(r < 10 ? "%d, %.1f/s" : "%d, %.0f/s", n, r) }'
}

found_text() {
  if [ -n "$1" ]; then echo "${1% }"
  elif [ "$(json_value complete "$2")" = true ]; then echo "nothing, and nothing is left"
  elif [ "$(json_value truncated "$2")" != 0 ]; then echo "nothing; $(json_value truncated "$2") cut"
  else echo "nothing"
  fi
}
