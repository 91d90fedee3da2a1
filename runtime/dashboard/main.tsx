import "@mantine/core/styles.css";
import "@mantine/notifications/styles.css";
import "@mantine/spotlight/styles.css";
import "./app/app.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/app";
import { styleNonce } from "./app/theme";
import { startLanguage } from "./i18n/language";

// Global in which the scroll-lock library of dialogs looks for the nonce of its style element.
Object.assign(globalThis, { __webpack_nonce__: styleNonce() });
startLanguage();
const root = document.getElementById("root");
if (root === null) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
