#!/bin/bash
# Class: fast.
# The page of timelines: its types, its decoder, and in Chromium what it shows and answers.
. "$(dirname "$0")/common"
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1

# Nothing here is compiled.
[ -z "${SANITIZE-}" ] || skip "not under a sanitizer"

"$root/emul/view/page/join" >page.html
[ "$(grep -c '^<!--HTMT-DATA-->$' page.html)" = 1 ] || fail 'the page has no place for data'
! grep -qE '^(import|export) ' page.html || fail "left: $(grep -E '^(import|export) ' page.html)"

if command -v tsc >/dev/null; then
    tsc --allowJs --checkJs --noEmit --strict --target es2020 --module es2020 --moduleResolution node \
        --lib es2020,dom,dom.iterable "$root"/emul/view/page/types.d.ts "$root"/emul/view/page/*.js >out ||
        fail "types: $(cat out)"
else
    lacks node-typescript 'the types'
fi

if command -v node >/dev/null; then
    mkdir modules
    cp "$root"/emul/view/page/*.js modules
    echo '{"type": "module"}' >modules/package.json
    node "$root/tests/page/decoder_test.mjs" "$PWD/modules" >out 2>&1 || fail "decoder: $(cat out)"
else
    lacks nodejs 'the decoder alone'
fi

"$python" -c 'import sys' 2>/dev/null || { lacks python3 'the page in a browser'; exit 77; }

# Firefox: the page becomes ready and draws.
if [ -x /usr/bin/firefox-esr ]; then
    "$python" "$root/tests/page/sample.py" page.html firefox.html
    mkdir profile
    HOME=$PWD timeout 100 "$python" "$root/tests/page/firefox.py" firefox.html profile >out 2>&1 ||
        fail "Firefox: $(cat out)"
else
    lacks firefox-esr 'a picture by Firefox'
fi
for tool in chromium chromedriver; do
    [ -x /usr/bin/$tool ] || { lacks $tool 'the page in Chromium'; exit 77; }
done
"$python" -c 'import selenium' 2>/dev/null || { lacks python3-selenium 'the page in Chromium'; exit 77; }

# axe-core is no Debian package.
AXE=
if [ -n "${HTMT_AXE-}" ]; then
    AXE=$HTMT_AXE
elif command -v npm >/dev/null && timeout 20 npm install --silent --no-audit --no-fund --fetch-retries=0 --prefix axe axe-core >npm.log 2>&1; then
    AXE=$PWD/axe/node_modules/axe-core/axe.min.js
else
    echo 'skipped: axe-core, which Debian lacks, cannot be installed: the controls'
fi
export AXE
PAGES=$PWD HOME=$PWD "$python" "$root/tests/page/page_test.py" >out 2>&1 || fail "$(cat out)"
