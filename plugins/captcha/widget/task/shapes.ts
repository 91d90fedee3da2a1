import { button, element, icon } from "../shared/page.js";
import type { TaskForm, TaskMaterial } from "./form.js";
import { COLUMNS, neighbour, ROWS } from "./grid.js";
import { type TaskText, taskText } from "./texts.js";

const UNDO = "M8 4 3 9l5 5v-3.5h6a4 4 0 0 1 0 8H8v2h6a6 6 0 0 0 0-12H8Z";

/** V1. The cells' names only give their positions. */
export function shapesForm(material: TaskMaterial): TaskForm {
  const { language, task, parts } = material;
  const board = new Board(material);
  const strip = element("img", {
    class: "strip",
    src: parts.get("strip") ?? "",
    alt: taskText("strip", language),
    width: "360",
    height: "72",
  });
  return {
    title: "shapesTitle",
    hint: taskText("shapesHint", language, { n: task.count }),
    body: element(
      "div",
      { class: "shapes" },
      element("div", { class: "sample" }, strip, board.slots),
      board.grid,
      board.undo,
    ),
    isBegun: () => board.isBegun,
    reply: () => board.reply(),
  };
}

/** Undefined: nothing is picked for the slot. */
function fillSlot(slot: Element, cell: number | undefined, src: string): void {
  if (!(slot instanceof HTMLElement)) return;
  slot.classList.toggle("filled", cell !== undefined);
  const [row, column] = [Math.floor((cell ?? 0) / COLUMNS), (cell ?? 0) % COLUMNS];
  slot.style.backgroundImage = cell === undefined ? "" : `url("${src}")`;
  slot.style.backgroundPosition = `${(column / (COLUMNS - 1)) * 100}% ${(row / (ROWS - 1)) * 100}%`;
}

class Board {
  readonly grid: HTMLElement;
  readonly undo: HTMLButtonElement;
  /** Pick under each sample; for screen readers the cells and the live region say the same. */
  readonly slots: HTMLElement;
  readonly #material: TaskMaterial;
  readonly #cells: HTMLButtonElement[];
  readonly #picks: number[] = [];
  readonly #src: string;

  constructor(material: TaskMaterial) {
    this.#material = material;
    this.#cells = Array.from({ length: ROWS * COLUMNS }, (_, index) => this.#cell(index));
    const undo = (event: Event) => this.#undo(event);
    this.undo = button({ class: "undo" }, undo, icon(UNDO, 18), this.#text("undo"));
    this.undo.disabled = true;
    const src = material.parts.get("grid") ?? "";
    this.#src = src;
    this.slots = element(
      "div",
      { class: "slots", "aria-hidden": "true" },
      ...Array.from({ length: material.task.count }, (_, i) =>
        element("span", { class: "slot" }, String(i + 1)),
      ),
    );
    this.grid = element(
      "div",
      { class: "grid", role: "group", "aria-label": this.#text("grid") },
      element("img", { src, alt: "", width: "360", height: "240", draggable: "false" }),
      ...this.#cells,
    );
    this.grid.addEventListener("keydown", (event) => this.#key(event));
  }

  get isBegun(): boolean {
    return this.#picks.length > 0;
  }

  reply(): ReturnType<TaskForm["reply"]> {
    return this.#picks.length === this.#material.task.count
      ? { reply: { cells: [...this.#picks] } }
      : { missing: this.#text("pickMore") };
  }

  #text(name: TaskText, values: Readonly<Record<string, number>> = {}): string {
    const { task, language } = this.#material;
    return taskText(name, language, { n: this.#picks.length, of: task.count, ...values });
  }

  #cell(index: number): HTMLButtonElement {
    const [r, c] = [Math.floor(index / COLUMNS) + 1, (index % COLUMNS) + 1];
    const name = { class: "cell", "aria-label": this.#text("cell", { r, c }) };
    return button({ ...name, tabindex: index === 0 ? "0" : "-1", "aria-pressed": "false" }, (event) => {
      this.#material.step(event);
      this.#toggle(index);
    });
  }

  #toggle(index: number): void {
    const at = this.#picks.indexOf(index);
    if (at >= 0) this.#picks.splice(at, 1);
    else if (this.#picks.length < this.#material.task.count) this.#picks.push(index);
    this.#show(at >= 0);
    this.#reach(index);
  }

  #undo(event: Event): void {
    if (this.#picks.length === 0) return;
    this.#material.step(event);
    this.#picks.pop();
    this.#show(true);
  }

  #show(undone: boolean): void {
    for (const [index, cell] of this.#cells.entries()) {
      const order = this.#picks.indexOf(index) + 1;
      cell.setAttribute("aria-pressed", String(order > 0));
      cell.dataset["order"] = order > 0 ? String(order) : "";
    }
    for (const [i, slot] of [...this.slots.children].entries()) fillSlot(slot, this.#picks[i], this.#src);
    this.#material.changed();
    // A button that is disabled under the focus drops it.
    if (this.#picks.length === 0 && document.activeElement === this.undo) this.#cells[0]?.focus();
    this.undo.disabled = this.#picks.length === 0;
    this.#material.say(this.#text(undone ? "undone" : "picked"));
  }

  /** One cell is in the tab order; the arrows lead from it. */
  #reach(index: number): void {
    for (const [at, cell] of this.#cells.entries()) cell.tabIndex = at === index ? 0 : -1;
  }

  #key(event: KeyboardEvent): void {
    const at = this.#cells.indexOf(event.target as HTMLButtonElement);
    if (at < 0) return;
    const to = neighbour(at, event.key);
    if (event.key === "Backspace") this.#undo(event);
    else if (to === undefined) return;
    else {
      this.#reach(to);
      this.#cells[to]?.focus();
    }
    event.preventDefault();
  }
}
