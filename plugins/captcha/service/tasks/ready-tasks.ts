import { TASK_TYPES, type TaskType } from "../../captcha-table.js";
import type { PreparedTask } from "../contract.js";
import type { Level } from "./media.js";

/** Counts by level: most visitors get the first. In all about 2.5 MB. */
const READY_COUNTS = [4, 2, 2] as const;
const LEVELS = [0, 1, 2] as const;

/**
 * Replacements for a type that is not ready. A visitor who asked for sound never gets a picture. Nobody gets
 * sound or letters unasked while there is a picture (WCAG 1.1.1, 3.3.8).
 */
const INSTEAD: Readonly<Record<TaskType, readonly TaskType[]>> = {
  shapes: ["shapes", "rings", "text"],
  rings: ["rings", "shapes", "text"],
  text: ["text", "shapes", "rings"],
  audio: ["audio"],
};

export interface Kind {
  type: TaskType;
  level: Level;
}

export class ReadyTasks {
  readonly #ready = new Map<string, PreparedTask[]>();

  take({ type, level }: Kind): PreparedTask | undefined {
    return this.#of({ type, level }).shift();
  }

  /** Another level or type; only types in `allowed`. */
  takeInstead({ type, level }: Kind, allowed: readonly TaskType[]): PreparedTask | undefined {
    for (const other of INSTEAD[type]) {
      if (other !== type && !allowed.includes(other)) continue;
      for (const near of [level, ...LEVELS.filter((one) => one !== level)]) {
        const task = this.take({ type: other, level: near });
        if (task !== undefined) return task;
      }
    }
    return undefined;
  }

  /** Drops the task if there are enough. */
  keep(kind: Kind, task: PreparedTask): void {
    const kept = this.#of(kind);
    if (kept.length < READY_COUNTS[kind.level]) kept.push(task);
  }

  /** Emptiest kind below its ready count. @param coming tasks of a kind in progress */
  wanted(coming: (kind: Kind) => number): Kind | undefined {
    let [emptiest, least]: [Kind | undefined, number] = [undefined, 1];
    for (const level of LEVELS)
      for (const type of TASK_TYPES) {
        const share = (this.#of({ type, level }).length + coming({ type, level })) / READY_COUNTS[level];
        if (share < least) [emptiest, least] = [{ type, level }, share];
      }
    return emptiest;
  }

  count(type: TaskType): number {
    return LEVELS.reduce<number>((sum, level) => sum + this.#of({ type, level }).length, 0);
  }

  #of({ type, level }: Kind): PreparedTask[] {
    const key = `${type}/${level}`;
    const kept = this.#ready.get(key) ?? [];
    this.#ready.set(key, kept);
    return kept;
  }
}
