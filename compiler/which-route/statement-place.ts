import {
  decodeMappings,
  mappingAt,
  type StatementLocation,
  type StatementQuery,
} from "../../runtime/abi/source-map.js";
import { sourceMap } from "../5-emit/source-map.js";
import type { Running } from "./which-route-report.js";

/** Setting of a statement in a running module; for another module the config path in the query. */
export function statementPlace(
  asked: StatementQuery,
  { state, places }: Pick<Running, "state" | "places">,
): StatementLocation {
  const { origin, file, hash } = asked;
  const noted = { address: origin, place: places.text(origin) };
  for (const module of state.modules.values()) {
    if (module.text.hash !== hash || `${module.text.file}.js` !== file) continue;
    const { mappings, names } = sourceMap(file, module, places, (name) => name);
    const address = names[mappingAt(decodeMappings(mappings), asked)?.name ?? -1];
    return address === undefined ? noted : { address, place: places.text(address) };
  }
  return noted;
}
