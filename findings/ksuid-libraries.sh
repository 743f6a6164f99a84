#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
KSUIDs as sort keys, by libraries of several languages. PyPI's ksuid prints 40 hexadecimal digits instead of the 27 of base 62:
beside ids of the other libraries they sort by another alphabet, before all of them. npm's ksuid gives the time of an id in
seconds since 2014, not since 1970 as PyPI's cyksuid and svix-ksuid do.
WORDS
npm_install ksuid@3.0.0
pip_install ksuid==1.3
mkdir svix cyksuid
echo 'PyPI svix-ksuid==0.7.0 cyksuid==2.1.0'
python3 -m pip install -q --no-compile --target svix svix-ksuid==0.7.0
python3 -m pip install -q --no-compile --target cyksuid cyksuid==2.1.0
id=1owPwtJ5JZbNMlR4Cccqm3qC7PH
{
  echo "npm ksuid: $(node -p "require('ksuid').parse('$id').timestamp")"
  echo "svix-ksuid: $(PYTHONPATH=svix python3 -c "from ksuid import Ksuid; print(Ksuid.from_base62('$id').timestamp)")"
  echo "cyksuid: $(PYTHONPATH=cyksuid python3 -c "from cyksuid.ksuid import parse; print(parse('$id').timestamp)")"
  new=$(python3 -c 'from ksuid import ksuid; print(ksuid())')
  printf "PyPI ksuid: %s digits, of today, sorts before one of 2021: %s\n" "${#new}" \
    "$([[ $(printf '%s\n%s\n' "$id" "$new" | LC_ALL=C sort | head -1) == "$new" ]] && echo yes || echo no)"
} >seen
expect <<'SEEN'
npm ksuid: 214194921
svix-ksuid: 1614194921
cyksuid: 1614194921
PyPI ksuid: 40 digits, of today, sorts before one of 2021: yes
SEEN
