import fc from "fast-check";

// Every run tries the same cases, so that a red build says something about the change. FC_SEED=n tries others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_261_121) });

// Exempts the loopback from http_proxy: curl and Python would ask the proxy for the servers of the tests.
const loopback = ["localhost", "127.0.0.1", "::1"];
const { no_proxy: others = process.env["NO_PROXY"] ?? "" } = process.env;
process.env["no_proxy"] = [...new Set([...loopback, ...others.split(",")])].filter(Boolean).join(",");
process.env["NO_PROXY"] = process.env["no_proxy"];
