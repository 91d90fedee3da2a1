import type { FrameConfiguration } from "../shared/configuration.js";
import { element, icon } from "../shared/page.js";
import { boxText } from "./texts.js";

const SHIELD =
  "M12 2 4 5v6c0 5.2 3.4 9.7 8 11 4.6-1.3 8-5.8 8-11V5Zm-1.2 13.6L7.4 12.2l1.5-1.5 1.9 1.9 4.3-4.3 1.5 1.5Z";

/** Operator's name: always as text, a link only to an https address. */
function brand(operator: FrameConfiguration["operator"]): HTMLElement {
  if (!operator)
    return element(
      "span",
      { class: "brand", "aria-hidden": "true" },
      icon(SHIELD, 26),
      element("span", {}, "sp-captcha"),
    );
  const { name, link } = operator;
  return link?.startsWith("https://")
    ? element(
        "a",
        { class: "brand operator", href: link, target: "_blank", rel: "noopener noreferrer" },
        name,
      )
    : element("span", { class: "brand operator" }, name);
}

/** First state, also for the preview in the web interface. */
export function drawnBox({
  language,
  test,
  operator,
}: Pick<FrameConfiguration, "language" | "test" | "operator">) {
  const checkbox = element("input", { type: "checkbox", id: "box", "aria-describedby": "note" });
  const label = element("span", { class: "words" }, boxText("idle", language));
  const note = element("p", { class: "note", id: "note" });
  const region = element("div", { class: "said", role: "status" });
  const root = element(
    "main",
    { class: test ? "box test" : "box", "data-state": "idle" },
    element(
      "label",
      { class: "tick", for: "box" },
      element(
        "span",
        { class: "field" },
        checkbox,
        element("span", { class: "mark", "aria-hidden": "true" }),
      ),
      element("span", { class: "text" }, label),
    ),
    note,
    brand(operator),
    test ? element("span", { class: "ribbon" }, boxText("test", language)) : undefined,
    region,
  );
  return { root, checkbox, label, note, region };
}
