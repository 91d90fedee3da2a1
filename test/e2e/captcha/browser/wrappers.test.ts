import { join } from "node:path";
import { build, type Plugin } from "rolldown";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT } from "../../../architecture/sources.js";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { axeViolations } from "./axe.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const EXAMPLES = join(ROOT, "plugins/captcha/widget/examples");

/** Bundles as an application does: `gwc/captcha/…` is exported by the package, and React mounts twice. */
async function bundle(input: string, source: string | undefined, siteKey: string): Promise<string> {
  const fill: Plugin = {
    name: "fill",
    resolveId: (id) => (source !== undefined && id === input ? input : null),
    load: (id) => (source !== undefined && id === input ? source : null),
    transform: (code) =>
      code.includes("{captcha_url}")
        ? code.replaceAll("{captcha_url}", harness.url).replaceAll("{site_key}", siteKey)
        : null,
  };
  const { output } = await build({
    input,
    write: false,
    platform: "browser",
    plugins: [fill],
    transform: {
      define: {
        "process.env.NODE_ENV": '"development"',
        __VUE_OPTIONS_API__: "true",
        __VUE_PROD_DEVTOOLS__: "false",
        __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: "false",
      },
    },
    output: { format: "es", codeSplitting: false },
  });
  return output[0].code.replaceAll("</script", "<\\/script");
}

const example = (file: string, siteKey: string = KEYS.low) =>
  bundle(join(EXAMPLES, file), undefined, siteKey);
/** A program beside the examples, so that it finds the same packages. */
const program = (source: string) => bundle(join(EXAMPLES, "program.ts"), source, KEYS.low);

const FORM = `<form action="/submit" method="post"><input name="email" aria-label="E-mail"><div id="captcha"></div><button>Send</button><output></output></form>`;
async function open(script: string, body = '<div id="app"></div>'): Promise<Visit> {
  return harness.visit({
    head: "",
    body: `${body}<script type="module">${script}</script>`,
    html: 'lang="en"',
  });
}
const says = (visit: Visit, words: string) =>
  expect.poll(() => visit.page.locator("output").innerText()).toBe(words);
const frames = (visit: Visit) => visit.page.locator("iframe");
/** Fields of the last form that a script sent to the site. */
function received(): { email: string; token: string } {
  const { body = "" } = harness.site.received.at(-1) ?? {};
  const part = (name: string) => new RegExp(`name="${name}"\\r\\n\\r\\n([^\\r]*)`).exec(body)?.[1] ?? "";
  return { email: part("email"), token: part("captcha-token") };
}
async function accepted(): Promise<void> {
  const { email, token } = received();
  expect(email).toBe("ada@example.com");
  expect((await harness.verify(KEYS.low, token)).body).toMatchObject({ success: true });
}

