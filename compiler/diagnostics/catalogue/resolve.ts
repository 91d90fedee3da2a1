import type { Catalogue } from "../entry.js";

export const resolve: Catalogue = {};
