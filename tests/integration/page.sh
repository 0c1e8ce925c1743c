#!/bin/bash
# The page of timelines: its types, its decoder, and in Chromium what it shows and answers.
. "$(dirname "$0")/common"
python=/usr/bin/python3
export PYTHONDONTWRITEBYTECODE=1

# Nothing here is compiled.
[ -z "${SANITIZE-}" ] || exit 0

"$root/emul/view/page/join" >page.html
[ "$(grep -c '^<!--HTMT-DATA-->$' page.html)" = 1 ] || fail 'the page has no place for data'
! grep -qE '^(import|export) ' page.html || fail "left: $(grep -E '^(import|export) ' page.html)"

if command -v tsc >/dev/null; then
    tsc --allowJs --checkJs --noEmit --strict --target es2020 --module es2020 --moduleResolution node \
        --lib es2020,dom,dom.iterable "$root"/emul/view/page/types.d.ts "$root"/emul/view/page/*.js >out ||
        fail "types: $(cat out)"
else
    echo 'skipped: node-typescript is missing: no types are checked'
fi

if command -v node >/dev/null; then
    mkdir modules
    cp "$root"/emul/view/page/*.js modules
    echo '{"type": "module"}' >modules/package.json
    node "$root/tests/page/decoder_test.mjs" "$PWD/modules" >out 2>&1 || fail "decoder: $(cat out)"
else
    echo 'skipped: nodejs is missing: the decoder is not tested alone'
fi

skip() {
    echo "skipped: $*"
    exit 0
}
"$python" -c 'import sys' 2>/dev/null || skip 'python3 is missing'

# Firefox: the page becomes ready and draws.
if [ -x /usr/bin/firefox-esr ]; then
    "$python" "$root/tests/page/sample.py" page.html firefox.html
    mkdir profile
    HOME=$PWD timeout 100 "$python" "$root/tests/page/firefox.py" firefox.html profile >out 2>&1 ||
        fail "Firefox: $(cat out)"
else
    echo 'skipped: firefox-esr is missing: no picture by Firefox'
fi
[ -x /usr/bin/chromium ] || skip 'chromium is missing'
[ -x /usr/bin/chromedriver ] || skip 'chromium-driver is missing'
"$python" -c 'import selenium' 2>/dev/null || skip 'python3-selenium is missing'

# axe-core is no Debian package.
AXE=
if [ -n "${HTMT_AXE-}" ]; then
    AXE=$HTMT_AXE
elif command -v npm >/dev/null && timeout 20 npm install --silent --no-audit --no-fund --fetch-retries=0 --prefix axe axe-core >npm.log 2>&1; then
    AXE=$PWD/axe/node_modules/axe-core/axe.min.js
else
    echo 'skipped: axe-core cannot be installed: the controls are not checked by it'
fi
export AXE
PAGES=$PWD HOME=$PWD "$python" "$root/tests/page/page_test.py" >out 2>&1 || fail "$(cat out)"
