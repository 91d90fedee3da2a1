/** What `gwc test --help` teaches; the whole stands in docs/testing.md. */
export const TEST_HELP = `
A test is a request, what the upstream answers, and what must be seen of both; all but name and expect may be left out:

  tests:
    - name: numbers of cards are masked
      request: { method: GET, target: /orders/7, host: shop.example.com, headers: ["Accept: text/html"], from: 10.0.0.7 }
      upstream: { status: 200, headers: ["Content-Type: text/html"], body: card 1234 }   # or { failure: connect }
      expect:
        route: orders
        upstream_request: { target: /orders/7, headers: { X-Api-Version: "2" }, absent: [X-Debug] }   # or false: no call
        response: { status: 200, headers: { Content-Type: text/html }, body: card **** }
        log: [{ plugin: syslog, holds: { route_id: orders } }]

gwc test --record http://shop.example.com/orders/7 --into tests.yaml writes one from what the real upstream answers; credentials
stay out of it.

\${{NAME}} in a test stands for a variable; one that is not set is the same made-up text in the whole configuration, so that
tests need no secrets. check, build and run read no tests. Exit codes: 0 all pass, 1 one fails, 2 nothing could be run.`;