describe.skipIf(WITHOUT_ENGINE)("the captcha in bundled pages", () => {
  it("[V12] the example of a plain module sends a form whose token the backend accepts, twice", async () => {
    const visit = await open(await example("module.ts"), FORM);
    for (let time = 0; time < 2; time++) {
      const sent = harness.site.received.length;
      await visit.page.getByLabel("E-mail").fill("ada@example.com");
      await visit.page.getByRole("button", { name: "Send" }).click();
      await expect.poll(() => harness.site.received.length).toBe(sent + 1);
      await says(visit, "Sent");
      await accepted();
    }
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[V12] the example of React has one box although it mounts twice, sends the form and starts again", async () => {
    const visit = await open(await example("react.tsx"));
    const checkbox = frames(visit).contentFrame().getByRole("checkbox");
    await checkbox.waitFor();
    expect(await frames(visit).count()).toBe(1);
    expect(await visit.page.getByRole("button", { name: "Register" }).isDisabled()).toBe(true);
    await visit.page.getByLabel("E-mail").fill("ada@example.com");
    await checkbox.click();
    await visit.page.getByRole("button", { name: "Register" }).click();
    await says(visit, "Sent");
    await accepted();
    await frames(visit).contentFrame().getByRole("checkbox", { checked: false }).waitFor();
    expect(await visit.page.getByRole("button", { name: "Register" }).isDisabled()).toBe(true);
    expect(await axeViolations(visit.page, harness.url)).toEqual([]);
    expect(visit.errors).toEqual([]);
    await visit.close();
  });

  it("[V12] the example of Vue executes at its submit, and shows an error when the visitor closes the task", async () => {
    const visit = await open(await example("vue.ts"));
    await visit.page.getByLabel("E-mail").fill("ada@example.com");
    await visit.page.getByRole("button", { name: "Register" }).click();
    await says(visit, "Sent");
    await accepted();
    expect(visit.errors).toEqual([]);
    await visit.close();

    const asked = await open(await example("vue.ts", KEYS.normal));
    const sent = harness.site.received.length;
    await asked.page.getByRole("button", { name: "Register" }).click();
    await asked.task.ready();
    await new Keyboard(asked).escape();
    await says(asked, "The check was not finished. Please try again.");
    expect(harness.site.received).toHaveLength(sent);
    await asked.close();
  });

  it.each([
    [
      "React",
      `import { createElement } from "react"; import { createRoot } from "react-dom/client"; import { Captcha } from "gwc/captcha/react";
      const root = createRoot(document.getElementById("app"));
      window.show = (props) => root.render(props && createElement(Captcha, { url: "{captcha_url}", onToken: (token) => calls.push(["token", token]), ...props }));`,
    ],
    [
      "Vue",
      `import { createApp, h, shallowRef } from "vue"; import { Captcha } from "gwc/captcha/vue";
      const props = shallowRef();
      createApp({ render: () => props.value && h(Captcha, { url: "{captcha_url}", onToken: (token) => calls.push(["token", token]), ...props.value }) }).mount("#app");
      window.show = (next) => { props.value = next; };`,
    ],
  ])(
    "[V12] %s renders a new widget only for other settings, and removes it, also while it loads",
    async (_, source) => {
      const visit = await open(await program(source));
      const show = (props: object | null) => visit.page.evaluate(`show(${JSON.stringify(props)})`);
      await visit.page.waitForFunction("window.show");
      // Removed before the script has loaded.
      await show({ sitekey: KEYS.low });
      await show(null);
      await visit.page.waitForFunction("window.spCaptcha");
      expect(await frames(visit).count()).toBe(0);
      await show({ sitekey: KEYS.low, language: "en", field: "proof" });
      await frames(visit).contentFrame().getByText("I am not a robot").waitFor();
      await frames(visit).contentFrame().getByRole("checkbox").click();
      const [, token] = await visit.called("token");
      expect(await visit.page.locator("input[name=proof]").inputValue()).toBe(token);
      await show({ sitekey: KEYS.low, language: "en", field: "proof" });
      await visit.page.waitForTimeout(200);
      expect(await visit.page.locator("input[name=proof]").inputValue()).toBe(token);
      await show({ sitekey: KEYS.low, language: "ru" });
      await frames(visit).contentFrame().getByText("Я не робот").waitFor();
      expect(await frames(visit).count()).toBe(1);
      await show(null);
      await frames(visit).waitFor({ state: "detached" });
      expect(
        await visit.page.evaluate(
          "document.getElementById('app').innerText + document.querySelectorAll('#app input').length",
        ),
      ).toBe("0");
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it("[V12] a blocked script fails with script_not_loaded and is loaded again at the next call", async () => {
    const script = await program(`import { renderCaptcha } from "gwc/captcha/module";
      window.make = () => renderCaptcha("{captcha_url}/", document.getElementById("app"), { sitekey: "{site_key}", size: "invisible" })
        .then((widget) => widget.execute()).then((token) => ({ token }), ({ code, retryable }) => ({ code, retryable }));`);
    const visit = await harness.visit(
      { head: "", body: `<div id="app"></div><script type="module">${script}</script>` },
      {},
      ({ page }) => page.route("**/captcha.js", (route) => route.abort("blockedbyclient")),
    );
    const make = () => visit.page.evaluate("make()");
    await visit.page.waitForFunction("window.make");
    expect(await make()).toEqual({ code: "script_not_loaded", retryable: true });
    await visit.page.unrouteAll();
    expect(await make()).toEqual({ token: expect.any(String) });
    expect(await visit.page.locator("script[src]").count()).toBe(1);
    await visit.close();
  });

  it("[V12] a page's own script tag is reused, as pages with trusted types need it", async () => {
    const script = await program(`import { renderCaptcha } from "gwc/captcha/module";
      renderCaptcha("{captcha_url}", document.getElementById("app"), { sitekey: "{site_key}", size: "invisible" })
        .then((widget) => widget.execute()).then((token) => calls.push(["outcome", token]), (error) => calls.push(["outcome", error.code]));`);
    const visit = await harness.visit({
      headers: { "Content-Security-Policy": "require-trusted-types-for 'script'" },
      body: `<div id="app"></div><script type="module">${script}</script>`,
    });
    // Not `called`, which waits with code that is forbidden here.
    await expect.poll(() => visit.calls("outcome")).toHaveLength(1);
    const [[, token] = []] = await visit.calls("outcome");
    expect((await harness.verify(KEYS.low, String(token))).body).toMatchObject({ success: true });
    expect(await visit.page.locator("script[src]").count()).toBe(1);
    expect(await visit.violations()).toEqual([]);
    await visit.close();
  });
});
