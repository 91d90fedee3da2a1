import { describe, expect, it } from "vitest";
import { findVariable, nearestVariable } from "../../../compiler/variables/variable.js";

describe("nearestVariable", () => {
  it.each([
    ["htp_host", "http_host"],
    ["htpp_user_agent", "http_user_agent"],
    ["HTTP_X_Forwarded_For", "http_x_forwarded_for"],
    ["http-host", "http_host"],
    ["arg.q", "arg_q"],
    ["args_q", "arg_q"],
    ["cokie_session", "cookie_session"],
    ["cookies_session", "cookie_session"],
    ["uri_params_id", "uri_param_id"],
    ["sent_htp_x_cache", "sent_http_x_cache"],
    ["upstream_htp_server", "upstream_http_server"],
    ["post_args_a", "post_arg_a"],
    ["post_args.a.b", "post_arg.a.b"],
  ])("nearestVariable keeps the whole parameter of $%s: $%s", (wrong, meant) => {
    expect(findVariable(wrong)).toBeUndefined();
    expect(nearestVariable(wrong)).toBe(meant);
  });

  it.each([
    ["remote_adr", "remote_addr"],
    ["host_name", "hostname"],
    ["request_metod", "request_method"],
    ["requst_time", "request_time"],
    ["upstream_header_tme", "upstream_header_time"],
    ["arg", "arg_<name>"],
  ])("nearestVariable compares $%s with whole names: $%s", (wrong, meant) => {
    expect(nearestVariable(wrong)).toBe(meant);
  });

  it.each(["response_time", "user_name", "my_own_name", "x", "request_header", "time_of_day"])(
    "nearestVariable suggests no member of a group for $%s",
    (wrong) => {
      const near = nearestVariable(wrong);
      expect(near === undefined ? undefined : findVariable(near)?.parameter).toBeUndefined();
    },
  );
});
