const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Characters of a byte string; a byte that belongs to none is kept as U+DC80 to U+DCFF. */
export function characters(bytes: string): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const character = [1, 2, 3, 4]
      .filter((length) => at + length <= bytes.length)
      .map((length) => ({ length, text: decoded(bytes.slice(at, at + length)) }))
      .find((candidate) => candidate.text !== undefined);
    text += character?.text ?? String.fromCharCode(0xdc00 + bytes.charCodeAt(at));
    at += character?.length ?? 1;
  }
  return text;
}

function decoded(bytes: string): string | undefined {
  try {
    return strict.decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}

/** The way back. */
export function bytes(text: string): string {
  return [...text]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      if (code >= 0xdc80 && code <= 0xdcff) return String.fromCharCode(code - 0xdc00);
      return Buffer.from(character, "utf8").toString("latin1");
    })
    .join("");
}
