/** Shape of the gateway's other replies. */
export interface LocalReply {
  /** Absent: `reject_status`. */
  status?: number;
  body: string;
  /** The client may retry the same request later. */
  retry?: true;
}

const body = (error: string, message: string) => `${JSON.stringify({ error, message })}\n`;

/** `error` never changes. The replies repeat nothing of the request. */
export const LOCAL_REPLIES: {
  readonly required: LocalReply;
  readonly invalid: LocalReply;
  readonly misconfigured: LocalReply;
  readonly unavailable: LocalReply;
  tooLong(maxBytes: number): LocalReply;
  unreadable(reason: string): LocalReply;
} = {
  required: { body: body("captcha_required", "Solve the captcha first") },
  invalid: { body: body("captcha_invalid", "The captcha has expired or was used already: solve it again") },
  misconfigured: { body: body("captcha_misconfigured", "The captcha of this site is not set up correctly") },
  unavailable: {
    status: 503,
    body: body("captcha_unavailable", "The captcha cannot be verified now: try again later"),
    retry: true,
  },
  tooLong: (maxBytes) => ({
    status: 413,
    body: body("captcha_too_late", `No captcha token within the first ${maxBytes} bytes of the body`),
  }),
  unreadable: (reason) => ({
    body: body("captcha_invalid", UNREADABLE[reason] ?? "The captcha token is malformed"),
  }),
};

const UNREADABLE: Readonly<Record<string, string>> = {
  malformed_body: "The body does not match its Content-Type",
  field_repeated: "The request contains more than one captcha token",
  not_a_text: "The captcha token is not a text",
  body_coded: "A body with a Content-Encoding is not searched for a captcha token",
};
