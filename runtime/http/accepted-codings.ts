/** Element of an Accept-Encoding header: coding and quality (RFC 9110 section 12.5.3). */
interface Accepted {
  coding: string;
  quality: number;
  text: string;
}

function elements(field: string): Accepted[] {
  return field.split(",").flatMap((element) => {
    const text = element.replace(/^[ \t]+|[ \t]+$/g, "");
    if (text === "") return [];
    const [name = "", ...parameters] = text.split(";");
    const q = parameters.map((parameter) => /^[ \t]*q=([0-9.]+)[ \t]*$/i.exec(parameter)?.[1]).find(Boolean);
    return [
      { coding: name.replace(/[ \t]+$/, "").toLowerCase(), quality: q === undefined ? 1 : Number(q), text },
    ];
  });
}

/** Without the header a client gets no coding: it may accept any, but often cannot. */
export function takesCoding(field: string | undefined, coding: string): boolean {
  if (field === undefined) return false;
  const accepted = elements(field);
  const named = accepted.find((element) => sameCoding(element.coding, coding));
  const element = named ?? accepted.find((other) => other.coding === "*");
  return element !== undefined && element.quality > 0;
}

/** RFC 9110 section 8.4.1.3: "x-gzip" is "gzip". */
const sameCoding = (a: string, b: string) => a.replace(/^x-/, "") === b.replace(/^x-/, "");

/**
 * Removes codings that cannot be undone, and "*", which includes them; otherwise the client's own text.
 * "identity" if nothing is left, because an absent header allows any coding.
 */
export function onlyCodings(field: string, known: (coding: string) => boolean): string {
  const accepted = elements(field);
  const kept = accepted.filter(
    ({ coding, quality }) => quality === 0 || coding === "identity" || known(coding),
  );
  if (kept.length === accepted.length) return field;
  return kept.some(({ quality }) => quality > 0) ? kept.map(({ text }) => text).join(", ") : "identity";
}
