import type { HeaderAction } from "../../compiler/model/plan.js";
import { type Fields, isNeverJoined, replaced, valuesOf, without } from "./message.js";
import type { State } from "./state.js";
import { fieldValues } from "./text.js";

/** How a plugin adds a value to a field. */
export type Add = (fields: Fields, name: string, values: string[]) => Fields;

/** proxy-rewrite: one line `plugin,client`, at the place of the client's first; lines of their own where none are joined. */
export const addBefore: Add = (fields, name, values) => {
  if (values.length === 0) return fields;
  const [first = "", ...rest] = [...values, ...valuesOf(fields, name)].filter((value) => value !== "");
  if (isNeverJoined(name)) return addAfter(replaced(fields, name, first), name, rest);
  return replaced(fields, name, [first, ...rest].join(name.toLowerCase() === "cookie" ? "; " : ","));
};

/** response-rewrite: a further line after the existing ones. */
export const addAfter: Add = (fields, name, values) => [
  ...fields,
  ...values.map((value): [string, string] => [name, value]),
];

/** The fields that actions change; `gave` is told the name of each field that got a value. */
export interface Changing {
  read(): Fields;
  write(fields: Fields): void;
  gave?(name: string): void;
}

/** Runs the actions: every add, then every remove, then every set. Set values are read before the set step (16.9). */
export function act(
  actions: readonly HeaderAction[],
  state: State,
  add: Add,
  { read, write, gave = () => {} }: Changing,
): void {
  const only = (kind: HeaderAction["action"]) => actions.filter(({ action }) => action === kind);
  const valuesNow = ({ values }: HeaderAction) =>
    values.flatMap((text) => {
      const lines = fieldValues(text, state);
      return lines.length === 0 ? [""] : lines;
    });
  const present = (values: string[]) => values.filter((value) => value !== "");

  for (const action of only("add")) {
    const values = present(valuesNow(action));
    if (values.length > 0) gave(action.name);
    write(add(read(), action.name, values));
  }
  for (const action of only("remove")) write(without(read(), action.name));

  const wanted = only("set").map((action) => ({ name: action.name, values: valuesNow(action) }));
  for (const { name, values } of wanted) {
    const [first = "", ...rest] = values;
    if (present(values).length > 0) gave(name);
    write(addAfter(replaced(read(), name, first), name, present(rest)));
  }
}
