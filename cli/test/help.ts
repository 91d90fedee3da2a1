/** Introduction in `gwc test --help`; docs/testing.md has the full text. */
export const TEST_HELP = `
A test has a request, the response of the upstream, and expectations; only name and expect are required:

  tests:
    - name: card numbers are masked
      request: { method: GET, target: /orders/7, host: shop.example.com, headers: ["Accept: text/html"], from: 10.0.0.7 }
      upstream: { status: 200, headers: ["Content-Type: text/html"], body: card 1234 }   # or { failure: connect }
      expect:
        route: orders
        upstream_request: { target: /orders/7, headers: { X-Api-Version: "2" }, absent: [X-Debug] }   # or false: no call
        response: { status: 200, headers: { Content-Type: text/html }, body: card **** }
        log: [{ plugin: syslog, holds: { route_id: orders } }]

gwc test --record http://shop.example.com/orders/7 --into tests.yaml records a test from the response of the real upstream,
without credentials.

\${{NAME}} in a test is a variable. An unset variable has the same placeholder in the whole configuration, so that tests need
no secrets. build and run ignore tests. Exit codes: 0 all pass, 1 one fails, 2 nothing could be run.`;
