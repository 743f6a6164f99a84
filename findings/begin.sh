# Sourced by each finding: a temporary folder and servers that are gone at the end, however it ends.
# shellcheck shell=bash
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
servers=()
end() {
  if ((${#servers[@]} > 0)); then
    kill "${servers[@]}" 2>/dev/null || true
    wait "${servers[@]}" 2>/dev/null || true
  fi
  rm -rf "$folder"
}
trap end EXIT
cd "$folder"
export CLIENT="file://$here/dynamodb.mjs" NODE_NO_WARNINGS=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONPATH="$folder/packages"

# npm_install NAME@VERSION…, pip_install NAME==VERSION…, maven_install GROUP:NAME:VERSION…: print what is pinned, and install it here.
npm_install() {
  echo "npm $*"
  npm install --silent --no-audit --no-fund --ignore-scripts --prefix . "$@" >npm.log 2>&1 || { cat npm.log; exit 1; }
}
pip_install() {
  echo "PyPI $*"
  python3 -m pip install -q --no-compile --target packages "$@" >pip.log 2>&1 || { cat pip.log; exit 1; }
}
maven_install() {
  echo "Maven $*"
  printf '%s\n' "$@" | awk -F: '
    BEGIN { print "<project><modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>" }
    { print "<dependency><groupId>" $1 "</groupId><artifactId>" $2 "</artifactId><version>" $3 "</version></dependency>" }
    END { print "</dependencies></project>" }' >pom.xml
  mvn -q dependency:copy-dependencies -DoutputDirectory=lib >mvn.log 2>&1 || { cat mvn.log; exit 1; }
}

# start NAME COMMAND…: starts a server of 127.0.0.1 on the free port $PORT, and waits until it answers.
free_port() { PORT=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'); }
start() {
  local name=$1 deadline=$((SECONDS + 60))
  shift
  "$@" >"$name.log" 2>&1 &
  servers+=($!)
  until curl -s -o "$name.answer" "http://127.0.0.1:$PORT/"; do
    ((SECONDS < deadline)) || { cat "$name.log"; exit 1; }
    sleep 0.2
  done
}

# expect: compares the file `seen` with standard input; says so, and exits with 1 if they differ.
expect() {
  printf '\nSeen:\n%s\n\n' "$(cat seen)"
  if diff - seen >difference; then echo 'The behaviour is as described.'; else
    printf 'The behaviour has changed (< as described, > now):\n%s\n' "$(cat difference)"
    exit 1
  fi
}
