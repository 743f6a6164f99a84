#!/usr/bin/env bash
source "$(dirname "$0")/begin.sh"
cat <<'WORDS'
Numbers of an export in Amazon Ion are decimals. ion-js keeps them exactly, but numberValue() and JSON.stringify do not give the
nearest double: of the prices 0.01 to 100.00, one in eight comes out as another number than its own text read by JavaScript.
WORDS
npm_install ion-js@5.2.1 jsbi@4.3.2
cat >program.mjs <<'PROGRAM'
import { load } from 'ion-js';

const other = [];
for (let cents = 1; cents <= 10_000; cents++) {
  const price = (cents / 100).toFixed(2);
  const decimal = load(`$ion_1_0 {Item:{PK:"shirt#1",price:${price}}}`).get('Item', 'price');
  if (decimal.numberValue() !== Number(price)) other.push(`${price} -> ${JSON.stringify(decimal)}`);
}
console.log(`${other.length} of 10000 are other numbers, first ${other.slice(0, 4).join(', ')}`);
console.log(`as a decimal: ${load('0.35')}`);
PROGRAM
node program.mjs >seen
expect <<'SEEN'
1327 of 10000 are other numbers, first 0.35 -> 0.35000000000000003, 0.41 -> 0.41000000000000003, 0.47 -> 0.47000000000000003, 0.57 -> 0.5700000000000001
as a decimal: 0.35
SEEN
