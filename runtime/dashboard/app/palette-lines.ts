import { idOf, type Kind, type Resource } from "../api/resources";

export const MAX_LINES = 12;

export interface Line<Action> {
  /** Title and subtitle in lower case. */
  label: string;
  below: string;
  /** Called for shown lines only: there may be 20,000 lines. */
  action(): Action;
}

export interface FoundResource {
  kind: Kind;
  id: string;
  /** Name and path, if present. */
  said: string[];
}

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

/** The first lines that contain a text: matches in the label come before those in the subtitle. */
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
