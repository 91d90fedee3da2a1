const ASCII = /^[\0-\x7f]*$/;

/** The UTF-8 bytes of `text`, one character each: the form in which the data path holds every text. */
export function byteString(text: string): string {
  return ASCII.test(text) ? text : Buffer.from(text, "utf8").toString("latin1");
}
