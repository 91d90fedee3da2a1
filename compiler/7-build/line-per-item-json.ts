type Print = (item: unknown) => string;

const asJson: Print = (item) => JSON.stringify(item);

/**
 * Prints JSON with a line for each item of the first level's lists and tables. A changed item changes one
 * line, and 20,000 items do not cost a line for each of their fields.
 * @param print prints an item
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
