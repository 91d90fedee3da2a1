import type { Answers, ExecutedPlugin } from "./answers.gen";
import { callAdmin } from "./client";

export interface WhichRouteRequest {
  method: string;
  /** Path with query, or a complete URL. */
  url: string;
  headers: Readonly<Record<string, string | string[]>>;
  body?: string;
  /** Address of the client. Default: 127.0.0.1. */
  remote_addr?: string;
  /** Default: 200 with an empty body. */
  upstream_response?: { status: number; headers: Readonly<Record<string, string | string[]>>; body: string };
}

/** Way of a request through the running configuration; the gateway masks its credentials. */
export type WhichRouteReport = Answers["askWhichRoute"];
export type { ExecutedPlugin };
export type ReportedMessage = Pick<NonNullable<WhichRouteReport["response"]>, "headers" | "body">;

/** @param live sends the request to a real upstream @throws AdminError for an invalid request */
export const askWhichRoute = async (asked: WhichRouteRequest, live: boolean): Promise<WhichRouteReport> =>
  (await callAdmin<WhichRouteReport>(`which_route${live ? "/live" : ""}`, { method: "POST", body: asked }))
    .body;
