/**
 * Ref of a message about a save. Save is visible anywhere in a long form, so the message above must scroll
 * into view.
 */
export const bringIntoSight = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "center" });
};
