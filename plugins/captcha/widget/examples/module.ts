/** A form without a framework, checked at its submit; bundled as it is. */
// 8<
import { renderCaptcha } from "gwc/captcha/module";

const form = document.querySelector("form") as HTMLFormElement;
const status = document.querySelector("output") as HTMLOutputElement;
const captcha = await renderCaptcha("{captcha_url}", document.getElementById("captcha") as HTMLElement, {
  sitekey: "{site_key}",
  language: "en",
  size: "invisible",
});

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    const body = new FormData(form);
    body.set("captcha-token", await captcha.execute());
    const answer = await fetch(form.action, { method: "POST", body });
    status.textContent = answer.ok ? "Sent" : "Refused";
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
  }
});
// >8
