export function countedNonces(): () => Uint8Array {
  let count = 0n;
  return () => {
    count += 1n;
    return new Uint8Array(new BigUint64Array([count]).buffer);
  };
}
