import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import type { Value } from "../../../runtime/dashboard/plugin-kit";
import boxStyle from "../widget/box/box.css?raw";
import { drawnBox } from "../widget/box/drawn.js";
import { boxText } from "../widget/box/texts.js";
import baseStyle from "../widget/shared/base.css?raw";

const LANGUAGES = ["ru", "en"] as const;
export const THEMES = ["auto", "light", "dark"] as const;
export const SIZES = ["normal", "compact"] as const;
/** States that a visitor sees one after the other. */
export const STATES = ["idle", "scoring", "verified", "expired"] as const;

export interface Looks {
  language: (typeof LANGUAGES)[number];
  theme: (typeof THEMES)[number];
  size: (typeof SIZES)[number];
  state: (typeof STATES)[number];
}

export interface KeyLooks {
  languages: readonly Looks["language"][];
  theme: Looks["theme"];
  /** Undefined: the shield. */
  operator: { name: string; link: string | null } | undefined;
}

/** An edit may contain anything. The first language is used if a page asks for another. */
export function looksOf({ languages, theme, operator }: Value): KeyLooks {
  const said: readonly unknown[] = Array.isArray(languages) ? languages : [];
  const known = said.flatMap((one) => LANGUAGES.filter((each) => each === one));
  return {
    languages: known.length === 0 ? LANGUAGES : known,
    theme: THEMES.find((one) => one === theme) ?? "auto",
    operator: operatorOf(operator),
  };
}

function operatorOf(value: unknown): KeyLooks["operator"] {
  if (typeof value !== "object" || value === null) return undefined;
  const { name, link } = value as { name?: unknown; link?: unknown };
  if (typeof name !== "string" || name === "") return undefined;
  return { name, link: typeof link === "string" ? link : null };
}

/** Pixels, as in the loader's frame (docs/captcha/README.md). */
const PIXELS = { normal: { width: 300, height: 74 }, compact: { width: 164, height: 144 } };

/** Rewrites the document rules of the widget's style sheets for a shadow host. */
const inHost = (css: string): string =>
  css
    .replaceAll(/:root((?:\[[^\]]*\])+)/g, ":host($1)")
    .replaceAll(":root", ":host")
    .replaceAll(/\bbody\b/g, ".ground");

let made: CSSStyleSheet | undefined;
function sheet(): CSSStyleSheet {
  if (made === undefined) {
    made = new CSSStyleSheet();
    made.replaceSync(inHost(`${baseStyle}\n${boxStyle}`));
  }
  return made;
}

/**
 * Checkbox drawn by the widget's own code in a shadow tree. The widget itself is a frame and a script of
 * another origin; this page, which holds an admin key, loads neither.
 */
export function Preview({ language, theme, size, state, operator }: Looks & Pick<KeyLooks, "operator">) {
  const { t } = useTranslation();
  const host = useRef<HTMLDivElement>(null);
  const { name, link = null } = operator ?? {};
  useEffect(() => {
    const place = host.current;
    if (place === null) return;
    const tree = place.shadowRoot ?? place.attachShadow({ mode: "open" });
    tree.adoptedStyleSheets = [sheet()];
    const { root, checkbox, label } = drawnBox({
      language,
      test: false,
      operator: name === undefined ? null : { name, link },
    });
    const ground = document.createElement("div");
    ground.className = "ground";
    // Inert like a picture: nothing in it is reachable, and it is no second main landmark of the page.
    ground.inert = true;
    root.setAttribute("role", "none");
    root.classList.toggle("compact", size === "compact");
    root.dataset["state"] = state;
    label.textContent = boxText(state, language);
    checkbox.checked = state === "verified";
    checkbox.setAttribute("aria-disabled", String(state === "scoring"));
    ground.append(root);
    tree.replaceChildren(ground);
  }, [language, size, state, name, link]);
  return (
    <div
      ref={host}
      role="img"
      aria-label={t("captcha.preview_of", { words: boxText(state, language) })}
      data-theme={theme}
      style={PIXELS[size]}
    />
  );
}
