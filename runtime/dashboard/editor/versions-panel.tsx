import type { Value } from "../api/resources";
import { ChangesPanel } from "./changes-panel";
import { editable, textOf } from "./draft";

/** Orders fields as in the previous version, with new ones last: moved fields are no change. */
function inOrderOf(before: Value | null, after: Value | null): Value | null {
  if (before === null || after === null) return after;
  const kept = Object.keys(before).filter((name) => name in after);
  return { ...Object.fromEntries(kept.map((name) => [name, after[name]])), ...after };
}

const yaml = (version: Value | null) => (version === null ? "" : textOf(editable(version), "yaml"));

/** Two versions of a resource, line by line; null if there is none. */
export function VersionsPanel({ before, after }: { before: Value | null; after: Value | null }) {
  return <ChangesPanel before={yaml(before)} after={yaml(inOrderOf(before, after))} />;
}
