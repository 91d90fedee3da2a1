import { expect } from "vitest";
import { KEYS } from "./configuration.js";
import type { Harness } from "./harness.js";
import type { Visit } from "./visit.js";

/** Parts of pages that scripts change, for tests of the widget in them. */
export const box = (inside = "", key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field>${inside}</div>`;
export const form = (inside: string) =>
  `<form action="/submit" method="post">${inside}<button>Send</button></form>`;
/** Script tag that also renders later containers. */
export const OBSERVING = `<script src="{captcha}/captcha.js" async defer data-auto-observe></script>`;
/** The first container, for scripts. */
export const FIRST = "document.querySelector('.sp-captcha')";

export interface Drawn {
  /** Names of the elements in the first container. */
  elements: string[];
  text: string;
  /** Fields for the token that its form would send. */
  sent: [name: string, value: string][];
}

export const drawn = (visit: Visit): Promise<Drawn> =>
  visit.page.evaluate<Drawn>(`(() => {
    const container = ${FIRST};
    const form = container.closest("form");
    return {
      elements: [...container.children].map(({ localName }) => localName).sort(),
      text: container.textContent,
      sent: form === null ? [] : [...new FormData(form)].filter(([name]) => name === "captcha-token"),
    };
  })()`);

/** A container in a form, at the start. */
export const ONE_BOX: Drawn = { elements: ["iframe", "input"], text: "", sent: [["captcha-token", ""]] };

/** Ticks a box at its start, and checks that its field holds a token that verifies. */
export async function untilPassed(harness: Harness, visit: Visit, index = 0): Promise<void> {
  await visit.box(index).getByRole("checkbox", { checked: false }).waitFor();
  await visit.tick(index);
  await visit.untilVerified(index);
  const token = await visit.container(index).locator("input").inputValue();
  expect((await harness.verify(KEYS.low, token)).body).toMatchObject({ success: true });
}

/** Waits until observers and timers of a change have run. */
export const settled = (visit: Visit) => visit.page.evaluate("new Promise((done) => setTimeout(done))");
