/** A configuration of many routes, each with its own plugins: what a platform team of some hundred services has. */
export function manyRoutes(count: number, upstreamPort: number): Record<string, unknown> {
  const services = Math.max(1, Math.round(count / 100));
  return {
    upstreams: [{ id: "backend", nodes: { [`127.0.0.1:${upstreamPort}`]: 1 } }],
    services: Array.from({ length: services }, (_, i) => ({
      id: `service-${i}`,
      upstream_id: "backend",
      hosts: [`service-${i}.example.com`],
    })),
    routes: Array.from({ length: count }, (_, i) => route(i, services)),
  };
}

function route(i: number, services: number): Record<string, unknown> {
  return {
    id: `route-${i}`,
    uri: i % 3 === 0 ? `/v1/resource-${i}/*` : `/v1/resource-${i}`,
    methods: ["GET", "POST"],
    service_id: `service-${i % services}`,
    plugins: {
      "proxy-rewrite": {
        headers: {
          set: { "X-Api-Version": String(i % 7), "X-Client-Ip": "$remote_addr" },
          remove: ["X-Debug-Token"],
        },
      },
      "response-rewrite": {
        vars: [["status", "==", 200]],
        headers: {
          set: { "Cache-Control": "no-store", "X-Route": `route-${i}` },
          remove: ["X-Internal-Service"],
        },
        filters: [
          { regex: `node-${i}-[0-9]+\\.internal`, scope: "global", replace: `node-${i}.example.com` },
        ],
      },
    },
  };
}
