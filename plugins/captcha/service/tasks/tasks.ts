import { MetricsRegistry } from "../../../../runtime/process/service-api.js";
import type { CheckReply, PreparedTask, TaskSource } from "../contract.js";
import { render } from "./render.js";
import { startRenderThread } from "./render-thread.js";
import { type PoolOptions, preparedTask, TaskPool } from "./task-pool.js";

export { TasksBusyError } from "./task-pool.js";

/** Faults are not reported without `report`. */
export interface TaskOptions extends Partial<Omit<PoolOptions, "start">> {
  /** Default: the compiled file next to this one. */
  script?: URL;
}

/** Starts the thread and the filling of the buffers; returns at once. */
export function startTasks({
  script = SCRIPT,
  report = () => {},
  metrics = new MetricsRegistry(),
  ...more
}: TaskOptions = {}): TaskSource {
  return new TaskPool({ start: (events) => startRenderThread(script, events), report, metrics, ...more });
}

const SCRIPT = new URL("./worker-thread.js", import.meta.url);

const ANSWER = { type: "shapes", cells: [0, 1, 2] } as const;
let made: PreparedTask | undefined;

/**
 * Task of `sp-test-task` (H10): always the same pictures, whose answer is the first three cells in order.
 * Drawn in this thread, in about 20 ms, at the first request.
 */
export function testTask(): PreparedTask {
  const seed = new Uint8Array(16).fill(1);
  const answer = { ...ANSWER, cells: [...ANSWER.cells] };
  made ??= preparedTask({ type: "shapes", answer, media: render(answer, 0, seed) });
  return made;
}

/** Degrees to either side of the right angle, inclusive. */
export const TOLERANCE = 20;
const MAX_TEXT = 64;

/** Always compares all of a reply and does not reveal how near it was (reference 4.4, W11). */
export const checkReply: CheckReply = (answer, reply) => {
  switch (answer.type) {
    case "shapes":
      return "cells" in reply && areSame(answer.cells, reply.cells);
    case "rings":
      return "angles" in reply && areNear(answer.angles, reply.angles);
    case "text":
      return "text" in reply && isSameText(answer.text, lettersOf(reply.text));
    case "audio":
      return "text" in reply && isSameText(answer.groups.join(""), digitsOf(reply.text));
  }
};

function areSame(wanted: readonly number[], given: readonly number[]): boolean {
  if (!Array.isArray(given) || given.length !== wanted.length) return false;
  return wanted.reduce((wrong, cell, i) => wrong + (given[i] === cell ? 0 : 1), 0) === 0;
}

function areNear(wanted: readonly number[], given: readonly number[]): boolean {
  if (!Array.isArray(given) || given.length !== wanted.length) return false;
  return wanted.reduce((wrong, angle, i) => wrong + (isNear(angle, given[i]) ? 0 : 1), 0) === 0;
}

function isNear(wanted: number, given: unknown): boolean {
  return (
    typeof given === "number" && Number.isFinite(given) && circularDifference(wanted, given) <= TOLERANCE
  );
}

/** 0..180 degrees. */
export function circularDifference(one: number, other: number): number {
  const turn = (((one - other) % 360) + 360) % 360;
  return Math.min(turn, 360 - turn);
}

function isSameText(wanted: string, given: string): boolean {
  let wrong = wanted.length ^ given.length;
  for (let i = 0; i < wanted.length; i++) wrong |= wanted.charCodeAt(i) ^ given.charCodeAt(i);
  return wrong === 0;
}

const plain = (text: unknown): string =>
  typeof text === "string" && text.length <= MAX_TEXT ? text.normalize("NFKC").toUpperCase() : "";

/** Case, width and spaces do not matter. */
const lettersOf = (text: unknown): string => plain(text).replace(/\s+/g, "");

/** "3 5 2 7", "3,5,2,7", "3527": groups have one digit each, so separators do not matter. */
const digitsOf = (text: unknown): string => plain(text).replace(/[^0-9]/g, "");
