import type { HeaderAction } from "../../compiler/plan/plan.js";
import { type Fields, replaced, valuesOf, without } from "./message.js";
import type { State } from "./state.js";
import { fieldValue } from "./text.js";

/** How a plugin adds a value to a field. */
export type Add = (fields: Fields, name: string, values: string[]) => Fields;

/** proxy-rewrite: one line `plugin,client`, at the place of the client's first. */
export const addBefore: Add = (fields, name, values) =>
  values.length === 0
    ? fields
    : replaced(
        fields,
        name,
        [...values, ...valuesOf(fields, name)].filter((value) => value !== "").join(","),
      );

/** response-rewrite: a further line after the existing ones. */
export const addAfter: Add = (fields, name, values) => [
  ...fields,
  ...values.map((value): [string, string] => [name, value]),
];

/** Runs the actions: every add, then every remove, then every set. Set values are read before the set step (16.9). */
export function act(
  actions: readonly HeaderAction[],
  state: State,
  add: Add,
  read: () => Fields,
  write: (fields: Fields) => void,
): void {
  const only = (kind: HeaderAction["action"]) => actions.filter(({ action }) => action === kind);
  const valuesNow = ({ values }: HeaderAction) => values.map((text) => fieldValue(text, state));

  for (const action of only("add")) {
    write(
      add(
        read(),
        action.name,
        valuesNow(action).filter((value) => value !== ""),
      ),
    );
  }
  for (const action of only("remove")) write(without(read(), action.name));

  const wanted = only("set").map((action) => ({ name: action.name, values: valuesNow(action) }));
  for (const { name, values } of wanted) {
    const [first = "", ...rest] = values;
    write(
      addAfter(
        replaced(read(), name, first),
        name,
        rest.filter((value) => value !== ""),
      ),
    );
  }
}
