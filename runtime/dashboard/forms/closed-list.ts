import { useDeferredValue } from "react";

/**
 * Renders options of a closed list in a frame after the fields, because they take a quarter of the rendering
 * time. `keepMountedMode: "activity"` would leave a list without a name until it was opened once: its first
 * arrow key would mark nothing, and a screen reader would not announce the open list.
 */
export const useClosedList = () => ({ keepMounted: useDeferredValue(true, false) });
