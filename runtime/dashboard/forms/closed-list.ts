import { useDeferredValue } from "react";

/**
 * Properties of a field with a list of choices: options of a closed list are made in a frame after the fields, which they take a quarter of
 * the time of. An idle browser would make them too (`keepMountedMode: "activity"`), but a list that is hidden so has no name until it
 * was opened once: its first arrow marks nothing, and a screen reader does not hear that it is open.
 */
export const useClosedList = () => ({ keepMounted: useDeferredValue(true, false) });
