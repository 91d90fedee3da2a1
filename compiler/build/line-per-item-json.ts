type Print = (item: unknown) => string;

const asJson: Print = (item) => JSON.stringify(item);

/**
 * JSON with a line for each item of the lists and tables of its first level: a changed item changes one line, and a list of 20,000
 * costs no line for each of their fields.
 * @param print an item
 */
export function linePerItemJson(value: object, print: Print = asJson): string {
  const fields = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}: ${lined(member, print)}`],
  );
  return `{\n${fields.join(",\n")}\n}\n`;
}

function lined(member: unknown, print: Print): string {
  if (typeof member !== "object" || member === null) return print(member);
  const [open, close] = Array.isArray(member) ? ["[", "]"] : ["{", "}"];
  const items = Array.isArray(member)
    ? member.map((item) => print(item))
    : Object.entries(member).map(([name, item]) => `${JSON.stringify(name)}: ${print(item)}`);
  return items.length === 0 ? `${open}${close}` : `${open}\n  ${items.join(",\n  ")}\n${close}`;
}
