import { read } from "../architecture/sources.js";

export const text = read("docs/captcha/threat-model.md");
export const tasks = read("docs/captcha/tasks.md");

/** Cells of a table row in the section of a heading. The row is found by its first words or cells. */
export function row(page: string, section: string, name: string): string[] {
  const body = page.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? "";
  const lines = body.split("\n").map((line) => line.replace(/ +\|/g, " |"));
  const line = lines.find((one) => one.startsWith(`| ${name}`)) ?? "";
  const cells = line.split("|").map((cell) => cell.trim());
  return cells.slice(1, -1);
}

export const measured = (name: string) => row(text, "What was measured", name)[1] ?? "";
export const solved = (name: string) => row(tasks, "What simple programs solve", name).slice(2, 5);
export const thousands = (count: number) => count.toLocaleString("en");
