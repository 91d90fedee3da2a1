/** Save is visible anywhere in a long form, so a message above must scroll into view. */
export const bringIntoSight = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "center" });
};
