/** Documents without a browser, with the first patches that a serious attacker would make. */
import { Window } from "happy-dom";
import { JSDOM, VirtualConsole } from "jsdom";
import type { ProgramAnswer, ProgramShown } from "../../plugins/captcha/service/protocol.js";
import { interpreterScript } from "../support/captcha-interpreter.js";

export type RunProgram = (
  program: Pick<ProgramShown, "code" | "key">,
  samples: ProgramAnswer["samples"],
  telemetry: unknown,
) => ProgramAnswer;

/**
 * Substitutes for features that an emulation lacks: sheets become style elements, innerText is textContent.
 */
const PATCHES = `
  if (typeof CSSStyleSheet === "undefined" || !CSSStyleSheet.prototype.replaceSync)
    globalThis.CSSStyleSheet = class { replaceSync(rules) { this.rules = rules; } };
  if (!("adoptedStyleSheets" in ShadowRoot.prototype))
    Object.defineProperty(ShadowRoot.prototype, "adoptedStyleSheets", {
      set(sheets) {
        for (const { rules } of sheets) {
          const style = document.createElement("style");
          style.textContent = rules;
          this.append(style);
        }
      },
    });
  if (!("innerText" in HTMLElement.prototype))
    Object.defineProperty(HTMLElement.prototype, "innerText", { get() { return this.textContent; } });
  for (const root of [ShadowRoot, Document])
    if (!root.prototype.elementFromPoint) root.prototype.elementFromPoint = () => null;
  if (!Element.prototype.animate) Element.prototype.animate = () => ({ pause() {} });
  Object.defineProperty(document, "visibilityState", { get: () => "visible", configurable: true });
`;

/** jsdom with the frame's own interpreter in it. */
export async function inJsdom(): Promise<RunProgram> {
  // A console of its own drops thousands of messages about features that jsdom has not implemented.
  const { window } = new JSDOM("<!doctype html><body></body>", {
    url: "http://captcha.localhost/f/v1/box",
    runScripts: "outside-only",
    pretendToBeVisual: true,
    virtualConsole: new VirtualConsole(),
  });
  window.eval(PATCHES + (await interpreterScript()));
  return runnerOf(window.eval("interpreter"));
}

/** happy-dom with the frame's own interpreter in it. */
export async function inHappyDom(): Promise<RunProgram> {
  const window = new Window({
    url: "http://captcha.localhost/f/v1/box",
    settings: { enableJavaScriptEvaluation: true, suppressInsecureJavaScriptEnvironmentWarning: true },
  });
  window.eval(PATCHES + (await interpreterScript()));
  return runnerOf(window.eval("interpreter"));
}

function runnerOf(interpreter: unknown): RunProgram {
  const { runProgram } = interpreter as { runProgram: RunProgram };
  // Objects of another realm are plain data here.
  return (program, samples, telemetry) =>
    JSON.parse(JSON.stringify(runProgram(program, samples, telemetry))) as ProgramAnswer;
}
