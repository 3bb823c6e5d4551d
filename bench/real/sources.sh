# Debian's sources by package name, with an apt configuration of our own: the machine's own sources, turned
# from binary packages into source packages. The machine's configuration is left as it is.

# prepare_sources WORK: the lists of source packages, fetched once a day.
prepare_sources() {
  apt_root=$1/.apt
  mkdir -p "$apt_root/parts" "$apt_root/lists/partial" "$apt_root/cache/archives/partial"
  local file
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ ! -e "$file" ] || sed -n 's/^deb\(-src\)\{0,1\} /deb-src /p' "$file" >"$apt_root/parts/$(basename "$file")"
  done
  for file in /etc/apt/sources.list.d/*.sources; do
    [ ! -e "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt_root/parts/$(basename "$file")"
  done
  [ -z "$(find "$apt_root/updated" -mtime -1 2>/dev/null)" ] || return 0
  apt_private apt-get update -q >"$apt_root/update.log" 2>&1 && touch "$apt_root/updated" ||
    { echo "bench_real: no lists of source packages; see $apt_root/update.log" >&2; return 1; }
}

apt_private() {
  "$1" -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$apt_root/parts" \
    -o Dir::State::lists="$apt_root/lists" -o Dir::Cache="$apt_root/cache" -o APT::Sandbox::User=root "${@:2}"
}

# fetch_source PACKAGE FOLDER: unpacks the newest version into FOLDER/source, and writes the version to
# FOLDER/version. Where the archive lacks Debian's own part, upstream's part alone is taken, and
# "without Debian's patches" is added to the version.
fetch_source() {
  local package=$1 folder=$2
  [ ! -e "$folder/version" ] || return 0
  rm -rf "$folder/fetch" "$folder/source"
  mkdir -p "$folder/fetch"
  (cd "$folder/fetch" && apt_private apt-get source -q "$package") >"$folder/fetch.log" 2>&1 ||
    fetch_upstream "$package" "$folder" >>"$folder/fetch.log" 2>&1 || return 1
  mv "$folder"/fetch/*/ "$folder/source"
  keep_generated "$folder/source"
  local version
  version=$(sed -n 's/^Version: //p' "$folder"/fetch/*.dsc | head -1)
  [ ! -e "$folder/fetch/upstream_only" ] || version="$version, without Debian's patches"
  echo "$version" >"$folder/version"
}

fetch_upstream() {
  cd "$2/fetch" && apt_private apt-get source -q --tar-only "$1" && touch upstream_only &&
    mkdir unpacked && tar -C unpacked --strip-components=1 -xf ./*.orig.tar.*
}

# What autoconf and automake have made is newer than what they made it from, whatever a patch has touched: no
# build asks for their versions of those days.
keep_generated() {
  find "$1" -name aclocal.m4 -exec touch {} +
  sleep 1
  find "$1" \( -name configure -o -name Makefile.in -o -name '*.h.in' \) -exec touch {} +
}
