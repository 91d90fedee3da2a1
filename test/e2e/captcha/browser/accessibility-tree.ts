import type { CDPSession, Frame } from "playwright-core";
import { fromFrame, type Visit } from "./visit.js";

/** A node as the browser exposes it to assistive technology. */
export interface Announced {
  role: string;
  name: string;
  description: string;
  /** "checked", "not checked", "invalid" and the like; a value of a slider or text field. */
  state: string;
}

interface AxValue {
  value?: unknown;
}
interface AxNode {
  ignored: boolean;
  role?: AxValue;
  name?: AxValue;
  description?: AxValue;
  value?: AxValue;
  properties?: { name: string; value: AxValue }[];
}

const DOCUMENTS = new Set(["RootWebArea", "WebArea", "Iframe", "IframePresentational"]);

/** The focused node, by the accessibility trees of page and frames (DevTools domain Accessibility). */
export async function focusedNode(visit: Visit): Promise<Announced | undefined> {
  for (const frame of visit.page.frames()) {
    const tree = await treeOf(visit, frame);
    const found = tree.find(
      (node) =>
        !node.ignored && !DOCUMENTS.has(String(node.role?.value)) && property(node, "focused") === true,
    );
    // A frame in the background remembers its own focus.
    if (found && (await fromFrame(frame.evaluate("document.hasFocus()")))) return announced(found);
  }
  return undefined;
}

/** Roles of all nodes of the page itself, with a frame as one node. */
export async function rolesOfPage(visit: Visit): Promise<string[]> {
  const tree = await treeOf(visit, visit.page.mainFrame());
  return tree.filter(({ ignored }) => !ignored).map(({ role }) => String(role?.value));
}

async function treeOf(visit: Visit, frame: Frame): Promise<AxNode[]> {
  const asked = visit.context.newCDPSession(frame.parentFrame() === null ? visit.page : frame);
  const session = await fromFrame<CDPSession>(asked);
  // Gone in the meantime, or part of its parent's process and so of its tree.
  if (session === undefined) return [];
  const tree = (await fromFrame(session.send("Accessibility.getFullAXTree"))) as
    | { nodes: AxNode[] }
    | undefined;
  await fromFrame(session.detach());
  return tree?.nodes ?? [];
}

const property = ({ properties = [] }: AxNode, name: string): unknown =>
  properties.find((item) => item.name === name)?.value.value;

function announced(node: AxNode): Announced {
  const checked = property(node, "checked");
  const states = [
    checked === "true" ? "checked" : checked === "false" ? "not checked" : "",
    property(node, "pressed") === "true" ? "pressed" : "",
    property(node, "disabled") === true ? "unavailable" : "",
    property(node, "invalid") === "true" ? "invalid" : "",
    node.value?.value === undefined ? "" : String(node.value.value),
  ];
  return {
    role: String(node.role?.value ?? ""),
    name: String(node.name?.value ?? ""),
    description: String(node.description?.value ?? ""),
    state: states.filter((state) => state !== "").join(", "),
  };
}
