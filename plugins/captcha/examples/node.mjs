// A backend with one protected form: node node.mjs
import { createServer } from "node:http";

// 8<
// Node 18 or later, nothing to install.
async function passedCaptcha(token, ip = "") {
  if (!token) return false;
  const query = new URLSearchParams({ jwt: token, ip });
  const answer = await fetch(`{captcha_url}/{site_key}/verify?${query}`, {
    headers: { "X-Api-Key": process.env.CAPTCHA_API_KEY },
    signal: AbortSignal.timeout(3000),
  });
  // Nobody knows whether it was a human: the caller decides; here it does not go on.
  if (answer.status >= 500) throw new Error(`captcha: status ${answer.status}`);
  const { success, error } = await answer.json();
  if (!success && error !== "invalid_jwt") console.error(`captcha: check the integration: ${error}`);
  return success === true;
}
// >8

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const answer = (status, text) => response.writeHead(status).end(text);
  try {
    const passed = await passedCaptcha(form.get("captcha-token"), request.socket.remoteAddress);
    if (passed) answer(200, "done");
    else answer(403, "please solve the captcha again");
  } catch (error) {
    console.error(error.message);
    answer(503, "please try again later");
  }
}).listen(Number(process.env.PORT ?? 3000), "127.0.0.1");
