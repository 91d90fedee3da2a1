/** Range in bytes and in UTF-16 code units of the text, extended to whole characters. */
export interface MatchRange {
  from: number;
  to: number;
  byte_from: number;
  byte_to: number;
}

/** @param bytes UTF-8 @param decoded matches count code units, not bytes */
export function rangesIn(bytes: string, decoded: boolean): (from: number, to: number) => MatchRange {
  const text = Buffer.from(bytes, "latin1").toString("utf8");
  if (text.length === bytes.length) return (from, to) => ({ from, to, byte_from: from, byte_to: to });
  // First byte of each code unit; first and last code unit of each byte's character.
  const byteOf: number[] = [];
  const first: number[] = [];
  const behind: number[] = [];
  let unit = 0;
  for (const character of text) {
    const start = first.length;
    const size = Buffer.byteLength(character);
    for (let i = 0; i < character.length; i += 1) byteOf.push(start);
    for (let i = 0; i < size; i += 1) {
      first.push(unit);
      behind.push(i === 0 ? unit : unit + character.length);
    }
    unit += character.length;
  }
  byteOf.push(first.length);
  first.push(unit);
  behind.push(unit);
  const at = (list: readonly number[], index: number) => list[index] ?? 0;
  return (from, to) =>
    decoded
      ? { from, to, byte_from: at(byteOf, from), byte_to: at(byteOf, to) }
      : { from: at(first, from), to: at(behind, to), byte_from: from, byte_to: to };
}
