import type { FrameConfiguration } from "../../widget/shared/configuration.js";
import type { WidgetManifest } from "./manifest.js";

const TITLES = {
  box: { ru: "Проверка: я не робот", en: "Check: I am not a robot" },
  task: { ru: "Задание: подтвердите, что вы не робот", en: "Task: show that you are not a robot" },
} as const;

/** All that varies is data in the JSON block, so CSP needs no source for it. */
export function framePage(
  frame: "box" | "task",
  configuration: FrameConfiguration,
  { files }: WidgetManifest,
): string {
  const { language, theme } = configuration;
  return `<!doctype html>
<html lang="${language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLES[frame][language]}</title>
<link rel="stylesheet" href="../../assets/${files[`${frame}.css`].file}">
<script type="application/json" id="configuration">${scriptJson(configuration)}</script>
<script src="../../assets/${files[`${frame}.js`].file}" defer></script>
</head>
<body></body>
</html>
`;
}

/** Cannot end its script element (HTML section 4.12.1.3). */
const scriptJson = (value: object): string => JSON.stringify(value).replace(/</g, "\\u003c");
