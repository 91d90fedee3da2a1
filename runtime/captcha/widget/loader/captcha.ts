const script = document.currentScript as HTMLScriptElement | null;
const base = (script?.src ?? "").replace(/\/captcha[^/]*$/, "");
for (const container of document.querySelectorAll(".sp-captcha")) {
  const frame = document.createElement("iframe");
  frame.src = `${base}/f/v1/box?k=${encodeURIComponent(container.getAttribute("data-sitekey") ?? "")}&hl=ru&th=auto&id=1`;
  container.append(frame);
}
