import { idOf, type Kind, type Resource } from "../api/resources";

/** Lines that the palette shows at once. */
export const MAX_LINES = 12;

/** A line of the palette as far as it is searched. */
export interface Line<Action> {
  /** In lower case: what is shown first, and what stands below it. */
  label: string;
  below: string;
  /** Made for the lines that are shown alone: there may be 20,000. */
  action(): Action;
}

export interface FoundResource {
  kind: Kind;
  id: string;
  /** Name and path, as far as it has them. */
  said: string[];
}

/** Resources as lines. */
export function linesOf<Action>(
  kind: Kind,
  list: readonly Resource[],
  action: (found: FoundResource) => Action,
): Line<Action>[] {
  return list.map((resource) => {
    const id = idOf(resource);
    const { name, uri } = resource.value;
    const said = [name, uri].filter((one) => typeof one === "string");
    const found = { kind, id, said };
    return { label: id.toLowerCase(), below: said.join("\n").toLowerCase(), action: () => action(found) };
  });
}

/** The first lines that hold a text: those with it in their label before those that have it below. */
export function matching<Action>(lines: readonly Line<Action>[], query: string): Action[] {
  const sought = query.trim().toLowerCase();
  const first: Line<Action>[] = [];
  const second: Line<Action>[] = [];
  for (const line of lines) {
    if (line.label.includes(sought)) first.push(line);
    else if (second.length < MAX_LINES && line.below.includes(sought)) second.push(line);
    if (first.length === MAX_LINES) break;
  }
  return [...first, ...second].slice(0, MAX_LINES).map(({ action }) => action());
}
