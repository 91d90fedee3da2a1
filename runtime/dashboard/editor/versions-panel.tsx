import type { Value } from "../api/resources";
import { ChangesPanel } from "./changes-panel";
import { editable, textOf } from "./draft";

/** Fields in the order of the version before, new ones after them: what has only moved is no change. */
function inOrderOf(before: Value | null, after: Value | null): Value | null {
  if (before === null || after === null) return after;
  const kept = Object.keys(before).filter((name) => name in after);
  return { ...Object.fromEntries(kept.map((name) => [name, after[name]])), ...after };
}

const yaml = (version: Value | null) => (version === null ? "" : textOf(editable(version), "yaml"));

/** Two versions of a resource, line by line; null: there is none. */
export function VersionsPanel({ before, after }: { before: Value | null; after: Value | null }) {
  return <ChangesPanel before={yaml(before)} after={yaml(inOrderOf(before, after))} />;
}
