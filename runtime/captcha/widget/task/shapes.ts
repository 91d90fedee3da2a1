import { element, icon } from "../shared/page.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import { taskText } from "./texts.js";

const ROWS = 3;
const COLUMNS = 4;
const UNDO = "M8 4 3 9l5 5v-3.5h6a4 4 0 0 1 0 8H8v2h6a6 6 0 0 0 0-12H8Z";

/** V1: the shapes of the strip, in its order, out of twelve cells. The cells' names say where they are and nothing else. */
export function shapesForm({ language, task, parts, step, say }: TaskMaterial): TaskForm {
  const text = (name: Parameters<typeof taskText>[0], values = {}) => taskText(name, language, values);
  const picks: number[] = [];
  const cells = Array.from({ length: ROWS * COLUMNS }, (_, index) => cellOf(index));
  const undo = element("button", { type: "button", class: "undo" }, icon(UNDO, 18), text("undo"));
  const grid = element(
    "div",
    { class: "grid", role: "group", "aria-label": text("grid") },
    element("img", {
      src: parts.get("grid") ?? "",
      alt: "",
      width: "360",
      height: "240",
      draggable: "false",
    }),
    ...cells,
  );

  function cellOf(index: number): HTMLButtonElement {
    const [r, c] = [Math.floor(index / COLUMNS) + 1, (index % COLUMNS) + 1];
    const cell = element("button", {
      type: "button",
      class: "cell",
      tabindex: index === 0 ? "0" : "-1",
      "aria-label": text("cell", { r, c }),
      "aria-pressed": "false",
    });
    cell.addEventListener("click", (event) => {
      step(event);
      toggle(index);
    });
    return cell;
  }

  function toggle(index: number): void {
    const at = picks.indexOf(index);
    if (at >= 0) picks.splice(at, 1);
    else if (picks.length < task.count) picks.push(index);
    else {
      say(text("picked", { n: picks.length, of: task.count }));
      return;
    }
    show(at >= 0);
    focus(index, false);
  }

  function show(undone: boolean): void {
    for (const [index, cell] of cells.entries()) {
      const order = picks.indexOf(index);
      cell.setAttribute("aria-pressed", String(order >= 0));
      cell.dataset["order"] = order >= 0 ? String(order + 1) : "";
    }
    undo.disabled = picks.length === 0;
    say(text(undone ? "undone" : "picked", { n: picks.length, of: task.count }));
  }

  /** One cell is in the tab order, the arrows go on from there. */
  function focus(index: number, move = true): void {
    for (const [at, cell] of cells.entries()) cell.tabIndex = at === index ? 0 : -1;
    if (move) cells[index]?.focus();
  }

  function undoLast(event: Event): void {
    if (picks.length === 0) return;
    step(event);
    picks.pop();
    show(true);
  }

  grid.addEventListener("keydown", (event) => {
    const at = cells.indexOf(event.target as HTMLButtonElement);
    if (at < 0) return;
    const to = neighbour(at, event.key);
    if (event.key === "Backspace") undoLast(event);
    else if (to === undefined) return;
    else focus(to);
    event.preventDefault();
  });
  undo.disabled = true;
  undo.addEventListener("click", undoLast);
  const strip = element("img", {
    class: "strip",
    src: parts.get("strip") ?? "",
    alt: text("strip"),
    width: "180",
    height: "56",
  });
  return {
    title: "shapesTitle",
    hint: text("shapesHint", { n: task.count }),
    body: element("div", { class: "shapes" }, element("div", { class: "sample" }, strip, undo), grid),
    reply: () =>
      picks.length === task.count
        ? { reply: { cells: [...picks] } }
        : { missing: text("pickMore", { n: picks.length, of: task.count }) },
  };
}

/** Where a key leads from a cell; undefined for other keys. At the edge it stays. */
export function neighbour(index: number, key: string): number | undefined {
  const [row, column] = [Math.floor(index / COLUMNS), index % COLUMNS];
  const at = (r: number, c: number): number =>
    Math.min(ROWS - 1, Math.max(0, r)) * COLUMNS + Math.min(COLUMNS - 1, Math.max(0, c));
  switch (key) {
    case "ArrowLeft":
      return at(row, column - 1);
    case "ArrowRight":
      return at(row, column + 1);
    case "ArrowUp":
      return at(row - 1, column);
    case "ArrowDown":
      return at(row + 1, column);
    case "Home":
      return at(row, 0);
    case "End":
      return at(row, COLUMNS - 1);
    default:
      return undefined;
  }
}
