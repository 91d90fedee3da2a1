/** A form of React with a checkbox; bundled as it is. */
// 8<
import { Captcha, type CaptchaHandle } from "gwc/captcha/react";
import { type FormEvent, StrictMode, useRef, useState } from "react";
import { createRoot } from "react-dom/client";

function Registration() {
  const captcha = useRef<CaptchaHandle>(null);
  const [token, setToken] = useState("");
  const [status, setStatus] = useState("");

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const body = new FormData(event.currentTarget);
    body.set("captcha-token", token);
    const answer = await fetch("/submit", { method: "POST", body });
    setStatus(answer.ok ? "Sent" : "Refused");
    // A token is good for one verification.
    captcha.current?.reset();
    setToken("");
  }

  return (
    <form onSubmit={send}>
      <input name="email" type="email" aria-label="E-mail" />
      <Captcha
        ref={captcha}
        url="{captcha_url}"
        sitekey="{site_key}"
        language="en"
        onToken={setToken}
        onExpired={() => setToken("")}
        onError={({ message }) => setStatus(message)}
      />
      <button type="submit" disabled={token === ""}>
        Register
      </button>
      <output>{status}</output>
    </form>
  );
}

createRoot(document.getElementById("app") as HTMLElement).render(
  <StrictMode>
    <Registration />
  </StrictMode>,
);
// >8
