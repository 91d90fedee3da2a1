import type { Frame, Page } from "playwright-core";
import { axeViolationsIn } from "../../../support/axe.js";

/**
 * Violations that axe-core finds in the frames of the service, at least one frame. The excluded rule is for
 * whole pages: the heading of the first level is the page's around the box.
 */
export async function axeViolations(page: Page, serviceUrl: string): Promise<string[]> {
  const frames = page.frames().filter((frame) => frame.url().startsWith(serviceUrl) && !frame.isDetached());
  const found = await Promise.all(frames.map((frame) => violationsUnlessGone(frame)));
  if (found.every((frame) => frame === undefined)) throw new Error("no frame of the service stands there");
  return found.flatMap((frame) => frame ?? []);
}

/** Returns undefined for a closed dialog, whose frame goes a moment after its element. */
async function violationsUnlessGone(frame: Frame): Promise<string[] | undefined> {
  try {
    return await axeViolationsIn(frame, ["page-has-heading-one"]);
  } catch (error) {
    await frame.page().waitForTimeout(1_000);
    if (frame.isDetached()) return undefined;
    throw error;
  }
}
