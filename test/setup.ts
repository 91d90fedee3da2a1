import fc from "fast-check";

// Every run tries the same cases, so that a red build says something about the change. FC_SEED=n tries others.
fc.configureGlobal({ seed: Number(process.env["FC_SEED"] ?? 20_261_121) });
