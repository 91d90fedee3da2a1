import type { Catalogue } from "../entry.js";
import { expressions } from "./plan-expressions.js";
import { logging } from "./plan-logging.js";
import { rewriting } from "./plan-rewriting.js";

export const plan: Catalogue = { ...expressions, ...rewriting, ...logging };
