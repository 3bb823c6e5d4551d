# Searches for one row of the table, and the table itself.

strategies=(hapset:prune=yes hapset:prune=yes,replan=yes hapset hapset:prune=no dpor pb:bound=2,iterative=no random pct)
seeds=3 # for those that draw

json_value() { sed -n "s/^  \"$1\": \"\{0,1\}\(.*[^,\"]\)\"\{0,1\},\{0,1\}\$/\1/p" "$2"; }

# one_search STRATEGY SEED: prints KIND RUNS SECONDS of the row's program. A search that was stopped has none.
one_search() {
  local out
  out=$(mktemp -d "$work/search.XXXXXX")
  timeout -k 5 $((seconds * 3 + 60)) "$tool" run --quiet --time "$seconds" --executions 1000000000 --points shared \
    --cores 1 --strategy "$1" --seed "$2" --out "$out" --json "$out/summary" ${options[@]+"${options[@]}"} -- \
    "${program[@]}" >/dev/null 2>"$out/error" </dev/null
  if [ -s "$out/summary" ]; then
    local kind run
    kind=$(sed -n '0,/^      "kind": "\(.*\)",$/s//\1/p' "$out/summary" | head -1)
    run=$(sed -n '0,/^      "execution": \(.*\),$/s//\1/p' "$out/summary" | head -1)
    echo "${kind:-none} ${run:-$(json_value executions "$out/summary")} $(json_value seconds "$out/summary")"
  else
    echo "stopped 0 $seconds"
  fi
  rm -rf "$out"
}

# cell STRATEGY KIND: what came out, as the other tables of HaPSet have it; of several seeds the median.
cell() {
  local count=1 seed
  case $1 in random | pct) count=$seeds ;; esac
  for ((seed = 1; seed <= count; ++seed)); do one_search "$1" "$seed"; done |
    sort -k2,2n | awk -v wanted="$2" -v limit="$seconds" '
      { kind[NR] = $1; run[NR] = $2; time[NR] = $3; found += $1 == wanted }
      END {
        i = int((NR + 1) / 2)
        if (found) {
          printf("**%d** (%.2f s)%s", run[i], time[i], found < NR ? ", " found " of " NR : "")
        } else if (kind[i] == "stopped") printf("no result")
        else if (kind[i] != "none") printf("%d, another bug: %s", run[i], kind[i])
        else printf("%d (%s)", run[i], time[i] < 0.9 * limit ? "no" : "TO")
      }'
}

# runs_of CELL: the runs if the bug was found; otherwise nothing.
runs_of() { sed -n 's/^\*\*\([0-9]*\)\*\*.*/\1/p' <<<"$1"; }

# shape: whether the cells of the row have the paper's shape: Algorithm 5 finds the bug, and in fewer runs than DPOR
# and PCB2, if these find it.
shape() {
  local own other rival
  own=$(runs_of "${cells[0]}")
  [ -n "$own" ] || { echo "**Algorithm 5 does not find it**"; return; }
  for rival in dpor pb:bound=2,iterative=no; do
    other=$(runs_of "${cells[$(position_of "$rival")]}")
    [ -z "$other" ] || [ "$own" -lt "$other" ] || { echo "**no more runs with \`$rival\`**"; return; }
  done
  echo yes
}

position_of() {
  local i
  for i in "${!strategies[@]}"; do [ "${strategies[$i]}" != "$1" ] || echo "$i"; done
}

row() {
  local title=$1 paper=$2 patch=$3 kind=$4 options=() cells=() program strategy clean runs
  shift 4
  while [ "$1" != -- ]; do options+=("$1"); shift; done
  shift
  program=("$@")
  cd "$(planted none)" || exit 1
  read -r clean runs _ <<<"$(one_search hapset:prune=yes 1)"
  [ "$clean" = none ] && clean="nothing in $runs" || clean="**$clean**"
  cd "$(planted "$patch")" || exit 1
  for strategy in "${strategies[@]}"; do
    cells+=("$(cell "$strategy" "$kind")")
    echo "$title, $strategy: ${cells[-1]}"
  done
  {
    printf '| %s ' "$title" "$paper" "$patch" "$kind" "$clean" "$(shape)" "${cells[@]}"
    echo "|"
  } >>"$work/rows"
}

versions() {
  local name
  for name in $(ls "$here/subjects"); do
    [ ! -e "$work/$name/version" ] || echo "* $name $(cat "$work/$name/version"): $(sed -n '1s/^# //p' "$here/subjects/$name/subject.sh")"
  done
}

# write_document DOCUMENT: puts the section between its marks, or at the end if there are none.
write_document() {
  local begin="<!-- begin hapset real -->" end="<!-- end hapset real -->"
  {
    sed "/^$begin\$/,\$d" "$1"
    echo "$begin"
    printf '## HaPSet: real programs\n\nMeasured on %s, %s, %s cores, Linux %s.\n\n' "$(date -u +%F)" \
      "$(sed -n '0,/^model name/s/^model name[^:]*: //p' /proc/cpuinfo | head -1)" "$(nproc)" "$(uname -r)"
    cat <<TEXT
Programs from Debian's source packages, built under control as they are but for a planted bug: a patch of a few lines
in bench/hapset_real/subjects. Runs until the bug is found, and seconds. Limit: $seconds seconds for a search (the
paper: 600), one search at a time, one core. Seeds: 1; 1 to $seeds for \`random\` and \`pct\`, and the cell has the median. Choice
points: \`--points shared\`. TO: not found within the limit; no: the search came to its end without the bug. Sizes: the
paper's numbers of workers where it names them, otherwise two workers and an input of four blocks; patches, sizes and
inputs were fixed before their programs were searched. \`own-lock\` was written when the result of \`two-sections\` was
known, which stays. \`as it is\`: what the pruned search finds without the patch. \`as in the paper\`: Algorithm 5 finds the
bug, in fewer runs than \`dpor\` and \`pb\` if these find it; what differs is in bold.

$(versions)

| program | in the paper | planted | bug | as it is | as in the paper |$(printf ' `%s` |' "${strategies[@]}")
|---|---|---|---|---|---|$(printf -- '---|%.0s' "${strategies[@]}")
$(cat "$work/rows")
TEXT
    echo "$end"
    sed "1,/^$end\$/d" "$1"
  } >"$1.new"
  # Without an end mark there was no section before, and nothing follows.
  mv "$1.new" "$1"
}
