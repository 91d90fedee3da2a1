/** A ref of what tells about a save: Save stays in sight of a long form, so what comes of it above comes into sight too. */
export const bringIntoSight = (element: HTMLElement | null): void => {
  element?.scrollIntoView({ block: "center" });
};
