import type { FrameConfiguration } from "../shared/configuration.js";

const configuration = JSON.parse(
  document.getElementById("configuration")?.textContent ?? "{}",
) as FrameConfiguration;
document.body.textContent = configuration.siteKey;
