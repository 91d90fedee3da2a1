import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";

interface Place {
  offset?: number;
  row?: string | undefined;
}

export interface PlaceInList {
  /** State when this entry of the browser's history was left; undefined for a new entry. */
  before: Place | undefined;
  keep(place: Place): void;
}

/** Back returns to an entry, a link to the same list creates one. A reload forgets all. */
const places = new Map<string, Place>();
/** Maximum number of remembered entries; a browser stores as many. */
const MOST = 50;

export function usePlaceInList(): PlaceInList {
  const { history } = useRouter();
  const own = useRef(history.location);
  // A scroll may still end while the next page loads; by then the URL belongs to that page.
  const entry = () => {
    if (history.location.pathname === own.current.pathname) own.current = history.location;
    return String(own.current.state.__TSR_key ?? "");
  };
  const before = useRef(places.get(entry()));
  const keep = (place: Place) => {
    const now = { ...places.get(entry()), ...place };
    places.delete(entry());
    places.set(entry(), now);
    const [oldest] = places.keys();
    if (places.size > MOST && oldest !== undefined) places.delete(oldest);
  };
  return { before: before.current, keep };
}
