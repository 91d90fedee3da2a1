/** Pages of the demo with the captcha's widget. Plain HTML and one script: what a site of today would write. */

const CAPTCHA_URL = "http://localhost:9088";

export interface DemoPage {
  headers: Record<string, string>;
  body: string;
}

const TEXTS = {
  en: {
    title: "Register",
    email: "E-mail",
    send: "Register",
    again: "Send the very same request again",
    about:
      "The gateway asks the captcha service about the token before the shop sees the form. A token is good once: the second button sends the same one again.",
    other: '<a href="?lang=ru">Русский</a>',
  },
  ru: {
    title: "Регистрация",
    email: "Почта",
    send: "Зарегистрироваться",
    again: "Отправить тот же запрос ещё раз",
    about:
      "Шлюз спрашивает о токене сервис проверки раньше, чем форму увидит магазин. Токен годится один раз: вторая кнопка отправляет его же снова.",
    other: '<a href="?lang=en">English</a>',
  },
} as const;

const STYLE = `
/* On the root, or the page behind the text stays white in a dark system. */
:root { color-scheme: light dark; }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
label, .sp-captcha, button, output { display: block; margin: 0 0 1rem; }
[hidden] { display: none; }
input[type=email] { display: block; box-sizing: border-box; width: 100%; font: inherit; padding: .6rem; }
button { font: inherit; padding: .6rem 1.2rem; }
output { white-space: pre-wrap; font-family: ui-monospace, monospace; }`;

/** The page's own script: sends the form without leaving the page and shows what came back. */
const SCRIPT = `
const form = document.querySelector("form");
const output = document.querySelector("output");
const again = document.querySelector("#again");
let last = "";
async function send(body) {
  const answer = await fetch(location.pathname, {
    method: "POST",
    headers: { "Content-Type": "application/x-www-form-urlencoded" },
    body,
  });
  output.textContent = answer.status + " " + answer.statusText + "\\n" + await answer.text();
}
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  last = new URLSearchParams(new FormData(form)).toString();
  await send(last);
  again.hidden = false;
  spCaptcha.reset(document.querySelector(".sp-captcha"));
});
again.addEventListener("click", () => send(last));
`;

/**
 * The answer to GET /register and /newsletter.
 * @param query `lang` (ru, en) and `theme` (light, dark) show the widget's looks
 */
export function demoForm(path: string, query: URLSearchParams): DemoPage {
  const language = query.get("lang") === "ru" ? "ru" : "en";
  const theme = query.get("theme") === "dark" ? "dark" : query.get("theme") === "light" ? "light" : "auto";
  const siteKey = path === "/newsletter" ? "sk_shop_newsletter" : "sk_shop_registration";
  const texts = TEXTS[language];
  return {
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Cache-Control": "no-store",
      // All that the widget needs: its script and its frame.
      "Content-Security-Policy": `default-src 'none'; script-src ${CAPTCHA_URL} 'self'; frame-src ${CAPTCHA_URL}; style-src 'self'; connect-src 'self'; form-action 'self'`,
    },
    body: `<!doctype html>
<html lang="${language}" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${texts.title}</title>
<link rel="stylesheet" href="/register?part=style">
<script src="${CAPTCHA_URL}/captcha.js" async defer></script>
<script src="/register?part=script" defer></script>
</head>
<body>
<h1>${texts.title}</h1>
<p>${texts.about}</p>
<form method="post" action="${path}">
<label>${texts.email} <input type="email" name="email" value="ada@example.com" required></label>
<div class="sp-captcha" data-sitekey="${siteKey}" data-language="${language}" data-theme="${theme}" data-response-field></div>
<button>${texts.send}</button>
</form>
<button id="again" hidden>${texts.again}</button>
<output></output>
<p>${texts.other}</p>
</body>
</html>
`,
  };
}

/** The style sheet and the script of the page; undefined for any other part. */
export function demoPart(part: string | null): DemoPage | undefined {
  const known = { style: ["text/css", STYLE], script: ["text/javascript", SCRIPT] } as const;
  if (part !== "style" && part !== "script") return undefined;
  const [type, body] = known[part];
  return { headers: { "Content-Type": `${type}; charset=utf-8` }, body };
}
