import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type ClipboardEvent, useRef, useState } from "react";
import { useSession } from "../api/session";
import { askWhichRoute, type WhichRouteRequest } from "../api/which-route";
import { type WhichRouteSearch, whichRouteRoute } from "../app/router";
import { type CurlNotes, type CurlRequest, curlCommand, isCurl } from "../curl/command";
import { openAddress } from "./shareable-url";

/** A made-up response of the upstream: nothing is sent. */
export interface Stub {
  status: number;
  /** One header on a line. */
  headers: string;
  body: string;
}

const EMPTY_200: Stub = { status: 200, headers: "", body: "" };

/** Fields that are never in the URL: they may hold credentials, and a URL ends up in logs and histories. */
interface Held {
  /** One header on a line. */
  headers: string;
  body: string;
  stub: Stub;
  /** A curl command without a URL. */
  command: string | undefined;
  notes: CurlNotes | undefined;
}

const NOTHING: Held = { headers: "", body: "", stub: EMPTY_200, command: undefined, notes: undefined };

export interface Question {
  asked: WhichRouteRequest;
  /** Sends the request to a real upstream. */
  live: boolean;
}

/** Fields that the URL contains after a response, so that a simulation can be shared. */
interface Said {
  method: string;
  url: string;
  client: string | undefined;
  answer: "live" | undefined;
}

const saidBy = ({ method = "GET", url = "", client, answer }: WhichRouteSearch): Said => ({
  ...{ method, url, client, answer },
});
const keyOf = (search: WhichRouteSearch): string => JSON.stringify(saidBy(search));

/**
 * State of the request line. It is in memory while the user types; the URL receives it with the response,
 * which tells the credentials in it. Back returns to the previous line as typed.
 */
function useLine() {
  const navigate = useNavigate();
  const search = whichRouteRoute.useSearch();
  const [seen, setSeen] = useState(() => keyOf(search));
  const [line, setLine] = useState(() => saidBy(search));
  const typed = useRef(new Map<string, Said>());
  const key = keyOf(search);
  if (key !== seen) {
    setSeen(key);
    setLine(typed.current.get(key) ?? saidBy(search));
  }
  const say = (next: Partial<Said>) => setLine((before) => ({ ...before, ...next }));

  /** @param shown target of the same request in the gateway's response */
  function answered(shown: string) {
    const open = { ...line, url: openAddress(line.url, shown) };
    const isSame = keyOf(open) === key;
    // A URL without a response, as of a link with a credential, is no target of Back.
    const replace = !typed.current.has(key);
    typed.current.set(keyOf(open), line);
    if (!isSame) void navigate({ to: "/which-route", search: open, replace });
  }
  return { line, say, answered };
}

export function useWhichRoute() {
  const { line, say, answered } = useLine();
  const { method, url, client, answer } = line;
  const [held, setHeld] = useState(NOTHING);
  const isViewer = useSession()?.role === "viewer";
  const answering: "stub" | "live" = answer === "live" && !isViewer ? answer : "stub";
  const edit = (next: Partial<Held>) => setHeld((before) => ({ ...before, ...next }));

  /** Takes a URL, or a curl command, which fills all fields. */
  function typed(text: string) {
    const read = curlCommand(text);
    const request = read?.request;
    if (request === undefined) {
      edit({ command: isCurl(text) ? text : undefined, notes: read?.notes });
      return say({ url: isCurl(text) ? "" : text });
    }
    edit({ headers: linesOf(request), body: request.body ?? "", command: undefined, notes: read?.notes });
    say({ method: request.method, url: request.url });
  }

  /** Handles a pasted command, whose line breaks a single-line field would drop. */
  function pasted(event: ClipboardEvent) {
    const text = event.clipboardData.getData("text");
    if (!isCurl(text)) return;
    event.preventDefault();
    typed(text);
  }

  const { headers, body, stub } = held;
  const asked: WhichRouteRequest = {
    ...{ method, url, headers: headersOf(headers) },
    ...(body !== "" && { body }),
    ...(client !== undefined && { remote_addr: client }),
    ...(answering === "stub" &&
      stub !== EMPTY_200 && { upstream_response: { ...stub, headers: headersOf(stub.headers) } }),
  };
  const question: Question = { asked, live: answering === "live" };
  return { method, url, client, answering, ...held, question, edit, say, typed, pasted, answered };
}

/** Earlier results are cached for Back. */
export function useAnswer({ asked, live }: Question, onAnswer: (shown: string) => void) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ["which_route", live, asked],
    queryFn: () => askWhichRoute(asked, live),
    ...{ enabled: false, retry: false },
  });
  /** The current request, which may differ from that of an arriving response. */
  const now = useRef("");
  now.current = JSON.stringify(asked);
  async function ask() {
    const question = JSON.stringify(asked);
    const { data: told } = await refetch();
    if (told !== undefined && now.current === question) onAnswer(told.request.url);
  }
  return {
    data: isFetching || error !== null ? undefined : data,
    error: isFetching ? null : error,
    isPending: isFetching,
    ask: () => void ask(),
  };
}

const linesOf = ({ headers }: CurlRequest): string =>
  headers.map(([name, value]) => `${name}: ${value}`).join("\n");

/** Parses one header on a line; a repeated name has both values. */
function headersOf(text: string): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (const line of text.split("\n")) {
    const [, name = "", value = ""] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== "") headers.set(name, [...(headers.get(name) ?? []), value]);
  }
  return Object.fromEntries(headers);
}
