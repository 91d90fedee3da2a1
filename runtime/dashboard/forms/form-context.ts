import { createContext, type ReactNode, useContext, useEffect } from "react";
import type { FieldSteps } from "./unreadable-fields";

/** Diagnostics of the compiler, by the name of their field. */
export type SaidOfFields = ReadonlyMap<string, string>;

export const SaidOfFieldsContext = createContext<SaidOfFields>(new Map());

export const FieldPathContext = createContext<FieldSteps>([]);

/** A field to move to. A new object is a new request, also for the same field. */
export interface Goal {
  path: FieldSteps;
}

export const GoalContext = createContext<Goal | undefined>(undefined);

export function useContainsGoal(path: FieldSteps): boolean {
  const goal = useContext(GoalContext)?.path;
  return (
    goal !== undefined &&
    goal.length > path.length &&
    path.every((step, at) => String(step) === String(goal[at]))
  );
}

/** Maximum number of frames to wait for folded and lazily loaded content. */
const FRAMES = 90;
/** Number of frames for which the focus is kept there. */
const HELD_FRAMES = 24;

/** Scrolls to the goal when it is rendered; if it never is, to the innermost field around it. */
export function useLeadTo(form: string, goal: Goal | undefined): void {
  useEffect(() => {
    if (goal === undefined) return;
    let frame = 0;
    let left = FRAMES;
    const look = () => {
      left -= 1;
      const whole = document.getElementById([form, ...goal.path].join("_"));
      const found = whole ?? (left > 0 ? null : around(form, goal.path));
      if (found === null) {
        if (left > 0) frame = requestAnimationFrame(look);
        return;
      }
      if (document.activeElement !== found) {
        found.scrollIntoView({ block: "center" });
        found.focus({ preventScroll: true });
      }
      // A drawer that opens for the goal moves the focus to its own start a little later.
      left = Math.min(left, HELD_FRAMES);
      if (left > 0) frame = requestAnimationFrame(look);
    };
    frame = requestAnimationFrame(look);
    return () => cancelAnimationFrame(frame);
  }, [form, goal]);
}

function around(form: string, path: FieldSteps): HTMLElement | null {
  for (let length = path.length - 1; length > 0; length -= 1) {
    const found = document.getElementById([form, ...path.slice(0, length)].join("_"));
    if (found !== null) return found;
  }
  return null;
}

/** Fields that come first, by object; "" is the root. Others are folded below them unless they are set. */
export type Primary = Readonly<Record<string, readonly string[]>>;

export interface FormOptions {
  primary: Primary;
  /** Elements among the first fields of the root, by their names in `primary`; they are no fields of the schema. */
  between: Readonly<Record<string, ReactNode>>;
  /** Fields of the root that are open even if nothing is set in them. */
  open: readonly string[];
}

export const FormOptionsContext = createContext<FormOptions>({ primary: {}, between: {}, open: [] });

/** Fields of the object that contains a field: the effect of a pattern depends on its siblings. */
export const SiblingFieldsContext = createContext<Readonly<Record<string, unknown>>>({});
