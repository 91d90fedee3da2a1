import type { Catalogue } from "../entry.js";

export const plan: Catalogue = {};
