import { useDeferredValue } from "react";

/**
 * Properties of a field with a list of choices. Options of a closed list are rendered in a frame after the
 * fields, because they take a quarter of the rendering time. An idle browser could render them with
 * `keepMountedMode: "activity"`, but a list hidden that way has no name until it was opened once. Its first
 * arrow key would mark nothing, and a screen reader would not announce the open list.
 */
export const useClosedList = () => ({ keepMounted: useDeferredValue(true, false) });
